"""Phases that rate what people answered, in one pool with models' answers or by itself: what such a pool holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from protocol.fields import PLACES
from protocol.language.expansion import Expansion, Field, Phase, Sample, Source
from protocol.language.narrowing import NO_VALUE, sources_of, values_drawn, values_of

# What the exported candidates.csv says of an answer in a pool, in columns of its own.
_EXPORTED = frozenset({"written_by", "author", "given_in"})
# Columns of candidates.csv that say what a line is about; a field of that name would have no column.
_TAKEN_NAMES = frozenset({"candidate", "item", "model"})


def rates_texts(phase: Phase) -> bool:
    """Return whether answers are rated, of models, of people, or of both: their units are candidates all alike."""
    return bool(phase.rates) and set(phase.rates) <= {"candidates", "answers"}


def kind_rated(phase: Phase) -> str:
    """Return the kind of unit that a phase rates: people's answers are candidates, with models' or without."""
    return "candidates" if rates_texts(phase) else phase.rates[0]


def takes_of(study: Expansion, phase: Phase) -> list[str]:
    """Return the keys of the fields that a pool takes of an answer; without `takes` the primary field of each form."""
    if phase.answers_of is None:
        return []
    forms = _forms(study, study.phase(phase.answers_of)).values()
    primaries = [asked.key for fields in forms for asked in fields if asked.primary]
    return list(phase.takes) or list(dict.fromkeys(primaries))


def fields_taken(study: Expansion, phase: Phase, form: str) -> list[Field]:
    """Return what is laid out of an answer to an item that names this form, in the order of the layout."""
    if phase.answers_of is None:
        return []
    forms = _forms(study, study.phase(phase.answers_of))
    asked = {field.key: field for field in forms.get(form, forms.get("", ()))}
    return [asked[key] for key in takes_of(study, phase) if key in asked]


def with_places_as_shown(study: Expansion) -> Expansion:
    """Return a study whose pools lay places out in the words of what they lie in, as far as they take any."""
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
    """Return whether a pool of a study lays places out in mm wherever they lie, as it did when it was imported."""
    now = with_places_as_shown(study)
    return any(former.places != phase.places for former, phase in zip(study.phases, now.phases, strict=True))


def layout_of_candidates(study: Expansion) -> Phase | None:
    """Return the phase by whose layout models' answers are laid out, too; None where no pool holds any."""
    return next((phase for phase in study.phases if phase.answers_of and "candidates" in phase.rates), None)


def columns_of_models(study: Expansion) -> set[str]:
    """Return the columns by which models' answers alone can be selected."""
    return {"model", *(attribute.key for attribute in study.attributes if attribute.table == "candidates")}


def of_both(study: Expansion, source: Source) -> tuple[Source, Source]:
    """Return a source as it narrows people's and models' answers, and as it narrows models' answers alone.

    By model, or by a column of candidates.csv, no answer of a person is selected or left out.
    """
    columns = columns_of_models(study)
    of_models = [condition for condition in source.where if condition.name in columns]
    others = [condition for condition in source.where if condition.name not in columns]
    return source.model_copy(update={"where": others}), source.model_copy(update={"where": of_models})


def tells_apart(study: Expansion, former: Phase, latter: Phase) -> bool:
    """Return whether some who wrote an answer in a pool are known by which texts were in another one before it.

    Both hold answers of the same people. What comes again is people's where the two share no model, and models' where
    the former left people out; where it left out some of models' and none of people's, what is new is a model's, and
    the other way round. Of what is new nothing is known where some of both can be.
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
    return not shares_models or left_out.people != (left_out.models or has_other_models)


@dataclass(frozen=True)
class _Held:
    """What a pool holds: people's answers or not, and of models those with these values of a column."""

    people: bool
    models: Mapping[str, Set[str]]


@dataclass(frozen=True)
class _Chance:
    """Of whom a pool leaves out some of the answers that it could hold."""

    people: bool
    models: bool


def _held_by(study: Expansion, pool: Phase) -> _Held:
    columns = columns_of_models(study)
    people = True
    models: dict[str, Set[str]] = {}
    for source in sources_of(study, pool):
        selected = [(condition.name, values_of(condition.values)) for condition in source.where]
        # No person's answer is left out by such a condition, and all of them are one stratum of such a column.
        for name, values in values_drawn(source):
            people = people and (name not in columns or NO_VALUE in values)
            selected.append((name, values - {NO_VALUE}))
        for name, values in selected:
            if name in columns:
                models[name] = models.get(name, values) & values
    return _Held(people, models)


def _left_to_chance(study: Expansion, pool: Phase, apart_from: Phase) -> _Chance:
    """Return whose answers a draw leaves out that another pool does not rest on, too."""
    columns = columns_of_models(study)
    shared = [id(source) for source in sources_of(study, apart_from)]
    samples = [each.sample for each in sources_of(study, pool) if id(each) not in shared and each.sample is not None]
    return _Chance(
        people=any(_leaves_out_people(sample, columns) for sample in samples),
        models=any(_leaves_out_models(sample, columns) for sample in samples),
    )


def _leaves_out_people(sample: Sample, columns: Set[str]) -> bool:
    # No limit by a column of models' answers is one of people's, who have no value there.
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
    """Yield what of a pool cannot be run, or would say who wrote an answer: key, and a sentence."""
    if phase.answers_of is None:
        return
    answered = study.phase(phase.answers_of)
    if answered.rates != ["items"]:
        yield "rates", f"'{answered.key}' rates {' and '.join(answered.rates)}; answers to items can be rated yet."
    if answered.source.practice != "never":
        yield "rates", f"'{answered.key}' is practice, whose answers are in no figure; name another phase."
    elif phase.source.practice != "never":
        yield "from", "answers to items for practice are in no pool; remove practice."
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
            yield (
                "takes",
                f"'{other.key}' lays the same answers out otherwise, and an answer has one layout in a study.",
            )


def _is_laid_out_otherwise(study: Expansion, phase: Phase, other: Phase) -> bool:
    if other.answers_of is None:
        return False
    shares_models = "candidates" in phase.rates and "candidates" in other.rates
    same_people = phase.answers_of == other.answers_of
    differ = takes_of(study, phase) != takes_of(study, other)
    return (same_people and differ) or (shares_models and not same_people)


def few_sources(study: Expansion, phase: Phase, models: int | None = None) -> Iterator[str]:
    """Yield why raters can tell who wrote an answer: of people, or of models, there are fewer than two in a pool.

    Parameters
    ----------
    models
        How many models gave answers, where that is known.
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
        f"In the pool of '{phase.key}' are answers of one {source} at most: who writes alike every time is known "
        "soon; expected at least two."
    )


def _forms(study: Expansion, answered: Phase) -> dict[str, Sequence[Field]]:
    """Return the fields of each form of a phase; by no name where all of its items have the same."""
    if answered.form != "as_item":
        return {"": answered.fields}
    return {form.key: form.fields for form in study.forms}
