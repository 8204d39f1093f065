"""The example of a calibration that the demo brings: what its judges were made to be is what the page says of them."""

from __future__ import annotations

import re

import pytest

from db import Database
from exchange.report.report_markup import table_markup
from exchange.report.report_structure import Matrix, PlainTable
from services.demo import labels
from services.people import identity
from services.report import calibration
from services.report.build import build_report
from services.report.calibration import Calibration


@pytest.fixture(scope="module")
def computed(seeded: Database) -> Calibration:
    admin = identity.actor_for_command_line(seeded, "demo-admin")
    return calibration.calibration_of(seeded, admin, labels.JUDGED_KEY)


@pytest.fixture(scope="module")
def glance(computed: Calibration) -> dict[str, dict[str, str]]:
    """What the table at the head of the page says of each judge, by column."""
    (table, _) = calibration.summary_of(computed).tables
    assert isinstance(table, PlainTable)
    names = [column.key for column in table.columns]
    lines = [dict(zip(names, map(str, row), strict=True)) for row in table.rows]
    return {line["judge"]: line for line in lines}


def test_three_judges_are_there_and_one_of_them_with_two_prompts(glance: dict[str, dict[str, str]]) -> None:
    assert list(glance) == ["Birch as judge (strict)", "Birch as judge (fact)", "Cedar as judge (fact)", "Hazel (fact)"]


def test_the_strict_prompt_is_said_to_be_stricter(glance: dict[str, dict[str, str]]) -> None:
    assert glance["Birch as judge (strict)"]["direction"].endswith(", stricter")


def test_the_judge_that_favours_its_own_model_is_said_to_err_differently(glance: dict[str, dict[str, str]]) -> None:
    assert "errs differently over model" in glance["Cedar as judge (fact)"]["uniformity"]


def test_one_judge_clears_the_plans_criteria_and_two_do_not(glance: dict[str, dict[str, str]]) -> None:
    # Of the fourth it hangs on which answers were drawn: each installation draws its own.
    said = {judge: line["certificate"] == "passed" for judge, line in glance.items()}

    assert said["Hazel (fact)"]
    assert not said["Birch as judge (strict)"] and not said["Cedar as judge (fact)"]


def test_what_is_true_of_all_judges_is_said_once(computed: Calibration) -> None:
    panel = computed.panels["replacement"]

    assert [sentence.count("may replace a human cannot be tested") for sentence in panel.sentences] == [1]


def test_small_p_values_stay_on_one_line_in_a_narrow_column(computed: Calibration) -> None:
    tables = [table for section in calibration.sections_of(computed) for table in section.tables]
    small = {text for table in tables for text in re.findall(r">(&lt;[^<]*)</td>", table_markup(table))}

    assert small == {"&lt;\N{NO-BREAK SPACE}.001"}


def test_figures_have_no_more_lines_than_a_screen_shows(computed: Calibration) -> None:
    drawn = [
        figure
        for panel in computed.panels.values()
        for figure in calibration.figures_of(panel, computed.material.scale)
    ]

    assert all(figure.height < 24 * 60 for figure in drawn)
    assert {figure.section for figure in drawn} == {
        "ceiling", "direction", "uniformity", "corrected", "repeatability", "certificate",
    }  # fmt: skip


def test_over_what_a_judge_errs_differently_is_said_before_all_else(computed: Calibration) -> None:
    (section,) = [each for each in calibration.sections_of(computed) if each.key == "uniformity"]

    # which others are found to, besides the one that was made to, hangs on the answers that this installation drew
    differs = ["errs differently over" in sentence for sentence in section.explanation]
    assert differs == sorted(differs, reverse=True)
    assert [
        sentence for sentence in section.explanation if sentence.startswith("Cedar as judge (fact): errs differently")
    ]
    assert len(section.explanation) == len(computed.panels["uniformity"].refused) + 4
    assert len(calibration.details_of(computed, "uniformity")) == 16
    assert calibration.details_of(computed, "direction") == ()


def test_each_run_has_its_table_of_answers_in_the_report(seeded: Database) -> None:
    report = build_report(seeded, identity.actor_for_command_line(seeded, "demo-admin"), labels.JUDGED_KEY)

    tables = [table for section in report.sections for table in section.tables if isinstance(table, Matrix)]
    judges = {table.parties[0].name for table in tables if table.parties[0].kind == "judge"}
    assert judges == {"birch strict", "birch fact, sample 1", "birch fact, sample 2", "cedar", "hazel"}
