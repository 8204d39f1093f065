"""Shares in clusters: intervals of thousands of samples at once, and a table of populations.

``python -m benchmarks.clustered_shares`` prints how often intervals that claim 95 % hold in populations that differ in
the share, in how alike the items of a cluster are and in what way, and in the sizes of clusters; and how wide they are
beside the narrowest that holds in the same cell, and beside the narrowest that holds in the same clusters with the same
share however alike their items are (ADR 50). Kinds: ``default``, of `agreement.effective_size.share_size`; those before
it, ``scattered`` (ADR 40) and ``learning`` (ADR 39); ``anova, z`` and ``anova, t``, Wilson's with Saha, Miller and
Wang's design effect; ``linear``, Lee and Dubin's; ``likelihood``, of the mean of a beta-binomial, with t. The first
samples of each cell are estimated by the library too, and a difference stops the run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

import agreement
from agreement.cautions import FEW_UNEVEN_OF_SHARE, UNEVEN
from agreement.unseen import FEW_WITH_RARER, MORE, SCATTERED
from benchmarks.beta_binomial import likelihood_limits
from benchmarks.clustered_kappas import SIZES
from benchmarks.designs import WIDTH, holding, least_held, median_and_more

Data = np.ndarray[Any, Any]
Limits = tuple[Data, Data]
Rng = np.random.Generator

OF_SHARE = ("default", "scattered", "learning", "anova, z", "anova, t", "linear")  # of all items
KINDS = (*OF_SHARE, "likelihood")
COMPARED = 3  # samples of each cell that the library estimates too
RAREST = 5  # wrong items that are expected, of the cells that are counted
LEVELS = (0.6, 0.75, 0.9, 0.95, 0.97, 0.98)
LIKENESSES = (0.0, 0.1, 1 / 3, 2 / 3)  # intraclass correlations that one sample does not tell apart

OF_SHARES: dict[str, Callable[[int], Data]] = SIZES | {
    "30": lambda clusters: np.full(clusters, 30),
    "1, 2, 4, 8, 16": lambda clusters: np.resize([1, 2, 4, 8, 16], clusters),
    "1, 3, 9": lambda clusters: np.resize([1, 3, 9], clusters),
    "one of 40 beside 1": lambda clusters: np.concatenate([[40], np.ones(clusters - 1, dtype=int)]),
}


@dataclass(frozen=True)
class Chances:
    """How the chance of a right answer spreads over clusters.

    Attributes
    ----------
    mean : float
        Over all clusters.
    draw : callable
        From a shape and a generator to a chance for each cluster.
    """

    mean: float
    draw: Callable[[tuple[int, int], Rng], Data]


def beta(mean: float, alike: float) -> Chances:
    """Beta distributed, with an intraclass correlation; 0 is the same chance in all clusters."""
    if alike == 0.0:
        return Chances(mean, lambda shape, _: np.full(shape, mean))
    scale = 1.0 / alike - 1.0
    return Chances(mean, lambda shape, rng: rng.beta(mean * scale, (1.0 - mean) * scale, shape))


def log_odds(centre: float, spread: float) -> Chances:
    """Normal on the scale of log odds: most clusters have hardly an error, and few have most."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(99)
    mean = float(weights @ (1.0 / (1.0 + np.exp(-centre - spread * nodes))) / weights.sum())
    return Chances(mean, lambda shape, rng: 1.0 / (1.0 + np.exp(-rng.normal(centre, spread, shape))))


def of_two(share: float, low: float, high: float) -> Chances:
    """A share of the clusters has one chance, the others another."""
    mean = share * low + (1.0 - share) * high
    return Chances(mean, lambda shape, rng: np.where(rng.random(shape) < share, low, high))


ALIKE: dict[str, list[Chances]] = {
    "0": [beta(level, 0.0) for level in LEVELS],
    "1/10 to 2/3": [beta(level, alike) for level, alike in product(LEVELS, LIKENESSES[1:])],
    "normal log odds": [log_odds(*pair) for pair in ((5.5, 3.0), (4.0, 2.0), (3.0, 1.2), (3.5, 3.0))],
    "of two kinds": [of_two(*of) for of in ((0.2, 0.5, 1.0), (0.1, 0.3, 0.99))],
    "wrong throughout": [of_two(*of) for of in ((0.1, 0.0, 0.99), (0.1, 0.0, 0.97), (0.05, 0.0, 0.99))],
}


