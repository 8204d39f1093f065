"""Coverage of the intervals by simulation: ``python -m benchmarks.coverage [--runs N] [--only TEXT]``.

Samples are drawn from populations whose true value is known, and the share of intervals that hold it is printed beside
the nominal 95 %. Three sizes (n = 30, 136, 1365 items), two populations each: for verdicts a prevalence of .5 and .9,
for scores a true correlation or area of .5 and .9.
"""

import argparse
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

import agreement
from agreement import Estimate

SIZES = (30, 136, 1365)
LEVELS = (0.5, 0.9)
WRONG = 0.1  # each simulated rater errs on one item of ten
RESAMPLES = 1_000

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


def clustered(n: int, p: float, rng: Rng) -> tuple[np.ndarray, np.ndarray]:
    """Correctness of n items, five to a subject, with an intraclass correlation of one third."""
    subjects = max(2, n // 5)
    chance = np.repeat(rng.beta(2 * p, 2 * (1 - p), subjects), 5)
    return (rng.random(chance.size) < chance).astype(int), np.repeat(np.arange(subjects), 5)


def clustered_accuracy(interval: Any) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """Accuracy on clustered items; without a kind of interval as if they were independent."""

    def draw(n: int, p: float, rng: Rng) -> EstimateAndTruth:
        correct, subjects = clustered(n, p, rng)
        if interval is None:
            return agreement.accuracy_of_correctness(correct).primary, p
        accuracy = agreement.accuracy_of_correctness(correct, clusters=subjects, resamples=RESAMPLES, interval=interval)
        return accuracy.primary, p

    return draw


def normal_pair(n: int, correlation: float, rng: Rng) -> tuple[np.ndarray, np.ndarray]:
    """Scores of two raters, of mean 0 and variance 1, with the correlation."""
    x, y = rng.normal(size=(2, n))
    return x, correlation * x + np.sqrt(1 - correlation**2) * y


def scores(
    coefficient: Callable[..., Estimate], truth: Callable[[float], float]
) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """Simulation of a coefficient of normal scores of two raters."""
    return lambda n, p, rng: (coefficient(*normal_pair(n, p, rng)), truth(p))


def intraclass(model: int, average: bool = False) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """Four raters; the share of variance between items is the true correlation. Model 2 has random raters."""

    def draw(n: int, p: float, rng: Rng) -> EstimateAndTruth:
        raters = 4
        of_rater = 0.1 * (1 - p) if model == 2 else 0.0
        noise = 1 - p - of_rater
        table = (
            rng.normal(scale=np.sqrt(p), size=(n, 1))
            + rng.normal(scale=np.sqrt(of_rater), size=raters)
            + rng.normal(scale=np.sqrt(noise), size=(n, raters))
        )
        return agreement.icc(table, model, average), raters * p / (1 + (raters - 1) * p) if average else p  # type: ignore[arg-type]

    return draw


def limit_of_agreement(n: int, p: float, rng: Rng) -> EstimateAndTruth:
    """The upper limit; differences have variance 2 (1 - p)."""
    return agreement.bland_altman(*normal_pair(n, p, rng)).upper, 1.96 * np.sqrt(2 * (1 - p))


def area(statistic: Callable[..., Estimate]) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """Half of the items positive, binormal scores with the area p."""

    def draw(n: int, p: float, rng: Rng) -> EstimateAndTruth:
        outcome = np.arange(n) % 2
        score = rng.normal(size=n) + outcome * np.sqrt(2) * stats.norm.ppf(p)
        if statistic is agreement.roc_auc:
            return statistic(score, outcome), p
        return statistic(score[outcome == 1], score[outcome == 0]), p

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


def prediction_powered(tuned: bool) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """The same candidates, by prediction-powered inference."""

    def draw(n: int, p: float, rng: Rng) -> EstimateAndTruth:
        human, judge = judged(n, p, rng)
        _, unlabelled = judged(10 * n, p, rng)
        return agreement.prediction_powered_mean(human, judge, unlabelled, tuned=tuned), p

    return draw


def weighted(interval: Any) -> Callable[[int, float, Rng], EstimateAndTruth]:
    """Two strata of which one third and all are drawn, with accuracies p and p - .2."""

    def draw(n: int, p: float, rng: Rng) -> EstimateAndTruth:
        tier = np.arange(n) % 4 == 0  # flagged: drawn with certainty, one twelfth of the population
        right = rng.random(n) < np.where(tier, p - 0.2, p)
        truth = (0.25 * (p - 0.2) + 0.75 * 3 * p) / (0.25 + 0.75 * 3)
        estimate = agreement.weighted_mean(
            right, np.where(tier, 1.0, 1 / 3), strata=tier, interval=interval, resamples=RESAMPLES
        )
        return estimate, truth

    return draw


def readers_difference(n: int, p: float, rng: Rng) -> EstimateAndTruth:
    """Five random readers under two conditions of the same accuracy, with reader and item effects."""
    ease = rng.normal(scale=0.5, size=(n, 1)) + rng.normal(scale=0.3, size=5) + stats.norm.ppf(p) * np.sqrt(1.34)
    first, second = (ease + rng.normal(size=(n, 5)) > 0), (ease + rng.normal(size=(n, 5)) > 0)
    return agreement.reader_averaged_difference(first.astype(int), second.astype(int)), 0.0


def brier(n: int, p: float, rng: Rng) -> EstimateAndTruth:
    """Calibrated confidences from p - .1 to p + .1."""
    confidence = rng.uniform(p - 0.1, p + 0.1, n)
    correct = (rng.random(n) < confidence).astype(int)
    return agreement.brier_score(confidence, correct, resamples=RESAMPLES), p * (1 - p) - 0.2**2 / 12


INTERVALS: dict[str, Callable[[int, float, Rng], EstimateAndTruth]] = {
    "Wilson": proportion(agreement.wilson_interval),
    "Clopper-Pearson": proportion(agreement.clopper_pearson_interval),
    "accuracy in clusters, Wilson (assumes independent items)": clustered_accuracy(None),
    "accuracy in clusters, percentile bootstrap of clusters": clustered_accuracy("percentile"),
    "accuracy in clusters, BCa bootstrap of clusters": clustered_accuracy("bca"),
    "paired difference, Newcombe": paired_proportions,
    "weighted mean, bootstrap within strata": weighted("percentile"),
    "weighted mean, linearised": weighted("linearised"),
    "kappa, Fleiss-Cohen-Everitt": two(agreement.cohen_kappa),
    "kappa, percentile bootstrap of items": two(agreement.cohen_kappa, interval="percentile", resamples=RESAMPLES),
    "kappa, BCa bootstrap of items": two(agreement.cohen_kappa, interval="bca", resamples=RESAMPLES),
    "PABAK, exact": two(agreement.pabak),
    "AC1 of two, Gwet": several(agreement.gwet_ac, 2),
    "AC1 of three, Gwet": several(agreement.gwet_ac),
    "Fleiss' kappa of three, Gwet": several(agreement.fleiss_kappa),
    "Conger's kappa of three, Gwet": several(agreement.conger_kappa),
    "Brennan-Prediger of three, Gwet": several(agreement.brennan_prediger),
    "alpha of three, nominal, Gwet": several(agreement.krippendorff_alpha),
    "ICC(1,1)": intraclass(1),
    "ICC(2,1), random raters": intraclass(2),
    "ICC(3,1)": intraclass(3),
    "ICC(3,k)": intraclass(3, average=True),
    "Lin's CCC, z-transform": scores(agreement.lin_ccc, lambda p: p),
    "upper limit of agreement": limit_of_agreement,
    "Pearson, Fisher's z": scores(agreement.pearson, lambda p: p),
    "Spearman": scores(agreement.spearman, lambda p: 6 / np.pi * np.arcsin(p / 2)),
    "Kendall's tau": scores(agreement.kendall_tau, lambda p: 2 / np.pi * np.arcsin(p)),
    "ROC area, DeLong": area(agreement.roc_auc),
    "common-language effect (Mann-Whitney)": area(agreement.mann_whitney),
    "Brier score, bootstrap of items": brier,
    "corrected prevalence (Rogan-Gladen)": corrected_prevalence,
    "prediction-powered mean": prediction_powered(tuned=False),
    "prediction-powered mean, tuned": prediction_powered(tuned=True),
    "reader-averaged difference, random readers": readers_difference,
}


def simulate(draw: Callable[[int, float, Rng], EstimateAndTruth], n: int, p: float, runs: int, rng: Rng) -> str:
    """Share of intervals that hold the truth, in %, and in brackets that of samples without one."""
    held = []
    for _ in range(runs):
        estimate, truth = draw(n, p, rng)
        if not np.isnan(estimate.low):
            held.append(estimate.low <= truth <= estimate.high)
    share = f"{100 * np.mean(held):.1f}" if held else "-"
    return share + (f" ({100 * (1 - len(held) / runs):.0f})" if len(held) < runs else "")


def main() -> None:
    """Print the table, as Markdown."""
    parser = argparse.ArgumentParser(description="Observed coverage of intervals that claim 95 %.")
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--only", default="", help="intervals whose name holds this text")
    options = parser.parse_args()
    rng = np.random.default_rng(2)
    chosen = {name: draw for name, draw in INTERVALS.items() if options.only in name}
    print("| interval | " + " | ".join(f"n={n} {p:g}" for n, p in product(SIZES, LEVELS)) + " |")
    print("|---" * (1 + len(SIZES) * len(LEVELS)) + "|")
    for name, draw in chosen.items():
        cells = [simulate(draw, n, p, options.runs, rng) for n, p in product(SIZES, LEVELS)]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
