"""What can be seen of the images: colours, the crosshair's slice, and where an axial plane is."""

from __future__ import annotations

import io
import re

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tests.components.conftest import Room


def colours(reader: Room, place: str = ".stage") -> NDArray[np.int16]:
    """Colours on the screen, rows by columns by red, green, blue."""
    reader.page.mouse.move(5, 5)
    reader.page.wait_for_timeout(300)
    shot = reader.page.locator(place).first.screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(np.int16)


def slice_of(reader: Room, pane: int = 0) -> float:
    """Height of the crosshair in a pane, in mm."""
    words = reader.page.locator(".readout .position").nth(pane).inner_text()
    match = re.search(r"([SI]) ([\d.]+) mm", words)
    assert match is not None
    return float(match[2]) * (1 if match[1] == "S" else -1)


def middle_of_stage(reader: Room, pane: int = 0) -> tuple[float, float]:
    """Where the axial plane of a pane has its middle on the page."""
    box = reader.page.locator(".overlay").nth(pane).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 3, box["y"] + box["height"] / 2
