"""Judges' verdicts as columns of numbers, and page by page with the judge's own text."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import and_, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from db import Candidate, Item, JudgeVerdict
from protocol.scales import JudgeScale

UNRESOLVED = -1
NOT_JUDGED = -2
# A run can hold two million verdicts, and each explanation up to 20,000 letters.
READ_AT_ONCE = 10_000
PAGE = 1_000

CandidateIds = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class VerdictColumns:
    """A run's verdicts on n candidates, without the judge's text: nine bytes each, seventeen on a scale of numbers.

    Attributes
    ----------
    candidates : ndarray of int64, shape (n,)
        Ids of the candidates, ascending.
    codes : ndarray of int8, shape (n,)
        Place on the run's scale, counted from 0; `UNRESOLVED` if there is an error in place of a verdict. On a scale
        of numbers 0 for every number, and the place of *excluded*, if it has that.
    numbers : ndarray of float64, shape (n,), or None
        On a scale of numbers, the verdict itself; NaN if there is none.
    """

    scale: JudgeScale
    candidates: CandidateIds
    codes: Codes
    numbers: npt.NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return int(self.candidates.size)

    @property
    def errors(self) -> npt.NDArray[np.bool_]:
        """Mask of the verdicts that are an error, shape (n,)."""
        flags: npt.NDArray[np.bool_] = self.codes == UNRESOLVED
        return flags

    @property
    def n_correct(self) -> int:
        """How many candidates the judge counts as correct."""
        return int(np.count_nonzero(self._correct == 1.0))

    @property
    def n_unresolved(self) -> int:
        """How many candidates have an error instead of a verdict."""
        return int(np.count_nonzero(self.errors))

    @property
    def n_incorrect(self) -> int:
        """How many candidates the judge counts as incorrect."""
        return int(np.count_nonzero(self._correct == 0.0))

    @property
    def _correct(self) -> npt.NDArray[np.float64]:
        return _correct(self.scale, self.codes)

    def without(self, candidates: CandidateIds) -> VerdictColumns:
        """Return the columns without the verdicts on some candidates."""
        others = ~np.isin(self.candidates, candidates)
        numbers = None if self.numbers is None else self.numbers[others]
        return VerdictColumns(self.scale, self.candidates[others], self.codes[others], numbers)

    def codes_of(self, candidates: CandidateIds) -> Codes:
        """Return the codes of some candidates; `UNRESOLVED` or `NOT_JUDGED` for those without a verdict."""
        if not len(self):
            return np.full(candidates.shape, NOT_JUDGED, dtype=np.int8)
        places = np.minimum(np.searchsorted(self.candidates, candidates), len(self) - 1)
        return np.where(self.candidates[places] == candidates, self.codes[places], np.int8(NOT_JUDGED))

    def correctness_of(self, candidates: CandidateIds) -> npt.NDArray[np.float64]:
        """Return 1 for each of some candidates that counts as correct, 0 for incorrect, NaN for neither."""
        return _correct(self.scale, self.codes_of(candidates))

    def said_of(self, candidates: CandidateIds) -> list[str | float | None]:
        """Return the verdicts on some candidates: the name of a code, or a number; None if there is no verdict."""
        codes = self.codes_of(candidates)
        if self.numbers is None:
            names = self.scale.names
            return [names[code] if code >= 0 else None for code in codes.tolist()]
        if not len(self):
            return [None] * len(candidates)
        places = np.minimum(np.searchsorted(self.candidates, candidates), len(self) - 1)
        numbers = self.numbers[places].tolist()
        said = zip(numbers, codes.tolist(), strict=True)
        return [number if code == 0 else self.scale.names[code] if code > 0 else None for number, code in said]


def _correct(scale: JudgeScale, codes: Codes) -> npt.NDArray[np.float64]:
    """Return 1 for codes that count as correct, 0 for those that count as incorrect, NaN for all others."""
    if scale.limits is not None:
        return np.full(codes.shape, np.nan)
    neither = [place for place, name in enumerate(scale.names) if name in scale.neither]
    return np.where((codes < 0) | np.isin(codes, neither), np.nan, codes >= scale.correct_from)


class JudgedCandidate(NamedTuple):
    """One verdict as it was imported; `item` is None for a practice item, which no report names."""

    verdict_id: int
    candidate: str
    item: str | None
    model: str
    verdict: str | None
    error: str | None
    explanation: str
    failure: str
    confidence: float | None
    shown_first: str


def verdict_columns(session: Session, scales: Mapping[int, JudgeScale]) -> dict[int, VerdictColumns]:
    """Read the verdicts of some runs, by run id, in a single statement.

    Parameters
    ----------
    scales
        The scale of each run, by run id.

    Raises
    ------
    ValueError
        A verdict is not on the scale of its run.
    """
    read = {run: (array("q"), array("b"), _places(scale)) for run, scale in scales.items()}
    numbers = {run: array("d") for run, scale in scales.items() if scale.limits is not None}
    query = (
        select_columns(col(JudgeVerdict.run_id), col(JudgeVerdict.candidate_id), col(JudgeVerdict.verdict))
        .where(col(JudgeVerdict.run_id).in_(scales))
        .execution_options(yield_per=READ_AT_ONCE)
    )
    for rows in session.connection().execute(query).partitions():
        for run, of_run in groupby(rows, itemgetter(0)):
            candidates, codes, places = read[run]
            _, own, verdicts = zip(*of_run, strict=True)
            candidates.extend(own)
            if run in numbers:
                # Of a code of the scale, such as *excluded*, it is the place; every other verdict is a number.
                codes.extend(places.get(verdict, 0) for verdict in verdicts)
                numbers[run].extend(math.nan if verdict in places else float(verdict) for verdict in verdicts)
                continue
            try:
                codes.extend(map(places.__getitem__, verdicts))
            except KeyError as error:
                raise ValueError(
                    f"the verdict '{error.args[0]}' in run {run} is not on its scale, '{scales[run].key}'"
                ) from None
    return {run: _sorted(scales[run], *columns[:2], numbers.get(run)) for run, columns in read.items()}


def judged_page(session: Session, run_id: int, after: int | None = None, limit: int = PAGE) -> list[JudgedCandidate]:
    """Return the next verdicts of a run with the judge's text, in the order of the imported file.

    Parameters
    ----------
    after
        The `verdict_id` at the end of the previous page; None for the first page.
    """
    verdict_id = col(JudgeVerdict.id)
    first = select_columns(func.min(verdict_id)).where(col(JudgeVerdict.run_id) == run_id).scalar_subquery()
    query = (
        select_columns(
            verdict_id,
            col(Candidate.key),
            col(Item.key),
            col(Candidate.model),
            col(JudgeVerdict.verdict),
            col(JudgeVerdict.error),
            col(JudgeVerdict.explanation),
            col(JudgeVerdict.failure),
            col(JudgeVerdict.confidence),
            col(JudgeVerdict.shown_first),
        )
        .join(Candidate, col(Candidate.id) == JudgeVerdict.candidate_id)
        .join(Item, and_(col(Item.id) == Candidate.item_id, ~col(Item.practice)), isouter=True)
        # A run's verdicts are stored next to each other. With an index on the run, each page would sort all later ones.
        .where(col(JudgeVerdict.run_id) + 0 == run_id, verdict_id >= first if after is None else verdict_id > after)
        .order_by(verdict_id)
        .limit(limit)
    )
    return [JudgedCandidate._make(row) for row in session.connection().execute(query)]


def _places(scale: JudgeScale) -> dict[str | None, int]:
    return {None: UNRESOLVED} | {name: place for place, name in enumerate(scale.names)}


def _sorted(
    scale: JudgeScale, candidates: array[int], codes: array[int], numbers: array[float] | None
) -> VerdictColumns:
    ids = np.array(candidates, dtype=np.int64)
    order = np.argsort(ids)
    own = None if numbers is None else np.array(numbers, dtype=np.float64)[order]
    return VerdictColumns(scale, ids[order], np.array(codes, dtype=np.int8)[order], own)
