"""Verify that a frozen study is unchanged: manifest, volumes, every row, guards and audit chain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from sqlalchemy import bindparam, or_
from sqlmodel import Session, col, select

from db import (
    Adjudication,
    Assignment,
    AuditEvent,
    Database,
    Flag,
    Freeze,
    Item,
    Reference,
    ReviewTask,
    Study,
    Verdict,
    audit,
)
from db.base import stored_id
from db.migrate import altered_schema
from db.readable import columns_of, damage, readable_rows
from db.standing import STANDS
from services.errors import NotFound, Refused, Unavailable
from services.people.identity import Actor
from services.people.permission import require_role, study_of
from services.reading.answers import Answers
from services.record.checking import ROWS, read_or_report, sentences_of, unreadable
from services.record.row_checks import remarks, row_problems
from services.seals.audit_head import head_in
from services.seals.order import ANSWERED
from services.studies.freeze.manifest import sha256_of
from services.studies.freeze.thawing import THAWED
from services.studies.versions import stored
from services.studies.volumes import volume_integrity

FROZEN = "study frozen"
REMOVALS = ("demo removed", "study removed")
# Queries made by each verification, built once.
_STUDY: Any = bindparam("study_id")
_ID: Any = select(Study.id).where(Study.key == bindparam("key"))
_SALT: Any = select(Study.salt).where(Study.id == _STUDY)
_MARKED: Any = select(Study.id).where(Study.id == _STUDY, col(Study.removed_at).is_not(None))
_FREEZE: Any = select(Freeze.id).where(Freeze.study_id == _STUDY, *STANDS)
_MANIFEST: Any = select(Freeze.manifest_json, Freeze.sha256).where(Freeze.study_id == _STUDY, *STANDS)
_RENEWED: Any = (
    select(Item.key)
    .join(Reference, col(Reference.item_id) == Item.id)
    .where(Item.study_id == _STUDY, Reference.version > 1)
    .order_by(col(Item.key))
    .distinct()
)
_OF_ANSWERS = columns_of(AuditEvent, "id", "detail").where(
    AuditEvent.study_id == _STUDY,
    or_(*(col(AuditEvent.action) == name for name in ANSWERED)),
)
_OF_STUDY = select(Assignment.id).where(Assignment.study_id == _STUDY)
_VERDICTS = columns_of(Verdict, "id", "receipt", "fields", "not_assessable", "comment").where(
    col(Verdict.assignment_id).in_(_OF_STUDY)
)
_FLAGS = columns_of(Flag, "id", "verdict_id", "kind", "note").where(
    col(Flag.verdict_id).in_(select(Verdict.id).where(col(Verdict.assignment_id).in_(_OF_STUDY)))
)
_DECISIONS = columns_of(Adjudication, "id", "receipt", "decision", "not_assessable", "reason").where(
    col(Adjudication.task_id).in_(select(ReviewTask.id).where(col(ReviewTask.opinions_assignment_id).in_(_OF_STUDY)))
)
ALL_HOLDS = "No problems found: protocol, items, volumes, candidates, references, rows and audit chain are intact."


def verify_study(database: Database, study_key: str, audit_head: str | None = None, *, files: bool = True) -> list[str]:
    """Recompute a study's manifest, the seals on all its rows, and the audit chain.

    Parameters
    ----------
    audit_head
        A head of the audit chain stored elsewhere, as in a backup: only it shows whether the end was cut off.
    files
        Whether to read the prepared files too; if not, only the contents of the database are verified.

    Returns
    -------
    list of str
        One sentence per problem or unreadable part; empty if everything is intact.
    """
    with database.read_only() as session:
        study_id, problems = _read_by_key(session, study_key)
    return problems if study_id is None else verify_stored_study(database, study_id, audit_head, files=files)


def _read_by_key(session: Session, study_key: str) -> tuple[int | None, list[str]]:
    """Return a study's id, or the sentence that the studies cannot be read; an unknown key is refused."""
    try:
        with session.begin_nested():
            return id_to_verify(session, study_key), []
    except (Refused, Unavailable):
        raise
    except Exception as error:  # noqa: BLE001  anybody who can write the file can put anything into it
        return None, [unreadable("The studies", error)]


