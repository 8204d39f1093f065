"""Selections that no unit can ever meet, regardless of tables and answers: a sentence for each.

Selections that only the tables show to be empty, such as a model without answers, are reported when units are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import date

from protocol.fields import NUMBERS, ORDERED
from protocol.fields.number import parsed
from protocol.language.expansion import Condition, Entry, Expansion, Field, Phase
from protocol.language.narrowing import values_of
from protocol.language.results import filled_in
from protocol.language.wording import listed

_FORMATS = ("yes_no", "choice", "open")
_ANSWERS = frozenset({"candidates", "pairs", "answers"})


def never_true(study: Expansion) -> Iterator[tuple[str, str]]:
    """Yield the selections of a study that can never be met: key, and a sentence."""
    for phase in study.phases:
        for entry in phase.source.let_in:
            for says in _of_entry(study, phase, entry):
                yield f"phases.{phase.key}.from.let_in", says
        for condition in phase.source.where:
            of = _of_result(study, condition) if "." in condition.name else _of_attribute(study, phase, condition)
            for says in of:
                yield f"phases.{phase.key}.from.where", says
        for key, says in _of_sample(study, phase):
            yield f"phases.{phase.key}.from.sample.{key}", says
        for says in _drawn_later(study, phase):
            yield f"phases.{phase.key}.from.sample.not_in", says
        for says in _never_asked(study, phase):
            yield f"phases.{phase.key}.from.where", says


def _of_sample(study: Expansion, phase: Phase) -> Iterator[tuple[str, str]]:
    """Yield the strata and limits of a sample that no unit of its phase can have: key, and a sentence."""
    sample = phase.source.sample
    if sample is None:
        return
    tables = {attribute.key: attribute.table for attribute in study.attributes}
    named = [("strata", name) for name in sample.strata] + [("at_most", limit.attribute) for limit in sample.at_most]
    for key, name in named:
        if tables.get(name) == "raters":
            yield (
                key,
                f"'{name}' describes raters, and units are sampled; name an attribute of cases, items or candidates.",
            )
        elif tables.get(name) == "candidates" and not _ANSWERS & set(phase.rates):
            yield key, f"'{name}' describes candidates, and {listed(phase.rates)} are rated; remove it."


def _drawn_later(study: Expansion, phase: Phase) -> Iterator[str]:
    """Yield a sentence for each phase under `not_in` that is drawn later, so that the sample cannot avoid it."""
    sample = phase.source.sample
    below = [other.key for other in study.phases[study.phases.index(phase) :]]
    for name in sample.not_in if sample else ():
        if name in below:
            yield f"'{name}' is drawn after '{phase.key}', which therefore cannot avoid it; write not_in there."


def _of_entry(study: Expansion, phase: Phase, entry: Entry) -> Iterator[str]:
    if phase.source.phase is None:
        return
    answered = study.phase(phase.source.phase)
    where = f"'{answered.key}'"
    if entry.reason == "flagged" and not answered.flags:
        yield f"nothing can be flagged in {where}, which has no flags; add flags there, or remove flagged."
    if entry.reason == "not_assessable" and not answered.not_assessable:
        yield (
            f"nothing can be called not assessable in {where}, which has no reasons for it; add not_assessable there, "
            "or remove it here."
        )
    if entry.reason == "differs" and (answered.by.together or answered.by.per_unit == 1):
        yield (
            f"each unit of {where} has one answer, which differs from no other; let at least two people answer it "
            "there (per_unit: 2), or remove differs."
        )
    for part in entry.differences:
        if part.steps > 1:
            yield from _of_steps(answered, _fields_called(study, answered, part.field), part.steps)


def _of_steps(answered: Phase, fields: Sequence[Field], steps: int) -> Iterator[str]:
    """Yield why answers can never be this many steps apart; an abstention is any number of steps from an answer."""
    apart = [_most_apart(asked) for asked in fields]
    if fields and all(most is None for most in apart):
        asked = fields[0]
        yield (
            f"answers to '{asked.key}' ({asked.type}) have no steps between them; write differs: {asked.key}, which "
            "asks whether they differ at all."
        )
        return
    most = max((most for most in apart if most is not None), default=math.inf)
    abstains = bool(answered.not_assessable) or any(asked.undetermined for asked in fields)
    if most < steps and not abstains:
        yield f"answers to '{fields[0].key}' are at most {most:g} apart, and never {steps}; write a smaller number."


def _most_apart(asked: Field) -> float | None:
    """Return how far apart two answers to a field can be; None if the type has no distance."""
    if asked.type in NUMBERS | {"confidence"}:
        return math.inf if asked.minimum is None or asked.maximum is None else asked.maximum - asked.minimum
    return len(asked.options) - 1.0 if asked.type in ORDERED else None


def _of_result(study: Expansion, condition: Condition) -> Iterator[str]:
    key, _, name = condition.name.partition(".")
    phase = study.phase(key)
    fields = _fields_called(study, phase, name)
    if phase.result in ("mean", "median") and all(_most_apart(asked) is None for asked in fields):
        yield (
            f"several answers to '{condition.name}' become their {phase.result}, but a {fields[0].type} has none; "
            f"write another result in '{key}', or select differently."
        )
    for value in condition.values:
        problems = [_problem_of_answer(asked, value) for asked in fields]
        if problems and all(problems):
            yield f"nobody can answer '{value[:40]}' in '{condition.name}', {problems[0]}; correct the value."


def _problem_of_answer(asked: Field, value: str) -> str:
    """Return why a field cannot have a value, or an empty text; options are checked when the field is expanded."""
    if asked.steps is not None:
        steps = [str(step) for step in range(1, asked.steps + 1)]
        return "" if value in steps else f"which takes the steps 1 to {asked.steps}"
    if asked.type not in NUMBERS | {"confidence"}:
        return ""
    number = parsed(value)
    if number is None:
        return "which takes numbers"
    least = -math.inf if asked.minimum is None else asked.minimum
    most = math.inf if asked.maximum is None else asked.maximum
    return "" if least <= number <= most else f"which takes numbers from {least:g} to {most:g}"


def _of_attribute(study: Expansion, phase: Phase, condition: Condition) -> Iterator[str]:
    name = condition.name
    declared = next((attribute for attribute in study.attributes if attribute.key == name), None)
    table = "candidates" if name == "model" else "items" if declared is None else declared.table
    if table == "raters":
        yield f"'{name}' describes raters, and units are selected; name an attribute of cases, items or candidates."
        return
    if table == "candidates" and not _ANSWERS & set(phase.rates):
        yield f"'{name}' describes candidates, and {listed(phase.rates)} are rated; remove the condition."
        return
    kind = name if declared is None else declared.type
    for value in condition.values:
        if says := _problem_of_value(kind, value):
            yield f"no unit can have {name} '{value[:40]}', {says}; correct the value."
    yield from _selected_otherwise(study, phase, condition, table)


def _problem_of_value(kind: str, value: str) -> str:
    """Return why a type, or a column of every study, cannot have a value, or an empty text."""
    if kind == "format":
        return "" if value in _FORMATS else f"which is one of {listed(_FORMATS, 'or')}"
    if kind in ("practice", "yes_no"):
        return "" if values_of([value]) <= {"yes", "no"} else "which is yes or no"
    if kind == "number":
        number = parsed(value)
        return "which is a number" if number is None else _written_otherwise(value, f"{float(number):.15g}")
    if kind == "date":
        try:
            return _written_otherwise(value, date.fromisoformat(value).isoformat())
        except ValueError:
            return "which is a date, as 2024-06-01"
    # The ids of options are checked when the condition is expanded.
    return "" if kind in ("choice", "ordinal") else _written_otherwise(value, value.strip())


def _written_otherwise(value: str, stored: str) -> str:
    """Return how a value is stored, if it is written differently, so that nothing would match; else an empty text."""
    return "" if value == stored else f"which is stored as '{stored[:40]}'"


def _selected_otherwise(study: Expansion, phase: Phase, condition: Condition, table: str) -> Iterator[str]:
    """Yield a sentence if the phase that the units come from has none of a condition's values."""
    above = phase.source.phase
    wanted = values_of(condition.values)
    while above is not None:
        source = study.phase(above)
        # An attribute of candidates means something else for another kind of units.
        if table == "items" or table == "cases" or source.rates == phase.rates:
            for other in source.source.where:
                if other.name == condition.name and not wanted & values_of(other.values):
                    yield (
                        f"the units come from '{above}', which has only those with {condition.name} "
                        f"{listed(other.values, 'or')}; remove one of the two conditions."
                    )
        above = source.source.phase


