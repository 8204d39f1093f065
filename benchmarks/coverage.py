"""Coverage of the intervals by simulation: ``python -m benchmarks.coverage`` (``--help`` for a part of it).

Samples are drawn from populations whose true value is known, and the share of them whose interval holds it is printed
beside the nominal 95 %. Two tables: the methods of shares, kappas and means near the ends of the scale
(`benchmarks.near_the_ends`), cell by cell; and every interval at three sizes (n = 30, 136, 1365 items) in two
populations, for verdicts a prevalence of .5 and .9, for scores a true correlation or area of .5 and .9.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

import agreement
from agreement import Estimate
from benchmarks.class_scores import OF_CLASSES
from benchmarks.near_the_ends import SIMULATIONS, table
from benchmarks.ordered_steps import ORDERED
from benchmarks.small_samples import SMALL

SIZES = (30, 136, 1365)
LEVELS = (0.5, 0.9)
WRONG = 0.1  # each simulated rater errs on one item of ten

Rng = np.random.Generator
EstimateAndTruth = tuple[Estimate, float]


def verdicts(n: int, p: float, rng: Rng, raters: int = 2) -> np.ndarray:
    """Verdicts 0 and 1, shape (n, raters), of raters who err independently on a truth of prevalence p."""
    truth = rng.random(n) < p
    return (truth[:, None] ^ (rng.random((n, raters)) < WRONG)).astype(int)


@cache
def in_the_population(coefficient: Callable[..., Estimate], p: float, raters: int) -> float:
    """Value of a coefficient on every pattern of verdicts as often as it is to be expected."""
    patterns = list(product((0, 1), repeat=raters))
    share = [
        sum(
            (p if truth else 1 - p) * np.prod([WRONG if verdict != truth else 1 - WRONG for verdict in pattern])
            for truth in (0, 1)
        )
        for pattern in patterns
    ]
    return coefficient(np.repeat(patterns, np.round(np.array(share) * 1_000_000).astype(int), axis=0)).value


def several(coefficient: Callable[..., Estimate], raters: int = 3) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """Simulation of a coefficient of a table of ratings."""
    return lambda n, p, rng: (
        coefficient(verdicts(n, p, rng, raters), categories=[0, 1]),
        in_the_population(coefficient, p, raters),
    )


def two(coefficient: Callable[..., Estimate], **keywords: Any) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """Simulation of a coefficient of two raters."""

    def of_table(table: np.ndarray) -> Estimate:  # one function for all draws, so that its value is found once
        return coefficient(table[:, 0], table[:, 1])

    def draw(n: int, p: float, rng: Rng) -> EstimateAndTruth:
        table = verdicts(n, p, rng)
        return coefficient(table[:, 0], table[:, 1], **keywords), in_the_population(of_table, p, 2)

    return draw


def proportion(interval: Callable[[int, int], Estimate]) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """Simulation of an interval of a proportion."""
    return lambda n, p, rng: (interval(int(rng.binomial(n, p)), n), p)


def paired_proportions(n: int, p: float, rng: Rng) -> EstimateAndTruth:
    """Two readers of the same items, the first right on three points more."""
    cells = rng.multinomial(n, [p - 0.05, 0.05, 0.02, 0.98 - p])
    return agreement.paired_proportion_difference(*(int(cell) for cell in cells)), 0.03


def clustered(n: int, p: float, rng: Rng) -> np.ndarray:
    """Correctness of n items, five to a subject, with an intraclass correlation of one third."""
    chance = np.repeat(rng.beta(2 * p, 2 * (1 - p), max(2, n // 5)), 5)
    return (rng.random(chance.size) < chance).astype(int)


def as_if_independent(n: int, p: float, rng: Rng) -> EstimateAndTruth:
    """Accuracy on clustered items as if they were independent."""
    return agreement.accuracy_of_correctness(clustered(n, p, rng)).primary, p


def normal_pair(n: int, correlation: float, rng: Rng) -> tuple[np.ndarray, np.ndarray]:
    """Scores of two raters, of mean 0 and variance 1, with the correlation."""
    x, y = rng.normal(size=(2, n))
    return x, correlation * x + np.sqrt(1 - correlation**2) * y


def scores(
    coefficient: Callable[..., Estimate], truth: Callable[[float], float]
) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """Simulation of a coefficient of normal scores of two raters."""
    return lambda n, p, rng: (coefficient(*normal_pair(n, p, rng)), truth(p))


def intraclass(
    model: int, average: bool = False, of_raters: float = 0.0, skewed: bool = False, **method: Any
) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """Four raters; the share of variance between items is the true correlation, of the rest some is raters' own.

    Items are normal, or chi-square with four degrees of freedom.
    """

    def draw(n: int, p: float, rng: Rng) -> EstimateAndTruth:
        raters = 4
        of_rater = of_raters * (1 - p)
        noise = 1 - p - of_rater
        table = (
            np.sqrt(p) * ((rng.chisquare(4, size=(n, 1)) - 4) / np.sqrt(8) if skewed else rng.normal(size=(n, 1)))
            + rng.normal(scale=np.sqrt(of_rater), size=raters)
            + rng.normal(scale=np.sqrt(noise), size=(n, raters))
        )
        truth = raters * p / (1 + (raters - 1) * p) if average else p
        return agreement.icc(table, model, average, **method), truth  # type: ignore[arg-type]

    return draw


def limit_of_agreement(n: int, p: float, rng: Rng) -> EstimateAndTruth:
    """The upper limit; differences have variance 2 (1 - p)."""
    return agreement.bland_altman(*normal_pair(n, p, rng)).upper, 1.96 * np.sqrt(2 * (1 - p))


def area(statistic: Callable[..., Estimate], **keywords: Any) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """Half of the items positive, binormal scores with the area p."""

    def draw(n: int, p: float, rng: Rng) -> EstimateAndTruth:
        outcome = np.arange(n) % 2
        score = rng.normal(size=n) + outcome * np.sqrt(2) * stats.norm.ppf(p)
        if statistic is agreement.roc_auc:
            return statistic(score, outcome, **keywords), p
        return statistic(score[outcome == 1], score[outcome == 0], **keywords), p

    return draw


def judged(n: int, p: float, rng: Rng) -> tuple[np.ndarray, np.ndarray]:
    """Human verdicts of prevalence p, and a judge who is wrong on one of ten positives and one of five negatives."""
    human = rng.random(n) < p
    return human.astype(int), (human ^ (rng.random(n) < np.where(human, 0.1, 0.2))).astype(int)


def corrected_prevalence(n: int, p: float, rng: Rng) -> EstimateAndTruth:
    """n labelled candidates, ten times as many that only the judge saw."""
    human, judge = judged(n, p, rng)
    _, unlabelled = judged(10 * n, p, rng)
    cell = [int(((human == h) & (judge == j)).sum()) for h, j in ((1, 1), (1, 0), (0, 0), (0, 1))]
    return (
        agreement.rogan_gladen(
            int(unlabelled.sum()),
            unlabelled.size,
            true_positive=cell[0],
            false_negative=cell[1],
            true_negative=cell[2],
            false_positive=cell[3],
        ),
        p,
    )


def judged_in_clusters(n: int, p: float, rng: Rng) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same, five candidates to a subject: prevalence and both errors have an intraclass correlation of 1/3."""
    subject = np.repeat(np.arange(n // 5), 5)
    chance = [rng.beta(2 * share, 2 * (1 - share), n // 5)[subject] for share in (p, 0.9, 0.8)]
    human = rng.random(subject.size) < chance[0]
    judge = np.where(human, rng.random(subject.size) < chance[1], rng.random(subject.size) >= chance[2])
    return human.astype(int), judge.astype(int), subject


def corrected_prevalence_in_clusters(n: int, p: float, rng: Rng) -> EstimateAndTruth:
    """n labelled candidates, four times as many that only the judge saw, of other subjects."""
    human, judge, subject = judged_in_clusters(n, p, rng)
    _, unlabelled, other = judged_in_clusters(4 * n, p, rng)
    estimate = agreement.rogan_gladen_in_clusters(human, judge, unlabelled, clusters=subject, unlabelled_clusters=other)
    return estimate, p


def prediction_powered(tuned: bool) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """The same candidates, by prediction-powered inference."""

    def draw(n: int, p: float, rng: Rng) -> EstimateAndTruth:
        human, judge = judged(n, p, rng)
        _, unlabelled = judged(10 * n, p, rng)
        return agreement.prediction_powered_mean(human, judge, unlabelled, tuned=tuned), p

    return draw


def prediction_powered_by_strata(named: bool) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """Half of n labelled in a stratum of which .7 is right, half in one five times as large of which p is.

    The judge errs on 12 of 100; the strata are named, or the probabilities of being labelled.
    """

    def draw(n: int, p: float, rng: Rng) -> EstimateAndTruth:
        strata, others = np.repeat([0, 1], n // 2), np.repeat([0, 1], [3 * n, 17 * n])
        right = [rng.random(units.size) < np.where(units, p, 0.7) for units in (strata, others)]
        judge = [(verdicts ^ (rng.random(verdicts.size) < 0.12)).astype(int) for verdicts in right]
        sizes = np.bincount(strata) + np.bincount(others)
        design: dict[str, Any] = {"probabilities": (np.bincount(strata) / sizes)[strata]}
        if named:
            design = {"strata": strata, "unlabelled_strata": others}
        estimate = agreement.prediction_powered_mean(right[0].astype(int), judge[0], judge[1], **design)
        return estimate, float(sizes @ [0.7, p] / sizes.sum())

    return draw


def regressed(n: int, p: float, rng: Rng) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Covariate, outcome of correlation p that spreads the more the further x is out, and a judge who adds .3 x."""
    x = rng.normal(size=n)
    y = p * x + np.sqrt((1 - p**2) * (1 + x**2) / 2) * rng.normal(size=n)
    return x, y, y + 0.3 * x + 0.5 * rng.normal(size=n)


def regressed_in_clusters(n: int, p: float, rng: Rng) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Five to a subject: of x half of the variance is between subjects, of y about it a third, of the judge's all."""
    subject = np.repeat(np.arange(n // 5), 5)
    x, about = (
        np.sqrt(share) * rng.normal(size=n // 5)[subject] + np.sqrt(1 - share) * rng.normal(size=subject.size)
        for share in (1 / 2, 1 / 3)
    )
    y = p * x + np.sqrt(1 - p**2) * about
    return x, y, y + 0.3 * x + 0.5 * rng.normal(size=n // 5)[subject], subject


def regressed_odds(n: int, p: float, rng: Rng) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log odds rise by 1 with x, from those of p; the judge errs on one of ten, and on one of five where x > 0."""
    x = rng.normal(size=n)
    y = rng.random(n) < 1 / (1 + np.exp(-np.log(p / (1 - p)) - x))
    return x, y.astype(float), (y ^ (rng.random(n) < np.where(x > 0, 0.2, 0.1))).astype(float)


def powered_slope(draw: Callable[..., tuple[np.ndarray, ...]]) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """n labelled and four times as many unlabelled, in clusters of other subjects."""

    def both(n: int, p: float, rng: Rng) -> EstimateAndTruth:
        x, human, judge, *subject = draw(n, p, rng)
        others_x, _, unlabelled, *other = draw(4 * n, p, rng)
        _, slope = agreement.prediction_powered_regression(
            human, judge, x, unlabelled, others_x, model="logistic" if draw is regressed_odds else "linear",
            clusters=subject[0] if subject else None, unlabelled_clusters=other[0] + n if other else None,
        )  # fmt: skip
        return slope.coefficient, 1.0 if draw is regressed_odds else p

    return both


def readers_difference(n: int, p: float, rng: Rng) -> EstimateAndTruth:
    """Five random readers under two conditions of the same accuracy, with reader and item effects."""
    ease = rng.normal(scale=0.5, size=(n, 1)) + rng.normal(scale=0.3, size=5) + stats.norm.ppf(p) * np.sqrt(1.34)
    first, second = (ease + rng.normal(size=(n, 5)) > 0), (ease + rng.normal(size=(n, 5)) > 0)
    return agreement.reader_averaged_difference(first.astype(int), second.astype(int)), 0.0


INTERVALS: dict[str, Callable[[int, float, Rng], EstimateAndTruth]] = {
    "Wilson": proportion(agreement.wilson_interval),
    "Clopper-Pearson": proportion(agreement.clopper_pearson_interval),
    "accuracy in clusters, Wilson (assumes independent items)": as_if_independent,
    "paired difference, Newcombe": paired_proportions,
    "PABAK, exact": two(agreement.pabak),
    "AC1 of two": several(agreement.gwet_ac, 2),
    "Conger's kappa of three": several(agreement.conger_kappa),
    "Brennan-Prediger of three": several(agreement.brennan_prediger),
    "ICC(1,1)": intraclass(1),
    "ICC(2,1), raters little apart": intraclass(2, of_raters=0.1),
    "ICC(2,1), raters little apart, F": intraclass(2, of_raters=0.1, interval="f"),
    "ICC(2,1), raters far apart": intraclass(2, of_raters=0.5),
    "ICC(2,1), raters far apart, modified large sample": intraclass(2, of_raters=0.5, interval="mls"),
    "ICC(2,1), raters far apart, F": intraclass(2, of_raters=0.5, interval="f"),
    "ICC(2,k), raters far apart": intraclass(2, average=True, of_raters=0.5),
    "ICC(3,1)": intraclass(3),
    "ICC(3,1), F": intraclass(3, interval="f"),
    "ICC(3,1), items skewed": intraclass(3, skewed=True),
    "ICC(3,1), items skewed, F": intraclass(3, skewed=True, interval="f"),
    "ICC(3,k)": intraclass(3, average=True),
    "Lin's CCC, z-transform": scores(agreement.lin_ccc, lambda p: p),
    "upper limit of agreement": limit_of_agreement,
    "Pearson, Fisher's z": scores(agreement.pearson, lambda p: p),
    "Spearman": scores(agreement.spearman, lambda p: 6 / np.pi * np.arcsin(p / 2)),
    "Kendall's tau": scores(agreement.kendall_tau, lambda p: 2 / np.pi * np.arcsin(p)),
    "ROC area": area(agreement.roc_auc),
    "ROC area, DeLong": area(agreement.roc_auc, interval="normal"),
    "common-language effect (Mann-Whitney)": area(agreement.mann_whitney),
    "corrected prevalence (Rogan-Gladen)": corrected_prevalence,
    "corrected prevalence in clusters": corrected_prevalence_in_clusters,
    "prediction-powered mean": prediction_powered(tuned=False),
    "prediction-powered mean over two strata": prediction_powered_by_strata(named=True),
    "the same by probabilities": prediction_powered_by_strata(named=False),
    "prediction-powered slope": powered_slope(regressed),
    "prediction-powered slope in clusters": powered_slope(regressed_in_clusters),
    "prediction-powered log odds": powered_slope(regressed_odds),
    "reader-averaged difference, random readers": readers_difference,
}


def simulate(draw: Callable[[int, float, Rng], EstimateAndTruth], n: int, p: float, runs: int, rng: Rng) -> str:
    """Share of samples whose interval holds the truth, in %, and in brackets that of samples without one."""
    drawn = [draw(n, p, rng) for _ in range(runs)]
    held = np.mean([estimate.low <= truth <= estimate.high for estimate, truth in drawn])
    without = np.mean([np.isnan(estimate.low) for estimate, _ in drawn])
    return f"{100 * held:.1f}" + (f" ({100 * without:.0f})" if without else "")


def near_the_ends(only: str, cells: set[tuple[int, float]], kinds: set[str], samples: int) -> None:
    """Print the first table, one simulation after the other."""
    for name, simulation in {**SIMULATIONS, **ORDERED, **OF_CLASSES, **SMALL}.items():
        if only not in name:
            continue
        methods = {kind: how for kind, how in simulation.methods.items() if not kinds or kind in kinds}
        chosen = replace(simulation, methods=methods)
        rows = table(chosen, lambda size, level: not cells or (size, level) in cells, samples, seed=2)
        if rows:
            print(f"\n{name}\n\n| size | p | rarer | interval | held | none | width | warned |\n{'|---' * 8}|")
            print("\n".join(rows), flush=True)


def everywhere(only: str, cells: set[tuple[int, float]], samples: int) -> None:
    """Print the second table."""
    columns = [cell for cell in product(SIZES, LEVELS) if not cells or cell in cells]
    chosen = {name: draw for name, draw in INTERVALS.items() if only in name}
    if not columns or not chosen:
        return
    rng = np.random.default_rng(2)
    print("\n| interval | " + " | ".join(f"n={n} {p:g}" for n, p in columns) + " |")
    print("|---" * (1 + len(columns)) + "|")
    for name, draw in chosen.items():
        shown = [simulate(draw, n, p, samples, rng) for n, p in columns]
        print(f"| {name} | " + " | ".join(shown) + " |", flush=True)


def main() -> None:
    """Print the tables, as Markdown."""
    parser = argparse.ArgumentParser(description="Observed coverage of intervals that claim 95 %.")
    parser.add_argument("--samples", type=int, default=1_000, help="simulated samples of each cell")
    parser.add_argument("--only", default="", help="intervals whose name holds this text")
    parser.add_argument("--cells", default="", help="size:level,..., for example 30:.9,136:.95; all by default")
    parser.add_argument("--kinds", default="", help="kinds of interval in the first table, separated by commas")
    options = parser.parse_args()
    named = [cell.split(":") for cell in options.cells.split(",") if cell]
    cells = {(int(size), float(level)) for size, level in named}
    kinds = set(filter(None, options.kinds.split(",")))
    near_the_ends(options.only, cells, kinds, options.samples)
    if not kinds:
        everywhere(options.only, cells, options.samples)


if __name__ == "__main__":
    main()
