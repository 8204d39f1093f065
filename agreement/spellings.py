"""How names and verdicts of a table are spelt: without what nobody sees, and a number always alike."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pandas as pd

from agreement.separated import with_point


def as_seen(text: str) -> str:
    """A name without what nobody sees: the blanks around it, and whether a letter and its accent are one sign or two.

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
    """Names as they are seen; nothing where there are blanks alone."""
    codes, levels = pd.factorize(names)
    plain = [as_seen(level) if isinstance(level, str) else level for level in levels]
    if plain == list(levels) and "" not in plain:
        return names
    named = np.array([*(None if name == "" else name for name in plain), None], dtype=object)
    return pd.Series(named[codes], index=names.index)


def written_alike(verdicts: pd.Series) -> pd.Series:
    """Verdicts as text, written alike: a table with gaps writes the whole number 1 as 1.0."""
    if not isinstance(verdicts.dtype, pd.CategoricalDtype):
        codes, levels = pd.factorize(verdicts)
    else:
        codes, levels = verdicts.cat.codes.to_numpy(), verdicts.cat.categories
    written = [re.sub(r"^(-?\d+)\.0+$", r"\1", as_seen(str(level))) or None for level in levels]
    # as objects, of which there are few: pandas would make a text of each again
    return pd.Series(np.array([*written, None], dtype=object)[codes], index=verdicts.index, dtype=object)


def with_decimal_points(verdicts: pd.Series) -> pd.Series:
    """Numbers with a decimal comma, which only a file with semicolons can hold, as a spreadsheet writes them."""
    codes, levels = pd.factorize(verdicts)
    written = [with_point(str(level)) for level in levels]
    # as objects, of which there are few: pandas would make a text of each again
    return pd.Series(np.array([*written, None], dtype=object)[codes], index=verdicts.index, dtype=object)
