"""What the protocol of a version may change: texts to be read, and additions at the end of lists.

A stored verdict names its phase, fields and options only by their keys, so a key must keep its meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from protocol.language.expansion import Expansion, Field, Group, Phase
from protocol.language.sentences_of_plan import line_in_words
from protocol.language.wording import listed
from services.studies.versions.changes import ANEW, Change

# Texts that tell people what to do, and do not affect what was answered.
WORDS = ("instructions", "consent", "notice")
_COMPARED = ("name", "title", "seed", "dates", "hanging")
_APPENDED = ("also", "tables")
# The author's names for keys that are called differently in an expansion.
_WRITTEN = {"source": "from", "answers_of": "rates", "synonym_list": "synonyms", "minimum": "range", "maximum": "range"}


class _Reason(NamedTuple):
    """A change that a version must not make.

    Attributes
    ----------
    sentence
        The change and what to do about it.
    form, of_fields
        For a change to fields: the name of their form, and what is said of them, without the place.
    """

    sentence: str
    form: str = ""
    of_fields: str = ""


def changes_of_protocol(before: Expansion, after: Expansion) -> list[Change]:
    """Return the differences between two protocols that a version may have."""
    changes = [Change("text", name, "changed") for name in WORDS if getattr(before, name) != getattr(after, name)]
    for what, _, earlier, later in _lists(before, after):
        earlier_keys = [key for key, _ in earlier]
        changes += [Change(what, key, "added") for key, _ in later if key not in earlier_keys]
    old = {phase.key: phase for phase in before.phases}
    changes += [
        Change("phase", phase.key, "changed", ("instructions",))
        for phase in after.phases
        if phase.key in old and _own_instructions(before, old[phase.key]) != _own_instructions(after, phase)
    ]
    planned = {group.key: group.people for group in before.groups}
    changes += [
        Change("group", group.key, "changed", (f"planned people ({planned[group.key] or 'none'} to {group.people})",))
        for group in after.groups
        if group.key in planned and planned[group.key] != group.people
    ]
    earlier_plan, later_plan = before.analysis, after.analysis
    added = later_plan.also[len(earlier_plan.also) :]
    changes += [Change("estimate", line_in_words(after, estimate).rstrip("."), "added") for estimate in added]
    return changes


def with_interval_of(before: Expansion, after: Expansion) -> Expansion:
    """Return the protocol of a version with the intervals and P that were frozen, unless its author names others."""
    named = after.analysis.model_fields_set
    keys = ("interval_scale", "interval_same", "interval_of_numbers", "p_from", "p_in_clusters")
    frozen = {key: getattr(before.analysis, key) for key in keys if key not in named}
    return after.model_copy(update={"analysis": after.analysis.model_copy(update=frozen)})


def _own_instructions(study: Expansion, phase: Phase) -> str:
    """Return a phase's own instructions; empty if they are those of the study."""
    return "" if phase.instructions == study.instructions else phase.instructions


def reasons_against_protocol(before: Expansion, after: Expansion) -> Iterator[str]:
    """Yield the changes to a protocol that a version must not make, a sentence each."""
    for name in _COMPARED:
        if getattr(before, name) != getattr(after, name):
            yield f"Key {name} differs from before, and applies to all that was read; put it back, {ANEW}."
    forms: set[tuple[str, str]] = set()
    for what, place, earlier, later in _lists(before, after):
        for reason in _of_list(what, place, earlier, later):
            # Several phases may use one form of the study: differences within it are reported once, with the form.
            if what == "form":
                forms.add((reason.form, reason.of_fields))
            elif reason.of_fields and (reason.form, reason.of_fields) in forms:
                continue
            yield reason.sentence
    yield from _of_plan(before, after)


def _lists(before: Expansion, after: Expansion) -> list[tuple[str, str, list[tuple[str, Any]], list[tuple[str, Any]]]]:
    """Return everything that protocols list by key: the word for an entry, its place, and both lists."""
    return [
        ("group", "groups", [(row.key, row) for row in before.groups], [(row.key, row) for row in after.groups]),
        *_attributes(before, after),
        ("form", "forms", [(row.key, row) for row in before.forms], [(row.key, row) for row in after.forms]),
        ("phase", "phases", [(row.key, row) for row in before.phases], [(row.key, row) for row in after.phases]),
    ]


def _attributes(
    before: Expansion, after: Expansion
) -> Iterator[tuple[str, str, list[tuple[str, Any]], list[tuple[str, Any]]]]:
    """Yield the attributes by table: an expansion puts those of cases first, wherever an author adds them."""
    for table in dict.fromkeys(row.table for row in (*before.attributes, *after.attributes)):
        earlier, later = (
            [(row.key, row) for row in study.attributes if row.table == table] for study in (before, after)
        )
        yield "attribute", f"attributes.{table}", earlier, later


