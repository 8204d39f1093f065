"""What raters read about their practice: its rule, their attempts, and feedback on each answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from types import MappingProxyType

from sqlmodel import Session

from db import Assignment, Reference, Verdict, queries
from db.base import stored_id
from db.queries import ShownItem
from protocol.fields.pixels import WITH_SCALE, Places
from protocol.language.things import fields_of_reference
from protocol.phases import Phase, Queue
from protocol.sections import Practice
from protocol.study_phases import StudyPhases
from protocol.visibility import Progress, may_see
from services.errors import counted
from services.reading import blinding, references_in_words, shown_items, words_in_payloads
from services.reading.answer_key import options_of
from services.reading.payloads import AheadPayload, FeedbackPayload, Line
from services.reading.places import places_in_references
from services.reading.practice import results_of
from services.reading.practice_scoring import practised_answer, practised_fields
from services.reading.practised import IS_RIGHT
from services.studies.drawing.item_references import references_of

NOTHING_ANSWERED: Mapping[str, bool | None] = MappingProxyType({})


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


def _attempt(rule: Practice | None, pass_number: int) -> str:
    """Return which attempt a pass is, out of how many, and whether it is the last."""
    if rule is None or rule.attempts is None:
        return f"attempt {pass_number}"
    if pass_number > rule.attempts:
        return f"attempt {pass_number}, an extra one and the last"
    return f"attempt {pass_number} of {rule.attempts}{', the last' if pass_number == rule.attempts else ''}"


def _tells_what_is_right(phases: StudyPhases, training: Phase) -> bool:
    """Return whether feedback says of every answer whether it is right."""
    rules = phases.rules_of(training)
    forms = rules.forms if rules.fields is None else [""]
    return _gives_feedback(phases, training) and all(_tells_primary(phases, training, form) for form in forms)


def feedback_on(session: Session, phases: StudyPhases, assignment: Assignment) -> FeedbackPayload | None:
    """Return what a rater learns from their practice verdict: whether it is right, what counts as right, and why."""
    training, item = phases.named(assignment.phase), shown_items.item_of(session, assignment)
    if not _gives_feedback(phases, training):
        return None
    verdict = queries.root_verdict(session, stored_id(assignment.id))
    reference = queries.reference_of_practice_item(session, item.item_id)
    # Whether an answer is right reveals what the reference is, or is not.
    asks = verdict is not None and _tells_primary(phases, training, item.form)
    right = _right_fields(session, phases, training, item, reference, verdict)
    places = places_in_references(session, assignment.study_id, item, phases, phases.rules_of(training))
    said = _said(phases, training, item, reference, places)
    judged = [right.get(part.answers) for part in said] if _names_fields(said) else []
    return blinding.feedback_payload(
        IS_RIGHT[practised_answer(session, phases, training, item.item_id, verdict)]
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


def _gives_feedback(phases: StudyPhases, training: Phase) -> bool:
    rule = phases.rules_of(training).practice
    released = rule is not None and rule.feedback
    return may_see(training.role, training, "feedback", Progress(answered=True, released=released))


def _right_fields(
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
    of_fields = practised_fields(session, phases, training, item, reference, verdict)
    return {field: IS_RIGHT[answer] for field, answer in of_fields.items()}
