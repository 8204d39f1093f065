"""Coefficients of a linear or logistic model from the labelled and, corrected by them, a judge's verdicts on all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agreement.coding import Codes, Floats

_STEPS = 30  # of Newton's method; if outcomes are separated, each adds about 1 to the linear predictor without end
_CLOSE = 1e-10  # change in the linear predictor below which a fit has converged
_ALONE = 1e-9  # relative curvature left without a unit, below which this unit alone determines a coefficient
_FLAT = 1e-13  # ratio of the smallest to the largest curvature at which rounding determines the coefficients
_RANK = 1e-6  # ratio of the smallest to the largest singular value, for covariates of variance 1


class NoFit(Exception):
    """No finite coefficients exist; the message says why."""


class Sample(NamedTuple):
    """Labelled and unlabelled units, ready to be fitted.

    Attributes
    ----------
    x, others_x : ndarray, shapes (n, d) and (N, d)
        Covariates, with a column of ones for an intercept.
    y, f : ndarray, shape (n,)
        The human's and the judge's verdicts on the labelled.
    others_f : ndarray, shape (N,)
        The judge's verdicts on the unlabelled.
    weights : ndarray or None, shape (n,)
        1 / inclusion probability of the labelled; None for a simple random sample.
    logistic : bool
    """

    x: Floats
    others_x: Floats
    y: Floats
    f: Floats
    others_f: Floats
    weights: Floats | None
    logistic: bool

    def shares(self) -> tuple[Floats, Floats, Floats]:
        """Weights of the labelled; then those of labelled and unlabelled in the mean of the judge's gradients."""
        n, others = len(self.x), len(self.others_x)
        if self.weights is None:
            return np.full(n, 1.0 / n), np.zeros(n), np.full(others, 1.0 / max(1, others))
        pool = n + others
        return self.weights / self.weights.sum(), np.full(n, 1.0 / pool), np.full(others, 1.0 / pool)


class Fit(NamedTuple):
    """Coefficients, and each unit's contribution to their error.

    Attributes
    ----------
    coefficients : ndarray, shape (d,)
    of_labelled, of_others : ndarray, shapes (n, d) and (N, d)
        Influence of each unit; together they sum to the error of the coefficients.
    """

    coefficients: Floats
    of_labelled: Floats
    of_others: Floats


class LabelledAlone(NamedTuple):
    """The fit to the labelled alone, with the curvature of its loss.

    Attributes
    ----------
    fit : Fit
    slope : ndarray, shape (n,)
        Weight of each unit in the curvature.
    inverse : ndarray, shape (d, d)
        The inverse of the curvature.
    """

    fit: Fit
    slope: Floats
    inverse: Floats


def standardised(x: Floats, others_x: Floats, intercept: bool) -> tuple[Floats, Floats, Floats]:
    """Standardise covariates over both parts to variance 1 and, with an intercept, mean 0; also return the inverse.

    Parameters
    ----------
    x, others_x : ndarray, shapes (n, k) and (N, k)
        Covariates without missing values.
    intercept : bool
        Whether to prepend a column of ones.

    Returns
    -------
    x, others_x : ndarray, shapes (n, d) and (N, d)
    back : ndarray, shape (d, d)
        Matrix that maps coefficients of the standardised covariates to those of the original ones.

    Examples
    --------
    >>> x, others, back = standardised(np.array([[1.0], [3.0]]), np.array([[5.0]]), False)
    >>> bool(np.allclose(x * back[0, 0] ** -1, [[1.0], [3.0]]))
    True
    """
    greatest = np.maximum(np.abs(x).max(axis=0, initial=0.0), np.abs(others_x).max(axis=0, initial=0.0))
    size = np.ldexp(1.0, np.frexp(np.where(greatest > 0.0, greatest, 1.0))[1])
    both = np.concatenate([x / size, others_x / size])
    units = max(1, len(both))
    centre = both.sum(axis=0) / units if intercept else np.zeros(both.shape[1])
    spread = np.sqrt(((both - centre) ** 2).sum(axis=0) / units)
    spread = np.where(spread > 1e-14, spread, 1.0)
    both = (both - centre) / spread
    back = np.diag(1.0 / (spread * size))
    if intercept:
        both = np.column_stack([np.ones(len(both)), both])
        back = np.block([[np.ones((1, 1)), -(centre / spread)[None, :]], [np.zeros((len(back), 1)), back]])
    return both[: len(x)], both[len(x) :], back


