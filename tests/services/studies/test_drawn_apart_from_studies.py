"""A sample that is drawn apart from another study says so before the freeze if that study is not frozen here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlmodel import select

from db import Database, Study
from db.base import stored_id
from exchange.refusal import InputRefused
from services.errors import Conflict
from services.record import disclosed_pool
from services.studies.drawing import drawn_apart
from services.studies.folders import importing
from services.studies.freeze import before_freeze, freezing, thawing
from tests.listed_study import READ_THEN_SCORE, imported_listed, write_listed
from tests.situations import Situation, open_study, write_study_folder
from tests.versioned_study import corrected_prompt, new_version

APART = READ_THEN_SCORE.replace(
    "from: {where: {format: [yes_no]}}", "from: {sample: {size: 1, not_in: [secret_arm, tiny]}}"
)
SAID = (
    "Phase 'second': sample.not_in names 'tiny', and no study of this name is frozen here: no subject is left out for "
    "it. Freeze that study first, or correct the name."
)


def test_a_study_that_is_not_frozen_here_is_named_before_the_freeze(sqlite_database: Database, tmp_path: Path) -> None:
    there = open_study(sqlite_database, tmp_path / "tiny")
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", APART))
    frozen = before_freeze.standing_of(sqlite_database, situation.admin, "listed").remarks

    thawing.thaw_study(sqlite_database, there.admin, "tiny", "A misspelt prompt.")
    thawed = before_freeze.standing_of(sqlite_database, situation.admin, "listed").remarks

    assert (frozen, thawed) == ((), (SAID,))


def test_a_misspelt_study_is_refused_by_the_import_with_the_nearest_name(
    sqlite_database: Database, tmp_path: Path
) -> None:
    there = open_study(sqlite_database, tmp_path / "tiny")
    folder = write_listed(tmp_path / "study", APART.replace("tiny]", "tinny]"))

    with pytest.raises(InputRefused) as refused:
        importing.import_study(sqlite_database, there.admin, folder)

    assert str(refused.value) == (
        "protocol.yaml, key phases.second.from: sample.not_in names 'tinny', and no study of this name exists here "
        "(nearest: 'tiny'): no subject would be left out for it; correct the name, or remove it."
    )


@pytest.mark.parametrize("first", ["many-reads", "many-reads-1"])
def test_an_earlier_round_that_was_read_elsewhere_is_not_taken_for_a_later_one_misspelt(
    first: str, sqlite_database: Database, tmp_path: Path
) -> None:
    imported_listed(sqlite_database, write_study_folder(tmp_path / "second"), key="many-reads-2")
    folder = write_listed(tmp_path / "study", APART.replace("tiny]", f"{first}, many-reads-2]"))

    situation = imported_listed(sqlite_database, folder, key="many-reads-3")

    assert situation.study_key == "many-reads-3"


def test_a_number_with_a_zero_too_many_is_misspelt(sqlite_database: Database, tmp_path: Path) -> None:
    imported_listed(sqlite_database, write_study_folder(tmp_path / "second"), key="many-reads-2")
    folder = write_listed(tmp_path / "study", APART.replace("tiny]", "many-reads-02]"))

    with pytest.raises(InputRefused, match="nearest: 'many-reads-2'"):
        imported_listed(sqlite_database, folder, key="many-reads-3")


def test_a_misspelt_study_is_refused_by_the_freeze_if_the_other_came_after_the_import(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = write_listed(tmp_path / "study", APART.replace("tiny]", "tinny]"))
    situation = imported_listed(sqlite_database, folder)
    importing.import_study(sqlite_database, situation.admin, write_study_folder(tmp_path / "tiny"))

    with pytest.raises(Conflict, match=r"Phase 'second': sample\.not_in names 'tinny', .* \(nearest: 'tiny'\)"):
        freezing.freeze_study(sqlite_database, situation.admin, "listed")


# Of the three subjects one, which the phase of another study is drawn apart from.
ONE = """
blindread: 2
name: earlier
title: Read before
phases:
  - key: read
    title: Reads
    rates: items
    from: {where: {category: WHICH}}
    shows: [prompt, options]
    form: {answer: as_item}
