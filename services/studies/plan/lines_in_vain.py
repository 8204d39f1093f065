"""What a line of an analysis plan names to no effect: duplicates, and parts, groups or steps that contain nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from exchange.refusal import listed as alternatives
from exchange.refusal import nearest, shown
from protocol.language.authored_plan import RATER, AuthoredCriterion, AuthoredEstimate
from protocol.language.computed import columns_of_raters, number_columns
from protocol.language.expansion import Expansion, Phase
from protocol.language.results import fields_of_line, values_as_stored
from protocol.language.wording import listed, spoken
from services.studies.plan.lines_without_numbers import Under


class Valued(Protocol):
    """What the checks need to know of a unit."""

    def value_of(self, name: str) -> str: ...


def said_twice(line: AuthoredEstimate) -> Iterator[tuple[Under, str]]:
    """Yield the fields, answers or partners that a line names twice, so that its rows would be printed twice."""
    for key, names in (("of", line.of), ("as", line.using), ("with", line.against)):
        yield from (((key,), says) for says in named_twice(names))
    for name in line.over:
        if name in line.by:
            yield (), f"it is over the values of {name}, and each part by {name} has one value; remove it from by."


def named_twice(names: Sequence[str]) -> Iterator[str]:
    """Yield what to do about each name that occurs more than once in a list."""
    yield from (f"'{name}' is listed twice; remove one." for name in sorted({*names}) if names.count(name) > 1)


def of_nothing(
    study: Expansion, phase: Phase, line: AuthoredEstimate, units: Sequence[Valued]
) -> Iterator[tuple[Under, str]]:
    """Yield the parts of a line that will stay empty whatever is answered in a phase.

    Parameters
    ----------
    units
        The units that the line could be about, as far as known before anything is answered; empty if unknown.
    """
    if "step 1" in line.using and (phase.then is None or not phase.then.again):
        yield ("as",), f"'{phase.key}' has one step, since nothing is asked again after more was shown; remove step 1."
    if line.estimate == "difference" and line.compare is None:
        says = "a difference is between parts or groups, and none are named; add compare: group, or compare: ATTRIBUTE."
        yield (), says
    of_raters = columns_of_raters(study) | {"group", RATER}
    by_people = sorted(of_raters & {*line.by, *line.where, line.compare})
    if "settled" in line.using and by_people and phase.answers_of is None:
        says = (
            f"what is settled of a unit is one answer, and of no {spoken(by_people[0])}; remove settled, or the other."
        )
        yield ("as",), says
    if isinstance(line, AuthoredCriterion) and line.each_rater and line.estimate == "difference":
        yield ("each_rater",), "a difference is of the answers of all raters together; remove each_rater."
    if line.estimate == "flag_precision":
        yield from _of_no_flag(study, line)
    if line.estimate == "auc":
        yield from _of_no_number(study, phase, line)
    if line.estimate == "joint_rate":
        yield from _of_numbers(study, line)
        yield from _of_one_condition(phase, line, units)
    if phase.answers_of is None:  # In a pool, "group" means the group of an answer's author.
        yield from _of_no_group(study, phase, line)
    if phase.answers_of is not None or not units:
        return
    for name in (name for name in line.by if name not in of_raters):
        if not any(unit.value_of(name) for unit in units):
            says = f"no unit of '{phase.key}' has a value of {spoken(name)}, so that there are no parts; remove it."
            yield ("by",), says


def values_of_no_unit(study: Expansion, phase: Phase, line: AuthoredEstimate, units: Sequence[Valued]) -> str:
    """Return which values a line selects that no unit of a phase has, with those that there are; empty where all are.

    Parameters
    ----------
    units
        All that the phase could rate, by what is known before anything is answered.
    """
    of_raters = columns_of_raters(study) | {"group", RATER}
    said = []
    for name, written in line.where.items():
        if "." in name or name in of_raters:
            continue
        known = sorted({unit.value_of(name) for unit in units} - {""})
        for value in values_as_stored(name, written, study.attributes):
            if value not in known:
                there = f"expected {alternatives(known)}" if known else "and none is filled in"
                said.append(f"no unit has {spoken(name)} '{shown(value)}'{nearest(value, known)}, {there}")
    return "; ".join(said)


def _of_no_flag(study: Expansion, line: AuthoredEstimate) -> Iterator[tuple[Under, str]]:
    flags = [each.key for each in study.attributes if each.type == "yes_no" and each.table != "raters"]
    if len(line.over) == 1 and line.over[0] in flags:
        return
    there = f"expected {alternatives(flags)}" if flags else "and the study declares none"
    named = f"'{shown(', '.join(line.over))}' is none" if line.over else "none is named"
    says = f"the flag is one yes_no attribute of what is rated, and {named}, {there}; write over: ATTRIBUTE."
    yield ("over",), says


def _of_no_number(study: Expansion, phase: Phase, line: AuthoredEstimate) -> Iterator[tuple[Under, str]]:
    """Yield what is wrong in an area under the curve of scores, which is by numbers that the answers came with."""
    forms = {form.key: form.fields for form in study.forms}
    fields = fields_of_line(line, [phase], forms)
    columns = number_columns(study)
    if all(fields[name].type != "correctness" for name in line.of if name in fields) or (
        line.over and {*line.over} <= {*columns}
    ):
        return
    there = f"expected {alternatives(columns)}" if columns else "and the study declares none"
    none = [name for name in line.over if name not in columns]
    named = f"'{shown(', '.join(none))}' is none" if none else "none is named"
    says = f"an auc of scores is by a number of each candidate, and {named}, {there}; write over: ATTRIBUTE."
    yield ("over",), says


def _of_numbers(study: Expansion, line: AuthoredEstimate) -> Iterator[tuple[Under, str]]:
    for name in (each.key for each in study.attributes if each.key in line.over and each.bins):
        says = (
            f"a condition of joint_rate is each number of {spoken(name)}, and none of its levels (bins); name an "
            "ordinal attribute with the levels as its options."
        )
        yield ("over",), says


def _of_one_condition(phase: Phase, line: AuthoredEstimate, units: Sequence[Valued]) -> Iterator[tuple[Under, str]]:
    for name in line.over:
        values: dict[str, set[str]] = {}
        for unit in units:
            values.setdefault(unit.value_of("item"), set()).add(unit.value_of(name))
        if len(set().union(*values.values())) > 1 and all(len(own) == 1 for own in values.values()):
            says = (
                f"no item has units in '{phase.key}' of more than one {spoken(name)}, so that none has an answer in "
                "every condition; name the attribute in which the answers to one item differ."
            )
            yield ("over",), says


def _of_no_group(study: Expansion, phase: Phase, line: AuthoredEstimate) -> Iterator[tuple[Under, str]]:
    there = phase.by.groups
    wanted = line.where.get("group", there)
    for name in wanted:
        if name not in {group.key for group in study.groups}:
            yield ("where",), f"there is no group '{name}', expected {listed(there)}; correct the name."
        elif name not in there:
            yield ("where",), f"nobody of the group '{name}' works in '{phase.key}'; remove it, or name another phase."
    if line.compare == "group" and len(study.groups) > 1 and len(there) < 2:
        yield (), f"groups of raters are compared, and one works in '{phase.key}'; remove compare."