def limits(right: Data, sizes: Data) -> dict[str, Limits]:
    """Return the limits of all kinds for samples of one cell.

    Parameters
    ----------
    right : ndarray, shape (samples, clusters)
        How many items of each cluster are right.
    sizes : ndarray, shape (clusters,)
        How many there are.
    """
    n, clusters, counts = sizes.sum(), len(sizes), right.sum(axis=1)
    share, events = counts / n, np.minimum(counts, n - counts)
    normal, t = stats.norm.isf(0.025), stats.t.isf(0.025, clusters - 1)
    vary = events > 0
    squares = ((right - sizes * share[:, None]) ** 2).sum(axis=1) * clusters / (clusters - 1)
    alone = np.where(vary, n * share * (1 - share), 1)
    observed = np.where(vary, np.maximum(1, squares / alone), 1)
    by_variance = 1 + ((sizes**2).sum() / n - 1) * _alike(right, sizes)
    learnt = (events * by_variance + 1) / (events + 1)
    rarer = np.where((counts <= n - counts)[:, None], right, sizes - right)
    having = np.where(vary, events**2 / np.maximum(1, (rarer**2).sum(axis=1)), 0)
    scattered = np.minimum(1, having / _by_chance(events, sizes))
    most = 1 + (n / clusters - 1) * (1 - scattered**2 * events / (events + 1))
    evidence = np.sqrt(events * having)
    effects = {
        "default": np.maximum((evidence * observed + 1.5 * most) / (evidence + 1.5), learnt),
        "scattered": np.maximum((events * observed + most) / (events + 1), learnt),
        "learning": np.maximum((events * observed + 0.5 * n / clusters) / (events + 0.5), learnt),
    }
    result = {kind: _wilson(share, n / np.where(vary, effect, n / clusters), t) for kind, effect in effects.items()}
    result |= {f"anova, {name}": _wilson(share, n / by_variance, q) for name, q in (("z", normal), ("t", t))}
    half = t * np.sqrt(np.where(vary, squares, np.nan)) / n
    result["linear"] = share - half, share + half
    return result | {"likelihood": likelihood_limits(right, sizes, t)}


def warned(right: Data, sizes: Data, of_default: Limits) -> Data:
    """Return which samples carry a warning with the default: `agreement.cautions`, of many samples at once.

    Parameters
    ----------
    right, sizes
        As in `limits`.
    of_default : pair of ndarray, shape (samples,)
        Limits of the default.

    Returns
    -------
    ndarray of bool, shape (samples,)
    """
    n, clusters, counts = sizes.sum(), len(sizes), right.sum(axis=1)
    worth = n**2 / (sizes**2).sum()
    if worth < UNEVEN * clusters and worth < FEW_UNEVEN_OF_SHARE:
        return np.ones(len(right), dtype=bool)
    counting, events = 2 * counts <= n, np.minimum(counts, n - counts)
    rarer = np.where(counting[:, None], right, sizes - right)
    having = events**2 / np.maximum(1, (rarer**2).sum(axis=1))
    scattered = having >= SCATTERED * _by_chance(events, sizes)
    more = MORE * n / worth
    moved = (counts + more * counting) / (n + more)
    low, high = of_default
    return (events > 0) & (having < FEW_WITH_RARER) & scattered & ((moved < low) | (moved > high))


def _by_chance(events: Data, sizes: Data) -> Data:
    """In how many clusters, as Kish counts, so many items would be if they lay anywhere; 1 for none."""
    n, some = sizes.sum(), np.maximum(1, events)
    return some**2 / (some + (some**2 - some) * (sizes * (sizes - 1)).sum() / (n * (n - 1)))


def _alike(right: Data, sizes: Data) -> Data:
    """Intraclass correlation by analysis of variance, at least 0."""
    n, clusters, counts = sizes.sum(), len(sizes), right.sum(axis=1)
    explained = (right**2 / sizes).sum(axis=1)
    between, within = (explained - counts**2 / n) / (clusters - 1), (counts - explained) / (n - clusters)
    total = between + ((n - (sizes**2).sum() / n) / (clusters - 1) - 1) * within
    return np.where(total > 0, np.maximum(0, between - within) / np.where(total > 0, total, 1), 0)


