"""The audit chain finds what was changed, taken out of the middle, or cut off its end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from sqlalchemy import text
from sqlmodel import Session, select

from db import AuditEvent, Database, Person, audit


def record_events(database: Database, count: int) -> None:
    for number in range(count):
        with database.writing() as session:
            audit.record(session, "tried", number=number, text="ä ☃", share=0.1)


def tamper(database: Database, statement: str) -> None:
    """Change the database as somebody who may drop its triggers can."""
    postgresql = database.engine.dialect.name == "postgresql"
    triggers = ("append_only", "no_truncate") if postgresql else ("no_update", "no_delete")
    with database.engine.begin() as connection:
        for trigger in triggers:
            connection.execute(text(f"DROP TRIGGER audit_event_{trigger}" + (" ON audit_event" if postgresql else "")))
        connection.execute(text(statement))


def ids_of(database: Database) -> list[int]:
    with database.read_only() as session:
        return [event_id or 0 for event_id in session.exec(select(AuditEvent.id).order_by(AuditEvent.id)).all()]


def broken_links(database: Database) -> list[int]:
    with database.read_only() as session:
        return list(audit.broken_links(session))


def test_an_untouched_chain_holds(database: Database) -> None:
    record_events(database, 5)

    assert broken_links(database) == []


@pytest.mark.parametrize(
    "change",
    [
        "action = 'something else'",
        "detail = '{\"number\": 7}'",
        "person_id = 1",
        "at = '2020-01-01 00:00:00+00:00'",
        "hash = 'f' || substr(hash, 2, 62) || 'g'",
        "previous_hash = 'f' || substr(previous_hash, 2, 62) || 'g'",
    ],
)
def test_a_changed_row_is_found(database: Database, change: str) -> None:
    with database.writing() as session:
        session.add(Person(id=1, login="a", name="A"))
    record_events(database, 4)
    second = ids_of(database)[1]

    tamper(database, f"UPDATE audit_event SET {change} WHERE id = {second}")

    assert second in broken_links(database)


def test_a_row_removed_from_the_middle_is_found_at_the_one_after_it(database: Database) -> None:
    record_events(database, 4)
    ids = ids_of(database)

    tamper(database, f"DELETE FROM audit_event WHERE id = {ids[1]}")

    assert broken_links(database) == [ids[2]]


def test_a_row_put_in_by_hand_is_found(database: Database) -> None:
    record_events(database, 2)

    tamper(
        database,
        "INSERT INTO audit_event (at, action, detail, previous_hash, hash) "
        "SELECT at, action, detail, hash, 'made up' FROM audit_event ORDER BY id DESC LIMIT 1",
    )

    assert broken_links(database) == [ids_of(database)[-1]]


def test_a_cut_end_is_found_only_against_a_head_that_was_kept_elsewhere(database: Database) -> None:
    record_events(database, 4)
    with database.read_only() as session:
        kept_elsewhere = audit.head(session)

    tamper(database, f"DELETE FROM audit_event WHERE id >= {ids_of(database)[2]}")

    with database.read_only() as session:
        assert list(audit.broken_links(session)) == []
        assert not audit.leads_to(session, kept_elsewhere)


def test_a_chain_that_has_grown_still_leads_to_an_earlier_head(database: Database) -> None:
    record_events(database, 2)
    with database.read_only() as session:
        earlier = audit.head(session)

    record_events(database, 2)

    with database.read_only() as session:
        assert audit.head(session) != earlier
        assert audit.leads_to(session, earlier)


def test_every_chain_leads_to_the_head_of_an_empty_one(sqlite_database: Database) -> None:
    with sqlite_database.read_only() as session:
        empty = audit.head(session)

    record_events(sqlite_database, 1)

    with sqlite_database.read_only() as session:
        assert audit.leads_to(session, empty)


def test_the_chain_does_not_fork_under_many_writers(database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: record_events(database, 5), range(8)))

    assert len(ids_of(database)) == 40
    assert broken_links(database) == []


def test_an_event_and_what_it_records_are_stored_together_or_not_at_all(database: Database) -> None:
    def stop_halfway(session: Session) -> None:
        session.add(Person(login="a", name="A"))
        audit.record(session, "person added")
        raise KeyboardInterrupt

    with suppress(KeyboardInterrupt), database.writing() as session:
        stop_halfway(session)

    with database.read_only() as session:
        assert session.exec(select(Person)).all() == []
        assert session.exec(select(AuditEvent)).all() == []


def test_times_come_back_in_utc_whatever_the_servers_time_zone(database: Database) -> None:
    record_events(database, 2)
    if database.engine.dialect.name == "postgresql":
        with database.engine.begin() as connection:
            connection.execute(text(f"ALTER DATABASE {connection.engine.url.database} SET timezone TO 'Asia/Tokyo'"))
        database.engine.dispose()

    with database.read_only() as session:
        moments = session.exec(select(AuditEvent.at)).all()

    assert {str(moment.tzinfo) for moment in moments} == {"UTC"}
    assert broken_links(database) == []
