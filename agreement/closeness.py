"""Whether a rater or the judge is closer to the other raters, item by item."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from agreement.arguments import one_of, shown
from agreement.codebook import MISSING, is_missing
from agreement.coding import Floats, Ratings, as_values, encode, numbers_or_nan
from agreement.magnitude import magnitude
from agreement.ratings import RatingTable, numbers_of, refuse_unlike_columns, rows_of

Level = Literal["nominal", "ordinal", "interval"]
Scoring = Literal["exact", "rmse"] | Callable[[Any, list[Any]], float]
"""Exact match, minus the root mean squared error, or a function of a verdict and the other raters' verdicts, higher
when closer."""


@dataclass(frozen=True)
class Closeness:
    """Comparison of the judge and each rater with the other raters.

    Attributes
    ----------
    judge_ahead, rater_ahead : ndarray of bool, shape (items, raters)
        Whether the judge (the rater) is at least as close to the others; both in a tie.
    counted : ndarray of bool, shape (items, raters)
        Whether the rater, the judge and at least one other rated the item.
    """

    judge_ahead: npt.NDArray[np.bool_]
    rater_ahead: npt.NDArray[np.bool_]
    counted: npt.NDArray[np.bool_]

    def part(self, of_items: npt.NDArray[np.bool_]) -> Closeness:
        """The comparison restricted to some of the items.

        Parameters
        ----------
        of_items : ndarray of bool, shape (items,)
            Which.

        Returns
        -------
        Closeness
        """
        return Closeness(self.judge_ahead[of_items], self.rater_ahead[of_items], self.counted[of_items])


def scoring_of(level: Level, scoring: Scoring | None) -> Scoring:
    """Resolve the scoring: by default, exact match for nominal verdicts, else minus the root mean squared error.

    Parameters
    ----------
    level : {"nominal", "ordinal", "interval"}
        Level of measurement.
    scoring : {None, "exact", "rmse"} or callable
        The requested scoring.

    Returns
    -------
    {"exact", "rmse"} or callable

    Raises
    ------
    ValueError
        When either is unknown, or "rmse" is requested for nominal verdicts.

    Examples
    --------
    >>> scoring_of("ordinal", None)
    'rmse'
    """
    one_of(level, "level", ("nominal", "ordinal", "interval"))
    if scoring is None:
        return "exact" if level == "nominal" else "rmse"
    if not callable(scoring) and not (isinstance(scoring, str) and scoring in ("exact", "rmse")):
        raise ValueError(
            f"scoring is {shown(scoring)}; expected 'exact', 'rmse' or a function of a verdict and the others'"
        )
    if scoring == "rmse" and level == "nominal":
        raise ValueError("scoring is 'rmse' and level 'nominal'; expected 'exact', or level 'ordinal' or 'interval'")
    return scoring


def in_words(scoring: Scoring) -> str:
    """The scoring for `Estimate.method`.

    Parameters
    ----------
    scoring : {"exact", "rmse"} or callable
        As returned by `scoring_of`.

    Returns
    -------
    str

    Examples
    --------
    >>> in_words("rmse")
    'minus root mean squared error'
    """
    if callable(scoring):
        return f"function {getattr(scoring, '__name__', type(scoring).__name__)}"
    return "exact match" if scoring == "exact" else "minus root mean squared error"


def closeness(
    humans: RatingTable, judge: Ratings, level: Level, scoring: Scoring, categories: Sequence[Hashable] | None
) -> Closeness:
    """Compare the judge and each rater with the other raters.

    Parameters
    ----------
    humans : array_like, shape (items, raters)
        Verdicts of the raters; None or NaN is missing.
    judge : sequence, shape (items,)
        The judge's verdicts.
    level, scoring
        As in `scoring_of`.
    categories : sequence or None
        The declared categories in their order, one step apart.

    Returns
    -------
    Closeness

    Raises
    ------
    ValueError
        When lengths differ, a verdict is undeclared or, for distances, neither declared nor a number, or the function
        does not return a finite number.
    """
    if callable(scoring):
        table, own = _as_objects(humans, judge)
        score: Callable[[Any, Any, Any], Floats] = partial(_by_function, scoring)
    else:
        table, own = _as_numbers(humans, judge, level, categories)
        score = _share_of_equal if scoring == "exact" else _minus_rmse
    present, judged = _present(table), _present(own)
    items, raters = table.shape
    if own.size != items:
        raise ValueError(f"judge has shape ({own.size},); expected ({items},), one for each row of humans")
    judge_ahead, rater_ahead, counted = (np.zeros((items, raters), dtype=bool) for _ in range(3))
    for j in range(raters):
        others, known = np.delete(table, j, axis=1), np.delete(present, j, axis=1)
        used = known.any(axis=1) & present[:, j] & judged
        of_judge, of_rater = (score(verdicts[used], others[used], known[used]) for verdicts in (own, table[:, j]))
        # 0.4 and 0.2 are equally far from 0.3, but their binary fractions are not
        tie = np.isclose(of_judge, of_rater, rtol=1e-12, atol=1e-12)
        judge_ahead[used, j] = (of_judge > of_rater) | tie
        rater_ahead[used, j] = (of_rater > of_judge) | tie
        counted[:, j] = used
    return Closeness(judge_ahead, rater_ahead, counted)


def _as_numbers(
    humans: RatingTable, judge: Ratings, level: Level, categories: Sequence[Hashable] | None
) -> tuple[Floats, Floats]:
    if level != "nominal" and categories is None:
        of_humans, of_judge = numbers_of(humans, "humans", fewest=1), numbers_or_nan(judge, "judge")
        scale = magnitude(of_humans, of_judge)
        return of_humans / scale, of_judge / scale
    rows = rows_of(humans, "humans", fewest=1)
    judge_verdicts = as_values(judge, "judge")
    flat = [value for row in rows for value in row] + judge_verdicts
    try:
        codes, levels = encode(flat, categories, "humans")
    except ValueError:
        encode(judge_verdicts, categories, "judge")  # the error names the judge if its verdicts are the invalid ones
        raise
    size = sum(len(row) for row in rows)
    if categories is None:
        refuse_unlike_columns([*zip(*rows, strict=True), flat[size:]], levels, "humans and judge")
    numbers = np.where(codes == MISSING, np.nan, codes).astype(np.float64)
    return numbers[:size].reshape(len(rows), len(rows[0]) if rows else 0), numbers[size:]


def _as_objects(humans: RatingTable, judge: Ratings) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    rows, plain = rows_of(humans, "humans", fewest=1), as_values(judge, "judge")
    table = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
    for position, row in enumerate(rows):
        for column, verdict in enumerate(row):  # a verdict may itself be a sequence
            table[position, column] = verdict
    own = np.empty(len(plain), dtype=object)
    for position, verdict in enumerate(plain):
        own[position] = verdict
    return table, own


def _present(verdicts: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    if verdicts.dtype != object:
        return np.asarray(~np.isnan(verdicts))
    return np.array([not is_missing(verdict) for verdict in verdicts.ravel()], dtype=bool).reshape(verdicts.shape)


def _share_of_equal(own: Floats, others: Floats, known: npt.NDArray[np.bool_]) -> Floats:
    return np.asarray(((others == own[:, None]) & known).sum(axis=1) / known.sum(axis=1))


def _minus_rmse(own: Floats, others: Floats, known: npt.NDArray[np.bool_]) -> Floats:
    gap = np.where(known, own[:, None] - others, 0.0)
    return np.asarray(-np.sqrt((gap**2).sum(axis=1) / known.sum(axis=1)))


def _by_function(
    scoring: Callable[[Any, list[Any]], float],
    own: npt.NDArray[Any],
    others: npt.NDArray[Any],
    known: npt.NDArray[np.bool_],
) -> Floats:
    scores = np.empty(own.size)
    for item in range(own.size):
        score = scoring(own[item], others[item][known[item]].tolist())
        if not isinstance(score, int | float | np.number) or not math.isfinite(score):
            raise ValueError(f"scoring gives {score!r} for {own[item]!r}; expected a finite number")
        scores[item] = score
    return scores