def _wilson(share: Data, n: Data, quantile: float) -> Limits:
    centre = share + quantile**2 / (2 * n)
    half = quantile * np.sqrt(share * (1 - share) / n + quantile**2 / (4 * n**2))
    return (centre - half) / (1 + quantile**2 / n), (centre + half) / (1 + quantile**2 / n)


@dataclass(frozen=True)
class Counted:
    """One cell: of each kind the share of samples that it holds, and its mean width within 0 and 1.

    Of the default also the shares of samples that carry a warning, and in which it holds or they do.
    """

    held: dict[str, float]
    width: dict[str, float]
    warned: float = 0.0
    heard: float = 1.0

    def width_ratio(self, least: float, among: Iterable[str] = OF_SHARE) -> float:
        """Return the default's width over that of the narrowest of some kinds that holds as often as `least`."""
        widths = [self.width[kind] for kind in among if self.held[kind] >= least]
        return self.width[KINDS[0]] / min(widths) if widths and self.held[KINDS[0]] >= least else float("nan")


def count(chances: Chances, sizes: Data, samples: int, rng: Rng) -> Counted:
    """Return how often the intervals of samples hold; where there is none, it does not."""
    right = rng.binomial(sizes, chances.draw((samples, len(sizes)), rng))
    of_kinds = limits(right, sizes)
    low, high = of_kinds[KINDS[0]]
    warns = warned(right, sizes, (low, high))
    compare(right[:COMPARED], sizes, (low, high), warns)
    truth = chances.mean
    return Counted(
        {kind: float(np.mean((low <= truth) & (truth <= high))) for kind, (low, high) in of_kinds.items()},
        {kind: float(np.nanmean(np.minimum(1, high) - np.maximum(0, low))) for kind, (low, high) in of_kinds.items()},
        float(np.mean(warns)),
        float(np.mean(warns | ((low <= truth) & (truth <= high)))),
    )


def compare(right: Data, sizes: Data, of_default: Limits, warns: Data) -> None:
    """Stop where the library has other limits or warnings than these.

    Raises
    ------
    AssertionError
        When they differ.
    """
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    for of_sample, low, high, warning in zip(right, *of_default, warns, strict=False):
        estimate = agreement.accuracy_of_correctness(place < of_sample[clusters], clusters=clusters).primary
        np.testing.assert_allclose((low, high), (estimate.low, estimate.high), atol=1e-8)
        assert (estimate.warning is not None) == warning, (estimate, warning)


@cache
def listed(alike: str, number: int, clusters: int, size: str, samples: int) -> Counted:
    """Count the cell of a population of `ALIKE`."""
    rng = np.random.default_rng([4, clusters, number, len(size)])
    return count(ALIKE[alike][number], OF_SHARES[size](clusters), samples, rng)


