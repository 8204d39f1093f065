"""Every frozen study is verified once a day, file by file and slowly; where it was interrupted, it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from db import AuditEvent, Database, Freeze, Study, Verification, now
from db.base import new_public_id, stored_id
from services.installation import leases
from services.people.identity import Actor
from services.people.permission import require_role
from services.record import verification
from services.studies import damaged_volumes, volume_integrity
from services.studies.volume_integrity import Pace

LEASE = "daily verification"
EVERY = timedelta(days=1)
# Prolonged while files are read; what a killed process held can be taken after it.
HELD_FOR = timedelta(minutes=2)
# A run that was killed reads at most this much of its files again.
KEPT_EVERY_SECONDS = 10.0
# One line of the page each; of thousands of missing files the first ones say enough.
PROBLEMS_KEPT = 100
LONGEST_WAIT = timedelta(hours=1)


class LeaseLost(Exception):
    """Another process has taken over."""


class SlowReading:
    """Lets through at most so many bytes a second, by waiting after each part that was read."""

    def __init__(
        self,
        bytes_per_second: float,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rate = bytes_per_second
        self._sleep = sleep
        self._clock = clock
        self._free_at = clock()

    def __call__(self, count: int) -> None:
        """Wait until `count` bytes more may have been read."""
        # What was not read in an earlier pause is not made up for by a burst.
        self._free_at = max(self._free_at, self._clock()) + count / self._rate
        self._sleep(max(0.0, self._free_at - self._clock()))


def verify_what_is_due(
    database: Database, holder: str, pace: Pace, kept_every: float = KEPT_EVERY_SECONDS
) -> timedelta:
    """Verify every frozen study whose last verification is a day old, unless another process is doing so.

    Returns
    -------
    timedelta
        After how long it is worth asking again.
    """
    if not leases.take(database, LEASE, holder, HELD_FOR):
        return HELD_FOR
    try:
        volume_integrity.fill_unpacked_hashes(database, lambda *_: _hold(database, holder), pace)
        for study_id, key in _studies_due(database):
            _verify(database, study_id, key, holder, pace, kept_every)
    except LeaseLost:
        return HELD_FOR
    leases.give_back(database, LEASE, holder)
    return LONGEST_WAIT


def give_way(database: Database, holder: str) -> None:
    """Let another process go on at once with what this one leaves."""
    leases.give_back(database, LEASE, holder)


def new_holder() -> str:
    """Return a name under which a process holds its lease."""
    return new_public_id()


def _studies_due(database: Database) -> list[tuple[int, str]]:
    with database.reading() as session:
        # By the audit chain: a freeze that was deleted, or a study that was hidden, must not pass unseen.
        of_chain = select(AuditEvent.study_id).where(AuditEvent.action == verification.FROZEN)
        frozen = session.exec(
            select(Study)
            .where(col(Study.id).in_(select(Freeze.study_id)) | col(Study.id).in_(of_chain))
            .order_by(col(Study.id))
        ).all()
        return [
            (stored_id(study.id), study.key)
            for study in frozen
            if not verification.was_removed(session, study) and _is_due(session, stored_id(study.id))
        ]


def _is_due(session: Session, study_id: int) -> bool:
    last = _last_ended(session, study_id)
    return _interrupted(session, study_id) is not None or last is None or last.started_at <= now() - EVERY


def _last_ended(session: Session, study_id: int) -> Verification | None:
    return session.exec(
        select(Verification)
        .where(Verification.study_id == study_id, col(Verification.ended_at).is_not(None))
        .order_by(col(Verification.ended_at).desc())
        .limit(1)
    ).first()


def _interrupted(session: Session, study_id: int) -> Verification | None:
    return session.exec(
        select(Verification).where(Verification.study_id == study_id, col(Verification.ended_at).is_(None)).limit(1)
    ).first()


def _verify(database: Database, study_id: int, key: str, holder: str, pace: Pace, kept_every: float) -> None:
    with database.writing() as session:
        run = _interrupted(session, study_id) or Verification(study_id=study_id)
        session.add(run)
    with database.reading() as session:
        files = volume_integrity.files_of(session, study_id)
    kept_at = time.monotonic()
    problems = list(run.problems)
    for place, file in enumerate(files[run.files_checked :], run.files_checked + 1):
        problem = volume_integrity.problem_of(database, file, pace)
        problems += [problem] if problem is not None else []
        if time.monotonic() - kept_at >= kept_every:
            _hold(database, holder)
            _keep(database, run, place, problems)
            kept_at = time.monotonic()
    _hold(database, holder)
    problems += verification.verify_study(database, key, files=False)
    _keep(database, run, len(files), problems, ended=True)


def _hold(database: Database, holder: str) -> None:
    if not leases.take(database, LEASE, holder, HELD_FOR):
        raise LeaseLost


def _keep(database: Database, run: Verification, files_checked: int, problems: list[str], ended: bool = False) -> None:
    with database.writing() as session:
        row = session.get_one(Verification, run.id)
        row.files_checked = files_checked
        row.problems = _bounded(problems)
        row.ended_at = now() if ended else None
        session.add(row)


def _bounded(problems: list[str]) -> list[str]:
    if len(problems) <= PROBLEMS_KEPT:
        return problems
    return [*problems[:PROBLEMS_KEPT], "There are further problems; 'manage.py verify' names all of them."]


def verify_now(database: Database, actor: Actor, study_key: str) -> list[str]:
    """Verify a study at an admin's word, as the daily verification does, and keep the result beside its own."""
    began = now()
    problems = verification.verify_for_admin(database, actor, study_key)
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        files = len(volume_integrity.files_of(session, study_id))
        session.add(
            Verification(
                study_id=study_id,
                started_at=began,
                ended_at=now(),
                files_checked=files,
                problems=_bounded(problems),
            )
        )
    return problems


@dataclass(frozen=True)
class VerificationState:
    """What a study's admins are told of its verification.

    Attributes
    ----------
    ended_at
        When the last whole verification ended; None while there was none.
    problems
        What it found, one sentence each.
    under_way
        Files that were read and files there are, while another one has not ended.
    damaged_scans
        One sentence per scan that was asked for since and was not what was prepared.
    """

    ended_at: datetime | None
    problems: list[str]
    under_way: tuple[int, int] | None
    damaged_scans: list[str]


def state_of_verification(database: Database, actor: Actor, study_key: str) -> VerificationState:
    """Return how the last verification of a study ended, for its admins."""
    with database.reading() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        ended = _last_ended(session, study_id)
        running = _interrupted(session, study_id)
        files = len(volume_integrity.files_of(session, study_id))
        return VerificationState(
            ended_at=ended.ended_at if ended is not None else None,
            problems=list(ended.problems) if ended is not None else [],
            under_way=(running.files_checked, files) if running is not None else None,
            damaged_scans=[damaged_volumes.sentence(event) for event in damaged_volumes.events_of(session, study_id)],
        )
