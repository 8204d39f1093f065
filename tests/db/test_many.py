"""Many rows are added in few statements, each with a key that its caller knows."""

from __future__ import annotations

from sqlmodel import select

from db import Case, Database, Study, add_many, insert_with_keys


def _study(database: Database) -> int:
    with database.writing() as session:
        study = Study(key="many", title="Many")
        session.add(study)
        session.flush()
        assert study.id is not None
        return study.id


def test_keys_that_come_back_are_those_of_the_rows_in_their_order(database: Database) -> None:
    study_id = _study(database)

    def rows(*names: str) -> list[dict[str, object]]:
        return [{"study_id": study_id, "key": name, "subject": "s", "attributes": {}} for name in names]

    with database.writing() as session:
        first = insert_with_keys(session, Case, rows("b", "a", "c"))
        # What is added as objects in between takes keys of the same row.
        add_many(session, [Case(study_id=study_id, key="d", subject="s")])
        second = insert_with_keys(session, Case, rows("f", "e"))
        assert insert_with_keys(session, Case, []) == []

    with database.read_only() as session:
        stored = {case.id: case.key for case in session.exec(select(Case))}
    assert [stored[key] for key in (*first, *second)] == ["b", "a", "c", "f", "e"]
    assert sorted(stored) == [*first, *(stored.keys() - {*first, *second}), *second] and len(stored) == 6
