"""The product's main job, for real: read, scored, adjudicated, judged, closed and reported in a real browser."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from tests.harness.screenshots import photograph
from tests.harness.server import RunningServer
from tests.harness.server_fixtures import serving_a_copy
from tests.main_job.comparing import place_of, problems_of, problems_of_exploratory, problems_of_row
from tests.main_job.contents import CANDIDATES, CONFIDENCE, ITEMS, REASONS, Item
from tests.main_job.counts import expected_counts, expected_matrix
from tests.main_job.expected import expected_estimates
from tests.main_job.expected_scores import consensus_score
from tests.main_job.facts import Facts, exported, planned
from tests.main_job.plan import LOOKED_AROUND, READS, REVIEWS, Read, score
from tests.main_job.printed import estimate_text, row_texts, stands_in, tables_in
from tests.main_job.sheet import Place, Sheet
from tests.main_job.viewing import Traces, expected_sentence, expected_viewing_counts, traces_in
from tests.main_job.walk import JUDGE, RUN, THANKS, Seen, walk_through

# One server and one walk serve the whole file, so all of it runs where the walk runs.
pytestmark = pytest.mark.browser


@contextmanager
def photographed_on_failure(browser: Browser, name: str) -> Iterator[None]:
    """Photograph the open pages when something fails in a fixture, as is done for tests, and close them."""
    try:
        yield
    except BaseException:
        photograph(browser, name)
        raise
    finally:
        for context in list(browser.contexts):
            context.close()


@pytest.fixture(scope="module")
def running(
    seeded_data_dir: Path, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[RunningServer]:
    """A server on a copy of the seeded demo, one for this file."""
    with serving_a_copy(seeded_data_dir, tmp_path_factory.mktemp("main-job"), pytestconfig) as server:
        yield server


@pytest.fixture(scope="module")
def seen(browser: Browser, running: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """The walk itself: once for all tests of this file."""
    with photographed_on_failure(browser, "main-job"):
        return walk_through(browser, running, tmp_path_factory.mktemp("main-job-report"))


def asked(running: RunningServer, query: str, *parameters: object) -> list[tuple[object, ...]]:
    """Ask the database of the server's data folder, past all of our own code."""
    with closing(sqlite3.connect(running.data_dir / "blindread.db")) as connection:
        return connection.execute(query, parameters).fetchall()


ROOT_VERDICTS = """
    SELECT membership.pseudonym, coalesce(candidate.key, item.key), assignment.phase, verdict.receipt, verdict.fields,
           verdict.not_assessable, verdict.comment, flag.kind, flag.note
    FROM verdict
    JOIN assignment ON assignment.id = verdict.assignment_id
    JOIN membership ON membership.id = assignment.membership_id
    JOIN study ON study.id = assignment.study_id
    JOIN item ON item.id = assignment.item_id
    LEFT JOIN candidate ON candidate.id = assignment.candidate_id
    LEFT JOIN flag ON flag.verdict_id = verdict.id
    WHERE study.key = 'demo'
"""


def test_every_receipt_shown_to_a_rater_stands_for_one_stored_verdict_as_it_was_given(
    seen: Seen, running: RunningServer
) -> None:
    stored = asked(running, ROOT_VERDICTS)

    of_raters = {(row[0], row[1]): row for row in stored if row[2] in ("reading", "scoring")}
    assert len(of_raters) == sum(row[2] in ("reading", "scoring") for row in stored), "two verdicts for one assignment"
    assert {place: row[3] for place, row in of_raters.items()} == {
        place: receipt for place, receipt in seen.receipts.items() if place[0] != "Reviewer"
    }
    for (rater, key), row in of_raters.items():
        fields = json.loads(str(row[4]))
        if key not in ITEMS:
            assert fields == {"answer": "correct" if score(rater, key) else "incorrect"}
            continue
        read = READS[rater][key]
        answered = {} if read.answer is None else {"answer": read.answer, "confidence": str(read.confidence)}
        assert fields == answered
        assert (row[5], row[6]) == (read.not_assessable, read.comment)
        assert (row[7], row[8]) == (read.flag or (None, None))


def test_images_that_could_not_be_shown_are_a_technical_failure_and_no_verdict(
    seen: Seen, running: RunningServer
) -> None:
    failures = asked(
        running,
        """
        SELECT membership.pseudonym, item.key
        FROM technical_failure
        JOIN assignment ON assignment.id = technical_failure.assignment_id
        JOIN membership ON membership.id = assignment.membership_id
        JOIN study ON study.id = assignment.study_id
        JOIN item ON item.id = assignment.item_id
        WHERE study.key = 'demo'
        """,
    )

    planned = [(rater, key) for rater, reads in READS.items() for key, read in reads.items() if read.failure]
    assert failures == planned
    assert not set(planned) & set(seen.receipts)


