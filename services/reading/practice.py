"""Practice before the real items: scored by the program, repeated until passed, with feedback if the protocol says so.

Nothing here reads the reference of a real item, and nothing of practice enters a statistic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any

from sqlalchemy import Integer, bindparam, cast, func
from sqlmodel import Session, col, select

from db import (
    Assignment,
    Database,
    Item,
    Membership,
    Person,
    PracticeResult,
    Reference,
    TechnicalFailure,
    Verdict,
    audit,
    queries,
)
from db.asking import ask
from db.base import stored_id
from db.queries import ShownItem
from db.standing import STILL_MEMBER
from protocol.fields.abstention import is_undetermined
from protocol.fields.pixels import WITH_SCALE, Places
from protocol.forms import PRIMARY
from protocol.language.things import fields_of_reference
from protocol.phases import Phase, Queue
from protocol.sections import Practice
from protocol.study_phases import StudyPhases
from protocol.visibility import Progress, may_see
from services.errors import Conflict, NotFound, counted
from services.people.identity import Actor
from services.people.logins import canonical_login
from services.people.permission import require_role
from services.reading import blinding, field_keys, references_in_words, shown_items, words_in_payloads
from services.reading.answer_key import answer_key, options_of
from services.reading.correctness import score
from services.reading.payloads import AheadPayload, FeedbackPayload, Line
from services.reading.places import places_in_references
from services.reading.practised import IS_RIGHT, Practised, as_practised, counts, is_enough, of_field
from services.seals import proofs
from services.studies import frozen_facts
from services.studies.dealing import assigning
from services.studies.drawing.item_references import references_of

FAILED = "The practice was not passed"
NOTHING_ANSWERED: Mapping[str, bool | None] = MappingProxyType({})


def state_of_practice(session: Session, training: Phase, membership_id: int) -> str:
    """Return `passed`, `open` (practice items are waiting) or `failed` (all attempts are used up)."""
    results = results_of(session, membership_id)
    if any(result.passed for result in results):
        return "passed"
    waiting = queries.has_open(session, membership_id, (training,))
    return "open" if waiting or not results else "failed"


def has_passed(session: Session, membership_id: int) -> bool:
    """Return whether any of a rater's passes was good enough to open the real items."""
    return ask(session, _PASSED, membership_id=membership_id).first() is not None


_PASSED: Any = select(PracticeResult.id).where(
    PracticeResult.membership_id == bindparam("membership_id"), col(PracticeResult.passed)
)


def has_failed(session: Session, training: Phase | None, membership_id: int) -> bool:
    """Return whether a rater has used up their attempts at a practice; False if there is no practice."""
    return training is not None and state_of_practice(session, training, membership_id) == "failed"


def who_has_failed(session: Session, phases: StudyPhases, study_id: int) -> set[int]:
    """Return the memberships for which `has_failed` is true; the number of queries does not grow with the raters."""
    if not phases.trainings:
        return set()
    best = (
        select(PracticeResult.membership_id, func.max(cast(PracticeResult.passed, Integer)))
        .join(Membership, col(Membership.id) == PracticeResult.membership_id)
        .where(Membership.study_id == study_id)
        .group_by(col(PracticeResult.membership_id))
    )
    without_success = {membership_id for membership_id, passed in session.exec(best) if not passed}
    return without_success.difference(
        *(queries.members_with_open(session, study_id, training) for training in phases.trainings)
    )


def who_has_not_passed(session: Session, phases: StudyPhases, study_id: int) -> set[int]:
    """Return the raters for whom the items are closed; the number of queries does not grow with the raters."""
    if phases.training is None:
        return set()
    raters = select(Membership.id).where(Membership.study_id == study_id, Membership.role == "rater")
    passed = select(PracticeResult.membership_id).where(col(PracticeResult.passed))
    return {stored_id(rater) for rater in session.exec(raters.where(~col(Membership.id).in_(passed)))}


def progress_of_pass(session: Session, training: Phase, membership_id: int) -> tuple[int, int]:
    """Return how many items of the rater's current practice pass are closed, and how many there are."""
    return queries.count_assignments(
        session, membership_id, (training,), pass_number=_newest_pass(session, training, membership_id)
    )


def results_of(session: Session, membership_id: int) -> list[PracticeResult]:
    """Return how a rater's passes ended, oldest first."""
    return list(session.exec(_RESULTS, params={"membership_id": membership_id}))


