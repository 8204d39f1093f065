"""What new studies must not have, and frozen ones may: their versions keep it, and add nothing of the kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from protocol.fields import PLACES
from protocol.language.authored_plan import AuthoredEstimate, Estimated
from protocol.language.expansion import Expansion, Field, Option
from protocol.language.possible import POSSIBLE
from protocol.language.results import fields_of_line, filled_in, has_scores
from protocol.language.wording import place_in_words
from protocol.seen import problem_of_signs

# Estimates of scores in which judges and people differ, so that one of them is above the other.
_OF_SCORES: frozenset[Estimated] = frozenset({"direction", "uniformity", "corrected"})


def refused_since(study: Expansion, frozen: Expansion | None = None) -> Iterator[tuple[str, str]]:
    """Yield the place in a protocol, and a sentence, for what is not in the study of which this is a version."""
    stays = set() if frozen is None else set(_refused(frozen))
    yield from (said for said in _refused(study) if said not in stays)


def _refused(study: Expansion) -> Iterator[tuple[str, str]]:
    yield from _signs_not_seen(study)
    yield from _falling_ranges(study)
    for phase in study.phases:
        names = {condition.name: condition.values for condition in phase.source.where}
        for name, says in _by_places(study, names):
            instead = f"write let_in: {{answered: {name}}} for units on which one was set, or remove the condition."
            yield f"key phases.{phase.key}.from.where", f"{says}; {instead}"
    for path, line in _lines(study):
        for _, says in _by_places(study, line.where):
            yield place_in_words((*path, "where")), f"{says}; remove the condition."
        for says in _without_scores(study, line):
            yield place_in_words((*path, "estimate")), says


def _signs_not_seen(study: Expansion) -> Iterator[tuple[str, str]]:
    """Yield the titles, labels and options that contain a character which steers directions or has no width."""
    for place, written in _labels(study):
        if says := problem_of_signs(written):
            yield f"key {place}", says


def _labels(study: Expansion) -> Iterator[tuple[str, str]]:
    """Yield what people read as names of parts, with its place."""
    yield "title", study.title
    yield from ((f"groups.{group.key}", group.title) for group in study.groups)
    for each in study.attributes:
        place = f"attributes.{each.table}.{each.key}"
        yield f"{place}.label", each.label
        yield from _texts_of(f"{place}.options", each.options)
    for form in study.forms:
        yield from _labels_of(f"forms.{form.key}", form.fields)
    for phase in study.phases:
        place = f"phases.{phase.key}"
        yield f"{place}.title", phase.title
        yield from _labels_of(f"{place}.form", phase.fields)
        yield from _texts_of(f"{place}.not_assessable", phase.not_assessable)
        yield from _texts_of(f"{place}.flags", phase.flags)


def _labels_of(place: str, fields: Sequence[Field]) -> Iterator[tuple[str, str]]:
    for field in fields:
        yield f"{place}.{field.key}.label", field.label
        yield from _texts_of(f"{place}.{field.key}.options", field.options)


def _texts_of(place: str, options: Sequence[Option]) -> Iterator[tuple[str, str]]:
    # Without a text, the id is what is read.
    yield from ((place, words) for option in options for words in dict.fromkeys((option.id, option.text)))


def _falling_ranges(study: Expansion) -> Iterator[tuple[str, str]]:
    for each in study.attributes:
        low, high = each.minimum, each.maximum
        if low is not None and high is not None and low > high:
            says = f"the range is {low:g} to {high:g}, and its first number is the lowest value; exchange the two."
            yield f"key attributes.{each.table}.{each.key}.range", says


def _by_places(study: Expansion, where: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield the fields by whose places units are selected, although hardly two people choose the same place."""
    forms = {form.key: form.fields for form in study.forms}
    for name in where:
        key, _, field = name.partition(".")
        asked = [each for phase in study.phases if phase.key == key for each in filled_in(phase, forms)]
        types = {each.type for each in asked if each.key == field}
        if field and types and types <= PLACES:
            yield field, f"'{name}' is a place, which two people hardly ever give alike, so that it selects nothing"


def _without_scores(study: Expansion, line: AuthoredEstimate) -> Iterator[str]:
    """Yield the fields of a line about scores whose answers are only the same or not."""
    fields = fields_of_line(line, study.phases, {form.key: form.fields for form in study.forms})
    for name in line.of if line.estimate in _OF_SCORES else ():
        # Types for which the estimate is impossible are refused in any study.
        if name in fields and fields[name].type in POSSIBLE[line.estimate] and not has_scores(fields[name]):
            is_offered = fields[name].type != "as_item"
            has, instead = (
                ("has no positive option", "write `positive` in the field")
                if is_offered
                else ("has the options of each item", "name a field that says correct or incorrect")
            )
            yield (
                f"{line.estimate} is of correct and incorrect, of one option against all others, or of steps and "
                f"numbers, and '{name}' {has}; {instead}, or remove the line."
            )


def _lines(study: Expansion) -> Iterator[tuple[tuple[str | int, ...], AuthoredEstimate]]:
    plan = study.analysis
    if plan.primary is not None:
        yield ("analysis", "primary"), plan.primary
    yield from ((("analysis", "also", place), line) for place, line in enumerate(plan.also))
    yield from ((("analysis", "criteria", line.key), line) for line in plan.criteria)