def test_every_decision_is_stored_with_the_receipt_that_was_shown(seen: Seen, running: RunningServer) -> None:
    stored = asked(
        running,
        """
        SELECT item.key, adjudication.receipt, adjudication.decision, adjudication.not_assessable, verdict.fields
        FROM adjudication
        JOIN verdict ON verdict.id = adjudication.first_read_id
        JOIN assignment ON assignment.id = verdict.assignment_id
        JOIN study ON study.id = assignment.study_id
        JOIN item ON item.id = assignment.item_id
        WHERE study.key = 'demo'
        """,
    )

    assert {str(row[0]): row[1] for row in stored} == {
        key: receipt for (who, key), receipt in seen.receipts.items() if who == "Reviewer"
    }
    for row in stored:
        planned = REVIEWS[str(row[0])]
        assert json.loads(str(row[2])).get("answer") == planned.decision
        assert (row[3] is not None) == (planned.decision is None)
        assert json.loads(str(row[4])).get("answer") == planned.own


def as_an_opinion(item: Item, read: Read) -> dict[str, str]:
    """Return what a reviewer may see of a read, by label, and nobody's name."""
    if read.answer is None:
        lines = {"not assessable": REASONS[str(read.not_assessable)]}
    else:
        lines = {
            "answer": item.texts.get(read.answer, read.answer),
            "how sure are you?": CONFIDENCE[str(read.confidence)],
        }
    return lines | ({"comment": read.comment} if read.comment else {})


def test_the_reviewer_sees_both_opinions_and_no_name(seen: Seen) -> None:
    assert seen.opinions
    for key, opinions in seen.opinions.items():
        given = [as_an_opinion(ITEMS[key], reads[key]) for reads in READS.values() if not reads[key].failure]
        assert sorted(opinions, key=str) == sorted(given, key=str)


def test_everybody_is_thanked_at_the_end_and_hears_nothing_about_right_or_wrong(seen: Seen) -> None:
    assert len(seen.last_words) == 5
    for words in seen.last_words:
        assert THANKS in words
        assert not any(word in words.lower() for word in ("right", "wrong", "correct", "%"))


def test_both_raters_score_the_same_frozen_sample(seen: Seen) -> None:
    first, second = seen.scored.values()

    assert sorted(first) == sorted(second)
    assert len(set(first)) == len(first) == 48
    assert first != second


def test_the_report_stays_shut_until_the_study_is_closed(seen: Seen) -> None:
    assert seen.shut_before_closing
    assert seen.report_tables


# ---- the report ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finished:
    """A closed study: its exported report, and what was said in it.

    Attributes
    ----------
    measured
        By rater and item, of each verdict: place in the queue, milliseconds active, idle and loading, renderer, window.
    traces
        By rater: the viewing trace of each verdict by item.
    """

    folder: Path
    report: dict[str, Any]
    facts: Facts
    sheet: Sheet
    judges: dict[str, str]
    measured: dict[str, dict[str, tuple[Any, ...]]]
    traces: Traces


def finished_study(running: RunningServer, key: str, folder: Path, facts: Facts, judges: dict[str, str]) -> Finished:
    measured: dict[str, dict[str, tuple[Any, ...]]] = {}
    for rater, item, *values in asked(
        running,
        """
        SELECT membership.pseudonym, item.key, position, active_ms, idle_ms, load_ms, renderer, viewport
        FROM verdict
        JOIN assignment ON assignment.id = verdict.assignment_id
        JOIN membership ON membership.id = assignment.membership_id
        JOIN study ON study.id = assignment.study_id
        JOIN item ON item.id = assignment.item_id
        WHERE study.key = ? AND assignment.phase = 'reading'
        """,
        key,
    ):
        measured.setdefault(str(rater), {})[str(item)] = tuple(values)
    traces = traces_in(
        asked(
            running,
            """
            SELECT membership.pseudonym, item.key, viewing_trace.trace
            FROM verdict
            JOIN assignment ON assignment.id = verdict.assignment_id
            JOIN membership ON membership.id = assignment.membership_id
            JOIN study ON study.id = assignment.study_id
            JOIN item ON item.id = assignment.item_id
            LEFT JOIN viewing_trace ON viewing_trace.verdict_id = verdict.id
            WHERE study.key = ? AND assignment.phase = 'reading'
            """,
            key,
        )
    )
    queue = {rater: {item: values[0] for item, values in of.items()} for rater, of in measured.items()}
    active = {rater: {item: values[1] for item, values in of.items() if values[1]} for rater, of in measured.items()}
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    sheet = expected_estimates(facts, queue, active, traces)
    return Finished(folder, report, facts, sheet, judges, measured, traces)


