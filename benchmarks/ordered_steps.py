"""Coefficients over five ordered steps: weighted kappas, AC2 and ordinal alpha, of single items and in clusters."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import agreement
from agreement import Estimate
from benchmarks.near_the_ends import RESAMPLES, Data, Rng, Simulation

STEPS = 5
WRONG = 0.3  # each rater is one step away from the truth on three items of ten
SELDOM = (0.01, 0.03)  # or on one or three of a hundred
LEVELS = (0.2, 0.5)  # share of the truth in the first step; the others are equally frequent
ALIKE = 1 / 3  # intraclass correlation of truth and errors, in clusters
_PERCENTILE = {"interval": "percentile", "resamples": RESAMPLES}
_BCA = {"interval": "bca", "resamples": RESAMPLES}


def patterns(level: float, raters: int, wrong: float = WRONG) -> tuple[Data, Data]:
    """Every pattern of steps of raters who err independently, and its probability."""
    truth = np.array([level] + [(1 - level) / (STEPS - 1)] * (STEPS - 1))
    says = (1 - wrong) * np.eye(STEPS)
    for step in range(STEPS):
        beside = [other for other in (step - 1, step + 1) if 0 <= other < STEPS]
        says[step, beside] = wrong / len(beside)
    given = np.array(list(np.ndindex(*(STEPS,) * raters)))
    return given, sum(truth[step] * says[step][given].prod(axis=1) for step in range(STEPS))


def rarest(level: float, wrong: float = WRONG) -> float:
    """Share of verdicts in the rarest step."""
    given, share = patterns(level, 1, wrong)
    return float(np.bincount(given[:, 0], weights=share).min())


def _of_two(coefficient: Callable[..., Estimate], ratings: Data, **method: Any) -> Estimate:
    return coefficient(ratings[:, 0], ratings[:, 1], **method)


def _truth(coefficient: Callable[..., Estimate], raters: int, plain: str, wrong: float) -> Callable[[float], float]:
    @cache
    def truth(level: float) -> float:
        given, share = patterns(level, raters, wrong)
        counts = np.round(share * 1_000_000).astype(int)
        return coefficient(np.repeat(given, counts, axis=0), interval=plain).value

    return truth


def _of_items(coefficient: Callable[..., Estimate], raters: int, plain: str, wrong: float = WRONG) -> Simulation:
    def estimate(counts: Data, level: float, _: int, **method: Any) -> Estimate:
        return coefficient(np.repeat(patterns(level, raters, wrong)[0], counts, axis=0), **method)

    return Simulation(
        (30, 50, 80, 136, 365),
        lambda n, level, samples, rng: rng.multinomial(n, patterns(level, raters, wrong)[1], size=samples),
        estimate,
        _truth(coefficient, raters, plain, wrong),
        lambda n, level: n * rarest(level, wrong),
        {"transformed": {}, plain: {"interval": plain}, "BCa": _BCA},
        LEVELS,
    )


def _of_clusters(
    coefficient: Callable[..., Estimate], raters: int, plain: str, sizes: tuple[int, ...], wrong: float = WRONG
) -> Simulation:
    """Clusters of these sizes in turn; an item has the truth of its cluster, or one of its own."""

    def groups(clusters: int) -> Data:
        return np.repeat(np.arange(clusters), np.resize(sizes, clusters))

    def draw(clusters: int, level: float, samples: int, rng: Rng) -> Data:
        of, share = groups(clusters), [level] + [(1 - level) / (STEPS - 1)] * (STEPS - 1)
        whole, own = (rng.choice(STEPS, p=share, size=(samples, m)) for m in (clusters, of.size))
        truth = np.where(rng.random(own.shape) < np.sqrt(ALIKE), whole[:, of], own)
        gathered = (1 - ALIKE) / ALIKE
        said = []
        for _ in range(raters):
            luck = rng.random(own.shape)
            chance = rng.beta(gathered * wrong, gathered * (1 - wrong), (samples, clusters))
            errs = luck < chance[:, of]
            aside = np.where(rng.random(own.shape) < 0.5, 1, -1)
            aside = np.where(truth == 0, 1, np.where(truth == STEPS - 1, -1, aside))
            said.append(truth + errs * aside)
        return np.stack(said, axis=-1).reshape(samples, -1)

    def estimate(said: Data, _: float, clusters: int, **method: Any) -> Estimate:
        return coefficient(said.reshape(-1, raters), clusters=groups(clusters), **method)

    return Simulation(
        (20, 30, 50, 100),
        draw,
        estimate,
        _truth(coefficient, raters, plain, wrong),
        lambda clusters, level: groups(clusters).size * rarest(level, wrong),
        {"transformed": {}, "percentile": _PERCENTILE},
        LEVELS,
    )


_LINEAR, _QUADRATIC = (
    partial(_of_two, partial(agreement.cohen_kappa, weights=weights, categories=range(STEPS)))
    for weights in ("linear", "quadratic")
)
_AC2 = partial(agreement.gwet_ac, weights="quadratic", categories=range(STEPS))
_ALPHA = partial(agreement.krippendorff_alpha, level="ordinal", categories=range(STEPS))


def _of_good_raters() -> dict[str, Simulation]:
    """Raters who nearly always agree: many samples have no difference at all."""
    simulations: dict[str, Simulation] = {}
    for wrong in SELDOM:
        errs = f", wrong on {100 * wrong:.0f} of 100"
        simulations |= {
            f"kappa of five steps, quadratic weights{errs}": _of_items(_QUADRATIC, 2, "normal", wrong),
            f"AC2 of five steps, quadratic weights{errs}": _of_items(_AC2, 2, "t", wrong),
            f"alpha of three, five steps, ordinal{errs}": _of_items(_ALPHA, 3, "t", wrong),
            f"kappa of five steps in clusters of three, quadratic weights{errs}": _of_clusters(
                _QUADRATIC, 2, "normal", (3,), wrong
            ),
            f"alpha of three, five steps in clusters of three, ordinal{errs}": _of_clusters(
                _ALPHA, 3, "t", (3,), wrong
            ),
        }
    return simulations


ORDERED: dict[str, Simulation] = {
    "kappa of five steps, linear weights": _of_items(_LINEAR, 2, "normal"),
    "kappa of five steps, quadratic weights": _of_items(_QUADRATIC, 2, "normal"),
    "AC2 of five steps, quadratic weights": _of_items(_AC2, 2, "t"),
    "alpha of three, five steps, ordinal": _of_items(_ALPHA, 3, "t"),
    "kappa of five steps in clusters of three, quadratic weights": _of_clusters(_QUADRATIC, 2, "normal", (3,)),
    "AC2 of five steps in clusters of three, quadratic weights": _of_clusters(_AC2, 2, "t", (3,)),
    "alpha of three, five steps in clusters of three, ordinal": _of_clusters(_ALPHA, 3, "t", (3,)),
    "kappa of five steps in clusters of 2, 7 and 21, quadratic weights": _of_clusters(
        _QUADRATIC, 2, "normal", (2, 7, 21)
    ),
    **_of_good_raters(),
}
