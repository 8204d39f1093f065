"""Intervals of small samples that warn: Light's kappa, large disagreements, limits of agreement, any bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

import agreement
from agreement import Estimate
from benchmarks.near_the_ends import Data, Rng, Simulation
from benchmarks.ordered_steps import STEPS

RATERS = 3
WRONG = 0.1  # each rater errs on one item of ten
BESIDE, FAR = 0.05, 0.03  # or is one step away, or further, on so many of a hundred
RESAMPLES = 500
DEGREES = (3, 5)


def _rated(n: int, level: float, samples: int, rng: Rng) -> Data:
    truth = rng.random((samples, n, 1)) < level
    return (truth ^ (rng.random((samples, n, RATERS)) < WRONG)).astype(int).reshape(samples, -1)


def _light(sample: Data, _: float, n: int, **method: Any) -> Estimate:
    return agreement.light_kappa(sample.reshape(n, RATERS), categories=[0, 1], resamples=RESAMPLES, **method)


def _light_in_population(level: float) -> float:
    said = level * (1 - WRONG) + (1 - level) * WRONG
    agreed, chance = WRONG**2 + (1 - WRONG) ** 2, said**2 + (1 - said) ** 2
    return (agreed - chance) / (1 - chance)


@cache
def _stepwise() -> tuple[Data, Data]:
    """Every pattern of steps of three raters, now and then far apart, and its probability."""
    away = np.abs(np.subtract.outer(np.arange(STEPS), np.arange(STEPS)))
    says = np.where(away == 1, BESIDE / (away == 1).sum(axis=1, keepdims=True), 0.0)
    says += np.where(away > 1, FAR / (away > 1).sum(axis=1, keepdims=True), 0.0)
    says += (1 - BESIDE - FAR) * np.eye(STEPS)
    given = np.array(list(np.ndindex(*(STEPS,) * RATERS)))
    return given, sum(says[step][given].prod(axis=1) for step in range(STEPS)) / STEPS


def _ac2(counts: Data, _: float, __: int, **method: Any) -> Estimate:
    table = np.repeat(_stepwise()[0], counts, axis=0)
    return agreement.gwet_ac(table, "quadratic", categories=range(STEPS), **method)


def _ac2_in_population(_: float) -> float:
    given, share = _stepwise()
    pairs = list(combinations(range(RATERS), 2))
    apart = np.mean([(given[:, a] - given[:, b]) ** 2 for a, b in pairs], axis=0) / (STEPS - 1) ** 2
    weights = 1.0 - np.subtract.outer(np.arange(STEPS), np.arange(STEPS)) ** 2 / (STEPS - 1) ** 2
    use = np.bincount(given.ravel(), weights=np.repeat(share, RATERS)) / RATERS
    expected = float(weights.sum()) / (STEPS * (STEPS - 1)) * float((use * (1 - use)).sum())
    return (1.0 - float(share @ apart) - expected) / (1.0 - expected)


def _gaps(n: int, degrees: float, samples: int, rng: Rng) -> Data:
    return rng.standard_t(degrees, (samples, n))


def _upper(gaps: Data, _: float, n: int, **method: Any) -> Estimate:
    return agreement.bland_altman(gaps, np.zeros(n), **method).upper


def _resampled(statistic: Callable[..., float], values: Data, _: float, __: int, **method: Any) -> Estimate:
    return agreement.bootstrap(statistic, values, resamples=RESAMPLES, seed=1, **method)


SMALL: dict[str, Simulation] = {
    "Light's kappa of three": Simulation(
        (50, 80, 100, 136, 300),
        _rated,
        _light,
        _light_in_population,
        lambda n, level: n * (1 - level * (1 - WRONG) - (1 - level) * WRONG),
        {"percentile": {}, "BCa": {"interval": "bca"}},
        (0.9, 0.95, 0.97),
    ),
    "AC2 of three, five steps, now and then far apart": Simulation(
        (30, 60, 136),
        lambda n, _, samples, rng: rng.multinomial(n, _stepwise()[1], size=samples),
        _ac2,
        _ac2_in_population,
        lambda n, _: n / STEPS,
        {"transformed": {}, "t": {"interval": "t"}},
        (1 / STEPS,),
    ),
    "upper limit of agreement, differences from t with p degrees of freedom": Simulation(
        (30, 50, 100, 300),
        _gaps,
        _upper,
        lambda degrees: 1.96 * np.sqrt(degrees / (degrees - 2)),
        lambda n, _: n,
        {"t": {}},
        DEGREES,
    ),
    "bootstrap of a standard deviation of normal values": Simulation(
        (20, 30, 60, 136),
        lambda n, _, samples, rng: rng.normal(size=(samples, n)),
        partial(_resampled, np.std),
        lambda _: 1.0,
        lambda n, _: n,
        {"percentile": {}, "widened": {"interval": "widened"}},
        (0.5,),
    ),
    "bootstrap of a mean of exponential values": Simulation(
        (20, 30, 60, 136),
        lambda n, _, samples, rng: stats.expon.rvs(size=(samples, n), random_state=rng),
        partial(_resampled, np.mean),
        lambda _: 1.0,
        lambda n, _: n,
        {"percentile": {}, "widened": {"interval": "widened"}},
        (0.5,),
    ),
}
