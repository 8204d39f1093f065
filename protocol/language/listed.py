"""The phases of a study that lists them, built from its expansion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from protocol.context import Context, TextSettings
from protocol.fields import KINDS, own_options_of
from protocol.forms import Dependence, Option, OptionsBy, PhaseField
from protocol.hanging import Hanging
from protocol.language import expansion as expanded
from protocol.language.following import followed_by
from protocol.language.pools import kind_rated
from protocol.language.telling import UNSEEN, Asked
from protocol.language.things import shows_the_reference
from protocol.phase_rules import PhaseRules
from protocol.phases import THEN, Kind, Phase, Queue
from protocol.released import Released
from protocol.sections import Practice
from protocol.study_phases import Group, StudyPhases, part_key

# Field types that can be compared with a reference.
COMPARED = frozenset({*KINDS, "as_item"})
# Field types that are displayed as a choice, whatever their statistics.
_CHOSEN = ("choice", "correctness", "guess", "preference", "resolution")
# Options of a resolution that also ask for the new text, in a separate field.
_WITH_NEW_TEXT = ("reword", "fix")
# What can be rated, with the kind of unit and its name on the screens.
UNITS: dict[str, tuple[Kind, str]] = {
    "items": ("items", "item"),
    "candidates": ("candidates", "answer"),
    "references": ("references", "reference"),
    "pairs": ("pairs", "pair"),
}


def phases_of_listed(study: expanded.Expansion) -> StudyPhases:
    """Return the phases of a study that lists them; `not_run_yet` must have found nothing in it."""
    forms = {form.key: _fields(form.fields) for form in study.forms}
    return StudyPhases(
        phases=tuple(part for place, phase in enumerate(study.phases, start=1) for part in _steps(study, phase, place)),
        rules={key: rules for phase in study.phases for key, rules in _rules_of_steps(study, phase, forms)},
        seed=study.seed,
        consent=study.consent,
        notice=study.notice,
        text=TextSettings(),
        adjudication=None,
        listed=True,
        groups=tuple(Group(group.key, group.title, group.people) for group in study.groups),
        attributes=tuple(_released(attribute) for attribute in study.attributes if attribute.table != "raters"),
    )


def _phase(study: expanded.Expansion, phase: expanded.Phase, place: int) -> Phase:
    kind, unit = UNITS[kind_rated(phase)]
    queue = Queue(
        key=part_key(place),
        role="rater",
        verb=f"{phase.title}:",
        title=phase.title,
        unit=unit,
        to_do="to do",
        done_as=phase.title,
        empty="Nothing is assigned to you for now.",
        finished=f"Done: {phase.title}",
        thanks="Thank you. Every verdict is saved; you may close this page.",
    )
    return Phase(
        key=phase.key,
        kind=kind,
        step=1,
        trains=phase.source.practice == "only",
        queue=queue,
        form="reading" if kind == "items" else "scoring",
        opens=phase.opens.kind.replace("_", " "),
        after=tuple(phase.opens.after),
        after_everyone=tuple(phase.opens.after) if phase.opens.done_by == "everyone" else (),
        revisable=is_read(phase),
        heading=phase.title,
        left=f"{unit}s without a verdict in “{phase.title}”",
        listed=True,
        groups=tuple(phase.by.groups),
        follows=followed_by(study, phase),
        by_admin=phase.opens.kind == "by_admin",
        is_followed=any(phase.key in followed_by(study, other) for other in study.phases),
        is_awaited=phase.source.practice != "only"
        and any(phase.key in other.opens.after and other.opens.done_by == "everyone" for other in study.phases),
    )


def _steps(study: expanded.Expansion, phase: expanded.Phase, place: int) -> Iterator[Phase]:
    """Yield a phase and its second step, if it has one; in practice, more is shown with the receipt instead."""
    first = _phase(study, phase, place)
    if phase.then is None or first.trains:
        yield first
        return
    yield first
    yield replace(
        first,
        key=f"{phase.key}{THEN}",
        step=2,
        continues=phase.key,
        follows=(),
        is_followed=False,
        is_awaited=first.can_be_closed,
        revisable=False,
        heading=f"{phase.title}: after your answer",
        left=f"{UNITS[kind_rated(phase)][1]}s of “{phase.title}” not seen after the own answer",
    )


def _rules_of_steps(
    study: expanded.Expansion, phase: expanded.Phase, forms: dict[str, tuple[PhaseField, ...]]
) -> Iterator[tuple[str, PhaseRules]]:
    yield phase.key, _rules(study, phase, forms)
    if phase.then is None or phase.source.practice == "only":
        return
    more = [thing for thing in phase.then.shows if thing not in phase.shows]
    after = replace(
        _rules(study, phase.model_copy(update={"shows": [*phase.shows, *more]}), forms),
        revision="never",
        tells_after=frozenset(),
    )
    if not phase.then.again:
        after = replace(
            after, fields=(), not_assessable=(), flags=(), comment=False, takes_options=frozenset(), as_item=frozenset()
        )
    yield f"{phase.key}{THEN}", after


def is_read(phase: expanded.Phase) -> bool:
    """Return whether a phase is a blind read of items: not practice, and without the reference or others' answers."""
    hides = "opinions" not in phase.shows and not shows_the_reference(set(phase.shows))
    return phase.rates == ["items"] and hides and phase.source.practice == "never"


