"""Regression of an outcome on covariates, from human verdicts on a sample and a judge's on all units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from agreement.arguments import listed, one_of, shown, unmasked, yes_or_no
from agreement.cautions import rare_outcome
from agreement.coding import Codes, Floats, Ratings, as_values, numbers_or_nan, same_length
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.magnitude import magnitude, refuse_huge
from agreement.methods import leaving_out, of_lambda
from agreement.prevalence import clusters_of_both, inclusion_probabilities, variance_of_parts
from agreement.quantiles import t_tail, upper_t
from agreement.ratings import RatingTable, numbers_of
from agreement.regression_fit import (
    Fit,
    LabelledAlone,
    NoFit,
    Sample,
    deciding,
    fit,
    fit_alone,
    full_rank,
    left_out,
    standardised,
    tuning,
)
from agreement.result import Result
from agreement.words import Part, Words

_ROUNDING = 1e-12  # standard errors below this share of a unit's largest contribution are rounding errors of zero
_LEAST = 1e-290  # of a covariate's largest number, by whose reciprocal a coefficient is multiplied


@dataclass(frozen=True)
class PoweredCoefficient(Result):
    """A regression coefficient from human verdicts on some units and a judge's on all.

    Attributes
    ----------
    name : str
        The covariate's name, or "intercept".
    coefficient : Estimate
        Prediction-powered; `p` tests a coefficient of 0.
    labelled_only : Estimate
        Without the judge: the usual fit to the labelled units.
    effective_labels : float or None
        Number of labelled units that would give the same precision without a judge; None if either standard error is
        missing.
    """

    name: str
    coefficient: Estimate
    labelled_only: Estimate
    effective_labels: float | None


class _Design(NamedTuple):
    """The data in the units of the computation, and what the estimates need for their presentation."""

    sample: Sample
    back: Floats  # maps coefficients of standardised covariates to those of the original ones
    scale: float  # of the outcome
    names: tuple[str, ...]
    groups: Codes | None
    other_groups: Codes | None
    n_clusters: int | None
    confidence: float
    unit: str
    method: str


def prediction_powered_regression(
    human: Ratings,
    judge: Ratings,
    covariates: RatingTable | Ratings,
    unlabelled: Ratings,
    unlabelled_covariates: RatingTable | Ratings,
    *,
    model: Literal["linear", "logistic"],
    names: Sequence[str] | None = None,
    intercept: bool = True,
    tuned: bool = True,
    probabilities: Ratings | None = None,
    clusters: Ratings | None = None,
    unlabelled_clusters: Ratings | None = None,
    confidence: float = 0.95,
    unit: str = "candidate",
) -> tuple[PoweredCoefficient, ...]:
    """Regression of the human's verdict on covariates, from a labelled sample and the judge's verdicts on all units.

    The coefficients minimise ``L(y) + lambda (L_all(f) - L(f))`` [1]_ [2]_. L is the mean loss over the labelled (half
    the square of ``y - x'b``, or minus the log likelihood of ``logit P(y = 1) = x'b``), with the human's verdict y or
    the judge's f; L_all is that over the unlabelled, with f. The judge's errors may depend on the covariates: they are
    estimated on the labelled. Tuned: each coefficient has its own lambda, which minimises its variance,
    ``cov(u, v) / ((1 + n / N) var(v))`` clipped to [0, 1], where u and v are its row of ``H^-1`` times the gradients
    with y and f at the fit to the labelled alone; untuned: lambda = 1.

    Standard errors are robust (sandwich): no assumption is made about how y varies around the model. A unit contributes
    ``H^-1`` times its gradient minus the mean gradient; a labelled one as the shift in the coefficients when it is left
    out, ``(I - A H_l^-1)^-1`` times that, with A the unit's part of the curvature ``H_l`` of the labelled alone [3]_.
    Contributions are squared (within clusters, summed first) and added, as in a jackknife of the labelled. Limits and P
    use t with ``(sum q)^2 / sum q^2`` degrees of freedom, the effective number of units or clusters behind the
    coefficient, with q what each adds to the variance under the model; at most n - d (d coefficients) or clusters - 1
    [4]_.

    Parameters
    ----------
    human, judge : sequence of numbers, shape (n,)
        Verdicts on the labelled units; None or NaN is missing. Such units are left out, as are those without a
        covariate. Logistic: the human's are 0 and 1, the judge's anything from 0 to 1.
    covariates : array_like of numbers, shape (n, k)
        For the labelled; a single covariate may be a plain sequence. Code a category as columns of 0 and 1.
    unlabelled : sequence of numbers, shape (N,)
        The judge's verdicts on all other units of the pool.
    unlabelled_covariates : array_like of numbers, shape (N, k)
        For the unlabelled.
    model : {"linear", "logistic"}
        Least squares, or log odds.
    names : sequence of str, length k, optional
        Names of the covariates; by default the table's column names, if any.
    intercept : bool
        Whether to include an intercept.
    tuned : bool
        Whether lambda is estimated from the data.
    probabilities : sequence of numbers, shape (n,), optional
        Inclusion probability p of each labelled unit, which then gets weight 1 / p; L_all is over the whole pool, as in
        `prediction_powered_mean`.
    clusters, unlabelled_clusters : sequence, shapes (n,) and (N,), optional
        As in `prediction_powered_mean`.
    confidence : float
        Nominal coverage.
    unit : str
        What is counted.

    Returns
    -------
    tuple of PoweredCoefficient
        The intercept first. All are undefined if there are no more labelled units than coefficients, if a covariate is
        constant or a linear combination of others among the labelled, if a covariate separates the outcomes 0 and 1 of
        the labelled, if there are no unlabelled units, or, untuned, if a covariate is constant among these (the fit to
        the labelled alone remains). No limits if a single unit or cluster determines a coefficient, or if the standard
        error is 0. Warns if fewer than five labelled units have the rarer outcome.

    Raises
    ------
    ValueError
        When lengths or numbers of covariates differ, a value is not a number or is beyond 1e140, outcomes of a logistic
        model are not 0 and 1, or a probability is outside (0, 1].

    References
    ----------
    .. [1] Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023). Prediction-powered inference. Science 382, 669-674.
    .. [2] Angelopoulos, Duchi and Zrnic (2023). PPI++: efficient prediction-powered inference. arXiv 2311.01453.
    .. [3] MacKinnon and White (1985). Some heteroskedasticity-consistent covariance matrix estimators. J Econometrics
       29, 305-325: HC3; of clusters Bell and McCaffrey (2002). Survey Methodology 28, 169-181.
    .. [4] Carter, Schnepel and Steigerwald (2017). Asymptotic behavior of a t-test robust to cluster heterogeneity.
       Review of Economics and Statistics 99, 698-709.

    Examples
    --------
    Untuned, with x equally often 0 and 1 in both parts: the judge's slope among the unlabelled, .7 - .3, plus the human
    slope minus the judge's among the labelled, (.75 - .5) - (.25 - .25).

    >>> x, others = [1, 1, 1, 1, 0, 0, 0, 0], [1] * 10 + [0] * 10
    >>> human, judge, rest = [1, 1, 1, 0, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1, 0, 0], [1] * 7 + [0] * 3 + [1] * 3 + [0] * 7
    >>> _, slope = prediction_powered_regression(human, judge, x, rest, others, model="linear", tuned=False)
    >>> round(slope.coefficient.value, 3), round(slope.labelled_only.value, 3)
    (0.65, 0.5)
    """
    confidence = check_confidence(confidence)
    one_of(model, "model", ("linear", "logistic"))
    intercept, tuned = yes_or_no(intercept, "intercept"), yes_or_no(tuned, "tuned")
    if clusters is None and unlabelled_clusters is not None:
        raise ValueError("unlabelled_clusters without clusters: expected the clusters of the labelled too")
    called = _names(names, covariates, unlabelled_covariates)
    y, f = numbers_or_nan(human, "human"), numbers_or_nan(judge, "judge")
    rest = numbers_or_nan(unlabelled, "unlabelled")
    same_length(y, f, "human", "judge")
    x, others_x = _covariates(covariates, "covariates"), _covariates(unlabelled_covariates, "unlabelled_covariates")
    same_length(y, x, "human", "covariates")
    same_length(rest, others_x, "unlabelled", "unlabelled_covariates")
    x, others_x, called = _alike(x, others_x, called)
    if model == "logistic":
        _check_outcomes(y, f, rest)
    for values, argument in (
        (y, "human"), (f, "judge"), (rest, "unlabelled"), (x, "covariates"), (others_x, "unlabelled_covariates"),
    ):  # fmt: skip
        refuse_huge(values, argument)
    for values, argument in ((x, "covariates"), (others_x, "unlabelled_covariates")):
        _refuse_tiny(values, argument)
    known = ~(np.isnan(y) | np.isnan(f) | np.isnan(x).any(axis=1))
    there = ~(np.isnan(rest) | np.isnan(others_x).any(axis=1))
    chance = inclusion_probabilities(probabilities, known) if probabilities is not None else None
    groups, other_groups = clusters_of_both(clusters, unlabelled_clusters, known, there)
    scale = magnitude(y, f, rest) if model == "linear" else 1.0
    standard, others_standard, back = standardised(x[known], others_x[there], intercept)
    sample = Sample(
        standard, others_standard, y[known] / scale, f[known] / scale, rest[there] / scale,
        None if chance is None else 1.0 / chance, model == "logistic",
    )  # fmt: skip
    method = Words(f"{'least squares' if model == 'linear' else 'logistic regression'}, jackknife standard error, t")
    method += "; weighted by 1 / inclusion probability" if probabilities is not None else ""
    if groups is None:
        method += f"; independent {unit}s"
    else:
        method += "; clustered" if unlabelled_clusters is not None else "; clustered, unlabelled independent"
    lost, others_lost = int((~known).sum()), int((~there).sum())
    method += leaving_out(lost, "labelled without both verdicts or a covariate")
    method += leaving_out(others_lost, "unlabelled without a verdict or a covariate")
    design = _Design(
        sample, back, scale, (("intercept",) if intercept else ()) + called, groups, other_groups,
        None if groups is None else int(np.unique(groups).size), confidence, unit, method,
    )  # fmt: skip
    return _coefficients(design, tuned)


def _coefficients(design: _Design, tuned: bool) -> tuple[PoweredCoefficient, ...]:
    sample, alone, reason = design.sample, None, _too_little(design)
    if reason is None:
        try:
            alone = fit_alone(sample)
        except NoFit:
            reason = "a covariate separates the outcomes 0 and 1 of the labelled: no finite coefficients"
    coefficients = []
    for place, name in enumerate(design.names):
        labelled_only = _estimate(design, place, alone and alone.fit, alone, "labelled alone", reason)
        share, powered, why = 0.0, None, reason
        if alone is not None and not sample.others_f.size:
            why = "no unlabelled verdicts"
        elif alone is not None:
            share = tuning(sample, alone, design.back[place] / magnitude(design.back[place])) if tuned else 1.0
            try:
                powered = fit(sample, share)
            except NoFit:
                why = f"the judge's correction is beyond what probabilities can give (lambda {share:.3f})"
                if not sample.logistic or not full_rank(sample.others_x):
                    why = "a covariate is constant, or a sum of others, among the unlabelled"
        how = Words("PPI++" if tuned else "PPI", f", {sample.others_f.size} unlabelled")
        how += of_lambda(f", lambda {share:.3f}") if tuned and alone is not None else ""
        coefficient = _estimate(design, place, powered, alone, how, why)
        n, more, less = sample.y.size, labelled_only.se, coefficient.se
        effective = n * (more / less) ** 2 if more and less else None
        coefficients.append(PoweredCoefficient(name, coefficient, labelled_only, effective))
    return tuple(coefficients)


def _too_little(design: _Design) -> str | None:
    """Why no model can be fitted; None if one can."""
    n, d = design.sample.x.shape
    if n <= d:
        return f"{n} labelled for {d} coefficient{'s' if d > 1 else ''}: expected more"
    if design.n_clusters == 1:
        return "fewer than two clusters"
    if not full_rank(design.sample.x):
        return "a covariate is constant, or a sum of others, among the labelled"
    if design.sample.logistic and np.ptp(design.sample.y) == 0.0:
        return "all labelled have the same outcome"
    return None


def _estimate(
    design: _Design, place: int, fitted: Fit | None, alone: LabelledAlone | None, how: str, reason: str | None
) -> Estimate:
    n = design.sample.y.size
    name = f"coefficient of {design.names[place]}" if design.names[place] != "intercept" else "intercept"
    name += f", {'logistic' if design.sample.logistic else 'linear'}"
    method = Words(how, "; ", design.method)
    if fitted is None or alone is None:
        return undefined(
            name, n, design.unit, method, reason or "", confidence=design.confidence, n_clusters=design.n_clusters
        )
    size = magnitude(design.back[place])  # squares of covariates in tiny units would vanish
    row, scale, clusters = design.back[place] / size, design.scale * size, design.n_clusters
    value = float(row @ fitted.coefficients) * scale
    try:
        labelled = left_out(design.sample, fitted, alone, design.groups) @ row
    except NoFit:
        reason = f"one {'cluster' if clusters else design.unit} alone decides a coefficient: there is no standard error"
        return undefined(
            name, n, design.unit, method, reason, value=value, confidence=design.confidence, n_clusters=clusters
        )
    groups = None if design.groups is None else np.unique(design.groups)
    spread = variance_of_parts(labelled, fitted.of_others @ row, groups, design.other_groups)
    se = math.sqrt(spread) * scale
    if se <= _ROUNDING * float(np.abs(row).sum()) * scale:
        return undefined(
            name, n, design.unit, method, "the standard error is 0", value=value, confidence=design.confidence,
            n_clusters=clusters,
        )  # fmt: skip
    most = n - len(row) if clusters is None else clusters - 1
    freedom = max(1.0, min(float(most), deciding(design.sample, alone, design.groups, row)))
    half = upper_t((1.0 - design.confidence) / 2.0, freedom) * se
    p = 2.0 * t_tail(abs(value) / se, freedom)
    method += Words("; ", Part(f"{freedom:.1f} degrees of freedom", terms=("degrees of freedom",)))
    estimate = Estimate(
        name, value, value - half, value + half, n, design.unit, method, se=se, p=p, confidence=design.confidence,
        n_clusters=clusters,
    )  # fmt: skip
    if not design.sample.logistic:
        return estimate
    positive = int(design.sample.y.sum())
    return estimate.warned(rare_outcome(min(positive, n - positive)))


def _names(names: Sequence[str] | None, *tables: object) -> tuple[str, ...] | None:
    """Names of the covariates, as given or as in both tables; None if there are none."""
    if names is not None:
        called = listed(names, "names", "a name for each covariate")
        if not all(isinstance(name, str) for name in called) or len(set(called)) < len(called):
            raise ValueError(f"names is {shown(names)}; expected texts, each once")
        return called
    columns = [getattr(table, "columns", getattr(table, "column_names", None)) for table in tables]
    first, second = (
        None if own is None or not all(isinstance(name, str) for name in own) else tuple(own) for own in columns
    )
    if first is not None and second is not None and first != second:
        raise ValueError(
            f"covariates has the columns {shown(list(first))} and unlabelled_covariates {shown(list(second))}; "
            "expected the same in the same order"
        )
    return first or second


def _refuse_tiny(values: Floats, argument: str) -> None:
    """Refuse a covariate whose reciprocal, the unit of its coefficient, is not finite."""
    greatest = np.nanmax(np.abs(values), axis=0, initial=0.0)
    tiny = np.flatnonzero((greatest > 0.0) & (greatest < _LEAST))
    if tiny.size:
        raise ValueError(
            f"{argument} holds nothing above {float(greatest[tiny[0]])!r} in column {tiny[0]}; expected numbers of at "
            f"least {_LEAST:g}: give them in a smaller unit"
        )


def _covariates(values: Any, argument: str) -> Floats:
    """A table of numbers; a plain sequence is one covariate."""
    values = unmasked(values)
    if not hasattr(values, "shape") and hasattr(values, "__iter__") and not isinstance(values, str | bytes | dict):
        values = as_values(values, argument) if not hasattr(values, "itercolumns") else values
        if not any(hasattr(value, "__iter__") and not isinstance(value, str) for value in values):
            return numbers_or_nan(values, argument)[:, None]
    elif len(getattr(values, "shape", ())) == 1:
        return numbers_or_nan(values, argument)[:, None]
    return numbers_of(values, argument, fewest=1, columns="covariates")


def _alike(x: Floats, others_x: Floats, names: tuple[str, ...] | None) -> tuple[Floats, Floats, tuple[str, ...]]:
    """Both tables with the same number of covariates, and their names; an empty part takes the other's width."""
    width = x.shape[1] if len(x) else others_x.shape[1]
    x, others_x = (part if len(part) else np.zeros((0, width)) for part in (x, others_x))
    if others_x.shape[1] != width:
        raise ValueError(
            f"covariates has {width} columns and unlabelled_covariates {others_x.shape[1]}; expected as many"
        )
    if names is None:
        names = tuple(f"covariate {number + 1}" for number in range(width)) if width > 1 else ("covariate",)
    elif len(names) != width:
        raise ValueError(f"names has {len(names)} entries for {width} covariates; expected one for each")
    return x, others_x, names


def _check_outcomes(y: Floats, f: Floats, rest: Floats) -> None:
    if not np.isin(y[~np.isnan(y)], (0.0, 1.0)).all():
        raise ValueError("human holds numbers other than 0 and 1; expected only these with model 'logistic'")
    for values, argument in ((f, "judge"), (rest, "unlabelled")):
        within: npt.NDArray[np.bool_] = (values >= 0.0) & (values <= 1.0) | np.isnan(values)
        if not within.all():
            raise ValueError(f"{argument} holds a value outside 0 to 1; expected such with model 'logistic'")
