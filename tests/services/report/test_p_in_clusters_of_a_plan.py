"""What a plan says of P in clusters reaches the calibration of its judges; older plans keep the normal distribution."""

from __future__ import annotations

import json

import pytest

from protocol.analysis import AnalysisPlan
from protocol.language.expansion import Expansion
from services.report.calibration.planning import plan_of
from services.report.calibration.pools import Pools
from services.report.interval_settings import IntervalSettings
from tests.protocol.language.study_text import expanded, one_phase


def stored(named: str, *, before: bool = False) -> Expansion:
    """Return a study as it is read from where it is stored; one of before had no key for P in clusters."""
    content = json.loads(expanded(one_phase("{answer: yes_no}") + named).canonical_json())
    if before:
        del content["analysis"]["p_in_clusters"]
    read = Expansion.of_canonical_json(json.dumps(content))
    assert read is not None
    return read


@pytest.mark.parametrize(
    ("study", "distribution"),
    [
        (stored(""), "t"),
        (stored("\nanalysis: {p_in_clusters: normal}\n"), "normal"),
        (stored("", before=True), "normal"),
    ],
    ids=["from now on", "named", "before"],
)
def test_the_plans_of_judges_have_the_distribution_of_the_study(study: Expansion, distribution: str) -> None:
    of_calibration = plan_of(study.analysis, "a.answer", "single", drawn=True)
    of_lines = Pools(study, None, ()).plan  # type: ignore[arg-type]

    assert (of_calibration.p_in_clusters, of_lines.p_in_clusters) == (distribution, distribution)


def test_protocols_of_the_first_language_stay_normal() -> None:
    plan = AnalysisPlan()

    assert plan_of(plan, "score", "correctness", drawn=True).p_in_clusters == "normal"
    assert IntervalSettings.of(plan, ["a", "b"]).p_in_clusters == "normal"
