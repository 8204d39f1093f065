"""Kappas if one rater is wrong throughout in some clusters: ``python -m benchmarks.unseen_clusters``.

If a tenth or a twentieth of the clusters are of this kind, many samples contain none, and look like samples from a
population without them. Each row has twelve populations. It prints the lowest coverage in %, and the lowest percentage
of samples that hold or warn, each with the number of populations below 90; then, for each prevalence and error rate,
the percentage of samples that warn although no cluster is wrong throughout and errors are scattered.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

import agreement
from agreement import Estimate
from benchmarks.clustered_kappas import KINDS, Population, Samples

LEVELS, ERRORS = (0.5, 0.8), (0.01, 0.03, 0.06)
SIZES: dict[str, np.ndarray[Any, Any]] = {
    "20 of 5": np.full(20, 5),
    "20 of 10": np.full(20, 10),
    "20 of 30": np.full(20, 30),
    "25 of 8": np.full(25, 8),
    "30 of 10": np.full(30, 10),
    "30 of 30": np.full(30, 30),
    "40 of 3 to 20": np.resize(np.arange(3, 21), 40),
    "40 of 2, 7, 21": np.resize([2, 7, 21], 40),
    "50 of 10": np.full(50, 10),
    "50 of 30": np.full(50, 30),
    "50 of 1, 2, 4, 8, 16": np.resize([1, 2, 4, 8, 16], 50),
    "100 of 1, 1, 1, 40": np.resize([1, 1, 1, 40], 100),
}


def row(coefficient: Callable[..., Estimate], raters: int, size: str, samples: int) -> str:
    """Return what the table says of some sizes."""
    sizes = SIZES[size]
    held, heard, warned = [], [], []
    for level, wrong, share in product(LEVELS, ERRORS, (0.1, 0.05, 0.0)):
        population = Population(level, wrong, alike=0.0, alike_errors=0.0, throughout=share)
        rng = np.random.default_rng([3, sizes.size, int(100 * level), int(100 * wrong), int(100 * share)])
        drawn = Samples(coefficient, population.draw(sizes, raters, samples, rng))
        truth, (low, high), warns = (
            population.truth(coefficient, raters),
            drawn.limits(KINDS[0]),
            drawn.warned(KINDS[0]),
        )
        if share:
            held.append(float(np.mean((low <= truth) & (truth <= high))))
            heard.append(float(np.mean(warns | (low <= truth) & (truth <= high))))
        else:
            warned.append(100 * float(warns.mean()))
    least = [f"{100 * min(shares):.1f}, {sum(share < 0.9 for share in shares)}" for shares in (held, heard)]
    return " | ".join([str(len(held)), *least, " ".join(f"{share:.0f}" for share in warned)])


def main() -> None:
    """Print the table, as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--samples", type=int, default=4_000, help="simulated samples of each population")
    parser.add_argument("--coefficient", default="cohen_kappa", help="its name in `agreement`")
    options = parser.parse_args()
    coefficient = getattr(agreement, options.coefficient)
    heads = ["clusters", "cells", "held", "held or warned", "warned where none is wrong throughout"]
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for size in SIZES:
        raters = 2 if coefficient is agreement.cohen_kappa else 3
        print(f"| {size} | {row(coefficient, raters, size, options.samples)} |", flush=True)


if __name__ == "__main__":
    main()
