"""The two coefficients of a dependent difference, each as a function of sums over the same items."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from agreement.arguments import one_of, shown
from agreement.caution import Caution
from agreement.cautions import few_raters, rare_category
from agreement.cautions_of_shape import nearly_constant
from agreement.chance_corrected import Coefficient
from agreement.codebook import declared, is_missing, refuse_unlike
from agreement.coding import Codes, Floats, Ratings, as_values, encode, numbers_or_nan
from agreement.coefficients import (
    brennan_prediger_coefficient,
    conger_coefficient,
    fleiss_coefficient,
    gwet_coefficient,
)
from agreement.functions_of_sums import OfSums, ccc_of, icc_of, mean_of, pearson_of
from agreement.krippendorff import Level, alpha_coefficient
from agreement.own_weights import Matrix, agreement_weights, name_or_matrix
from agreement.p_by_inverting import one_way
from agreement.ranks_of_units import kendall_of, spearman_of
from agreement.ratings import RatingTable, numbers_of, refuse_unlike_columns, rows_of

Statistic = Literal[
    "accuracy", "f1", "kappa", "fleiss", "ac", "brennan_prediger", "alpha", "icc", "ccc",
    "pearson", "spearman", "kendall",
]  # fmt: skip
STATISTICS: tuple[str, ...] = get_args(Statistic)

_OF_CATEGORIES = {
    "kappa": conger_coefficient,
    "fleiss": fleiss_coefficient,
    "ac": gwet_coefficient,
    "brennan_prediger": brennan_prediger_coefficient,
}
_AGAINST_REFERENCE = ("accuracy", "f1", "ccc", "pearson", "spearman", "kendall")
NAMES = {
    "accuracy": "accuracy", "f1": "F1", "kappa": "kappa", "fleiss": "Fleiss' kappa", "ac": "Gwet's AC",
    "brennan_prediger": "Brennan-Prediger", "alpha": "Krippendorff's alpha", "icc": "ICC", "ccc": "Lin's concordance",
    "pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b",
}  # fmt: skip


@dataclass(frozen=True)
class Options:
    """The options of a coefficient besides the ratings; see `coefficient_difference`."""

    statistic: Statistic
    weights: Matrix | None
    categories: Sequence[Hashable] | None
    level: Level
    model: Literal[1, 2, 3]
    positive: Hashable | None

    @property
    def by_degrees(self) -> bool:
        """Whether verdicts can differ by degrees, rather than just be equal or not."""
        of_numbers = self.statistic in ("icc", "ccc", "pearson", "spearman", "kendall")
        return of_numbers or self.weights is not None or self.level != "nominal"


@dataclass(frozen=True)
class Tables:
    """The two sides, each as a table of the same items.

    Attributes
    ----------
    first, second : list of list, shape (items, raters)
        Ratings; with a reference, the verdict and the reference.
    used : ndarray of bool, shape (items,)
        Which items have the ratings that both coefficients need.
    """

    first: list[list[Any]]
    second: list[list[Any]]
    used: npt.NDArray[np.bool_]


def tables_of(
    first: Ratings | RatingTable, second: Ratings | RatingTable, reference: Ratings | None, options: Options
) -> Tables:
    """The two sides as tables, with the items usable for both.

    Parameters
    ----------
    first, second : sequence, shape (items,), or table, shape (items, raters)
        With and without a reference.
    reference : sequence, shape (items,), or None
        What both are compared with.
    options : Options
        Which coefficient.

    Returns
    -------
    Tables

    Raises
    ------
    ValueError
        When the two differ in length, or the statistic or an option is unknown or lacks a reference.
    """
    _check(options, reference is not None)
    if reference is None:
        one_side, other_side = rows_of(first, "first"), rows_of(second, "second")
    else:
        against = as_values(reference, "reference")
        sides = [as_values(first, "first"), as_values(second, "second")]
        if len(against) != len(sides[0]):
            raise ValueError(
                f"first has shape ({len(sides[0])},) and reference has shape ({len(against)},); "
                "expected the same items in the same order"
            )
        one_side = [list(pair) for pair in zip(sides[0], against, strict=True)]
        other_side = [list(pair) for pair in zip(sides[1], against, strict=False)]
        other_side += [[value, None] for value in sides[1][len(against) :]]
    if len(one_side) != len(other_side):
        raise ValueError(
            f"first has {len(one_side)} items and second has {len(other_side)}; "
            "expected the same items in the same order"
        )
    complete = options.statistic in ("icc", *_AGAINST_REFERENCE)
    usable = [
        np.array([_given(row) >= (len(row) if complete else 2) for row in side], dtype=bool)
        for side in (one_side, other_side)
    ]
    used = usable[0] & usable[1]
    keep = np.flatnonzero(used)
    return Tables([one_side[i] for i in keep], [other_side[i] for i in keep], used)


def coefficients_of(tables: Tables, units: Codes, options: Options) -> tuple[OfSums, OfSums, Caution | None]:
    """Both coefficients as functions of sums, and a warning about them.

    Parameters
    ----------
    tables : Tables
        At least one item.
    units : ndarray of int, shape (used items,)
        What is resampled.
    options : Options
        Which coefficient.

    Returns
    -------
    first, second : OfSums
    warning : str or None
    """
    sides = (tables.first, tables.second)
    if options.statistic in ("icc", "ccc", "pearson", "spearman", "kendall"):
        numbers = [numbers_of(side, name) for side, name in zip(sides, ("first", "second"), strict=True)]
        warning = None
        if options.statistic == "icc" and options.model != 3:
            warning = few_raters(min(table.shape[1] for table in numbers))
        first, second = (_of_numbers(table, units, options) for table in numbers)
        return first, second, warning
    if options.statistic == "alpha":
        levels = _levels(sides, options.categories)
        alphas = [_alpha(side, levels, options) for side in sides]
        first, second = (OfSums(alpha.rows, alpha.of_sums) for alpha in alphas)
        return first, second, rare_category(min(alpha.rarest for alpha in alphas))
    levels = _levels(sides, options.categories)
    codes = [_codes(side, levels) for side in sides]
    if options.statistic == "accuracy":
        right = [(table[:, 0] == table[:, 1]).astype(np.float64) for table in codes]
        first, second = (mean_of(side) for side in right)
        gaps = right[0] - right[1]
        # of clusters `unseen_of_difference` says more
        alone = one_way(gaps) if np.unique(units).size == units.size else None
        return first, second, nearly_constant(gaps, units) or alone
    if options.statistic == "f1":
        positive = _position(options.positive, levels)
        first, second = (_f1(table, len(levels), positive) for table in codes)
        support = np.bincount(codes[0][:, 1], minlength=len(levels))
        rarest = support[support > 0].min() if positive is None else support[positive]
        return first, second, rare_category(float(rarest))
    q = max(2, len(levels))
    name, matrix = name_or_matrix(options.weights, options.categories)
    w = agreement_weights(name, q) if matrix is None else matrix
    builds = [_OF_CATEGORIES[options.statistic](table, _counts(table, q), w) for table in codes]
    first, second = (OfSums(build.rows, build.of_sums) for build in builds)
    warning = rare_category(min(build.rarest for build in builds)) if options.weights is None else None
    return first, second, warning


def differing(tables: Tables) -> int:
    """Number of items on which the two sides differ.

    Parameters
    ----------
    tables : Tables
        The two sides.

    Returns
    -------
    int
        All items if the sides have different numbers of raters.

    Examples
    --------
    >>> options = Options("kappa", None, None, "nominal", 2, None)
    >>> differing(tables_of(["yes", "no", None], ["yes", "yes", "no"], ["no", "no", "no"], options))
    1
    """

    def given(row: list[Any]) -> list[Any]:
        return [None if is_missing(value) else value for value in row]

    return sum(given(first) != given(second) for first, second in zip(tables.first, tables.second, strict=True))


def _check(options: Options, has_reference: bool) -> None:
    statistic = options.statistic
    if not isinstance(statistic, str) or statistic not in STATISTICS:
        raise ValueError(f"statistic is {shown(statistic)}; expected one of {', '.join(STATISTICS)}")
    if statistic in _AGAINST_REFERENCE and not has_reference:
        raise ValueError(f"statistic is {statistic!r} without a reference; expected reference=")
    if options.weights is not None:
        if statistic not in _OF_CATEGORIES:
            raise ValueError(f"weights is given with {statistic!r}; expected one of {', '.join(_OF_CATEGORIES)}")
        if options.categories is None:
            raise ValueError("weights is given without categories; expected categories= in their order")
        name_or_matrix(options.weights, options.categories)
    one_of(options.level, "level", get_args(Level))
    if options.level != "nominal" and statistic != "alpha":
        raise ValueError(f"level is {options.level!r} with {statistic!r}; expected it with 'alpha' only")
    one_of(options.model, "model", (1, 2, 3))
    if options.positive is not None and statistic != "f1":
        raise ValueError(f"positive is given with {statistic!r}; expected it with 'f1' only")


def _given(row: list[Any]) -> int:
    return sum(not is_missing(value) for value in row)


def _levels(sides: tuple[list[list[Any]], ...], categories: Sequence[Hashable] | None) -> tuple[Any, ...]:
    """The categories of both sides together: a coefficient that depends on their number must use the same for both."""
    if categories is not None:
        return declared(categories)
    levels = encode([value for side in sides for row in side for value in row], None, "first or second")[1]
    for side, name in zip(sides, ("first", "second"), strict=True):
        refuse_unlike_columns(list(zip(*side, strict=True)), levels, f"{name} (and its reference)")
    first, second = ((value for row in side for value in row) for side in sides)
    refuse_unlike(first=first, second=second)
    return levels


def _codes(side: list[list[Any]], levels: tuple[Any, ...]) -> Codes:
    flat, _ = encode([value for row in side for value in row], _declarable(levels), "first or second")
    return flat.reshape(len(side), -1)


def _declarable(levels: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """None if only one category occurs, since fewer than two cannot be declared."""
    return levels if len(levels) > 1 else None


def _counts(codes: Codes, q: int) -> Floats:
    return np.stack([(codes == code).sum(axis=1) for code in range(q)], axis=1).astype(np.float64)


def _of_numbers(table: Floats, units: Codes, options: Options) -> OfSums:
    if options.statistic == "icc":
        return icc_of(table, options.model, False)
    x, y = table.T
    if options.statistic in ("spearman", "kendall"):
        return (spearman_of if options.statistic == "spearman" else kendall_of)(x, y, units)
    return (ccc_of if options.statistic == "ccc" else pearson_of)(x, y)


def _alpha(side: list[list[Any]], levels: tuple[Any, ...], options: Options) -> Coefficient:
    if options.level in ("interval", "ratio") and options.categories is None:
        numbers_or_nan([value for row in side for value in row], "first or second")
        coefficient, _ = alpha_coefficient(side, options.level, anew=True)
    else:
        ordered = options.categories if options.level != "nominal" else _declarable(levels)
        coefficient, _ = alpha_coefficient(side, options.level, ordered, anew=True)
    assert coefficient is not None  # every used item has two ratings
    return coefficient


def _f1(codes: Codes, k: int, positive: int | None) -> OfSums:
    """F1 of one class, or the mean over the classes that occur in the reference, the second column."""
    given, truth = (np.eye(k)[codes[:, column]] for column in (0, 1))
    rows = np.column_stack([given * truth, given, truth])

    def value(totals: Floats) -> Floats:
        hits, predicted, support = totals[..., :k], totals[..., k : 2 * k], totals[..., 2 * k :]
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(predicted + support > 0, 2.0 * hits / (predicted + support), np.nan)
            if positive is not None:
                return np.asarray(each[..., positive])
            return np.asarray(np.where(support > 0, each, 0.0).sum(axis=-1) / (support > 0).sum(axis=-1))

    return OfSums(rows, value)


def _position(positive: Hashable | None, levels: tuple[Any, ...]) -> int | None:
    if positive is None:
        return None
    if positive not in levels:
        raise ValueError(f"positive is {shown(positive)}; expected one of the categories {shown(levels)}")
    return levels.index(positive)
