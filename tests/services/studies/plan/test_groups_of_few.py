"""A plan that compares groups of too few raters for an interval is told so while people can still be planned."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.studies.folders.checking import checked_folder
from tests.situations import write_table

PROTOCOL = """
blindread: 2
name: few
title: Groups of few
groups: {{junior: {{title: Juniors, people: {junior}}}, senior: {{title: Seniors, people: {senior}}}}}
phases:
  - key: read
    rates: items
    shows: [prompt]
    form: {{answer: yes_no, grade: {{type: ordinal, options: [low, high]}}}}
analysis: {{primary: {{estimate: {estimate}, compare: group}}}}
"""
RIGHT = "accuracy, of: read.answer"


def remarks_on(folder: Path, estimate: str, junior: int, senior: int) -> list[str]:
    text = PROTOCOL.format(estimate=estimate, junior=junior, senior=senior)
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")
    write_table(folder / "items.csv", "item,format,prompt", [(f"q{n}", "open", f"Item {n}?") for n in range(20)])
    write_table(folder / "references.csv", "item,field,accepted", [(f"q{n}", "answer", "yes") for n in range(20)])
    return [says for says in checked_folder(folder).warnings if "groups of raters are compared" in says]


@pytest.mark.parametrize("estimate", [RIGHT, "agreement, of: read.grade"])
def test_a_difference_that_will_have_no_interval_is_said_with_who_is_planned(tmp_path: Path, estimate: str) -> None:
    (said,) = remarks_on(tmp_path, estimate, 2, 5)

    assert said == (
        "analysis.primary: groups of raters are compared for other raters too, which needs 5 in each, and in 'read' 2 "
        "of junior are planned: such a difference has no interval; plan more people, or read it as a description."
    )


@pytest.mark.parametrize(
    ("estimate", "junior", "senior"),
    [(RIGHT, 5, 5), (RIGHT, 1, 3), ("mean, of: read.grade", 2, 2)],
    ids=["five in each", "one rater, compared by unit", "means of these raters alone"],
)
def test_one_that_will_have_one_is_taken_without_a_word(
    tmp_path: Path, estimate: str, junior: int, senior: int
) -> None:
    assert remarks_on(tmp_path, estimate, junior, senior) == []
