"""Store the rows of an import slice by slice, so that nobody who writes meanwhile waits for all of them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any

from sqlmodel import Session

from db import Database, JudgeRun, LabelImport, audit, insert_with_keys, new_public_id, now
from db.base import stored_id
from services.errors import counted
from services.seals import proofs
from services.studies import unfinished_imports
from services.studies.unfinished_imports import Kind

# How far it has come: done, of how much, and what is done.
Progress = Callable[[int, int, str], None]
_ASK_AGAIN_SECONDS = 0.25


def unheard(done: int, total: int, text: str) -> None:
    """Tell nobody how far it has come."""


def cleared_in_words(cleared: int, kind: Kind) -> str:
    """Return the sentence on rows that an earlier import left; nothing where it left none."""
    if not cleared:
        return ""
    return (
        f" An earlier import had not come to its end: the {counted(cleared, kind.what)} that it left were cleaned "
        "away, and this one started clean."
    )


class Slices:
    """An import that this process holds: its rows so far, of which nobody sees any before there is what publishes them.

    Attributes
    ----------
    id
        The key that the row which publishes them will have.
    cleared
        How many rows of earlier imports, which did not come to their end, were cleaned away before.
    """

    def __init__(self, database: Database, kind: Kind, import_id: int, holder: str, cleared: int) -> None:
        self.id, self.cleared = import_id, cleared
        self._database, self._kind, self._holder = database, kind, holder
        self._seal = proofs.SealInParts(kind.rows)

    def store(self, lines: Iterable[Mapping[str, Any] | None], feed: Callable[[int], None]) -> None:
        """Store the values of the lines of a file in their order, but for the key; None is of a line that is left out.

        Parameters
        ----------
        feed
            Is told how many lines were gone through.
        """
        pace, done, waiting = unfinished_imports.Pace(), 0, iter(lines)
        while part := list(islice(waiting, pace.rows)):
            values = [{self._kind.under: self.id, **line} for line in part if line is not None]
            stored, took = self._stored(values)
            pace.took(len(part), took)
            while stored < len(values):
                stored += self._stored(values[stored:])[0]
            done += len(part)
            feed(done)

    def _stored(self, values: list[dict[str, Any]]) -> tuple[int, float]:
        """Store the first of some rows in a transaction of its own; return how many, and how long it took.

        It ends where a slice has to, whatever was expected: a machine can become slow from one moment to the next.
        """
        keys: list[int] = []
        with self._database.writing() as session:
            begun = time.perf_counter()
            self.hold(session)
            for start in range(0, len(values), unfinished_imports.STEP):
                keys += insert_with_keys(session, self._kind.rows, values[start : start + unfinished_imports.STEP])
                if time.perf_counter() - begun > unfinished_imports.LONGEST_SECONDS:
                    break
        took = time.perf_counter() - begun
        self._seal.add(keys, values[: len(keys)])
        return len(keys), took

    def hold(self, session: Session) -> None:
        """Say within a writing transaction that this import goes on.

        Raises
        ------
        Conflict
            It was cleaned away meanwhile, since nothing was heard of it for too long.
        """
        unfinished_imports.hold(session, self._kind, self.id, self._holder)

    def publish(
        self, row: JudgeRun | LabelImport, require: Callable[[Session], object], action: str, **detail: Any
    ) -> None:
        """Store the row that publishes, sealed with all that is stored under its key: now all is seen.

        Parameters
        ----------
        require
            Refuses, within the transaction that publishes, what cannot be imported any more.
        action, detail
            What the audit trail says of it.
        """
        with self._database.writing() as session:
            require(session)
            self.hold(session)
            # What was opened for imports that were there is not open for one that nobody could see yet.
            row.id = self.id
            setattr(row, self._kind.moment, now())
            session.add(row)
            session.flush()
            seals = proofs.sealed([row]) | self._seal.seals
            audit.record(session, action, study_id=row.study_id, **detail, rows=seals)


@contextmanager
def importing(
    database: Database,
    kind: Kind,
    study_id: int,
    name: str,
    require: Callable[[Session], object],
    progress: Progress,
) -> Iterator[Slices]:
    """Reserve the key of an import; where the block does not come to its end, all that was stored is cleaned away.

    Parameters
    ----------
    require
        Refuses, within the transaction that reserves, what cannot be imported now.

    Raises
    ------
    Conflict
        One of this name is being imported at this moment.
    """
    holder = new_public_id()
    cleared = _cleared_first(database, kind, study_id, name, holder, progress)
    with database.writing() as session:
        require(session)
        if any(other.name == name for other in unfinished_imports.unfinished(session, kind, study_id)):
            raise kind.being_imported(name)
        expires_at = now() + unfinished_imports.HELD_FOR
        reserved = kind.reserves(study_id=study_id, name=name, holder=holder, expires_at=expires_at)
        session.add(reserved)
        session.flush()
        import_id = stored_id(reserved.id)
    try:
        yield Slices(database, kind, import_id, holder, cleared)
    except BaseException:
        # The error is the one that ended it; the next import cleans away what could not be cleaned away now.
        with contextlib.suppress(Exception):
            unfinished_imports.clear(database, kind, import_id, holder)
        raise


def _cleared_first(database: Database, kind: Kind, study_id: int, name: str, holder: str, progress: Progress) -> int:
    """Clean away what earlier imports left; wait for one of the same name until it moves or counts as dead."""

    def feed(gone: int) -> None:
        progress(0, 1, f"Cleaning away what an import left: {gone:,} {kind.what}s")

    first = _expiry_of(database, kind, study_id, name)
    seen = first
    while seen is not None and seen > now():
        if seen != first:
            raise kind.being_imported(name)
        progress(0, 1, "Waiting for an earlier import of this name")
        time.sleep(_ASK_AGAIN_SECONDS)
        seen = _expiry_of(database, kind, study_id, name)
    return unfinished_imports.clear_what_was_left(database, kind, holder, study_id, feed)


def _expiry_of(database: Database, kind: Kind, study_id: int, name: str) -> Any:
    with database.read_only() as session:
        left = unfinished_imports.unfinished(session, kind, study_id)
        return next((row.expires_at for row in left if row.name == name), None)
