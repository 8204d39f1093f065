"""Read the candidates of a study, and the judges' verdicts on them as columns."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from sqlalchemy import func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from db import Candidate, JudgeRun, JudgeVerdict
from db.base import stored_id
from protocol.scales import scale_of
from services.judging.verdict_columns import READ_AT_ONCE, CandidateIds, verdict_columns
from services.report.rows.study_rows import CandidateAnswer, Run


def load_candidates(
    session: Session, study_id: int, probabilities: Mapping[int, float], without: frozenset[int]
) -> tuple[CandidateAnswer, ...]:
    """Read the candidates of a study, except those of some items.

    Parameters
    ----------
    probabilities
        Inclusion probabilities in the frozen sample, by candidate.
    without
        Ids of the items to leave out.
    """
    query = (
        select_columns(
            col(Candidate.id), col(Candidate.key), col(Candidate.item_id), col(Candidate.model), col(Candidate.answer)
        )
        .where(col(Candidate.study_id) == study_id)
        .order_by(col(Candidate.id))
        .execution_options(yield_per=READ_AT_ONCE)
    )
    return tuple(
        CandidateAnswer(
            stored_id(candidate_id), key, item_id, model, answer, probabilities.get(stored_id(candidate_id))
        )
        for candidate_id, key, item_id, model, answer in session.connection().execute(query)
        if item_id not in without
    )


def load_runs(
    session: Session, study_id: int, without: frozenset[int], names: Collection[str] | None = None
) -> tuple[Run, ...]:
    """Read the runs of a study: two statements for any number of runs, and one more if items are left out.

    Parameters
    ----------
    without
        Ids of items whose candidates are left out.
    names
        The runs to read; None for all.

    Raises
    ------
    ValueError
        The scale of a run is unknown, or a verdict is not on it.
    """
    every = session.exec(select(JudgeRun).where(JudgeRun.study_id == study_id).order_by(col(JudgeRun.id))).all()
    runs = [run for run in every if names is None or run.name in names]
    verdicts = verdict_columns(session, {stored_id(run.id): scale_of(run.scale) for run in runs})
    if without:
        left_out = _candidates_of(session, study_id, without)
        verdicts = {run_id: columns.without(left_out) for run_id, columns in verdicts.items()}
    return tuple(
        Run(
            stored_id(run.id),
            run.name,
            run.judge,
            run.source_sha256,
            verdicts[stored_id(run.id)],
            str(run.parameters.get("field", "")),
            str(run.parameters.get("model", "")),
            str(run.parameters.get("prompt_version", "")),
            f"{run.created_at:%Y-%m-%d}",
        )
        for run in runs
    )


def _candidates_of(session: Session, study_id: int, items: frozenset[int]) -> CandidateIds:
    """Return the ids of the candidates of some items."""
    query = (
        select_columns(col(Candidate.id), col(Candidate.item_id))
        .where(col(Candidate.study_id) == study_id)
        .execution_options(yield_per=READ_AT_ONCE)
    )
    ids, of_items = array("q"), array("q")
    for rows in session.connection().execute(query).partitions():
        own, item_ids = zip(*rows, strict=True)
        ids.extend(own)
        of_items.extend(item_ids)
    among = np.isin(np.array(of_items, dtype=np.int64), np.array(sorted(items), dtype=np.int64))
    own_ids: CandidateIds = np.array(ids, dtype=np.int64)[among]
    return own_ids


def failures_of(session: Session, runs: Sequence[Run], without: frozenset[int]) -> dict[int, Counter[str]]:
    """Count, for each run, the candidates without a verdict by kind of failure; empty for older runs.

    Parameters
    ----------
    without
        Ids of items whose candidates are not counted.
    """
    query = (
        select_columns(col(JudgeVerdict.run_id), col(JudgeVerdict.failure), col(Candidate.item_id), func.count())
        .join(Candidate, col(Candidate.id) == JudgeVerdict.candidate_id)
        .where(col(JudgeVerdict.run_id).in_([run.id for run in runs]), col(JudgeVerdict.verdict).is_(None))
        .group_by(col(JudgeVerdict.run_id), col(JudgeVerdict.failure), col(Candidate.item_id))
    )
    counts: dict[int, Counter[str]] = {run.id: Counter() for run in runs}
    for run_id, failure, item_id, count in session.connection().execute(query):
        if item_id not in without:
            counts[run_id][failure] += count
    return counts
