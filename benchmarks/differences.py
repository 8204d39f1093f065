"""Level of the difference of two dependent coefficients: ``python -m benchmarks.differences``.

Two judges of the same quality are held against the same human, so that there is no difference; printed is in how many
of the simulated samples, in %, an interval of 95 % excludes 0, which claims to be 5. A sample without an interval
excludes nothing, and is counted in brackets.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

import agreement

SIZES = (60, 135)
OF_CLUSTER = 5  # items
WRONG = 0.15  # each judge errs on these
RESAMPLES = 600

Rng = np.random.Generator
Verdicts = np.ndarray[Any, Any]
Triple = tuple[Verdicts, Verdicts, Verdicts]


def _chance(mean: float, n: int, clustered: bool, rng: Rng) -> Verdicts:
    """Chance of each item: of clusters an intraclass correlation of one third."""
    if not clustered:
        return np.full(n, mean)
    return np.repeat(rng.beta(2 * mean, 2 * (1 - mean), n // OF_CLUSTER), OF_CLUSTER)


def _shared(n: int, clustered: bool, rng: Rng) -> Verdicts:
    """Normal numbers of variance 1; of clusters a third of it is shared."""
    if not clustered:
        return rng.normal(size=n)
    of_cluster = np.repeat(rng.normal(size=n // OF_CLUSTER), OF_CLUSTER)
    return np.asarray(np.sqrt(1 / 3) * of_cluster + np.sqrt(2 / 3) * rng.normal(size=n))


def binary(prevalence: float) -> Callable[[int, bool, Rng], Triple]:
    """Verdicts 0 and 1 of two judges and a human."""

    def draw(n: int, clustered: bool, rng: Rng) -> Triple:
        human = rng.random(n) < _chance(prevalence, n, clustered, rng)
        first, second = (human ^ (rng.random(n) < _chance(WRONG, n, clustered, rng)) for _ in range(2))
        return first.astype(int), second.astype(int), human.astype(int)

    return draw


def graded(n: int, clustered: bool, rng: Rng) -> Triple:
    """Grades 1 to 5: normal numbers with noise of a quarter of their variance, cut at fixed points."""
    human, first, second = (np.digitize(score, [-1.2, -0.4, 0.4, 1.2]) + 1 for score in scored(n, clustered, rng)[::-1])
    return first, second, human


def scored(n: int, clustered: bool, rng: Rng) -> Triple:
    """Normal scores, with noise of half their standard deviation."""
    human = _shared(n, clustered, rng)
    first, second = (human + 0.5 * _shared(n, clustered, rng) for _ in range(2))
    return first, second, human


CASES: dict[str, tuple[str, Callable[[int, bool, Rng], Triple], dict[str, Any]]] = {
    "kappa, prevalence .5": ("kappa", binary(0.5), {"categories": [0, 1]}),
    "kappa, prevalence .85": ("kappa", binary(0.85), {"categories": [0, 1]}),
    "kappa with quadratic weights, five categories": (
        "kappa",
        graded,
        {"weights": "quadratic", "categories": [1, 2, 3, 4, 5]},
    ),
    "AC1, prevalence .5": ("ac", binary(0.5), {"categories": [0, 1]}),
    "AC1, prevalence .85": ("ac", binary(0.85), {"categories": [0, 1]}),
    "Pearson's correlation": ("pearson", scored, {}),
}


def level(case: str, n: int, clustered: bool, interval: str, samples: int) -> str:
    """Share of samples whose interval excludes 0, and in brackets of those without one, where there are any."""
    statistic, draw, options = CASES[case]
    rng = np.random.default_rng([list(CASES).index(case), n, clustered])
    excluded = without = 0
    for _ in range(samples):
        first, second, human = draw(n, clustered, rng)
        estimate = agreement.coefficient_difference(
            first, second, statistic, reference=human, interval=interval, resamples=RESAMPLES,  # type: ignore[arg-type]
            clusters=np.arange(n) // OF_CLUSTER if clustered else None, seed=int(rng.integers(2**31)), **options,
        )  # fmt: skip
        without += bool(np.isnan(estimate.low))
        excluded += bool(estimate.low > 0.0 or estimate.high < 0.0)
    return f"{100 * excluded / samples:.1f}" + (f" ({100 * without / samples:.1f})" if without else "")


def main() -> None:
    """Print the table, as Markdown."""
    parser = argparse.ArgumentParser(description="Observed level of differences that claim 5 %.")
    parser.add_argument("--samples", type=int, default=4_000, help="simulated samples of each cell")
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--interval", default="percentile", choices=("percentile", "bca"))
    options = parser.parse_args()
    columns = [(n, clustered) for n in SIZES for clustered in (False, True)]
    heads = [f"n={n}" + (", clusters" if clustered else "") for n, clustered in columns]
    print(f"| difference of | {' | '.join(heads)} |\n{'|---' * (1 + len(heads))}|")
    for case in CASES:
        if options.only in case:
            cells = [level(case, n, clustered, options.interval, options.samples) for n, clustered in columns]
            print(f"| {case} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