def full_rank(x: Floats) -> bool:
    """Whether no column is a linear combination of the others.

    Parameters
    ----------
    x : ndarray, shape (n, d)
        Standardised covariates.

    Returns
    -------
    bool

    Examples
    --------
    >>> full_rank(np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]))
    False
    """
    if len(x) < x.shape[1]:
        return False
    singular = np.linalg.svd(x / np.sqrt(len(x)), compute_uv=False)
    return bool(singular[-1] > _RANK * singular[0])


def fit(sample: Sample, share: float) -> Fit:
    """Coefficients that minimise ``L(y) + share (L_all(f) - L(f))``, with L the mean loss over the labelled.

    Parameters
    ----------
    sample : Sample
        The data.
    share : float
        Lambda: 0 fits the labelled alone, 1 is untuned prediction-powered inference.

    Returns
    -------
    Fit

    Raises
    ------
    NoFit
        When there is no finite minimum.
    """
    own, in_pool, of_pool = sample.shares()
    weights = (1.0 - share) * own + share * in_pool
    x, target = sample.x, sample.x.T @ (own * sample.y + share * (in_pool - own) * sample.f)
    if share > 0.0:
        x = np.concatenate([x, sample.others_x])
        weights = np.concatenate([weights, share * of_pool])
        target = target + share * (sample.others_x.T @ (of_pool * sample.others_f))
    coefficients, curvature = (_logistic if sample.logistic else _linear)(x, weights, target)
    human, judged, others = _gradients(sample, coefficients)
    corrected = human - share * judged
    mean = in_pool @ judged + of_pool @ others
    labelled = own[:, None] * (corrected - own @ corrected) + share * in_pool[:, None] * (judged - mean)
    unlabelled = share * of_pool[:, None] * (others - mean)
    inverse = np.linalg.inv(curvature)
    return Fit(coefficients, -labelled @ inverse, -unlabelled @ inverse)


def fit_alone(sample: Sample) -> LabelledAlone:
    """Coefficients that minimise the loss over the labelled, and what else is asked of them for each coefficient.

    Parameters
    ----------
    sample : Sample
        The data.

    Returns
    -------
    LabelledAlone

    Raises
    ------
    NoFit
        When there is no finite minimum.
    """
    alone = fit(sample, 0.0)
    own, _, _ = sample.shares()
    slope = own * _means(sample, alone.coefficients)[1]
    inverse = np.linalg.inv((sample.x * slope[:, None]).T @ sample.x)
    return LabelledAlone(alone, slope, np.asarray(inverse, dtype=np.float64))


def left_out(sample: Sample, fitted: Fit, alone: LabelledAlone, groups: Codes | None) -> Floats:
    """The contribution of each labelled unit or cluster, as the shift in the coefficients when it is left out.

    A unit of leverage h pulls the fit towards itself, so its residual is about the true one times 1 - h; for a cluster,
    ``(I - A H^-1)^-1`` times its units' contributions, with A its part of the curvature H of the labelled alone.

    Parameters
    ----------
    sample : Sample
        The data.
    fitted : Fit
        The fit whose contributions they are.
    alone : LabelledAlone
        The fit to the labelled alone.
    groups : ndarray of int or None, shape (n,)
        Cluster of each labelled unit.

    Returns
    -------
    ndarray, shape (n or clusters, d)

    Raises
    ------
    NoFit
        When the coefficients are not determined without one of them.
    """
    _, slope, inverse = alone
    if groups is None:
        drawn = sample.x @ inverse * slope[:, None]
        rest = 1.0 - (drawn * sample.x).sum(axis=1)
        if rest.min() < _ALONE:
            raise NoFit("one decides alone")
        along = (sample.x * fitted.of_labelled).sum(axis=1)
        moved = fitted.of_labelled + drawn * (along / rest)[:, None]  # Sherman and Morrison
        return np.asarray(moved * np.sqrt(1.0 - 1.0 / len(rest)))
    parts = _summed((sample.x * slope[:, None])[:, :, None] * sample.x[:, None, :], groups)
    left = np.eye(len(inverse)) - inverse @ parts
    if np.abs(np.linalg.det(left)).min() < _ALONE:
        raise NoFit("one decides alone")
    moved = np.linalg.solve(left, _summed(fitted.of_labelled, groups)[:, :, None])[:, :, 0]
    return np.asarray(moved * (1.0 - 1.0 / len(parts)))


