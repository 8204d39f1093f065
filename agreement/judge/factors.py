"""What divides candidates: the level of each, such as its model, and which candidates have a level."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.coding import Codes

Chosen = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Factor:
    """The level of each candidate, such as its model; -1 if it has none."""

    codes: Codes
    names: tuple[str, ...]

    def part(self, among: Any) -> Factor:
        """The levels of some of the candidates, with all names."""
        return Factor(self.codes[among], self.names)

    def values(self) -> npt.NDArray[Any]:
        """Name of each candidate's level; None if it has none."""
        return np.array([*self.names, None], dtype=object)[self.codes]

    def levels(self) -> Iterator[tuple[str, Chosen]]:
        """Each level that occurs, sorted as a number or a name, and which candidates have it."""
        times = np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))
        for code in sorted(np.flatnonzero(times).tolist(), key=lambda code: _place(self.names[code])):
            yield self.names[code], self.codes == code


def _place(name: str) -> tuple[bool, float, str]:
    """Sort key: numbers by size, before all other names."""
    try:
        return False, float(name), name
    except ValueError:
        return True, 0.0, name
