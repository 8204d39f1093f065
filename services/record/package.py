"""The complete study package: report and data, protocol, manifest, events and audit trail, ready for archiving."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from db import (
    Adjudication,
    Assignment,
    AuditEvent,
    Database,
    Freeze,
    Item,
    Membership,
    ProtocolRecord,
    ReviewTask,
    StudyEvent,
    StudyVersion,
    Verdict,
    audit,
    queries,
)
from db.base import stored_id
from db.standing import STANDS
from protocol.phases import Phase
from services.errors import Conflict
from services.people.identity import Actor
from services.people.permission import require_role, state_of
from services.record.disclosure import draws_to_check
from services.report.files.export import export_report
from services.seals import audit_head
from services.studies import frozen_facts
from services.studies.versions import stored

# Events that name or count results of answers, or that hold the hash of labels, of which there may be only a few.
_DRAWN_FROM_ANSWERS = frozenset({"drawn", "phases closed", "review queue opened", "labels made elsewhere imported"})


def export_study(database: Database, actor: Actor, study_key: str, folder: Path) -> list[Path]:
    """Write the package of a study into a new folder: all of it or nothing.

    After the data lock, `draws.json` holds the keys with which every draw can be repeated. The audit trail is the
    study's part of the installation's chain; `audit-head.txt` holds the last hash of the whole chain, which later
    reveals whether its end was cut off. Each version after the freeze adds its protocol and its manifest.

    If a study has sealed test subjects, nothing is written that people answered about them: no verdicts, no details of
    events from which an answer could be guessed, and no draws, which depend on answers. `sealed.json` counts what is
    left out.

    Raises
    ------
    NotAllowed
        The report is not open, and the package holds every verdict.
    Conflict
        The folder already exists.
    """
    if folder.exists():
        raise Conflict(f"{folder.name} already exists; name a new folder for the package.")
    try:
        export_report(database, actor, study_key, folder / "report")
        with database.read_only() as session:
            study, _ = require_role(session, actor, study_key, "admin")
            study_id = stored_id(study.id)
            _write(folder / "protocol.json", json.loads(session.get_one(ProtocolRecord, study_id).canonical_json))
            freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id, *STANDS)).one()
            _write(folder / "manifest.json", json.loads(freeze.manifest_json))
            versions = stored.rows_of_versions(session, study_id)
            for row in versions:
                _write(folder / f"protocol-{row.version}.json", json.loads(row.protocol_json))
                _write(folder / f"manifest-{row.version}.json", json.loads(row.manifest_json))
            _write(folder / "events.json", _events(session, study_id))
            sealed = queries.sealed_items(session, study_id)
            _write(folder / "audit.json", _audit_trail(session, study_id, sealed))
            _write(folder / "verdict-versions.json", _verdict_versions(session, study_id, freeze, versions, sealed))
            if sealed:
                _write(folder / "sealed.json", _what_is_sealed(session, study_id, sealed))
            elif state_of(session, study_id) == "closed":
                _write(folder / "draws.json", draws_to_check(session, study))
            (folder / audit_head.FILE_NAME).write_text(audit_head.head_file(audit.head(session)), encoding="utf-8")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _events(session: Session, study_id: int) -> list[dict[str, Any]]:
    rows = session.exec(select(StudyEvent).where(StudyEvent.study_id == study_id).order_by(col(StudyEvent.id)))
    return [{"at": row.at.isoformat(), "kind": row.kind, "reason": row.reason} for row in rows]


def _what_is_sealed(session: Session, study_id: int, sealed: frozenset[int]) -> dict[str, Any]:
    following = frozen_facts.phases_of(session, study_id).chosen_by_answers
    what = "verdicts on items of test subjects, details and numbers of events that tell of them, and draws.json"
    return {
        "items": len(sealed),
        "verdicts_left_out": queries.count_verdicts_on(session, sealed, following),
        "not_counted": [phase.key for phase in following],
        "left_out": f"{what}; verdicts in phases that follow from answers, with their events" if following else what,
    }


def _verdict_versions(
    session: Session, study_id: int, freeze: Freeze, versions: Sequence[StudyVersion], sealed: frozenset[int]
) -> list[dict[str, Any]]:
    """Return every verdict, also superseded ones and those on practice items; the report uses only those that stand."""
    numbers = {freeze.sha256: 1} | {row.sha256: row.version for row in versions}
    rows = session.exec(
        select(Verdict, Assignment, Item, Membership)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .join(Item, col(Item.id) == Assignment.item_id)
        .join(Membership, col(Membership.id) == Assignment.membership_id)
        .where(Assignment.study_id == study_id)
        .order_by(col(Verdict.id))
    ).all()
    rows = [row for row in rows if row[1].item_id not in sealed]
    receipts = {verdict.id: verdict.receipt for verdict, *_ in rows}
    superseding = {verdict.supersedes_id: verdict.receipt for verdict, *_ in rows}
    return [
        {
            "item": item.key,
            "member": member.pseudonym,
            "phase": assignment.phase,
            "pass": assignment.pass_number,
            "receipt": verdict.receipt,
            "version": numbers.get(verdict.freeze_sha256, 1),
            "supersedes": receipts.get(verdict.supersedes_id),
            "superseded_by": superseding.get(verdict.id),
            "submitted_at": verdict.submitted_at.isoformat(),
            "fields": verdict.fields,
            "not_assessable": verdict.not_assessable,
            "comment": verdict.comment,
            "active_ms": verdict.active_ms,
            "content_sha256": verdict.content_sha256,
        }
        for verdict, assignment, item, member in rows
    ]


def _audit_trail(session: Session, study_id: int, sealed: frozenset[int]) -> list[dict[str, Any]]:
    """Return the study's events; if items are sealed, without details from which an answer could be guessed.

    An answer's hash can be guessed because there are few possible answers, and later draws and reviews reveal which
    answers differ. Nothing there is numbered or chained either, because gaps would allow sealed rows to be counted: an
    event whose `previous_hash` is not that of the event listed before it says that one is left out there.
    """
    following = frozen_facts.phases_of(session, study_id).chosen_by_answers if sealed else ()
    guarded = _receipts_on(session, study_id, sealed)
    # How many of these a person gave shows how many units follow from what people answered about test subjects.
    uncounted = _receipts_on(session, study_id, sealed, following) if following else frozenset()
    # The same holds for those that could not be shown.
    unlisted = _assignments_on(session, study_id, sealed, following)

    def detail_of(event: AuditEvent) -> dict[str, Any]:
        if not sealed:
            return event.detail
        if event.action in _DRAWN_FROM_ANSWERS or event.detail.get("receipt") in guarded:
            return {"sealed": True}
        # Which seals the rows of an event have is listed by their numbers, and these are given to sealed rows, too.
        return {name: said for name, said in event.detail.items() if name != "rows"}

    rows = session.exec(select(AuditEvent).where(AuditEvent.study_id == study_id).order_by(col(AuditEvent.id)))
    return [
        {
            **({} if sealed else {"id": row.id, "previous_hash": row.previous_hash, "hash": row.hash}),
            "at": row.at.isoformat(),
            "person": row.person_id,
            "action": row.action,
            "detail": detail_of(row),
        }
        for row in rows
        if row.detail.get("receipt") not in uncounted
        and row.detail.get("assignment") not in unlisted
        # Who comes back, or gets a further phase, is dealt to as if new only if nothing was dealt to them before.
        and not (following and row.action == "drawn")
    ]


def _assignments_on(session: Session, study_id: int, items: frozenset[int], phases: Sequence[Phase]) -> frozenset[str]:
    """Return the names that browsers know of the assignments of some phases that are on some items."""
    rows = session.exec(
        select(Assignment.public_id, Assignment.item_id).where(
            Assignment.study_id == study_id, col(Assignment.phase).in_([phase.key for phase in phases])
        )
    )
    return frozenset(public_id for public_id, item_id in rows if item_id in items)


def _receipts_on(
    session: Session, study_id: int, items: frozenset[int], phases: Sequence[Phase] = ()
) -> frozenset[str]:
    """Return the receipts of verdicts and decisions on some items; if phases are given, of verdicts in those only.

    All decisions belong to phases whose items are sent to reviewers after answers.
    """
    if not items:
        return frozenset()
    of_phases = [col(Assignment.phase).in_([phase.key for phase in phases])] if phases else []
    verdicts = session.exec(
        select(Verdict.receipt, Assignment.item_id)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(Assignment.study_id == study_id, *of_phases)
    )
    decisions = session.exec(
        select(Adjudication.receipt, Assignment.item_id)
        .join(ReviewTask, col(ReviewTask.id) == Adjudication.task_id)
        .join(Assignment, col(Assignment.id) == ReviewTask.review_assignment_id)
        .where(Assignment.study_id == study_id)
    )
    return frozenset(receipt for rows in (verdicts, decisions) for receipt, item_id in rows if item_id in items)


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
