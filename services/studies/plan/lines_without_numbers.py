"""Lines of an analysis plan that can never yield a number, whatever is answered: a sentence for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Protocol, TypeVar

from exchange.study_folder.folder_rows import ReferenceRow
from protocol.fields import LISTS
from protocol.language.authored_plan import AuthoredCriterion, AuthoredEstimate, are_right_at_once
from protocol.language.computed import is_computed
from protocol.language.expansion import Expansion, Field, Phase
from protocol.language.results import FORM, is_number
from protocol.language.wording import listed

# The key within a line that is wrong; empty if the whole line is.
Under = tuple[()] | tuple[str]
_OF_RIGHT_ANSWERS = frozenset({"accuracy", "macro_f1", "auc", "calibration", "distance"})


class Rated(Protocol):
    """What the checks need to know of a unit."""

    @property
    def item_key(self) -> str: ...

    @property
    def form(self) -> str: ...


RatedUnit = TypeVar("RatedUnit", bound=Rated)


def needs_reference(field: Field, line: AuthoredEstimate) -> bool:
    """Return whether an estimate of a field compares answers with what counts as right."""
    if field.type == "correctness":
        return False  # People decide what is right.
    if line.estimate == "difference":
        return not is_number(field)
    if line.estimate == "pass_at":
        return field.type in LISTS
    return line.estimate in _OF_RIGHT_ANSWERS or are_right_at_once(line)


class References:
    """The fields of each item in which a program can compare answers with what counts as right."""

    def __init__(self, rows: Sequence[ReferenceRow]) -> None:
        self._fields: dict[str, set[str]] = defaultdict(set)
        self._with_accepted: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            if row.accepted:
                self._with_accepted[row.item].add("")
            if row.accepted or row.low is not None or row.high is not None:
                self._fields[row.item].add("")
            said = (line for line in row.fields if line.says_something and line.compared_by == "program")
            for line in said:
                self._fields[row.item].add(line.field)
                if line.accepted:
                    self._with_accepted[row.item].add(line.field)

    def answers(self, item: str, field: Field) -> bool:
        """Return whether an item has a reference for a field; a line that names no field is about the primary one."""
        return _is_among(field, self._fields.get(item, set()))

    def used_by(self, line: AuthoredEstimate) -> Callable[[str, Field], bool]:
        """Return what says whether an item has a reference that a line can use: distances are to accepted points."""
        return self._accepts_a_point if line.estimate == "distance" else self.answers

    def _accepts_a_point(self, item: str, field: Field) -> bool:
        return _is_among(field, self._with_accepted.get(item, set()))


def _is_among(field: Field, known: Set[str]) -> bool:
    return field.key in known or (field.primary and "" in known)


def without_reference(
    study: Expansion, phase: Phase, line: AuthoredEstimate, units: Sequence[Rated], references: References
) -> Iterator[str]:
    """Yield a sentence for each field that a line names in a phase and in which no answer can be right or wrong.

    Parameters
    ----------
    units
        The units that the line could be about, as far as known before anything is answered.
    """
    for wanted in (name.partition(".")[2] for name in line.of if name.partition(".")[0] == phase.key):
        fields = _fields_held_against(study, phase, line, wanted)
        if not fields:
            continue
        because = _because(study, phase, fields, units, references.used_by(line), line)
        if because:
            yield f"{line.estimate} of '{phase.key}.{wanted}' can never be computed: {because}"


def decidable(
    study: Expansion,
    phase: Phase,
    line: AuthoredEstimate,
    units: Sequence[RatedUnit],
    answers: Callable[[str, Field], bool],
) -> tuple[list[RatedUnit], str]:
    """Return the units on which a line can be computed, and words for what these have and the others lack.

    Parameters
    ----------
    answers
        Returns whether an item's reference says what is right in a field.
    """
    fields = _fields_held_against(study, phase, line, line.of[0].partition(".")[2])
    if not fields:
        return list(units), ""
    compared = [(form, _compared(study, phase, form, field)) for form, field in fields.items()]
    known = [
        unit
        for unit in units
        # The form of stored units is not known: any form that has the field will do.
        if any(form in ("", unit.form) or not unit.form for form, field in compared if answers(unit.item_key, field))
    ]
    return known, " with a reference" if len(known) < len(units) else ""


def _fields_held_against(study: Expansion, phase: Phase, line: AuthoredEstimate, wanted: str) -> dict[str, Field]:
    """Return, by form, the fields of a name whose answers a line compares with a reference; empty if it compares none.

    Among fields of one name the line is about the first that anybody is asked, but any of them will do here.
    """
    named = line.where.get(FORM)
    asked = [(form, field) for form, field in _asked(study, phase) if not form or named is None or form in named]
    fields = {form: field for form, field in asked if field.key == wanted}
    are_held = (needs_reference(field, line) and is_computed(study, field, phase, line) for field in fields.values())
    return fields if any(are_held) else {}


def _because(
    study: Expansion,
    phase: Phase,
    fields: Mapping[str, Field],
    units: Sequence[Rated],
    answers: Callable[[str, Field], bool],
    line: AuthoredEstimate,
) -> str:
    if "items" not in phase.rates:
        says = f"'{phase.key}' rates {listed(phase.rates)}, which have no reference; "
        if phase.then is not None and "candidate" in phase.then.shows:
            says += "let it rate items, with the model's answer in a column of items.csv that then shows, or "
        return f"{says}remove the line."
    compared = [(form, _compared(study, phase, form, field)) for form, field in fields.items()]
    keys = sorted({field.key for _, field in compared})
    if all(_is_shown(phase, line_shows, field) for _, field in compared for line_shows in _steps(phase)):
        return f"the reference of {listed(keys)} is shown there, so that no answer is held against it; remove the line."
    if units and not any(
        answers(unit.item_key, field) for unit in units for form, field in compared if form in ("", unit.form)
    ):
        if line.estimate == "distance":
            return (
                f"no line of references.csv accepts a point of {listed(keys)} on any of the {len(units)} units, and "
                "there is no distance to a mask; add points, or remove the line."
            )
        return (
            f"no line of references.csv says what is right in {listed(keys)} on any of the {len(units)} units, so that "
            "a program could compare; add lines, or remove the line."
        )
    return ""


def _asked(study: Expansion, phase: Phase) -> list[tuple[str, Field]]:
    """Return the fields of a phase, each with its form; the form is empty if every item has the same."""
    own = [("", field) for field in phase.fields]
    return own or [(form.key, field) for form in study.forms for field in form.fields]


def _compared(study: Expansion, phase: Phase, form: str, field: Field) -> Field:
    """Return the field whose answers are compared with a reference: for a confidence, the field that it is about."""
    same_form = (other for own, other in _asked(study, phase) if own == form)
    return next((other for other in same_form if other.key == field.about), field)


def _steps(phase: Phase) -> Sequence[Set[str]]:
    """Return what is shown in each step of a phase that asks for an answer."""
    shown = [frozenset(phase.shows)]
    if phase.then is not None and phase.then.again:
        shown.append(frozenset({*phase.shows, *phase.then.shows}))
    return shown


def _is_shown(phase: Phase, shown: Set[str], field: Field) -> bool:
    return bool({"reference", f"reference.{field.key}"} & shown)


def in_no_figure(study: Expansion, phase: Phase, line: AuthoredEstimate, named: Set[str]) -> Iterator[str]:
    """Yield why fields of a line are in no figure: their phase does not count, or no item has their form.

    Parameters
    ----------
    named
        The forms that items name; empty if unknown.
    """
    if not phase.counts:
        yield f"no figure is made of '{phase.key}', since it has counts: no; remove the line, or let the phase count."
        return
    if phase.source.practice == "only":
        yield f"no figure is made of '{phase.key}', since it has practice items alone; remove the line."
        return
    if phase.fields or not named:
        return
    for wanted in (name.partition(".")[2] for name in line.of if name.partition(".")[0] == phase.key):
        meant = line.where.get(FORM)
        having = {form.key for form in study.forms if any(field.key == wanted for field in form.fields)}
        forms = [form.key for form in study.forms if form.key in having and (meant is None or form.key in meant)]
        if forms and not named & {*forms}:
            yield (
                f"no unit of '{phase.key}' is filled in by the form {listed(forms)}, so that nobody is asked "
                f"'{wanted}'; name the form in items.csv, or remove the line."
            )


def in_several_forms(study: Expansion, phase: Phase, line: AuthoredEstimate, named: Set[str]) -> Iterator[str]:
    """Yield the fields of a line that several of the items' forms have; an estimate would cover only one of them."""
    if phase.fields or FORM in line.where:
        return
    for wanted in (name.partition(".")[2] for name in line.of if name.partition(".")[0] == phase.key):
        forms = _forms_with(study, wanted, named)
        if len(forms) > 1:
            yield (
                f"'{phase.key}.{wanted}' is a field of the forms {listed(forms)}, and a line is about one; name it, "
                f"such as where: {{form: {forms[0]}}}, with a line for each."
            )


