"""An item, or what is judged, as it is shown: images, context, form, prompt and surroundings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from db.queries import ShownItem, ShownOverlay, ShownVolume
from protocol.context import Context, TextSettings
from protocol.forms import Option, PhaseField
from protocol.phase_rules import PhaseRules
from protocol.released import Released
from services.installation.tokens import Keys
from services.reading.answers import ShownForm
from services.reading.blinding import hanging
from services.reading.blinding.opinions import opinions_payload
from services.reading.payloads import (
    AheadPayload,
    ContextPayload,
    DraftPayload,
    FieldHelp,
    FieldLimits,
    FormFieldPayload,
    FormPayload,
    HeadPayload,
    ItemPayload,
    JudgedPayload,
    Line,
    Phase,
    PracticePayload,
    RevisionPayload,
    RevisionRule,
    ScoringPayload,
    StandingPayload,
    TextKind,
    TextSetting,
    TurnPayload,
)
from services.reading.payloads import Option as OptionPayload
from services.reading.shown_forms import options_of

DAYS_PER_MONTH = 30.4375


@dataclass(frozen=True)
class Shown:
    """What is shown of an item: the item, its volumes and overlays, the phase's form, released attributes."""

    item: ShownItem
    volumes: list[ShownVolume]
    overlays: list[ShownOverlay]
    form: ShownForm
    attributes: list[Line] = field(default_factory=list)
    explanation: str = ""


@dataclass(frozen=True)
class Desk:
    """What surrounds an item: its assignment, the member's progress, and what they answered before."""

    phase: Phase
    heading: str
    assignment_public_id: str
    key: str
    progress: tuple[int, int]
    draft: DraftPayload
    notice: str | None
    turns: tuple[TurnPayload, ...] = ()
    practice: PracticePayload | None = None
    revision: RevisionPayload | None = None
    revisable: int | None = None
    revision_rule: RevisionRule = "never"
    in_parts: bool = False
    ahead: AheadPayload | None = None
    own: list[Line] | None = None


def form_payload(form: ShownForm) -> FormPayload:
    """Return a form as the reading room displays it."""
    return {
        "fields": [_field_payload(field) for field in form.fields],
        "not_assessable": [{"id": key, "text": shown} for key, shown in form.not_assessable],
        "comment": form.comment,
        "flags": [{"id": key, "text": shown} for key, shown in form.flags],
    }


def _field_payload(field: PhaseField) -> FormFieldPayload:
    # Sent with every item, so properties that the protocol does not set are left out.
    words: FieldHelp = {}
    if field.help is not None:
        words["help"] = field.help
    limits: FieldLimits = {}
    if field.unit is not None:
        limits["unit"] = field.unit
    if field.minimum is not None:
        limits["minimum"] = field.minimum
    if field.maximum is not None:
        limits["maximum"] = field.maximum
    if field.depends_on is not None:
        limits["depends_on"] = {"field": field.depends_on.field, "is": list(field.depends_on.values)}
    if field.options_by is not None:
        offered = field.options_by.offered.items()
        limits["options_by"] = {
            "field": field.options_by.field,
            "offered": [{"value": value, "options": list(options)} for value, options in offered],
        }
    if field.at_most is not None:
        limits["at_most"] = field.at_most
    if field.undetermined:
        limits["undetermined"] = True
    return {
        "key": field.key,
        "type": field.type,
        "label": field.label,
        **words,
        "required": field.required,
        "options": [_option_payload(option, field.meanings) for option in field.options],
        **limits,
    }


def _option_payload(option: Option, meanings: Mapping[str, str]) -> OptionPayload:
    if option.id in meanings:
        return {"id": option.id, "text": option.text, "meaning": meanings[option.id]}
    return {"id": option.id, "text": option.text}


def context_payload(shown: Shown, rules: PhaseRules) -> ContextPayload:
    """Return vignette, history and facts as far as the protocol releases them."""
    asks_apart = rules.question and "prompt" in rules.shows
    return _context(shown, rules, [["Question", shown.item.prompt]] if asks_apart else [])


def _context(shown: Shown, rules: PhaseRules, facts: list[Line]) -> ContextPayload:
    """Return the context, with the released facts appended to the given ones."""
    context = rules.context
    if rules.options_as_text and shown.item.options:
        facts.append(["Options", " · ".join(shown.form.item_options or options_of(shown.item))])
    if context.age and shown.item.age is not None:
        facts.append(["Age", f"{shown.item.age} years"])
    if shown.item.uses_prior:
        facts.extend(_date_facts(shown.volumes, context))
    facts.extend(shown.attributes)
    if shown.explanation:
        facts.append(["Explanation", shown.explanation])
    vignette = shown.item.vignette if context.vignette else ""
    history = [[name, value] for name, value in shown.item.history] if context.history else []
    return {"vignette": vignette or None, "history": history, "facts": facts}


