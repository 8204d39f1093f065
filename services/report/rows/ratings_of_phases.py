"""The ratings of a study's phases from the stored rows: each person's answer, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from protocol.fields import KINDS, LISTS, SETS
from protocol.fields.abstention import is_undetermined
from protocol.fields.preference import as_in_table
from protocol.language.expansion import Expansion, Field, Phase
from protocol.language.listed import kind_of_field
from protocol.language.pools import fields_taken
from protocol.phases import THEN
from protocol.scales import EXCLUDED
from services.reading.field_keys import FieldKey
from services.report.rows.columns import Column, Judged, State, Unit
from services.report.rows.conditions import conditions_of
from services.report.rows.linked import linked
from services.report.rows.listed_rows import ItemLine, ListedRows
from services.report.rows.models import Answered, answers_of_models, columns_of_models
from services.report.rows.ratings import PhaseRatings, Ratings
from services.report.rows.study_rows import Entry, Member, Run
from services.studies.sampling.fitting import CONTROLS


def ratings_of(rows: ListedRows, study: Expansion, runs: Sequence[Run]) -> tuple[PhaseRatings, ...]:
    """Return the ratings of every phase that counts, in the order of the protocol, with the judges' verdicts."""
    phases = [phase for phase in study.phases if phase.counts and phase.source.practice != "only"]
    conditions = conditions_of(rows.candidates, study)
    return tuple(_of_phase(rows, study, phase, runs, conditions) for phase in phases)


def _of_phase(
    rows: ListedRows, study: Expansion, phase: Phase, runs: Sequence[Run], conditions: tuple[str, ...]
) -> PhaseRatings:
    answers_again = phase.then is not None and phase.then.again
    first = {_place(entry): entry for entry in rows.entries if entry.phase == phase.key}
    second = {
        _place(entry): entry
        for entry in rows.entries
        if answers_again and entry.phase == f"{phase.key}{THEN}" and entry.verdict_id is not None
    }
    units = _units(rows, study, phase)
    models = answers_of_models(rows, study, phase, [unit.item for _, unit in units], conditions)
    asked: list[tuple[str | None, Field]] = [(None, field) for field in phase.fields]
    asked = asked or [(form.key, field) for form in study.forms for field in form.fields]
    fields, of_first_step = [], []
    for form, field in asked:
        own = [unit for unit in units if form in (None, unit[1].item.form)]
        if own:
            # In a phase with a second step, the last answer is given after more was shown.
            last = f"{phase.key}{THEN}" if answers_again else phase.key
            fields.append(_ratings(rows, study, phase, field, own, {**first, **second}, last, runs, models))
            if answers_again:
                of_first_step.append(_ratings(rows, study, phase, field, own, first, phase.key, runs, {}))
    of_last_step = [replace(linked(ratings, fields), conditions=conditions) for ratings in fields]
    return PhaseRatings(
        phase, tuple(of_last_step), tuple(replace(ratings, conditions=conditions) for ratings in of_first_step)
    )


def _place(entry: Entry) -> tuple[int, int, int]:
    return entry.member_id, entry.item_id, entry.candidate_id or 0


def _units(rows: ListedRows, study: Expansion, phase: Phase) -> list[tuple[tuple[int, int], Unit]]:
    """Return the units drawn for a phase and not replaced since, each with the ids of its item and candidate."""
    items = {item.key: item for item in rows.items}
    groups = {member.pseudonym: member.group for _, member in rows.members}
    candidates = {candidate.key: candidate for candidate in rows.candidates}
    units = []
    for line in rows.drawn:
        if line.phase == phase.key and line.replaced_in is None:
            item, candidate = items[line.item], candidates.get(line.candidate or "")
            ids = (item.id, candidate.id if candidate is not None else 0)
            group = groups.get(candidate.author, "") if candidate is not None else ""
            is_control = phase.source.controls > 0 and line.stratum == CONTROLS
            has_list = _has_list(study, phase, item)
            unit = Unit(
                item, candidate, line.overall, line.probability, group, has_list, line.version, is_control,
                line.together,
            )  # fmt: skip
            units.append((ids, unit))
    return units


def _has_list(study: Expansion, phase: Phase, item: ItemLine) -> bool:
    taken = fields_taken(study, phase, item.form)
    return phase.answers_of is None or any(field.type in LISTS for field in taken)


