"""People's answers as candidates among models' answers, and who gave them. Nothing that serves raters may ask who."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, func, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db.asking import ask
from db.base import stored_id
from db.frozen import PooledAnswer, WithdrawnUnit
from db.judging import JudgeRun, JudgeVerdict
from db.people import Membership
from db.reading import Assignment, Verdict
from db.study import Candidate, CandidatePair


@dataclass(frozen=True)
class Author:
    """Who gave an answer in a pool, in which phase and by which verdict; slot is None if they do not fill one."""

    membership_id: int
    group: str
    slot: int | None
    pseudonym: str
    phase: str
    verdict_id: int


def authors_in_pools(session: Session, study_id: int) -> dict[int, Author]:
    """Return the author of each answer that a person gave, by the id of its candidate."""
    rows = session.exec(_AUTHORS, params={"study_id": study_id})
    return {
        candidate: Author(
            stored_id(member.id), member.group_key, member.slot, member.pseudonym, phase, stored_id(verdict)
        )
        for candidate, verdict, phase, member in rows
    }


_AUTHORS: Any = (
    select(PooledAnswer.candidate_id, Verdict.id, Assignment.phase, Membership)
    .join(Verdict, col(Verdict.id) == PooledAnswer.verdict_id)
    .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
    .join(Membership, col(Membership.id) == Assignment.membership_id)
    .where(PooledAnswer.study_id == bindparam("study_id"))
    .order_by(col(PooledAnswer.id))
)


def own_in_pools(session: Session, study_id: int, membership_id: int) -> frozenset[int]:
    """Return the ids of the candidates that were made from a member's own answers."""
    return frozenset(ask(session, _OWN, study_id=study_id, membership_id=membership_id).scalars())


_OWN: Any = (
    select(PooledAnswer.candidate_id)
    .join(Verdict, col(Verdict.id) == PooledAnswer.verdict_id)
    .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
    .where(PooledAnswer.study_id == bindparam("study_id"), Assignment.membership_id == bindparam("membership_id"))
)


def ids_of_pairs(session: Session, study_id: int) -> frozenset[int]:
    """Return the ids of the candidates that stand for two compared answers."""
    return frozenset(ask(session, _PAIRS, study_id=study_id).scalars())


_PAIRS: Any = select(CandidatePair.candidate_id).where(CandidatePair.study_id == bindparam("study_id"))


def answers_compared(session: Session, pair_id: int) -> tuple[str, str]:
    """Return the texts of a pair's two answers, in the order of the tables.

    Parameters
    ----------
    pair_id
        The id of the candidate that stands for both.
    """
    former, other = ask(session, _select_answers_compared(), pair_id=pair_id).one()
    return former, other


@cache
def _select_answers_compared() -> Any:
    first, second = aliased(Candidate), aliased(Candidate)
    return (
        select(first.answer, second.answer)
        .join(CandidatePair, col(CandidatePair.first_id) == first.id)
        .join(second, col(CandidatePair.second_id) == second.id)
        .where(CandidatePair.candidate_id == bindparam("pair_id"))
    )


def keys_compared(session: Session, study_id: int) -> dict[int, tuple[str, str]]:
    """Return the keys of each pair's two answers, in the order of the tables, by the id of the pair's candidate."""
    rows = ask(session, _select_keys_compared(), study_id=study_id)
    return {pair: (former, other) for pair, former, other in rows}


@cache
def _select_keys_compared() -> Any:
    first, second = aliased(Candidate), aliased(Candidate)
    return (
        select(CandidatePair.candidate_id, first.key, second.key)
        .join(first, col(first.id) == CandidatePair.first_id)
        .join(second, col(second.id) == CandidatePair.second_id)
        .where(CandidatePair.study_id == bindparam("study_id"))
    )


def is_of_a_model() -> Any:
    """Return the condition that a candidate is a model's answer: a person's has no model."""
    return col(Candidate.model) != ""


class LinesOfRun(NamedTuple):
    """A judge run's number of lines, how many of them are errors, how many units have no line, and of how many.

    The units are pairs of answers if it judged these.
    """

    lines: int
    errors: int
    missing: int
    units: int
    are_pairs: bool