"""
LATER = ONE.replace("earlier", "later").replace("{where: {category: WHICH}}", "{sample: {not_in: [earlier]}}")


@dataclass(frozen=True)
class Two:
    """A study on one category of items, thawed after another one was drawn apart from it."""

    earlier: Situation
    later: Situation
    folder: Path
    sha256: str


def both_frozen(sqlite_database: Database, tmp_path: Path) -> Two:
    folder = tmp_path / "earlier"
    earlier = imported_listed(
        sqlite_database, write_listed(folder, ONE.replace("WHICH", "name")), raters=0, key="earlier"
    )
    frozen = freezing.freeze_study(sqlite_database, earlier.admin, "earlier")
    later = imported_listed(sqlite_database, write_listed(tmp_path / "later", LATER), raters=0, key="later")
    freezing.freeze_study(sqlite_database, later.admin, "later")
    return Two(earlier, later, folder, frozen.sha256)


@pytest.fixture
def two(sqlite_database: Database, tmp_path: Path) -> Two:
    both = both_frozen(sqlite_database, tmp_path)
    thawing.thaw_study(sqlite_database, both.earlier.admin, "earlier", "Too few items.")
    return both


def test_a_study_says_which_freeze_of_another_it_was_drawn_apart_from(two: Two, sqlite_database: Database) -> None:
    frozen = freezing.freeze_of(sqlite_database, two.later.admin, "later")
    (said,) = drawn_apart.sentences_of(sqlite_database, two.later.admin, "later")

    assert frozen is not None and frozen.manifest["phases"]["read"]["apart_from"] == {"earlier": two.sha256}
    assert said.startswith("Phase 'read' was drawn apart from 'earlier' as frozen then (of ")
    assert f"SHA-256 {two.sha256[:12]}…): they share no subject. That freeze was thawed on " in said


def test_a_study_says_that_another_has_a_newer_version_than_it_was_drawn_apart_from(
    sqlite_database: Database, tmp_path: Path
) -> None:
    both = both_frozen(sqlite_database, tmp_path)
    before = drawn_apart.sentences_of(sqlite_database, both.later.admin, "later")

    new_version(both.earlier, both.folder, corrected_prompt)

    (said,) = drawn_apart.sentences_of(sqlite_database, both.later.admin, "later")
    assert before[0].endswith("they share no subject.")
    assert said.startswith(f"{before[0]} Since ") and said.endswith(
        "there is version 2 of it, which shares none either."
    )


def test_a_freeze_that_shares_subjects_with_a_study_drawn_apart_from_it_is_refused(
    two: Two, sqlite_database: Database
) -> None:
    (two.folder / "protocol.yaml").write_text(ONE.replace("WHICH", "[name, side, presence]"), encoding="utf-8")
    importing.import_study(sqlite_database, two.earlier.admin, two.folder, key="earlier", over_draft=True)

    with pytest.raises(Conflict) as refused:
        freezing.freeze_study(sqlite_database, two.earlier.admin, "earlier")

    assert str(refused.value).startswith(
        "Phase 'read' of the frozen study 'later' was drawn apart from this study (sample.not_in), and the two would "
        "share 2 subjects: subject-1, subject-2. Leave out what is about them, or draw this study apart from 'later' ("
    )


def test_the_same_freeze_again_is_none_that_shares_a_subject(two: Two, sqlite_database: Database) -> None:
    assert freezing.freeze_study(sqlite_database, two.earlier.admin, "earlier").sha256


def test_what_was_left_out_is_disclosed_as_of_the_draw(two: Two, sqlite_database: Database) -> None:
    with sqlite_database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == "later")).one()
        left_out = disclosed_pool.of_listed_study(session, stored_id(study.id))["left_out"]["read"]
        drawn = drawn_apart.subjects_of(session, two.sha256)

    assert left_out == sorted(drawn)