def _ratings(
    rows: ListedRows,
    study: Expansion,
    phase: Phase,
    field: Field,
    units: list[tuple[tuple[int, int], Unit]],
    entries: Mapping[tuple[int, int, int], Entry],
    step: str,
    runs: Sequence[Run],
    models: Mapping[str, Mapping[int, Answered]],
) -> Ratings:
    """Return the ratings in a field; `step` is the key under which the last answered step is stored."""
    asked = [_asked_of(rows, step, field, ids[0]) for ids, _ in units]
    raters = {member for member, _, _ in entries}
    return Ratings(
        phase=phase,
        field=field,
        units=tuple(unit for _, unit in units),
        columns=tuple(
            _column(member, field, [entries.get((member.id, *ids)) for ids, _ in units])
            for _, member in rows.members
            if member.id in raters
        ),
        clusters=tuple(unit.cluster(study.analysis.cluster) for _, unit in units),
        kinds=tuple(KINDS[kind_of_field(field)] if key is None else key.key.kind for key in asked),
        keys=tuple(key if key is not None and key.state == "program" else None for key in asked),
        judges=tuple(_judged(run, units, field) for run in runs if _judges(run, phase, field)),
        models=tuple(columns_of_models(models, field.key, [item for (item, _), _ in units])),
    )


def _judged(run: Run, units: list[tuple[tuple[int, int], Unit]], field: Field) -> Judged:
    """Return a run's verdicts on the scale of the field: a unit that the judge excluded has none, as with people."""
    candidates = np.array([candidate for (_, candidate), _ in units], dtype=np.int64)
    correct = run.verdicts.correctness_of(candidates).tolist()
    has_own = any(option.id == EXCLUDED for option in field.options)
    return Judged(
        run.party,
        tuple(None if said == EXCLUDED and not has_own else said for said in run.verdicts.said_of(candidates)),
        tuple(None if math.isnan(verdict) else bool(verdict) for verdict in correct),
    )


def _judges(run: Run, phase: Phase, field: Field) -> bool:
    """Return whether a run's verdicts concern a field: this one in particular, or whether candidates are correct."""
    if run.field:
        return run.field == f"{phase.key}.{field.key}"
    return field.type == "correctness" and phase.rates == ["candidates"]


def _column(member: Member, field: Field, entries: Sequence[Entry | None]) -> Column:
    became = [_became(field, entry) for entry in entries]
    states, values = tuple(state for state, _ in became), tuple(value for _, value in became)
    years = "" if member.years is None else str(member.years)
    known = {**member.attributes, "specialty": member.specialty, "years": years}
    column = Column(
        member.party,
        states,
        values,
        member.group,
        known,
        position=tuple(entry.position if entry is not None else None for entry in entries),
        active_ms=tuple((entry.active_ms or None) if entry is not None else None for entry in entries),
    )
    if field.type != "preference":
        return column
    of_answers = tuple(
        None if value is None or entry is None else as_in_table(value, entry.sides)
        for entry, value in zip(entries, values, strict=True)
    )
    return replace(column, values=of_answers, seen=values)


def _became(field: Field, entry: Entry | None) -> tuple[State | None, Any]:
    """Return what became of a field in one assignment, and the answer if there is one."""
    if entry is None:
        return None, None
    if entry.status != "answered":
        return ("not_shown" if entry.status == "technical_failure" else entry.status), None  # type: ignore[return-value]
    given = dict(entry.fields)
    value = given.get(field.key)
    if is_undetermined(value):
        return "undetermined", None
    if value is not None:
        return "answered", value
    if not _is_asked(field, given):
        return "not_asked", None
    # A rater who may choose any number of options and chooses none has answered that none applies.
    return "empty", () if field.type in SETS else None


def _is_asked(field: Field, given: Mapping[str, Any]) -> bool:
    """Return whether an unanswered field was asked, given the answer that it depends on."""
    if field.when is not None and given.get(field.when.field) not in field.when.values:
        return False
    if field.options_by is None:
        return True
    above = given.get(field.options_by.field)
    return any(part.options for part in field.options_by.offered if part.value == above)


def _asked_of(rows: ListedRows, step: str, field: Field, item_id: int) -> FieldKey | None:
    """Return a field as it was asked about an item; None if answers or references are rated."""
    return next((key for key in rows.keys.of(step, item_id) if key.field.key == field.key), None)
