"""What was declared before the look: margins, power, design, and what a certificate asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from agreement.estimate import check_confidence
from agreement.judge.scale import Scale
from agreement.judge.wording import in_figures
from agreement.rater_tests import check_margins

Design = Literal["random", "stratified", "probability", "unknown"]

FEWEST_IN_STRATUM = 30
"""Labels that every declared stratum needs before it is called covered."""


@dataclass(frozen=True)
class Declared:
    """A criterion that a plan declares of the judge beside humans.

    Attributes
    ----------
    key : str
        What the plan calls it.
    statistic : str
        Such as ``"percent_agreement"``; `agreement.judge.declared.statistics` has those of a scale.
    above, below : float or None
        The lower limit of the interval must lie above the one, the upper limit below the other.
    each_human : bool
        Whether beside each human alone, and not beside the human verdicts on which the certificate rests.
    by : tuple of str
        Factors, each level of which must clear it.
    fewest_candidates, fewest_humans : int
        On which it must rest.
    unknown : str
        What it asks beyond this, which nothing here can decide; empty for nothing.
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

    @property
    def in_words(self) -> str:
        """What it asks."""
        bounds = [f"lower limit above {in_figures(self.above)}"] if self.above is not None else []
        bounds += [f"upper limit below {in_figures(self.below)}"] if self.below is not None else []
        words = f"{self.statistic.replace('_', ' ')} of judge and human: {' and '.join(bounds)}"
        words += ", beside each human" if self.each_human else ""
        words += f", in every {' and '.join(self.by)}" if self.by else ""
        return f"{words}, on at least {self.fewest_candidates} candidates and {self.fewest_humans} humans"


@dataclass(frozen=True)
class Criteria:
    """What a judge must show before it is certified.

    Attributes
    ----------
    agreement_bound : float
        The lower limit of the judge's agreement with the other humans minus a left-out human's must lie above it.
    direction_margin : float or None
        The interval of the signed difference must lie within plus and minus it; None takes the margin of the plan.
    fewest_in_stratum : int
        Labels in each declared stratum.
    fewest_humans : int
        Humans who gave verdicts.
    declared : tuple of Declared
        Those of the plan, which replace agreement and direction.
    most_missing : float or None
        The largest share of candidates without a verdict, of the labelled and of every later run; None asks it of later
        runs alone, of which none may leave out more than the upper limit of what was left out here.
    """

    agreement_bound: float = -0.10
    direction_margin: float | None = None
    fewest_in_stratum: int = FEWEST_IN_STRATUM
    fewest_humans: int = 1
    declared: tuple[Declared, ...] = ()
    most_missing: float | None = None

    def __post_init__(self) -> None:
        if self.most_missing is not None and not 0.0 <= self.most_missing < 1.0:
            raise ValueError(f"most_missing is {self.most_missing!r}; expected a share from 0 to below 1, such as 0.05")


@dataclass(frozen=True)
class Plan:
    """Options that hold for all panels.

    Attributes
    ----------
    confidence : float
        Nominal coverage of every interval; 1 minus the level of every test.
    resamples, seed
        Of bootstraps.
    margin : float or None
        The largest difference that does not matter, in units of the score; None is 5 points for shares and a twentieth
        of an ordered scale, and not declared for numbers.
    power : float
        With which a difference of `margin` is to be told.
    epsilon, alpha : float
        Of the alternative annotator test.
    design : {"random", "stratified", "probability", "unknown"}
        How the labelled candidates were drawn.
    specificity : float
        That a threshold is to reach.
    basis : str or None
        Name of the human verdicts on which the corrections rest; None takes the first of `bases`.
    criteria : Criteria
        Of the certificate.
    looks : int
        How often the labels have been looked at with this judge, this look included.
    runs_opened : int
        How many runs of this prompt the labels were opened for at once: of several, the best may be chosen by them.
    fewest_shown : int
        Labelled candidates on which a figure rests at least; more than 1 where human verdicts are sealed.
    is_trial : bool
        Whether the candidates are of development subjects, on which prompts are still tried: a judge may pass there,
        and is certified on test subjects only.
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
        """Refuse margins that no share can miss: points typed for a share would let every judge pass.

        Parameters
        ----------
        scale : Scale

        Raises
        ------
        ValueError
            When verdicts are right or wrong, and a margin or a bound is no share.
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
    def bootstrap(self) -> dict[str, Any]:
        """Keyword arguments of what resamples."""
        return {"resamples": self.resamples, "seed": self.seed, "confidence": self.confidence}
