"""Whether somebody can be removed does not tell whether there was anything sealed for them to answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import func, select

from db import Assignment, Verdict
from services.errors import Conflict
from services.judging import sealed_split
from services.progress import data_lock
from services.record import package
from services.studies.freeze import freezing
from services.studies.membership import members, removing
from tests.listed_study import work_through
from tests.services.record.blinding_audit.planted_study import audited
from tests.services.report.sealed_scores import drafted, items_for_test, saying
from tests.services.report.sealed_twins import STUDY, divided_in_the_first_language, on_sqlite
from tests.situations import Situation

KEY = "sealed"


def divided(migrated_sqlite: Path, folder: Path) -> Situation:
    """Return a study of two readers, and of a curator of what they differ in, of whom nobody has answered yet."""
    situation = drafted(migrated_sqlite, folder, items=64)
    freezing.freeze_study(situation.database, situation.admin, KEY)
    sealed_split.make_split(situation.database, situation.admin, KEY, 0.5)
    return situation


def worked_through(situation: Situation, number: int, answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    work_through(
        Situation(situation.database, KEY, situation.admin, (situation.raters[number],), situation.admin), answer
    )


def removable(situation: Situation) -> list[str]:
    return [line.login for line in removing.removable_members(situation.database, situation.admin, KEY)]


def refusal(situation: Situation, login: str) -> str:
    with pytest.raises(Conflict) as refused:
        removing.remove_member(situation.database, situation.admin, KEY, login)
    return str(refused.value)


def test_who_answers_what_follows_from_sealed_answers_stays_once_signed_in(
    migrated_sqlite: Path, tmp_path: Path
) -> None:
    situation = divided(migrated_sqlite, tmp_path)
    members.invite(situation.database, situation.admin, KEY, "never", "Never Seen", "rater", group="curators")
    assert removable(situation) == ["rater-1", "rater-2", "never"]

    said = refusal(situation, "rater-3")

    assert said.startswith("Rater 3 answers what follows from other people's answers, which are sealed")
    assert removing.remove_member(situation.database, situation.admin, KEY, "never") == "Rater 4"
    sealed_split.unseal(situation.database, situation.admin, KEY, "It is over.")
    assert removable(situation) == ["rater-1", "rater-2", "rater-3"]
    assert removing.remove_member(situation.database, situation.admin, KEY, "rater-3") == "Rater 3"


def test_it_is_the_same_whether_people_differ_on_a_sealed_subject_or_not(migrated_sqlite: Path, tmp_path: Path) -> None:
    said = {}
    for differing in (1, 0):
        situation = divided(migrated_sqlite, tmp_path / str(differing))
        others = sorted(items_for_test(situation))[:differing]
        for number in range(3):
            worked_through(situation, number, saying(others if number == 1 else []))
        with situation.database.read_only() as session:
            settled = select(func.count()).select_from(Verdict).join(Assignment).where(Assignment.phase == "settle")
            assert session.exec(settled).one() == differing
        said[differing] = (removable(situation), refusal(situation, "rater-3"))
        situation.database.engine.dispose()

    assert said[1] == said[0]


def test_what_a_late_member_had_tells_nothing_either(migrated_sqlite: Path, tmp_path: Path) -> None:
    """Who is invited when all have answered is dealt what people differ in, then removed, and invited again."""
    audits, events = [], []
    for differing in (1, 0):
        situation = divided(migrated_sqlite, tmp_path / str(differing))
        database, admin, out = situation.database, situation.admin, tmp_path / f"package-{differing}"
        others = sorted(items_for_test(situation))[:differing]
        for number in range(3):
            worked_through(situation, number, saying(others if number == 1 else []))
        members.invite(database, admin, KEY, "late", "Late", "rater", group="curators")
        removing.remove_member(database, admin, KEY, "late")
        members.invite(database, admin, KEY, "late", "Late", "rater", group="curators")
        removing.remove_member(database, admin, KEY, "late")
        audits.append(audited(situation, tmp_path / f"audit-{differing}.json").result["assignments"])
        data_lock.close_study(database, admin, KEY)
        package.export_study(database, admin, KEY, out)
        trail = json.loads((out / "audit.json").read_text(encoding="utf-8"))
        events.append([event["action"] for event in trail])
        database.engine.dispose()

    assert audits[0] == audits[1]
    assert events[0] == events[1]


def test_who_was_removed_comes_back_as_they_were_alone(migrated_sqlite: Path, tmp_path: Path) -> None:
    """In another group they would be refused if they had items, which is sealed, and taken if they had none."""
    situation = divided(migrated_sqlite, tmp_path)

    def invited(group: str) -> None:
        members.invite(situation.database, situation.admin, KEY, "never", "Never Seen", "rater", group=group)

    invited("curators")
    removing.remove_member(situation.database, situation.admin, KEY, "never")

    with pytest.raises(Conflict, match="Rater 4 may have had items that follow from answers, which are sealed"):
        invited("readers")

    invited("curators")
    assert "never" in removable(situation)


def test_of_reviewers_it_is_not_told_whether_items_were_given_to_another(migrated_sqlite: Path, tmp_path: Path) -> None:
    situation = divided_in_the_first_language(on_sqlite(migrated_sqlite, tmp_path), tmp_path)
    database, admin = situation.database, situation.admin
    members.invite(database, admin, STUDY, "never", "Never Seen", "reviewer")
    removing.remove_member(database, admin, STUDY, "never")

    with pytest.raises(Conflict, match="Reviewer 2 may have been given to another reviewer meanwhile"):
        members.invite(database, admin, STUDY, "never", "Never Seen", "reviewer")
