"""What may reach a rater's or reviewer's browser: the one place where payloads are built (`hanging`: of images).

Every payload is built key by key from an allow-list. Nothing is ever copied from a row as a whole, so a column that is
added to a table stays hidden until somebody lets it through here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from db.queries import ShownItem, ShownOverlay, ShownVolume
from protocol.context import Context, TextSettings
from protocol.fields.pixels import WITH_SCALE, Places
from protocol.forms import Option, PhaseField
from protocol.phase_rules import PhaseRules
from protocol.released import Released
from protocol.seen import COMMENT_LABEL, NOT_ASSESSABLE_LABEL
from services.installation.tokens import Keys
from services.reading import hanging
from services.reading.answers import ShownForm
from services.reading.payloads import (
    AheadPayload,
    ContextPayload,
    DonePayload,
    DraftPayload,
    FeedbackPayload,
    FieldHelp,
    FieldLimits,
    FormFieldPayload,
    FormPayload,
    HeadPayload,
    ItemPayload,
    JudgedPayload,
    Line,
    NextPayload,
    OpinionPayload,
    OpinionsPayload,
    Phase,
    PracticePayload,
    RevisablePayload,
    RevisionPayload,
    RevisionRule,
    ScoringPayload,
    StandingPayload,
    SummaryPayload,
    SummaryUnit,
    TextKind,
    TextSetting,
    TurnPayload,
)
from services.reading.payloads import Option as OptionPayload
from services.reading.shown_forms import options_of
from services.reading.words_in_payloads import answer_text, opinion_name

DAYS_PER_MONTH = 30.4375


@dataclass(frozen=True)
class Shown:
    """What is shown of an item: the item, its volumes and overlays, the form of the phase, released attributes."""

    item: ShownItem
    volumes: list[ShownVolume]
    overlays: list[ShownOverlay]
    form: ShownForm
    attributes: list[Line] = field(default_factory=list)
    explanation: str = ""


@dataclass(frozen=True)
class Desk:
    """What surrounds an item: whose it is, how far they are, and what they said before."""

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
    """Return a form as the reading room draws it."""
    return {
        "fields": [_field_payload(field) for field in form.fields],
        "not_assessable": [{"id": key, "text": shown} for key, shown in form.not_assessable],
        "comment": form.comment,
        "flags": [{"id": key, "text": shown} for key, shown in form.flags],
    }


def _field_payload(field: PhaseField) -> FormFieldPayload:
    # Sent with every item: what the protocol does not say of a field is left out.
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
    """Return vignette, history and facts, as far as the protocol releases them."""
    asks_apart = rules.question and "prompt" in rules.shows
    return _context(shown, rules, [["Question", shown.item.prompt]] if asks_apart else [])


def _context(shown: Shown, rules: PhaseRules, facts: list[Line]) -> ContextPayload:
    """Return the context, with what is released of it behind some facts."""
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
    """Return dates only as the protocol releases them: months since the prior unless it says otherwise."""
    current, prior = _acquired(volumes, "current"), _acquired(volumes, "prior")
    if current is None or prior is None or context.dates == "hidden":
        return []
    if context.dates == "acquisition_date":
        return [["Acquired", current.isoformat()], ["Prior acquired", prior.isoformat()]]
    return [["Months since the prior", str(round((current - prior).days / DAYS_PER_MONTH))]]


def attribute_lines(released: Sequence[Released], stored: Mapping[str, str]) -> list[Line]:
    """Return released attributes as label and text; one that a unit does not have is left out."""
    return [[part.label, part.in_words(stored[part.key])] for part in released if part.key in stored]


def _acquired(volumes: list[ShownVolume], role: str) -> date | None:
    return next((volume.acquired for volume in volumes if volume.role == role and volume.acquired), None)


def item_payload(
    *, desk: Desk, shown: Shown, rules: PhaseRules, text: TextSettings, keys: Keys, prefetch: list[int]
) -> ItemPayload:
    """Return what a rater or reviewer gets to see of an item that is read from its images."""
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


def with_opinions(payload: ItemPayload, own: list[Line], opinions: list[list[Line]]) -> OpinionsPayload:
    """Add to an item what a reviewer decides on: the own first read, and the raters' opinions as A, B ... nameless."""
    return {**payload, "own": own, "opinions": opinions_payload(opinions)}


def opinions_payload(opinions: list[list[Line]], *, of_a_pair: bool = False) -> list[OpinionPayload]:
    """Return what others said as A, B ..., in the order that was drawn for it; nothing says who they are.

    Of a pair they are 1, 2 ...: its answers are A and B there.
    """
    return [
        {"name": str(place + 1) if of_a_pair else opinion_name(place), "lines": lines}
        for place, lines in enumerate(opinions)
    ]


