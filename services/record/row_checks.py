"""Compare every row of a study with the seals that the audit chain holds on it; see `services.seals.proofs`."""

from __future__ import annotations

from collections.abc import Iterator

from sqlmodel import Session, col, or_, select

from db import AuditEvent, Base, Display, Freeze, Membership, Study
from db.base import stored_id
from services.reading.verdict_times import contradictory_times
from services.seals import proofs
from services.seals.sealing import SEALED, seals_on

Seal = tuple[AuditEvent, str, str]
NAMED = 5
# More rows than any table of a study holds; a seal on more would only fill the memory.
MOST_SEALED = 10_000_000
# The tables whose seals end when somebody who was taken out comes back, and the events whose own seals never do.
_ENDING = ("assignment", "membership")
_VERDICTS = ("verdict", "revision", "decision")
_COMING_AND_GOING = ("member joined", "member removed")


def row_problems(session: Session, study: Study) -> list[str]:
    """Return one sentence for each seal that does not hold, and for each row that no seal covers."""
    study_id = stored_id(study.id)
    events = _events(session, study_id)
    problems = _freeze_problems(session, study_id, events)
    seals: dict[str, list[Seal]] = {}
    for event in events:
        for name, ended in event.detail.get("ended", {}).items():
            problems += _end_seals(event, name, ended, seals)
        for name, (keys, digest) in seals_on(event, study_id).items():
            if proofs.number_of(keys) > MOST_SEALED:
                problems.append(f"Audit event {event.id} names more rows of table {name} than there can be.")
                continue
            seals.setdefault(name, []).append((event, keys, digest))
    for table in proofs.COLUMNS:
        found = proofs.rows_of(session, table, study_id)
        problems += _table_problems(table, found, seals.pop(proofs.table_name(table), []), study.salt)
    problems += _membership_problems(session, study_id, events)
    return problems


def remarks(session: Session, study: Study) -> list[str]:
    """Return what has to be known about a study's proofs and times, and is no sign that anything was changed."""
    study_id = stored_id(study.id)
    said = []
    for event in _events(session, study_id):
        if event.action != SEALED:
            continue
        covered = {table: len(list(proofs.keys_in(keys))) for table, (keys, _) in seals_on(event, study_id).items()}
        said.append(
            f"{sum(covered.values())} rows, {covered.get('verdict', 0)} verdicts among them, are older than their seal "
            f"of {event.at:%Y-%m-%d %H:%M} UTC: they are proved from then on. Of the time before, only the hash of "
            "each verdict's answers proves anything."
        )
    return said + [
        f"The times of the verdict with receipt {receipt} contradict each other ({why}): the server's clock was set."
        for receipt, why in contradictory_times(session, study_id)
    ]


def _end_seals(event: AuditEvent, name: str, ended: str, seals: dict[str, list[Seal]]) -> list[str]:
    """End the seals on some rows, and say what keeps that from being right.

    Only who comes back ends any, and only who gave no verdict can come back. Otherwise an event that is added at the
    end of the chain would open every row to change, and a head that was kept before it would still be in the chain.
    """
    if event.action != "member joined" or name not in _ENDING or proofs.number_of(ended) > MOST_SEALED:
        return [f"Audit event {event.id} ends seals on table {name}, which it cannot."]
    keys = set(proofs.keys_in(ended))
    kept, rested_on = [], False
    for seal in seals.get(name, []):
        is_hit = not keys.isdisjoint(proofs.keys_in(seal[1]))
        rested_on = rested_on or (is_hit and seal[0].action in _VERDICTS)
        if not is_hit or seal[0].action in _VERDICTS:
            kept.append(seal)
    seals[name] = kept
    return [f"Audit event {event.id} ends seals on table {name} on which verdicts rest."] if rested_on else []


def _events(session: Session, study_id: int) -> list[AuditEvent]:
    of_study = or_(AuditEvent.study_id == study_id, AuditEvent.action == SEALED)
    return list(session.exec(select(AuditEvent).where(of_study).order_by(col(AuditEvent.id))).all())


def _freeze_problems(session: Session, study_id: int, events: list[AuditEvent]) -> list[str]:
    """Compare the freezes with what the chain says was frozen: it holds the true hash of the manifest."""
    said = [str(event.detail.get("manifest_sha256")) for event in events if event.action == "study frozen"]
    found = [
        freeze.sha256
        for freeze in session.exec(select(Freeze).where(Freeze.study_id == study_id).order_by(col(Freeze.version)))
    ]
    if said == found:
        return []
    return ["The manifest is not the one that the audit chain says was frozen."]


def _table_problems(table: type[Base], found: dict[int, proofs.Row], seals: list[Seal], salt: str) -> Iterator[str]:
    covered: set[int] = set()
    for event, text, digest in seals:
        keys = list(proofs.keys_in(text))
        covered.update(keys)
        rows = [found[key] for key in sorted(keys) if key in found]
        if len(rows) < len(keys) or proofs.digest(table, rows, salt) != digest:
            what = "changed" if len(keys) == 1 else "one or more of these rows changed"
            yield f"{_named(table, keys, found)}: {what} since audit event {event.id}, or gone."
    # What has been shown is sealed with the verdict on it, and may wait for that.
    extra = sorted(found.keys() - covered) if table is not Display else []
    if extra:
        yield f"{_named(table, extra, found)}: added past the program, as no audit event recorded it."


def _named(table: type[Base], keys: list[int], found: dict[int, proofs.Row]) -> str:
    """Name some rows by what people know them by: receipts, keys and pseudonyms, else their number in the table."""
    columns = proofs.COLUMNS[table]
    known_by = next((name for name in ("receipt", "pseudonym", "key", "name") if name in columns), None)
    place = columns.index(known_by) if known_by else None
    names = [str(found[key][place]) if place is not None and key in found else f"number {key}" for key in keys[:NAMED]]
    more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
    return f"Table {proofs.table_name(table)}, {', '.join(names)}{more}"


def _membership_problems(session: Session, study_id: int, events: list[AuditEvent]) -> Iterator[str]:
    """Compare who is out of the study with what the chain said of them last."""
    last = {event.detail.get("member"): event.action for event in events if event.action in _COMING_AND_GOING}
    for membership in session.exec(select(Membership).where(Membership.study_id == study_id)):
        is_out, was_taken_out = membership.removed_at is not None, last.get(membership.person_id) == "member removed"
        if is_out != was_taken_out:
            done = "taken out of" if is_out else "put back into"
            yield f"{membership.pseudonym} was {done} the study past the program."
