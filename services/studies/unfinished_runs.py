"""Imports of judges' verdicts that have not come to their run: who works on one, and what a killed one left."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from math import ceil

from sqlalchemy import delete, exists, func, update
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from db import Database, JudgeImport, JudgeRun, JudgeVerdict, now
from services.errors import Conflict, counted

# Prolonged with each slice, of which none takes a second; what a killed process held can be taken over after it.
HELD_FOR = timedelta(seconds=15)
# A slice takes so long; others who want to write wait for one at most.
SECONDS = 0.15
FIRST, FEWEST, MOST = 1_000, 200, 5_000
_PUBLISHED = exists().where(col(JudgeRun.id) == JudgeImport.id)


class Pace:
    """How many rows the next slice has, by how long the one before took."""

    def __init__(self) -> None:
        self.rows = FIRST

    def took(self, rows: int, seconds: float) -> None:
        """Note a slice of full length."""
        if rows == self.rows:
            wanted = int(rows * SECONDS / max(seconds, 1e-3))
            # One slow moment of a disk is no reason for a thousand small slices, nor a fast one for a huge slice.
            self.rows = max(FEWEST, min(MOST, max(rows // 2, min(2 * rows, wanted))))


def hold(session: Session, import_id: int, holder: str) -> None:
    """Say, within the caller's transaction, that the holder still works on an import; nobody takes it over meanwhile.

    Raises
    ------
    Conflict
        Somebody else has taken it over, since nothing was heard of it for too long.
    """
    held = (
        update(JudgeImport)
        .where(col(JudgeImport.id) == import_id, col(JudgeImport.holder) == holder, ~_PUBLISHED)
        .values(expires_at=now() + HELD_FOR)
    )
    if session.connection().execute(held).rowcount != 1:
        raise Conflict(
            f"This import stood still for more than {HELD_FOR.seconds} seconds and was cleaned away; nothing of it is "
            "stored: import again."
        )


def unfinished(session: Session, study_id: int | None = None) -> list[JudgeImport]:
    """Return the imports that have no run, of a study or of all."""
    of_study = () if study_id is None else (JudgeImport.study_id == study_id,)
    query = select(JudgeImport).where(~_PUBLISHED, *of_study).order_by(col(JudgeImport.id))
    return list(session.exec(query))


def count_left(database: Database) -> int:
    """Return how many verdicts imports left on which nobody works any more."""
    with database.read_only() as session:
        expired = [row.id for row in unfinished(session) if row.expires_at <= now()]
        of_expired = col(JudgeVerdict.run_id).in_(expired)
        return session.exec(select(func.count()).select_from(JudgeVerdict).where(of_expired)).one()


def held_in_words(database: Database) -> str:
    """Return that an import is unfinished which is left alone for now, as a sentence; empty where there is none."""
    with database.read_only() as session:
        ends = [row.expires_at for row in unfinished(session) if row.expires_at > now()]
    if not ends:
        return ""
    seconds = max(1, ceil((max(ends) - now()).total_seconds()))
    return (
        f"An import of verdicts is running, or was killed and counts as running for {counted(seconds, 'second')} more: "
        "what it has stored is left alone until then."
    )


def clear(database: Database, import_id: int, holder: str, feed: Callable[[int], None] = lambda _: None) -> int:
    """Clean away an import that the holder holds, slice by slice, and return how many verdicts of it were stored.

    Parameters
    ----------
    feed
        Is told how many are gone.
    """
    cleared = 0
    pace = Pace()
    while True:
        with database.writing() as session:
            hold(session, import_id, holder)
            begun, rows = now(), pace.rows
            some = select_columns(col(JudgeVerdict.id)).where(col(JudgeVerdict.run_id) == import_id).limit(rows)
            gone = session.connection().execute(delete(JudgeVerdict).where(col(JudgeVerdict.id).in_(some))).rowcount
            if gone < rows:
                session.connection().execute(delete(JudgeImport).where(col(JudgeImport.id) == import_id))
        pace.took(gone, (now() - begun).total_seconds())
        cleared += gone
        feed(cleared)
        if gone < rows:
            return cleared


def clear_what_was_left(
    database: Database, holder: str, study_id: int | None = None, feed: Callable[[int], None] = lambda _: None
) -> int:
    """Clean away what imports left on which nobody works any more, and return how many verdicts that were.

    Parameters
    ----------
    study_id
        In which study; None for all.
    """
    with database.read_only() as session:
        left = [(row.id, row.holder) for row in unfinished(session, study_id) if row.expires_at <= now()]
    cleared = 0
    for import_id, before in left:
        if import_id is not None and _taken_over(database, import_id, before, holder):
            cleared += clear(database, import_id, holder, feed)
    return cleared


def _taken_over(database: Database, import_id: int, before: str, holder: str) -> bool:
    """Whether the holder now holds an import that had expired in the hands of another."""
    moment: datetime = now()
    taken = (
        update(JudgeImport)
        .where(
            col(JudgeImport.id) == import_id,
            col(JudgeImport.holder) == before,
            col(JudgeImport.expires_at) <= moment,
            ~_PUBLISHED,
        )
        .values(holder=holder, expires_at=moment + HELD_FOR)
    )
    with database.writing() as session:
        return bool(session.connection().execute(taken).rowcount == 1)
