"""A point in an image without scale: its column and row, as the crosshair shows them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_NUMBER = r"[\s:=]{0,3}(\d{1,6}(?:\.\d{1,6})?)"
_COLUMN, _ROW, _BETWEEN = rf"col(?:umn)?s?\.?{_NUMBER}", rf"rows?{_NUMBER}", r"[\s,;]{1,3}"
_COLUMN_AND_ROW = re.compile(rf"{_COLUMN}{_BETWEEN}{_ROW}\.?", re.IGNORECASE)
_ROW_AND_COLUMN = re.compile(rf"{_ROW}{_BETWEEN}{_COLUMN}\.?", re.IGNORECASE)


def column_and_row(written: str) -> tuple[int, int] | None:
    """Return the column and row from text such as `column 33 row 17`; None for any other text.

    The row may come first, and fractions are rounded to the nearest pixel, since people point at whole pixels.
    """
    exact = exact_column_and_row(written)
    return None if exact is None else (math.floor(exact[0] + 0.5), math.floor(exact[1] + 0.5))


def exact_column_and_row(written: str) -> tuple[float, float] | None:
    """Return the column and row from such text with their fractions, as a computed middle has them."""
    text = written.strip()
    if (match := _COLUMN_AND_ROW.fullmatch(text)) is not None:
        column, row = match.groups()
    elif (match := _ROW_AND_COLUMN.fullmatch(text)) is not None:
        row, column = match.groups()
    else:
        return None
    return float(column), float(row)


def pixel_in_words(column: int, row: int) -> str:
    """Return a point in an image as the crosshair shows it."""
    return f"column {column} row {row}"


def columns_and_rows(columns: int, rows: int) -> str:
    """Return the columns and rows of an image, as places in it are written."""
    return f"columns 1 to {columns} and rows 1 to {rows}"


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
        """Return its edges in words, of an image without scale its columns and rows."""
        if self.pixels is not None:
            return columns_and_rows(*self.pixels)
        ranges = (
            f"{axis} from {low:g} to {high:g}" for axis, low, high in zip("xyz", self.low, self.high, strict=True)
        )
        return f"{', '.join(ranges)} mm"


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

    def place_of(self, column: float, row: float) -> tuple[float, float, float]:
        """Return x, y and z of a column and row, counted from 1 at the upper left, in the stored coordinates."""
        columns, rows = self.shape
        across = columns - column if self.mirrored else column - 1
        return self.first[0] + across, self.first[1] + rows - row, 0.0


# By the titles of an item's panes, in order, the pixels of the image shown first in each; None for scans with a scale.
Places = Mapping[str, Pixels | None]
WITH_SCALE: Places = {}


def pixels_at(places: Places, pane: str | None) -> Pixels | None:
    """Return the pixels of the named pane, or of the first pane if none is named; None if that has a scale."""
    if pane is not None and pane in places:
        return places[pane]
    return next(iter(places.values()), None)