def _never_asked(study: Expansion, phase: Phase) -> Iterator[str]:
    """Yield fields that are not asked, or cannot have the value, given another condition on the field above them."""
    wanted = {condition.name: set(condition.values) for condition in phase.source.where if "." in condition.name}
    for name, values in wanted.items():
        key, _, field = name.partition(".")
        answered = study.phase(key)
        if answered.result in ("mean", "median"):
            continue
        for asked in _fields_called(study, answered, field):
            above = asked.when.field if asked.when else asked.options_by.field if asked.options_by else ""
            given = wanted.get(f"{key}.{above}")
            if given is None:
                continue
            if asked.when and not given & set(asked.when.values):
                yield (
                    f"'{name}' is asked only where '{above}' is {listed(asked.when.values, 'or')}, and another "
                    f"condition wants {listed(sorted(given), 'or')}; remove one of the two."
                )
            elif asked.options_by:
                offered = {
                    option for part in asked.options_by.offered if part.value in given for option in part.options
                }
                if not offered & values:
                    yield (
                        f"'{name}' offers no {listed(sorted(values), 'or')} where '{above}' is "
                        f"{listed(sorted(given), 'or')}; remove one of the two conditions."
                    )


def _fields_called(study: Expansion, phase: Phase, key: str) -> list[Field]:
    """Return the fields with this key that are filled in during a phase: one, or one from each form."""
    forms = {form.key: form.fields for form in study.forms}
    return [asked for asked in filled_in(phase, forms) if asked.key == key]
