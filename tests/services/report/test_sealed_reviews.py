"""Which items are sent to reviewers follows from answers: of sealed subjects no admin is told how many are."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import col, select

from db import Assignment, Item
from services.judging import sealed_split
from services.progress import overview
from services.reading import member_progress
from services.record import package
from services.record.blinding_audit import auditing
from tests.services.report.sealed_scores import items_for_test
from tests.services.report.sealed_twins import STUDY, answered, divided_in_the_first_language, on_sqlite
from tests.situations import Situation

# They read, mark and review a study twice.
pytestmark = pytest.mark.server
# A closed study and what its admin was told before, and one in which readers differ elsewhere on sealed subjects.
Twins = tuple[tuple[Situation, list[str]], tuple[Situation, list[str]]]


@pytest.fixture(scope="module")
def twins(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twins]:
    folder = tmp_path_factory.mktemp("twins")
    at_first = divided_in_the_first_language(on_sqlite(migrated_sqlite, folder / "at first"), folder / "at first")
    heard: tuple[list[str], list[str]] = [], []
    first = answered(at_first, folder / "a", field="", heard=heard[0])
    second = answered(at_first, folder / "b", items_for_test(at_first), field="", heard=heard[1])
    yield (first, heard[0]), (second, heard[1])
    for each in (first, second):
        each.database.engine.dispose()


def test_what_is_said_of_sending_them_counts_development_subjects(twins: Twins) -> None:
    (_, first), (_, second) = twins

    assert first == second
    assert first[0].endswith("What was sent of test subjects is sealed, and not counted.")


def test_progress_and_the_line_of_the_study_are_the_same(twins: Twins) -> None:
    said = [
        (
            [line.count_in_words for line in member_progress.progress_of_members(each.database, each.admin, STUDY)],
            overview.overview_of(each.database, each.admin, STUDY),
        )
        for each, _ in twins
    ]

    assert said[0] == said[1]
    assert said[0][0][-1].endswith("in development; those of test are sealed")


def test_sealed_verdicts_are_counted_without_those_of_reviewers(twins: Twins) -> None:
    (first, _), (second, _) = twins
    lines = [sealed_split.split_of(each.database, each.admin, STUDY) for each in (first, second)]

    assert lines[0] is not None and lines[0].verdicts and lines[0] == lines[1]


def test_a_package_lists_as_many_events(twins: Twins, tmp_path: Path) -> None:
    actions = []
    for number, (each, _) in enumerate(twins):
        package.export_study(each.database, each.admin, STUDY, tmp_path / str(number))
        events = json.loads((tmp_path / str(number) / "audit.json").read_text(encoding="utf-8"))
        actions.append(Counter(event["action"] for event in events))

    assert actions[0] == actions[1] and actions[0]["decision"]


def test_a_blinding_audit_counts_as_many_screens(twins: Twins, tmp_path: Path) -> None:
    said = []
    for number, (each, _) in enumerate(twins):
        out = tmp_path / f"{number}.json"
        auditing.audit_blinding(each.database, each.admin, STUDY, out)
        said.append(json.loads(out.read_text(encoding="utf-8"))["assignments"])

    assert said[0] == said[1]
    assert said[0]["searched_and_not_counted"].endswith(": review, opinions")


def test_a_blinding_audit_counts_as_much_whichever_subject_is_last_in_the_reviewers_queue(
    twins: Twins, tmp_path: Path
) -> None:
    (of_first, _), _ = twins
    searched = []

    for number, is_sealed in enumerate((False, True)):
        _put_last_in_the_review(of_first, is_sealed=is_sealed)
        auditing.audit_blinding(of_first.database, of_first.admin, STUDY, tmp_path / f"{number}.json")
        searched.append(json.loads((tmp_path / f"{number}.json").read_text(encoding="utf-8"))["searched"])

    assert searched[0] == searched[1]


def _put_last_in_the_review(situation: Situation, *, is_sealed: bool) -> None:
    """Exchange the last of the reviewers' queue for the last that is of a test subject, or for the last that is not."""
    sealed = items_for_test(situation)
    with situation.database.writing() as session:
        rows = session.exec(
            select(Assignment, Item.key)
            .join(Item, col(Item.id) == col(Assignment.item_id))
            .where(col(Assignment.phase) == "review")
            .order_by(col(Assignment.position))
        ).all()
        last, chosen = rows[-1][0], [row for row, key in rows if (key in sealed) == is_sealed][-1]
        places = last.position, chosen.position
        if last is not chosen:
            # No two may have one place at any time.
            last.position = -1
            session.flush()
            chosen.position = places[0]
            session.flush()
            last.position = places[1]
