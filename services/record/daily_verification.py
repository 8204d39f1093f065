"""Verify every frozen study once a day, file by file and slowly; an interrupted run is resumed where it stopped."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlmodel import Session, col, delete, select

from db import AuditEvent, Database, Freeze, Lease, Verification, now
from db.base import new_public_id, stored_id
from services.errors import Unavailable
from services.installation import leases
from services.people.identity import Actor
from services.people.permission import require_role
from services.record import verification
from services.record.checking import ROWS, read_or_report, sentences_of, unreadable
from services.studies.volumes import damaged_volumes, volume_integrity
from services.studies.volumes.volume_integrity import Pace

_log = logging.getLogger(__name__)
LEASE = "daily verification"
FILES = "The names of the prepared files"
RESULTS = "The results of earlier verifications"
EVERY = timedelta(days=1)
# Renewed while files are read; once it expires, another process can take over from a killed one.
HELD_FOR = timedelta(minutes=2)
# A killed run has to read at most this much of its files again.
SAVE_EVERY_SECONDS = 10.0
# Each problem is one line of the page; of thousands of missing files the first ones are enough.
MOST_PROBLEMS = 100
LONGEST_WAIT = timedelta(hours=1)
AFTER_SILENCE = timedelta(minutes=10)


class LeaseLost(Exception):
    """Another process has taken over."""


class SlowReading:
    """Limit reading to a number of bytes per second by pausing after each part."""

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
        """Wait until `count` more bytes may be read."""
        # Unused allowance from an earlier pause does not allow a burst later.
        self._free_at = max(self._free_at, self._clock()) + count / self._rate
        self._sleep(max(0.0, self._free_at - self._clock()))


def verify_what_is_due(
    database: Database, holder: str, pace: Pace, save_every: float = SAVE_EVERY_SECONDS
) -> timedelta:
    """Verify every frozen study whose last verification is a day old, unless another process is doing so.

    If a study cannot be verified to the end, the reason is stored as its problem and the next study is verified.

    Returns
    -------
    timedelta
        How long to wait before asking again.
    """
    if not leases.take(database, LEASE, holder, HELD_FOR):
        return HELD_FOR
    wait = LONGEST_WAIT
    try:
        _fill_unpacked_hashes(database, holder, pace)
        for study_id in _studies_due(database):
            try:
                _verify(database, study_id, holder, pace, save_every)
            except LeaseLost:
                raise
            except Unavailable:
                _log.warning("the database did not answer while a study was verified", exc_info=True)
                wait = AFTER_SILENCE
            except Exception as error:  # noqa: BLE001  anybody who can write the file can put anything into it
                _log.warning("a study could not be verified to the end", exc_info=True)
                _end_with(database, study_id, unreadable(ROWS, error))
    except LeaseLost:
        return HELD_FOR
    leases.give_back(database, LEASE, holder)
    return wait


def _fill_unpacked_hashes(database: Database, holder: str, pace: Pace) -> None:
    try:
        volume_integrity.fill_unpacked_hashes(database, lambda *_: _hold(database, holder), pace)
    except (LeaseLost, Unavailable):
        raise
    except Exception:  # noqa: BLE001  verifying its study reports what cannot be read
        _log.warning("hashes of unpacked scans could not be made", exc_info=True)


def _end_with(database: Database, study_id: int, problem: str) -> None:
    """End a study's run with the problem that cut it short; if even that fails, the run stays open."""
    try:
        with database.writing() as session:
            run, _ = read_or_report(session, RESULTS, lambda: _interrupted(session, study_id))
            if run is None:
                of_study = col(Verification.study_id) == study_id
                session.exec(delete(Verification).where(of_study, col(Verification.ended_at).is_(None)))
                run = Verification(study_id=study_id)
            run.problems, run.ended_at = _bounded([*run.problems, problem]), now()
            session.add(run)
    except Exception:  # noqa: BLE001  the other studies must still be verified
        _log.warning("the end of a verification could not be kept", exc_info=True)


def give_way(database: Database, holder: str) -> None:
    """Let another process continue at once with the remaining work."""
    leases.give_back(database, LEASE, holder)


def new_holder() -> str:
    """Return a new name under which a process can hold the lease."""
    return new_public_id()


def _studies_due(database: Database) -> list[int]:
    with database.read_only() as session:
        # The chain counts too, so that a deleted freeze or a hidden study does not go unnoticed.
        of_chain = select(AuditEvent.study_id).where(AuditEvent.action == verification.FROZEN)
        study_ids: set[int] = set()
        for query in (select(Freeze.study_id), of_chain):
            # If one of the two cannot be read, the other still tells which studies are frozen.
            ids, _ = read_or_report(session, ROWS, partial(_ids, session, query))
            study_ids |= ids or set()
        return [
            study_id
            for study_id in sorted(study_ids)
            if not verification.was_removed(session, study_id)
            # Whatever cannot be read is left for the verification to report.
            and read_or_report(session, ROWS, partial(verification.is_frozen, session, study_id))[0] is not False
            and _is_due(session, study_id)
        ]