def _rules(study: expanded.Expansion, phase: expanded.Phase, forms: dict[str, tuple[PhaseField, ...]]) -> PhaseRules:
    as_item = phase.form == "as_item"
    shows = frozenset(phase.shows)
    # What comes after the rater's own answer belongs to the second step.
    before, asked = phase.model_copy(update={"then": None}), Asked(study)
    of_forms = [form.fields for form in study.forms] if as_item else [phase.fields]
    asks_format = frozenset(asked.key for fields in of_forms for asked in fields if asked.type == "as_item")
    return PhaseRules(
        instructions=phase.instructions,
        question=phase.question,
        forms=forms,
        fields=None if as_item else _fields(phase.fields),
        hanging=_hanging(study.hanging, shows),
        context=Context(
            vignette="vignette" in shows,
            history="history" in shows,
            age="age" in shows,
            dates="acquisition_date"
            if "acquisition_dates" in shows
            else "months_since_prior"
            if "months_since_prior" in shows
            else "hidden",
        ),
        not_assessable=_options(phase.not_assessable),
        flags=_options(phase.flags),
        comment=phase.comment,
        revision="study" if phase.revise == "until_closed" else phase.revise,
        order_is_random=phase.order == "random",
        subject_distance=phase.spacing,
        shuffle_options=phase.shuffle_options,
        practice=_practice(phase),
        shows=shows,
        tells_after=frozenset(phase.then.shows if phase.then else ()),
        primaries={form.key: _primary(form.fields) for form in study.forms} if as_item else {},
        own_primary=_primary(phase.fields),
        takes_options=asks_format,
        as_item=asks_format,
        options_as_text="options" in shows and not asks_format,
        counts=phase.counts,
        released=tuple(_released(attribute) for attribute in study.attributes if attribute.key in shows),
        tells={way: frozenset(things) for way in UNSEEN if (things := way.things(asked, before))},
        opinions_of=(phase.source.phase or "") if "opinions" in shows else "",
        rates_people=phase.answers_of is not None,
        preferences=frozenset(asked.key for asked in phase.fields if asked.type == "preference"),
    )


def _practice(phase: expanded.Phase) -> Practice | None:
    """Return the rules of practice, or None; without a pass mark it is passed by reaching its end."""
    if phase.source.practice != "only":
        return None
    return Practice(pass_mark=phase.pass_mark or 0.0, feedback=phase.then is not None, attempts=phase.attempts)


def _primary(fields: Sequence[expanded.Field]) -> str:
    """Return the key of the primary field if it can be compared with a reference, else an empty text."""
    return next((asked.key for asked in fields if asked.primary and asked.type in COMPARED), "")


