"""Which estimates apply to a table of ratings, each still to be computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from agreement.accuracy import accuracy_of_correctness
from agreement.alt_test import alt_test
from agreement.closeness import scoring_of
from agreement.cluster_codes import of_used
from agreement.clustered_tests import marginal_homogeneity_in_clusters
from agreement.coding import Floats
from agreement.consensus import Rule, consensus
from agreement.correlations import pearson, spearman
from agreement.estimate import Estimate
from agreement.icc import every_icc
from agreement.judge import diagnostic_accuracy, judge_direction
from agreement.kappa import cohen_kappa
from agreement.krippendorff import krippendorff_alpha
from agreement.lone_items import alone
from agreement.marginal import marginal_homogeneity
from agreement.measurements import bland_altman, kendall_w, lin_ccc
from agreement.methods import leaving_out
from agreement.percent import percent_agreement
from agreement.prevalence_adjusted import pabak
from agreement.rater_columns import RaterColumns
from agreement.rater_tests import check_margins
from agreement.ratings import Weights
from agreement.ratings_file import Level, RatingsFile
from agreement.resampling import random_generator
from agreement.several_raters import brennan_prediger, conger_kappa, fleiss_kappa, gwet_ac
from agreement.shared_draw import ClusterDraw

MOST_PAIRS = 45
"""Above this many pairs of raters, pairs are shown only on request."""

MANY_CLUSTERS = 5_000
"""From this many clusters on, percentile intervals use 1,000 resamples instead of 10,000 unless requested otherwise."""

MOST_RANKED = 2_000
"""The most draws of clusters for statistics that rank the items again in each draw."""

CONSENSUS = "consensus of the humans"
"""Name of the party that a judge is compared with in addition to each human."""

MOST_CATEGORIES = 500
"""With more categories, verdicts are free text: they are compared for equality and not corrected for chance."""


EPSILON, ALPHA = 0.2, 0.05
"""Of the alternative annotator test: the margin granted to a judge against experts, and the false discovery rate."""


@dataclass(frozen=True)
class Request:
    """The options for the analysis of a file.

    Attributes
    ----------
    level : {"nominal", "ordinal", "interval"}
        Level of measurement of the verdicts.
    positive : str or None
        The verdict that sensitivity and the judge's direction are about.
    judge : str or None
        The rater who is the judge: compared with the others, never counted among them.
    all_pairs : bool
        Whether to show more than `MOST_PAIRS` pairs of raters.
    confidence : float
        Nominal coverage.
    resamples : int or None
        Of cluster bootstraps; None chooses by the number of clusters.
    seed : int
        Of cluster bootstraps.
    epsilon : float or None
        Of the alternative annotator test; None is 0.2.
    scoring : {"exact", "rmse"} or None
        Of the alternative annotator test; None chooses by the level.
    """

    level: Level = "nominal"
    positive: str | None = None
    judge: str | None = None
    all_pairs: bool = False
    confidence: float = 0.95
    resamples: int | None = None
    seed: int = 0
    epsilon: float | None = None
    scoring: Literal["exact", "rmse"] | None = None


class Calculation(NamedTuple):
    """A statistic to be computed, its raters, and the part of the items that it covers, if not all."""

    statistic: Callable[[], Estimate | Sequence[Estimate]]
    raters: list[str]
    part: str = ""


def command_line(file: RatingsFile, request: Request) -> Iterator[Calculation]:
    """Every calculation that applies to a file, followed by those for each of its groups of items.

    Parameters
    ----------
    file : RatingsFile
        The ratings.
    request : Request
        The options of the analysis.

    Yields
    ------
    Calculation

    Raises
    ------
    ValueError
        When `judge` is not a rater, `positive` is not a category, or there is nothing to compare `positive` with.
    """
    _check(file, request)
    random_generator(request.seed)  # refuses a seed that is none, also of a file whose estimates need no draw
    draw = None
    if file.clusters is not None:
        draw = ClusterDraw(file.clusters, resamples=_resamples(file, request), seed=request.seed, in_parallel=True)
        file = replace(file, clusters=draw.clusters)
    for calculation in _of_file_and_groups(file, request, draw):
        if draw is not None:
            calculation = calculation._replace(statistic=partial(draw.among_others, calculation.statistic))
        yield calculation


def _of_file_and_groups(file: RatingsFile, request: Request, draw: ClusterDraw | None) -> Iterator[Calculation]:
    yield from _of_file(file, request, draw)
    for column, groups in file.groups.items():
        for group in np.unique(groups).tolist():
            for calculation in _of_file(file.part(groups == group), request, draw):
                yield calculation._replace(part=f", {column} {group}")


def _check(file: RatingsFile, request: Request) -> None:
    if len(file.raters) < 2 and request.judge in (None, *file.raters):
        if file.reference is None:
            raise ValueError(f"holds one rater, {file.raters[0]}, and no reference; expected two raters or more")
        if request.judge is not None or request.level == "interval":
            raise ValueError(f"holds one rater, {file.raters[0]}; expected two raters or more")
    if request.judge is not None and request.judge not in file.raters:
        raise ValueError(f"judge is {request.judge!r}; expected one of the raters {', '.join(file.raters)}")
    for option, value in (("epsilon", request.epsilon), ("scoring", request.scoring)):
        if value is not None and request.judge is None:
            raise ValueError(f"{option} is {value!r} without a judge; expected a judge, whose test it belongs to")
    if request.judge is not None:
        scoring_of(request.level, request.scoring)
        check_margins(EPSILON if request.epsilon is None else request.epsilon, ALPHA)
    if request.positive is None:
        return
    if file.reference is None and request.judge is None:
        raise ValueError(f"positive is {request.positive!r}; expected a file with a reference, or a judge")
    if request.positive not in file.categories:
        known = ", ".join(map(str, file.categories))
        raise ValueError(f"positive is {request.positive!r}; expected one of {known}")


def _resamples(file: RatingsFile, request: Request) -> int:
    if request.resamples is not None:
        return request.resamples
    many = file.clusters is not None and file.clusters.max(initial=0) >= MANY_CLUSTERS
    return 1_000 if many else 10_000


class _Options:
    """Keyword arguments of the statistics, from the file and the request."""

    def __init__(self, file: RatingsFile, request: Request, draw: ClusterDraw | None) -> None:
        self.plain: dict[str, Any] = {"confidence": request.confidence}
        drawn = {"clusters": None, "seed": request.seed, "resamples": _resamples(file, request)}
        self.clustered = self.plain | (drawn if draw is None else draw.by(file.clusters))
        several = len(file.categories) > 1
        self.declared: dict[str, Any] = {"categories": range(len(file.categories))} if several else {}
        self.ordered = request.level == "ordinal" and several
        self.weightings: tuple[Weights | None, ...] = (None, "linear", "quadratic") if self.ordered else (None,)


def _of_file(file: RatingsFile, request: Request, draw: ClusterDraw | None) -> Iterator[Calculation]:
    options, columns = _Options(file, request, draw), RaterColumns(file.ratings)
    humans = [column for column, name in enumerate(file.raters) if name != request.judge]
    pairs = list(combinations(range(len(file.raters)), 2))
    if len(pairs) > MOST_PAIRS and not request.all_pairs:
        pairs = []
    for pair in pairs:
        if request.level == "interval":
            yield from _of_measured_pair(file, columns, pair, options)
        else:
            yield from _of_pair(file, columns, pair, options, among_all=list(pair) == humans)
    if len(humans) > 1 and len(file.categories) <= MOST_CATEGORIES:
        of_all = _of_all_measured if request.level == "interval" else _of_all
        yield from of_all(file.ratings[:, humans], [file.raters[column] for column in humans], options)
    if file.reference is not None and request.level != "interval":
        for column in range(len(file.raters)):
            yield from _against_reference(file, column, file.reference, request.positive, options)
    if request.judge is not None:
        yield from _of_judge(file, humans, request, options)


def _of_pair(
    file: RatingsFile, columns: RaterColumns, pair: tuple[int, int], options: _Options, *, among_all: bool
) -> Iterator[Calculation]:
    a, b = (columns.codes(column) for column in pair)
    names = [file.raters[column] for column in pair]
    yield Calculation(partial(percent_agreement, a, b, **options.clustered), names)
    if len(file.categories) > MOST_CATEGORIES:
        return
    for weights in options.weightings:
        yield Calculation(partial(cohen_kappa, a, b, weights=weights, **options.declared, **options.clustered), names)
    yield Calculation(partial(pabak, a, b, **options.declared, **options.clustered), names)
    if not among_all:  # with only two humans, it is already among the estimates of all raters
        yield Calculation(partial(_gwet_ac, a, b, options), names)
    if len(file.categories) > 1:
        yield Calculation(partial(_margins, a, b, len(file.categories), options), names)


def _gwet_ac(a: npt.NDArray[Any], b: npt.NDArray[Any], options: _Options) -> Estimate:
    return gwet_ac(np.column_stack((a, b)), **options.declared, **options.clustered)


def _margins(a: npt.NDArray[Any], b: npt.NDArray[Any], categories: int, options: _Options) -> Estimate:
    both = ~np.isnan(a) & ~np.isnan(b)
    clusters = options.clustered["clusters"]
    if clusters is not None and not alone(of_used(clusters, both)):
        return marginal_homogeneity_in_clusters(a, b, clusters=clusters, categories=range(categories), **options.plain)
    cells = a[both].astype(np.intp) * categories + b[both].astype(np.intp)
    counts = np.bincount(cells, minlength=categories**2).reshape(categories, categories)
    return _noted(marginal_homogeneity(counts, **options.plain), _without(~both, "both verdicts"))


def _of_measured_pair(
    file: RatingsFile, columns: RaterColumns, pair: tuple[int, int], options: _Options
) -> Iterator[Calculation]:
    a, b = file.ratings[:, pair[0]], file.ratings[:, pair[1]]
    names = [file.raters[column] for column in pair]
    yield from (Calculation(partial(of_two, a, b, **options.clustered), names) for of_two in (lin_ccc, pearson))
    # ranking again in each draw takes time that grows with the square of the number of clusters
    few = options.clustered | {"resamples": min(options.clustered["resamples"], MOST_RANKED)}
    yield Calculation(partial(_spearman, columns, pair, few), names)
    yield Calculation(partial(_limits_of_agreement, a, b, options), names)


def _spearman(columns: RaterColumns, pair: tuple[int, int], keywords: dict[str, Any]) -> Estimate:
    return spearman(columns.ranks(pair[0]), columns.ranks(pair[1]), **keywords)


def _limits_of_agreement(a: Floats, b: Floats, options: _Options) -> Sequence[Estimate]:
    result = bland_altman(a, b, **options.clustered)
    return (result.bias, result.lower, result.upper)


def _of_all(ratings: Floats, raters: list[str], options: _Options) -> Iterator[Calculation]:
    keywords = options.declared | options.clustered
    for of_all in (fleiss_kappa, conger_kappa, gwet_ac, brennan_prediger):
        for weights in options.weightings:
            yield Calculation(partial(of_all, ratings, weights=weights, **keywords), raters)
    yield Calculation(partial(krippendorff_alpha, ratings, "nominal", **keywords), raters)
    if options.ordered:
        yield Calculation(partial(krippendorff_alpha, ratings, "ordinal", **keywords), raters)


def _of_all_measured(ratings: Floats, raters: list[str], options: _Options) -> Iterator[Calculation]:
    yield Calculation(partial(krippendorff_alpha, ratings, "interval", **options.clustered), raters)
    yield Calculation(partial(every_icc, ratings, **options.clustered), raters)
    yield Calculation(partial(kendall_w, ratings, **options.plain), raters)


def _against_reference(
    file: RatingsFile, column: int, reference: Floats, positive: str | None, options: _Options
) -> Iterator[Calculation]:
    verdicts, name = file.ratings[:, column], file.raters[column]
    known = ~np.isnan(verdicts) & ~np.isnan(reference)
    correct = np.where(known, verdicts == reference, np.nan)
    excluded = file.excluded[:, column] & ~np.isnan(reference)
    yield Calculation(partial(_accuracy, correct, excluded, options), [name])
    if len(file.categories) > MOST_CATEGORIES:
        return
    both = [name, "reference"]
    for weights in (None, "quadratic") if options.ordered else (None,):
        keywords = {"weights": weights} | options.declared | options.clustered
        yield Calculation(partial(cohen_kappa, verdicts, reference, **keywords), both)
    if positive is not None:
        code = float(file.categories.index(positive))
        yield Calculation(partial(_diagnostic, verdicts, reference, code, options), both)


def _accuracy(correct: Floats, excluded: npt.NDArray[np.bool_], options: _Options) -> Sequence[Estimate]:
    result = accuracy_of_correctness(correct, excluded=excluded, **options.clustered)
    lost = result.n_missing
    note = leaving_out(lost, "without a verdict or a reference")
    worst, best = _noted(result.worst_case, note), _noted(result.best_case, note)
    if not result.n_excluded:
        return (_noted(result.primary, note),)
    return (_noted(result.primary, note + leaving_out(result.n_excluded, "excluded")), worst, best)


def _diagnostic(verdicts: Floats, reference: Floats, positive: float, options: _Options) -> Sequence[Estimate]:
    """The four proportions, each with the number of items in its denominator."""
    result = diagnostic_accuracy(verdicts, reference, positive, **options.declared, **options.clustered)
    lost = _without(np.isnan(verdicts) | np.isnan(reference), "both verdicts")
    return (
        _noted(result.sensitivity, "; of the items positive by the reference" + lost),
        _noted(result.specificity, "; of the items negative by the reference" + lost),
        _noted(result.ppv, "; of the items called positive" + lost),
        _noted(result.npv, "; of the items called negative" + lost),
    )


def _noted(estimate: Estimate, note: str) -> Estimate:
    return replace(estimate, method=estimate.method + note)


def _without(absent: npt.NDArray[np.bool_], what: str) -> str:
    return leaving_out(int(absent.sum()), f"without {what}")


def _of_judge(file: RatingsFile, humans: list[int], request: Request, options: _Options) -> Iterator[Calculation]:
    """The judge against each human, against their consensus, and against all in the alternative annotator test."""
    of_judge = file.raters.index(str(request.judge))
    for column in humans:
        yield from _of_judge_and(file, column, of_judge, request, options)
    if len(humans) > 1:
        both, note = _consensus_and_judge(file, humans, of_judge, request.level)
        columns = RaterColumns(both.ratings)
        if request.level == "interval":
            compared = list(_of_measured_pair(both, columns, (0, 1), options))
        else:
            compared = list(_of_pair(both, columns, (0, 1), options, among_all=False))
        compared += _of_judge_and(both, 0, 1, request, options)
        for calculation in compared:
            yield calculation._replace(statistic=partial(_all_noted, calculation.statistic, note))
    yield Calculation(
        partial(_alternative, file.ratings[:, humans], file.ratings[:, of_judge], request, options),
        [*(file.raters[column] for column in humans), str(request.judge)],
    )


def _of_judge_and(
    file: RatingsFile, column: int, of_judge: int, request: Request, options: _Options
) -> Iterator[Calculation]:
    """Direction, sensitivity and specificity of the judge against one column, if a positive verdict is given."""
    if request.positive is None:
        return
    code = float(file.categories.index(request.positive))
    human, judge = file.ratings[:, column], file.ratings[:, of_judge]
    names = [file.raters[column], file.raters[of_judge]]
    yield Calculation(partial(_direction, human, judge, code, options), names)
    yield Calculation(partial(_diagnostic, judge, human, code, options), names)


def _consensus_and_judge(file: RatingsFile, humans: list[int], of_judge: int, level: Level) -> tuple[RatingsFile, str]:
    """A file with two raters, the humans' consensus and the judge, and a note on how the consensus was formed."""
    ratings = file.ratings[:, humans]
    rule: Rule = "mean" if level == "interval" else "plurality"
    result = consensus(ratings, rule)
    agreed = np.array([np.nan if value is None else value for value in result.values], dtype=np.float64)
    words = "mean of two or more humans" if level == "interval" else "verdict of most of two or more humans"
    came_about = ", ".join(f"{times} {kind}" for kind, times in result.counts.items() if times)
    note = f"; consensus: {words}, {agreed.size - result.n} items without; rule {rule}; {came_about}"
    columns = [humans[0], of_judge]
    both = replace(
        file,
        ratings=np.column_stack([agreed, file.ratings[:, of_judge]]),
        raters=[CONSENSUS, file.raters[of_judge]],
        excluded=file.excluded[:, columns],
    )
    return both, note


def _all_noted(statistic: Callable[[], Estimate | Sequence[Estimate]], note: str) -> Sequence[Estimate]:
    estimates = statistic()
    return [_noted(estimate, note) for estimate in ((estimates,) if isinstance(estimates, Estimate) else estimates)]


def _direction(human: Floats, judge: Floats, positive: float, options: _Options) -> Sequence[Estimate]:
    def says(verdicts: Floats) -> Floats:
        return np.where(np.isnan(verdicts), np.nan, verdicts == positive)

    result = judge_direction(says(human), says(judge), unit="item", **options.clustered)
    lost = _without(np.isnan(human) | np.isnan(judge), "both verdicts")
    return (_noted(result.difference, lost), result.mcnemar_mid_p)


def _alternative(humans: Floats, judge: Floats, request: Request, options: _Options) -> Sequence[Estimate]:
    epsilon = EPSILON if request.epsilon is None else request.epsilon
    result = alt_test(
        humans, judge, epsilon, level=request.level, scoring=request.scoring, alpha=ALPHA, **options.clustered
    )
    return (result.winning_rate, result.advantage_probability, result.least_epsilon)