def verify_stored_study(
    database: Database, study_id: int, audit_head: str | None = None, *, files: bool = True
) -> list[str]:
    """Verify a study by its id, because its key may be what cannot be read; see `verify_study`."""
    head = head_in(audit_head) if audit_head is not None else None
    with database.read_only() as session:
        frozen, problems = read_or_report(session, ROWS, lambda: is_frozen(session, study_id))
        if frozen is False:
            key = session.exec(select(Study.key).where(Study.id == study_id)).first()
            raise NotFound(f"Study '{key}' is not frozen, so there is nothing to verify.")
        salt, unread = read_or_report(session, ROWS, lambda: _salt(session, study_id))
        problems += unread
        # Only what the row checks need: the rest of the study's row may be unreadable.
        study = Study(id=study_id, key="", title="", salt=salt or "")
        checks: list[Callable[[], Iterable[str]]] = [
            lambda: _removal_problems(session, study_id),
            lambda: _freeze_problems(session, study_id),
            lambda: volume_integrity.problems_of_files(database, session, study_id) if files else [],
            lambda: _reference_problems(session, study_id),
            lambda: _verdict_problems(session, study_id),
            lambda: row_problems(session, study),
            lambda: altered_schema(session.connection()),
            lambda: damage(session.connection()),
            lambda: (
                f"Audit event {event_id} does not match the hash chain." for event_id in audit.broken_links(session)
            ),
            lambda: _head_problems(session, head),
        ]
        for check in checks:
            problems += sentences_of(session, ROWS, check)
        return list(dict.fromkeys(problems))


def id_to_verify(session: Session, study_key: str) -> int:
    """Return the id of a study by its key, even if its row was marked as removed outside the program."""
    study_id: int | None = session.exec(_ID, params={"key": study_key}).first()
    if study_id is not None and not was_removed(session, study_id):
        return study_id
    return stored_id(study_of(session, study_key).id)


def was_removed(session: Session, study_id: int) -> bool:
    """Return whether the program removed a study, according to the audit chain; False if the chain is unreadable."""
    try:
        with session.begin_nested():
            return _has_event(session, study_id, *REMOVALS)
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001  the checks of the chain report that it cannot be read
        return False


def is_frozen(session: Session, study_id: int) -> bool:
    """Return whether a freeze of a study stands or, according to the audit chain, should stand."""
    if session.exec(_FREEZE, params={"study_id": study_id}).first() is not None:
        return True
    # The chain counts too, so that a freeze deleted or thawed outside the program does not go unnoticed.
    of_freezes = select(AuditEvent.action).where(
        AuditEvent.study_id == study_id, col(AuditEvent.action).in_((FROZEN, THAWED))
    )
    return session.exec(of_freezes.order_by(col(AuditEvent.id).desc()).limit(1)).first() == FROZEN


def _salt(session: Session, study_id: int) -> str | None:
    salt: str | None = session.exec(_SALT, params={"study_id": study_id}).first()
    return salt


def _has_event(session: Session, study_id: int, *actions: str) -> bool:
    return session.exec(_events_of(actions), params={"study_id": study_id}).first() is not None


@cache
def _events_of(actions: tuple[str, ...]) -> Any:
    has_one = or_(*(col(AuditEvent.action) == action for action in actions))
    return select(AuditEvent.id).where(AuditEvent.study_id == _STUDY, has_one).limit(1)


def _removal_problems(session: Session, study_id: int) -> list[str]:
    marked = session.exec(_MARKED, params={"study_id": study_id}).first()
    if marked is None or was_removed(session, study_id):
        return []
    return ["The study was marked as removed outside the program: no audit event recorded it."]