def _released(attribute: expanded.Attribute) -> Released:
    if attribute.table == "raters":
        raise ValueError(f"'{attribute.key}' describes raters, and shown in no phase.")
    return Released(
        table=attribute.table,
        key=attribute.key,
        label=attribute.heading,
        type=attribute.type,
        texts={option.id: option.text for option in attribute.options},
        tells_reference=attribute.tells_reference,
    )


def _hanging(hanging: Hanging, shows: frozenset[str]) -> Hanging:
    """Return how scans are hung in a phase, restricted to what it shows."""
    prior = "prior" in shows and hanging.prior_beside_current
    panes = hanging.panes
    if panes is not None and not prior:
        panes = [pane for pane in panes if pane.role == "current"]
    return hanging.model_copy(
        update={
            "prior_beside_current": prior,
            "panes": panes,
            "overlays": "overlays" in shows and hanging.overlays,
        }
    )


def _options(options: Sequence[expanded.Option]) -> tuple[Option, ...]:
    return tuple(Option(id=option.id, text=option.text) for option in options)


def _fields(fields: Sequence[expanded.Field]) -> tuple[PhaseField, ...]:
    is_alone = sum(asked.type == "resolution" for asked in fields) == 1
    return tuple(drawn for asked in fields for drawn in (_field(asked), *_new_text(asked, is_alone)))


def key_of_new_text(key: str) -> str:
    """Return the key under which the new text of a resolution is stored."""
    return f"{key}_text"


def _new_text(asked: expanded.Field, is_alone: bool) -> tuple[PhaseField, ...]:
    """Return the field for the text that a resolution asks for: the new wording, or the right answer.

    Its label names the resolution only if the form has another one.
    """
    if asked.type != "resolution":
        return ()
    depends = Dependence(field=asked.key, values=list(_WITH_NEW_TEXT))
    label = "New text" if is_alone else f"New text: {asked.label}"[:200]
    return (PhaseField(key=key_of_new_text(asked.key), type="text", label=label, depends_on=depends),)


def kind_of_field(asked: expanded.Field) -> str:
    """Return the reading room's field type as which a field is displayed and its answers are compared."""
    if asked.type in _CHOSEN:
        return "choice"
    if asked.type == "confidence":
        return "number" if asked.steps is None else "ordinal"
    # A field `as_item` takes its type and options from the item.
    return "text" if asked.type == "as_item" else asked.type


def _field(asked: expanded.Field) -> PhaseField:
    options = list(_options(asked.options))
    kind = kind_of_field(asked)
    low, high = asked.minimum, asked.maximum
    if asked.steps is not None:
        options = [Option(id=str(step), text=str(step)) for step in range(1, asked.steps + 1)]
        low = high = None
    elif asked.type == "as_item" or own_options_of(asked.type):
        options = []
    return PhaseField(
        key=asked.key,
        type=kind,
        label=asked.label,
        help=asked.help or None,
        required=asked.required,
        options=options,
        unit=asked.unit,
        minimum=low,
        maximum=high,
        depends_on=None if asked.when is None else Dependence(field=asked.when.field, values=list(asked.when.values)),
        at_most=asked.at_most,
        undetermined=asked.undetermined,
        options_by=_options_by(asked.options_by),
        synonyms=[list(group.words) for group in asked.synonyms],
        meanings={option.id: _meaning(option) for option in asked.options if option.definition or option.example},
    )


def _options_by(depends: expanded.OptionsBy | None) -> OptionsBy | None:
    if depends is None:
        return None
    return OptionsBy(field=depends.field, offered={part.value: list(part.options) for part in depends.offered})


def _meaning(option: expanded.Option) -> str:
    """Return the definition of an option, followed by its example."""
    if not option.definition or not option.example:
        return option.definition or (option.example and f"For example: {option.example}") or ""
    stop = "" if option.definition.rstrip().endswith((".", "!", "?", ":", ";", "…", "。")) else "."
    return f"{option.definition.rstrip()}{stop} For example: {option.example}"