def sides_in_words(*, exchanged: bool) -> Line:
    """Return what A and B mean in the words of an opinion on a pair, whose sides were drawn for its author anew."""
    return ["A and B in their words", "Their A is B here" if exchanged else "As here"]


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
    """Return what is judged beside its images: a candidate, or an item with its reference; of a candidate no model."""
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
    """Return what is judged from words alone: a candidate, or an item without scans; of a candidate no model."""
    # The prompt of such a phase may be a line of the protocol; the question is the prompt of the item then.
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
    """Return the text above the form: the question of the phase, or the prompt of the item."""
    return rules.question or (item.prompt if "prompt" in rules.shows else "")


def text_payload(text: TextSettings, *kinds: TextKind) -> dict[TextKind, TextSetting]:
    """Return how texts of these kinds are set: plain, or as Markdown."""
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


def done_payload(
    title: str,
    message: str,
    progress: tuple[int, int],
    assignment_public_id: str | None,
    summary: SummaryPayload,
    revisable: int | None = None,
    next_part: NextPayload | None = None,
    revision_rule: RevisionRule = "never",
) -> DonePayload:
    """Return what is shown when nothing is left: thanks, own counts and times, and nothing about right or wrong.

    One of the member's assignments says to the routes which study it is.
    """
    done, total = progress
    return {
        "kind": "done",
        "assignment": assignment_public_id,
        "title": title,
        "message": message,
        "progress": {"done": done, "total": total},
        "summary": summary,
        "revisable": revisable,
        "revision_rule": revision_rule,
        "next": next_part,
    }


def next_payload(title: str, about: str, place: str | None = None) -> NextPayload:
    """Return what comes next: how much of what, how long by the own pace, and where; nothing of what it holds."""
    return {"title": title, "about": about, "place": place}


def ahead_payload(heading: str, message: str, title: str, about: str) -> AheadPayload:
    """Return what is shown before the first item of a part, on a page of its own: see `next_payload`."""
    return {**next_payload(title, about), "heading": heading, "message": message}


def draft_payload(sequence: int, answers: dict[str, Any]) -> DraftPayload:
    """Return what somebody has filled in themselves, with the number that orders drafts."""
    return {"sequence": sequence, "answers": answers}


def prompt_of_turn(rules: PhaseRules, prompt: str) -> str:
    """Return the text above an earlier turn: its prompt where the phase shows prompts, else the phase's question."""
    return prompt if "prompt" in rules.shows else rules.question


def turn_payload(prompt: str, lines: list[Line]) -> TurnPayload:
    """Return an earlier turn of a conversation: what was asked, and what this member answered."""
    return {"prompt": prompt, "lines": lines}


def practice_payload(progress: tuple[int, int], pass_mark: float) -> PracticePayload:
    """Return how far a rater is in their practice, and the share of right answers that ends it."""
    done, total = progress
    return {"done": done, "total": total, "pass_mark": pass_mark}


def feedback_payload(correct: bool | None, lines: list[Line]) -> FeedbackPayload:
    """Return what a rater learns from a practice verdict: right or not, what counts as right, and why."""
    return {"correct": correct, "lines": lines}


def revision_payload(receipt: str, saved_at: datetime) -> RevisionPayload:
    """Return which of their verdicts a rater is revising."""
    return {"receipt": receipt, "saved_at": saved_at.isoformat(timespec="seconds")}


def revisable_payload(
    *,
    assignment_public_id: str,
    position: int,
    prompt: str,
    text: dict[TextKind, TextSetting],
    receipt: str,
    saved_at: datetime,
    lines: list[Line],
) -> RevisablePayload:
    """Return one of a rater's own verdicts that may be revised, as the list of earlier items shows it."""
    return {
        "assignment": assignment_public_id,
        "label": f"Item {position}",
        "prompt": prompt,
        "text": text,
        **revision_payload(receipt, saved_at),
        "lines": lines,
    }


def summary_payload(
    items: int, active_ms: int, median_ms: int | None, since: datetime | None, unit: SummaryUnit = "scans"
) -> SummaryPayload:
    """Return what somebody did in this login session: counts and times in milliseconds, and nothing of the answers."""
    return {
        "unit": unit,
        "items": items,
        "active_ms": active_ms,
        "median_ms": median_ms,
        "since": since.isoformat(timespec="seconds") if since is not None else None,
    }


def opinion_lines(
    form: ShownForm,
    fields: Mapping[str, Any],
    not_assessable: str | None,
    comment: str,
    places: Places = WITH_SCALE,
) -> list[Line]:
    """Return an answer as label and text, as it is shown to a reviewer; a place in the words of the crosshair."""
    if not_assessable is not None:
        lines = [[NOT_ASSESSABLE_LABEL, dict(form.not_assessable).get(not_assessable, not_assessable)]]
    else:
        lines = [
            [field.label, answer_text(field, fields[field.key], places)] for field in form.fields if field.key in fields
        ]
    return lines + ([[COMMENT_LABEL, comment]] if comment else [])


def own_flag_lines(form: ShownForm, flag: tuple[str, str] | None) -> list[Line]:
    """Return the flag of somebody's own verdict, kind and note, as label and text: it is shown to nobody else."""
    if flag is None:
        return []
    kind, note = flag
    words = dict(form.flags).get(kind, kind)
    return [["Flag", f"{words} ({note})" if note else words]]