_RESULTS: Any = (
    select(PracticeResult)
    .where(PracticeResult.membership_id == bindparam("membership_id"))
    .order_by(col(PracticeResult.pass_number))
)


def end_pass_if_done(session: Session, phases: StudyPhases, assignment: Assignment) -> None:
    """Store the result of a pass whose last item was just closed, and deal the next pass if it was not enough."""
    training = phases.named(assignment.phase)
    rule = phases.rules_of(training).practice
    membership_id, pass_number = assignment.membership_id, assignment.pass_number
    session.flush()
    if rule is None or queries.has_open(session, membership_id, (training,)):
        return
    answers = _answers_of_pass(session, phases, training, membership_id, pass_number)
    passed = is_enough(answers, rule.pass_mark)
    correct, judged = counts(answers)
    result = PracticeResult(
        membership_id=membership_id, pass_number=pass_number, correct=correct, judged=judged, passed=passed
    )
    session.add(result)
    session.flush()
    audit.record(session, "practice ended", study_id=assignment.study_id, rows=proofs.sealed([result]))
    if not passed and (rule.attempts is None or pass_number < rule.attempts):
        rater = session.get_one(Membership, membership_id)
        assigning.assign_practice(session, assignment.study_id, rater, phases, training, pass_number + 1)
        session.flush()


def rule_in_words(phases: StudyPhases, queue: Queue) -> str:
    """Return the pass mark and the number of attempts of the practice in a queue; empty if it has no mark."""
    training = next((phase for phase in phases.in_queue(queue) if phase.trains), None)
    rule = None if training is None else phases.rules_of(training).practice
    if rule is None or not rule.pass_mark:
        return ""
    times = "as many attempts as you need" if rule.attempts is None else counted(rule.attempts, "attempt")
    return f"The practice is passed with {100 * rule.pass_mark:g} % of its answers right; you have {times}."


def notice_of_pass(phases: StudyPhases, assignment: Assignment) -> str | None:
    """Return the line above the practice items from the second pass on."""
    phase = phases.named(assignment.phase)
    if not phase.trains or assignment.pass_number == 1:
        return None
    return f"Repeated practice: {_attempt(phases.rules_of(phase).practice, assignment.pass_number)}."


def next_attempt(session: Session, phases: StudyPhases, assignment: Assignment, total: int) -> AheadPayload | None:
    """Return what precedes another attempt: its number, and how the last one ended, as far as told; None without."""
    training = phases.named(assignment.phase)
    rule = phases.rules_of(training).practice
    if rule is None or assignment.pass_number == 1:
        return None
    attempt, mark = _attempt(rule, assignment.pass_number), f"{100 * rule.pass_mark:g} %"
    last = results_of(session, assignment.membership_id)[-1]
    message = f"Attempt {last.pass_number} did not reach the pass mark of {mark}; the items are repeated."
    if _tells_what_is_right(phases, training):
        message = f"In attempt {last.pass_number} you had {last.correct} of {last.judged} right; {mark} are needed."
        if not last.judged:
            message = f"In attempt {last.pass_number} none of your answers was an accepted one; the items are repeated."
    button = f"Practise {counted(total, 'item')} again"
    return blinding.ahead_payload(attempt[0].upper() + attempt[1:], message, button, "")


def end_in_words(session: Session, phases: StudyPhases, queue: Queue, membership_id: int) -> str:
    """Return how many answers of the last attempt were right, if its feedback told so; empty otherwise."""
    training, results = phases.training_for(queue), results_of(session, membership_id)
    if training is None or not results or not results[-1].judged or not _tells_what_is_right(phases, training):
        return ""
    return f"You had {results[-1].correct} of {results[-1].judged} right. "


def _gives_feedback(phases: StudyPhases, training: Phase) -> bool:
    rule = phases.rules_of(training).practice
    released = rule is not None and rule.feedback
    return may_see(training.role, training, "feedback", Progress(answered=True, released=released))


def _tells_what_is_right(phases: StudyPhases, training: Phase) -> bool:
    """Return whether feedback says of every answer whether it is right."""
    rules = phases.rules_of(training)
    forms = rules.forms if rules.fields is None else [""]
    return _gives_feedback(phases, training) and all(_tells_primary(phases, training, form) for form in forms)


