"""Scores of a classification near the ends of the scale: F1, balanced accuracy and their kin, alone and in clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

import agreement
from agreement import Estimate
from benchmarks.near_the_ends import RESAMPLES, Data, Rng, Simulation

RIGHT = (0.88, 0.93, 0.945, 0.97)
ALIKE = 1 / 3  # intraclass correlation of classes and errors, in clusters
OF_TWO, OF_TWO_EVEN, OF_THREE = (0.8, 0.2), (0.5, 0.5), (0.5, 0.3, 0.2)  # share of each class
_METHODS: dict[str, dict[str, Any]] = {
    "score": {},
    "percentile": {"interval": "percentile", "resamples": RESAMPLES},
    "BCa": {"interval": "bca", "resamples": RESAMPLES},
}


def _cells(shares: tuple[float, ...], right: float) -> Data:
    """Probability of each class of the reference and each answer; wrong answers are as likely to be of any class."""
    k = len(shares)
    wrong = (1 - right) / (k - 1)
    return np.asarray(shares)[:, None] * (wrong + (right - wrong) * np.eye(k))


def _score(name: str, given: Data, **options: Any) -> Estimate:
    truth, guess = given
    scores = agreement.classification_scores(truth, guess, classes=range(int(given.max()) + 1), **options)
    if name == "F1 of the rarest":
        return scores.f1[int(given.max())]
    estimate: Estimate = getattr(scores, name)
    return estimate


def _of_items(name: str, shares: tuple[float, ...]) -> Simulation:
    k = len(shares)

    def given(counts: Data) -> Data:
        return np.repeat(np.divmod(np.arange(k * k), k), counts, axis=1)

    def truth(right: float) -> float:
        counts = np.round(_cells(shares, right) * 1_000_000).astype(int).ravel()
        return _score(name, given(counts)).value

    return Simulation(
        (30, 60, 130, 300),
        lambda n, right, samples, rng: rng.multinomial(n, _cells(shares, right).ravel(), size=samples),
        lambda counts, _, __, **method: _score(name, given(counts), **method),
        truth,
        lambda n, right: n * (1 - right),
        _METHODS,
        RIGHT,
    )


def _of_clusters(name: str, shares: tuple[float, ...], sizes: tuple[int, ...]) -> Simulation:
    """Clusters of these sizes in turn; an item has the class of its cluster, or one of its own."""
    k, alone = len(shares), _of_items(name, shares)

    def groups(clusters: int) -> Data:
        return np.repeat(np.arange(clusters), np.resize(sizes, clusters))

    def draw(clusters: int, right: float, samples: int, rng: Rng) -> Data:
        of, gathered = groups(clusters), (1 - ALIKE) / ALIKE
        whole, own = (rng.choice(k, p=shares, size=(samples, m)) for m in (clusters, of.size))
        truth = np.where(rng.random(own.shape) < np.sqrt(ALIKE), whole[:, of], own)
        chance = rng.beta(gathered * (1 - right), gathered * right, (samples, clusters))
        errs = rng.random(own.shape) < chance[:, of]
        aside = (truth + rng.integers(1, k, own.shape)) % k
        return np.concatenate([truth, np.where(errs, aside, truth)], axis=1)

    def estimate(sample: Data, _: float, clusters: int, **method: Any) -> Estimate:
        return _score(name, sample.reshape(2, -1), clusters=groups(clusters), **method)

    return Simulation(
        (20, 30),
        draw,
        estimate,
        alone.truth,
        lambda clusters, right: groups(clusters).size * (1 - right),
        _METHODS,
        RIGHT,
    )


_CALLED = {
    "macro-F1": "macro_f1",
    "weighted F1": "weighted_f1",
    "balanced accuracy": "balanced_accuracy",
    "F1 of the rarest class": "F1 of the rarest",
    "accuracy with classes": "accuracy",
}


def _simulations(kind: str, shares: tuple[float, ...]) -> dict[str, Simulation]:
    simulations: dict[str, Simulation] = {}
    for called, name in _CALLED.items():
        simulations[f"{called}, {kind}"] = _of_items(name, shares)
        simulations[f"{called} in clusters of 3 to 5, {kind}"] = _of_clusters(name, shares, (3, 4, 5))
    for called in ("macro-F1", "balanced accuracy"):
        simulations[f"{called} in clusters of 2, 7 and 21, {kind}"] = _of_clusters(_CALLED[called], shares, (2, 7, 21))
    return simulations


OF_CLASSES: dict[str, Simulation] = {
    **_simulations("two even classes", OF_TWO_EVEN),
    **_simulations("two classes, .2 rarer", OF_TWO),
    **_simulations("three classes, .2 rarest", OF_THREE),
}
"""By statistic and classes."""
