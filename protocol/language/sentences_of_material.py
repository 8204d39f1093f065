"""Who rates what, in words: people, kinds of units, what selects them and what is drawn."""

from __future__ import annotations

from protocol.language.expansion import Condition, Entry, Expansion, Field, People, Phase, Sample, Source
from protocol.language.results import filled_in
from protocol.language.things import RATED, shows_the_reference
from protocol.language.wording import capital, listed, mid, number, size_in_words, spoken

# Words for the values of attributes that every study has.
_OF_EVERY_STUDY = {"format": {"yes_no": "yes/no", "choice": "choice", "open": "open answer"}}


def groups_of(study: Expansion) -> str:
    """Return the people of a study, and which of them may be in two groups."""
    titles = {group.key: mid(group.title) for group in study.groups}
    people = []
    for group in study.groups:
        size = f" ({group.people})" if group.people else ""
        also = (
            f", who may also be {listed([titles[key] for key in group.may_also_be], 'or')},"
            if group.may_also_be
            else ""
        )
        people.append(f"{titles[group.key]}{size}{also}")
    apart = ""
    if len(people) > 1:
        apart = f" Nobody{' else' if any(group.may_also_be for group in study.groups) else ''} is in two groups."
    return f"People: {listed(people).removesuffix(',')}.{apart}"


def who_rates_what(study: Expansion, phase: Phase) -> str:
    """Return the first sentence about a phase."""
    without = [f"“{study.phase(key).title}”" for key in phase.by.not_in]
    never = f" Nobody is given here what they were given in {listed(without, 'or')}." if without else ""
    return capital(f"{_who(study, phase.by, _verb(phase))} {_every(phase)}{_material(study, phase)}.{never}")


def _every(phase: Phase) -> str:
    drawn = phase.source.sample or phase.source.let_in
    return "" if drawn or phase.by.together or phase.by.per_unit is not None else "all "


def _verb(phase: Phase) -> str:
    """Return the verb for a phase, which is to review for items shown with their reference or answered before."""
    if phase.source.let_in or phase.settles or (phase.rates == ["items"] and shows_the_reference(set(phase.shows))):
        return "review"
    # If a phase rates two kinds, they are models' and people's answers, and both are scored.
    return RATED[phase.rates[0]].verb


def _who(study: Expansion, by: People, verb: str) -> str:
    groups = [group for group in study.groups if group.key in by.groups]
    people = listed([mid(group.title) for group in groups])
    if by.together:
        return f"the {people} meet and {verb} together"
    if by.per_unit == 1:
        return f"one of the {people} {verb}s each of the"
    if by.per_unit is not None:
        return f"any {number(by.per_unit)} of the {people} {verb} each of the"
    if [group.people for group in groups] == [1]:
        return f"one person ({people}) {verb}s"
    return f"{'both' if [group.people for group in groups] == [2] else 'all'} {people} {verb}"


def _material(study: Expansion, phase: Phase) -> str:
    kinds = []
    for kind in phase.rates:
        of = f" given in “{study.phase(phase.answers_of).title}”" if kind == "answers" and phase.answers_of else ""
        kinds.append(RATED[kind].units + of)
    pool = listed(kinds) + (", in one shuffled pool" if len(kinds) > 1 else "")
    return pool + _source(study, phase, RATED[phase.rates[0]].again)


def _source(study: Expansion, phase: Phase, units: str) -> str:
    source = phase.source
    of = " of the items of" if phase.rates == ["references"] else " of"
    said = f"{of} “{study.phase(source.phase).title}”" if source.phase else ""
    attributes = [_attribute(study, each) for each in source.where if "." not in each.name]
    if attributes:
        said += f" ({'; '.join(attributes)})"
    for each in source.where:
        if "." in each.name:
            said += f" {_result(study, each, named=source.phase)}"
    if source.let_in:
        said += ", those " + listed([_entry(study, source, entry) for entry in source.let_in], "or")
        said += f", with {source.controls} more as unmarked controls" if source.controls else ", without controls"
    return said + (_sample(study, phase, source.sample, units) if source.sample else "")


def _attribute(study: Expansion, condition: Condition) -> str:
    values = [value_text(study, condition.name, value) for value in condition.values]
    return f"{spoken(condition.name)}: {listed(values, 'or')}"


def _result(study: Expansion, condition: Condition, named: str | None) -> str:
    """Return the answer that selects units, in words; `named` is the phase that the sentence has already named."""
    label, title, values = result_words(study, condition)
    where = "" if condition.name.partition(".")[0] == named else f" in “{title}”"
    return f"for which “{label}” was answered {listed(values, 'or')}{where}"


