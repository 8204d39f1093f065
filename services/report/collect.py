"""Read everything that the report rests on, once, into plain long-format rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from db import (
    Adjudication,
    Assignment,
    Candidate,
    Case,
    Flag,
    Freeze,
    FreezeItem,
    Item,
    JudgeRun,
    JudgeVerdict,
    Membership,
    ProtocolRecord,
    Reference,
    ReviewTask,
    Study,
    StudyEvent,
    TechnicalFailure,
    Verdict,
)
from db.base import stored_id
from exchange.judge_verdicts import CORRECT, INCORRECT
from exchange.protocol import Protocol

FIRST_PASS = 1


@dataclass(frozen=True)
class ReadItem:
    """An item of the freeze with what counts as right; `subject` is its cluster."""

    id: int
    key: str
    subject: str
    category: str
    format: str
    grounding: str
    prompt: str
    options: tuple[tuple[str, str], ...]
    accepted: tuple[str, ...]
    low: float | None
    high: float | None
    reference_version: int
    text_only_answer: str

    @property
    def is_closed(self) -> bool:
        """Whether the answer is one of given options."""
        return self.format in ("yes_no", "choice")

    @property
    def has_reference(self) -> bool:
        """Whether anything counts as right."""
        return bool(self.accepted) or self.low is not None or self.high is not None


@dataclass(frozen=True)
class Member:
    """Somebody who reads or reviews, by pseudonym."""

    id: int
    pseudonym: str
    specialty: str
    years: int | None


@dataclass(frozen=True)
class Entry:
    """One assignment and what became of it: the standing verdict, a technical failure, or nothing.

    `answer` is what was stored in the field `answer`, None where there is none; `reason` says in words why it could not
    be assessed.
    """

    assignment_id: int
    member_id: int
    item_id: int
    candidate_id: int | None
    phase: str
    pass_number: int
    position: int
    status: str
    verdict_id: int | None = None
    answer: Any = None
    fields: tuple[tuple[str, Any], ...] = ()
    not_assessable: str | None = None
    reason: str = ""
    comment: str = ""
    revisions: int = 0
    flags: tuple[tuple[str, str], ...] = ()
    failure: str = ""
    shown_at: datetime | None = None
    submitted_at: datetime | None = None
    active_ms: int | None = None
    idle_ms: int | None = None
    load_ms: int | None = None
    renderer: str = ""
    viewport: str = ""
    receipt: str = ""


@dataclass(frozen=True)
class Review:
    """One item in a reviewer's queue, with the reviewer's own read and decision where they exist."""

    item_id: int
    reviewer_id: int
    origin: str
    first_read: Entry | None
    decided: bool
    answer: Any
    not_assessable: str | None
    reason: str
    opinions: tuple[int, ...]
    submitted_at: datetime | None


@dataclass(frozen=True)
class CandidateAnswer:
    """A model's answer; `probability` is its chance of being in the sample that raters mark, None when it is not."""

    id: int
    key: str
    item_id: int
    model: str
    answer: str
    probability: float | None


@dataclass(frozen=True)
class Judgement:
    """What a judge said about one candidate: correct (True), incorrect (False), or nothing, with the error."""

    correct: bool | None
    error: str
    explanation: str


@dataclass(frozen=True)
class Run:
    """One pass of a judge over the candidates, by candidate id."""

    name: str
    judge: str
    source_sha256: str
    verdicts: dict[int, Judgement]


@dataclass(frozen=True)
class Event:
    """Something that happened to the study as a whole."""

    kind: str
    reason: str
    at: datetime


@dataclass(frozen=True)
class Collected:
    """Everything that the report rests on."""

    study_key: str
    title: str
    simulated_readers: bool
    protocol: Protocol
    protocol_sha256: str
    freeze_sha256: str
    freeze_method: str
    frozen_at: datetime
    events: tuple[Event, ...]
    items: tuple[ReadItem, ...]
    raters: tuple[Member, ...]
    reviewers: tuple[Member, ...]
    entries: tuple[Entry, ...]
    reviews: tuple[Review, ...]
    candidates: tuple[CandidateAnswer, ...]
    runs: tuple[Run, ...]

    def entries_of(self, phase: str) -> list[Entry]:
        """Return the entries of one phase, first pass only."""
        return [entry for entry in self.entries if entry.phase == phase and entry.pass_number == FIRST_PASS]

    def marked_correct(self, entry: Entry) -> bool | None:
        """Return what a rater's mark on a candidate says: True, False, or None where it says neither."""
        said = str(entry.answer).lower() if entry.answer is not None else ""
        return True if said in CORRECT else False if said in INCORRECT else None


