"""Store the verdicts of a run slice by slice, so that nobody who writes meanwhile waits for all of them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlmodel import Session

from db import Database, JudgeImport, JudgeRun, JudgeVerdict, insert_with_keys, new_public_id, now
from db.base import stored_id
from exchange.judge_verdicts import JudgeRow
from services.errors import Conflict
from services.judging.candidate_keys import UNKNOWN
from services.judging.placed_rows import PlacedRows, in_parts
from services.seals import proofs
from services.studies import unfinished_runs

# How far it has come: done, of how much, and what is done.
Progress = Callable[[int, int, str], None]
_ASK_AGAIN_SECONDS = 0.25


def unheard(done: int, total: int, text: str) -> None:
    """Tell nobody how far it has come."""


class Slices:
    """An import that this process holds: its verdicts so far, of which nobody sees any before there is its run.

    Attributes
    ----------
    id
        The key that its run will have.
    cleared
        How many verdicts of earlier imports, which did not come to their end, were cleaned away before.
    """

    def __init__(self, database: Database, import_id: int, holder: str, cleared: int) -> None:
        self.id, self.cleared = import_id, cleared
        self._database, self._holder = database, holder
        self._seal = proofs.SealInParts(JudgeVerdict)

    def store(self, rows: Iterable[JudgeRow], placed: PlacedRows, feed: Callable[[int], None]) -> None:
        """Store the rows that have a candidate, in the order of the file."""
        pace, done = unfinished_runs.Pace(), 0
        for part in in_parts(rows, lambda: pace.rows):
            ids = placed.ids[done : done + len(part)].tolist()
            values = [
                _values(self.id, candidate, row)
                for candidate, row in zip(ids, part, strict=True)
                if candidate != UNKNOWN
            ]
            with self._database.writing() as session:
                begun = time.perf_counter()
                self.hold(session)
                keys = insert_with_keys(session, JudgeVerdict, values)
            pace.took(len(part), time.perf_counter() - begun)
            self._seal.add(keys, values)
            done += len(part)
            feed(done)
        if done != placed.ids.size:
            raise ValueError(f"{done} rows were stored of {placed.ids.size} that were checked")

    def hold(self, session: Session) -> None:
        """Say within a writing transaction that this import goes on.

        Raises
        ------
        Conflict
            It was cleaned away meanwhile, since nothing was heard of it for too long.
        """
        unfinished_runs.hold(session, self.id, self._holder)

    def sealed_with(self, run: JudgeRun) -> proofs.Seals:
        """Return the seals on the run and all its verdicts."""
        return proofs.sealed([run]) | self._seal.seals


@contextmanager
def importing(
    database: Database,
    study_id: int,
    name: str,
    require: Callable[[Session], object],
    progress: Progress,
) -> Iterator[Slices]:
    """Reserve the key of a run; where the block does not come to its end, all that was stored is cleaned away.

    Parameters
    ----------
    require
        Refuses, within the transaction that reserves, what cannot be imported now.

    Raises
    ------
    Conflict
        A run of this name is being imported at this moment.
    """
    holder = new_public_id()
    cleared = _cleared_first(database, study_id, name, holder, progress)
    with database.writing() as session:
        require(session)
        if any(other.name == name for other in unfinished_runs.unfinished(session, study_id)):
            raise _at_this_moment(name)
        reserved = JudgeImport(study_id=study_id, name=name, holder=holder, expires_at=now() + unfinished_runs.HELD_FOR)
        session.add(reserved)
        session.flush()
        import_id = stored_id(reserved.id)
    try:
        yield Slices(database, import_id, holder, cleared)
    except BaseException:
        # Whatever ended it is what is said; the next import cleans away what could not be cleaned away now.
        with contextlib.suppress(Exception):
            unfinished_runs.clear(database, import_id, holder)
        raise


def _cleared_first(database: Database, study_id: int, name: str, holder: str, progress: Progress) -> int:
    """Clean away what earlier imports left; wait for one of the same run until it moves or counts as dead."""

    def feed(gone: int) -> None:
        progress(0, 1, f"Cleaning away what an import left: {gone:,} verdicts")

    first = _expiry_of(database, study_id, name)
    seen = first
    while seen is not None and seen > now():
        if seen != first:
            raise _at_this_moment(name)
        progress(0, 1, "Waiting for an earlier import of this run")
        time.sleep(_ASK_AGAIN_SECONDS)
        seen = _expiry_of(database, study_id, name)
    return unfinished_runs.clear_what_was_left(database, holder, study_id, feed)


def _expiry_of(database: Database, study_id: int, name: str) -> Any:
    with database.read_only() as session:
        return next((row.expires_at for row in unfinished_runs.unfinished(session, study_id) if row.name == name), None)


def _at_this_moment(name: str) -> Conflict:
    return Conflict(f"Run '{name}' is being imported at this moment; wait until that has ended.")


def _values(import_id: int, candidate: int, row: JudgeRow) -> dict[str, Any]:
    return {
        "run_id": import_id,
        "candidate_id": candidate,
        "verdict": row.verdict,
        "error": row.error,
        "explanation": row.explanation,
        "failure": row.failure or "",
        "confidence": row.confidence,
    }
