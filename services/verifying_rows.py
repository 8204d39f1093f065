"""Compare every row of a study with the seals that the audit chain holds on it; see `services.proofs`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from sqlmodel import Session, col, or_, select

from db import Assignment, AuditEvent, Base, Display, Freeze, Membership, Study, Verdict
from db.base import stored_id
from services import proofs
from services.sealing import SEALED, seals_on

Seal = tuple[AuditEvent, str, str]
# Two verdicts that were sent at once may come into the chain the other way round, after waiting for each other.
SLACK = timedelta(seconds=60)
NAMED = 5


def row_problems(session: Session, study: Study) -> list[str]:
    """Return one sentence for each seal that does not hold, and for each row that no seal covers."""
    study_id = stored_id(study.id)
    events = _events(session, study_id)
    problems = _freeze_problems(session, study_id, events)
    seals: dict[str, list[Seal]] = {}
    for event in events:
        for name, ended in event.detail.get("ended", {}).items():
            keys_ended = set(proofs.keys_in(ended))
            seals[name] = [seal for seal in seals.get(name, []) if keys_ended.isdisjoint(proofs.keys_in(seal[1]))]
        for name, (keys, digest) in seals_on(event, study_id).items():
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


def contradictory_times(session: Session, study_id: int) -> list[tuple[str, str]]:
    """Return the receipts of verdicts whose times cannot all be right, and why; the order of rows is the true one."""
    rows = session.exec(
        select(Verdict.receipt, Verdict.shown_at, Verdict.submitted_at)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(Assignment.study_id == study_id)
        .order_by(col(Verdict.id))
    ).all()
    found = []
    latest = None
    for receipt, shown_at, submitted_at in rows:
        if submitted_at < shown_at:
            found.append((receipt, "submitted before it was shown"))
        elif latest is not None and submitted_at < latest - SLACK:
            found.append((receipt, "submitted before the verdict that came before it"))
        latest = submitted_at if latest is None else max(latest, submitted_at)
    return found


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
    """Compare who was taken out of the study with what the chain says of removals."""
    said = {event.detail.get("member") for event in events if event.action == "member removed"}
    for membership in session.exec(select(Membership).where(Membership.study_id == study_id)):
        if membership.removed_at is not None and membership.person_id not in said:
            yield f"{membership.pseudonym} was taken out of the study past the program."
