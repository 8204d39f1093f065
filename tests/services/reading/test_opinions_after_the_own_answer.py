"""A reviewer reads blind what others differ on, and is shown their answers once the own one is locked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from db import Assignment, Database, Verdict
from protocol.language.law import breaches
from services.record.blinding_audit import auditing
from tests.following_study import opened_following, plain, read_through
from tests.protocol.language.study_text import expanded
from tests.room_study import rewrite, rows_of
from tests.situations import Situation, on_the_desk, show, submit

REVIEW = """
blindread: 2
name: listed
title: Reads, then a review
groups: {readers: Readers, reviewers: Reviewers}
phases:
  - {key: read, title: Reads, rates: items, shows: [scans, prompt, options], form: {answer: as_item}, by: readers}
  - key: review
    title: Review
    rates: items
    from: {phase: read, let_in: differs}
    shows: [scans, prompt, options]
    form: {answer: as_item}
    then: {shows: [opinions], again: yes}
    by: reviewers
    settles: read
"""


def differing(situation: Situation) -> None:
    """Let the readers choose the first and the last option of each item that has any."""
    read_through(situation, situation.raters[0], {})

    def last(payload: Any) -> dict[str, Any]:
        said = plain(payload)
        field = payload["form"]["fields"][0]
        if field["options"]:
            said["fields"][field["key"]] = field["options"][-1]["id"]
        return said

    second = situation.raters[1]
    while (payload := on_the_desk(situation, second, "part-1"))["kind"] == "item":
        show(situation, second, payload)
        submit(situation, second, payload, last(payload))


def reviewed(situation: Situation) -> list[dict[str, Any]]:
    """Return what a reviewer was shown, one screen after the other."""
    screens, reviewer = [], situation.raters[2]
    while (payload := on_the_desk(situation, reviewer, "part-1"))["kind"] == "item":
        screens.append(payload)
        show(situation, reviewer, payload)
        submit(situation, reviewer, payload, plain(payload))
    return screens


@pytest.fixture
def situation(sqlite_database: Database, tmp_path: Path) -> Situation:
    opened = opened_following(sqlite_database, tmp_path / "study", REVIEW, groups=("readers", "readers", "reviewers"))
    differing(opened)
    return opened


def test_the_own_answer_comes_first_and_the_opinions_of_all_readers_after_it(situation: Situation) -> None:
    screens = reviewed(situation)

    assert len(screens) == 2 * len({screen["prompt"] for screen in screens}) > 0
    for first, second in zip(screens[::2], screens[1::2], strict=True):
        assert first["prompt"] == second["prompt"]
        assert not first.get("opinions") and not first.get("own")
        assert [opinion["name"] for opinion in second["opinions"]] == ["A", "B"]
        assert second["own"]


def with_site(folder: Path) -> None:
    rewrite(folder / "cases.csv", [{**row, "site": "North"} for row in rows_of(folder / "cases.csv")])


def test_opinions_of_readers_who_saw_something_of_the_case_come_behind_the_last_item_of_its_subject(
    sqlite_database: Database, tmp_path: Path
) -> None:
    protocol = REVIEW.replace("shows: [scans, prompt", "shows: [scans, site, prompt", 1).replace(
        "phases:\n", "attributes: {cases: {site: text}}\nphases:\n", 1
    )
    opened = opened_following(
        sqlite_database, tmp_path / "study", protocol, groups=("readers", "readers", "reviewers"), changes=[with_site]
    )
    differing(opened)

    screens = reviewed(opened)

    with_opinions = [bool(screen.get("opinions")) for screen in screens]
    assert with_opinions.count(True) == with_opinions.count(False) > 0
    assert with_opinions != [False, True] * with_opinions.count(True)


def test_the_rows_of_a_first_step_name_nobodys_answer(situation: Situation) -> None:
    with situation.database.read_only() as session:
        rows = session.exec(select(Assignment).where(col(Assignment.phase).startswith("review"))).all()

    assert {row.step: bool(row.opinion_order) for row in rows} == {1: False, 2: True}


def test_both_answers_of_the_reviewer_are_stored(situation: Situation) -> None:
    screens = reviewed(situation)

    with situation.database.read_only() as session:
        verdicts = session.exec(
            select(Assignment.step)
            .join(Verdict, col(Verdict.assignment_id) == col(Assignment.id))
            .where(col(Assignment.phase).startswith("review"))
        ).all()
    assert sorted(verdicts) == [1] * (len(screens) // 2) + [2] * (len(screens) // 2)


def test_the_audit_of_the_blinding_sees_no_opinion_before_its_time(situation: Situation, tmp_path: Path) -> None:
    audited = auditing.audit_blinding(situation.database, situation.admin, situation.study_key, tmp_path / "audit.json")

    assert audited.holds and audited.assignments > 0


def test_the_law_counts_what_is_shown_after_the_own_answer() -> None:
    text = REVIEW.partition("title: Reads, then a review\n")[2] + (
        "  - {key: once_more, rates: items, from: {phase: read, let_in: differs}, shows: [scans, prompt], "
        "form: {a: text}, by: reviewers}\n"
    )

    (breach,) = breaches(expanded(text))
    assert (breach.telling, breach.blind, breach.answer) == ("review", "once_more", "refused")