def selected_in_several_forms(study: Expansion, line: AuthoredEstimate, named: Set[str]) -> Iterator[str]:
    """Yield the results that a line selects units by and that several forms have; only one form's would be selected."""
    for name in line.where if FORM not in line.where else ():
        key, _, wanted = name.partition(".")
        forms = _forms_with(study, wanted, named) if wanted and not study.phase(key).fields else []
        if len(forms) > 1:
            yield (
                f"'{name}' is a field of the forms {listed(forms)}, and its result in one selects units; name the "
                f"form, such as where: {{form: {forms[0]}, {name}: {line.where[name][0]}}}, with a line for each."
            )


def _forms_with(study: Expansion, wanted: str, named: Set[str]) -> list[str]:
    return [form.key for form in study.forms if form.key in named and any(each.key == wanted for each in form.fields)]


def people_of(study: Expansion, phase: Phase, line: AuthoredEstimate, there: Mapping[str, int]) -> int | None:
    """Return how many of the people that a line is about can work in a phase; None if not known yet.

    Parameters
    ----------
    there
        The number of people in each group, by group, if known; it counts if it exceeds the number planned.
    """
    groups = [group for group in study.groups if group.key in phase.by.groups]
    wanted = line.where.get("group")
    counts = [
        max(group.people or 0, there.get(group.key, 0)) if group.people is not None or group.key in there else None
        for group in groups
        if wanted is None or group.key in wanted
    ]
    return None if None in counts else sum(count for count in counts if count is not None)