def _attempt(rule: Practice | None, pass_number: int) -> str:
    """Return which attempt a pass is, out of how many, and whether it is the last."""
    if rule is None or rule.attempts is None:
        return f"attempt {pass_number}"
    if pass_number > rule.attempts:
        return f"attempt {pass_number}, an extra one and the last"
    return f"attempt {pass_number} of {rule.attempts}{', the last' if pass_number == rule.attempts else ''}"


def feedback_on(session: Session, phases: StudyPhases, assignment: Assignment) -> FeedbackPayload | None:
    """Return what a rater learns from their practice verdict: whether it is right, what counts as right, and why."""
    training, item = phases.named(assignment.phase), shown_items.item_of(session, assignment)
    if not _gives_feedback(phases, training):
        return None
    verdict = queries.root_verdict(session, stored_id(assignment.id))
    reference = queries.reference_of_practice_item(session, item.item_id)
    # Whether an answer is right reveals what the reference is, or is not.
    asks = verdict is not None and _tells_primary(phases, training, item.form)
    right = _results(session, phases, training, item, reference, verdict)
    places = places_in_references(session, assignment.study_id, item, phases, phases.rules_of(training))
    said = _said(phases, training, item, reference, places)
    judged = [right.get(part.answers) for part in said] if _names_fields(said) else []
    return blinding.feedback_payload(
        IS_RIGHT[_practised(session, phases, training, item.item_id, verdict)]
        if asks and verdict is not None
        else None,
        told_after(phases, training, item, reference, right, places),
        [is_right for is_right in judged if is_right is not None],
    )


def told_after(
    phases: StudyPhases,
    training: Phase,
    item: ShownItem,
    reference: Reference,
    right: Mapping[str, bool | None] = NOTHING_ANSWERED,
    places: Places = WITH_SCALE,
) -> list[Line]:
    """Return the feedback on a practice item's answer, as labels and texts: what counts as right, and why.

    Parameters
    ----------
    right
        Which fields of an answer are right, by field key.
    places
        What the item's panes show; a place is described in terms of them.
    """
    named = _told(phases, training)
    explanation = reference.explanation if "explanation" in named else ""
    if not training.listed:
        primary = phases.rules_of(training).primary_of(item.form)
        texts = dict(options_of(item, primary))
        said_of_it = shown_items.texts_of_reference(primary, texts, reference, places)
        return words_in_payloads.feedback_lines(said_of_it, explanation)
    said = _said(phases, training, item, reference, places)
    if not _names_fields(said):
        return words_in_payloads.feedback_lines([way for part in said for way in part.ways], explanation)
    return words_in_payloads.feedback_lines_of_fields(
        [(part.label, part.ways, right.get(part.answers)) for part in said],
        explanation,
        counts=_what_counts(phases, training, item, said),
    )


def _what_counts(
    phases: StudyPhases, training: Phase, item: ShownItem, said: Sequence[references_in_words.InWords]
) -> str:
    """Return the label of the field that decides whether an answer is right, if feedback is about others, too."""
    rules = phases.rules_of(training)
    compared = rules.compared_in(item.form)
    labels = [part.label for part in said if part.answers == compared]
    return labels[0] if labels and len(said) > 1 and rules.needs_reference else ""


def _said(
    phases: StudyPhases, training: Phase, item: ShownItem, reference: Reference, places: Places
) -> list[references_in_words.InWords]:
    """Return the fields whose reference is shown after an answer, in a study that lists its phases."""
    named = _told(phases, training) if training.listed else frozenset()
    return [
        part
        for part in references_in_words.in_fields(phases, item, references_of(reference), places=places)
        if "reference" in named or part.answers in fields_of_reference(named)
    ]


def _names_fields(said: Sequence[references_in_words.InWords]) -> bool:
    return any(part.field for part in said)


def _told(phases: StudyPhases, training: Phase) -> Set[str]:
    return phases.rules_of(training).tells_after if training.listed else {"reference", "explanation"}


def _tells_primary(phases: StudyPhases, training: Phase, form: str) -> bool:
    named = _told(phases, training)
    return "reference" in named or phases.rules_of(training).compared_in(form) in fields_of_reference(named)


