"""Numbers in clusters: how often intervals that claim 95 % hold, ``python -m benchmarks.clustered_numbers``.

Two raters measure normal items; the items and the errors of a subject are alike by an intraclass correlation. Each row
has the default interval beside the one that it took the place of: percentiles of a bootstrap, of areas under the ROC
curve the normal interval. A sample without an interval is one that does not hold.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

import agreement
from agreement import Estimate

Rng = np.random.Generator
Data = np.ndarray[Any, Any]
Pair = tuple[Data, Data]

SIZES = {"5": [5], "2, 7, 21": [2, 7, 21], "1, 1, 1, 40": [1, 1, 1, 40]}
RELATED = 0.8  # correlation of the two raters
AREA = 0.8
RESAMPLES = 500


def drawn(subjects: Data, alike: float, rng: Rng) -> Data:
    """Standard normal numbers of which those of a subject have this intraclass correlation."""
    shared = rng.standard_normal(subjects.max() + 1)[subjects]
    return np.sqrt(alike) * shared + np.sqrt(1.0 - alike) * rng.standard_normal(subjects.size)


def measured(subjects: Data, alike: float, rng: Rng) -> Pair:
    """Two ratings of each item."""
    items, first, second = (drawn(subjects, alike, rng) for _ in range(3))
    first, second = (np.sqrt(RELATED) * items + np.sqrt(1.0 - RELATED) * own for own in (first, second))
    return first, second


def scored(subjects: Data, alike: float, rng: Rng) -> Pair:
    """A score of each item and whether it is positive, which half of each subject's items are."""
    positive = rng.random(subjects.size) < 0.5
    return drawn(subjects, alike, rng) + positive * np.sqrt(2.0) * stats.norm.ppf(AREA), positive


APART = 1.96 * np.sqrt(2.0 * (1.0 - RELATED))
STATISTICS: dict[str, tuple[Callable[..., Estimate], Callable[..., Pair], float]] = {
    "Pearson's r": (agreement.pearson, measured, RELATED),
    "Spearman's rho": (agreement.spearman, measured, 6.0 / np.pi * np.arcsin(RELATED / 2.0)),
    "Lin's concordance": (agreement.lin_ccc, measured, RELATED),
    "ICC(3,1)": (lambda a, b, **by: agreement.icc(np.column_stack([a, b]), 3, **by), measured, RELATED),
    "mean difference": (agreement.paired_difference, measured, 0.0),
    "upper limit of agreement": (lambda a, b, **by: agreement.bland_altman(a, b, **by).upper, measured, APART),
    "area under the ROC curve": (agreement.roc_auc, scored, AREA),
}


def row(name: str, clusters: int, size: list[int], alike: float, samples: int) -> str:
    """Share of samples that hold, in %, and mean width, by default and before, and share that warns."""
    statistic, draw, truth = STATISTICS[name]
    subjects = np.repeat(np.arange(clusters), np.resize(size, clusters))
    rng = np.random.default_rng([clusters, len(size), int(10 * alike), len(name)])
    before = {"interval": "normal"} if draw is scored else {"interval": "percentile"}
    kinds: tuple[dict[str, Any], ...] = ({}, before)
    held, widths, warned = np.zeros(2), np.zeros(2), 0
    for sample in range(samples):
        pair = draw(subjects, alike, rng)
        by: dict[str, Any] = {"clusters": subjects}
        if draw is not scored:
            by |= {"resamples": RESAMPLES, "seed": sample}
        estimates = [statistic(*pair, **by, **kind) for kind in kinds]
        held += [each.low <= truth <= each.high for each in estimates]
        widths += [np.nan_to_num(each.high - each.low) for each in estimates]
        warned += estimates[0].warning is not None
    shown = [f"{100 * hits / samples:.1f}, {width / samples:.3f}" for hits, width in zip(held, widths, strict=True)]
    return " | ".join([*shown, f"{100 * warned / samples:.0f}"])


def main() -> None:
    """Print the table, as Markdown."""
    parser = argparse.ArgumentParser(description="Observed coverage of numbers in clusters, of intervals of 95 %.")
    parser.add_argument("--samples", type=int, default=1_000, help="simulated samples of each cell")
    parser.add_argument("--only", default="", help="statistics whose name holds this text")
    parser.add_argument("--clusters", default="20,30,50", help="how many, separated by commas")
    parser.add_argument("--sizes", default=";".join(SIZES), help="of clusters, separated by semicolons")
    options = parser.parse_args()
    heads = ["statistic", "clusters of items", "alike", "default: held, width", "before: held, width", "warned"]
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    numbers, sizes = map(int, options.clusters.split(",")), options.sizes.split(";")
    cells = list(product(numbers, sizes, (0.0, 1 / 3, 2 / 3)))
    for name in (name for name in STATISTICS if options.only in name):
        for clusters, size, alike in cells:
            said = row(name, clusters, SIZES[size], alike, options.samples)
            print(f"| {name} | {clusters} of {size} | {alike:.2f} | {said} |", flush=True)


if __name__ == "__main__":
    main()
