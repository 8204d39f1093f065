"""Imports that have not come to the row which publishes them: who works on one, and what a killed one left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from sqlalchemy import delete, exists, func, update
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from db import Database, ImportedLabel, JudgeImport, JudgeRun, JudgeVerdict, LabelImport, LabelReservation, now
from services.errors import Conflict, counted

# Prolonged with each slice, of which none takes a second; what a killed process held can be taken over after it.
HELD_FOR = timedelta(seconds=15)
# A slice takes so long; others who want to write wait for one at most.
SECONDS = 0.15
FIRST, FEWEST, MOST = 1_000, 200, 5_000
# Within a slice so many rows are stored at once, and none more where it has taken so long already.
STEP, LONGEST_SECONDS = 250, 0.25


@dataclass(frozen=True)
class Kind:
    """What comes in slice by slice, and is seen all at once.

    Attributes
    ----------
    reserves
        The table whose row is there first: under which key, by whom, and until when.
    publishes, moment
        The table whose row of the same key comes last, and makes all visible, and its column with when that was.
    rows, under
        The table of what is stored meanwhile, and its column with that key.
    what, whose
        What one of these rows is called, and whose several are.
    at_this_moment
        The sentence on an import that is going on, by its name.
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
        """The column by which rows belong to an import."""
        return getattr(self.rows, self.under)

    @property
    def is_published(self) -> Any:
        """Whether an import has come to its end, as a condition on the table that reserves."""
        return exists().where(col(self.publishes.id) == col(self.reserves.id))

    def is_in_work(self, study_id: int | None) -> Any:
        """Return whether somebody works on an unfinished import into a study, as a condition."""
        table = self.reserves
        return exists().where(col(table.study_id) == study_id, col(table.expires_at) > now(), ~self.is_published)

    @property
    def are_imported(self) -> str:
        """That such rows come in, as the rest of a sentence."""
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
    """How many rows the next slice has, by how long the one before took."""

    def __init__(self) -> None:
        self.rows = FIRST

    def took(self, rows: int, seconds: float) -> None:
        """Note a slice of full length."""
        if rows == self.rows:
            wanted = int(rows * SECONDS / max(seconds, 1e-3))
            # One slow moment of a disk is no reason for a thousand small slices, nor a fast one for a huge slice.
            self.rows = max(FEWEST, min(MOST, max(rows // 2, min(2 * rows, wanted))))


def hold(session: Session, kind: Kind, import_id: int, holder: str) -> None:
    """Say, within the caller's transaction, that the holder still works on an import; nobody takes it over meanwhile.

    Raises
    ------
    Conflict
        Somebody else has taken it over, since nothing was heard of it for too long.
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
    """Return the imports of a kind that are not published, of a study or of all."""
    table = kind.reserves
    of_study = () if study_id is None else (table.study_id == study_id,)
    query = select(table).where(~kind.is_published, *of_study).order_by(col(table.id))
    rows: Sequence[JudgeImport | LabelReservation] = session.execute(query).scalars().all()
    return list(rows)


def count_left(database: Database, kind: Kind) -> int:
    """Return how many rows imports of a kind left on which nobody works any more."""
    with database.read_only() as session:
        expired = [row.id for row in unfinished(session, kind) if row.expires_at <= now()]
        of_expired = kind.key.in_(expired)
        return session.exec(select(func.count()).select_from(kind.rows).where(of_expired)).one()


def held_in_words(database: Database, kind: Kind) -> str:
    """Return that an import is unfinished which is left alone for now, as a sentence; empty where there is none."""
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
    """Clean away an import that the holder holds, slice by slice, and return how many rows of it were stored.

    Parameters
    ----------
    feed
        Is told how many are gone.
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
    """Clean away what imports of a kind left on which nobody works any more, and return how many rows that were.

    Parameters
    ----------
    study_id
        In which study; None for all.
    """
    with database.read_only() as session:
        left = [(row.id, row.holder) for row in unfinished(session, kind, study_id) if row.expires_at <= now()]
    cleared = 0
    for import_id, before in left:
        if import_id is not None and _taken_over(database, kind, import_id, before, holder):
            cleared += clear(database, kind, import_id, holder, feed)
    return cleared


def _taken_over(database: Database, kind: Kind, import_id: int, before: str, holder: str) -> bool:
    """Whether the holder now holds an import that had expired in the hands of another."""
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
