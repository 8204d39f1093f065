"""How often a judge without a direction is called stricter or more lenient, and one that errs alike not uniform.

python -m benchmarks.judge_levels [--samples 1000]

Direction: a judge differs from the human on 6 or 20 % of the candidates, as often to either side. Uniformity: it is too
strict on 10 % and too lenient on 2 %, at every one of 2 or 4 levels, which cross the clusters or divide them. A
candidate takes the outcome of its cluster with the square root of the intraclass correlation (0 or 1/3) as probability,
or, where levels cross, that of its cluster on its level, else one of its own. Clusters are of equal sizes, for the
direction also of sizes as 1, 1/2, 1/3 ... Printed are the lowest and the highest share over these populations.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import stats

from agreement import mcnemar_in_clusters
from agreement.bias import score_test
from agreement.judge.direction import by_interval, stands_for
from agreement.judge.signed import signed_difference

SIZES = ((30, None), (136, None), (30, 10), (60, 10), (60, 25), (136, 10), (136, 25), (136, 50))
"""Candidates and clusters; None if each candidate is independent."""
CORRELATIONS = (0.0, 1 / 3)
LEVEL = 0.05
Levels = Literal["cross", "divide", "cross, alike on each"]
Outcomes = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1_000)
    samples = parser.parse_args().samples
    print(f"{samples} samples of each population; % of samples at a level of 5 %, lowest to highest\n")
    print(f"{'candidates':>10}{'clusters':>10}{'interval alone':>18}{'P alone':>14}{'both: the word':>18}"
          f"{'not uniform':>16}")  # fmt: skip
    for n, m in SIZES:
        words = np.array([directions(n, m, *each, samples) for each in _populations(m)])
        tests = [uniformity(n, m, *each, samples) for each in _factors(m)]
        columns = [*words.T, np.array(tests)]
        shown = [f"{100 * each.min():.1f} to {100 * each.max():.1f}" for each in columns]
        print(f"{n:>10}{m or '-':>10}{shown[0]:>18}{shown[1]:>14}{shown[2]:>18}{shown[3]:>16}", flush=True)


def _populations(m: int | None) -> Iterator[tuple[float, float, bool]]:
    yield from product((0.03, 0.1), CORRELATIONS if m else (0.0,), (False, True) if m else (False,))


def _factors(m: int | None) -> Iterator[tuple[int, float, Levels]]:
    kinds: tuple[Levels, ...] = ("cross", "divide", "cross, alike on each")
    yield from product((2, 4), CORRELATIONS if m else (0.0,), kinds if m else kinds[:1])


def directions(n: int, m: int | None, each_side: float, correlation: float, unequal: bool, samples: int) -> list[float]:
    """Shares of samples in which the interval, P and both show a direction that there is not."""
    rng = np.random.default_rng([n, m or 0, round(100 * each_side), round(10 * correlation), unequal])
    times = np.zeros(3)
    for _ in range(samples):
        cluster = clusters_of(n, m, unequal, rng)
        gaps = outcomes(cluster, (each_side, each_side), correlation, rng)
        human, judge = (gaps >= 0).astype(np.float64), (gaps <= 0).astype(np.float64)
        test = None
        if m:
            test = mcnemar_in_clusters(human, judge, clusters=cluster, method="obuchowski", resamples=2)
        estimate = signed_difference(
            human, judge, cluster if m else None, shares=True, confidence=1.0 - LEVEL, resamples=500, seed=0,
            test_in_clusters=test,
        )  # fmt: skip
        by_p = estimate.p is not None and estimate.p <= LEVEL
        times += by_interval(estimate) != "undecided", by_p, stands_for(estimate) != "undecided"
    return (times / samples).tolist()


def uniformity(n: int, m: int | None, levels: int, correlation: float, kind: Levels, samples: int) -> float:
    """Share of samples in which the score test rejects one difference at all levels; untested samples do not."""
    rng = np.random.default_rng([n, m or 0, levels, round(10 * correlation), get_args(Levels).index(kind)])
    rejected = 0
    for _ in range(samples):
        cluster = clusters_of(n, m, False, rng)
        divides = kind == "divide"
        codes = rng.permutation(np.arange(m or n) % levels)[cluster] if divides else rng.permutation(n) % levels
        alike = cluster * levels + codes if kind == "cross, alike on each" else cluster
        gaps = outcomes(alike, (0.1, 0.02), correlation, rng)
        statistic, df, reason = score_test(gaps, codes, tuple(range(levels)), cluster, "candidate")
        rejected += reason is None and bool(stats.chi2.sf(statistic, df) <= LEVEL)
    return rejected / samples


def clusters_of(n: int, m: int | None, unequal: bool, rng: np.random.Generator) -> Places:
    if m is None:
        return np.arange(n)
    if not unequal:
        return np.arange(n) % m
    weights = 1.0 / np.arange(1, m + 1)
    return np.r_[np.arange(m), rng.choice(m, n - m, p=weights / weights.sum())]


def outcomes(cluster: Places, rates: tuple[float, float], correlation: float, rng: np.random.Generator) -> Outcomes:
    """1 where the judge is too strict, -1 where it is too lenient, 0 elsewhere."""
    p = [1.0 - sum(rates), *rates]
    of_cluster, own = (rng.choice([0.0, 1.0, -1.0], size, p=p) for size in (int(cluster.max()) + 1, cluster.size))
    return np.where(rng.random(cluster.size) < np.sqrt(correlation), of_cluster[cluster], own)


if __name__ == "__main__":
    main()
