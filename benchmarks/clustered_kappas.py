"""Kappas and alphas in clusters: intervals of thousands of samples at once, and a table of populations.

``python -m benchmarks.clustered_kappas`` prints how often the intervals that claim 95 % hold in populations that differ
in prevalence, in how often raters err, in how alike the items of a cluster are, and in the sizes of clusters. The
limits are the library's own formulas, written for all samples of a cell together; the first samples of each cell are
estimated by the library too, and a difference stops the run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy import special, stats

import agreement
from agreement import Estimate
from agreement.added_items import added_rows
from agreement.category_counts import counts_of
from agreement.cautions import few_clusters, gathered_disagreements, rare_category
from agreement.chance_corrected import Coefficient
from agreement.coefficients import conger_coefficient, fleiss_coefficient, gwet_coefficient
from agreement.krippendorff import alpha_coefficient
from agreement.unseen import MORE, SCATTERED_DISAGREEMENTS, SHOW_A_TWENTIETH
from benchmarks.designs import holding, least_held, median_and_more

Data = np.ndarray[Any, Any]
Limits = tuple[Data, Data]

COMPARED = 5  # samples of each cell that the library estimates too
STEP = 1e-4  # of an item, of the numerical derivative

_BUILT: dict[Callable[..., Estimate], Callable[..., Coefficient]] = {
    agreement.cohen_kappa: conger_coefficient,
    agreement.conger_kappa: conger_coefficient,
    agreement.fleiss_kappa: fleiss_coefficient,
    agreement.gwet_ac: gwet_coefficient,
}


def patterns_of(raters: int) -> Data:
    """Every pattern of verdicts 0 and 1, shape (patterns, raters)."""
    return np.array(list(np.ndindex(*(2,) * raters)))


@cache
def _built(coefficient: Callable[..., Estimate], raters: int) -> tuple[Coefficient, Data]:
    """The coefficient with a row for each pattern, and what the added items add to its sums."""

    def build(codes: Data) -> Coefficient:
        if coefficient is agreement.krippendorff_alpha:
            alpha, _ = alpha_coefficient(codes, "nominal", [0, 1], anew=True)
            assert alpha is not None
            return alpha
        return _BUILT[coefficient](codes, counts_of(codes, 2), np.eye(2), None)

    patterns = patterns_of(raters)
    return build(patterns), added_rows(lambda codes: build(codes).rows, 2, patterns)


@dataclass(frozen=True)
class Samples:
    """Samples of one cell.

    Attributes
    ----------
    coefficient : callable
        `cohen_kappa`, `conger_kappa`, `fleiss_kappa`, `gwet_ac` or `krippendorff_alpha`.
    counts : ndarray, shape (samples, clusters, patterns)
        How many items of each cluster have each pattern of verdicts (`patterns_of`).
    """

    coefficient: Callable[..., Estimate]
    counts: Data

    @property
    def raters(self) -> int:
        """How many there are."""
        return int(np.log2(self.counts.shape[2]))

    def limits(self, kind: str) -> Limits:
        """Return the limits of the samples, with `kind` as of the library, or "jackknife" of clusters with t."""
        if kind == "jackknife":
            return self._jackknife()
        low, high = self._adjusted(kind)
        for sample in range(min(COMPARED, len(low))):
            estimate = self.estimate(sample, interval=kind)
            np.testing.assert_allclose((low[sample], high[sample]), (estimate.low, estimate.high), atol=1e-8)
        return low, high

    def estimate(self, sample: int, **method: Any) -> Estimate:
        """Return the library's estimate of one sample."""
        counts = self.counts[sample]
        patterns = np.tile(patterns_of(self.raters), (len(counts), 1))
        ratings = np.repeat(patterns, counts.ravel(), axis=0)
        clusters = np.repeat(np.arange(len(counts)), counts.sum(axis=1))
        of = ratings.T if self.coefficient is agreement.cohen_kappa else (ratings,)
        return self.coefficient(*of, categories=[0, 1], clusters=clusters, **method)

    def warned(self, kind: str) -> Data:
        """Return which of the samples have a warning with an interval of this kind."""
        _, clusters, _ = self.counts.shape
        few = few_clusters(clusters) is not None
        sizes = self.counts[0].sum(axis=1)
        worth = float(sizes.sum() ** 2 / (sizes**2).sum())
        of_item, scattered = (sizes**2).sum() / sizes.sum(), kind == "scattered"
        differing = _clusters_with(self.counts @ np.ptp(patterns_of(self.raters), axis=1)[:, None].astype(float))[:, 0]
        rarest, unseen = self._rarest(), self._unseen(kind, differing)
        warns = np.array(
            [
                few
                or rare_category(float(rare), of_item, scattered=scattered) is not None
                or gathered_disagreements(amount, clusters, worth) is not None
                or moves
                for rare, amount, moves in zip(rarest, differing, unseen, strict=True)
            ]
        )
        for sample in range(min(COMPARED, len(warns))):
            estimate = self.estimate(sample, interval=kind)
            if not np.isnan(estimate.value):  # one without a value has no interval to warn of
                assert (estimate.warning is not None) == warns[sample], (estimate, warns[sample])
        return warns

    def _unseen(self, kind: str, having: Data) -> Data:
        """Whether few more clusters of disagreement would move the value out, as of `unseen_of_coefficient`."""
        built, added = _built(self.coefficient, self.raters)
        times, sizes = self.counts.sum(axis=1), self.counts[0].sum(axis=1)
        n, squares = sizes.sum(), (sizes**2).sum()
        if n**2 / squares >= SHOW_A_TWENTIETH:
            return np.zeros(len(times), dtype=bool)
        total = times @ np.ptp(patterns_of(self.raters), axis=1)
        by_chance = total**2 / np.maximum(1, total + (total**2 - total) * (squares - n) / (n**2 - n))
        low, high = self._adjusted(kind)
        moved = built.of_sums(times @ built.rows + MORE * squares / n * added[2:].mean(axis=0))
        return (total > 0) & (having >= SCATTERED_DISAGREEMENTS * by_chance) & ((moved < low) | (moved > high))

    def _rarest(self) -> Data:
        """In how many items the rarer category is expected; infinite where it does not occur, or does not matter."""
        times = self.counts.sum(axis=1)
        yes = times @ patterns_of(self.raters).mean(axis=1)
        no = times.sum(axis=1) - yes
        if self.coefficient is agreement.gwet_ac:
            return np.full(len(times), np.inf)
        return np.where(np.minimum(no, yes) > 0, np.minimum(no, yes), np.inf)

    def _adjusted(self, kind: str) -> Limits:
        built, added = _built(self.coefficient, self.raters)
        rows, share = built.rows, 0.5  # of each of the added rows
        _, clusters, _ = self.counts.shape
        times = self.counts.sum(axis=1)
        n, sums = times[0].sum(), times @ rows
        influence = _influence(built, sums + share * added.sum(axis=0), rows)
        influence -= (times * influence).sum(axis=1, keepdims=True) / n
        of_clusters = np.einsum("scp,sp->sc", self.counts, influence)
        alone = (times * influence**2).sum(axis=1)
        with np.errstate(invalid="ignore"):  # nothing varies where all verdicts are the same
            effect = np.maximum(1.0, clusters / (clusters - 1) * (of_clusters**2).sum(axis=1) / alone)
        patterns = patterns_of(self.raters)
        traits = np.column_stack([1 - patterns.mean(axis=1), patterns.mean(axis=1), np.ptp(patterns, axis=1)])
        if kind != "adjusted":
            sizes = self.counts[0].sum(axis=1)
            most = (sizes**2).sum() / n
            of_clusters_with = self.counts @ traits
            no, yes, differing = np.moveaxis(_clusters_with(of_clusters_with), -1, 0)
            fewer = np.minimum(*(np.where(some > 0, some, np.inf) for some in (no, yes)))
            depends = self.coefficient is not agreement.gwet_ac
            evidence = np.minimum(differing, fewer / 2) if depends else differing
            caution = 1.5
            if kind == "scattered":
                shared = (sizes * (sizes - 1)).sum() / (n * (n - 1))
                totals, squares = of_clusters_with.sum(axis=1), times @ traits**2
                with np.errstate(invalid="ignore"):
                    by_chance = totals**2 / (squares + (totals**2 - squares) * shared)
                    shares = np.minimum(1, _clusters_with(of_clusters_with) / by_chance)
                of_rarest = np.where(no == yes, shares[:, :2].min(axis=1), shares[:, 0])
                of_rarest = np.where((yes == fewer) & (no != yes), shares[:, 1], of_rarest)
                seen = np.where(differing > 0, shares[:, 2], 0.0)
                seen = (np.minimum(seen, of_rarest) if depends else seen) ** 2 * totals[:, 2] / (totals[:, 2] + 1)
                most, caution = 1 + (most - 1) * (1 - seen), 2.0
            weight = evidence / (evidence + caution)
            effective = n / (effect**weight * most ** (1 - weight))
        else:
            rarest = np.minimum(self._rarest(), n)
            effective = n * (rarest + 0.5) / (rarest * effect + 0.5 * n / clusters)
        scale = effective / n
        totals = scale[:, None] * sums + share * added.sum(axis=0)
        variance = scale * (times * _influence(built, totals, rows) ** 2).sum(axis=1)
        variance += share * (_influence(built, totals, added) ** 2).sum(axis=1)
        centre, half = built.of_sums(totals), stats.t.isf(0.025, clusters - 1) * np.sqrt(variance)
        value = built.of_sums(sums)
        low, high = np.maximum(-1, np.minimum(value, centre - half)), np.minimum(1, np.maximum(value, centre + half))
        defined = ~np.isnan(value)
        return np.where(defined, low, np.nan), np.where(defined, high, np.nan)

    def _jackknife(self) -> Limits:
        built, _ = _built(self.coefficient, self.raters)
        _, clusters, _ = self.counts.shape
        sums = self.counts.sum(axis=1) @ built.rows
        value, left_out = built.of_sums(sums), built.of_sums(sums[:, None] - self.counts @ built.rows)
        variance = (clusters - 1) / clusters * ((left_out - value[:, None]) ** 2).sum(axis=1)
        half = stats.t.isf(0.025, clusters - 1) * np.sqrt(np.where(variance > 0, variance, np.nan))
        return np.maximum(-1, value - half), np.minimum(1, value + half)


