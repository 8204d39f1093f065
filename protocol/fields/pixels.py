"""A place in an image without scale: its column and row, as the crosshair reads them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Pixels:
    """The pixels of one image, which lies in the plane of x and y.

    Attributes
    ----------
    shape
        Number of columns and rows.
    first
        x and y of the voxel whose index is 0, as places are stored, at one mm per pixel.
    mirrored
        Whether columns run against x, as in the radiological convention.
    """

    shape: tuple[int, int]
    first: tuple[float, float]
    mirrored: bool

    def in_words(self, place: Sequence[float]) -> str:
        """Return column and row, both counted from 1 at the upper left; rounded as the reading room rounds."""
        across, up = (math.floor(mm - first + 0.5) for mm, first in zip(place[: len("xy")], self.first, strict=True))
        columns, rows = self.shape
        return f"column {columns - across if self.mirrored else across + 1} row {rows - up}"


# What is seen first in each pane of an item, by the title of the pane, in their order: None of what has a scale.
Places = Mapping[str, Pixels | None]
WITH_SCALE: Places = {}


def pixels_at(places: Places, pane: str | None) -> Pixels | None:
    """Return the pixels of the pane that a place names, of the first one where it names none; None with a scale."""
    if pane is not None and pane in places:
        return places[pane]
    return next(iter(places.values()), None)
