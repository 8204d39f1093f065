"""The preview for admins: a unit of any phase as a rater will see it, from the same payload builder.

No admin is shown people's answers before the data lock; placeholder texts stand in for them. Nothing in a preview is
stored, and nothing can be submitted.
"""

from __future__ import annotations

from dataclasses import replace

from sqlmodel import Session, col, select

from db import Item, Study, queries
from db.base import stored_id
from db.queries import ShownItem
from protocol.language.things import shows_the_reference
from protocol.phase_rules import PhaseRules
from protocol.phases import PREVIEW_HEADING, Phase
from protocol.study_phases import StudyPhases
from protocol.visibility import Progress, may_see
from services.people.identity import Actor
from services.reading import blinding, previewed_answers, releasing, shown_forms, shown_items
from services.reading.answers import ShownForm
from services.reading.blinding import Desk, Shown
from services.reading.displaying import in_parts, keys_of, notice_of
from services.reading.payloads import AnyItemPayload, ItemPayload, Line
from services.studies import frozen_facts

# For pools that hold only people's answers, and items that no model has answered.
_ANSWER = "No answer yet: an answer from an earlier phase will be shown here."
_SIDES = (
    "No answer yet: the first of two answers will be shown here.",
    "No answer yet: the second of two answers will be shown here.",
)
# These are short enough to be in the cells of the table, as most answers are.
_OWN = "The rater's answer"
# Two are enough to see that opinions are told apart.
_OPINIONS = ("One rater's answer", "Another rater's answer")


def preview_payload(session: Session, actor: Actor, study: Study, phase: Phase, item: Item) -> AnyItemPayload:
    """Return the payload of an item, or of an answer to it, as raters will see it in a phase."""
    of_study = frozen_facts.phases_of(session, stored_id(study.id))
    phases = of_study.of_group(phase.groups[0]) if phase.groups else of_study
    phase = phases.named(phase.key)
    rules = phases.rules_of(phase)
    shown_item = queries.shown_item(session, stored_id(item.id))
    answer = previewed_answers.answer_to_show(session, phase, item) if phase.kind == "candidates" else None
    shown = Shown(
        shown_item,
        queries.shown_volumes(session, shown_item.case_id),
        queries.shown_overlays(session, shown_item.case_id) if shown_item.overlays else [],
        _form(rules, phase, shown_item),
        releasing.lines_of(session, rules, shown_item.item_id, None if answer is None else answer.id),
        _explanation(session, rules, shown_item),
    )
    keys = keys_of(study, actor)
    desk = _desk(session, phases, phase, shown_item, key=keys.idempotency_key(f"preview-{item.id}"))
    desk = replace(desk, notice=notice_of(study, phases))
    opinions = _opinions(of_study, rules, shown_item)
    if rules.shows_volumes and not rules.shows_judged:
        payload: ItemPayload = blinding.item_payload(
            desk=desk, shown=shown, rules=rules, text=phases.text, keys=keys, prefetch=[]
        )
        return payload if opinions is None else blinding.with_opinions(payload, desk.own or [], opinions)
    reference = _reference(session, phases, phase, item.study_id, shown_item)
    candidate = sides = None
    if phase.kind == "pairs":
        sides = previewed_answers.answers_to_compare(session, phase, item) or _SIDES
    elif "candidate" in rules.shows and _is_previewed("candidate"):
        candidate = _ANSWER if answer is None else answer.answer
    if rules.shows_volumes:
        return blinding.judged_payload(
            desk=desk,
            shown=shown,
            rules=rules,
            text=phases.text,
            keys=keys,
            prefetch=[],
            reference=reference,
            candidate=candidate,
            sides=sides,
            opinions=opinions,
        )
    return blinding.words_payload(
        desk=desk,
        rules=rules,
        text=phases.text,
        item=shown_item,
        form=shown.form,
        attributes=shown.attributes,
        explanation=shown.explanation,
        reference=reference,
        candidate=candidate,
        sides=sides,
        opinions=opinions,
    )


def _form(rules: PhaseRules, phase: Phase, item: ShownItem) -> ShownForm:
    if phase.kind == "items":
        return shown_forms.form_of_item(rules, item, [])
    return shown_forms.form_of_candidate(rules, item)


def _desk(session: Session, phases: StudyPhases, phase: Phase, item: ShownItem, key: str) -> Desk:
    rules = phases.rules_of(phase)
    own: list[Line] | None = None
    if phase.continues:
        before = phases.named(phase.continues)
        own = _in_place(_form(phases.rules_of(before), before, item), _OWN)
    turns = queries.turns_before(session, item) if phase.kind == "items" else []
    return Desk(
        phase="preview",
        heading=PREVIEW_HEADING,
        assignment_public_id=f"preview-{item.item_id}",
        key=key,
        progress=(0, 1),
        draft=blinding.draft_payload(0, {}),
        notice=None,
        in_parts=in_parts(phases, phase.queue),
        turns=tuple(blinding.turn_payload(blinding.prompt_of_turn(rules, prompt), []) for _, prompt in turns),
        practice=None
        if rules.practice is None
        else blinding.practice_payload(_practised(session, item), rules.practice.pass_mark),
        own=own,
    )


def _practised(session: Session, item: ShownItem) -> tuple[int, int]:
    """Return how many practice items of the study precede an item, and how many there are."""
    this = session.get_one(Item, item.item_id)
    ids = session.exec(select(Item.id).where(Item.study_id == this.study_id, col(Item.practice)).order_by(col(Item.id)))
    practised = list(ids)
    return (practised.index(this.id), len(practised)) if this.practice else (0, 1)


def _opinions(of_study: StudyPhases, rules: PhaseRules, item: ShownItem) -> list[list[Line]] | None:
    """Return placeholders for what others will answer, one line per field that they are asked."""
    if not rules.opinions_of:
        return None
    source = of_study.named(rules.opinions_of)
    form = _form(of_study.rules_of(source), source, item)
    return [_in_place(form, words) for words in _OPINIONS]


def _in_place(form: ShownForm, words: str) -> list[Line]:
    return [[field.label, words] for field in form.fields]


def _is_previewed(thing: str) -> bool:
    return may_see("admin", None, thing, Progress())


def _reference(session: Session, phases: StudyPhases, phase: Phase, study_id: int, item: ShownItem) -> list[str] | None:
    if not shows_the_reference(phases.rules_of(phase).shows) or not _is_previewed("reference"):
        return None
    return shown_items.words_of_reference(session, phases, phase, study_id, item)


def _explanation(session: Session, rules: PhaseRules, item: ShownItem) -> str:
    if "explanation" not in rules.shows or not _is_previewed("explanation"):
        return ""
    reference = queries.reference_for_forms_that_show_it(session, item.item_id)
    return "" if reference is None else reference.explanation