def deciding(sample: Sample, alone: LabelledAlone, groups: Codes | None, row: Floats) -> float:
    """The effective number of units or clusters behind a combination of coefficients: its degrees of freedom.

    ``(sum q)^2 / sum q^2``, with q what each would add to the variance if the model held and units were independent.

    Parameters
    ----------
    sample : Sample
        The data.
    alone : LabelledAlone
        The fit to the labelled alone.
    groups : ndarray of int or None, shape (n,)
        As in `left_out`.
    row : ndarray, shape (d,)
        Weights of the coefficients.

    Returns
    -------
    float
        At least 1.
    """
    own, _, _ = sample.shares()
    q = own * alone.slope * (sample.x @ (alone.inverse @ row)) ** 2
    of_group = q if groups is None else np.asarray(np.bincount(groups, weights=q), dtype=np.float64)
    return float(of_group.sum() ** 2 / (of_group**2).sum())


def _summed(rows: Floats, groups: Codes) -> Floats:
    """Sums of rows within each group that occurs, in the order of the codes."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return np.asarray(np.add.reduceat(rows[order], starts))


def tuning(sample: Sample, alone: LabelledAlone, row: Floats) -> float:
    """The lambda that minimises the variance of a combination of coefficients, from the fit to the labelled alone.

    Parameters
    ----------
    sample : Sample
        The data.
    alone : LabelledAlone
        The fit to the labelled alone.
    row : ndarray, shape (d,)
        Weights of the coefficients.

    Returns
    -------
    float
        Between 0 and 1.
    """
    own, _, _ = sample.shares()
    human, judged, others = _gradients(sample, alone.fit.coefficients)
    turned = alone.inverse @ row
    u, v, rest = human @ turned, judged @ turned, others @ turned
    if sample.weights is not None:
        u, v = u - own @ u, v - own @ v
        factor = sample.weights * (sample.weights - 1.0)
        above, below = float(factor @ (u * v)), float(factor @ v**2)
    else:
        n, spread = u.size, np.concatenate([v, rest])
        above = float((u - u.mean()) @ (v - v.mean())) / (n - 1)
        below = (1.0 + n / rest.size) * float(spread.var(ddof=1))
    return min(1.0, max(0.0, above / below)) if below > 0.0 else 0.0


def _means(sample: Sample, coefficients: Floats) -> tuple[Floats, Floats]:
    """Expected verdicts on the labelled, and their derivative with respect to the linear predictor."""
    predictor = sample.x @ coefficients
    if not sample.logistic:
        return predictor, np.ones(predictor.size)
    mean = _expit(predictor)
    return mean, mean * (1.0 - mean)


def _gradients(sample: Sample, coefficients: Floats) -> tuple[Floats, Floats, Floats]:
    """Gradients of each unit's loss: labelled by the human, labelled by the judge, and unlabelled."""
    mean, _ = _means(sample, coefficients)
    others = sample.others_x @ coefficients
    others = _expit(others) if sample.logistic else others
    return (
        sample.x * (mean - sample.y)[:, None],
        sample.x * (mean - sample.f)[:, None],
        sample.others_x * (others - sample.others_f)[:, None],
    )


def _linear(x: Floats, weights: Floats, target: Floats) -> tuple[Floats, Floats]:
    curvature = (x * weights[:, None]).T @ x
    sizes = np.linalg.eigvalsh(curvature)
    if sizes[0] <= _FLAT * sizes[-1]:
        raise NoFit("the loss is flat along a covariate")
    return np.asarray(np.linalg.solve(curvature, target), dtype=np.float64), curvature


def _logistic(x: Floats, weights: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Newton's method; steps are halved until the loss no longer rises."""
    coefficients = np.zeros(x.shape[1])
    predictor = np.zeros(len(x))
    loss = float(weights.sum()) * np.log(2.0)
    for _ in range(_STEPS):
        mean = _expit(predictor)
        curvature = (x * (weights * mean * (1.0 - mean))[:, None]).T @ x
        try:
            step = np.linalg.solve(curvature, target - x.T @ (weights * mean))
        except np.linalg.LinAlgError:
            break
        moved = x @ step
        if not np.isfinite(moved).all():
            break
        if np.abs(moved).max() < _CLOSE:
            return coefficients, curvature
        part = 1.0
        while part > 1e-6:
            new = predictor + part * moved
            less = float(weights @ np.logaddexp(0.0, new)) - float(target @ (coefficients + part * step))
            if less <= loss + 1e-14:
                break
            part /= 2.0
        coefficients, predictor, loss = coefficients + part * step, new, less
    raise NoFit("no finite coefficients make the loss least")


def _expit(predictor: Floats) -> Floats:
    return np.asarray(0.5 * (1.0 + np.tanh(predictor / 2.0)))
