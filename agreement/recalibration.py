"""Recalibrate a judge's scores to probabilities: fitted on development data, evaluated on test data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from agreement.accuracy import correctness
from agreement.calibration import brier_score, expected_calibration_error
from agreement.codebook import is_missing
from agreement.coding import Floats, Ratings, as_values, numbers_or_nan, same_length
from agreement.comparisons import paired_difference
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.magnitude import magnitude
from agreement.resampling import Seed
from agreement.result import Result

ISOTONIC_ITEMS, ISOTONIC_OF_EACH = 200, 40
"""With at least this many labelled items, and this many of each outcome, the curve is isotonic."""

LOGISTIC_OF_EACH = 10
"""With at least this many of each outcome, it is logistic: ten events for its one slope (Peduzzi et al. 1996)."""

NEAREST = 0.001
"""Probabilities closer to 0 or 1 are moved to this distance before the logistic curve: the logit of 0 is infinite."""


@dataclass(frozen=True)
class Reliability(Result):
    """How reliable probabilities are on the test data.

    Attributes
    ----------
    brier : Estimate
        Brier score.
    calibration_error : Estimate
        Expected calibration error.
    """

    brier: Estimate
    calibration_error: Estimate


@dataclass(frozen=True)
class Recalibration(Result):
    """A curve from scores to probabilities, and the reliability of the resulting probabilities on the test data.

    Attributes
    ----------
    kind : {"isotonic", "logistic"} or None
        The fitted curve; None if none was fitted.
    because : str
        Why this curve or none was fitted, with the numbers.
    curve : tuple of (float, float)
        Points of the curve, score and probability, in ascending order. An isotonic curve is linear between them and
        constant outside; for a logistic curve they are at the scores of the development data. Empty without a curve.
    intercept, slope : float or None
        Of the logistic curve, on the logit of probabilities, or on untransformed grades.
    probabilities : tuple of float or None, length test items
        The recalibrated test scores; None for a missing score, and None throughout without a curve.
    before, after : Reliability
        For the original test scores (undefined if they are grades rather than probabilities), and recalibrated.
    change : Estimate
        Brier score after minus before, on the same items: below 0 is an improvement.
    """

    kind: Literal["isotonic", "logistic"] | None
    because: str
    curve: tuple[tuple[float, float], ...]
    intercept: float | None
    slope: float | None
    probabilities: tuple[float | None, ...]
    before: Reliability
    after: Reliability
    change: Estimate


class _Fit(NamedTuple):
    kind: Literal["isotonic", "logistic"] | None
    because: str
    probability: Callable[[Floats], Floats] | None = None
    curve: tuple[tuple[float, float], ...] = ()
    intercept: float | None = None
    slope: float | None = None


def recalibrate(
    score: Ratings,
    outcome: Ratings,
    test_score: Ratings,
    test_outcome: Ratings,
    *,
    clusters: tuple[Ratings, Ratings] | None = None,
    bins: int = 10,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Recalibration:
    """Recalibrate a judge's scores: fit a curve to development data, and evaluate it on test data.

    With at least 200 labelled items and 40 of each outcome the curve is isotonic: the non-decreasing least-squares fit
    [1]_. With fewer, but at least 10 of each outcome, it is logistic: ``logit P = a + b x`` by maximum likelihood
    without a penalty, where x is the logit of the score if all scores lie within 0 and 1 [2]_, otherwise the score
    itself [3]_. No curve is fitted with fewer, if the scores of the two outcomes do not overlap (b is infinite), or if
    scores do not rise with the outcome: a judge is never inverted. The test data do not influence the curve.

    Parameters
    ----------
    score, outcome : sequence, shape (items,)
        Development data: the judge's probability or grade, higher for surer, and the human outcome, 1 or True and 0 or
        False. None or NaN is missing, and such items are left out.
    test_score, test_outcome : sequence, shape (test items,)
        The same for the test data.
    clusters : tuple of two sequences, optional
        Cluster of each development and each test item, for example the subject. The intervals allow for clusters; a
        cluster with items in both parts is refused.
    bins : int
        Number of bins for the calibration error.
    resamples, seed
        For the bootstrap of the calibration error and of the change.
    confidence : float
        Nominal coverage, over test data with the curve fixed.
    unit : str
        What one entry is.

    Returns
    -------
    Recalibration

    Raises
    ------
    ValueError
        When lengths differ, a score is not a finite number, an outcome is neither 0 nor 1, or a cluster has items in
        both parts.

    References
    ----------
    .. [1] Zadrozny and Elkan (2002). Transforming classifier scores into accurate multiclass probability estimates.
       KDD. Numbers of items: Niculescu-Mizil and Caruana (2005). Predicting good probabilities. ICML.
    .. [2] Cox (1958). Two further applications of a model for binary regression. Biometrika 45, 562-565.
    .. [3] Platt (1999). Probabilistic outputs for support vector machines. Advances in Large Margin Classifiers.

    Examples
    --------
    A quarter of grade 1 is right, half of grade 2 and three quarters of grade 3: a logistic curve through all of them.

    >>> grades = [1] * 40 + [2] * 40 + [3] * 40
    >>> right = [1] * 10 + [0] * 30 + [1] * 20 + [0] * 20 + [1] * 30 + [0] * 10
    >>> fitted = recalibrate(grades, right, [1, 2, 3], [0, 1, 1], resamples=200)
    >>> fitted.kind, [round(p, 3) for p in fitted.probabilities], round(fitted.slope, 3)
    ('logistic', [0.25, 0.5, 0.75], 1.099)
    """
    confidence = check_confidence(confidence)
    x, y = _numbers(score, outcome, "score", "outcome")
    test_x, test_y = _numbers(test_score, test_outcome, "test_score", "test_outcome")
    of_test = _of_test(clusters, x.size, test_x.size)
    stated = np.concatenate([x, test_x])
    are_probabilities = not ((stated < 0.0) | (stated > 1.0)).any()
    used = ~(np.isnan(x) | np.isnan(y))
    scale = 1.0 if are_probabilities else magnitude(x, test_x)  # squares of huge grades stay finite
    fit = _fit(x[used] / scale, y[used], are_probabilities, unit)
    there = ~np.isnan(test_x)
    probability = np.full(test_x.size, np.nan)
    if fit.probability is not None and there.any():
        probability[there] = fit.probability(test_x[there] / scale)
    no_curve = None if fit.kind else fit.because
    grades = None if are_probabilities else "the scores are grades, not probabilities from 0 to 1"
    options: dict[str, Any] = {"clusters": of_test, "resamples": resamples, "seed": seed, "unit": unit}
    n = int((there & ~np.isnan(test_y)).sum())

    def reliability(p: Floats, reason: str | None) -> Reliability:
        if reason is not None:
            names = ("Brier score", f"expected calibration error, {bins} bins")
            return Reliability(
                *(undefined(name, n, unit, "test data", reason, confidence=confidence) for name in names)
            )
        return Reliability(
            brier_score(p, test_y, level=confidence, **options),
            expected_calibration_error(p, test_y, bins, level=confidence, **options),
        )

    name, reason = "change of the Brier score", grades or no_curve
    if reason is not None:
        change = undefined(name, n, unit, "test data", reason, confidence=confidence)
    else:
        squares = ((p - test_y) ** 2 for p in (probability, test_x))
        change = paired_difference(*squares, confidence=confidence, name=name, **options)
    return Recalibration(
        kind=fit.kind,
        because=fit.because,
        curve=tuple((at * scale, p) for at, p in fit.curve),
        intercept=fit.intercept,
        slope=None if fit.slope is None else fit.slope / scale,
        probabilities=tuple(None if np.isnan(p) else p for p in probability.tolist()),
        before=reliability(test_x, grades),
        after=reliability(probability, no_curve),
        change=change,
    )


def _numbers(score: Ratings, outcome: Ratings, score_name: str, outcome_name: str) -> tuple[Floats, Floats]:
    """Scores and outcomes, nan if missing."""
    x = numbers_or_nan(score, score_name)
    known, is_true = correctness(outcome, outcome_name)
    same_length(x, known, score_name, outcome_name)
    return x, np.where(known, is_true.astype(np.float64), np.nan)


def _of_test(clusters: tuple[Ratings, Ratings] | None, items: int, test_items: int) -> Ratings | None:
    """The clusters of the test data; raises if one of them is also a cluster of the development data."""
    if clusters is None:
        return None
    if not isinstance(clusters, tuple | list) or len(clusters) != 2:
        raise ValueError("clusters is not a pair; expected (clusters of development items, clusters of test items)")
    parts = [as_values(part, "clusters") for part in clusters]
    if [len(part) for part in parts] != [items, test_items]:
        raise ValueError(
            f"clusters has lengths {len(parts[0])} and {len(parts[1])}; expected {items} and {test_items}, "
            "one for each development item and one for each test item"
        )
    shared = {name for name in parts[0] if not is_missing(name)} & set(parts[1])
    if shared:
        raise ValueError(
            f"clusters: {min(map(str, shared))} has development and test items "
            f"(clusters in both parts: {len(shared)}); expected none, or the test data have a part in the curve: "
            "see development_and_test"
        )
    return parts[1]


def _fit(x: Floats, y: Floats, are_probabilities: bool, unit: str) -> _Fit:
    positives, negatives = int((y == 1.0).sum()), int((y == 0.0).sum())
    there = f"{x.size} labelled {unit}s, {positives} and {negatives} of the two outcomes"
    fewest = min(positives, negatives)
    if fewest < LOGISTIC_OF_EACH:
        return _Fit(None, f"{there}: no curve below {LOGISTIC_OF_EACH} of each")
    if x[y == 1.0].mean() <= x[y == 0.0].mean():
        return _Fit(None, f"{there}: scores do not rise with the outcome")
    if x.size >= ISOTONIC_ITEMS and fewest >= ISOTONIC_OF_EACH:
        return _isotonic(x, y, f"{there}: from {ISOTONIC_ITEMS} with {ISOTONIC_OF_EACH} of each isotonic")
    if x[y == 0.0].max() <= x[y == 1.0].min():
        return _Fit(None, f"{there}: scores of the two do not overlap, so a logistic curve has no finite slope")
    because = f"{there}: below {ISOTONIC_ITEMS}, or {ISOTONIC_OF_EACH} of each, logistic"
    return _logistic(x, y, because, _logit if are_probabilities else np.asarray)


def _isotonic(x: Floats, y: Floats, because: str) -> _Fit:
    from sklearn.isotonic import IsotonicRegression  # slow to import

    fitted = IsotonicRegression(out_of_bounds="clip").fit(x, y)
    points = zip(fitted.X_thresholds_.tolist(), fitted.y_thresholds_.tolist(), strict=True)
    return _Fit("isotonic", because, lambda scores: np.asarray(fitted.predict(scores)), tuple(points))


def _logistic(x: Floats, y: Floats, because: str, transformed: Callable[[Floats], Floats]) -> _Fit:
    from sklearn.linear_model import LogisticRegression  # slow to import

    stated = transformed(x)
    centre, scale = stated.mean(), stated.std()  # only for the solver
    fitted = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10, max_iter=1_000)
    fitted.fit(((stated - centre) / scale)[:, None], y)
    slope = float(fitted.coef_[0, 0] / scale)
    intercept = float(fitted.intercept_[0]) - slope * float(centre)

    def probability(scores: Floats) -> Floats:
        return np.asarray(fitted.predict_proba(((transformed(scores) - centre) / scale)[:, None])[:, 1])

    at = np.unique(x)
    points = zip(at.tolist(), probability(at).tolist(), strict=True)
    return _Fit("logistic", because, probability, tuple(points), intercept, slope)


def _logit(p: Floats) -> Floats:
    inside = np.clip(p, NEAREST, 1.0 - NEAREST)
    return np.asarray(np.log(inside) - np.log1p(-inside))
