"""The candidates of a study by the keys of item and candidate, in little memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from db import Candidate, Item, queries
from db.base import stored_id

# In place of a candidate's id where the study has none.
UNKNOWN = -1
_READ_AT_ONCE = 10_000

Ids = npt.NDArray[np.int64]


class CandidateKeys:
    """The ids of candidates by their keys: about fifty bytes each, where a dictionary takes four hundred.

    A key is looked up by its hash, and compared letter by letter with what has that hash.
    """

    def __init__(self, rows: Iterable[tuple[str, str, int]]) -> None:
        """Take item, candidate and id of each."""
        texts, ends, ids, hashes = bytearray(), array("q", [0]), array("q"), array("q")
        for item, candidate, number in rows:
            text = _text(item, candidate)
            texts += text
            ends.append(len(texts))
            ids.append(number)
            hashes.append(hash(text))
        by_hash = np.argsort(np.frombuffer(hashes, dtype=np.int64)) if hashes else np.empty(0, dtype=np.int64)
        self._texts, self._ends = bytes(texts), np.array(ends, dtype=np.int64)
        self._order, self._ids = by_hash.astype(np.int64), np.array(ids, dtype=np.int64)
        self._hashes = np.array(hashes, dtype=np.int64)[by_hash]

    def __len__(self) -> int:
        return int(self._ids.size)

    def ids_of(self, keys: Sequence[tuple[str, str]]) -> Ids:
        """Return the id of each candidate; `UNKNOWN` where there is none with these keys of item and candidate."""
        ids = np.full(len(keys), UNKNOWN, dtype=np.int64)
        if not len(self):
            return ids
        texts = [_text(*key) for key in keys]
        hashes = np.array([hash(text) for text in texts], dtype=np.int64)
        places = np.searchsorted(self._hashes, hashes)
        candidates = self._order[np.minimum(places, len(self) - 1)]
        starts, ends = self._ends[candidates].tolist(), self._ends[candidates + 1].tolist()
        is_it = np.array([self._texts[a:b] == text for a, b, text in zip(starts, ends, texts, strict=True)], dtype=bool)
        ids[is_it] = self._ids[candidates[is_it]]
        for row in np.flatnonzero(~is_it).tolist():
            ids[row] = self._among_equal(texts[row], int(hashes[row]), int(places[row]))
        return ids

    def _among_equal(self, text: bytes, hashed: int, place: int) -> int:
        """Return the id of a candidate that is behind others with the same hash."""
        while place < len(self) and self._hashes[place] == hashed:
            candidate = int(self._order[place])
            if self._texts[self._ends[candidate] : self._ends[candidate + 1]] == text:
                return int(self._ids[candidate])
            place += 1
        return UNKNOWN


def candidate_keys(session: Session, study_id: int) -> CandidateKeys:
    """Read the keys of all that models answered in a study: judges judge no people."""
    query = (
        select_columns(col(Item.key), col(Candidate.key), col(Candidate.id))
        .join(Item, col(Item.id) == Candidate.item_id)
        .where(col(Candidate.study_id) == study_id, queries.is_of_a_model())
        .execution_options(yield_per=_READ_AT_ONCE)
    )
    return CandidateKeys((item, key, stored_id(number)) for item, key, number in session.connection().execute(query))


def replaced_candidates(session: Session, study_id: int) -> dict[tuple[str, str], str]:
    """Return, by the keys of item and candidate that a version of the study replaced, the key of what came instead."""
    replaced = queries.replaced_keys(session, study_id)
    return {(item, candidate): key for item, candidate, key in replaced if candidate is not None}


def _text(item: str, candidate: str) -> bytes:
    # No key holds the character between the two.
    return f"{item}\0{candidate}".encode()
