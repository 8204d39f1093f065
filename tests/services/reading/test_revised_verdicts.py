"""What a revision changes: the reviewers' queue, progress, package and report go by the verdict that stands."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from sqlmodel import select

from db import Database, Flag, ReviewTask, queries
from db.waiting import Unavailable
from protocol.phases import READING
from services.adjudication import review_queue
from services.errors import Conflict
from services.people.identity import Actor
from services.progress import data_lock
from services.reading import member_progress, revising, worklist
from services.record import package
from tests.services.reading.revisable import FLAGGED, read_item, revisable_study
from tests.situations import (
    on_the_desk,
    read_all,
    show,
    submit,
)


def test_a_flag_that_is_taken_back_does_not_send_the_item_to_the_reviewer(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    rater = situation.raters[0]
    payload, _ = read_item(situation, rater, FLAGGED)
    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)
    submit(situation, rater, again)
    read_all(situation, rater)
    read_all(situation, situation.raters[1])

    assert review_queue.open_review_queue(database, situation.admin, "tiny").flagged == 0
    with database.read_only() as session:
        assert len(session.exec(select(Flag)).all()) == 1


def test_a_flag_that_comes_with_a_revision_sends_the_item_to_the_reviewer(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    rater = situation.raters[0]
    payload, _ = read_item(situation, rater)
    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)
    submit(situation, rater, again, FLAGGED)
    read_all(situation, rater)
    read_all(situation, situation.raters[1])

    assert review_queue.open_review_queue(database, situation.admin, "tiny").flagged == 1


def test_a_disagreement_that_was_revised_away_is_none(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    rater = situation.raters[0]
    payload, _ = read_item(situation, rater, {**FLAGGED, "flag": None})
    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)
    submit(situation, rater, again)
    read_all(situation, rater)
    read_all(situation, situation.raters[1])

    assert review_queue.open_review_queue(database, situation.admin, "tiny").disagreed == 0


def test_no_revision_slips_in_while_the_queue_is_being_opened(database: Database, tmp_path: Path) -> None:
    """A reviewer would see an opinion that does not stand any more."""
    situation = revisable_study(database, tmp_path / "study", "study")
    raters = situation.raters
    for rater, given in zip(raters, (FLAGGED, None), strict=True):
        read_all(situation, rater, by_prompt={f"Prompt of i{number}?": given for number in range(1, 7) if given})
    desks = [(rater, on_the_desk(situation, rater)["assignment"]) for rater in raters]
    revised = [
        (rater, line["assignment"]) for rater, desk in desks for line in revising.list_revisable(database, rater, desk)
    ]

    def revise(rater: Actor, assignment: str, comment: str) -> None:
        try:
            again = revising.reopen(database, rater, assignment)
            show(situation, rater, again)
            submit(situation, rater, again, {**FLAGGED, "comment": comment})
        except Conflict:
            return

    def open_queue() -> bool:
        for _ in range(10):  # on a machine with much else to do, the lock is not had within the wait for a database
            with suppress(Unavailable):
                review_queue.open_review_queue(database, situation.admin, "tiny")
                return True
        return False

    with ThreadPoolExecutor(5) as pool:
        for round_ in range(4):
            for rater, assignment in revised:
                pool.submit(revise, rater, assignment, f"round {round_}")
            if round_ == 1:
                opening = pool.submit(open_queue)
    assert opening.result()
    # Every item may have been open for revision just then, and the queue empty: closed now, they follow.
    for rater in raters:
        read_all(situation, rater)
    review_queue.open_review_queue(database, situation.admin, "tiny")

    with database.read_only() as session:
        standing = {standing_verdict.id for standing_verdict, _ in queries.standing_verdicts(session, 1, READING)}
        shown = {verdict for task in session.exec(select(ReviewTask)) for verdict in task.opinion_order}
    assert shown
    assert shown <= standing


def test_progress_counts_an_item_once_and_says_how_many_were_revised(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload, _ = read_item(situation, rater)
    for comment in ("one", "two"):
        again = revising.reopen(database, rater, payload["assignment"])
        show(situation, rater, again)
        submit(situation, rater, again, {**FLAGGED, "comment": comment})

    line = member_progress.progress_of_members(database, situation.admin, "tiny")[0]

    assert (line.done, line.total, line.revised) == (1, 6, 1)
    assert worklist.desks_of(database, rater)[0].done == 1
    assert on_the_desk(situation, rater)["progress"]["done"] == 1


def test_the_package_lists_every_version_and_the_report_the_one_that_stands(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = revisable_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    payload, first = read_item(situation, rater, FLAGGED)
    again = revising.reopen(sqlite_database, rater, payload["assignment"])
    show(situation, rater, again)
    second = submit(situation, rater, again, {**FLAGGED, "comment": "second"})
    read_all(situation, rater)
    read_all(situation, situation.raters[1])
    data_lock.close_study(sqlite_database, situation.admin, "tiny")

    package.export_study(sqlite_database, situation.admin, "tiny", tmp_path / "package")

    versions = json.loads((tmp_path / "package" / "verdict-versions.json").read_text(encoding="utf-8"))
    assert len(versions) == 13
    of_item = [version for version in versions if version["receipt"] in {first.receipt, second.receipt}]
    assert [version["superseded_by"] for version in of_item] == [second.receipt, None]
    assert [version["supersedes"] for version in of_item] == [None, first.receipt]
    report = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "package" / "report").rglob("*.csv"))
    assert second.receipt in report
    assert first.receipt not in report
