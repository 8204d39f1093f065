"""Phases that rate people's answers, alone or in a pool with models' answers: what such a pool contains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from protocol.fields import PLACES
from protocol.language.expansion import Condition, Expansion, Field, Phase, Sample, Source
from protocol.language.narrowing import NO_VALUE, sources_of, values_drawn, values_of

# Columns that the exported candidates.csv adds for answers in a pool.
_EXPORTED = frozenset({"written_by", "author", "given_in"})
# Columns of every items.csv by which items are selected.
_OF_ITEMS = frozenset({"category", "format", "grounding"})
# Columns of candidates.csv that identify its rows; a field of that name could have no column.
_TAKEN_NAMES = frozenset({"candidate", "item", "model"})


def rates_texts(phase: Phase) -> bool:
    """Return whether a phase rates answers of models, people or both, all of which are candidates."""
    return bool(phase.rates) and set(phase.rates) <= {"candidates", "answers"}


def kind_rated(phase: Phase) -> str:
    """Return the kind of unit that a phase rates; people's answers are candidates too."""
    return "candidates" if rates_texts(phase) else phase.rates[0]


def takes_of(study: Expansion, phase: Phase) -> list[str]:
    """Return the keys of the fields that a pool lays out; without `takes`, the primary field of each form."""
    if phase.answers_of is None:
        return []
    forms = _forms(study, study.phase(phase.answers_of)).values()
    primaries = [asked.key for fields in forms for asked in fields if asked.primary]
    return list(phase.takes) or list(dict.fromkeys(primaries))


def fields_taken(study: Expansion, phase: Phase, form: str) -> list[Field]:
    """Return the fields that are laid out for an item that names this form, in order of the layout."""
    if phase.answers_of is None:
        return []
    forms = _forms(study, study.phase(phase.answers_of))
    asked = {field.key: field for field in forms.get(form, forms.get("", ()))}
    return [asked[key] for key in takes_of(study, phase) if key in asked]


def with_places_as_shown(study: Expansion) -> Expansion:
    """Return a study whose pools lay out points as the crosshair shows them."""
    takes_places = {
        phase.key
        for phase in study.phases
        for form in ("", *(form.key for form in study.forms))
        if any(asked.type in PLACES for asked in fields_taken(study, phase, form))
    }
    phases = [
        phase.model_copy(update={"places": "as_shown"}) if phase.key in takes_places else phase
        for phase in study.phases
    ]
    return study.model_copy(update={"phases": phases})


def lays_places_out_in_mm(study: Expansion) -> bool:
    """Return whether a pool of a study lays out points in mm even in images, as it did when it was imported."""
    now = with_places_as_shown(study)
    return any(former.places != phase.places for former, phase in zip(study.phases, now.phases, strict=True))


def pools_of_models(study: Expansion) -> list[Phase]:
    """Return the phases that rate models' answers among people's; what two of them lay out differently is apart."""
    return [phase for phase in study.phases if phase.answers_of and "candidates" in phase.rates]


def columns_of_models(study: Expansion) -> set[str]:
    """Return the columns that select among models' answers only."""
    return {"model", *(attribute.key for attribute in study.attributes if attribute.table == "candidates")}


def of_both(study: Expansion, source: Source) -> tuple[Source, Source]:
    """Return a source split into its conditions on all answers and its conditions on models' answers only.

    A model, or a column of candidates.csv, neither selects nor excludes people's answers.
    """
    columns = columns_of_models(study)
    of_models = [condition for condition in source.where if condition.name in columns]
    others = [condition for condition in source.where if condition.name not in columns]
    return source.model_copy(update={"where": others}), source.model_copy(update={"where": of_models})


def tells_apart(study: Expansion, former: Phase, latter: Phase) -> bool:
    """Return whether an earlier pool of the same people's answers gives away some authors in a later pool.

    If the two share no model, texts that recur are people's; if the earlier pool left people out, they are models'. If
    the earlier pool left out some of the models' answers but none of the people's, new texts are models', and vice
    versa. If it left out some of both, new texts say nothing. How many people's answers there will be is not known, so
    a number of them counts as all and as some.
    """
    before, now = _held_by(study, former), _held_by(study, latter)
    if not now.people or not all(now.models.values()):
        return False
    both = before.models.keys() & now.models.keys()
    shares_models = all(before.models.values()) and all(before.models[name] & now.models[name] for name in both)
    if not before.people:
        return shares_models
    has_other_models = not all(name in both and now.models[name] <= values for name, values in before.models.items())
    left_out = _left_to_chance(study, former, apart_from=latter)
    one_kind = left_out.people != (left_out.models or has_other_models)
    return not shares_models or one_kind or left_out.may_be_of_one_kind