def hold_one_snapshot(session: Session) -> None:
    """Let everything that the session reads be of one moment; to be called before it reads anything.

    SQLite does so by itself; PostgreSQL shows each statement what was committed before it, unless asked.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})


def collect(session: Session, study: Study) -> Collected:
    """Read a frozen study; the number of queries does not depend on its size."""
    study_id = stored_id(study.id)
    freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id)).one()
    record = session.get_one(ProtocolRecord, study_id)
    members = session.exec(select(Membership).where(Membership.study_id == study_id).order_by(col(Membership.id))).all()
    frozen = session.exec(select(FreezeItem).where(FreezeItem.freeze_id == freeze.id)).all()
    protocol = Protocol.model_validate_json(record.canonical_json)
    entries = _entries(session, study_id, {option.id: option.text for option in protocol.reading.not_assessable})
    return Collected(
        study_key=study.key,
        title=study.title,
        simulated_readers=study.simulated_readers,
        protocol=protocol,
        protocol_sha256=record.sha256,
        freeze_sha256=freeze.sha256,
        freeze_method=freeze.method,
        frozen_at=freeze.created_at,
        events=tuple(
            Event(event.kind, event.reason, event.at)
            for event in session.exec(
                select(StudyEvent).where(StudyEvent.study_id == study_id).order_by(col(StudyEvent.id))
            )
        ),
        items=_items(session, study_id, {one.item_id for one in frozen if one.candidate_id is None}),
        raters=_members(members, "rater"),
        reviewers=_members(members, "reviewer"),
        entries=entries,
        reviews=_reviews(session, study_id, entries),
        candidates=_candidates(
            session,
            study_id,
            {one.candidate_id: one.inclusion_probability for one in frozen if one.candidate_id is not None},
        ),
        runs=_runs(session, study_id),
    )


def newest_rows(session: Session, study_id: int) -> list[int | None]:
    """Return the highest key in each table that the report reads: rows are only ever added, so these tell a change."""
    of_study = Assignment.study_id == study_id
    queries = (
        select(func.max(StudyEvent.id)).where(StudyEvent.study_id == study_id),
        select(func.max(Membership.id)).where(Membership.study_id == study_id),
        select(func.max(Assignment.id)).where(of_study),
        select(func.max(Verdict.id)).join(Assignment, col(Assignment.id) == Verdict.assignment_id).where(of_study),
        select(func.max(TechnicalFailure.id))
        .join(Assignment, col(Assignment.id) == TechnicalFailure.assignment_id)
        .where(of_study),
        select(func.max(Adjudication.id))
        .join(Verdict, col(Verdict.id) == Adjudication.first_read_id)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(of_study),
        select(func.max(Reference.id)).join(Item, col(Item.id) == Reference.item_id).where(Item.study_id == study_id),
        select(func.max(JudgeVerdict.id))
        .join(JudgeRun, col(JudgeRun.id) == JudgeVerdict.run_id)
        .where(JudgeRun.study_id == study_id),
    )
    return [session.exec(query).one() for query in queries]


def _members(rows: Any, role: str) -> tuple[Member, ...]:
    return tuple(Member(stored_id(row.id), row.pseudonym, row.specialty, row.years) for row in rows if row.role == role)


def _items(session: Session, study_id: int, frozen: set[int]) -> tuple[ReadItem, ...]:
    rows = session.exec(
        select(Item, Case.subject)
        .join(Case, col(Case.id) == Item.case_id)
        .where(Item.study_id == study_id)
        .order_by(col(Item.id))
    ).all()
    # In order of their versions, so that the newest one stays.
    references = {
        reference.item_id: reference
        for reference in session.exec(
            select(Reference)
            .join(Item, col(Item.id) == Reference.item_id)
            .where(Item.study_id == study_id)
            .order_by(col(Reference.version))
        )
    }
    return tuple(
        _item(item, subject, references.get(stored_id(item.id))) for item, subject in rows if item.id in frozen
    )


def _item(item: Item, subject: str, reference: Reference | None) -> ReadItem:
    return ReadItem(
        id=stored_id(item.id),
        key=item.key,
        subject=subject,
        category=item.category,
        format=item.format,
        grounding=item.grounding,
        prompt=item.prompt,
        options=tuple((option["id"], option["text"]) for option in item.options),
        accepted=tuple(reference.accepted) if reference else (),
        low=reference.low if reference else None,
        high=reference.high if reference else None,
        reference_version=reference.version if reference else 0,
        text_only_answer=reference.text_only_answer if reference else "",
    )


def _entries(session: Session, study_id: int, reasons: dict[str, str]) -> tuple[Entry, ...]:
    in_study = Assignment.study_id == study_id
    verdicts: dict[int, Verdict] = {}
    revisions: Counter[int] = Counter()
    # In order of submission: a revision comes after what it supersedes, so the standing verdict stays.
    for verdict in session.exec(
        select(Verdict)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(in_study)
        .order_by(col(Verdict.id))
    ):
        verdicts[verdict.assignment_id] = verdict
        revisions[verdict.assignment_id] += 1
    flags: dict[int, list[tuple[str, str]]] = {}
    for flag, assignment_id in session.exec(
        select(Flag, Assignment.id)
        .join(Verdict, col(Verdict.id) == Flag.verdict_id)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(in_study)
        .order_by(col(Flag.id))
    ):
        flags.setdefault(stored_id(assignment_id), []).append((flag.kind, flag.note))
    failures = {
        failure.assignment_id: failure.reason
        for failure in session.exec(
            select(TechnicalFailure)
            .join(Assignment, col(Assignment.id) == TechnicalFailure.assignment_id)
            .where(in_study)
        )
    }
    entries = []
    for assignment in session.exec(select(Assignment).where(in_study).order_by(col(Assignment.id))):
        key = stored_id(assignment.id)
        standing, failure = verdicts.get(key), failures.get(key)
        entries.append(_entry(assignment, standing, revisions[key] - 1, flags.get(key, []), failure, reasons))
    return tuple(entries)


def _entry(
    assignment: Assignment,
    verdict: Verdict | None,
    revisions: int,
    flags: list[tuple[str, str]],
    failure: str | None,
    reasons: dict[str, str],
) -> Entry:
    place: dict[str, Any] = {
        "assignment_id": stored_id(assignment.id),
        "member_id": assignment.membership_id,
        "item_id": assignment.item_id,
        "candidate_id": assignment.candidate_id,
        "phase": assignment.phase,
        "pass_number": assignment.pass_number,
        "position": assignment.position,
    }
    if verdict is None:
        status = "missing" if failure is None else "technical_failure"
        return Entry(**place, status=status, failure=failure or "")
    return Entry(
        **place,
        status="answered" if verdict.not_assessable is None else "not_assessable",
        verdict_id=verdict.id,
        answer=verdict.fields.get("answer") if verdict.not_assessable is None else None,
        fields=tuple(verdict.fields.items()),
        not_assessable=verdict.not_assessable,
        reason=reasons.get(verdict.not_assessable or "", verdict.not_assessable or ""),
        comment=verdict.comment,
        revisions=revisions,
        flags=tuple(flags),
        shown_at=verdict.shown_at,
        submitted_at=verdict.submitted_at,
        active_ms=verdict.active_ms,
        idle_ms=verdict.idle_ms,
        load_ms=verdict.load_ms,
        renderer=verdict.renderer,
        viewport=verdict.viewport,
        receipt=verdict.receipt,
    )


def _reviews(session: Session, study_id: int, entries: tuple[Entry, ...]) -> tuple[Review, ...]:
    by_assignment = {entry.assignment_id: entry for entry in entries}
    tasks = session.exec(
        select(ReviewTask, Adjudication)
        .join(Assignment, col(Assignment.id) == ReviewTask.review_assignment_id)
        .join(Adjudication, col(Adjudication.task_id) == ReviewTask.id, isouter=True)
        .where(Assignment.study_id == study_id)
        .order_by(col(ReviewTask.id))
    ).all()
    reviews = []
    for task, decision in tasks:
        read = by_assignment[task.review_assignment_id]
        reviews.append(
            Review(
                item_id=read.item_id,
                reviewer_id=read.member_id,
                origin=task.origin,
                first_read=read if read.verdict_id is not None else None,
                decided=decision is not None,
                answer=decision.decision.get("answer") if decision is not None else None,
                not_assessable=decision.not_assessable if decision is not None else None,
                reason=decision.reason if decision is not None else "",
                opinions=tuple(decision.opinions_shown if decision is not None else task.opinion_order),
                submitted_at=decision.submitted_at if decision is not None else None,
            )
        )
    return tuple(reviews)


def _candidates(session: Session, study_id: int, probabilities: dict[int, float]) -> tuple[CandidateAnswer, ...]:
    return tuple(
        CandidateAnswer(
            stored_id(row.id), row.key, row.item_id, row.model, row.answer, probabilities.get(stored_id(row.id))
        )
        for row in session.exec(select(Candidate).where(Candidate.study_id == study_id).order_by(col(Candidate.id)))
    )


def _runs(session: Session, study_id: int) -> tuple[Run, ...]:
    verdicts: dict[int, dict[int, Judgement]] = {}
    for row in session.exec(
        select(JudgeVerdict)
        .join(JudgeRun, col(JudgeRun.id) == JudgeVerdict.run_id)
        .where(JudgeRun.study_id == study_id)
        .order_by(col(JudgeVerdict.id))
    ):
        correct = None if row.verdict is None else row.verdict == "correct"
        verdicts.setdefault(row.run_id, {})[row.candidate_id] = Judgement(correct, row.error or "", row.explanation)
    return tuple(
        Run(run.name, run.judge, run.source_sha256, verdicts.get(stored_id(run.id), {}))
        for run in session.exec(select(JudgeRun).where(JudgeRun.study_id == study_id).order_by(col(JudgeRun.id)))
    )
