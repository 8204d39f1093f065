"""The alternative annotator test: whether a judge may stand in for a human, given several humans."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.arguments import check_resamples
from agreement.closeness import Level, Scoring, closeness, in_words, scoring_of
from agreement.coding import Floats, Ratings, compact, encode, encode_clusters
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.methods import FIXED, bootstrap_of
from agreement.multiplicity import adjust_p_values
from agreement.rater_tests import EPSILONS, MIN_ITEMS, RaterTests, Test, check_margins, rater_tests
from agreement.ratings import RatingTable
from agreement.resampling import Seed, bootstrap_of_sums, sums_by_cluster
from agreement.result import Result
from agreement.words import Words


@dataclass(frozen=True)
class RaterComparison(Result):
    """The judge against one rater, both compared with the other raters.

    Attributes
    ----------
    column : int
        Which rater.
    n : int
        Items that this rater, the judge and at least one other rater rated.
    judge_advantage, rater_advantage : float or None
        Share of items on which the judge (the rater) is at least as close to the others; a tie counts for both. None if
        there are no items.
    p, p_adjusted : float or None
        One-sided P, unadjusted and after Benjamini-Yekutieli; None if the rater is not tested.
    won : bool
        Whether the judge wins against this rater.
    test : {"t", "Wilcoxon", "none"}
        The test that P comes from.
    """

    column: int
    n: int
    judge_advantage: float | None
    rater_advantage: float | None
    p: float | None
    p_adjusted: float | None
    won: bool
    test: Test


@dataclass(frozen=True)
class AltTest(Result):
    """Result of the alternative annotator test.

    Attributes
    ----------
    winning_rate : Estimate
        Share of the tested raters against whom the judge wins; no interval, since the raters are fixed.
    advantage_probability : Estimate
        Mean over raters of `judge_advantage`, with a bootstrap interval over items or clusters.
    raters : tuple of RaterComparison
        One for each rater.
    passed : bool or None
        Whether the winning rate reaches one half at the given epsilon; None if the test could not be done.
    undefined_because : str or None
        Why it could not be done.
    epsilon : float
        The epsilon at which the test was decided.
    curve : tuple of (float, float)
        Each of `EPSILONS` with the judge's winning rate at it; empty if the test could not be done. A sensitivity
        analysis only: it decides nothing.
    least_epsilon : Estimate
        The smallest of `EPSILONS` at which the judge would pass; undefined if there is none.
    """

    winning_rate: Estimate
    advantage_probability: Estimate
    raters: tuple[RaterComparison, ...]
    passed: bool | None
    undefined_because: str | None
    epsilon: float
    curve: tuple[tuple[float, float], ...]
    least_epsilon: Estimate

    def as_dict(self) -> dict[str, Any]:
        """Everything by name, ready for JSON; the curve point by point."""
        curve = [{"epsilon": epsilon, "winning_rate": rate} for epsilon, rate in self.curve]
        return super().as_dict() | {"curve": curve}


@dataclass(frozen=True)
class _Options:
    """Options common to all domains."""

    epsilon: float
    alpha: float
    scoring: Scoring
    resamples: int
    seed: Seed
    confidence: float
    unit: str


def alt_test(
    humans: RatingTable,
    judge: Ratings,
    epsilon: float = 0.2,
    *,
    level: Level = "nominal",
    scoring: Scoring | None = None,
    categories: Sequence[Hashable] | None = None,
    alpha: float = 0.05,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> AltTest:
    """Alternative annotator test: leave one rater out and ask whether rater or judge is closer to the others.

    For each rater j and each item i rated by j and at least one other, j and the judge are scored against the others.
    ``d_ij`` is 1, 0 or -1 as the rater, neither or the judge has the higher score; the judge wins against j when a
    one-sided t test says ``mean d < epsilon`` [1]_, with Benjamini-Yekutieli over raters; below 30 items it is
    Wilcoxon's signed-rank test of ``d - epsilon``. The winning rate is the share of raters that the judge wins against;
    the judge passes at one half or more. The advantage probability is the mean over raters of the share of items on
    which the judge's score is not lower. The test is decided at `epsilon`, which must be fixed in advance; `curve` and
    `least_epsilon` show how much depends on it.

    Parameters
    ----------
    humans : array_like, shape (items, raters)
        Verdicts of the raters; None or NaN is missing.
    judge : sequence, shape (items,)
        The judge's verdicts; None or NaN is missing.
    epsilon : float
        The margin granted to the judge for being cheaper: 0.2 for experts, 0.15 for trained raters, 0.1 for crowds.
    level : {"nominal", "ordinal", "interval"}
        Level of measurement. Above nominal, verdicts must be numbers unless `categories` are declared.
    scoring : {"exact", "rmse"} or callable, optional
        How close a verdict is to those of the others: the share of them that equal it ("exact", the default for nominal
        verdicts), minus the root mean squared difference ("rmse", the default for ordinal and interval ones), or a
        function of the verdict and the list of the others' verdicts that returns a number, higher when closer.
    categories : sequence, optional
        The declared categories in their order, one step apart.
    alpha : float
        False discovery rate.
    clusters : sequence, shape (items,), optional
        Cluster of each item: the t tests then have the cluster-robust standard error [2]_ on clusters - 1 degrees of
        freedom, and the bootstrap draws clusters. By default, items are taken to be independent.
    resamples, seed, confidence, unit
        For the bootstrap interval of the advantage probability.

    Returns
    -------
    AltTest
        Raters who share too few items with others for the smallest possible P to reach `alpha` (fewer than 5 at 0.05;
        with clusters, fewer than 30) are not tested, but the others are still compared with them. Not done (`passed` is
        None) for fewer than three raters, or if none can be tested.

    Raises
    ------
    ValueError
        When lengths differ, `epsilon` or `alpha` is outside 0 to 1, or `level` or `scoring` is unknown or the two do
        not go together.

    References
    ----------
    .. [1] Calderon, Reichart and Dror (2025). The alternative annotator test for LLM-as-a-judge. ACL, section 3.
    .. [2] Cameron and Miller (2015). A practitioner's guide to cluster-robust inference. Journal of Human Resources 50,
       317-372, section II, factor G / (G - 1).

    Examples
    --------
    >>> result = alt_test([[1, 1], [0, 1]], [1, 1])
    >>> result.undefined_because
    '2 raters: the test leaves one out and needs three or more'
    """
    options = _checked(epsilon, alpha, level, scoring, resamples, seed, confidence, unit)
    whole = closeness(humans, judge, level, options.scoring, categories)
    groups = encode_clusters(clusters, len(whole.counted)) if clusters is not None else None
    (result,) = _results([rater_tests(whole, groups, options.epsilon, options.alpha)], options)
    return result


def alt_test_by_domain(
    humans: RatingTable,
    judge: Ratings,
    domains: Ratings,
    epsilon: float = 0.2,
    *,
    level: Level = "nominal",
    scoring: Scoring | None = None,
    categories: Sequence[Hashable] | None = None,
    alpha: float = 0.05,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> dict[Hashable, AltTest]:
    """Alternative annotator test in each of several domains, with all P values adjusted together.

    A judge that is tested in many domains passes some by chance, so Benjamini-Yekutieli is applied over the raters of
    all domains at once [1]_.

    Parameters
    ----------
    humans, judge, epsilon, level, scoring, categories, alpha, clusters, resamples, seed, confidence, unit
        As in `alt_test`.
    domains : sequence, shape (items,)
        Domain of each item, for example its category or its format; none missing.

    Returns
    -------
    dict
        One `AltTest` for each domain, in their order.

    Raises
    ------
    ValueError
        As `alt_test`, and when an item has no domain.

    References
    ----------
    .. [1] Benjamini and Yekutieli (2001). The control of the false discovery rate under dependency. Ann Statist 29,
       1165-1188.

    Examples
    --------
    >>> results = alt_test_by_domain([[1, 1, 1]] * 12, [1] * 12, ["liver", "brain"] * 6)
    >>> {domain: result.passed for domain, result in results.items()}
    {'brain': True, 'liver': True}
    """
    options = _checked(epsilon, alpha, level, scoring, resamples, seed, confidence, unit)
    whole = closeness(humans, judge, level, options.scoring, categories)
    items = len(whole.counted)
    groups = encode_clusters(clusters, items) if clusters is not None else None
    which, names = encode(domains, None, "domains")
    if which.size != items or (which < 0).any():
        raise ValueError(f"domains has {int((which >= 0).sum())} values; expected one for each of the {items} items")
    parts = [
        rater_tests(
            whole.part(which == number),
            None if groups is None else groups[which == number],
            options.epsilon,
            options.alpha,
        )
        for number in range(len(names))
    ]
    return dict(zip(names, _results(parts, options), strict=True))


def _checked(
    epsilon: float,
    alpha: float,
    level: Level,
    scoring: Scoring | None,
    resamples: int,
    seed: Seed,
    confidence: float,
    unit: str,
) -> _Options:
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    check_margins(epsilon, alpha)
    return _Options(epsilon, alpha, scoring_of(level, scoring), resamples, seed, confidence, unit)


def _results(parts: Sequence[RaterTests], options: _Options) -> list[AltTest]:
    """The tests of all domains, adjusted together at each epsilon."""
    together = np.concatenate([part.p for part in parts], axis=1)
    adjusted = np.array([adjust_p_values(row, "by") for row in together]).reshape(together.shape)
    ends = np.cumsum([part.p.shape[1] for part in parts])[:-1]
    return [
        _result(part, of_part, options, len(parts))
        for part, of_part in zip(parts, np.split(adjusted, ends, axis=1), strict=True)
    ]


def _result(part: RaterTests, adjusted: Floats, options: _Options, domains: int) -> AltTest:
    tested, n_tested, unit = part.tested, int(part.tested.sum()), options.unit
    reason = _reason(part, unit)
    method = _method(part, options, domains)
    raters = tuple(_comparison(part, j, float(adjusted[0, j]), options.alpha) for j in range(len(part.tests)))
    rates = [math.nan] * len(adjusted) if reason else (adjusted[:, tested] <= options.alpha).mean(axis=1).tolist()
    passing = [epsilon for epsilon, rate in zip(EPSILONS, rates[1:], strict=True) if rate >= 0.5]
    sensitivity = Words("least of the epsilons 0", f", .01, ... {EPSILONS[-1]}; sensitivity, no decision; ", method)

    def of_these_raters(name: str, text: str, why: str | None, value: float) -> Estimate:
        because = why or "these raters are fixed"
        return undefined(name, n_tested, "rater", text, because, value=value, confidence=options.confidence)

    none_passes = None if passing else f"the judge passes at no epsilon up to {EPSILONS[-1]}"
    return AltTest(
        winning_rate=of_these_raters("winning rate", method, reason, rates[0]),
        advantage_probability=_advantage(part, reason, options),
        raters=raters,
        passed=None if reason else rates[0] >= 0.5,
        undefined_because=reason,
        epsilon=options.epsilon,
        curve=() if reason else tuple(zip(EPSILONS, rates[1:], strict=True)),
        least_epsilon=of_these_raters(
            "least epsilon that passes", sensitivity, reason or none_passes, passing[0] if passing else math.nan
        ),
    )


def _reason(part: RaterTests, unit: str) -> str | None:
    raters = len(part.tests)
    if raters < 3:
        return f"{raters} rater{'' if raters == 1 else 's'}: the test leaves one out and needs three or more"
    if not part.tested.any():
        most = int(part.of.counted.sum(axis=0).max())
        return f"no rater shares {part.least} {unit}s with another; the most is {most}"
    return None


def _method(part: RaterTests, options: _Options, domains: int) -> Words:
    kind = "independent items" if part.groups is None else "clustered"
    over = f" over {domains} domains" if domains > 1 else ""
    text = Words(
        "alt-test",
        f", scoring {in_words(options.scoring)}, epsilon {options.epsilon}, t tests ({kind}) with "
        f"Benjamini-Yekutieli{over} at {options.alpha}; ",
        FIXED,
    )
    few = part.tests.count("Wilcoxon")
    if few:
        text += f"; {few} with fewer than {MIN_ITEMS} shared {options.unit}s by Wilcoxon's signed-rank test"
    untested = part.tests.count("none")
    if untested:
        text += f"; {untested} with fewer than {part.least} shared {options.unit}s not tested"
    return text


def _comparison(part: RaterTests, j: int, adjusted: float, alpha: float) -> RaterComparison:
    used = part.of.counted[:, j]
    n = int(used.sum())
    return RaterComparison(
        j,
        n,
        float(part.of.judge_ahead[used, j].mean()) if n else None,
        float(part.of.rater_ahead[used, j].mean()) if n else None,
        float(part.p[0, j]) if part.tested[j] else None,
        adjusted if part.tested[j] else None,
        adjusted <= alpha,
        part.tests[j],
    )


def _advantage(part: RaterTests, reason: str | None, options: _Options) -> Estimate:
    tested = part.tested
    judge_ahead, counted = part.of.judge_ahead[:, tested], part.of.counted[:, tested]
    raters = int(tested.sum())
    name = "advantage probability"
    used = counted.any(axis=1)
    n = int(used.sum())
    groups, n_clusters = None, None
    if part.groups is not None:
        groups, n_clusters = compact(part.groups[used])
    if reason is not None:
        text = bootstrap_of(False) + "; " + FIXED
        return undefined(name, n, options.unit, text, reason, confidence=options.confidence, n_clusters=n_clusters)
    rows = np.column_stack([judge_ahead & counted, counted])[used].astype(np.float64)

    def of_sums(totals: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((totals[..., :raters] / totals[..., raters:]).mean(axis=-1))

    spread = bootstrap_of_sums(
        of_sums,
        sums_by_cluster(rows, groups),
        resamples=options.resamples,
        seed=options.seed,
        confidence=options.confidence,
        clustered=groups is not None,
    )
    value = float(of_sums(rows.sum(axis=0)))
    note = f"; scoring {in_words(options.scoring)}; " + FIXED
    return spread.estimate(
        name, value, n, options.unit, confidence=options.confidence, n_clusters=n_clusters, note=note
    )