def _of_list(
    what: str, place: str, earlier: Sequence[tuple[str, Any]], later: Sequence[tuple[str, Any]]
) -> Iterator[_Reason]:
    there = dict(later)
    missing = [key for key, _ in earlier if key not in there]
    for key in missing:
        yield _Reason(f"{what.capitalize()} '{key}' is missing under {place}: a version removes nothing; put it back.")
    order = [key for key, _ in earlier if key in there]
    if [key for key, _ in later][: len(order)] != order:
        yield _Reason(
            f"Key {place} lists what was there before in another order; list it as before, and what is new after it."
        )
    for key, row in earlier:
        if key in there:
            yield from _of_one(what, key, row, there[key])


def _of_one(what: str, key: str, row: Any, other: Any) -> Iterator[_Reason]:
    before, after = row.model_dump(), other.model_dump()
    if "fields" in before:
        form = row.form if isinstance(row, Phase) else key
        for said in _of_fields(row.fields, other.fields):
            yield _Reason(f"{what.capitalize()} '{key}': {said}", form, said)
        before["fields"] = after["fields"] = []
    if isinstance(row, Group):
        yield from map(_Reason, _of_people(row, other))
        before["people"] = after["people"] = None
    if isinstance(row, Phase):
        before["instructions"] = after["instructions"] = ""
    # A key that has its default may be left out.
    names = dict.fromkeys((*before, *after))
    changed = _as_written(name for name in names if before.get(name) != after.get(name))
    if changed:
        yield _Reason(
            f"{what.capitalize()} '{key}' differs in {listed(changed)}; a key always means what it "
            f"meant: put that back, or add {'an' if what == 'attribute' else 'a'} {what} of another key."
        )


def _as_written(names: Iterable[str]) -> list[str]:
    """Return the protocol keys that correspond to these names of an expansion."""
    return list(dict.fromkeys(_WRITTEN.get(name, name) for name in names))


def _of_people(group: Group, other: Group) -> Iterator[str]:
    """Yield changes to the planned people; a group may get more, because that changes nothing already dealt."""
    if group.people is not None and (other.people or 0) < group.people:
        fewer = "nobody in particular" if other.people is None else other.people
        yield (
            f"Group '{group.key}' plans {fewer}, and {group.people} were planned, to whom units were dealt; plan as "
            "many or more."
        )


def _of_fields(earlier: Sequence[Field], later: Sequence[Field]) -> Iterator[str]:
    """Yield the changes to the fields of a form, without its place."""
    there = {field.key: field for field in later}
    for field in earlier:
        other = there.get(field.key)
        if other is None:
            yield f"field '{field.key}' is missing, which answers name; put it back, {ANEW}."
        elif other.type != field.type:
            yield (
                f"field '{field.key}' was of type {field.type} and is of type {other.type}; a field keeps its "
                "type: put it back, or ask it in a phase that is added."
            )
        elif [option.id for option in other.options] != [option.id for option in field.options]:
            yield f"field '{field.key}' {_of_options(field, other)}, ask it in a phase that is added, {ANEW}."
        elif [option.text for option in other.options] != [option.text for option in field.options]:
            texts = zip(field.options, other.options, strict=True)
            said = [f"'{old.text}' for '{old.id}', now '{new.text}'" for old, new in texts if old.text != new.text]
            yield (
                f"field '{field.key}' said {listed(said)}. Answers are counted by the id, under "
                "whichever words they were given, and no program tells a typo from another meaning: put the "
                f"text back and say in the instructions, which may change, how it is to be read, ask it in a phase "
                f"that is added, {ANEW}."
            )
        elif other != field:
            now = other.model_dump()
            changed = _as_written(name for name, value in field.model_dump().items() if now[name] != value)
            yield (
                f"field '{field.key}' differs in {listed(changed)}; put it back, ask it in a "
                f"phase that is added, {ANEW}."
            )
    added = [field.key for field in later if field.key not in {field.key for field in earlier}]
    if added:
        yield (
            f"{'fields' if len(added) > 1 else 'field'} {listed(added)} added, which nobody was asked before; "
            "ask it in a phase that is added."
        )


def _of_options(field: Field, other: Field) -> str:
    """Return how a field's options differ from before, with the first thing to do about it."""
    before, after = ([option.id for option in row.options] for row in (field, other))
    added = [f"'{key}'" for key in after if key not in before]
    if added and [key for key in after if key in before] == before:
        return (
            f"offers {listed(added)} anew, which nobody who answered could choose: with another choice it is another "
            "question; leave it out"
        )
    if not added and sorted(before) == sorted(after):
        return "offers its options in another order, which raters saw and a scale is counted by; list them as before"
    return "offers other option ids than those that answers name; put them back"


def _of_plan(before: Expansion, after: Expansion) -> Iterator[str]:
    """Yield changes to the plan: what was declared stays declared, and estimates may only be added at the end."""
    for name in type(before.analysis).model_fields:
        value, now = getattr(before.analysis, name), getattr(after.analysis, name)
        if now != value and not (name in _APPENDED and now[: len(value)] == value):
            yield (f"Key analysis.{name} differs from what was declared before anything was read; put it back, {ANEW}.")