@pytest.fixture(scope="module")
def walked(seen: Seen, running: RunningServer) -> Finished:
    """The study of the walk, its facts taken from the plan."""
    facts = planned(seen.scored["Rater 1"], seen.reviewed, RUN)
    return finished_study(running, "demo", seen.exported, facts, {RUN: JUDGE})


@pytest.fixture(scope="module")
def example(running: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """The finished example with its simulated readers, its facts taken from the exported verdicts."""
    folder = tmp_path_factory.mktemp("example") / "report"
    running.manage("report", "demo-finished", "--out", str(folder))
    return finished_study(running, "demo-finished", folder, exported(folder), {"simulated run 1": "simulated judge"})


@pytest.fixture(params=["walked", "example"])
def finished(request: pytest.FixtureRequest) -> Finished:
    """One closed study after the other."""
    return request.getfixturevalue(request.param)


def tables_of(report: dict[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    """Return the tables of a kind by key."""
    return {
        table["key"]: table for section in report["sections"] for table in section["tables"] if table["kind"] == kind
    }


def test_every_estimate_of_the_report_equals_an_independent_calculation(finished: Finished) -> None:
    assert problems_of(finished.report, finished.sheet) == []


def test_the_comparison_notices_every_number_that_is_off(example: Finished) -> None:
    for table in tables_of(example.report, "estimates").values():
        for row in table["rows"]:
            right = row["estimate"]
            forgeries = {"value": (right["value"] or 0) + 0.001, "n": right["n"] + 1}
            problems_of_line = problems_of_exploratory if row["exploratory"] else problems_of_row
            if right["low"] is not None and not row["exploratory"]:
                width = right["high"] - right["low"]
                forgeries |= {"low": right["low"] + 0.75 * width, "high": right["high"] - 0.75 * width}
            for name, forged in forgeries.items():
                line = {**row, "estimate": {**right, name: forged}}

                assert problems_of_line(line, place_of(table, row), example.sheet), (table["key"], line, name)


def test_every_count_of_the_report_equals_an_independent_count(finished: Finished) -> None:
    printed = tables_of(finished.report, "plain")
    expected = expected_counts(finished.facts, finished.judges)
    expected |= expected_viewing_counts(finished.facts, finished.traces)

    for key, rows in expected.items():
        printed_rows = printed[key]["rows"] if key in printed else []
        known = [{name: row[name] for name in wanted} for row, wanted in zip(printed_rows, rows, strict=True)]
        assert known == rows, key
    # Not counts: the frozen plan with its hashes, who the members are, when what happened. Times and displays follow.
    assert set(printed) - set(expected) == {"plan", "members", "events", "times", "displays"}


def test_every_matrix_of_answers_equals_an_independent_count(finished: Finished) -> None:
    matrices = tables_of(finished.report, "matrix")

    assert sorted(matrix["stratum"] for matrix in matrices.values()) == ["format choice", "format yes_no"]
    for matrix in matrices.values():
        counts = {
            (row, column): count
            for row, line in zip(matrix["row_labels"], matrix["counts"], strict=True)
            for column, count in zip(matrix["column_labels"], line, strict=True)
        }
        expected = expected_matrix(finished.facts, matrix["stratum"])
        assert {cell: count for cell, count in counts.items() if count} == expected
        assert set(matrix["row_labels"]) == {label for cell in expected for label in cell}


def test_times_and_displays_are_those_that_the_browser_told(finished: Finished) -> None:
    printed = tables_of(finished.report, "plain")

    times = [tuple(row.values()) for row in printed["times"]["rows"]]
    expected = []
    for rater, of_items in sorted(finished.measured.items()):
        for place, name in enumerate(("Active", "Idle", "Loading"), start=1):
            seconds = [values[place] / 1000 for values in of_items.values() if values[place]]
            if seconds:
                quartiles = (round(float(quartile), 1) for quartile in np.quantile(seconds, [0.25, 0.5, 0.75]))
                expected.append((rater, name, len(seconds), *quartiles, round(max(seconds), 1)))
    assert times == expected
    displays = Counter(
        (rater, *values[4:]) for rater, of_items in finished.measured.items() for values in of_items.values()
    )
    assert {tuple(row.values())[:3]: row["items"] for row in printed["displays"]["rows"]} == displays


def test_what_the_keyboard_looked_at_in_the_browser_is_in_the_report(walked: Finished) -> None:
    reads = {key: walked.traces["Rater 2"][key] for key in LOOKED_AROUND}
    used = tables_of(walked.report, "estimates")

    assert all(trace["windows"] for trace in reads.values())
    rows = {place_of(table, row): row for table in used.values() for row in table["rows"]}
    changed = rows[Place("viewer_use", "share", "window_changed", ("Rater 2",), "all")]
    assert changed["note"] == f"{len(reads)} of 23"
    left = rows[Place("sequence_not_opened", "share", "sequence_never_opened", ("Rater 2",), "offered Current, T2")]
    assert left["estimate"]["value"] < 1.0


def test_the_sentences_of_the_report_hold_the_same_counts(finished: Finished) -> None:
    facts = finished.facts
    said = {section["key"]: " ".join(section["explanation"]) for section in finished.report["sections"]}
    ties = sum(consensus_score(facts, key) is None for key in facts.sample)

    assert f"{len(ITEMS)} items from 7 subjects, read by 2 raters" in said["study"]
    assert f"{sum(map(facts.differs, ITEMS))} of {len(ITEMS)} items have differing verdicts" in said["disagreements"]
    assert f"{len(facts.sample)} of {len(CANDIDATES)} candidates were drawn" in said["scores"]
    assert f"on which they differ are excluded: {ties}." in said["judges"]
    assert expected_sentence(facts, finished.traces) in said["viewing"]
    assert (
        f"because the raters differ: {ties}."
        in tables_of(finished.report, "estimates")["scores_agreement"]["explanation"]
    )


def test_the_html_file_prints_the_numbers_of_the_json(finished: Finished) -> None:
    printed = tables_in((finished.folder / "report.html").read_text(encoding="utf-8"))
    tables = [table for section in finished.report["sections"] for table in section["tables"]]

    assert [table.title for table in printed] == [table["title"] for table in tables]
    for html_table, table in zip(printed, tables, strict=True):
        if table["kind"] != "estimates":
            continue
        assert len(html_table.rows) == 1 + len(table["rows"])
        for cells, row in zip(html_table.rows[1:], table["rows"], strict=True):
            assert row["shown"] == estimate_text(row["estimate"], row["scale"])
            assert stands_in(row_texts(row), cells), (cells, row_texts(row))


def test_the_html_file_prints_the_counts_of_the_json(finished: Finished) -> None:
    printed = tables_in((finished.folder / "report.html").read_text(encoding="utf-8"))
    tables = [table for section in finished.report["sections"] for table in section["tables"]]

    for html_table, table in zip(printed, tables, strict=True):
        if table["kind"] == "plain":
            rows = [[as_printed(cell) for cell in row.values()] for row in table["rows"]]
            assert html_table.rows[1:] == rows
        elif table["kind"] == "matrix":
            lines = zip(table["row_labels"], table["counts"], strict=True)
            assert html_table.rows[1:] == [[label, *map(str, counts)] for label, counts in lines]


def as_printed(cell: object) -> str:
    """Return a count or word as it is printed."""
    if cell is None:
        return "–"
    return f"{cell:g}" if isinstance(cell, float) else " ".join(str(cell).split())


def test_the_csv_files_hold_the_numbers_of_the_json(finished: Finished) -> None:
    lines = read_csv(finished.folder / "estimates.csv")
    wanted = [
        (section, table, row, estimate)
        for section in finished.report["sections"]
        for table in section["tables"]
        if table["kind"] == "estimates"
        for row in table["rows"]
        for estimate in (row["estimate"], row["beside"])
        if estimate is not None
    ]

    assert len(lines) == len(wanted) > 200
    for line, (section, table, row, estimate) in zip(lines, wanted, strict=True):
        assert (line["section"], line["table"]) == (section["key"], table["key"])
        assert all(line[name] == row[name] for name in ("label", "raters", "stratum", "scale", "note"))
        assert all(
            line[name] == ("" if estimate[name] is None else str(estimate[name]))
            for name in ("value", "low", "high", "n", "n_clusters", "se", "p", "confidence", "unit")
        )


def test_the_csv_of_counts_holds_the_counts_of_the_json(finished: Finished) -> None:
    lines = Counter(
        (line["table"], line["row"], line["column"], line["value"]) for line in read_csv(finished.folder / "counts.csv")
    )

    for key, table in tables_of(finished.report, "plain").items():
        for place, row in enumerate(table["rows"], start=1):
            for column, cell in row.items():
                assert lines[key, str(place), column, "" if cell is None else str(cell)] == 1


def read_csv(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))


def test_the_page_shows_the_tables_of_the_html_file(seen: Seen) -> None:
    on_the_page = tables_in(seen.report_tables)
    in_the_file = tables_in((seen.exported / "report.html").read_text(encoding="utf-8"))

    assert len(in_the_file) > 20
    assert on_the_page == in_the_file


def test_the_primary_estimate_can_be_read_on_the_page_at_once(seen: Seen, walked: Finished) -> None:
    primary = [
        row["shown"]
        for row in tables_of(walked.report, "estimates")["accuracy"]["rows"]
        if row["note"] == "primary estimate"
    ]

    assert len(primary) == 2
    assert all(shown in seen.report_visible for shown in primary)
