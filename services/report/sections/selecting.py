"""Which units, and whose answers, a plan line is about: all of them, or separately for each part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from exchange.report.estimate_rows import Stratum
from exchange.report.report_words import stratum_in_words
from protocol.language.authored_plan import RATER, AnswersUsed, AuthoredEstimate
from protocol.language.bins import level_of
from protocol.language.computed import by_each_rater, columns_of_raters
from protocol.language.expansion import Expansion
from protocol.language.results import FORM, form_named, values_as_stored
from protocol.language.sentences_of_plan import condition_in_words
from protocol.language.wording import listed, spoken
from services.report.rows.columns import VERDICTS, WRITTEN_BY, Column, Unit
from services.report.rows.ratings import PhaseRatings, Ratings
from services.report.rows.settled import settled
from services.report.sections.phases import bins_of, in_order, part_with, stratum_of, values_in

Part = tuple[Stratum, Ratings]


class PartOfLine(NamedTuple):
    """Units that a line is about, with the kind of answers: as given, as settled, or of the first step."""

    answers: AnswersUsed
    stratum: Stratum
    ratings: Ratings


# All units, by what is rated.
_WHOLE = ("all", "candidates", "references", "pairs")
# In a pool: what has no group, and what has no model.
_OF_MODELS = Stratum("attribute", "a model", WRITTEN_BY)
_OF_PEOPLE = Stratum("attribute", "a person", WRITTEN_BY)


def parts_of_line(
    study: Expansion,
    line: AuthoredEstimate,
    ratings: Ratings,
    phases: Sequence[PhaseRatings],
    *,
    compared: bool = True,
) -> list[Part]:
    """Return the units that a line is about, by the parts that it asks for and by the groups of raters it compares.

    Parameters
    ----------
    ratings
        The answers in the line's field, for all units.
    phases
        All phases, whose results can select units.
    compared
        Whether to separate the groups that the line compares.
    """
    stratum = ratings.whole
    # The ratings are already those of the form that the line names.
    where = {name: values for name, values in line.where.items() if name != FORM or form_named(study, line) is None}
    for name, written in where.items():
        values = values_as_stored(name, written, study.attributes)
        ratings = _selected(study, ratings, name, values, phases, form_named(study, line))
    if where:
        stratum = Stratum("selected", _conditions_in_words(study, line, where))
    parts = [(stratum, ratings)]
    by_group = ["group"] if line.compare == "group" and compared else []
    for name in (*line.by, *by_group):
        parts = [
            (within(outer, inner), narrower)
            for outer, part in parts
            for inner, narrower in _parts_by(study, name, part, line)
        ]
    return parts


def _conditions_in_words(study: Expansion, line: AuthoredEstimate, where: Mapping[str, list[str]]) -> str:
    form = form_named(study, line)
    return listed([condition_in_words(study, name, values, form) for name, values in where.items()])


def _selected(
    study: Expansion,
    ratings: Ratings,
    name: str,
    values: Sequence[str],
    phases: Sequence[PhaseRatings],
    form: str | None,
) -> Ratings:
    """Return the ratings that meet a condition: on units, by attribute or result, or on raters, by who they are."""
    if "." in name:
        return _with_result(ratings, name, values, phases, form)
    if name in columns_of_raters(study):
        return ratings.of_raters(lambda column: column.rater.get(name, "") in values)
    if name == "group" and ratings.phase.answers_of is None:
        return ratings.of_raters(lambda column: column.group in values)
    return ratings.where(name, values)


def _with_result(
    ratings: Ratings, name: str, values: Sequence[str], phases: Sequence[PhaseRatings], form: str | None
) -> Ratings:
    """Return the ratings of units for which the raters of a phase, in a form, settled on one of these answers.

    An answer settled for an item, or for its reference, applies to all of the item's candidates.
    """
    other = _result_named(name, phases, form)
    if other is None:
        return ratings.only(lambda _: False)
    result = settled(other, phases)
    same_kind = result.unit == "candidate"

    def place_of(unit: Unit) -> tuple[str, str]:
        return unit.item.key, unit.candidate.key if same_kind and unit.candidate else ""

    chosen = {place_of(unit) for unit, answer in zip(result.units, result.answers[0], strict=True) if answer in values}
    return ratings.only(lambda place: place_of(ratings.units[place]) in chosen)


def _result_named(name: str, phases: Sequence[PhaseRatings], form: str | None) -> Ratings | None:
    """Return the answers that a result of a phase, PHASE.FIELD, is settled from; None where there are none."""
    key, _, field = name.partition(".")
    phase = next((phase for phase in phases if phase.phase.key == key), None)
    return phase.of_field(field, form) if phase is not None else None


def unsettled_in_words(
    study: Expansion, line: AuthoredEstimate, ratings: Ratings, phases: Sequence[PhaseRatings]
) -> str:
    """Return of how many units nothing is settled that a line is about, or selects by: it is about none of them."""
    said = []
    own = [ratings.name] if "settled" in line.using else []
    for name in dict.fromkeys([*own, *line.where]):
        other = _result_named(name, phases, form_named(study, line)) if "." in name else None
        if other is None:
            continue
        answers = settled(other, phases).answers[0]
        # What nobody was to rate, or not everybody has rated yet, is another matter.
        of_units = [{column.states[place] for column in other.columns} - {None} for place in range(len(answers))]
        rated = [bool(states) and states <= VERDICTS for states in of_units]
        lacking = sum(is_rated and answer is None for is_rated, answer in zip(rated, answers, strict=True))
        if lacking:
            has, whose, what = (
                ("has", "it is left out", "it") if lacking == 1 else ("have", "they are left out", "them")
            )
            whose += f", with all that belongs to {what}" if name in line.where else ""
            of_all = f"{sum(rated)} {other.unit}{'' if sum(rated) == 1 else 's'}"
            said.append(f"In “{other.phase.title}” {lacking} of {of_all} {has} no settled answer; {whose}.")
    return " ".join(said)


def raters_left_out_in_words(study: Expansion, line: AuthoredEstimate, ratings: Ratings) -> str:
    """Return how many raters have no value of an attribute of raters that a line is parted by: they are in no part."""
    said = []
    for name in line.by:
        if name not in columns_of_raters(study):
            continue
        lacking = sum(not column.rater.get(name, "") for column in ratings.columns)
        if 0 < lacking < len(ratings.columns):
            of_all = f"{lacking} of {len(ratings.columns)} raters"
            has, are = ("has", "is") if lacking == 1 else ("have", "are")
            said.append(f"{of_all} {has} no value of “{spoken(name)}” and {are} in none of its parts.")
    return " ".join(said)


def _parts_by(study: Expansion, name: str, ratings: Ratings, line: AuthoredEstimate) -> list[Part]:
    if name in columns_of_raters(study):
        return _of_raters(study, name, ratings)
    if name == RATER and by_each_rater(study, line):
        return [
            (Stratum("attribute", column.party.name, RATER), replace(ratings, columns=(column,), models=()))
            for column in ratings.columns
        ]
    if name == "group" and ratings.phase.answers_of is None:
        return _of_groups(study, ratings, line)
    values = in_order(study, name, values_in(study, name, ratings))
    parts = [(stratum_of(study, name, value), part_with(study, name, value, ratings)) for value in values]
    if ratings.phase.answers_of is None:
        return parts
    # In a pool, people have no model and models no group: units without a value form a part of their own.
    others = ratings.only(lambda place: not ratings.units[place].value_of(name))
    if not parts:
        return [(ratings.whole, ratings)]
    return [*parts, (_OF_MODELS if name == "group" else _OF_PEOPLE, others)] if others.units else parts


def _of_raters(study: Expansion, name: str, ratings: Ratings) -> list[Part]:
    """Return the same units for each value of what is known of the raters; for a number, for each of its levels."""
    bins = bins_of(study, name)

    def value_of(column: Column) -> str:
        value = column.rater.get(name, "")
        return level_of(bins, value) if bins else value

    values = in_order(study, name, sorted({value for column in ratings.columns if (value := value_of(column))}))
    return [
        (
            stratum_of(study, name, value),
            ratings.of_raters(lambda column, value=value: value_of(column) == value),  # type: ignore[misc]
        )
        for value in values
    ]


def _of_groups(study: Expansion, ratings: Ratings, line: AuthoredEstimate) -> list[Part]:
    """Return the same units for each group of raters that rated any of them, and for models if the line wants them."""
    parts = [(Stratum("attribute", group.title, "group"), ratings.of_group(group.key)) for group in study.groups]
    if "models" in line.against and ratings.models:
        parts.append((Stratum("attribute", "models", "group"), ratings.with_columns(())))
    return [(stratum, part) for stratum, part in parts if part.columns or part.models]


def within(outer: Stratum, inner: Stratum) -> Stratum:
    """Return the part that two nested parts define; a part of all units is just that part."""
    if outer.kind in _WHOLE:
        return inner
    if inner.kind in _WHOLE:
        return outer
    if outer == _OF_MODELS and inner.kind == "model":
        return inner
    if outer.kind == "selected":
        return Stratum("selected", f"{outer.value}, {stratum_in_words(inner)}")
    return Stratum("part", f"{stratum_in_words(outer)}, {stratum_in_words(inner)}")