def _freeze_problems(session: Session, study_id: int) -> Iterator[str]:
    freeze = session.exec(_MANIFEST, params={"study_id": study_id}).first()
    if freeze is None:
        yield "The freeze is gone, though the audit chain says that the study was frozen."
        return
    study = session.get_one(Study, study_id)
    for name, sha256, manifest, again in stored.manifests_again(session, study, (freeze[0], freeze[1])):
        of_version = "" if name == stored.FIRST else f" of {name}"
        if sha256_of(manifest) != sha256:
            yield f"The stored manifest{of_version} does not have the SHA-256 that was frozen with it."
        if again is None:
            yield f"The stored manifest{of_version} has a format that this release does not know."
            continue
        yield from _differences(manifest, again, name)
    yield from stored.problems_of_order(session, study_id, freeze[1])


def _reference_problems(session: Session, study_id: int) -> list[str]:
    return [
        f"The reference of item '{key}' was given a new version after the freeze."
        for key in session.exec(_RENEWED, params={"study_id": study_id})
    ]


def _head_problems(session: Session, audit_head: str | None) -> list[str]:
    if audit_head is None or audit.leads_to(session, audit_head):
        return []
    return ["The audit chain does not hold the head that was kept: its end was cut off or replaced."]


def remarks_on(database: Database, study_key: str) -> list[str]:
    """Return notes on a study's proofs and times that are worth knowing but do not indicate tampering."""
    with database.read_only() as session:
        return sentences_of(session, ROWS, lambda: remarks(session, id_to_verify(session, study_key)))


def verify_for_admin(database: Database, actor: Actor, study_key: str) -> list[str]:
    """Verify a study on behalf of one of its admins; see `verify_study`."""
    with database.read_only() as session:
        require_role(session, actor, study_key, "admin")
    return verify_study(database, study_key)


def _differences(frozen: dict[str, Any], current: dict[str, Any], since: str) -> list[str]:
    problems = []
    # An earlier freeze may be verified by a later release of the software.
    for part in sorted((frozen.keys() | current.keys()) - {"software_version"}):
        before, after = frozen.get(part), current.get(part)
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            keys = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
            problems.append(f"Changed since {since}: {part} {', '.join(keys[:5])}.")
        else:
            problems.append(f"Changed since {since}: {part}.")
    return problems


def _verdict_problems(session: Session, study_id: int) -> list[str]:
    """Compare every verdict and decision with the hash that the audit chain holds for its receipt."""
    audited: dict[str, str] = {}
    for _, detail in readable_rows(session, _OF_ANSWERS, AuditEvent.id, study_id=study_id)[0]:
        if isinstance(detail, dict):
            # The first event counts: a later one with the same receipt was added to hide a change.
            audited.setdefault(str(detail.get("receipt")), str(detail.get("content_sha256")))
    there = {**_verdict_hashes(session, study_id), **_decision_hashes(session, study_id)}
    return [
        f"The verdict with receipt {receipt} was changed after it was submitted, or is missing."
        for receipt in sorted(audited.keys() | there.keys(), key=str)
        if audited.get(receipt) != there.get(receipt)
    ]


def _verdict_hashes(session: Session, study_id: int) -> dict[str, str]:
    # Without the flags table no flag can match what was submitted, but all other answers are still compared.
    flag_rows, _ = read_or_report(
        session, "The flags", lambda: readable_rows(session, _FLAGS, Flag.id, study_id=study_id)[0]
    )
    flags = {row.verdict_id: (row.kind, row.note) for row in flag_rows or []}
    return {
        row.receipt: _hash_of(row.fields, row.not_assessable, row.comment, flags.get(row.id))
        for row in readable_rows(session, _VERDICTS, Verdict.id, study_id=study_id)[0]
    }


def _decision_hashes(session: Session, study_id: int) -> dict[str, str]:
    return {
        row.receipt: _hash_of(
            {} if row.not_assessable else {**row.decision, "reason": row.reason}, row.not_assessable, "", None
        )
        for row in readable_rows(session, _DECISIONS, Adjudication.id, study_id=study_id)[0]
    }


def _hash_of(fields: dict[str, Any], not_assessable: str | None, comment: str, flag: tuple[str, str] | None) -> str:
    """Return the hash of some answers; empty if nobody can have submitted such answers."""
    try:
        return Answers(fields, not_assessable, comment, flag).content_sha256()
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return ""