def result_words(study: Expansion, condition: Condition, form: str | None = None) -> tuple[str, str, list[str]]:
    """Return the label of a field, the title of its phase, and the texts of the values of a `PHASE.FIELD`."""
    key, _, field = condition.name.partition(".")
    asked = field_of(study, key, field, form)
    texts = {option.id: option.text for option in asked.options} if asked else {}
    return (
        asked.label if asked else field,
        study.phase(key).title,
        [mid(texts.get(value, value)) for value in condition.values],
    )


def field_of(study: Expansion, phase: str, field: str, form: str | None = None) -> Field | None:
    """Return a field that is filled in during a phase; None if there is none, as in older protocols.

    Parameters
    ----------
    form
        The form that is meant, if items name their forms; None for the first form that has the field.
    """
    forms = {own.key: own.fields for own in study.forms if form in (None, own.key)}
    return next((asked for asked in filled_in(study.phase(phase), forms) if asked.key == field), None)


def value_text(study: Expansion, attribute: str, value: str) -> str:
    """Return a value of an attribute in words: the text of its option, if it has one."""
    declared = next((each for each in study.attributes if each.key == attribute), None)
    texts = {option.id: option.text for option in declared.options} if declared else _OF_EVERY_STUDY.get(attribute, {})
    return texts.get(value, value)


def _entry(study: Expansion, source: Source, entry: Entry) -> str:
    def label(field: str) -> str:
        asked = field_of(study, source.phase, field) if source.phase else None
        return f"“{asked.label if asked else field}”"

    if entry.reason == "differs":
        named = [
            f"in {label(part.field)}" + (f" by {part.steps} steps or more" if part.steps > 1 else "")
            for part in entry.differences
        ]
        return "on which the answers differ" + (f" {listed(named, 'or')}" if named else "")
    if entry.reason == "answered":
        return f"for which somebody filled in {label(entry.field or '')}"
    return "that somebody flagged" if entry.reason == "flagged" else "that somebody called not assessable"


def _sample(study: Expansion, phase: Phase, sample: Sample, units: str) -> str:
    strata = listed([spoken(key) for key in sample.strata])
    what = " items" if sample.keeps_items_together else ""
    counted = "items" if sample.keeps_items_together else units
    if sample.sizes:
        sizes = [f"{size_in_words(part.size)} of {_stratum(study, sample, part.stratum)}" for part in sample.sizes]
        said = f";{what} drawn at random by {strata}: {listed(sizes)}"
    elif sample.size == "all":
        said = "; all of them"
    else:
        each = _each_stratum(study, phase, sample)
        shares = {
            "proportional": f" in proportion to the number of {counted} of {each} in the pool",
            "equal": f", equally many of {each}",
        }
        how = shares[sample.allocation] if sample.strata else ""
        said = f"; {size_in_words(sample.size)}{what or ' of them'} drawn at random{how}"
    if sample.at_most:
        limits = [f"{number(limit.most)} per {spoken(limit.attribute)}" for limit in sample.at_most]
        said += f", at most {listed(limits)}"
    if sample.not_in:
        titles = {phase.key: f"“{phase.title}”" for phase in study.phases}
        said += f", none about a subject of {listed([titles.get(key, key) for key in sample.not_in], 'or')}"
    return said + (", each with all its answers" if sample.keeps_items_together else "")


def _each_stratum(study: Expansion, phase: Phase, sample: Sample) -> str:
    """Return what a stratum has in common; for pairs, two values of the column in which their answers differ."""
    of_answers = {"model"} | {each.key for each in study.attributes if each.table == "candidates"}
    differs = [key for key in sample.strata if phase.pairs and key in of_answers and key not in phase.pairs.same]
    if not differs:
        return f"each {listed([spoken(key) for key in sample.strata])}"
    two = ["every two models" if key == "model" else f"every two values of {spoken(key)}" for key in differs]
    return listed(two + [f"each {spoken(key)}" for key in sample.strata if key not in differs])


def _stratum(study: Expansion, sample: Sample, stratum: str) -> str:
    if len(sample.strata) == 1:
        key = sample.strata[0]
        if any(each.key == key and each.type == "yes_no" for each in study.attributes):
            return f"those with {spoken(key)} {stratum}"
        return value_text(study, key, stratum)
    return stratum
