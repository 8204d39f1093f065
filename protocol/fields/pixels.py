"""A point in an image without scale: its column and row, as the crosshair shows them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Pixels:
    """The pixel grid of one image, which lies in the x-y plane.

    Attributes
    ----------
    shape
        Number of columns and rows.
    first
        x and y of the voxel with index 0, in the stored coordinates, where one pixel is 1 mm.
    mirrored
        Whether columns run opposite to x, as in the radiological convention.
    """

    shape: tuple[int, int]
    first: tuple[float, float]
    mirrored: bool

    def in_words(self, place: Sequence[float]) -> str:
        """Return column and row, counted from 1 at the upper left and rounded as in the reading room."""
        across, up = (math.floor(mm - first + 0.5) for mm, first in zip(place[: len("xy")], self.first, strict=True))
        columns, rows = self.shape
        return f"column {columns - across if self.mirrored else across + 1} row {rows - up}"


# By the titles of an item's panes, in order, the pixels of the image shown first in each; None for scans with a scale.
Places = Mapping[str, Pixels | None]
WITH_SCALE: Places = {}


def pixels_at(places: Places, pane: str | None) -> Pixels | None:
    """Return the pixels of the named pane, or of the first pane if none is named; None if that has a scale."""
    if pane is not None and pane in places:
        return places[pane]
    return next(iter(places.values()), None)