def _influence(built: Coefficient, totals: Data, rows: Data) -> Data:
    step = STEP * rows
    change = built.of_sums(totals[:, None] + step) - built.of_sums(totals[:, None] - step)
    return np.asarray(change / (2 * STEP))


def _clusters_with(amounts: Data) -> Data:
    """Kish's number of clusters, of amounts of shape (samples, clusters, traits)."""
    squares = (amounts**2).sum(axis=1)
    return np.divide(amounts.sum(axis=1) ** 2, squares, out=np.zeros_like(squares), where=squares > 0)


@dataclass(frozen=True)
class Population:
    """Verdicts of raters on items in clusters.

    Attributes
    ----------
    prevalence, wrong : float
        Of the finding; of errors, the same on items with and without it.
    alike, alike_errors : float
        Intraclass correlation of the truth, and of how often a rater errs; 0 is the same chance in all clusters.
    together : bool
        Whether all raters err more often in the same clusters; else each in clusters of their own.
    throughout : float
        In this share of the clusters the last rater errs on every item; else all err alike.
    """

    prevalence: float
    wrong: float = 0.1
    alike: float = 1 / 3
    alike_errors: float = 1 / 3
    together: bool = False
    throughout: float = 0.0

    def shares(self, raters: int) -> Data:
        """Return how often each pattern comes in the population."""
        if self.throughout:
            usual, among_others = replace(self, throughout=0.0).shares(raters), patterns_of(raters - 1)
            wrong = np.zeros(len(usual))
            for pattern, (*others, last) in enumerate(patterns_of(raters)):
                errors = int((np.array(others) == last).sum())  # the truth is what the last one does not say
                share = self.prevalence if last == 0 else 1 - self.prevalence
                wrong[pattern] = share * self.wrong**errors * (1 - self.wrong) ** (among_others.shape[1] - errors)
            return (1 - self.throughout) * usual + self.throughout * wrong
        patterns = patterns_of(raters)
        result = np.zeros(len(patterns))
        for truth, share in ((1, self.prevalence), (0, 1 - self.prevalence)):
            errors = (patterns != truth).sum(axis=1)
            if self.together:
                scale = 1 / self.alike_errors - 1
                a, b = self.wrong * scale, (1 - self.wrong) * scale
                result += share * special.beta(a + errors, b + raters - errors) / special.beta(a, b)
            else:
                result += share * self.wrong**errors * (1 - self.wrong) ** (raters - errors)
        return result

    def truth(self, coefficient: Callable[..., Estimate], raters: int) -> float:
        """Return the coefficient of the population."""
        built, _ = _built(coefficient, raters)
        return float(built.of_sums(1e8 * self.shares(raters) @ built.rows))

    def rarer(self, raters: int) -> float:
        """Return the share of items in which the rarer category is expected."""
        yes = float(self.shares(raters) @ patterns_of(raters).mean(axis=1))
        return min(yes, 1 - yes)

    def draw(self, sizes: Data, raters: int, samples: int, rng: np.random.Generator) -> Data:
        """Return samples of clusters of these sizes, shape (samples, clusters, patterns)."""
        patterns = patterns_of(raters)
        shape = (samples, len(sizes), 1)
        prevalence = _chances(self.prevalence, self.alike, shape, rng)
        of_raters = 1 if self.together else raters
        wrong = _chances(self.wrong, self.alike_errors, (*shape, of_raters), rng)
        if self.throughout:
            wrong[..., -1] = np.where(rng.random(shape) < self.throughout, 1.0, wrong[..., -1])
        share = np.zeros((samples, len(sizes), len(patterns)))
        for truth in (0, 1):
            likely = np.where(patterns == truth, 1 - wrong, wrong).prod(axis=-1)
            share += (prevalence if truth else 1 - prevalence) * likely
        return np.asarray(rng.multinomial(sizes, share / share.sum(axis=-1, keepdims=True)))


