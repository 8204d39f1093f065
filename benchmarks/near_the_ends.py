"""Intervals near the ends of the scale: shares, kappas and means of which nearly all items say the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import stats

import agreement
from agreement import Estimate
from benchmarks.clustered_kappas import SIZES, Population, Samples, patterns_of

LEVELS = (0.5, 0.9, 0.95, 0.97)
AREAS = (0.5, 0.7, 0.8, 0.9, 0.95)
WRONG = 0.1  # each simulated rater errs on one item of ten
RESAMPLES = 1_000
_RESAMPLED = {"interval": "percentile", "resamples": RESAMPLES}
_BCA = {"interval": "bca", "resamples": RESAMPLES}
OF_CLUSTER = 5  # items
CLUSTERS = (10, 20, 30, 50, 100)
CLUSTERS_OF_TEN = (20, 30, 50)
AT_ONCE = ("scattered", "effective", "adjusted")
NEGATIVES = 10  # for each positive

Rng = np.random.Generator
Data = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Simulation:
    """A statistic of which samples are drawn, all of a cell at once.

    Attributes
    ----------
    sizes : tuple of int
        Items, or clusters.
    draw : callable
        From size, level, samples and generator to samples, shape (samples, numbers): what the estimate rests on, and
        with equal rows equal estimates.
    estimate : callable
        From one sample, the level, and the keywords of a method to its estimate.
    truth : callable
        From the level to the true value.
    rare : callable
        From size and level to the number of items in which the rarer category is expected.
    methods : dict
        Name and keywords of each method; the first is the default.
    levels : tuple of float
        Of the cells.
    at_once : callable or None
        From samples, size and kind to lower and upper limits and which are warned, for kinds of `AT_ONCE`.
    """

    sizes: tuple[int, ...]
    draw: Callable[[int, float, int, Rng], Data]
    estimate: Callable[..., Estimate]
    truth: Callable[[float], float]
    rare: Callable[[int, float], float]
    methods: dict[str, dict[str, Any]]
    levels: tuple[float, ...] = LEVELS
    at_once: Callable[[Data, int, str], tuple[Data, Data, Data]] | None = None


@dataclass(frozen=True)
class Cell:
    """What a method did in a cell.

    Attributes
    ----------
    held : float
        Share of all samples whose interval holds the truth; those without an interval do not.
    without : float
        Share of samples without an interval.
    width : float
        Mean width of the intervals.
    warned : float
        Share of samples whose estimate carries a warning.
    """

    held: float
    without: float
    width: float
    warned: float


def cell(simulation: Simulation, method: dict[str, Any], size: int, level: float, samples: Data) -> Cell:
    """Estimate every distinct sample once, or all at once, and count."""
    truth = simulation.truth(level)
    kind = method.get("interval", AT_ONCE[0])
    if simulation.at_once is not None and kind in AT_ONCE:
        times = np.ones(len(samples), dtype=int)
        low, high, warned = simulation.at_once(samples, size, kind)
    else:
        distinct, times = np.unique(samples, axis=0, return_counts=True)
        estimates = [simulation.estimate(sample, level, size, **method) for sample in distinct]
        low, high = np.array([(estimate.low, estimate.high) for estimate in estimates]).T
        warned = np.array([estimate.warning is not None for estimate in estimates])
    known = ~np.isnan(low)
    return Cell(
        held=float(np.average((low <= truth) & (truth <= high), weights=times)),
        without=float(np.average(~known, weights=times)),
        width=float(np.average((high - low)[known], weights=times[known])) if known.any() else np.nan,
        warned=float(np.average(warned, weights=times)),
    )


def _patterns(level: float, raters: int) -> tuple[Data, Data]:
    """Every pattern of verdicts of raters who err independently, and its probability."""
    patterns = np.array(list(np.ndindex(*(2,) * raters)))
    share = sum(
        (level if truth else 1 - level) * np.where(patterns == truth, 1 - WRONG, WRONG).prod(axis=1) for truth in (0, 1)
    )
    return patterns, np.asarray(share)


def _tables(raters: int) -> Callable[[int, float, int, Rng], Data]:
    return lambda n, level, samples, rng: rng.multinomial(n, _patterns(level, raters)[1], size=samples)


def _of_table(coefficient: Callable[..., Estimate], raters: int) -> Callable[..., Estimate]:
    def estimate(counts: Data, level: float, _: int, **method: Any) -> Estimate:
        ratings = np.repeat(_patterns(level, raters)[0], counts, axis=0)
        if coefficient is agreement.cohen_kappa:
            return coefficient(ratings[:, 0], ratings[:, 1], categories=[0, 1], **method)
        return coefficient(ratings, categories=[0, 1], **method)

    return estimate


def _of_patterns(coefficient: Callable[..., Estimate], raters: int) -> Callable[[float], float]:
    @cache
    def truth(level: float) -> float:
        counts = np.round(_patterns(level, raters)[1] * 1_000_000).astype(int)
        kind = "normal" if coefficient is agreement.cohen_kappa else "t"
        return _of_table(coefficient, raters)(counts, level, 0, interval=kind).value

    return truth


def _rarer(n: int, level: float) -> float:
    said = level * (1 - WRONG) + (1 - level) * WRONG
    return n * min(said, 1 - said)


def _bootstraps(first: str, kind: str) -> dict[str, dict[str, Any]]:
    return {
        "scattered": {},
        first: {"interval": kind},
        "percentile": {"interval": "percentile", "resamples": RESAMPLES},
        "BCa": {"interval": "bca", "resamples": RESAMPLES},
    }


def _coefficient(coefficient: Callable[..., Estimate], raters: int, first: str, kind: str) -> Simulation:
    return Simulation(
        (30, 50, 136, 365, 1365),
        _tables(raters),
        _of_table(coefficient, raters),
        _of_patterns(coefficient, raters),
        _rarer,
        _bootstraps(first, kind),
    )


def _coefficient_in_clusters(
    coefficient: Callable[..., Estimate], raters: int, items: int = OF_CLUSTER, sizes: tuple[int, ...] = CLUSTERS
) -> Simulation:
    """Clusters of so many items, truth and errors with an intraclass correlation of one third.

    Each rater errs independently of the others, so that the pattern of an item is as likely as without clusters.
    """

    def draw(clusters: int, level: float, samples: int, rng: Rng) -> Data:
        counts = Population(level, WRONG).draw(np.full(clusters, items), raters, samples, rng)
        return np.asarray(counts.reshape(samples, -1))

    def together(counts: Data, clusters: int) -> Samples:
        return Samples(coefficient, counts.reshape(-1, clusters, len(patterns_of(raters))))

    def estimate(counts: Data, _: float, clusters: int, **method: Any) -> Estimate:
        return together(counts, clusters).estimate(0, **method)

    def at_once(counts: Data, clusters: int, kind: str) -> tuple[Data, Data, Data]:
        samples = together(counts, clusters)
        return *samples.limits(kind), samples.warned(kind)

    return Simulation(
        sizes,
        draw,
        estimate,
        _of_patterns(coefficient, raters),
        lambda clusters, level: _rarer(items * clusters, level),
        {
            "scattered": {},
            "effective": {"interval": "effective"},
            "adjusted": {"interval": "adjusted"},
            "percentile": _RESAMPLED,
            "BCa": _BCA,
        },
        at_once=at_once,
    )


def _right_of_clusters(clusters: int, level: float, samples: int, rng: Rng) -> Data:
    """How many of five items are right in each cluster, with an intraclass correlation of one third, in order."""
    chance = rng.beta(2 * level, 2 * (1 - level), (samples, clusters))
    return np.sort(rng.binomial(OF_CLUSTER, chance), axis=1)


def _accuracy_in_unequal_clusters(sizes_of: Callable[[int], np.ndarray]) -> Simulation:
    """How many are right in each of clusters of these sizes, with an intraclass correlation of one third."""

    def right(clusters: int, level: float, samples: int, rng: Rng) -> Data:
        chance = rng.beta(2 * level, 2 * (1 - level), (samples, clusters))
        return rng.binomial(sizes_of(clusters), chance)

    def accuracy(right: Data, _: float, clusters: int, **method: Any) -> Estimate:
        sizes = sizes_of(clusters)
        place = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        correct, subjects = place < np.repeat(right, sizes), np.repeat(np.arange(clusters), sizes)
        return agreement.accuracy_of_correctness(correct, clusters=subjects, **method).primary

    return Simulation(
        CLUSTERS[1:],
        right,
        accuracy,
        lambda level: level,
        lambda clusters, level: sizes_of(clusters).sum() * (1 - level),
        {"score": {}, "percentile": _RESAMPLED},
    )


def _accuracy(right: Data, _: float, clusters: int, **method: Any) -> Estimate:
    correct = (np.arange(OF_CLUSTER) < right[:, None]).ravel()
    subjects = np.repeat(np.arange(clusters), OF_CLUSTER)
    return agreement.accuracy_of_correctness(correct, clusters=subjects, **method).primary


def _judged(n: int, level: float, samples: int, rng: Rng) -> Data:
    """Counts of human and judge on n labelled, and of the judge on ten times as many."""
    both = np.array([(1 - level) * 0.8, (1 - level) * 0.2, level * 0.1, level * 0.9])
    labelled = rng.multinomial(n, both, size=samples)
    return np.column_stack([labelled, rng.binomial(10 * n, both[1] + both[3], size=samples)])


def _powered(counts: Data, _: float, n: int, **method: Any) -> Estimate:
    human, judge = np.repeat([0, 0, 1, 1], counts[:4]), np.repeat([0, 1, 0, 1], counts[:4])
    others = np.arange(10 * n) < counts[4]
    return agreement.prediction_powered_mean(human, judge, others.astype(int), **method)


def _flagged(n: int, level: float, samples: int, rng: Rng) -> Data:
    """Right among the flagged, all drawn, one of four; and among the others, of whom one third is drawn."""
    flagged = len(range(0, n, 4))
    return np.column_stack([rng.binomial(flagged, level - 0.2, samples), rng.binomial(n - flagged, level, samples)])


def _weighted(right: Data, _: float, n: int, **method: Any) -> Estimate:
    flagged = len(range(0, n, 4))
    tier = np.arange(n) < flagged
    values = np.where(tier, np.arange(n) < right[0], np.arange(n) - flagged < right[1]).astype(int)
    return agreement.weighted_mean(values, np.where(tier, 1.0, 1 / 3), strata=tier, **method)


def _confidences(n: int, level: float, samples: int, rng: Rng) -> Data:
    """Calibrated confidences about the level, and whether each was right."""
    half = min(0.1, 1 - level)
    stated = rng.uniform(level - half, level + half, (samples, n))
    return np.concatenate([stated, rng.random((samples, n)) < stated], axis=1)


def _brier(sample: Data, _: float, n: int, **method: Any) -> Estimate:
    return agreement.brier_score(sample[:n], sample[n:].astype(int), **method)


def _scores(positives: int, area: float, samples: int, rng: Rng) -> Data:
    """Normal scores of the positives and, after them, of the negatives."""
    scores = rng.normal(size=(samples, (1 + NEGATIVES) * positives))
    scores[:, :positives] += np.sqrt(2) * stats.norm.ppf(area)
    return scores


def _area(scores: Data, _: float, positives: int, **method: Any) -> Estimate:
    return agreement.roc_auc(scores, np.arange(scores.size) < positives, **method)


def _scores_of_clusters(clusters: int, area: float, samples: int, rng: Rng) -> Data:
    """Outcomes and, after them, scores; both have an intraclass correlation of one third."""
    share = 1 / (1 + NEGATIVES)
    chance = rng.beta(2 * share, 2 * (1 - share), (samples, clusters, 1))
    positive = rng.random((samples, clusters, OF_CLUSTER)) < chance
    of_cluster = rng.normal(size=(samples, clusters, 1)) / np.sqrt(3)
    scores = of_cluster + rng.normal(size=positive.shape) * np.sqrt(2 / 3)
    scores += positive * np.sqrt(2) * stats.norm.ppf(area)
    return np.concatenate([positive.reshape(samples, -1), scores.reshape(samples, -1)], axis=1)


def _area_in_clusters(sample: Data, _: float, clusters: int, **method: Any) -> Estimate:
    positive, scores = np.split(sample, 2)
    return agreement.roc_auc(scores, positive, clusters=np.repeat(np.arange(clusters), OF_CLUSTER), **method)


SIMULATIONS: dict[str, Simulation] = {
    "accuracy in clusters of five": Simulation(
        CLUSTERS,
        _right_of_clusters,
        _accuracy,
        lambda level: level,
        lambda clusters, level: OF_CLUSTER * clusters * (1 - level),
        {"score": {}, "percentile": _RESAMPLED, "BCa": _BCA},
    ),
    "accuracy in clusters of 2, 7 and 21": _accuracy_in_unequal_clusters(SIZES["2, 7, 21"]),
    "accuracy in clusters of 1, 1, 1 and 40": _accuracy_in_unequal_clusters(SIZES["1, 1, 1, 40"]),
    "Cohen's kappa": _coefficient(agreement.cohen_kappa, 2, "normal", "normal"),
    "alpha of three, nominal": _coefficient(agreement.krippendorff_alpha, 3, "t", "t"),
    "Cohen's kappa in clusters of five": _coefficient_in_clusters(agreement.cohen_kappa, 2),
    "alpha of three in clusters of five, nominal": _coefficient_in_clusters(agreement.krippendorff_alpha, 3),
    "Cohen's kappa in clusters of ten": _coefficient_in_clusters(agreement.cohen_kappa, 2, 10, CLUSTERS_OF_TEN),
    "alpha of three in clusters of ten, nominal": _coefficient_in_clusters(
        agreement.krippendorff_alpha, 3, 10, CLUSTERS_OF_TEN
    ),
    "AC1 of three in clusters of ten": _coefficient_in_clusters(agreement.gwet_ac, 3, 10, CLUSTERS_OF_TEN),
    "Fleiss' kappa of three": _coefficient(agreement.fleiss_kappa, 3, "t", "t"),
    "AC1 of three": _coefficient(agreement.gwet_ac, 3, "t", "t"),
    "prediction-powered mean, tuned": Simulation(
        (30, 50, 136, 365),
        _judged,
        _powered,
        lambda level: level,
        lambda n, level: n * (1 - level),
        {"score": {}, "normal": {"interval": "normal"}},
    ),
    "weighted mean, flagged and sampled": Simulation(
        (30, 50, 136, 365, 1365),
        _flagged,
        _weighted,
        lambda level: (0.25 * (level - 0.2) + 0.75 * 3 * level) / (0.25 + 0.75 * 3),
        lambda n, level: n / 4 * (1 - level + 0.2) + n * 3 / 4 * (1 - level),
        {"score": {}, "linearised": {"interval": "linearised"}, "percentile": _RESAMPLED},
    ),
    "Brier score": Simulation(
        (30, 50, 136, 365, 1365),
        _confidences,
        _brier,
        lambda level: level * (1 - level) - (2 * min(0.1, 1 - level)) ** 2 / 12,
        lambda n, level: n * (1 - level),
        {"score": {}, "percentile": _RESAMPLED, "BCa": _BCA},
    ),
    "area under the ROC curve, ten negatives for each positive": Simulation(
        (5, 8, 10, 15, 20, 30, 50),
        _scores,
        _area,
        lambda area: area,
        lambda positives, _: positives,
        {"normal": {}},
        AREAS,
    ),
    "area under the ROC curve in clusters of five, ten negatives for each positive": Simulation(
        (20, 30, 50, 100, 200),
        _scores_of_clusters,
        _area_in_clusters,
        lambda area: area,
        lambda clusters, _: OF_CLUSTER * clusters / (1 + NEGATIVES),
        {"normal": {}},
        AREAS,
    ),
}


def table(simulation: Simulation, wanted: Callable[[int, float], bool], samples: int, seed: int) -> list[str]:
    """Return a simulation's rows as Markdown: one for each cell and method."""
    lines = []
    for size in simulation.sizes:
        for level in simulation.levels:
            if not wanted(size, level):
                continue
            drawn = simulation.draw(size, level, samples, np.random.default_rng([seed, size, int(100 * level)]))
            rare = simulation.rare(size, level)
            for name, method in simulation.methods.items():
                done = cell(simulation, method, size, level, drawn)
                lines.append(
                    f"| {size} | {level:g} | {rare:.1f} | {name} | {100 * done.held:.1f} | {100 * done.without:.1f} | "
                    f"{done.width:.3f} | {100 * done.warned:.0f} |"
                )
    return lines