def _date_facts(volumes: list[ShownVolume], context: Context) -> list[Line]:
    """Return dates only as the protocol releases them; the default is months since the prior."""
    current, prior = _acquired(volumes, "current"), _acquired(volumes, "prior")
    if current is None or prior is None or context.dates == "hidden":
        return []
    if context.dates == "acquisition_date":
        return [["Acquired", current.isoformat()], ["Prior acquired", prior.isoformat()]]
    return [["Months since the prior", str(round((current - prior).days / DAYS_PER_MONTH))]]


def attribute_lines(released: Sequence[Released], stored: Mapping[str, str]) -> list[Line]:
    """Return released attributes as labels and texts, leaving out those that the unit does not have."""
    return [[part.label, part.in_words(stored[part.key])] for part in released if part.key in stored]


def _acquired(volumes: list[ShownVolume], role: str) -> date | None:
    return next((volume.acquired for volume in volumes if volume.role == role and volume.acquired), None)


def item_payload(
    *, desk: Desk, shown: Shown, rules: PhaseRules, text: TextSettings, keys: Keys, prefetch: list[int]
) -> ItemPayload:
    """Return what a rater or reviewer sees of an item that is read from its images."""
    return {
        **_head(desk),
        "images": hanging.images_payload(shown.item, shown.volumes, shown.overlays, rules.hanging, keys),
        "context": context_payload(shown, rules),
        **_standing(desk),
        "prompt": _prompt(rules, shown.item),
        "text": text_payload(text, "prompt", "vignette", "reference", "explanation"),
        "reference": None,
        "candidate": None,
        "own": desk.own,
        "opinions": None,
        "draft": desk.draft,
        "prefetch": [hanging.volume_url(keys, volume_id) for volume_id in prefetch],
        "form": form_payload(shown.form),
    }


def judged_payload(
    *,
    desk: Desk,
    shown: Shown,
    rules: PhaseRules,
    text: TextSettings,
    keys: Keys,
    prefetch: list[int],
    reference: list[str] | None,
    candidate: str | None,
    sides: tuple[str, str] | None = None,
    opinions: list[list[Line]] | None = None,
) -> JudgedPayload:
    """Return what is judged beside its images: a candidate (without its model), or an item with its reference."""
    return {
        **_head(desk),
        "images": hanging.images_payload(shown.item, shown.volumes, shown.overlays, rules.hanging, keys),
        "context": _context(shown, rules, []),
        **_standing(desk),
        "question": rules.question,
        "prompt": shown.item.prompt if "prompt" in rules.shows else "",
        "text": text_payload(text, "prompt", "vignette", "reference", "candidate"),
        "reference": reference,
        "candidate": candidate,
        "sides": None if sides is None else list(sides),
        "own": desk.own,
        "opinions": None if opinions is None else opinions_payload(opinions, of_a_pair=sides is not None),
        "draft": desk.draft,
        "prefetch": [hanging.volume_url(keys, volume_id) for volume_id in prefetch],
        "form": form_payload(shown.form),
    }


def words_payload(
    *,
    desk: Desk,
    rules: PhaseRules,
    text: TextSettings,
    item: ShownItem,
    form: ShownForm,
    reference: list[str] | None,
    candidate: str | None,
    sides: tuple[str, str] | None = None,
    opinions: list[list[Line]] | None = None,
    attributes: Sequence[Line] = (),
    explanation: str = "",
) -> ScoringPayload:
    """Return what is judged from text alone: a candidate (without its model), or an item without scans."""
    # In such a phase the prompt may be a line of the protocol; the question is then the item's prompt.
    settings = {**text_payload(text, "reference", "candidate"), "question": text.prompt}
    return {
        **_head(desk),
        "images": None,
        "context": context_payload(Shown(item, [], [], form, list(attributes), explanation), rules),
        **_standing(desk),
        "prompt": _prompt(rules, item),
        "text": settings if rules.question else {**settings, "prompt": text.prompt},
        "reference": reference,
        "candidate": candidate,
        "sides": None if sides is None else list(sides),
        "own": desk.own,
        "opinions": None if opinions is None else opinions_payload(opinions, of_a_pair=sides is not None),
        "draft": desk.draft,
        "prefetch": [],
        "form": form_payload(form),
    }


def _prompt(rules: PhaseRules, item: ShownItem) -> str:
    """Return the text above the form: the phase's question, or the item's prompt."""
    return rules.question or (item.prompt if "prompt" in rules.shows else "")


def text_payload(text: TextSettings, *kinds: TextKind) -> dict[TextKind, TextSetting]:
    """Return how texts of these kinds are rendered: plain, or as Markdown."""
    return {kind: getattr(text, kind) for kind in kinds}


def _head(desk: Desk) -> HeadPayload:
    done, total = desk.progress
    return {
        "kind": "item",
        "assignment": desk.assignment_public_id,
        "key": desk.key,
        "phase": desk.phase,
        "progress": {"done": done, "total": total},
        "heading": desk.heading,
        "notice": desk.notice,
    }


def _standing(desk: Desk) -> StandingPayload:
    return {
        "turns": list(desk.turns),
        "practice": desk.practice,
        "revision": desk.revision,
        "revisable": desk.revisable,
        "revision_rule": desk.revision_rule,
        "in_parts": desk.in_parts,
        "ahead": desk.ahead,
    }
