"""The inside of an overlay that a point has to hit, as stored in the study, independent of the overlay's file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Number3 = tuple[int, int, int]


@dataclass(frozen=True)
class Region:
    """A set of voxels on its own grid.

    Attributes
    ----------
    shape
        Number of voxels towards right, anterior and superior.
    to_voxels
        Matrix of 3 rows and 4 columns from mm to voxel indices; voxel centres have whole indices.
    runs
        Start and length of each run of inside voxels, ascending, with the last axis varying fastest.
    """

    shape: Number3
    to_voxels: tuple[tuple[float, ...], ...]
    runs: tuple[tuple[int, int], ...]

    def holds(self, point: Sequence[float]) -> bool:
        """Return whether a point (x, y, z in mm) lies in one of the voxels."""
        place = 0
        for row, length in zip(self.to_voxels, self.shape, strict=True):
            index = round(sum(factor * mm for factor, mm in zip(row[:3], point, strict=True)) + row[3])
            if not 0 <= index < length:
                return False
            place = place * length + index
        run = bisect_right(self.runs, place, key=lambda start_and_length: start_and_length[0]) - 1
        return run >= 0 and place < self.runs[run][0] + self.runs[run][1]

    def as_stored(self) -> dict[str, Any]:
        """Return the region in a form that JSON can hold."""
        return {
            "shape": list(self.shape),
            "to_voxels": [list(row) for row in self.to_voxels],
            "runs": [list(run) for run in self.runs],
        }

    @staticmethod
    def of_stored(content: Mapping[str, Any]) -> Region:
        """Return the region from its stored form."""
        x, y, z = content["shape"]
        return Region(
            shape=(x, y, z),
            to_voxels=tuple(tuple(float(number) for number in row) for row in content["to_voxels"]),
            runs=tuple((int(first), int(length)) for first, length in content["runs"]),
        )