@dataclass(frozen=True)
class _Held:
    """The content of a pool: people's answers or not, models' by values of columns, and whether chance chose them."""

    people: bool
    models: Mapping[str, Set[str]]


@dataclass(frozen=True)
class _Chance:
    """Whether a pool leaves out some of the people's answers that it could hold, and some of the models'.

    Attributes
    ----------
    may_be_of_one_kind
        Whether one kind may turn out to be drawn to the last answer, while some of the other are left out.
    """

    people: bool
    models: bool
    may_be_of_one_kind: bool


def _held_by(study: Expansion, pool: Phase) -> _Held:
    columns = columns_of_models(study)
    people = True
    models: dict[str, Set[str]] = {}
    for source in sources_of(study, pool):
        selected = [(condition.name, values_of(condition.values)) for condition in source.where]
        # These conditions exclude no person's answer, and as strata they put all people's answers into one stratum.
        for name, values in values_drawn(source):
            people = people and (name not in columns or NO_VALUE in values)
            selected.append((name, values - {NO_VALUE}))
        for name, values in selected:
            if name in columns:
                models[name] = models.get(name, values) & values
    return _Held(people, models)


def _left_to_chance(study: Expansion, pool: Phase, apart_from: Phase) -> _Chance:
    """Return whose answers are left out by draws that the other pool does not share."""
    columns = columns_of_models(study)
    shared = [id(source) for source in sources_of(study, apart_from)]
    samples = [each.sample for each in sources_of(study, pool) if id(each) not in shared and each.sample is not None]
    return _Chance(
        people=any(_leaves_out_people(sample, columns) for sample in samples),
        models=any(_leaves_out_models(sample, columns) for sample in samples),
        may_be_of_one_kind=any(_may_exhaust_one_kind(sample, columns) for sample in samples),
    )


def _may_exhaust_one_kind(sample: Sample, columns: Set[str]) -> bool:
    """Return whether people's and models' answers are drawn apart, in numbers that may be all there are of one kind."""
    if any(limit.attribute in columns for limit in sample.at_most):
        return True
    if not any(name in columns for name in sample.strata) or sample.allocation == "proportional":
        return False
    sizes = [part.size for part in sample.sizes] or [sample.size]
    return sample.allocation == "equal" or not all(_is_whole(size) or size.endswith("%") for size in sizes)


def _leaves_out_people(sample: Sample, columns: Set[str]) -> bool:
    # A limit by a column of models' answers does not limit people's, which have no value there.
    limits = any(limit.attribute not in columns for limit in sample.at_most)
    return bool(sample.not_in) or limits or not all(_is_whole(size) for size in _sizes_of(sample, columns, people=True))


def _leaves_out_models(sample: Sample, columns: Set[str]) -> bool:
    sizes = _sizes_of(sample, columns, people=False)
    return bool(sample.not_in or sample.at_most) or not all(_is_whole(size) for size in sizes)


def _sizes_of(sample: Sample, columns: Set[str], *, people: bool) -> Iterator[str]:
    """Yield the sizes by which people's answers are drawn, or models'; of one stratum of both, to either."""
    places = [place for place, name in enumerate(sample.strata) if name in columns]
    if not sample.sizes:
        yield sample.size
    for part in sample.sizes:
        values = part.stratum.split(" / ")
        if not places or people == all(values[place] == NO_VALUE for place in places):
            yield part.size


def _is_whole(size: str) -> bool:
    return size == "all" or not size.rstrip("%").strip("0. ")


