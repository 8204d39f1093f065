"""Sets of options: each option alone, the exact set, and the overlap of two sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.arguments import listed, read_once, shown
from agreement.codebook import in_order, is_missing, refuse_unlike
from agreement.coding import Floats, Ratings, as_values, same_length
from agreement.estimate import Estimate
from agreement.interval_kinds import Interval
from agreement.pairwise import item_means, mean_of_items, same_of_items, share_of_items
from agreement.ratings import RatingTable, refuse_unlike_columns, rows_of
from agreement.resampling import Seed
from agreement.result import Result
from agreement.several_raters import conger_kappa

OptionSet = frozenset[Any]


@dataclass(frozen=True)
class OptionAgreement(Result):
    """Agreement of raters on one option, chosen or not.

    Attributes
    ----------
    option : hashable
        The option.
    chosen : float
        Share of the ratings that include it; nan without ratings (see `undefined_because`).
    percent : Estimate
        Mean share of pairs of raters who both chose it or both did not.
    kappa : Estimate
        Conger's kappa (Cohen's, for two raters) of chosen or not.
    undefined_because : str or None
        Why `chosen` has no value.
    """

    option: Hashable
    chosen: float
    percent: Estimate
    kappa: Estimate
    undefined_because: str | None = None


@dataclass(frozen=True)
class SetAgreement(Result):
    """Agreement of raters who choose sets of options.

    Attributes
    ----------
    exact : Estimate
        Mean share of pairs of raters with the same set.
    jaccard : Estimate
        Mean over pairs of raters of common options / options chosen by either.
    options : tuple of OptionAgreement
        Agreement on each option, in their order.
    """

    exact: Estimate
    jaccard: Estimate
    options: tuple[OptionAgreement, ...]


@dataclass(frozen=True)
class SetAccuracy(Result):
    """Accuracy of sets of options against the accepted sets.

    Attributes
    ----------
    exact : Estimate
        Share of the items with exactly the accepted set.
    jaccard : Estimate
        Mean of common options / options in either set.
    share : Estimate
        Mean share of all options on which answer and reference agree: chosen in both, or in neither.
    options : dict
        For each option, the share of items on which answer and reference agree.
    """

    exact: Estimate
    jaccard: Estimate
    share: Estimate
    options: dict[Hashable, Estimate]


def jaccard(a: Any, b: Any) -> float:
    """Jaccard index: common options over options in either set.

    ``|A and B| / |A or B|`` [1]_; 1 for two empty sets.

    Parameters
    ----------
    a, b : set, frozenset, list or tuple
        Options; their order does not matter.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        When one of them is not a collection of options.

    References
    ----------
    .. [1] Jaccard (1912). The distribution of the flora in the alpine zone. New Phytologist 11, 37-50.

    Examples
    --------
    >>> jaccard(["edema", "haemorrhage"], ["edema", "mass", "haemorrhage"]) == 2 / 3
    True
    """
    first, second = set_of(a, "a"), set_of(b, "b")
    either = first | second
    return len(first & second) / len(either) if either else 1.0


def set_agreement(
    ratings: RatingTable,
    options: Sequence[Hashable] | None = None,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> SetAgreement:
    """Agreement of raters who each choose a set of options.

    Exact set and Jaccard's index [1]_ are means over items of the mean over pairs of raters (`mean_over_pairs`), not
    corrected for chance. For each option, chosen or not is a yes/no rating, with its percent agreement and Conger's
    kappa [2]_, which is undefined for an option that nobody ever chose, or everybody always.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Sets, lists or tuples of options; None or NaN is missing, an empty set is an answer.
    options : sequence, optional
        The options to report, in their order; by default those that were chosen.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    interval : {"percentile", "bca"}, optional
        Uses this bootstrap for all estimates. By default Wilson's interval for the same set and for percent agreement
        if no item has answers of more than two raters, which are shares of items, that of `conger_kappa` for kappas,
        and percentiles otherwise.
    resamples, seed
        For the bootstrap, see `bootstrap`.
    confidence : float
        Nominal coverage.
    unit : str
        What one row is.

    Returns
    -------
    SetAgreement

    Raises
    ------
    ValueError
        When the table is not (items, raters), or an answer is not a set or holds an undeclared option.

    References
    ----------
    .. [1] Jaccard (1912). The distribution of the flora in the alpine zone. New Phytologist 11, 37-50.
    .. [2] Conger (1980). Integration and generalization of kappas for multiple raters. Psychological Bulletin 88,
       322-328.

    Examples
    --------
    >>> same = set_agreement([[{"a"}, {"a", "b"}], [{"b"}, {"b"}]], resamples=100)
    >>> same.exact.value, same.jaccard.value, [(x.option, x.percent.value) for x in same.options]
    (0.5, 0.75, [('a', 1.0), ('b', 0.5)])
    """
    clusters = read_once(clusters)
    rows = [[None if is_missing(cell) else set_of(cell, "ratings") for cell in row] for row in rows_of(ratings)]
    chosen = [cell for row in rows for cell in row if cell is not None]
    every = _options(options, chosen, "ratings")
    if options is None:
        columns = [[option for cell in column for option in cell or ()] for column in zip(*rows, strict=True)]
        refuse_unlike_columns(columns, every)
    settings: dict[str, Any] = {
        "clusters": clusters, "unit": unit, "note": "without two raters", "resamples": resamples, "seed": seed,
        "interval": interval, "confidence": confidence,
    }  # fmt: skip

    def of_option(option: Hashable) -> OptionAgreement:
        held = [[None if cell is None else option in cell for cell in row] for row in rows]
        return OptionAgreement(
            option=option,
            chosen=sum(option in cell for cell in chosen) / len(chosen) if chosen else math.nan,
            percent=same_of_items(held, _same, name=f"percent agreement on {option}", **settings),
            kappa=conger_kappa(
                held, categories=(False, True), clusters=clusters, interval=interval,
                resamples=resamples, seed=seed, confidence=confidence, unit=unit,
            ),
            undefined_because=None if chosen else "no ratings",
        )  # fmt: skip

    return SetAgreement(
        exact=same_of_items(rows, _same, name="same set of options", **settings),
        jaccard=mean_of_items(item_means(rows, jaccard), name="Jaccard's index", **settings),
        options=tuple(of_option(option) for option in every),
    )


def set_accuracy(
    answers: Ratings,
    reference: Ratings,
    options: Sequence[Hashable] | None = None,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> SetAccuracy:
    """Sets of options against the accepted set: exactly right, overlap, and option by option.

    Items without an answer or a reference are left out and counted in `method`. Undefined for no items.

    Parameters
    ----------
    answers, reference : sequence, shape (items,)
        Sets, lists or tuples of options; None or NaN is missing.
    options : sequence, optional
        All options, in their order; by default those that occur. The share of options on which both agree is a share of
        all of these.
    clusters, resamples, seed, interval, confidence, unit
        As in `set_agreement`; without clusters, shares have Wilson's interval by default.

    Returns
    -------
    SetAccuracy

    Raises
    ------
    ValueError
        When lengths differ, or an entry is not a set or holds an undeclared option.

    References
    ----------
    .. [1] Jaccard (1912). The distribution of the flora in the alpine zone. New Phytologist 11, 37-50.

    Examples
    --------
    >>> right = set_accuracy([{"a"}, {"a", "b"}], [{"a"}, {"b", "c"}], resamples=100)
    >>> right.exact.value, round(right.jaccard.value, 4), round(right.share.value, 4), right.options["b"].value
    (0.5, 0.6667, 0.6667, 1.0)
    """
    given, accepted = as_values(answers, "answers"), as_values(reference, "reference")
    same_length(given, accepted, "answers", "reference")
    pairs: list[tuple[OptionSet, OptionSet] | None] = [
        None if is_missing(x) or is_missing(y) else (set_of(x, "answers"), set_of(y, "reference"))
        for x, y in zip(given, accepted, strict=True)
    ]
    both = [pair for pair in pairs if pair is not None]
    every = _options(options, [cell for pair in both for cell in pair], "answers and reference")
    if options is None:
        refuse_unlike(
            answers=(option for answer, _ in both for option in answer),
            reference=(option for _, accepted in both for option in accepted),
        )
    clusters = read_once(clusters)
    settings: dict[str, Any] = {
        "unit": unit, "note": "without an answer or a reference", "resamples": resamples, "seed": seed,
        "interval": interval, "confidence": confidence,
    }  # fmt: skip

    def values(measure: Callable[[OptionSet, OptionSet], float]) -> Floats:
        return np.array([math.nan if pair is None else measure(*pair) for pair in pairs], dtype=np.float64)

    def on_option(option: Hashable) -> Floats:
        return values(lambda x, y: float((option in x) == (option in y)))

    def common(x: OptionSet, y: OptionSet) -> float:
        return 1.0 - len(x ^ y) / len(every) if every else 1.0

    return SetAccuracy(
        exact=share_of_items(values(_same), clusters, name="exact set", **settings),
        jaccard=mean_of_items(values(jaccard), clusters, name="Jaccard's index", **settings),
        share=mean_of_items(values(common), clusters, name="share of options right", **settings),
        options={
            option: share_of_items(on_option(option), clusters, name=f"right on {option}", **settings)
            for option in every
        },
    )


def set_of(options: Any, argument: str) -> OptionSet:
    """Any collection of options as a set.

    Parameters
    ----------
    options : set, frozenset, list, tuple or ndarray
        Options.
    argument : str
        Name to use in the error.

    Returns
    -------
    frozenset

    Raises
    ------
    ValueError
        When it is not a collection, or an option cannot be compared.
    """
    if isinstance(options, np.ndarray):
        options = options.tolist()
    if not isinstance(options, set | frozenset | list | tuple):
        raise ValueError(f"{argument} holds {shown(options)}; expected a set or list of options, or None")
    try:
        return frozenset(options)
    except TypeError:
        raise ValueError(f"{argument} holds {shown(options)}; expected options that are texts or numbers") from None


def _same(x: Any, y: Any) -> float:
    return float(x == y)


def _options(options: Sequence[Hashable] | None, sets: Sequence[OptionSet], argument: str) -> tuple[Hashable, ...]:
    observed = frozenset[Any]().union(*sets)
    if options is None:
        return in_order(observed)
    known = listed(options, "options", "a list of options")
    if not all(isinstance(option, Hashable) for option in known):
        raise ValueError(f"options is {shown(options)}; expected texts or numbers")
    unknown = in_order(observed - frozenset(known))
    if unknown:
        raise ValueError(f"{argument} holds {shown(unknown[0])}; expected one of the options {shown(known)}")
    return known