def count_to_be_judged(session: Session, study_id: int) -> int:
    """Return how many answers of models there are, without those that a version of the study replaced."""
    every, replaced = (ask(session, query, study_id=study_id).scalar_one() for query in (_OF_MODELS, _COUNT_REPLACED))
    return int(every - replaced)


def count_pairs_to_be_judged(session: Session, study_id: int) -> int:
    """Return how many pairs of answers there are, without those that a version of the study replaced."""
    every, replaced = (ask(session, query, study_id=study_id).scalar_one() for query in (_COUNT_PAIRS, _PAIRS_REPLACED))
    return int(every - replaced)


def lines_of_runs(session: Session, study_id: int) -> dict[int, LinesOfRun]:
    """Return the contents of a study's runs, by run id. Takes few statements, however many lines there are.

    The units of a run are all models' answers, or all pairs if it judged pairs.
    """
    of_answers, of_pairs = count_to_be_judged(session, study_id), 0
    of_replaced = dict(ask(session, _LINES_ON_REPLACED, study_id=study_id).all())
    on_pairs: frozenset[int] = frozenset()
    if ids_of_pairs(session, study_id):
        of_pairs = count_pairs_to_be_judged(session, study_id)
        on_pairs = frozenset(ask(session, _RUNS_ON_PAIRS, study_id=study_id).scalars())
        of_replaced |= dict(ask(session, _LINES_ON_REPLACED_PAIRS, study_id=study_id).all())
    runs = {}
    for run, lines, errors in ask(session, _LINES_OF_RUNS, study_id=study_id):
        units = of_pairs if run in on_pairs else of_answers
        missing = units - lines + of_replaced.get(run, 0)
        runs[run] = LinesOfRun(lines, errors, missing, units, run in on_pairs)
    return runs


def _replaced(among: Any) -> Any:
    """Select the ids of those candidates that a version replaced, either alone or together with their item."""
    whole_or_it = or_(col(WithdrawnUnit.candidate_id).is_(None), col(WithdrawnUnit.candidate_id) == Candidate.id)
    return (
        select(Candidate.id)
        .join(WithdrawnUnit, and_(col(WithdrawnUnit.item_id) == Candidate.item_id, whole_or_it))
        .where(Candidate.study_id == bindparam("study_id"), among)
        .distinct()
    )


def _lines_on(candidates: Any) -> Any:
    """Select how many lines each run of a study has on some candidates, leaving out runs that have none."""
    return (
        select(JudgeVerdict.run_id, func.count())
        .join(JudgeRun, col(JudgeRun.id) == JudgeVerdict.run_id)
        .where(JudgeRun.study_id == bindparam("study_id"), col(JudgeVerdict.candidate_id).in_(candidates))
        .group_by(col(JudgeVerdict.run_id))
    )


_IS_PAIR: Any = col(Candidate.id).in_(_PAIRS)
_OF_MODELS: Any = (
    select(func.count()).select_from(Candidate).where(Candidate.study_id == bindparam("study_id"), is_of_a_model())
)
_COUNT_PAIRS: Any = select(func.count()).select_from(_PAIRS.subquery())
_COUNT_REPLACED: Any = select(func.count()).select_from(_replaced(is_of_a_model()).subquery())
_PAIRS_REPLACED: Any = select(func.count()).select_from(_replaced(_IS_PAIR).subquery())
_LINES_OF_RUNS: Any = (
    # A line has an error if and only if it has no verdict.
    select(JudgeRun.id, func.count(col(JudgeVerdict.id)), func.count(col(JudgeVerdict.error)))
    .join(JudgeVerdict, col(JudgeVerdict.run_id) == JudgeRun.id, isouter=True)
    .where(JudgeRun.study_id == bindparam("study_id"))
    .group_by(col(JudgeRun.id))
)
_LINES_ON_REPLACED: Any = _lines_on(_replaced(is_of_a_model()))
_LINES_ON_REPLACED_PAIRS: Any = _lines_on(_replaced(_IS_PAIR))
_RUNS_ON_PAIRS: Any = (
    select(JudgeVerdict.run_id)
    .join(JudgeRun, col(JudgeRun.id) == JudgeVerdict.run_id)
    .join(CandidatePair, col(CandidatePair.candidate_id) == JudgeVerdict.candidate_id)
    .where(JudgeRun.study_id == bindparam("study_id"))
    .distinct()
)
