"""Planning by simulation: the expected interval width of a kappa, an alpha or an accuracy, and the power."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from agreement.accuracy import accuracy_of_correctness
from agreement.arguments import listed, number_in, shown, whole_number
from agreement.coding import Codes, Floats
from agreement.estimate import Estimate, check_confidence
from agreement.given_numbers import as_floats
from agreement.kappa import cohen_kappa
from agreement.krippendorff import krippendorff_alpha
from agreement.resampling import Seed, random_generator
from agreement.result import Result
from agreement.several_raters import fleiss_kappa
from agreement.shared_draw import ClusterDraw

Statistic = Literal["cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "accuracy"]

_COEFFICIENTS: dict[str, Callable[..., Estimate]] = {
    "cohen_kappa": lambda table, **options: cohen_kappa(table[:, 0], table[:, 1], **options),
    "fleiss_kappa": fleiss_kappa,
    "krippendorff_alpha": krippendorff_alpha,
}


@dataclass(frozen=True)
class SimulatedStudy(Result):
    """The results for one study size, under the stated assumptions.

    Attributes
    ----------
    items, raters : int
        The size.
    value : float
        The true value assumed.
    width : float
        Median full width of the interval; nan if no simulated study has one.
    power : float or None
        Proportion of simulated studies whose lower limit is above `null`; None without a null.
    coverage : float
        Proportion of the intervals that contain the true value; nan if there are none.
    without_interval : float
        Proportion of simulated studies without an interval; for power, they count as not excluding the null.
    simulations : int
        Number of simulated studies; a proportion has a standard error of at most ``1 / (2 sqrt(simulations))``.
    assumptions : str
        The assumptions, with the seed.
    """

    items: int
    raters: int
    value: float
    width: float
    power: float | None
    coverage: float
    without_interval: float
    simulations: int
    assumptions: str


def plan_by_simulation(
    statistic: Statistic,
    items: Sequence[int],
    raters: Sequence[int] = (2,),
    *,
    value: float,
    shares: Sequence[float] = (0.5, 0.5),
    null: float | None = None,
    missing: float = 0.0,
    items_per_cluster: int = 1,
    icc: float = 0.0,
    simulations: int = 500,
    seed: Seed,
    confidence: float = 0.95,
) -> list[SimulatedStudy]:
    """Interval width and power for each combination of numbers of items and raters, by simulation.

    Studies of each size are simulated, their intervals computed by the statistic's own function, and summarised.

    - kappa, alpha: an item has a category k with probability ``p_k`` (`shares`). A rater gives it with probability
      ``sqrt(value)`` and otherwise guesses from the same shares. Two raters then both give k with probability
      ``value p_k + (1 - value) p_k^2``, so that kappa and alpha equal `value` [1]_. Ratings are missing at random with
      probability `missing`; a category without any rating is still declared.
    - accuracy, of one rater: right with probability `value`. With clusters of m items, an item takes the outcome of its
      cluster with probability ``sqrt(icc)`` and otherwise its own, so that two items of a cluster have correlation
      `icc` [2]_. The interval is Wilson's, with clusters at the effective sample size.

    Parameters
    ----------
    statistic : {"cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "accuracy"}
        The statistic to be estimated; Cohen's kappa is for two raters, accuracy for one.
    items, raters : sequence of int
        Sizes of the grid; `raters` is ignored for accuracy.
    value : float
        True value, from 0 to 1.
    shares : sequence of float
        Category prevalences, which sum to 1.
    null : float, optional
        The value that the lower limit should exceed; if None, only the width is computed.
    missing : float
        Proportion of missing ratings, below 1; only for kappa and alpha.
    items_per_cluster : int
        Number of items in each cluster, for accuracy.
    icc : float
        Intraclass correlation, from 0 to 1.
    simulations : int
        Number of simulated studies for each size.
    seed : int, sequence of int or SeedSequence
        Seed of the random numbers; required. The results for one size do not depend on the rest of the grid.
    confidence : float
        Nominal coverage of the interval.

    Returns
    -------
    list of SimulatedStudy
        Items by raters, in the order given.

    Raises
    ------
    ValueError
        When an option or size is out of range, or does not apply to the statistic.

    References
    ----------
    .. [1] Bloch and Kraemer (1989). 2 x 2 kappa coefficients: measures of agreement or association. Biometrics 45,
       269-287; the common correlation model, here for several categories.
    .. [2] Lunn and Davies (1998). A note on generating correlated binary variables. Biometrika 85, 487-490.

    Examples
    --------
    >>> small, large = plan_by_simulation("cohen_kappa", [50, 200], value=0.6, null=0.4, simulations=100, seed=1)
    >>> small.width > large.width, small.power < large.power
    (True, True)
    """
    confidence = check_confidence(confidence)
    p = _checked(statistic, value, shares, null, missing, items_per_cluster, icc, simulations)
    value, icc, missing = float(value), float(icc), float(missing)
    items = listed(items, "items", "numbers of items, such as [50, 100]")
    if statistic != "accuracy":
        raters = listed(raters, "raters", "numbers of raters, such as [2, 3]")
    sizes = [
        (whole_number(n, "items", 2), 1 if statistic == "accuracy" else whole_number(r, "raters", 2))
        for n in items
        for r in (raters if statistic != "accuracy" else (1,))
    ]
    if not sizes:
        raise ValueError("items or raters is empty; expected a size or more, such as (50, 100)")
    if statistic == "cohen_kappa" and any(r != 2 for _, r in sizes):
        raise ValueError(f"raters is {tuple(raters)!r} with Cohen's kappa; expected 2")
    if isinstance(seed, ClusterDraw):
        raise ValueError("seed is a draw of clusters; expected a whole number, since studies are simulated")
    random_generator(seed)  # raises if the seed is invalid
    entropy: Any = seed.entropy if isinstance(seed, np.random.SeedSequence) else seed
    if isinstance(entropy, np.integer | np.ndarray):
        entropy = entropy.tolist()
    try:
        base = [entropy] if isinstance(entropy, int) else [int(part) for part in (entropy or ())]
    except TypeError:
        raise ValueError(f"seed is {shown(seed)}; expected a whole number of at least 0") from None
    studies = []
    for n, r in sizes:
        generator = random_generator([*base, n, r])
        if statistic == "accuracy":
            estimates = [_accuracy(generator, n, value, items_per_cluster, icc, confidence) for _ in range(simulations)]
            words = f"accuracy {value:g}"
            if items_per_cluster > 1:
                words += f", clusters of {items_per_cluster} items with ICC {icc:g}"
        else:
            of = _COEFFICIENTS[statistic]
            declared = tuple(range(p.size))
            tables = (_ratings(generator, n, r, value, p, missing) for _ in range(simulations))
            estimates = [of(table, categories=declared, confidence=confidence) for table in tables]
            of_each = ", ".join(f"{share:g}" for share in p)
            words = f"{statistic} {value:g}, shares {of_each}" + (f", {100 * missing:g} % missing" if missing else "")
        studies.append(_summary(estimates, n, r, value, null, f"{words}; {simulations} simulations, seed {entropy}"))
    return studies


def _ratings(generator: np.random.Generator, n: int, r: int, value: float, p: Floats, missing: float) -> Floats:
    """Ratings from the common correlation model, shape (items, raters), nan if missing."""
    of_item = generator.choice(p.size, size=(n, 1), p=p)
    guess = generator.choice(p.size, size=(n, r), p=p)
    table = np.where(generator.random((n, r)) < math.sqrt(value), of_item, guess).astype(np.float64)
    if missing:
        table[generator.random((n, r)) < missing] = np.nan
    return table


def _accuracy(
    generator: np.random.Generator, n: int, value: float, size: int, icc: float, confidence: float
) -> Estimate:
    clusters: Codes = np.arange(n) // size
    of_cluster = (generator.random(int(clusters[-1]) + 1) < value)[clusters]
    own = generator.random(n) < value
    correct = np.where(generator.random(n) < math.sqrt(icc), of_cluster, own).astype(np.float64)
    return accuracy_of_correctness(correct, clusters=clusters if size > 1 else None, confidence=confidence).primary


def _summary(
    estimates: list[Estimate], n: int, r: int, value: float, null: float | None, assumptions: str
) -> SimulatedStudy:
    limits = np.array([[estimate.low, estimate.high] for estimate in estimates])
    known = limits[~np.isnan(limits).any(axis=1)]
    holds = (known[:, 0] <= value) & (value <= known[:, 1])
    return SimulatedStudy(
        items=n,
        raters=r,
        value=value,
        width=float(np.median(known[:, 1] - known[:, 0])) if known.size else math.nan,
        power=float((known[:, 0] > null).sum() / len(estimates)) if null is not None else None,
        coverage=float(holds.mean()) if known.size else math.nan,
        without_interval=1.0 - len(known) / len(estimates),
        simulations=len(estimates),
        assumptions=assumptions,
    )


def _checked(
    statistic: str,
    value: float,
    shares: Sequence[float],
    null: float | None,
    missing: float,
    items_per_cluster: int,
    icc: float,
    simulations: int,
) -> Floats:
    """Check that all arguments are in range; return the shares as an array."""
    if not isinstance(statistic, str) or statistic not in (*_COEFFICIENTS, "accuracy"):
        expected = ", ".join(repr(name) for name in (*_COEFFICIENTS, "accuracy"))
        raise ValueError(f"statistic is {shown(statistic)}; expected one of {expected}")
    for name, share in (("value", value), ("icc", icc), ("missing", missing)):
        number_in(share, name, "a number from 0 to 1", lambda number: 0.0 <= number <= 1.0)
    if null is not None:
        number_in(null, "null", f"a null below the value, {value!r}", lambda number: number < value)
    whole_number(items_per_cluster, "items_per_cluster", 1)
    whole_number(simulations, "simulations", 1)
    wrong = f"shares is {shown(shares)}; expected two or more numbers of at least 0, together 1"
    try:
        p = as_floats(shares)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(wrong) from None
    if p.ndim != 1 or p.size < 2 or not (p >= 0).all() or abs(p.sum() - 1.0) > 1e-9:
        raise ValueError(wrong)
    if statistic == "accuracy" and missing:
        raise ValueError("missing is given with an accuracy; expected fewer items instead")
    if statistic != "accuracy" and (items_per_cluster > 1 or icc):
        raise ValueError(f"items_per_cluster or icc is given with {statistic}; expected them with an accuracy only")
    if missing == 1.0:
        raise ValueError("missing is 1; expected a number below 1")
    return np.asarray(p / p.sum())
