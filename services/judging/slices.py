"""Store the rows of an import slice by slice, so that others who write need not wait for all of them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any

from sqlalchemy import bindparam, func
from sqlmodel import Session, select

from db import Database, Freeze, JudgeRun, LabelImport, StudyVersion, audit, insert_with_keys, new_public_id, now
from db.asking import ask
from db.base import stored_id
from services.errors import Conflict, counted
from services.seals import proofs
from services.studies.folders import unfinished_imports
from services.studies.folders.unfinished_imports import Kind

# Called with the progress: done, out of how much, and what is being done.
Progress = Callable[[int, int, str], None]
# What identifies the frozen state of a study: its last freeze and its last version.
AsFrozen = tuple[Any, Any]
_ASK_AGAIN_SECONDS = 0.25


def unheard(done: int, total: int, text: str) -> None:
    """Ignore the progress."""


def cleared_in_words(cleared: int, kind: Kind) -> str:
    """Return the sentence on rows left by an earlier import; empty if there were none."""
    if not cleared:
        return ""
    return (
        f" An earlier import was interrupted: the {counted(cleared, kind.what)} that it left were removed before this "
        "one began."
    )


class Slices:
    """An import held by this process: nobody sees its rows until the row that publishes them is stored.

    Attributes
    ----------
    id
        The key that the publishing row will have.
    cleared
        How many rows of earlier, incomplete imports were cleared first.
    """

    def __init__(self, database: Database, kind: Kind, import_id: int, holder: str, cleared: int) -> None:
        self.id, self.cleared = import_id, cleared
        self._database, self._kind, self._holder = database, kind, holder
        self._seal = proofs.SealInParts(kind.rows)

    def store(self, lines: Iterable[Mapping[str, Any] | None], feed: Callable[[int], None]) -> None:
        """Store the values of a file's lines in order, adding the key; None stands for a line that is left out.

        Parameters
        ----------
        feed
            Called with how many lines have been processed.
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
        """Store the first of some rows in their own transaction; return how many, and how long it took.

        It stops at the time limit of a slice, however many rows were expected: a machine can suddenly become slow.
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
        """Confirm within a writing transaction that this import is still in progress.

        Raises
        ------
        Conflict
            It was cleared in the meantime because nothing had been heard of it for too long.
        """
        unfinished_imports.hold(session, self._kind, self.id, self._holder)

    def publish(
        self, row: JudgeRun | LabelImport, require: Callable[[Session], object], action: str, **detail: Any
    ) -> None:
        """Store the publishing row, sealed together with everything under its key: from now on all of it is visible.

        Parameters
        ----------
        require
            Refuses, within the publishing transaction, an import that is no longer possible.
        action, detail
            What the audit trail records about it.
        """
        with self._database.writing() as session:
            require(session)
            self.hold(session)
            # The moment is now: what was opened for existing imports is not open for one that nobody could see yet.
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
    """Reserve the key of an import; if the block fails, everything that was stored is cleared.

    Parameters
    ----------
    require
        Refuses, within the reserving transaction, an import that is not possible now.

    Raises
    ------
    Conflict
        An import of this name is in progress.
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
        # Raise the original error; if clearing fails now, the next import does it.
        with contextlib.suppress(Exception):
            unfinished_imports.clear(database, kind, import_id, holder)
        raise


def _cleared_first(database: Database, kind: Kind, study_id: int, name: str, holder: str, progress: Progress) -> int:
    """Clear what earlier imports left; wait for one of the same name until it makes progress or counts as dead."""

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


def how_frozen(session: Session, study_id: int) -> AsFrozen:
    """Return what identifies the frozen state of a study: its last freeze and its last version."""
    freeze, version = ask(session, _HOW_FROZEN, study_id=study_id).one()
    return freeze, version


_HOW_FROZEN: Any = select(
    *(
        select(func.max(table.id)).where(table.study_id == bindparam("study_id")).scalar_subquery()
        for table in (Freeze, StudyVersion)
    )
)


def require_as_frozen(session: Session, study_id: int, as_frozen: AsFrozen, while_what: str) -> None:
    """Refuse to store what was checked against another frozen state of the study."""
    if how_frozen(session, study_id) != as_frozen:
        raise Conflict(
            f"The study was changed while {while_what} (thawed, or a version was made); nothing was stored: "
            "import again."
        )