def design(alike: str, number: int, clusters: int, size: str, samples: int) -> list[Counted]:
    """Count the cells of the same clusters and the same share, with all of `LIKENESSES`."""
    steps = len(LIKENESSES) - 1
    level = {"0": number, "1/10 to 2/3": number // steps}.get(alike)
    if level is not None:
        of = [("0", level), *(("1/10 to 2/3", steps * level + step) for step in range(steps))]
        return [listed(*names, clusters, size, samples) for names in of]
    mean, sizes, seed = ALIKE[alike][number].mean, OF_SHARES[size](clusters), [4, clusters, 100 + number, len(size)]
    return [count(beta(mean, likeness), sizes, samples, np.random.default_rng(seed)) for likeness in LIKENESSES]


def cells(clusters: int, size: str, alike: str, samples: int) -> Iterator[tuple[Counted, list[Counted]]]:
    """Count the cells in which five wrong items or more are expected, each with those of its design."""
    items = OF_SHARES[size](clusters).sum()
    for number, chances in enumerate(ALIKE[alike]):
        if items * (1.0 - chances.mean) >= RAREST:
            of = alike, number, clusters, size, samples
            yield listed(*of), design(*of)


@dataclass(frozen=True)
class Widths:
    """The default's width in some cells, over that of the narrowest other that holds; missing where it does not.

    Attributes
    ----------
    in_cell : ndarray
        In the same cell.
    in_design, with_likelihood : ndarray
        However alike items are; among the intervals of the share of all items, and with the likelihood.
    alone : int
        Cells for which no other interval of the share of all items holds however alike items are.
    """

    in_cell: Data
    in_design: Data
    with_likelihood: Data
    alone: int

    @staticmethod
    def of(counted: list[tuple[Counted, list[Counted]]], samples: int) -> Widths:
        """Compare the widths of some cells."""
        least = least_held(samples)
        usable = [holding(design_of, least, OF_SHARE) for _, design_of in counted]
        return Widths(
            np.array([cell.width_ratio(least) for cell, _ in counted]),
            np.array([cell.width_ratio(least, kinds) for (cell, _), kinds in zip(counted, usable, strict=True)]),
            np.array([cell.width_ratio(least, holding(design_of, least, KINDS)) for cell, design_of in counted]),
            sum(kinds == [KINDS[0]] for kinds in usable),
        )

    def shown(self) -> list[str]:
        """Return median, maximum and cells above `WIDTH`, of each comparison."""
        return [median_and_more(ratios) for ratios in (self.in_cell, self.in_design, self.with_likelihood)]


def row(counted: list[tuple[Counted, list[Counted]]], samples: int) -> str:
    """Return what a table says of some cells."""
    least, alone = least_held(samples), [cell for cell, _ in counted]
    held = {kind: [cell.held[kind] for cell in alone] for kind in KINDS}
    shown = [
        f"{100 * min(of):.1f} to {100 * max(of):.1f}, {sum(share < least for share in of)}" for of in held.values()
    ]
    over = [cell.width["default"] / cell.width["scattered"] for cell in alone]
    warns, heard = [cell.warned for cell in alone], [cell.heard for cell in alone]
    shown.append(f"{100 * np.median(warns):.0f}, {100 * max(warns):.0f}")
    shown.append(f"{100 * min(heard):.1f}, {sum(share < 0.9 for share in heard)}")
    shown.append(f"{np.median(over):.2f}, {max(over):.2f}")
    return " | ".join([str(len(counted)), *shown, *Widths.of(counted, samples).shown()])


def summary(counted: list[tuple[Counted, list[Counted]]], samples: int) -> str:
    """Return in how many of all cells the default is too wide, by what it is compared with."""
    widths = Widths.of(counted, samples)
    cell, design_of, likelihood = (
        int((ratios > WIDTH).sum()) for ratios in (widths.in_cell, widths.in_design, widths.with_likelihood)
    )
    return (
        f"Wider than {WIDTH} times the narrowest that holds: in the cell {cell} of {len(counted)}; however alike items "
        f"are {design_of}, with the likelihood {likelihood}. No other interval of the share of all items holds however "
        f"alike: {widths.alone}."
    )


def main() -> None:
    """Print the table, as Markdown."""
    parser = argparse.ArgumentParser(
        description="Observed coverage of shares in clusters, of intervals that claim 95 %: least, most, cells below."
    )
    parser.add_argument("--samples", type=int, default=4_000, help="simulated samples of each cell")
    parser.add_argument("--clusters", default="20,30,50", help="how many, separated by commas")
    parser.add_argument("--sizes", default="", help="some of the sizes, separated by semicolons; all by default")
    options = parser.parse_args()
    wanted = [size.strip() for size in options.sizes.split(";") if size.strip()] or list(OF_SHARES)
    if unknown := set(wanted) - set(OF_SHARES):
        parser.error(f"no sizes {'; '.join(sorted(unknown))}; expected some of {'; '.join(OF_SHARES)}")
    heads = [
        "clusters of",
        "alike",
        "cells",
        *KINDS,
        "warned",
        "held or warned",
        "width over scattered",
        "over the narrowest",
        "however alike",
        "with the likelihood",
    ]
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    everything = []
    for size, alike in product(wanted, ALIKE):
        numbers = map(int, options.clusters.split(","))
        counted = [cell for clusters in numbers for cell in cells(clusters, size, alike, options.samples)]
        if counted:
            print(f"| {size} | {alike} | {row(counted, options.samples)} |", flush=True)
        everything += counted
    print(f"\n{summary(everything, options.samples)}")


if __name__ == "__main__":
    main()