def without_raters(
    study: Expansion, phase: Phase, line: AuthoredEstimate, there: Mapping[str, int] | None = None
) -> Iterator[tuple[Under, str]]:
    """Yield what a line requires of raters that the design lacks: the key within the line, and a sentence."""
    people = people_of(study, phase, line, there or {})
    planned = f"{'is' if people == 1 else 'are'} {'planned' if there is None else 'there or planned'}"
    if isinstance(line, AuthoredCriterion) and people is not None and people < line.least.raters:
        yield (
            ("least",),
            (
                f"{line.least.raters} raters are asked for, and for '{phase.key}' {people} {planned}; plan more people "
                "for its groups, or ask for fewer."
            ),
        )
    if line.estimate != "agreement" or line.against:
        return
    if "settled" in line.using and "given" not in line.using and "step 1" not in line.using:
        yield (), "agreement needs two answers to a unit, but a settled result is only one; remove as: settled."
        return
    if phase.by.per_unit == 1 or phase.by.together:
        yield (), f"agreement needs two raters of a unit, and each unit of '{phase.key}' has one; remove the line."
    elif people is not None and people < 2:
        yield (
            (),
            f"agreement needs two raters, and for '{phase.key}' {people} {planned}; plan more, or remove the line.",
        )
    elif phase.answers_of is None and (line.compare == "group" or "group" in line.by):
        # In a pool, "group" means the group of an answer's author.
        yield from _without_pairs_in_groups(study, phase, line, there)


def _without_pairs_in_groups(
    study: Expansion, phase: Phase, line: AuthoredEstimate, there: Mapping[str, int] | None
) -> Iterator[tuple[Under, str]]:
    """Yield that groups have too few raters to agree: fewer than two usable groups for a comparison, none by group."""
    wanted = line.where.get("group", phase.by.groups)
    groups = [key for key in phase.by.groups if key in wanted]
    of_each = {
        key: people_of(study, phase, line.model_copy(update={"where": {"group": [key]}}), there or {}) for key in groups
    }
    alone = [key for key, people in of_each.items() if people is not None and people < 2]
    compared = line.compare == "group"
    # If two of three groups have pairs of raters, those two are compared.
    if len(groups) - len(alone) < (2 if compared else 1) and alone:
        planned = "is planned" if there is None else "is there or planned"
        says = f"agreement within a group needs two raters of it, and of {listed(alone)} in '{phase.key}' one {planned}"
        yield (), f"{says}; plan more, or remove the line."
