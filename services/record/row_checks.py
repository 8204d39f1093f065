"""Compare every row of a study with the seals that the audit chain holds for it; see `services.seals.proofs`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import bindparam
from sqlmodel import Session, col, or_, select

from db import AuditEvent, Base, Display, Freeze, Membership, Study, StudyVersion
from db.base import stored_id
from db.readable import columns_of, readable_rows
from services.reading.verdict_times import contradictory_times
from services.record.checking import sentences_of
from services.seals import proofs
from services.seals.order import ANSWERED, VERSION_MADE
from services.seals.row_texts import Row
from services.seals.sealing import SEALED, seals_on
from services.studies.freeze.thawing import THAWED
from services.studies.membership.rater_attributes import DESCRIBED


class Event(NamedTuple):
    """The parts of an audit event that the row checks need."""

    id: int
    at: datetime
    action: str
    detail: dict[str, Any]


Seal = tuple[Event, str, str]
NAMED = 5
# Keys and receipts are shorter; a longer one was written outside the program, and messages cut it to this length.
LONGEST_NAME = 120
# More rows than any table of a study can have; expanding a seal on more would only fill the memory.
MOST_SEALED = 10_000_000
# The tables whose seals an event can end: when a removed member comes back, when a rater is described, and when a study
# is thawed.
_ENDING = {
    "member joined": ("assignment", "membership"),
    DESCRIBED: ("membership",),
    THAWED: ("study", "volume", "overlay", "assignment"),
}
# What can only be done before the first verdict, with its words.
_BEFORE_VERDICTS = {
    THAWED: "thaws a study in which there were verdicts",
    DESCRIBED: "describes a rater after a verdict",
}
# Queries made by each verification, built once.
_STUDY: Any = bindparam("study_id")
_EVENTS = columns_of(AuditEvent, *Event._fields).where(or_(AuditEvent.study_id == _STUDY, AuditEvent.action == SEALED))
_HASHES: dict[Any, Any] = {
    table: select(table.sha256).where(table.study_id == _STUDY).order_by(col(table.version))
    for table in (Freeze, StudyVersion)
}
_MEMBERS: Any = select(Membership.person_id, Membership.pseudonym, col(Membership.removed_at).is_not(None)).where(
    Membership.study_id == _STUDY
)
_COMING_AND_GOING = ("member joined", "member removed")


def row_problems(session: Session, study: Study) -> list[str]:
    """Return one sentence per broken seal, row without a seal, and unreadable part.

    Parameters
    ----------
    study
        Only its id and salt are used.
    """
    study_id = stored_id(study.id)
    events, unreadable = _events(session, study_id)
    problems = [f"Audit event {event_id} cannot be read." for event_id in unreadable]
    problems += sentences_of(session, "The freezes", lambda: _freeze_problems(session, study_id, events))
    problems += _done_too_late(events)
    seals: dict[str, list[Seal]] = {}
    for event in events:
        problems += sentences_of(session, f"Audit event {event.id}", partial(_take_seals, event, study_id, seals))
    for table in proofs.COLUMNS:
        name = proofs.table_name(table)
        problems += sentences_of(
            session, f"Table {name}", partial(_table_problems, session, table, study, seals.pop(name, []))
        )
    return problems + sentences_of(session, "The members", lambda: _membership_problems(session, study_id, events))


def remarks(session: Session, study_id: int) -> list[str]:
    """Return notes on a study's proofs and times that are worth knowing but do not indicate tampering."""
    events, _ = _events(session, study_id)
    said = []
    for event in events:
        if event.action != SEALED:
            continue
        covered = {table: len(list(proofs.keys_in(keys))) for table, (keys, _) in seals_on(event, study_id).items()}
        said.append(
            f"{sum(covered.values())} rows, {covered.get('verdict', 0)} verdicts among them, were sealed only at "
            f"{event.at:%Y-%m-%d %H:%M} UTC and are proven from then on. For the time before, only the hash of each "
            "verdict's answers is proof."
        )
    return said + sentences_of(session, "The times of the verdicts", lambda: _contradictions(session, study_id))


def _contradictions(session: Session, study_id: int) -> Iterator[str]:
    for receipt, why in contradictory_times(session, study_id):
        what = f"The times of the verdict with receipt {receipt} contradict each other ({why})"
        yield f"{what}: the server's clock was set."


def _take_seals(event: Event, study_id: int, seals: dict[str, list[Seal]]) -> Iterator[str]:
    """Collect the seals that an event holds, and yield what is wrong with those it ends or holds."""
    for name, ended in event.detail.get("ended", {}).items():
        yield from _end_seals(event, name, ended, seals)
    for name, (keys, digest) in seals_on(event, study_id).items():
        if proofs.number_of(keys) > MOST_SEALED:
            yield f"Audit event {event.id} names more rows of table {name} than there can be."
            continue
        seals.setdefault(name, []).append((event, keys, digest))


