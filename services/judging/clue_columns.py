"""What a study's candidates or items say about themselves, as columns of hashes: the texts would fill the memory."""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Hashes = frozenset[int]


def compared(text: str) -> str:
    """Return a text normalised for comparison: differences in spaces and in Unicode composition do not count."""
    return " ".join((text if text.isascii() else unicodedata.normalize("NFC", text)).split())


def hashes_of(texts: Iterable[str]) -> Hashes:
    """Return the hashes by which texts are compared.

    Two texts count as the same if their 64-bit hashes agree; no file can foresee these, as each process draws its own
    hash key. A text of a file is mistaken for one of two million others about once in 10 million million.
    """
    return frozenset(hash(compared(text)) for text in texts)


def as_array(kind: str, numbers: npt.NDArray[Any]) -> array[int]:
    """Return numbers as an array, which is faster to read one by one; they are copied once."""
    copied = array(kind)
    copied.frombytes(numbers.view(np.uint8).data)
    return copied


class KeyTexts:
    """Texts by number, from 0: each takes some ten bytes more than its letters."""

    def __init__(self) -> None:
        self._letters, self._ends = bytearray(), array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, number: int) -> str:
        return self._letters[self._ends[number] : self._ends[number + 1]].decode()

    def add(self, text: str) -> None:
        """Add a text; its number is the count of texts before it."""
        self._letters += text.encode()
        self._ends.append(len(self._letters))


class ClueColumn:
    """What rows say under one name: nothing, one thing or several.

    A row takes 8 bytes if every row says exactly one thing, otherwise 12, and 12 more once rows are looked up by value.

    Parameters
    ----------
    may_be_silent
        Whether a row that says nothing fits any value.
    """

    def __init__(self, *, may_be_silent: bool = False) -> None:
        self._hashes = array("q")
        # Where each row's values begin; None as long as every row says exactly one thing.
        self._starts: array[int] | None = None
        self._may_be_silent = may_be_silent

    def add(self, row: int, hashes: Iterable[int]) -> None:
        """Add what a row says; rows come in ascending order, and a row that is skipped says nothing."""
        said = tuple(hashes)
        self._begin(row, says_one=len(said) == 1)
        self._hashes.extend(said)

    def end(self, rows: int) -> None:
        """Set how many rows there are; none can be added afterwards."""
        self._begin(rows, says_one=True)

    def said(self, row: int) -> array[int]:
        """Return the hashes of what a row says."""
        starts = self._starts
        return self._hashes[row : row + 1] if starts is None else self._hashes[starts[row] : starts[row + 1]]

    def fitting(self, rows: Iterable[int], asked: Hashes) -> list[int]:
        """Return those among some rows that say any of the values asked for."""
        hashes, starts, silent_fits = self._hashes, self._starts, self._may_be_silent
        if starts is None:
            return [row for row in rows if hashes[row] in asked]
        return [
            row
            for row in rows
            if not asked.isdisjoint(hashes[starts[row] : starts[row + 1]])
            or (silent_fits and starts[row] == starts[row + 1])
        ]

    def count(self, asked: Hashes) -> int:
        """Return how many rows fit; a row that says several of the values asked for is counted once for each."""
        return sum(last - first for first, last in self._ranges(asked)) + len(self._silent)

    def rows(self, asked: Hashes) -> list[int]:
        """Return the rows that fit, ascending."""
        _, by_hash = self._by_hash
        fitting = {row for first, last in self._ranges(asked) for row in by_hash[first:last]}
        return sorted(fitting.union(self._silent))

    def says_anything(self, rows: npt.NDArray[np.int32]) -> bool:
        """Return whether any of some rows says anything."""
        return bool(self._said[rows].any())

    def _begin(self, row: int, *, says_one: bool) -> None:
        if self._starts is None:
            if says_one and row == len(self._hashes):
                return
            self._starts = array("i", range(len(self._hashes)))
        while len(self._starts) <= row:
            self._starts.append(len(self._hashes))

    def _ranges(self, asked: Hashes) -> list[tuple[int, int]]:
        hashes, _ = self._by_hash
        firsts = ((bisect_left(hashes, wanted), wanted) for wanted in asked)
        return [(first, bisect_right(hashes, wanted, first)) for first, wanted in firsts]

    @cached_property
    def _by_hash(self) -> tuple[array[int], array[int]]:
        """The hashes in ascending order, and the row of each."""
        hashes = np.array(self._hashes, dtype=np.int64)
        order = np.argsort(hashes, kind="stable")
        rows = np.repeat(np.arange(self._said.size, dtype=np.int32), self._said)[order]
        return as_array("q", hashes[order]), as_array("i", rows)

    @cached_property
    def _silent(self) -> list[int]:
        if not self._may_be_silent:
            return []
        silent: list[int] = np.flatnonzero(self._said == 0).tolist()
        return silent

    @property
    def _said(self) -> npt.NDArray[np.int32]:
        """The number of values per row, shape (n_rows,)."""
        if self._starts is None:
            return np.ones(len(self._hashes), dtype=np.int32)
        starts = np.array(self._starts, dtype=np.int32)
        return starts[1:] - starts[:-1]
