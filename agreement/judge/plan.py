"""What was declared before looking at the results: margins, power, design, and the criteria for a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from agreement.bias import WithinClusters
from agreement.coding import Codes
from agreement.estimate import check_confidence
from agreement.judge.scale import Scale
from agreement.judge.wording import in_figures
from agreement.p_in_clusters import PInClusters
from agreement.plain_limits import IntervalScale
from agreement.planned_seed import FEWEST_FOR_P, OfNumbers, PlannedSeed
from agreement.rater_tests import check_margins

Design = Literal["random", "stratified", "probability", "unknown"]

FEWEST_IN_STRATUM = 30
"""Labels that each declared stratum needs to count as covered."""


@dataclass(frozen=True)
class Declared:
    """A criterion that a plan declares for a judge, by a statistic of judge and human.

    Attributes
    ----------
    key : str
        Its name in the plan.
    statistic : str
        For example ``"percent_agreement"``; `agreement.judge.declared.statistics` lists those available on a scale.
    above, below : float or None
        The lower confidence limit must be greater than `above`, the upper less than `below`.
    each_human : bool
        Whether the judge is compared with each human alone instead of the certificate's basis.
    by : tuple of str
        Factors; the criterion must hold in each of their levels.
    fewest_candidates, fewest_humans : int
        The minimum numbers of candidates and humans behind the estimate.
    unknown : str
        What else the criterion asks for that cannot be decided here; empty if nothing.
    """

    key: str
    statistic: str
    above: float | None = None
    below: float | None = None
    each_human: bool = False
    by: tuple[str, ...] = ()
    fewest_candidates: int = 1
    fewest_humans: int = 1
    unknown: str = ""

    def in_words(self, unit: str) -> str:
        """The criterion in words, of candidates or of what else is judged."""
        bounds = [f"lower limit above {in_figures(self.above)}"] if self.above is not None else []
        bounds += [f"upper limit below {in_figures(self.below)}"] if self.below is not None else []
        words = f"{self.statistic.replace('_', ' ')} of judge and human: {' and '.join(bounds)}"
        words += ", beside each human" if self.each_human else ""
        words += f", in every {' and '.join(self.by)}" if self.by else ""
        return f"{words}, on at least {self.fewest_candidates} {unit}s and {self.fewest_humans} humans"


@dataclass(frozen=True)
class Criteria:
    """What a judge must show before it is certified.

    Attributes
    ----------
    agreement_bound : float
        Lower bound for the lower confidence limit of the judge's minus a left-out human's agreement with the others.
    direction_margin : float or None
        The interval of the signed difference must lie within plus or minus it; None uses the plan's margin.
    fewest_in_stratum : int
        Minimum number of labels in each declared stratum.
    fewest_humans : int
        Minimum number of humans who gave verdicts.
    declared : tuple of Declared
        The plan's own criteria, which replace agreement and direction.
    most_missing : float or None
        The largest share of candidates without a verdict, among the labelled ones and in every later run. None limits
        only later runs: none may leave out more than the upper confidence limit of the share left out here.
    most_changed : float or None
        The largest share of verdicts that a later run may change on the candidates it repeats. None holds it against
        the share that changed between the judge's own runs, if there are several.
    """

    agreement_bound: float = -0.10
    direction_margin: float | None = None
    fewest_in_stratum: int = FEWEST_IN_STRATUM
    fewest_humans: int = 1
    declared: tuple[Declared, ...] = ()
    most_missing: float | None = None
    most_changed: float | None = None

    def __post_init__(self) -> None:
        for name, most in (("most_missing", self.most_missing), ("most_changed", self.most_changed)):
            if most is not None and not 0.0 <= most < 1.0:
                raise ValueError(f"{name} is {most!r}; expected a share from 0 to below 1, such as 0.05")


@dataclass(frozen=True)
class Plan:
    """Options that apply to all panels.

    Attributes
    ----------
    confidence : float
        Nominal coverage of every interval; 1 minus the significance level of every test.
    resamples, seed
        For bootstraps.
    margin : float or None
        The largest difference that does not matter, in units of the score. None means 5 percentage points for shares, a
        twentieth of an ordered scale's range, and no margin for numbers.
    power : float
        Power to detect a difference of `margin`.
    epsilon, alpha : float
        For the alternative annotator test.
    design : {"random", "stratified", "probability", "unknown"}
        How the labelled candidates were drawn.
    specificity : float
        The specificity that a threshold is to reach.
    basis : str or None
        Name of the basis of the corrections; None takes the first of `bases`.
    criteria : Criteria
        The certificate's criteria.
    looks : int
        How often the labels have been looked at with this judge, including this look.
    runs_opened : int
        How many runs of this prompt were compared with the labels at once; the best of several may be picked by them.
    fewest_shown : int
        Minimum number of labelled candidates behind a figure; more than 1 if human verdicts are sealed.
    is_trial : bool
        Whether the candidates are from development subjects, on whom prompts are still being tried: a judge may pass
        there, but is certified only on test subjects.
    weighted_interval : {"transformed", "plain"}
        The interval of weighted kappas and of alphas of ordered levels and numbers, see `agreement.plain_limits`.
    p_from : int
        The fewest units from which a bootstrap gives P.
    of_numbers : {"widened", "plain"}
        The default interval of numbers in clusters, see `agreement.planned_kind`.
    p_in_clusters : {"t", "normal"}
        The distribution of P, and of the limits that are not by a bootstrap, of corrected scores and differences in
        clusters. With "normal", the test of uniformity takes all candidates of a cluster to be equally alike.
    """

    confidence: float = 0.95
    resamples: int = 2_000
    seed: int = 0
    margin: float | None = None
    power: float = 0.8
    epsilon: float = 0.2
    alpha: float = 0.05
    design: Design = "unknown"
    specificity: float = 0.9
    basis: str | None = None
    criteria: Criteria = Criteria()
    looks: int = 1
    runs_opened: int = 1
    fewest_shown: int = 1
    is_trial: bool = False
    weighted_interval: IntervalScale = "transformed"
    p_from: int = FEWEST_FOR_P
    of_numbers: OfNumbers = "widened"
    p_in_clusters: PInClusters = "t"

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        check_margins(self.epsilon, self.alpha)
        if self.margin is not None and not 0.0 < self.margin < float("inf"):
            raise ValueError(f"margin is {self.margin!r}; expected a number above 0, such as 0.05")
        if not 0.0 < self.specificity <= 1.0:
            raise ValueError(
                f"specificity is {self.specificity!r}; expected a number above 0 and at most 1, such as 0.9"
            )
        if not 0.0 < self.power < 1.0:
            raise ValueError(f"power is {self.power!r}; expected a number between 0 and 1, such as 0.8")

    def require_fits(self, scale: Scale) -> None:
        """Refuse margins that no share can exceed: percentage points entered as a share would let every judge pass.

        Parameters
        ----------
        scale : Scale

        Raises
        ------
        ValueError
            When verdicts are right or wrong, and a margin or a bound is not a share.
        """
        if not scale.shares:
            return
        margins = {"margin": self.margin, "direction_margin": self.criteria.direction_margin}
        for name, margin in margins.items():
            if margin is not None and not 0.0 < margin < 1.0:
                raise ValueError(
                    f"{name} is {margin:g}; expected a share between 0 and 1, such as 0.05 for 5 points, as verdicts "
                    "are right or wrong"
                )
        if not -1.0 < self.criteria.agreement_bound < 1.0:
            raise ValueError(
                f"least_agreement is {self.criteria.agreement_bound:g}; expected a share between -1 and 1, such as "
                "-0.1 for 10 points below a human"
            )

    @property
    def within_clusters(self) -> WithinClusters:
        """How alike the test of uniformity takes candidates of one cluster to be."""
        return "by_level" if self.p_in_clusters == "t" else "common"

    @property
    def bootstrap(self) -> dict[str, Any]:
        """Keyword arguments for resampling functions."""
        seed = PlannedSeed(self.seed, self.p_from, self.of_numbers)
        return {"resamples": self.resamples, "seed": seed, "confidence": self.confidence}

    def bootstrap_of_mean(self, clusters: Codes | None) -> dict[str, Any]:
        """The same for a mean of numbers, whose percentiles are widened in clusters unless the plan is of before."""
        return self.bootstrap | {"interval": "percentile" if clusters is None else "widened"}
