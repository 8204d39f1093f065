"""The report's page: shut with a sentence, opened with a reason, and the same numbers as the report itself."""

from __future__ import annotations

import html
import itertools
import re
from collections import Counter
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from db import Database
from exchange.report.report_words import lines_of
from exchange.report.shown_numbers import shown_estimate
from services.progress import data_lock
from services.report import EstimateTable, build_report, figures_of, report_page
from tests.listed_study import opened_listed, work_through
from tests.pages.conftest import ROOT, OpenPage, as_read
from tests.services.report.planted import judged_answers
from tests.services.report.situations import FIRST, STUDY, closed_study, frozen_study, read_all, study_folder
from tests.situations import any_answers, owner_of

PAGE = "admin/report.py"


def markup_on(app: AppTest) -> str:
    """Return all HTML that the page draws, as it reads; where lines may end makes no difference."""
    return html.unescape("\n".join(element.proto.body for element in app.get("html"))).replace(
        "\N{NO-BREAK SPACE}", " "
    )


def test_every_estimate_of_the_report_stands_on_the_page(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = closed_study(served_database, tmp_path / "study")

    app = open_page(situation.admin, PAGE, study=STUDY)

    report = build_report(served_database, situation.admin, STUDY)
    drawn = markup_on(app)
    assert not app.exception
    assert [tab.label for tab in app.tabs] == [section.short_title for section in report.sections]
    for section in report.sections:
        for table in section.tables:
            assert table.title in drawn
            if isinstance(table, EstimateTable):
                for line in lines_of(table):
                    assert line.label in drawn
                    assert shown_estimate(line.estimate, line.scale) in drawn


def test_the_report_of_a_study_that_lists_its_phases_is_drawn_as_it_is_computed(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    judged_answers(served_database, tmp_path / "study", {"MARCUS": ["cc", "ci", "xx"], "GPT-5": ["ii", "cc", "ic"]})
    admin = owner_of(served_database)

    app = open_page(admin, PAGE, study="listed")

    report = build_report(served_database, admin, "listed")
    drawn = markup_on(app)
    assert not app.exception and not app.error
    assert [tab.label for tab in app.tabs] == [
        "Plan", "Verdicts on answers to multiple-choice questions", "Completeness", "Study",
    ]  # fmt: skip
    for _, table in report.estimate_tables():
        assert all(line.label in drawn for line in lines_of(table))
        assert all(shown_estimate(line.estimate, line.scale) in drawn for line in lines_of(table))
    figures = figures_of(report)
    by_section = Counter(figure.section for figure in figures)
    at_once = sum(count if key == "plan" or count <= 2 else 1 for key, count in by_section.items())
    assert len(app.get("plotly_chart")) == at_once < len(figures)


def test_page_and_file_have_the_parts_of_each_section_in_one_order(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    protocol = """
blindread: 2
name: listed
title: Read
phases:
  - {key: read, title: Reads, rates: items, shows: [scans, prompt, options], form: {answer: as_item}}
analysis:
  primary: {estimate: accuracy, of: read.answer}
  also: [{estimate: accuracy, of: read.answer, by: format}]
  criteria: [{key: above_chance, estimate: accuracy, of: read.answer, above: 0.5}]
"""
    situation = opened_listed(served_database, tmp_path / "study", protocol, raters=1)
    work_through(situation, any_answers)
    data_lock.close_study(served_database, situation.admin, "listed")
    report = build_report(served_database, situation.admin, "listed")

    app = open_page(situation.admin, PAGE, study="listed")

    assert not app.exception
    of_plan = ["title", "sentence", "criteria", "figure", "table", "method"]
    of_phase = ["title", "sentence", "figure", "table", "method"]
    on_page = [
        "".join(f"{element.proto.body}" if element.type == "html" else f"<{element.type}>" for element in tab)
        for tab in app.tabs
    ]
    in_file = report_page(report).split("<section ")[1:]
    for sections in (on_page, in_file):
        assert [parts_of(markup) for markup in sections[:2]] == [of_plan, of_phase]
        assert parts_of(sections[2]) == ["title", "sentence", "table"]


def parts_of(markup: str) -> list[str]:
    """Return the kinds of parts of a section, in their order; many of one kind after each other are one."""
    kinds = {
        "<h2": "title", "How this was computed": "method", "<p>": "sentence", ">Criteria<": "criteria",
        "<plotly_chart>": "figure", "<figure>": "figure", "<h3": "table",
    }  # fmt: skip
    # What stands right below the title of a table, or of the method, belongs to it.
    bare = re.sub(r"(</h3>)(?:\s*<p>.*?</p>)+", r"\1", markup, flags=re.DOTALL)
    bare = re.sub(r"<h3[^>]*(>Criteria<|>How this was computed<)", r"\1", bare)
    parts = [kinds[mark] for mark in re.findall("|".join(re.escape(mark) for mark in kinds), bare)]
    return [kind for kind, _ in itertools.groupby(parts)]


def test_a_figure_that_is_chosen_takes_the_place_of_the_first_and_all_of_them_can_be_drawn(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    judged_answers(served_database, tmp_path / "study", {"MARCUS": ["cc", "ci", "xx"], "GPT-5": ["ii", "cc", "ic"]})
    app = open_page(owner_of(served_database), PAGE, study="listed")
    at_once, choice = [chart.proto.id for chart in app.get("plotly_chart")], app.selectbox[0]
    assert choice.value == choice.options[0]

    choice.set_value(choice.options[2]).run()
    assert not app.exception
    drawn = [chart.proto.id for chart in app.get("plotly_chart")]
    assert len(drawn) == len(at_once) and len(set(at_once) - set(drawn)) == 1

    app.selectbox[0].set_value(choice.options[-1]).run()
    assert len(app.get("plotly_chart")) == len(at_once) + len(choice.options) - 2


def test_no_figure_is_made_that_is_not_drawn(
    served_database: Database, open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged_answers(served_database, tmp_path / "study", {"MARCUS": ["cc", "ci", "xx"], "GPT-5": ["ii", "cc", "ic"]})
    made: list[go.Figure] = []

    class Counted(go.Figure):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            made.append(self)

    monkeypatch.setattr(go, "Figure", Counted)
    app = open_page(owner_of(served_database), PAGE, study="listed")

    report = build_report(served_database, owner_of(served_database), "listed")
    assert not app.exception
    assert len(made) == len(app.get("plotly_chart")) < len(figures_of(report))


def test_a_report_without_a_judge_run_is_drawn_to_its_end(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = frozen_study(served_database, study_folder(tmp_path / "study", resamples=200))
    data_lock.close_study(served_database, situation.admin, STUDY, "Nobody goes on reading this study.")

    app = open_page(situation.admin, PAGE, study=STUDY)

    assert not app.exception
    assert not app.error
    assert "Completeness" in markup_on(app)


def test_headings_of_the_page_go_down_one_by_one(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = closed_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, PAGE, study=STUDY)

    levels = [1 for _ in app.title] + [int(level) for level in re.findall(r"<h([1-6])\b", markup_on(app))]

    assert levels[:3] == [1, 2, 3]
    assert not app.header and not app.subheader
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_the_page_stays_shut_and_opens_for_a_reason(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = frozen_study(served_database, study_folder(tmp_path / "study", resamples=200))
    read_all(situation, "rater 1", FIRST)
    app = open_page(situation.admin, PAGE, study=STUDY)
    assert "is locked until" in app.info[0].value
    assert "report-table" not in markup_on(app)

    app.text_input(key="interim-reason").input("short").run()
    next(button for button in app.button if button.label == "Open the report now").click().run()
    assert "A reason of at least" in app.error[0].value
    app.text_input(key="interim-reason").input("The safety board asked for it.").run()
    next(button for button in app.button if button.label == "Open the report now").click().run()

    assert "This is an interim look" in markup_on(app)
    assert data_lock.events_of(served_database, situation.admin, STUDY)[-1].reason == "The safety board asked for it."


def test_the_page_shuts_again_when_the_study_is_reopened(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = closed_study(served_database, tmp_path / "study")
    app = open_page(situation.admin, PAGE, study=STUDY)
    assert "report-table" in markup_on(app)

    data_lock.reopen_study(served_database, situation.admin, STUDY, "One rater came back from leave.")
    app.run()

    assert "is locked until" in app.info[0].value
    assert "report-table" not in markup_on(app)


def test_a_study_that_is_not_theirs_is_one_sentence(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = frozen_study(served_database, study_folder(tmp_path / "study", resamples=200))

    app = open_page(situation.admin, PAGE, study="another")

    assert [as_read(error.value) for error in app.error] == ["This study does not exist, or you have no access to it."]
    assert not app.exception


def test_the_page_is_not_among_a_raters_pages(served_database: Database, open_page: OpenPage, tmp_path: Path) -> None:
    situation = frozen_study(served_database, study_folder(tmp_path / "study", resamples=200))

    app = open_page(situation.people["rater 1"], study=STUDY)

    with pytest.raises(ValueError, match="Could not find a navigation page"):
        app.switch_page(str(ROOT / "pages" / PAGE))


def test_a_word_that_no_title_of_a_figure_has_is_answered_with_what_to_do(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    judged_answers(served_database, tmp_path / "study", {"MARCUS": ["cc", "ci", "xx"], "GPT-5": ["ii", "cc", "ic"]})
    app = open_page(owner_of(served_database), PAGE, study="listed")
    everything = len(app.selectbox[0].options)

    app.text_input(key="word-phase_judge").input("agreement").run()
    assert 1 < len(app.selectbox[0].options) < everything

    app.text_input(key="word-phase_judge").input("zebra").run()
    assert not app.exception
    assert app.info[0].value.startswith("No figure of this section has “zebra” in its title. Type another word, or")
