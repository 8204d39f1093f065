"""The product's main job, for real: read, marked, adjudicated, judged, closed and reported in a real browser."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.conftest import SERVERS
from tests.harness.screenshots import photograph
from tests.harness.server import RunningServer
from tests.main_job.contents import CONFIDENCE, ITEMS, REASONS, Item
from tests.main_job.plan import READS, REVIEWS, Read, mark
from tests.main_job.walk import THANKS, Seen, walk_through


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
    folder = tmp_path_factory.mktemp("main-job")
    shutil.copytree(seeded_data_dir, folder / "data")
    server = RunningServer(folder / "data", folder / "server.log", {})
    alive = pytestconfig.stash.setdefault(SERVERS, [])
    alive.append(server)
    server.start()
    yield server
    server.stop()
    alive.remove(server)


@pytest.fixture(scope="module")
def seen(browser: Browser, running: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """The walk itself: once for all tests of this file."""
    with photographed_on_failure(browser, "main-job"):
        return walk_through(browser, running, tmp_path_factory.mktemp("main-job-report"))


def asked(running: RunningServer, query: str) -> list[tuple[object, ...]]:
    """Ask the database of the server's data folder, past all of our own code."""
    with closing(sqlite3.connect(running.data_dir / "blindread.db")) as connection:
        return connection.execute(query).fetchall()


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
            assert fields == {"answer": "correct" if mark(rater, key) else "incorrect"}
            continue
        read = READS[rater][key]
        answered = {} if read.answer is None else {"answer": read.answer, "confidence": str(read.confidence)}
        assert fields == answered
        assert (row[5], row[6]) == (read.not_assessable, read.comment)
        assert (row[7], row[8]) == (read.flag or (None, None))


def test_pictures_that_could_not_be_shown_are_a_technical_failure_and_no_verdict(
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


def as_an_opinion(item: Item, read: Read) -> str:
    """Return what a reviewer may see of a read: label under label, and nobody's name."""
    if read.answer is None:
        lines = ["Not assessable", REASONS[str(read.not_assessable)]]
    else:
        lines = ["Answer", item.texts.get(read.answer, read.answer)]
        lines += ["How sure are you?", CONFIDENCE[str(read.confidence)]]
    return "\n".join(lines + (["Comment", read.comment] if read.comment else []))


def test_the_reviewer_sees_both_opinions_and_no_name(seen: Seen) -> None:
    assert seen.opinions
    for key, opinions in seen.opinions.items():
        reads = [reads[key] for reads in READS.values() if not reads[key].failure]
        assert opinions == sorted(as_an_opinion(ITEMS[key], read) for read in reads)


def test_everybody_is_thanked_at_the_end_and_hears_nothing_about_right_or_wrong(seen: Seen) -> None:
    assert len(seen.last_words) == 5
    for words in seen.last_words:
        assert THANKS in words
        assert not any(word in words.lower() for word in ("right", "wrong", "correct", "%"))


def test_both_raters_mark_the_same_frozen_sample(seen: Seen) -> None:
    first, second = seen.marked.values()

    assert sorted(first) == sorted(second)
    assert len(set(first)) == len(first) == 48
    assert first != second


def test_the_report_stays_shut_until_the_study_is_closed(seen: Seen) -> None:
    assert seen.shut_before_closing
    assert seen.report_html