def cannot_be_pooled(study: Expansion, phase: Phase) -> Iterator[tuple[str, str]]:
    """Yield what in a pool cannot be run, or would give away who wrote an answer: key, and a sentence."""
    if phase.answers_of is None:
        return
    answered = study.phase(phase.answers_of)
    if answered.rates != ["items"]:
        yield "rates", f"'{answered.key}' rates {' and '.join(answered.rates)}; only answers to items can be rated."
    if answered.source.practice != "never":
        yield "rates", f"'{answered.key}' is practice, whose answers are in no figure; name another phase."
    elif phase.source.practice != "never":
        yield "from", "a pool cannot contain answers to practice items; remove practice."
    if phase.order != "random":
        yield "order", "a pool is shuffled, as its order would say who wrote what; remove order."
    own = columns_of_models(study)
    for thing in [*phase.shows, *(phase.then.shows if phase.then else ())]:
        if thing in own:
            yield "shows", f"'{thing}' describes models' answers alone and would tell who wrote one; remove it."
    for key in sorted(own & _EXPORTED):
        yield "rates", f"'{key}' is a column of the exported candidates.csv; call the attribute otherwise."
    for key in takes_of(study, phase) if "candidates" in phase.rates else ():
        if key in own | _TAKEN_NAMES:
            yield "takes", f"'{key}' is a column of candidates.csv beside the answers; call the field otherwise."
    for other in study.phases[: study.phases.index(phase)]:
        if _is_laid_out_otherwise(study, phase, other):
            yield "takes", _laid_out_otherwise(phase, other)


def _is_laid_out_otherwise(study: Expansion, phase: Phase, other: Phase) -> bool:
    if other.answers_of is None:
        return False
    shares_models = "candidates" in phase.rates and "candidates" in other.rates
    same_people = phase.answers_of == other.answers_of
    differ = takes_of(study, phase) != takes_of(study, other)
    return (same_people and differ) or (
        shares_models and not same_people and not _are_of_other_items(study, phase, other)
    )


def _laid_out_otherwise(phase: Phase, other: Phase) -> str:
    says = f"'{other.key}' lays the same answers out differently; an answer can have only one layout in a study: "
    if phase.answers_of == other.answers_of:
        return f"{says}write the same takes in both."
    return (
        f"{says}select other items in each (from.where), by a column of items.csv or cases.csv of which no item has a "
        "value of both, or rate models' answers in one of the two."
    )


def _are_of_other_items(study: Expansion, some: Phase, other: Phase) -> bool:
    """Return whether no item can have answers in two pools: their conditions on a column share no value.

    Only columns count that no version of a study changes, and whose value is known before anybody answers.
    """
    columns = _OF_ITEMS | {attribute.key for attribute in study.attributes if attribute.table in ("cases", "items")}
    conditions = list(_on_items(study, other))
    return any(
        former.name == latter.name
        and former.name in columns
        and not values_of(former.values) & values_of(latter.values)
        for former in _on_items(study, some)
        for latter in conditions
    )


def _on_items(study: Expansion, pool: Phase) -> Iterator[Condition]:
    """Yield the conditions that all items meet whose answers a pool can contain."""
    for phase in (pool, study.phase(str(pool.answers_of))):
        for source in sources_of(study, phase):
            yield from source.where


def few_sources(study: Expansion, phase: Phase, models: int | None = None) -> Iterator[str]:
    """Yield a warning if a pool has answers of fewer than two people or models, whose style then gives them away.

    Parameters
    ----------
    models
        How many models gave answers; None if unknown.
    """
    if phase.answers_of is None:
        return
    groups = study.phase(phase.answers_of).by.groups
    planned = [group.people for group in study.groups if group.key in groups]
    if all(people is not None for people in planned) and sum(people or 0 for people in planned) < 2:
        yield _few("person", phase)
    if "candidates" in phase.rates:
        asked = [condition.values for condition in phase.source.where if condition.name == "model"]
        if (models is not None and models < 2) or any(len(values) < 2 for values in asked):
            yield _few("model", phase)


def _few(source: str, phase: Phase) -> str:
    return (
        f"The pool of '{phase.key}' has answers of at most one {source}, whose style will soon be recognised; expected "
        "at least two."
    )


def _forms(study: Expansion, answered: Phase) -> dict[str, Sequence[Field]]:
    """Return the fields of each form of a phase; under an empty name if all its items have the same form."""
    if answered.form != "as_item":
        return {"": answered.fields}
    return {form.key: form.fields for form in study.forms}