def _ids(session: Session, query: Any) -> set[int]:
    return {study_id for study_id in session.exec(query) if study_id is not None}


def _is_due(session: Session, study_id: int) -> bool:
    last, problems = read_or_report(session, ROWS, lambda: _last_ended(session, study_id))
    open_run, more = read_or_report(session, ROWS, lambda: _interrupted(session, study_id))
    return bool(problems + more) or open_run is not None or last is None or last.started_at <= now() - EVERY


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


def _verify(database: Database, study_id: int, holder: str, pace: Pace, save_every: float) -> None:
    with database.writing() as session:
        run = _interrupted(session, study_id) or Verification(study_id=study_id)
        session.add(run)
    with database.read_only() as session:
        listed, unread = read_or_report(session, FILES, lambda: volume_integrity.files_of(session, study_id))
    files = listed or []
    saved_at = time.monotonic()
    problems = list(run.problems)
    for place, file in enumerate(files[run.files_checked :], run.files_checked + 1):
        problem = volume_integrity.problem_of(database, file, pace)
        problems += [problem] if problem is not None else []
        if time.monotonic() - saved_at >= save_every:
            _hold(database, holder)
            _keep(database, run, place, problems)
            saved_at = time.monotonic()
    _hold(database, holder)
    problems += unread + verification.verify_stored_study(database, study_id, files=False)
    _keep(database, run, len(files), list(dict.fromkeys(problems)), ended=True)


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
    if len(problems) <= MOST_PROBLEMS:
        return problems
    return [*problems[:MOST_PROBLEMS], "There are further problems; 'manage.py verify' names all of them."]


def verify_now(database: Database, actor: Actor, study_key: str) -> list[str]:
    """Verify a study at an admin's request, as the daily verification does, and store the result beside its results."""
    began = now()
    problems = verification.verify_for_admin(database, actor, study_key)
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        session.add(
            Verification(
                study_id=study_id,
                started_at=began,
                ended_at=now(),
                files_checked=_number_of_files(session, study_id),
                problems=_bounded(problems),
            )
        )
    return problems


def _number_of_files(session: Session, study_id: int) -> int:
    files, _ = read_or_report(session, FILES, lambda: volume_integrity.files_of(session, study_id))
    return len(files or [])


@dataclass(frozen=True)
class VerificationState:
    """What a study's admins are shown about its verification.

    Attributes
    ----------
    ended_at
        When the last complete verification ended; None if there was none.
    problems
        What it found, one sentence each; if a later run was interrupted, also that, and what that run had found.
    under_way
        Number of files read, and of all files, while another run is in progress.
    damaged_volumes
        One sentence per scan that has been requested since and was not what was prepared.
    """

    ended_at: datetime | None
    problems: list[str]
    under_way: tuple[int, int] | None
    damaged_volumes: list[str]


def state_of_verification(database: Database, actor: Actor, study_key: str) -> VerificationState:
    """Return, for a study's admins, how its last verification ended; never "all intact" if something is unreadable."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        ended, unread = read_or_report(session, RESULTS, lambda: _last_ended(session, study_id))
        running, unread_run = read_or_report(session, RESULTS, lambda: _interrupted(session, study_id))
        files = _number_of_files(session, study_id)
        problems = unread + unread_run + (list(ended.problems) if ended is not None else [])
        if running is not None and not _is_held(session):
            problems += [_broken_off(running, files), *running.problems]
            running = None
        return VerificationState(
            ended_at=ended.ended_at if ended is not None else None,
            problems=list(dict.fromkeys(problems)),
            under_way=(running.files_checked, files) if running is not None else None,
            damaged_volumes=sentences_of(session, ROWS, lambda: _damaged_volumes(session, study_id)),
        )


def _is_held(session: Session) -> bool:
    """Return whether a process is verifying: the lease of a killed process expires after two minutes."""
    lease = session.get(Lease, LEASE)
    return lease is not None and lease.expires_at > now()


def _broken_off(run: Verification, files: int) -> str:
    return (
        f"The verification that began at {run.started_at:%Y-%m-%d %H:%M} UTC was interrupted after {run.files_checked} "
        f"of {files} files: until one has finished, it is not known whether all is as it was frozen."
    )


def _damaged_volumes(session: Session, study_id: int) -> Iterator[str]:
    for event in damaged_volumes.events_of(session, study_id):
        yield damaged_volumes.sentence(event)
