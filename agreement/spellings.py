"""Normalise the spelling of names and verdicts in a table: drop invisible differences, write numbers alike."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import numpy as np
import pandas as pd

from agreement.separated import with_point


def as_seen(text: str) -> str:
    """A name without invisible differences: surrounding blanks, and accents as separate characters.

    Parameters
    ----------
    text : str
        As written in a file or on the command line.

    Returns
    -------
    str
        In Unicode's composed form.

    Examples
    --------
    >>> len(as_seen(f" e{chr(0x301)} "))
    1
    """
    return text.strip() if text.isascii() else unicodedata.normalize("NFC", text).strip()


def stripped(names: pd.Series) -> pd.Series:
    """Names normalised by `as_seen`; missing if only blanks are left."""
    codes, distinct = pd.factorize(names)
    levels = listed_levels(distinct)
    plain = [as_seen(level) if isinstance(level, str) else level for level in levels]
    if plain == levels and "" not in plain:
        return names
    named = np.array([*(None if name == "" else name for name in plain), None], dtype=object)
    return pd.Series(named[codes], index=names.index)


def listed_levels(levels: Any) -> list[Any]:
    """The distinct values that `pandas.factorize` gives as a list: Arrow's make each value anew when looped over.

    Parameters
    ----------
    levels : array or Index

    Returns
    -------
    list
    """
    return list(np.asarray(levels, dtype=object))


def written_alike(verdicts: pd.Series) -> pd.Series:
    """Verdicts as text with uniform spelling: a table with gaps writes the whole number 1 as 1.0."""
    if not isinstance(verdicts.dtype, pd.CategoricalDtype):
        codes, levels = pd.factorize(verdicts)
    else:
        codes, levels = verdicts.cat.codes.to_numpy(), verdicts.cat.categories
    written = [re.sub(r"^(-?\d+)\.0+$", r"\1", as_seen(str(level))) or None for level in levels]
    # as objects, since there are few distinct ones: pandas would create a new string for each row
    return pd.Series(np.array([*written, None], dtype=object)[codes], index=verdicts.index, dtype=object)


def with_decimal_points(verdicts: pd.Series) -> pd.Series:
    """Replace decimal commas, which occur only in semicolon-separated files, as written by a spreadsheet."""
    codes, levels = pd.factorize(verdicts)
    written = [with_point(str(level)) for level in levels]
    # as objects, since there are few distinct ones: pandas would create a new string for each row
    return pd.Series(np.array([*written, None], dtype=object)[codes], index=verdicts.index, dtype=object)
