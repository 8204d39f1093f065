"""The candidates of a study by item and candidate key, held in little memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from db import Candidate, Item, queries
from db.base import stored_id

# In place of a candidate's id if the study has no such candidate.
UNKNOWN = -1
_READ_AT_ONCE = 10_000

Ids = npt.NDArray[np.int64]


class CandidateKeys:
    """The ids of candidates by their keys: 24 bytes each, where a dictionary takes four hundred.

    Instead of its keys, each candidate is stored with a 128-bit hash of them, for which no collisions are known.
    """

    def __init__(self, rows: Iterable[tuple[str, str, int]]) -> None:
        """Take the item key, candidate key and id of each candidate."""
        digests, ids = bytearray(), array("q")
        for item, candidate, number in rows:
            digests += _digest(item, candidate)
            ids.append(number)
        halves = _halves(digests)
        order = np.argsort(halves[:, 0])
        self._firsts, self._seconds = halves[order, 0], halves[order, 1]
        self._ids = np.array(ids, dtype=np.int64)[order]

    def __len__(self) -> int:
        return int(self._ids.size)

    def ids_of(self, keys: Sequence[tuple[str, str]]) -> Ids:
        """Return each candidate's id; `UNKNOWN` if there is none with this item and candidate key."""
        ids = np.full(len(keys), UNKNOWN, dtype=np.int64)
        if not len(self):
            return ids
        asked = _halves(b"".join(_digest(*key) for key in keys))
        places = np.minimum(np.searchsorted(self._firsts, asked[:, 0]), len(self) - 1)
        is_alike = self._firsts[places] == asked[:, 0]
        is_it = is_alike & (self._seconds[places] == asked[:, 1])
        ids[is_it] = self._ids[places[is_it]]
        for row in np.flatnonzero(is_alike & ~is_it).tolist():
            ids[row] = self._among_alike(int(asked[row, 0]), int(asked[row, 1]), int(places[row]))
        return ids

    def _among_alike(self, first: int, second: int, place: int) -> int:
        """Return the id of a candidate that comes after others whose hash has the same first half."""
        while place < len(self) and self._firsts[place] == first:
            if self._seconds[place] == second:
                return int(self._ids[place])
            place += 1
        return UNKNOWN


def candidate_keys(session: Session, study_id: int) -> CandidateKeys:
    """Read the keys of all models' answers in a study; judges do not judge people."""
    query = (
        select_columns(col(Item.key), col(Candidate.key), col(Candidate.id))
        .join(Item, col(Item.id) == Candidate.item_id)
        .where(col(Candidate.study_id) == study_id, queries.is_of_a_model())
        .execution_options(yield_per=_READ_AT_ONCE)
    )
    return CandidateKeys((item, key, stored_id(number)) for item, key, number in session.connection().execute(query))


def replaced_candidates(session: Session, study_id: int) -> dict[tuple[str, str], str]:
    """Return, for each item and candidate key that a version of the study replaced, the key of the replacement."""
    replaced = queries.replaced_keys(session, study_id)
    return {(item, candidate): key for item, candidate, key in replaced if candidate is not None}


def _digest(item: str, candidate: str) -> bytes:
    # No key contains the separator.
    return blake2b(f"{item}\0{candidate}".encode(), digest_size=16).digest()


def _halves(digests: bytes | bytearray) -> Ids:
    """Return the first and second half of each hash as numbers, shape (n, 2)."""
    return np.frombuffer(digests, dtype=np.int64).reshape(-1, 2) if digests else np.empty((0, 2), dtype=np.int64)
