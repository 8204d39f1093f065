"""What the method of an estimate says of the items that two raters have no verdicts to compare on."""

from __future__ import annotations

import numpy as np

from agreement.coding import Pairs, Ratings


def left_out(pairs: Pairs, excluded: Ratings | None = None) -> str:
    """How many items were left out, and why, for the method of an estimate.

    Parameters
    ----------
    pairs : Pairs
        Verdicts of two raters.
    excluded : sequence of bool, shape (items,), optional
        Items that both gave a verdict on, which of one or both is none of those compared, such as "cannot be scored".

    Returns
    -------
    str
        Empty when none was.

    Raises
    ------
    ValueError
        When `excluded` is not one True or False for each item, or an item of it has both verdicts.

    Examples
    --------
    >>> from agreement.coding import encode_pairs
    >>> left_out(encode_pairs([1, None, None], [1, 2, 2]), [False, True, False])
    '; 1 that one or both excluded left out, counted apart; 1 without both verdicts left out'
    """
    apart = np.zeros(pairs.rated.size, dtype=np.bool_) if excluded is None else np.asarray(excluded)
    if apart.shape != pairs.rated.shape or (apart.size and apart.dtype != np.bool_):
        raise ValueError(f"excluded has shape {apart.shape}; expected {pairs.rated.shape} of True and False")
    apart = apart.astype(np.bool_)
    if (apart & pairs.rated).any():
        first = int(np.flatnonzero(apart & pairs.rated)[0])
        raise ValueError(f"position {first} is excluded and has both verdicts; expected one of them to be missing")
    n_apart = int(apart.sum())
    n_missing = pairs.n_missing - n_apart
    said = f"; {n_apart} that one or both excluded left out, counted apart" if n_apart else ""
    return said + (f"; {n_missing} without both verdicts left out" if n_missing else "")