def _results(
    session: Session,
    phases: StudyPhases,
    training: Phase,
    item: ShownItem,
    reference: Reference,
    verdict: Verdict | None,
) -> dict[str, bool | None]:
    """Return which fields of a practice verdict are right, by field key; empty if it was not assessable."""
    if verdict is None or verdict.not_assessable is not None or not training.listed or training.kind != "items":
        return {}
    of_fields = _of_fields(session, phases, training, item, reference, verdict)
    return {field: IS_RIGHT[answer] for field, answer in of_fields.items()}


def _of_fields(
    session: Session, phases: StudyPhases, training: Phase, item: ShownItem, reference: Reference, verdict: Verdict
) -> dict[str, Practised]:
    stored = session.get_one(Item, item.item_id)
    keys = field_keys.keys_of_item(phases.rules_of(training), stored, references_of(reference))
    return {result.field: of_field(result) for result in field_keys.results_of(keys, verdict.fields)}


def allow_another_attempt(database: Database, actor: Actor, study_key: str, login: str) -> None:
    """Give a rater who has used up their attempts at the practice one more.

    Raises
    ------
    Conflict
        The person has not used up their attempts.
    """
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        study_id = stored_id(study.id)
        rater = session.exec(
            select(Membership)
            .join(Person)
            .where(
                Membership.study_id == study_id,
                Membership.role == "rater",
                *STILL_MEMBER,
                Person.login == canonical_login(login),
            )
        ).first()
        if rater is None:
            raise NotFound(f"The study has no rater '{login[:120]}'.")
        phases = frozen_facts.phases_of_member(session, rater)
        training = phases.training
        if training is None or not has_failed(session, training, stored_id(rater.id)):
            raise Conflict(f"'{login[:120]}' has not used up their attempts at the practice; nothing was changed.")
        last = results_of(session, stored_id(rater.id))[-1].pass_number
        assigning.assign_practice(session, study_id, rater, phases, training, last + 1)
        audit.record(
            session,
            "another attempt at practice",
            person_id=actor.person_id,
            study_id=study_id,
            member=rater.person_id,
            attempt=last + 1,
        )


def _newest_pass(session: Session, training: Phase, membership_id: int) -> int:
    newest: int | None = ask(session, _NEWEST_PASS, membership_id=membership_id, phase=training.key).scalar_one()
    return newest or 1


_NEWEST_PASS: Any = select(func.max(Assignment.pass_number)).where(
    Assignment.membership_id == bindparam("membership_id"), Assignment.phase == bindparam("phase")
)


def _answers_of_pass(
    session: Session, phases: StudyPhases, training: Phase, membership_id: int, pass_number: int
) -> list[Practised]:
    """Return how each item of a pass was answered; an item that could not be shown counts as wrong."""
    rows = session.exec(
        select(Assignment.item_id, Verdict, TechnicalFailure.id)
        .join(Verdict, col(Verdict.assignment_id) == Assignment.id, isouter=True)
        .join(TechnicalFailure, col(TechnicalFailure.assignment_id) == Assignment.id, isouter=True)
        .where(
            Assignment.membership_id == membership_id,
            Assignment.phase == training.key,
            Assignment.pass_number == pass_number,
        )
        .order_by(col(Assignment.position))
    ).all()
    return [
        "wrong" if verdict is None else _practised(session, phases, training, item_id, verdict)
        for item_id, verdict, _ in rows
    ]


def _practised(session: Session, phases: StudyPhases, training: Phase, item_id: int, verdict: Verdict) -> Practised:
    """Return how a practice verdict fares in the field that is compared."""
    if verdict.not_assessable is not None:
        return "wrong"
    # Practice that shows no reference and has no pass mark may use items without one.
    if training.listed and not phases.rules_of(training).needs_reference:
        return "not_scored"
    reference = queries.reference_of_practice_item(session, item_id)
    if training.listed:
        shown = queries.shown_item(session, item_id)
        is_of_items = training.kind == "items"
        answers = _of_fields(session, phases, training, shown, reference, verdict) if is_of_items else {}
        key = phases.rules_of(training).compared_in(shown.form)
        is_given = verdict.fields.get(key) is not None
        return answers.get(key, "not_scored") if is_given or key not in answers else "wrong"
    item = session.get_one(Item, item_id)
    key_of_item = answer_key(item, phases.rules_of(training).primary_of(item.form), reference)
    answer = verdict.fields.get(PRIMARY)
    if answer is None or is_undetermined(answer):
        return "wrong"
    return as_practised(key_of_item, score(key_of_item, answer).correct, is_given=True)
