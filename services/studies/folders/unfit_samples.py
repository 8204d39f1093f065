"""What a freeze would refuse to draw from a study folder, reported before the import: tables may still grow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exchange.study_folder.folder_rows import StudyFolder
from protocol.fields import KINDS
from protocol.language.expansion import Expansion, Phase
from protocol.language.following import followed_by
from protocol.language.listed import phases_of_listed
from protocol.language.results import filled_in
from services.studies.dealing.unfit_deals import cannot_be_dealt
from services.studies.drawing import drawing_phases, pooled, sound_draws
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.pool import Pool
from services.studies.folders import pool_files
from services.studies.sampling.drawing import draw_once
from services.studies.sampling.planning import Plan, plan
from services.studies.sampling.remarks import CannotDraw, listed

# The number of draws tried if a phase draws from, or apart from, a random draw of another phase.
TRIED = 10

Drawn = dict[str, DrawnPhase]


def cannot_be_drawn(study: Expansion, contents: StudyFolder) -> Iterator[str]:
    """Yield why phases could not be drawn from these tables.

    Reasons are sizes, limits and conditions that nothing meets, scans or references that a phase shows but that items
    which can be drawn for it lack, practice items on which no answer can be right, and too few people for what is
    dealt. If a phase draws from, or apart from, a random draw of another phase, several draws are tried, because the
    study's own draw key only exists from the import on. Nothing is reported about
    phases that depend on a phase that cannot be drawn.
    """
    pool, phases = pool_files.pool_of_folder(contents), phases_of_listed(study)
    tries: list[Drawn] = [{} for _ in range(TRIED)]
    by_chance: set[str] = set()
    for phase in study.phases:
        rests_on = _rests_on(study, phase)
        ready = [drawn for drawn in tries if rests_on <= drawn.keys()]
        if followed_by(study, phase) or not ready:
            continue
        depends = bool(rests_on & by_chance)
        # If no phase above was drawn at random, one plan holds for every draw.
        outcomes = [_planned(study, phase, pool, drawn) for drawn in (ready if depends else ready[:1])]
        plans = [outcome for outcome in outcomes if isinstance(outcome, Plan)]
        yield from _refused(phase, [outcome for outcome in outcomes if not isinstance(outcome, Plan)], len(outcomes))
        for number, drawn in enumerate(ready):
            planned = outcomes[number if depends else 0]
            if isinstance(planned, Plan):
                drawn[phase.key] = _drawn(phase, planned, f"{number}|{phase.key}")
        yield from cannot_be_dealt(study, phase, ready)
        if depends or any(planned.pool.size < len(planned.frame) for planned in plans):
            by_chance.add(phase.key)
        items = {unit.item for planned in plans for drawable in planned.frame for unit in drawable.members}
        would, which = ("would, if one of them is drawn,", "possible") if phase.key in by_chance else ("would", "drawn")
        for reason in (
            *sound_draws.lacking(phases, phase.key, items, pool, which),
            *sound_draws.never_right(phases, phase.key, sorted(items), pool),
        ):
            yield f"The freeze {would} refuse phase '{phase.key}': it {reason}"


def _rests_on(study: Expansion, phase: Phase) -> set[str]:
    """Return the phases whose draws decide what this phase can draw from."""
    sample = phase.source.sample
    return {phase.source.phase, *(sample.not_in if sample else ())} & {other.key for other in study.phases}


def _planned(study: Expansion, phase: Phase, pool: Pool, earlier: Drawn) -> Plan | Sequence[str]:
    """Return the plan of a phase given what the phases above it drew, or why it cannot be drawn."""
    source = pooled.narrowing_both(study, phase, drawing_phases.as_canonical(phase.source, study.attributes))
    names = phase.source.sample.not_in if phase.source.sample else ()
    apart = (row.unit.subject for name in names if name in earlier for row in earlier[name].sample.units)
    try:
        return plan(drawing_phases.units_of(study, phase, pool, earlier), source, frozenset(filter(None, apart)))
    except CannotDraw as refusal:
        return refusal.reasons


def _drawn(phase: Phase, planned: Plan, key: str) -> DrawnPhase:
    members = [unit for place in draw_once(planned.pool, key) for unit in planned.frame[place].members]
    return drawing_phases.of_units(phase, members)


def _refused(phase: Phase, refused: Sequence[Sequence[str]], tried: int) -> Iterator[str]:
    if tried == 1:
        yield from (f"The freeze would refuse phase '{phase.key}': {said}" for reasons in refused for said in reasons)
    elif refused:
        yield (
            f"The freeze would refuse phase '{phase.key}' in {len(refused)} of {tried} draws that were tried (the "
            f"study's own follows the import): {' '.join(refused[0])}"
        )


def too_many_controls(study: Expansion, contents: StudyFolder) -> Iterator[str]:
    """Yield the phases with more controls than the phase from which they are taken can have units."""
    pool = pool_files.pool_of_folder(contents)
    for phase in study.phases:
        source = phase.source
        answered = study.phase(source.phase) if source.phase is not None else None
        if answered is None or not source.controls or followed_by(study, answered) or _rests_on(study, answered):
            continue
        planned = _planned(study, answered, pool, {})
        if not isinstance(planned, Plan):
            continue
        # Items that are kept together may have several units each.
        most = sum(sorted((len(drawable.members) for drawable in planned.frame), reverse=True)[: planned.pool.size])
        if most < source.controls:
            yield (
                f"Phase '{phase.key}' plans {source.controls} controls, and '{answered.key}' has {most} units in all: "
                "every unit that is not let in would come as a control; write fewer, or draw more there."
            )


def let_in_by_remarks(study: Expansion) -> Iterator[str]:
    """Yield the phases that let in what differs in a text that may stay empty, which is nearly everything."""
    forms = {form.key: form.fields for form in study.forms}
    for phase in study.phases:
        if phase.source.phase is None:
            continue
        asked = {field.key: field for field in filled_in(study.phase(phase.source.phase), forms)}
        for key in dict.fromkeys(part.field for entry in phase.source.let_in for part in entry.differences):
            field = asked.get(key)
            if field is None or field.required or field.type not in KINDS:
                continue
            if KINDS[field.type].scale == "text":
                yield (
                    f"Phase '{phase.key}' lets in what differs in '{key}', a text that may stay empty: two people "
                    "hardly ever write the same, so that nearly every unit on which somebody wrote comes. Leave it out "
                    "of differs, or let in what was answered there."
                )


def left_open(study: Expansion) -> Iterator[str]:
    """Yield what a folder cannot tell of its draws: whether answers will suffice, and what other studies drew."""
    for phase in study.phases:
        yield from _left_open(study, phase)


def _left_open(study: Expansion, phase: Phase) -> Iterator[str]:
    sample = phase.source.sample
    if sample is None:
        return
    if studies := [name for name in sample.not_in if name not in {other.key for other in study.phases}]:
        yield (
            f"Phase '{phase.key}' leaves out the subjects of frozen studies ({listed(studies)}), which only the "
            "installation knows: whether there are such studies, and enough units beside theirs, is checked when it is "
            "drawn, and not here."
        )
    if waits_for := followed_by(study, phase):
        verb = "is closed" if len(waits_for) == 1 else "are closed"
        yield (
            f"Phase '{phase.key}' draws its sample once {listed(list(waits_for))} {verb}: whether the answers leave "
            "enough to draw from is checked then, and not here."
        )
