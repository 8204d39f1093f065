"""What follows from answers is drawn in the version that holds by then, and is a unit of that."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import col, select

from db import Database, FreezeItem, Item
from services.errors import Conflict
from services.reading import settling
from services.record import verification
from tests.following_study import READ_THEN_RESOLVE, flagging, opened_following, read_through
from tests.versioned_study import corrected_prompt, new_version

READ_THEN_SCORE = """
blindread: 2
name: listed
title: Reads, then scores
instructions: Read every item.
groups: {readers: Readers, curators: Curators}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt, options]
    form: {answer: as_item}
    flags: {prompt: The prompt is unclear}
    by: readers
  - key: score
    title: Scores
    question: Does it say the same as the reference?
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    opens: {after: read}
    by: curators
"""
FLAGGED = """  - key: reword
    title: Rewording
    rates: items
    from: {phase: read, let_in: [flagged]}
    shows: [prompt, options, reference, opinions]
    form: {what: {type: resolution}}
    by: editors
"""


def test_units_that_follow_from_answers_are_of_the_version_in_which_they_are_drawn(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study")
    new_version(situation, tmp_path / "study", corrected_prompt)
    for reader in situation.raters[:2]:
        read_through(situation, reader, {"i2": flagging})

    with sqlite_database.read_only() as session:
        units = session.exec(
            select(Item.key, FreezeItem.version)
            .join(FreezeItem, col(FreezeItem.item_id) == Item.id)
            .where(FreezeItem.phase == "resolve")
        ).all()

    assert [tuple(unit) for unit in units] == [("i2", 2)]
    assert verification.verify_study(sqlite_database, "listed") == []


def appended(folder: Path) -> None:
    """Add a group, and a phase that follows from the answers of the first phase."""
    text = (folder / "protocol.yaml").read_text("utf-8")
    grouped = text.replace("curators: Curators}", "curators: Curators, editors: Editors}")
    (folder / "protocol.yaml").write_text(f"{grouped}{FLAGGED}", "utf-8")


def test_a_phase_that_follows_from_answers_of_a_closed_one_would_have_no_units_and_is_not_added(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study", READ_THEN_SCORE)
    read_through(situation, situation.raters[0], {"i2": flagging})
    settling.close_phase(sqlite_database, situation.admin, "listed", "read", "One reader has left.")

    with pytest.raises(Conflict) as refused:
        new_version(situation, tmp_path / "study", appended)

    assert str(refused.value) == (
        "Phase 'reword' follows from answers of phase 'read', which is closed: units are drawn from answers when "
        "their phase is closed, so this one would never have any. Let it follow from a phase that is still open, or "
        "select its units without answers."
    )


def test_a_phase_that_follows_from_answers_of_an_open_one_is_added_and_drawn_when_that_is_closed(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study", READ_THEN_SCORE)
    read_through(situation, situation.raters[0], {"i2": flagging})
    new_version(situation, tmp_path / "study", appended)

    drawn = settling.close_phase(sqlite_database, situation.admin, "listed", "read", "One reader has left.")

    assert drawn == {"reword": 1}


def test_what_is_corrected_in_a_closed_phase_is_left_or_added_elsewhere(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study", READ_THEN_RESOLVE)
    read_through(situation, situation.raters[0], {"i2": flagging})
    settling.close_phase(sqlite_database, situation.admin, "listed", "secret_arm", "One reader has left.")

    with pytest.raises(Conflict) as refused:
        new_version(situation, tmp_path / "study", corrected_prompt)

    assert str(refused.value) == (
        "Phase 'secret_arm' is closed, since other phases waited for it; nothing can be rated anew in it: leave 'i1', "
        "which is corrected, as before, or add the corrected text under another key, and let what is added be selected "
        "by another phase."
    )