def _done_too_late(events: list[Event]) -> Iterator[str]:
    """Yield a sentence per event that cannot follow a verdict, and does: such a chain was made outside the program."""
    answered = next((event.id for event in events if event.action in ANSWERED), None)
    for event in events:
        done = _BEFORE_VERDICTS.get(event.action)
        if done is not None and answered is not None and answered < event.id:
            yield f"Audit event {event.id} {done}, which it cannot."


def _end_seals(event: Event, name: str, ended: str, seals: dict[str, list[Seal]]) -> list[str]:
    """End the seals on some rows, and return what is wrong with doing so.

    Only a member's return, a rater's description and a thaw can end seals. Only a member who gave no verdict can
    return, and in a study with a verdict nobody is described, and it cannot be thawed. Otherwise an event added at the
    end of the chain would open every row to changes, and a head stored before it would still be in the chain.
    """
    if name not in _ENDING.get(event.action, ()) or proofs.number_of(ended) > MOST_SEALED:
        return [f"Audit event {event.id} ends seals on table {name}, which this kind of event cannot do."]
    keys = set(proofs.keys_in(ended))
    remaining, rested_on = [], False
    for seal in seals.get(name, []):
        is_hit = not keys.isdisjoint(proofs.keys_in(seal[1]))
        # Seals of answer events never end.
        rested_on = rested_on or (is_hit and seal[0].action in ANSWERED)
        if not is_hit or seal[0].action in ANSWERED:
            remaining.append(seal)
    seals[name] = remaining
    return [f"Audit event {event.id} ends seals on table {name} on which verdicts rest."] if rested_on else []


def _events(session: Session, study_id: int) -> tuple[list[Event], list[int]]:
    """Return the events that may hold seals on a study's rows, and the ids of those that cannot be read."""
    rows, unreadable = readable_rows(session, _EVENTS, AuditEvent.id, study_id=study_id)
    return [Event(*row) for row in rows], unreadable


def _freeze_problems(session: Session, study_id: int, events: list[Event]) -> list[str]:
    """Compare the freezes and versions with the audit chain, which holds the true hash of each manifest."""
    problems = []
    for action, table, says in (
        ("study frozen", Freeze, "The manifest is not the one that the audit chain says was frozen."),
        (VERSION_MADE, StudyVersion, "The versions are not those that the audit chain says were made."),
    ):
        said = [str(event.detail.get("manifest_sha256")) for event in events if event.action == action]
        if said != list(session.exec(_HASHES[table], params={"study_id": study_id})):
            problems.append(says)
    return problems


def _table_problems(session: Session, table: type[Base], study: Study, seals: list[Seal]) -> Iterator[str]:
    key = getattr(table, proofs.COLUMNS[table][0])
    rows, unreadable = readable_rows(session, proofs.select_rows(table), key, study_id=stored_id(study.id))
    by_key: dict[int, Row] = {int(row[0]): tuple(row) for row in rows}
    if unreadable:
        yield f"{_named(table, unreadable, by_key)}: cannot be read, so it was changed outside the program."
    covered: set[int] = set()
    for event, text, digest in seals:
        keys = list(proofs.keys_in(text))
        covered.update(keys)
        sealed = [by_key[key] for key in sorted(keys) if key in by_key]
        if len(sealed) < len(keys) or proofs.digest(table, sealed, study.salt) != digest:
            what = "changed" if len(keys) == 1 else "one or more of these rows changed"
            yield f"{_named(table, keys, by_key)}: {what} since audit event {event.id}, or gone."
    # Displays are sealed together with the verdict on them, and may still be waiting for it.
    extra = sorted(by_key.keys() - covered) if table is not Display else []
    if extra:
        yield f"{_named(table, extra, by_key)}: added outside the program: no audit event recorded it."


def _named(table: type[Base], keys: list[int], by_key: dict[int, Row]) -> str:
    """Name some rows by what people know them by: receipts, keys or pseudonyms, otherwise their id in the table."""
    columns = proofs.COLUMNS[table]
    known_by = next((name for name in ("receipt", "pseudonym", "key", "name") if name in columns), None)
    place = columns.index(known_by) if known_by else None
    names = [
        str(by_key[key][place])[:LONGEST_NAME] if place is not None and key in by_key else f"number {key}"
        for key in keys[:NAMED]
    ]
    more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
    return f"Table {proofs.table_name(table)}, {', '.join(names)}{more}"


def _membership_problems(session: Session, study_id: int, events: list[Event]) -> Iterator[str]:
    """Compare who has left the study with the chain's last record of them."""
    last = {event.detail.get("member"): event.action for event in events if event.action in _COMING_AND_GOING}
    for person_id, pseudonym, is_out in session.exec(_MEMBERS, params={"study_id": study_id}):
        if is_out != (last.get(person_id) == "member removed"):
            done = "taken out of" if is_out else "put back into"
            yield f"{pseudonym} was {done} the study outside the program."