def _chances(mean: float, alike: float, shape: tuple[int, ...], rng: np.random.Generator) -> Data:
    if alike == 0:
        return np.full(shape, mean)
    scale = 1 / alike - 1
    return rng.beta(mean * scale, (1 - mean) * scale, shape)


SIZES: dict[str, Callable[[int], Data]] = {
    "2": lambda clusters: np.full(clusters, 2),
    "5": lambda clusters: np.full(clusters, 5),
    "10": lambda clusters: np.full(clusters, 10),
    "2, 7, 21": lambda clusters: np.resize([2, 7, 21], clusters),
    "1, 1, 1, 40": lambda clusters: np.resize([1, 1, 1, 40], clusters),
}

KINDS = ("scattered", "effective", "adjusted", "jackknife")
LEVELS = (0.5, 0.9, 0.95, 0.97)
ERRORS = (0.03, 0.1, 0.2)
RAREST = 5  # items in which the rarer category is expected, of the cells that are counted
ALIKE: dict[str, dict[str, Any]] = {
    "truth 1/3, errors 1/3": {},
    "truth 1/3, errors 2/3": {"alike_errors": 2 / 3},
    "truth 1/3, errors 1/3 of all raters together": {"together": True},
    "truth 2/3, errors 1/3": {"alike": 2 / 3},
    "truth 0, errors 0": {"alike": 0.0, "alike_errors": 0.0},
}


