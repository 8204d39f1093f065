"""What an admin looks at before anybody reads it: a unit of any phase as a rater will see it, from the same builder.

References, answers that are rated and what others answered are shown to no admin before the data lock: words stand in
their place. Nothing of a preview is stored, and nothing can be handed in.
"""

from __future__ import annotations

from dataclasses import replace

from sqlmodel import Session

from db import Item, Study, queries
from db.base import stored_id
from db.queries import ShownItem
from protocol.language.things import shows_the_reference
from protocol.phases import PREVIEW_HEADING, Phase
from protocol.study_phases import PhaseRules, StudyPhases
from services.people.identity import Actor
from services.reading import blinding, releasing, shown_forms
from services.reading.answers import ShownForm
from services.reading.blinding import Desk, Shown
from services.reading.displaying import in_parts, keys_of, notice_of
from services.reading.payloads import AnyItemPayload, ItemPayload, Line
from services.studies import frozen_facts

_ANSWER = "The answer stands here."
_SIDES = ("One answer stands here.", "The other answer stands here.")
_REFERENCE = "The reference stands here."
_OWN = "The rater's own answer stands here."
# As many as it takes to see that they are told apart.
_OPINIONS = ("The answer of one rater stands here.", "The answer of another rater stands here.")


def preview_payload(session: Session, actor: Actor, study: Study, phase: Phase, item: Item) -> AnyItemPayload:
    """Return an item, or an answer to it, as raters will see it in a phase."""
    of_study = frozen_facts.phases_of(session, stored_id(study.id))
    phases = of_study.of_group(phase.groups[0]) if phase.groups else of_study
    phase = phases.named(phase.key)
    rules = phases.rules_of(phase)
    shown_item = queries.shown_item(session, stored_id(item.id))
    shown = Shown(
        shown_item,
        queries.shown_volumes(session, shown_item.case_id),
        queries.shown_overlays(session, shown_item.case_id) if shown_item.overlays else [],
        _form(rules, phase, shown_item),
        _attributes(session, rules, shown_item),
        "The explanation stands here." if "explanation" in rules.shows else "",
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
    compared = phase.kind == "pairs"
    reference = [_REFERENCE] if shows_the_reference(rules.shows) else None
    candidate = _ANSWER if "candidate" in rules.shows and not compared else None
    sides = _SIDES if compared else None
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
        practice=None if rules.practice is None else blinding.practice_payload((0, 1), rules.practice.pass_mark),
        own=own,
    )


def _opinions(of_study: StudyPhases, rules: PhaseRules, item: ShownItem) -> list[list[Line]] | None:
    """Return words in the place of what others answered, by the fields that they were asked."""
    if not rules.opinions_of:
        return None
    source = of_study.named(rules.opinions_of)
    form = _form(of_study.rules_of(source), source, item)
    return [_in_place(form, words) for words in _OPINIONS]


def _in_place(form: ShownForm, words: str) -> list[Line]:
    return [[field.label, words] for field in form.fields]


def _attributes(session: Session, rules: PhaseRules, item: ShownItem) -> list[Line]:
    """Return attributes as a rater will see them; of an answer, or what tells the reference, words in their place."""
    withheld = [part for part in rules.released if part.tells_reference or part.table == "candidates"]
    open_to_admins = replace(rules, released=tuple(part for part in rules.released if part not in withheld))
    lines = releasing.lines_of(session, open_to_admins, item.item_id, None)
    return lines + [[part.label, "The attribute stands here."] for part in withheld]
