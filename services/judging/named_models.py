"""Compare a file's own column `model` with the models of the candidates that its lines name.

The column is not ours: some programs write there who answered, others which model judged. Only its values show which
it is: it says who answered if any of them is a model of the study. Case is ignored, unless the study has two models
that differ in nothing else.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from db import Candidate, Database, queries
from db.base import stored_id
from exchange.judge_verdicts import JudgeRow
from exchange.refusal import InputRefused, Problems, shown
from services.judging.candidate_keys import UNKNOWN, Ids
from services.judging.clue_columns import compared

_NAMED = 5
_NAMES_REMEMBERED = 1_000
_READ_AT_ONCE = 10_000


@dataclass(frozen=True, eq=False)
class CandidateModels:
    """The models of candidates by candidate id: 12 bytes each.

    Attributes
    ----------
    ids : ndarray of int64, shape (n,)
        Ascending.
    codes
        The model of each candidate, as its place in `names`.
    names
        Normalised for comparison.
    """

    ids: Ids
    codes: array[int]
    names: Sequence[str]

    def of(self, candidate: int) -> str:
        """Return the model of a candidate."""
        return self.names[self.codes[int(np.searchsorted(self.ids, candidate))]]


def candidate_models(session: Session, study_id: int) -> CandidateModels:
    """Read which model gave each answer in a study."""
    query = (
        select_columns(col(Candidate.id), col(Candidate.model))
        .where(col(Candidate.study_id) == study_id, queries.is_of_a_model())
        .order_by(col(Candidate.id))
        .execution_options(yield_per=_READ_AT_ONCE)
    )
    ids, codes, numbers = array("q"), array("i"), dict[str, int]()
    for candidate, model in session.connection().execute(query):
        ids.append(stored_id(candidate))
        codes.append(numbers.setdefault(compared(model), len(numbers)))
    return CandidateModels(np.array(ids, dtype=np.int64), codes, tuple(numbers))


@dataclass
class NamedModels:
    """What lines say in a column `model`, collected as they are read.

    Parameters
    ----------
    load
        Reads the models of the candidates; called only if a line says anything.
    """

    load: Callable[[], CandidateModels]
    _names_candidates: bool = False
    _said: dict[str, None] = field(default_factory=dict)
    _others: int = 0
    _first: list[str] = field(default_factory=list)

    def look_at(self, rows: Sequence[JudgeRow], ids: Sequence[int]) -> None:
        """Compare some lines with the candidates that they name, given by id."""
        for row, candidate in zip(rows, ids, strict=True):
            if not row.model:
                continue
            said = self._form_of(row.model)
            if len(self._said) < _NAMED:
                self._said.setdefault(row.model)
            self._names_candidates = self._names_candidates or said in self._known
            if candidate == UNKNOWN:
                continue
            own = self._of.of(candidate)
            if self._form_of(own) != said:
                self._others += 1
                if len(self._first) < _NAMED:
                    names = f"'{shown(row.model, 40)}', where the study has '{shown(own, 40)}'"
                    self._first.append(f"{shown(row.item)} + {shown(row.candidate)} ({row.place}: {names})")

    @property
    def unused(self) -> list[str]:
        """The first values in the column, if none of its values is a model of the study; empty otherwise."""
        return [] if self._names_candidates else [shown(said) for said in self._said]

    def note(self, rows: int, file_name: str, problems: Problems) -> None:
        """Add a problem for lines that name a model other than the one that gave the answer."""
        if self._names_candidates and self._others:
            problems.take(
                InputRefused(
                    f"{file_name}: in {self._others} of {rows} lines the column model names a model other than the one "
                    f"that answered, such as {', '.join(self._first)}; correct the keys or the column, or rename the "
                    "column if it names the judge."
                )
            )

    @cached_property
    def _of(self) -> CandidateModels:
        return self.load()

    @cached_property
    def _has_capitals_alone(self) -> bool:
        """Whether two models of the study are told apart by their capitals alone."""
        return len({name.casefold() for name in self._of.names}) < len(self._of.names)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(map(self._form_of, self._of.names))

    @cached_property
    def _form_of(self) -> Callable[[str], str]:
        """Return the form of a name in which it is compared; few names stand in many lines."""
        return lru_cache(_NAMES_REMEMBERED)(
            compared if self._has_capitals_alone else lambda name: compared(name).casefold()
        )


def stored_models(unused: Sequence[str]) -> dict[str, Any]:
    """Return what is stored about a column `model` that names no model of the study; empty if there is none."""
    return {"unused_models": list(unused[:_NAMED])} if unused else {}


def unused_in_words(said: Sequence[str]) -> str:
    """Return the sentence on a column `model` that names no model of the study; empty if there is none."""
    if not said:
        return ""
    return f" Its column model says {', '.join(said)}, which is no model of the study: it was not used."


def models_of(database: Database, study_id: int) -> NamedModels:
    """Return the models of a study's candidates, which are read only if a line names one."""

    def models() -> CandidateModels:
        with database.read_only() as session:
            return candidate_models(session, study_id)

    return NamedModels(models)