@dataclass(frozen=True)
class Counted:
    """One cell: of each kind of interval the share of samples that it holds and its width; and the share warned."""

    held: dict[str, float]
    width: dict[str, float]
    warned: float

    def width_ratio(self, least: float, among: Iterable[str] = KINDS) -> float:
        """Return the default's width over that of the narrowest of some kinds that holds as often as `least`."""
        widths = [self.width[kind] for kind in among if self.held[kind] >= least]
        return self.width[KINDS[0]] / min(widths) if widths else float("nan")


def count(population: Population, samples: Samples) -> Counted:
    """Return how often the intervals of samples from a population hold; where there is none, it does not."""
    truth = population.truth(samples.coefficient, samples.raters)
    limits = {kind: samples.limits(kind) for kind in KINDS}
    return Counted(
        {kind: float(np.mean((low <= truth) & (truth <= high))) for kind, (low, high) in limits.items()},
        {kind: float(np.nanmean(high - low)) for kind, (low, high) in limits.items()},
        float(samples.warned(KINDS[0]).mean()),
    )


def cells(
    coefficient: Callable[..., Estimate], raters: int, clusters: int, size: str, alike: dict[str, Any], samples: int
) -> Iterator[tuple[tuple[float, float], Counted]]:
    """Count the cells of all prevalences and errors in which the rarer category is expected in five items or more."""
    sizes = SIZES[size](clusters)
    for level, wrong in product(LEVELS, ERRORS):
        population = Population(level, wrong, **alike)
        if population.rarer(raters) * sizes.sum() >= RAREST:
            rng = np.random.default_rng([2, clusters, int(100 * level), int(100 * wrong)])
            yield (level, wrong), count(population, Samples(coefficient, population.draw(sizes, raters, samples, rng)))


