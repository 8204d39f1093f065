"""Imports that have not reached the row that publishes them: who is working on one, and what a killed one left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from math import ceil
from typing import Any

from sqlalchemy import bindparam, delete, exists, func, update
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from db import Database, ImportedLabel, JudgeImport, JudgeRun, JudgeVerdict, LabelImport, LabelReservation, now
from services.errors import Conflict, counted

# Extended with each slice, none of which takes a second; after it, the import of a killed process can be taken over.
HELD_FOR = timedelta(seconds=15)
# The duration of a slice; other writers wait for one slice at most.
SECONDS = 0.15
FIRST, FEWEST, MOST = 1_000, 200, 5_000
# Rows stored at once within a slice, and the duration after which a slice stores no more.
STEP, LONGEST_SECONDS = 250, 0.25


@dataclass(frozen=True)
class Kind:
    """A kind of import that is stored slice by slice and becomes visible all at once.

    Attributes
    ----------
    reserves
        The table whose row is stored first: under which key, by whom, and until when.
    publishes, moment
        The table whose row with the same key is stored last and makes everything visible, and its time column.
    rows, under
        The table of the rows stored in between, and its column with that key.
    what, whose
        What one of these rows is called, and whose several of them are.
    at_this_moment
        The sentence about an import in progress, with its name.
    """

    reserves: type[JudgeImport] | type[LabelReservation]
    publishes: type[JudgeRun] | type[LabelImport]
    moment: str
    rows: type[JudgeVerdict] | type[ImportedLabel]
    under: str
    what: str
    whose: str
    at_this_moment: str

    @property
    def key(self) -> Any:
        """The column that says which import a row belongs to."""
        return getattr(self.rows, self.under)

    @property
    def is_published(self) -> Any:
        """Whether an import is complete, as a condition on the table that reserves."""
        return exists().where(col(self.publishes.id) == col(self.reserves.id))

    @property
    def is_in_work(self) -> Any:
        """Whether somebody is working, at a `moment`, on an unfinished import into the study `study_id`."""
        table = self.reserves
        of_study = col(table.study_id) == bindparam("study_id")
        return exists().where(of_study, col(table.expires_at) > bindparam("moment"), ~self.is_published)

    @property
    def are_imported(self) -> str:
        """That such rows are being imported, as the rest of a sentence."""
        return f"{self.what}s {self.whose} are being imported"

    def being_imported(self, name: str) -> Conflict:
        """Return the refusal of a second import at the same time."""
        return Conflict(f"{self.at_this_moment.format(name=name)} at this moment; wait until that has ended.")


VERDICTS = Kind(
    JudgeImport,
    JudgeRun,
    "created_at",
    JudgeVerdict,
    "run_id",
    "verdict",
    "of judges",
    "Run '{name}' is being imported",
)
LABELS = Kind(
    LabelReservation,
    LabelImport,
    "at",
    ImportedLabel,
    "import_id",
    "label",
    "made elsewhere",
    "Labels '{name}' are being imported",
)
KINDS = (VERDICTS, LABELS)


class Pace:
    """The number of rows of the next slice, from the duration of the previous one."""

    def __init__(self) -> None:
        self.rows = FIRST

    def took(self, rows: int, seconds: float) -> None:
        """Note a slice of full length."""
        if rows == self.rows:
            wanted = int(rows * SECONDS / max(seconds, 1e-3))
            # Change by a factor of two at most: one slow moment of a disk should not cause a thousand small slices.
            self.rows = max(FEWEST, min(MOST, max(rows // 2, min(2 * rows, wanted))))


def hold(session: Session, kind: Kind, import_id: int, holder: str) -> None:
    """Record in the caller's transaction that the holder is still working on an import, so that nobody takes it over.

    Raises
    ------
    Conflict
        Somebody else has taken it over because it was inactive for too long.
    """
    table = kind.reserves
    held = (
        update(table)
        .where(col(table.id) == import_id, col(table.holder) == holder, ~kind.is_published)
        .values(expires_at=now() + HELD_FOR)
    )
    if session.connection().execute(held).rowcount != 1:
        raise Conflict(
            f"This import stood still for more than {HELD_FOR.seconds} seconds and was cleaned away; nothing of it is "
            "stored: import again."
        )


def unfinished(session: Session, kind: Kind, study_id: int | None = None) -> list[JudgeImport | LabelReservation]:
    """Return the unpublished imports of a kind, of one study or of all."""
    query = _unfinished(kind, of_study=study_id is not None)
    rows: Sequence[JudgeImport | LabelReservation] = session.execute(query, {"study_id": study_id}).scalars().all()
    return list(rows)


@cache
def _unfinished(kind: Kind, *, of_study: bool) -> Any:
    table = kind.reserves
    query = select(table).where(~kind.is_published).order_by(col(table.id))
    return query.where(table.study_id == bindparam("study_id")) if of_study else query


def count_left(database: Database, kind: Kind) -> int:
    """Return how many rows were left by abandoned imports of a kind."""
    with database.read_only() as session:
        expired = [row.id for row in unfinished(session, kind) if row.expires_at <= now()]
        of_expired = kind.key.in_(expired)
        return session.exec(select(func.count()).select_from(kind.rows).where(of_expired)).one()


def held_in_words(database: Database, kind: Kind) -> str:
    """Return a sentence saying that an unfinished import is left alone for now; empty if there is none."""
    with database.read_only() as session:
        ends = [row.expires_at for row in unfinished(session, kind) if row.expires_at > now()]
    if not ends:
        return ""
    seconds = max(1, ceil((max(ends) - now()).total_seconds()))
    return (
        f"An import of {kind.what}s is running, or was killed and counts as running for {counted(seconds, 'second')} "
        "more: what it has stored is left alone until then."
    )


def clear(
    database: Database, kind: Kind, import_id: int, holder: str, feed: Callable[[int], None] = lambda _: None
) -> int:
    """Delete an import that the holder holds, slice by slice, and return how many of its rows were stored.

    Parameters
    ----------
    feed
        Called with the number of rows deleted.
    """
    cleared, ids, table = 0, col(kind.rows.id), kind.reserves
    pace = Pace()
    while True:
        with database.writing() as session:
            hold(session, kind, import_id, holder)
            begun, rows = now(), pace.rows
            some = select_columns(ids).where(kind.key == import_id).limit(rows)
            gone = session.connection().execute(delete(kind.rows).where(ids.in_(some))).rowcount
            if gone < rows:
                session.connection().execute(delete(table).where(col(table.id) == import_id))
        pace.took(gone, (now() - begun).total_seconds())
        cleared += gone
        feed(cleared)
        if gone < rows:
            return cleared


def clear_what_was_left(
    database: Database,
    kind: Kind,
    holder: str,
    study_id: int | None = None,
    feed: Callable[[int], None] = lambda _: None,
) -> int:
    """Delete what abandoned imports of a kind left, and return how many rows that were.

    Parameters
    ----------
    study_id
        The study to clean; None for all studies.
    """
    with database.read_only() as session:
        left = [(row.id, row.holder) for row in unfinished(session, kind, study_id) if row.expires_at <= now()]
    cleared = 0
    for import_id, before in left:
        if import_id is not None and _taken_over(database, kind, import_id, before, holder):
            cleared += clear(database, kind, import_id, holder, feed)
    return cleared


def _taken_over(database: Database, kind: Kind, import_id: int, before: str, holder: str) -> bool:
    """Take over an import whose holder's time has expired; return whether that succeeded."""
    moment: datetime = now()
    table = kind.reserves
    taken = (
        update(table)
        .where(
            col(table.id) == import_id,
            col(table.holder) == before,
            col(table.expires_at) <= moment,
            ~kind.is_published,
        )
        .values(holder=holder, expires_at=moment + HELD_FOR)
    )
    with database.writing() as session:
        return bool(session.connection().execute(taken).rowcount == 1)
