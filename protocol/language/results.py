"""The fields that phases fill in, and the values that answers and attributes can have in rules that use them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from protocol.fields import NUMBERS, ORDERED
from protocol.language import expansion as expanded
from protocol.language.authored_plan import AuthoredEstimate
from protocol.language.misfits import PHASE_ABOVE, Misfits

_YES_NO = {"yes": "yes", "no": "no", "true": "yes", "false": "no"}
_WITH_A_MEAN = ORDERED | NUMBERS


def filled_in(phase: expanded.Phase, forms: Mapping[str, Sequence[expanded.Field]]) -> list[expanded.Field]:
    """Return the fields that are filled in during a phase; if each item names its form, those of all forms."""
    return list(phase.fields) or [asked for fields in forms.values() for asked in fields]


# The name under `where` in a line of a plan that selects the form of the items.
FORM = "form"


def fields_of_line(
    line: AuthoredEstimate, phases: Iterable[expanded.Phase], forms: Mapping[str, Sequence[expanded.Field]]
) -> dict[str, expanded.Field]:
    """Return the fields that a line can name, by PHASE.FIELD; if items name their forms, only those of its form."""
    # Forms that do not exist are reported by another check.
    named = {*line.where.get(FORM, [])} & {*forms} or {*forms}
    in_forms = [field for form, fields in forms.items() if form in named for field in fields]
    known: dict[str, expanded.Field] = {}
    for phase in phases:
        for field in phase.fields or in_forms:
            known.setdefault(f"{phase.key}.{field.key}", field)
    return known


def form_named(study: expanded.Expansion, line: AuthoredEstimate) -> str | None:
    """Return the form that a line names; None if it names none, or if an attribute is called `form`."""
    is_attribute = any(each.key == FORM for each in study.attributes)
    return None if is_attribute or FORM not in line.where else line.where[FORM][0]


def require_result(
    name: str,
    values: Sequence[str],
    phases: Mapping[str, expanded.Phase],
    forms: Mapping[str, Sequence[expanded.Field]],
    misfits: Misfits,
    place: Sequence[str],
) -> None:
    """Note a `PHASE.FIELD` that nobody fills in, or values that it cannot have."""
    key, _, field = name.partition(".")
    if not misfits.require(place, key, phases, PHASE_ABOVE):
        return
    fields = filled_in(phases[key], forms)
    if not misfits.require(place, field, [asked.key for asked in fields], f"field of '{key}'"):
        return
    ids = [option.id for asked in fields if asked.key == field for option in asked.options]
    for value in values if ids else ():
        misfits.require(place, value, ids, f"option of '{name}'")


def require_values(
    name: str,
    values: Sequence[str],
    attributes: Sequence[expanded.Attribute],
    misfits: Misfits,
    place: Sequence[str],
) -> None:
    """Note values that a declared attribute cannot have."""
    declared = next((attribute for attribute in attributes if attribute.key == name), None)
    if declared is None:
        return
    ids = list(_YES_NO) if declared.type == "yes_no" else [option.id for option in declared.options]
    for value in values if ids else ():
        misfits.require(place, value, ids, f"value of '{name}'")


def values_as_stored(name: str, values: Sequence[str], attributes: Sequence[expanded.Attribute]) -> list[str]:
    """Return the values of a condition as attributes store them, with yes and no for booleans."""
    is_flag = name == "practice" or any(each.key == name and each.type == "yes_no" for each in attributes)
    return [_YES_NO.get(value, value) for value in values] if is_flag else list(values)


def is_probability(asked: expanded.Field) -> bool:
    """Return whether a confidence is a probability, by the `means` of its steps or by a range within 0 to 1."""
    if asked.steps is not None:
        return asked.means is not None
    low, high = asked.minimum, asked.maximum
    return low is not None and high is not None and 0 <= low < high <= 1


def lines_of_options(asked: expanded.Field) -> int:
    """Return how many lines of a list the options number (1, 2, 3 ..., and one for no match); 0 if they do not."""
    numbered = [option.id for option in asked.options if option.id.isdecimal()]
    names_lines = numbered == [str(line) for line in range(1, len(numbered) + 1)]
    return len(numbered) if asked.type == "choice" and names_lines and len(asked.options) > len(numbered) > 1 else 0


def is_number(asked: expanded.Field) -> bool:
    """Return whether answers are numbers, or steps that count as numbers, so that they have a mean."""
    return asked.type in _WITH_A_MEAN


def has_scores(asked: expanded.Field) -> bool:
    """Return whether answers have scores in which judges and people differ: numbers, or one option against others."""
    return asked.type == "correctness" or is_number(asked) or asked.positive is not None