def row(counted: list[Counted], designs: list[list[Counted]], samples: int) -> str:
    """Return what a table says of some cells, each of them with all of its design."""
    least = least_held(samples)
    held = {kind: [cell.held[kind] for cell in counted] for kind in KINDS}
    below = [cell for cell in counted if cell.held[KINDS[0]] < least]
    ratios = [cell.width_ratio(least) for cell in counted]
    however = [
        cell.width_ratio(least, holding(design, least, KINDS))
        for cell, design in zip(counted, designs, strict=True)
        if cell.held[KINDS[0]] >= least
    ]
    shown = [f"{100 * min(held[kind]):.1f} to {100 * max(held[kind]):.1f}" for kind in KINDS]
    warned = f"{100 * min(cell.warned for cell in below):.0f}" if below else ""
    shown += [str(len(below)), warned, median_and_more(ratios), median_and_more(however)]
    return " | ".join([str(len(counted)), *shown])


def main() -> None:
    """Print the table, as Markdown."""
    parser = argparse.ArgumentParser(
        description="Observed coverage of kappas in clusters, of intervals that claim 95 %."
    )
    parser.add_argument("--samples", type=int, default=4_000, help="simulated samples of each cell")
    parser.add_argument("--coefficient", default="cohen_kappa", help="its name in `agreement`")
    parser.add_argument("--clusters", default="20,30,50", help="how many, separated by commas")
    options = parser.parse_args()
    coefficient = getattr(agreement, options.coefficient)
    raters = 2 if coefficient is agreement.cohen_kappa else 3
    heads = ["clusters", "items", "alike", "cells", *KINDS, "below", "warned", "width", "however alike"]
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for clusters, size in product(map(int, options.clusters.split(",")), SIZES):
        of = coefficient, raters, clusters, size
        counted = {name: dict(cells(*of, alike, options.samples)) for name, alike in ALIKE.items()}
        for name, by_level in counted.items():
            designs = [[other[level] for other in counted.values() if level in other] for level in by_level]
            if by_level:
                print(
                    f"| {clusters} | {size} | {name} | {row([*by_level.values()], designs, options.samples)} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
