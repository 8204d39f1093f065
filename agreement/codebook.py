"""Which verdicts there are: categories in their order, and what counts as missing."""

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

MISSING = -1
"""The code of a missing verdict."""


class Codebook(dict[Any, int]):
    """Codes of verdicts in the order of their first appearance, given out while they are looked up, in one pass."""

    def __init__(self, categories: Sequence[Hashable] | None) -> None:
        super().__init__()
        self.declared = declared(categories) if categories is not None else None
        for level in self.declared or ():
            self[level] = len(self)
        self.count = len(self)
        self.argument = ""
        # the usual missing values are found without a call each; other NaNs are told by `is_missing`
        self.update(dict.fromkeys((None, math.nan, np.nan), MISSING))

    def __missing__(self, value: Any) -> int:
        if is_missing(value):
            return MISSING
        if self.declared is not None:
            raise ValueError(f"{self.argument} holds {value!r}; expected one of the categories {self.declared!r}")
        self[value] = self.count
        self.count += 1
        return self.count - 1

    def codes(self, plain: list[Any], argument: str) -> npt.NDArray[np.intp]:
        """Code of each verdict, -1 where missing; `argument` is the name to use in errors."""
        self.argument = argument
        try:
            return np.fromiter(map(self.__getitem__, plain), dtype=np.intp, count=len(plain))
        except TypeError as error:
            raise ValueError(
                f"{argument} holds a value that cannot be compared ({error}); expected text or numbers"
            ) from None

    def ordered(self) -> tuple[tuple[Any, ...], npt.NDArray[np.intp]]:
        """The categories in order, and the position of each code among them; that of a missing one comes last."""
        levels = self.declared if self.declared is not None else in_order(set(self))
        position = np.full(self.count + 1, MISSING, dtype=np.intp)
        for place, level in enumerate(levels):
            position[self[level]] = place
        return levels, position


def is_missing(value: Any) -> bool:
    """Whether a verdict is missing: None, NaN, NaT or pandas' NA.

    Parameters
    ----------
    value : object
        One verdict.

    Returns
    -------
    bool

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), "", 0, False)]
    [True, True, False, False, False]
    """
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas' NA refuses to be a truth value
        return True


def declared(categories: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Declared categories as a tuple, checked.

    Parameters
    ----------
    categories : sequence
        In order.

    Returns
    -------
    tuple

    Raises
    ------
    ValueError
        When one occurs twice or there are fewer than two.
    """
    if isinstance(categories, str):
        raise ValueError(f"categories is {categories!r}; expected a sequence of categories")
    levels = tuple(categories)
    if len(set(levels)) != len(levels):
        raise ValueError(f"categories is {levels!r}; expected each category once")
    if len(levels) < 2:
        raise ValueError(f"categories is {levels!r}; expected two or more")
    return levels


def in_order(observed: set[Any]) -> tuple[Any, ...]:
    """Observed categories without the missing ones, sorted; by their text where they cannot be compared.

    Parameters
    ----------
    observed : set
        Distinct verdicts.

    Returns
    -------
    tuple

    Examples
    --------
    >>> in_order({"b", None, "a"})
    ('a', 'b')
    """
    present = [value for value in observed if not is_missing(value)]
    try:
        return tuple(sorted(present))
    except TypeError:
        return tuple(sorted(present, key=lambda value: (type(value).__name__, repr(value))))
