"""A point in an image without scale: its column and row, as the crosshair shows them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_COLUMN_AND_ROW = re.compile(r"columns?\W{0,3}(\d{1,6})\W{1,3}rows?\W{0,3}(\d{1,6})", re.IGNORECASE)


def column_and_row(written: str) -> tuple[int, int] | None:
    """Return the column and row from text such as `column 33 row 17`; None for any other text."""
    match = _COLUMN_AND_ROW.fullmatch(written.strip())
    return None if match is None else (int(match[1]), int(match[2]))


def pixel_in_words(column: int, row: int) -> str:
    """Return a point in an image as the crosshair shows it."""
    return f"column {column} row {row}"


@dataclass(frozen=True)
class Extent:
    """The extent of a scan or an image.

    Attributes
    ----------
    low, high
        Its outer edges along x, y and z, in mm; of an image at one mm per pixel, round its middle.
    pixels
        Of an image without scale, the number of columns and rows.
    """

    low: tuple[float, float, float]
    high: tuple[float, float, float]
    pixels: tuple[int, int] | None = None

    @staticmethod
    def of_image(columns: int, rows: int) -> Extent:
        """Return how far an image reaches, as it is laid round the origin."""
        return Extent((-columns / 2, -rows / 2, -0.5), (columns / 2, rows / 2, 0.5), (columns, rows))

    def holds(self, place: Sequence[float]) -> bool:
        """Return whether a point is within the edges."""
        return all(low <= mm <= high for low, mm, high in zip(self.low, place, self.high, strict=True))

    def in_words(self) -> str:
        """Return its size and its edges in words."""
        ranges = [
            f"{axis} from {low:g} to {high:g}" for axis, low, high in zip("xyz", self.low, self.high, strict=True)
        ]
        if self.pixels is None:
            return f"{', '.join(ranges)} mm"
        return f"{self.pixels[0]} x {self.pixels[1]} pixels, {' and '.join(ranges[:2])} from its middle"


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

    @staticmethod
    def of_whole(columns: int, rows: int, convention: str) -> Pixels:
        """Return the pixels of an image of which nothing was cut off, as it is laid round the origin."""
        return Pixels((columns, rows), (-(columns - 1) / 2, -(rows - 1) / 2), convention == "radiological")

    def in_words(self, place: Sequence[float]) -> str:
        """Return column and row, counted from 1 at the upper left and rounded as in the reading room."""
        across, up = (math.floor(mm - first + 0.5) for mm, first in zip(place[: len("xy")], self.first, strict=True))
        columns, rows = self.shape
        return pixel_in_words(columns - across if self.mirrored else across + 1, rows - up)


# By the titles of an item's panes, in order, the pixels of the image shown first in each; None for scans with a scale.
Places = Mapping[str, Pixels | None]
WITH_SCALE: Places = {}


def pixels_at(places: Places, pane: str | None) -> Pixels | None:
    """Return the pixels of the named pane, or of the first pane if none is named; None if that has a scale."""
    if pane is not None and pane in places:
        return places[pane]
    return next(iter(places.values()), None)
