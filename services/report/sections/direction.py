"""Human minus judge, or human minus automatic scorer: who is stricter, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from agreement import Estimate, JudgeDirection, judge_direction
from agreement.clustered_tests import mcnemar_p_in_clusters
from agreement.estimate import undefined
from agreement.lone_items import shared_clusters
from exchange.report.estimate_rows import Direction
from exchange.report.shown_numbers import has_interval
from services.report.interval_settings import IntervalSettings

TEST_OF_DIRECTION = (
    "P of a signed difference: McNemar's test on the candidates that the two score differently, exact, or for clusters "
    "(Obuchowski) where candidates share items or subjects, as the interval does. The interval is not the inverse of "
    "the test, so on few candidates one of the two may decide where the other does not."
)
Scored = Sequence[bool | None]


def direction_of(human: Scored, judge: Scored, clusters: Sequence[Any], intervals: IntervalSettings) -> JudgeDirection:
    """Return who is stricter, with an interval and a P that both allow for clusters, if candidates share any.

    Parameters
    ----------
    clusters
        The cluster of each candidate.
    """
    return judge_direction(
        human, judge, **intervals.by(clusters), test_in_clusters=_test_in_clusters(human, judge, clusters)
    )


def _test_in_clusters(human: Scored, judge: Scored, clusters: Sequence[Any]) -> Estimate | None:
    """Return McNemar's test in clusters; None if no two candidates share one, so that the exact test holds."""
    both = np.array([x is not None and y is not None for x, y in zip(human, judge, strict=True)], dtype=np.bool_)
    groups = shared_clusters(list(clusters), both)
    if groups is None:
        return None
    gaps = [float(x) - float(y) for x, y in zip(human, judge, strict=True) if x is not None and y is not None]
    p, test = mcnemar_p_in_clusters(np.array(gaps), groups, "obuchowski")
    return undefined("share of discordant pairs", len(gaps), "candidate", test, "only its P is used", p=p)


def direction_remark(result: JudgeDirection) -> Direction | None:
    """Return how often the judge was stricter or more lenient, and what the interval shows; None without pairs."""
    if not result.n:
        return None
    by_interval = result.direction_by_interval if has_interval(result.difference) else ""
    return Direction(result.strict, result.lenient, by_interval)
