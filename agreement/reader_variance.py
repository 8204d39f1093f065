"""Variance components of a reader study, from a pilot or from a published study."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from agreement.arguments import number_in, whole_number
from agreement.coding import Ratings
from agreement.magnitude import refuse_huge
from agreement.ratings import RatingTable, numbers_of
from agreement.readers import covariance_components, jackknifed_accuracies
from agreement.result import Result


@dataclass(frozen=True)
class VarianceComponents(Result):
    """Obuchowski and Rockette's variance components for the accuracies of readers in two conditions.

    Parameters
    ----------
    condition_by_reader : float
        Variance of condition x reader, Var(TR); a negative estimate counts as 0.
    error : float
        Variance of one reader's accuracy in one condition over samples of cases, Var.
    cov_1 : float
        Covariance of these errors for the same reader in different conditions.
    cov_2 : float
        The same for different readers in the same condition.
    cov_3 : float
        The same for different readers in different conditions.
    cases : int
        Number of cases (or clusters) to which the last four apply; they decrease as 1 / cases.
    readers : int
        Number of readers behind the first.
    source : str
        Where the components come from.

    Raises
    ------
    ValueError
        When a component is not a finite number, `error` is not above 0, or `cases` or `readers` is not a whole number
        of at least 2 and 1, respectively.

    Examples
    --------
    >>> VARIANCES["Van Dyke"].cases, round(VARIANCES["Van Dyke"].at(228).error, 8)
    (114, 0.00040114)
    """

    condition_by_reader: float
    error: float
    cov_1: float
    cov_2: float
    cov_3: float
    cases: int
    readers: int
    source: str

    def __post_init__(self) -> None:
        for name in ("condition_by_reader", "cov_1", "cov_2", "cov_3"):
            object.__setattr__(self, name, number_in(getattr(self, name), name, "a finite number", math.isfinite))
        error = number_in(self.error, "error", "a number above 0", lambda number: 0.0 < number < math.inf)
        object.__setattr__(self, "error", error)
        object.__setattr__(self, "cases", whole_number(self.cases, "cases", 2))
        object.__setattr__(self, "readers", whole_number(self.readers, "readers", 1))

    def at(self, cases: int) -> VarianceComponents:
        """The components for a different number of similar cases.

        Parameters
        ----------
        cases : int
            Number of cases, with the same prevalence.

        Returns
        -------
        VarianceComponents
        """
        factor = self.cases / cases
        return VarianceComponents(
            self.condition_by_reader,
            self.error * factor,
            self.cov_1 * factor,
            self.cov_2 * factor,
            self.cov_3 * factor,
            cases,
            self.readers,
            self.source,
        )


VARIANCES = {
    "Van Dyke": VarianceComponents(
        0.00020040252, 0.00080228827, 0.00034661371, 0.00034407483, 0.00023902837, 114, 5,
        "areas under trapezoidal ROC curves, 45 of 114 patients with aortic dissection, spin-echo and cine MRI: Van "
        "Dyke et al. (1993), RSNA 79th meeting; components by jackknife as OR-DBM MRMC 2.51 and RJafroc print them",
    ),
    "Franken": VarianceComponents(
        -0.00071276, 0.00152578, 0.00079168, 0.00048364, 0.00051251, 100, 4,
        "areas under trapezoidal ROC curves, 67 of 100 neonatal radiographs abnormal, film and workstation: Franken et "
        "al. (1992), Invest Radiol 27, 732-737; components by jackknife as OR-DBM MRMC 2.51 prints them for RJafroc",
    ),
    "Zanca": VarianceComponents(
        -0.00001093, 0.00078912, 0.00029480, 0.00023331, 0.00021213, 200, 4,
        "areas under trapezoidal ROC curves of the highest rating, 100 of 200 mammograms with simulated "
        "microcalcifications, five ways of image processing: Zanca et al. (2009), Med Phys 36, 765-775; components by "
        "jackknife as OR-DBM MRMC 2.51 prints them for RJafroc (FED)",
    ),
}  # fmt: skip
"""Components of published studies, by name. Use them without a pilot, and vary them: in two of the three studies the
readers differed less between conditions than expected by chance, so Var(TR) counts as 0."""


def variance_components(
    first: RatingTable,
    second: RatingTable,
    *,
    outcome: Ratings | None = None,
    clusters: Ratings | None = None,
    unit: str = "item",
) -> VarianceComponents:
    """Variance components from a pilot study in which readers read the same cases in two conditions.

    Error variance and covariances by the jackknife over items or clusters, as in `reader_averaged_difference`, and from
    the mean square of condition x reader ``Var(TR) = MS(TR) - Var + Cov1 + max(Cov2 - Cov3, 0)`` [1]_, eq. 9.

    Parameters
    ----------
    first, second : array_like, shape (items, readers)
        Correctness, 1 or 0 (or any score), of the same two or more readers on the same items in two conditions; with
        `outcome`, their confidence that the item is positive.
    outcome : sequence, shape (items,), optional
        True or 1 for positive, False or 0 for negative; then the accuracy is the area under the ROC curve.
    clusters : sequence, shape (items,), optional
        Cluster of each item; `cases` then counts clusters.
    unit : str
        What one row is.

    Returns
    -------
    VarianceComponents
        With few readers, Var(TR) is imprecise: plan with a larger value as well.

    Raises
    ------
    ValueError
        As in `reader_averaged_difference`, and when the difference would be undefined there.

    References
    ----------
    .. [1] Hillis, Obuchowski and Berbaum (2011). Power estimation for multireader ROC methods: an updated and unified
       approach. Academic Radiology 18, 129-142.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> pilot = variance_components(rng.random((40, 3)) < 0.6, rng.random((40, 3)) < 0.9)
    >>> pilot.cases, pilot.readers, round(pilot.error, 4)
    (40, 3, 0.0044)
    """
    one_side, other_side = numbers_of(first, "first"), numbers_of(second, "second")
    if one_side.shape != other_side.shape:
        raise ValueError(
            f"first has shape {one_side.shape} and second {other_side.shape}; expected the same items and readers"
        )
    refuse_huge(one_side, "first")
    refuse_huge(other_side, "second")
    r = one_side.shape[1]
    accuracies, covariance, design = jackknifed_accuracies(np.hstack([one_side, other_side]), outcome, clusters, unit)
    if design.reason is not None:
        raise ValueError(f"the pilot has no variance components: {design.reason}")
    table = accuracies.reshape(2, r) * design.scale
    error, cov_1, cov_2, cov_3 = (
        float(part) * design.scale**2 for part in covariance_components(covariance.reshape(2, r, 2, r))
    )
    gap = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    interaction = float((gap**2).sum()) / (r - 1)
    return VarianceComponents(
        condition_by_reader=interaction - error + cov_1 + max(cov_2 - cov_3, 0.0),  # [1], eq. 9
        error=error,
        cov_1=cov_1,
        cov_2=cov_2,
        cov_3=cov_3,
        cases=design.n if design.n_clusters is None else design.n_clusters,
        readers=r,
        source=f"pilot of {r} readers and {design.n} {unit}s",
    )
