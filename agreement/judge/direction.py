"""A judge against humans: the direction of its errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from agreement.accuracy import correctness
from agreement.arguments import shown
from agreement.coding import Ratings, same_length
from agreement.comparisons import mcnemar, paired_difference, paired_proportion_difference
from agreement.estimate import Estimate
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.lone_items import shared_clusters
from agreement.planning import labels_needed
from agreement.resampling import Seed
from agreement.result import Result

Direction = Literal["stricter", "more lenient", "undecided"]

IN_CLUSTERS = "McNemar in clusters (Obuchowski)"
"""How a method names a P value that allows for clustering."""


def test_named(test_in_clusters: Estimate | None) -> str:
    """How a method says which test its P value is from.

    Parameters
    ----------
    test_in_clusters : Estimate or None
        As in `judge_direction`.

    Returns
    -------
    str

    Examples
    --------
    >>> test_named(None)
    '; P exact McNemar, assumes independent items'
    """
    if test_in_clusters is None:
        return "; P exact McNemar, assumes independent items"
    return f"; P {IN_CLUSTERS}" if test_in_clusters.p is not None else "; P none: a single cluster"


def by_interval(estimate: Estimate) -> Direction:
    """The direction that the interval of a signed difference shows.

    Parameters
    ----------
    estimate : Estimate
        Human minus judge.

    Returns
    -------
    {"stricter", "more lenient", "undecided"}
    """
    if estimate.low > 0.0:
        return "stricter"
    return "more lenient" if estimate.high < 0.0 else "undecided"


def stands_for(estimate: Estimate) -> Direction:
    """The direction that a signed difference shows: its interval excludes 0, and its P, if any, is small enough.

    The interval of a difference is not the inverse of its test: either can decide where the other does not, if few
    verdicts differ. A word that both support never contradicts what is printed next to it, and is given in no more than
    5 % of samples without a difference (`benchmarks.judge_levels`).

    Parameters
    ----------
    estimate : Estimate
        Human minus judge.

    Returns
    -------
    {"stricter", "more lenient", "undecided"}

    Examples
    --------
    Nine strict and two lenient of 153: the interval excludes 0, P is .065.

    >>> human, judge = [1] * 151 + [0] * 2, [1] * 142 + [0] * 9 + [1] * 2
    >>> difference = judge_direction(human, judge).difference
    >>> by_interval(difference), stands_for(difference)
    ('stricter', 'undecided')
    """
    if estimate.p is not None and estimate.p > 1.0 - estimate.confidence:
        return "undecided"
    return by_interval(estimate)


@dataclass(frozen=True)
class JudgeDirection(Result):
    """Whether a judge is stricter or more lenient than a human on the same candidates.

    Attributes
    ----------
    n : int
        Candidates with both verdicts.
    n_missing : int
        Candidates left out because one of the two verdicts is missing.
    strict : int
        Judge incorrect, human correct.
    lenient : int
        Judge correct, human incorrect.
    both_correct, both_incorrect : int
        The agreements.
    difference : Estimate
        ``(strict - lenient) / n``: the proportion the human calls correct minus the proportion the judge calls correct;
        above 0 the judge is stricter. Cluster bootstrap if candidates share clusters, else Newcombe's paired interval.
        `p` is exact McNemar, which assumes independent candidates, unless a clustered test was given.
    mcnemar_exact, mcnemar_mid_p : Estimate
        Proportion of `strict` among the disagreements, with the exact and the mid-P value.
    """

    n: int
    n_missing: int
    strict: int
    lenient: int
    both_correct: int
    both_incorrect: int
    difference: Estimate
    mcnemar_exact: Estimate
    mcnemar_mid_p: Estimate

    @property
    def direction(self) -> Direction:
        """The direction that interval and P of the difference both show (`stands_for`)."""
        return stands_for(self.difference)

    @property
    def direction_by_interval(self) -> Direction:
        """The direction by the interval alone, for a clustered difference whose P treats candidates as independent."""
        return by_interval(self.difference)

    @property
    def design_effect(self) -> float:
        """The squared ratio of the clustered to the independent standard error of the difference, at least 1.

        1 without clusters, or if the clustered standard error is undefined.
        """
        estimate = self.difference
        if estimate.n_clusters is None or estimate.se is None or self.n == 0:
            return 1.0
        independent = (self.strict + self.lenient) / self.n - estimate.value**2
        return max(1.0, estimate.se**2 * self.n / independent) if independent > 1e-18 else 1.0

    @property
    def labels_to_decide(self) -> int | None:
        """Candidates needed to detect a direction with 80 % power if the observed proportions were the true ones.

        With clusters, multiplied by `design_effect`: this assumes clusters of the same size as here. None if there is
        no direction to detect (as many strict as lenient), or if more than ten million would be needed.
        """
        if self.n == 0 or self.strict == self.lenient:
            return None
        try:
            return labels_needed(
                power=0.8,
                strict=self.strict / self.n,
                lenient=self.lenient / self.n,
                design_effect=self.design_effect,
                confidence=self.difference.confidence,
            )
        except ValueError:  # more than could ever be labelled
            return None

    def as_dict(self) -> dict[str, Any]:
        """All entries by name, ready for JSON."""
        return super().as_dict() | {
            "direction": self.direction,
            "direction_by_interval": self.direction_by_interval,
            "design_effect": self.design_effect,
            "labels_to_decide": self.labels_to_decide,
        }


def judge_direction(
    human: Ratings,
    judge: Ratings,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "candidate",
    test_in_clusters: Estimate | None = None,
) -> JudgeDirection:
    """Direction of a judge's errors relative to a human, on the same candidates.

    Parameters
    ----------
    human, judge : sequence, shape (candidates,)
        True or 1 for correct, False or 0 for incorrect, None if there is no verdict.
    clusters : sequence, shape (candidates,), optional
        Cluster of each candidate, for example its item.
    interval : {"score", "percentile", "bca"}, optional
        By default "score", Newcombe's interval, without `clusters` or if each holds one candidate; else "percentile".
    resamples, seed
        For the bootstrap, see `bootstrap`.
    confidence : float
        Nominal coverage.
    unit : str
        What one entry is.
    test_in_clusters : Estimate, optional
        McNemar's test of the same verdicts by `mcnemar_in_clusters`; its P value, None if it has none, becomes that of
        `difference`.

    Returns
    -------
    JudgeDirection

    Raises
    ------
    ValueError
        When lengths differ or a verdict is not correct, incorrect or missing.

    References
    ----------
    .. [1] MRI-Eval, validation of the judge. McNemar: see `mcnemar`; interval: see `paired_proportion_difference`.

    Examples
    --------
    MRI-Eval reports 122 agreements in 136, 13 strict and 1 lenient: +8.8 points. That all agreements are correct by
    both is our assumption.

    >>> result = judge_direction([1] * 122 + [1] * 13 + [0], [1] * 122 + [0] * 13 + [1])
    >>> round(result.difference.value, 3), round(result.difference.p, 4), result.direction
    (0.088, 0.0018, 'stricter')
    """
    known_human, human_correct = correctness(human, "human")
    known_judge, judge_correct = correctness(judge, "judge")
    same_length(known_human, known_judge, "human", "judge")
    known = known_human & known_judge
    h, j = human_correct[known], judge_correct[known]
    strict, lenient = int((h & ~j).sum()), int((j & ~h).sum())
    both, neither = int((h & j).sum()), int((~h & ~j).sum())
    exact = mcnemar(strict, lenient, "exact", confidence=confidence, unit=unit)
    chosen = chosen_interval(interval, "score", *BOOTSTRAPS, clustered=clusters is not None)
    groups = shared_clusters(clusters, known, interval)
    if interval is None and groups is None:
        chosen = "score"
    if chosen == "score":
        estimate = paired_proportion_difference(both, strict, lenient, neither, confidence=confidence, unit=unit)
    else:
        estimate = paired_difference(
            h, j, clusters=groups, resamples=resamples, seed=seed, interval=chosen, confidence=confidence, unit=unit
        )
    if test_in_clusters is not None and not isinstance(test_in_clusters, Estimate):
        raise ValueError(f"test_in_clusters is {shown(test_in_clusters)}; expected an Estimate with its P, or None")
    p = exact.p if estimate.n else None
    if test_in_clusters is not None:
        p = test_in_clusters.p
    difference = Estimate(
        "signed difference, human minus judge",
        estimate.value,
        estimate.low,
        estimate.high,
        estimate.n,
        unit,
        estimate.method + test_named(test_in_clusters),
        estimate.undefined_because,
        estimate.se,
        p,
        confidence,
        estimate.n_clusters,
    )
    return JudgeDirection(
        n=int(known.sum()),
        n_missing=int((~known).sum()),
        strict=strict,
        lenient=lenient,
        both_correct=both,
        both_incorrect=neither,
        difference=difference,
        mcnemar_exact=exact,
        mcnemar_mid_p=mcnemar(strict, lenient, "mid-p", confidence=confidence, unit=unit),
    )
