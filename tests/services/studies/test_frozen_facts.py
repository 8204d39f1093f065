"""What of a frozen study is remembered by the process, under which name, and what never is."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event
from sqlmodel import select

from db import Assignment, Database, Item, Study
from db.engine import make_engine
from services.adjudication import review_queue
from services.errors import NotFound
from services.people.identity import Actor
from services.people.permission import own_assignment
from services.reading import desk, submission
from services.record import verification
from services.studies import frozen_facts
from tests.blinding.columns import freeze_as_it_is_now, take_the_guards_away
from tests.harness import databases
from tests.room_study import practise, practising
from tests.situations import Situation, on_the_desk, open_study, read_all, show, submit


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    """Collect what the database is asked within the block."""
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    yield asked
    event.remove(engine, "before_cursor_execute", note)


def behind_our_back(database: Database, *changes: str, freeze_anew: bool = False) -> None:
    """Change rows that nothing of the program changes."""
    with database.engine.connect() as connection:
        take_the_guards_away(connection)
        for statement in changes:
            assert connection.exec_driver_sql(statement).rowcount > 0, statement
        if freeze_anew:
            freeze_as_it_is_now(connection)
        connection.commit()


def prompts_of(situation: Situation) -> set[str]:
    """Return the prompts of all items, as the facts have them."""
    with situation.database.read_only() as session:
        study_id = session.exec(select(Study.id).where(Study.key == situation.study_key)).one()
        items = session.exec(select(Item.id)).all()
        return {frozen_facts.item_of(session, study_id or 0, item or 0).prompt for item in items}


def test_a_frozen_item_is_read_once(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    on_the_desk(situation, situation.raters[0])

    with statements(database.engine) as asked:
        on_the_desk(situation, situation.raters[0])

    assert not [
        statement
        for statement in asked
        if any(f"FROM {table}" in statement for table in ("item", "volume", "protocol"))
    ]


def test_a_study_that_is_not_frozen_is_read_anew_each_time(imported: Situation) -> None:
    before = prompts_of(imported)

    behind_our_back(imported.database, "UPDATE item SET prompt = prompt || '~'")

    assert prompts_of(imported) == {f"{prompt}~" for prompt in before}


def test_another_freeze_is_read_anew(opened: Situation) -> None:
    before = prompts_of(opened)
    behind_our_back(opened.database, "UPDATE item SET prompt = prompt || '~'")
    assert prompts_of(opened) == before

    behind_our_back(opened.database, "UPDATE item SET prompt = prompt || '~'", freeze_anew=True)

    assert prompts_of(opened) == {f"{prompt}~~" for prompt in before}


def test_two_databases_with_the_same_ids_and_the_same_freeze_are_kept_apart(opened: Situation, tmp_path: Path) -> None:
    before = prompts_of(opened)
    copy = tmp_path / "copy"
    opened.database.engine.dispose()
    shutil.copytree(opened.database.data_dir, copy)
    other = replace(opened, database=Database(make_engine(databases.sqlite_url(copy / "blindread.db")), copy))
    behind_our_back(other.database, "UPDATE item SET prompt = prompt || '~'")

    assert prompts_of(other) == {f"{prompt}~" for prompt in before}
    assert prompts_of(opened) == before
    other.database.engine.dispose()


def test_the_number_of_a_database_is_never_given_to_another(tmp_path: Path) -> None:
    numbers = []
    for _ in range(3):
        engine = make_engine(databases.sqlite_url(tmp_path / "empty.db"))
        numbers.append(frozen_facts._number_of(engine))
        engine.dispose()
        del engine
        # All that lives long was passed over long ago; the engine is young.
        gc.collect(1)

    assert len(set(numbers)) == 3


def test_what_is_remembered_is_bounded_and_the_oldest_goes_first() -> None:
    memory = frozen_facts._Memory(2)
    asked = []

    def read(name: str) -> str:
        asked.append(name)
        return name

    for name in ("a", "b", "a", "c", "a", "b"):
        assert memory.get(name, lambda name=name: read(name)) == name  # type: ignore[misc]

    assert asked == ["a", "b", "c", "b"]
    assert len(memory) == 2


def test_volumes_whose_hashes_are_filled_in_later_are_remembered_only_then(opened: Situation) -> None:
    def hashes() -> set[str | None]:
        payload = on_the_desk(opened, opened.raters[0])
        return {volume["sha256"] for pane in payload["images"]["panes"] for volume in pane["volumes"]}

    behind_our_back(opened.database, "UPDATE volume SET unpacked_sha256 = NULL")
    assert hashes() == {None}

    behind_our_back(opened.database, "UPDATE volume SET unpacked_sha256 = 'filled in'")

    assert hashes() == {"filled in"}


def test_references_are_read_each_time(opened: Situation) -> None:
    rater = opened.raters[0]
    read_all(opened, rater)
    before = on_the_desk(opened, rater, "scoring")

    behind_our_back(opened.database, """UPDATE reference SET accepted = '["another"]', low = NULL, high = NULL""")

    assert before["reference"] != ["another"]
    assert on_the_desk(opened, rater, "scoring")["reference"] == ["another"]


def test_verifying_asks_the_database_and_not_the_memory(opened: Situation) -> None:
    prompts_of(opened)

    behind_our_back(opened.database, "UPDATE item SET prompt = 'Another?' WHERE key = 'i2'")

    assert "Changed since the freeze: items i2." in verification.verify_study(opened.database, "tiny")


def test_a_payload_that_somebody_changes_changes_nothing_that_is_remembered(opened: Situation) -> None:
    payload = on_the_desk(opened, opened.raters[0])
    before = repr(payload)

    for pane in payload["images"]["panes"]:
        for volume in pane["volumes"]:
            volume["window"].append(7.0)
            volume["range"].clear()
    for field in payload["form"]["fields"]:
        field["options"].clear()
    payload["images"]["planes"].clear()

    assert repr(on_the_desk(opened, opened.raters[0])) == before


# ---- whose turn it is ------------------------------------------------------------------------------------------------


def first_of_each_queue(database: Database, actor: Actor) -> tuple[set[str], set[str]]:
    """Return what is on somebody's desk: as each assignment's own look-up says, and as the list of what waits says."""
    by_look_up, by_list = set(), set()
    with database.read_only() as session:
        for public_id in session.exec(select(Assignment.public_id)).all():
            try:
                assignment, study, membership = own_assignment(session, actor, public_id)
            except NotFound:
                continue
            phases = frozen_facts.phases_of(session, study.id or 0)
            if desk.is_on_the_desk(session, phases, assignment):
                by_look_up.add(public_id)
            queue = phases.named(assignment.phase).queue
            waiting = desk.waiting_for(session, phases, membership.id or 0, queue, limit=1)
            by_list |= {row.public_id for row in waiting}
    return by_look_up, by_list


def test_an_assignments_turn_comes_when_it_is_the_first_that_waits(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    first, second = situation.raters
    for _ in range(3):
        payload = on_the_desk(situation, first)
        show(situation, first, payload)
        submit(situation, first, payload)
        alike(database, first, second)
    read_all(situation, first)
    read_all(situation, second, by_prompt={"Prompt of i1?": "no", "Prompt of i2?": "right"})
    review_queue.open_review_queue(database, situation.admin, situation.study_key)
    for _ in range(3):
        payload = on_the_desk(situation, situation.reviewer, "review")
        show(situation, situation.reviewer, payload)
        submit(situation, situation.reviewer, payload)
        alike(database, first, situation.reviewer)
    submission.report_failure(
        database, first, on_the_desk(situation, first, "scoring")["assignment"], "could not be shown"
    )
    alike(database, first, situation.reviewer)


def alike(database: Database, *people: Actor) -> None:
    for person in people:
        by_look_up, by_list = first_of_each_queue(database, person)
        assert by_look_up == by_list
        assert by_list


@pytest.mark.parametrize("wrong", [(), ("Practise p1?", "Practise p2?")], ids=["passed", "again"])
def test_a_real_items_turn_comes_after_the_practice(
    sqlite_database: Database, tmp_path: Path, wrong: tuple[str, ...]
) -> None:
    situation = practising(sqlite_database, tmp_path / "study")
    alike(sqlite_database, *situation.raters)

    practise(situation, situation.raters[0], wrong)

    alike(sqlite_database, *situation.raters)
