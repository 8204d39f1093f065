"""People's answers in one field of a listed phase: a column for each person over the same units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

from exchange.report.estimate_rows import (
    ALL_CANDIDATES,
    ALL_ITEMS,
    ALL_PAIRS,
    ALL_RATERS,
    ALL_REFERENCES,
    Party,
    Stratum,
)
from protocol.fields.kind import FieldKind
from protocol.language.criteria import MOST_PAIRS, MOST_PAIRS_OF_PART
from protocol.language.expansion import Field, Phase
from protocol.language.pools import kind_rated
from services.reading.correctness import Score, as_meant
from services.reading.field_keys import NOTHING, FieldKey
from services.report.rows.columns import NOT_RIGHT, Column, Judged, State, Unit, versions_of


@dataclass(frozen=True)
class Ratings:
    """The answers in one field of one phase.

    Attributes
    ----------
    units
        What was rated.
    clusters
        The cluster of each unit, as the analysis plan names it.
    kinds
        The rules of each unit's field type; they differ only if the field takes the item's format.
    keys
        How each unit is answered and what counts as right; None if a program has nothing to compare with.
    judges
        The runs that judged at least one of the units.
    models
        The answers of models in the same field, which no figure about raters includes.
    above
        If the field depends on another: how that one is answered on each unit; otherwise empty.
    conditions
        The attributes that tell several answers of one model to one item apart, in the whole study; empty for none.
    """

    phase: Phase
    field: Field
    units: tuple[Unit, ...]
    columns: tuple[Column, ...]
    clusters: tuple[str, ...]
    kinds: tuple[FieldKind, ...]
    keys: tuple[FieldKey | None, ...]
    judges: tuple[Judged, ...]
    models: tuple[Column, ...] = ()
    above: tuple[FieldKey | None, ...] = ()
    conditions: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The field as a plan names it."""
        return f"{self.phase.key}.{self.field.key}"

    @property
    def unit(self) -> str:
        """What n counts."""
        return {"candidates": "candidate", "references": "reference", "pairs": "pair"}.get(
            kind_rated(self.phase), "item"
        )

    @property
    def whole(self) -> Stratum:
        """All units."""
        return {"candidate": ALL_CANDIDATES, "reference": ALL_REFERENCES, "pair": ALL_PAIRS}.get(self.unit, ALL_ITEMS)

    @cached_property
    def chances(self) -> tuple[float | None, ...]:
        """The chance that each unit was drawn; None where it is not known."""
        return tuple(unit.probability for unit in self.units)

    @cached_property
    def versions(self) -> tuple[int, ...]:
        """The versions of the study that added the units."""
        return versions_of(self.units)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The places of every two columns that both have an answer on at least one unit."""
        given = [{i for i, value in enumerate(column.values) if value is not None} for column in self.columns]
        return [(a, b) for a, b in combinations(range(len(self.columns)), 2) if given[a] & given[b]]

    def pairs_on(self, stratum: Stratum) -> list[tuple[int, int]]:
        """Return the pairs to report one by one; empty if they are too many, and only all raters together count."""
        most = MOST_PAIRS if stratum == self.whole else MOST_PAIRS_OF_PART
        return self.pairs if len(self.pairs) <= most else []

    def parties_on(self, stratum: Stratum) -> list[tuple[tuple[Party, ...], tuple[int, ...]]]:
        """Return those pairs, and all raters together if there are more than two, each with its columns' places."""
        parties: list[tuple[tuple[Party, ...], tuple[int, ...]]] = [
            ((self.columns[a].party, self.columns[b].party), (a, b)) for a, b in self.pairs_on(stratum)
        ]
        if len(self.columns) > 2 and self.pairs:
            parties.append(((ALL_RATERS,), tuple(range(len(self.columns)))))
        return parties

    @cached_property
    def answers(self) -> tuple[tuple[str | None, ...], ...]:
        """By column, the text by which answers are compared; None without an answer.

        Answers of mixed formats stay distinct: the option `left` is not the typed word `left`. Words that the
        protocol calls synonyms are equal.
        """
        mixed = len({kind.name for kind in self.kinds}) > 1
        synonyms = [group.words for group in self.field.synonyms]

        def compared(value: Any, kind: FieldKind) -> str:
            text = kind.canonical(as_meant(kind.name, value, synonyms))
            return f"{kind.name}: {text}" if mixed else text

        return tuple(
            tuple(
                None if value is None else compared(value, kind)
                for value, kind in zip(column.values, self.kinds, strict=True)
            )
            for column in self.columns
        )

    @cached_property
    def correct(self) -> tuple[tuple[bool | None, ...], ...]:
        """By column, whether each answer is right; None without an answer or without a reference.

        Not right are also: abstaining, choosing no option, and, for a model, writing no valid answer or nothing
        at all.
        """
        return tuple(tuple(scored.correct for scored in of_column) for of_column in self.scores)

    @cached_property
    def scores(self) -> tuple[tuple[Score, ...], ...]:
        """By column, each answer scored against what counts as right."""
        return tuple(
            tuple(_score(*each) for each in zip(column.states, column.values, self.keys, strict=True))
            for column in self.columns
        )

    @property
    def in_pixels(self) -> bool:
        """Whether places in all units are in pixels; where only some are, a notice of the report says so."""
        return bool(self.units) and all(unit.item.in_pixels for unit in self.units)

    @property
    def has_reference(self) -> bool:
        """Whether any unit has a reference to compare answers with."""
        return any(key is not None for key in self.keys)

    @property
    def is_closed_ended(self) -> bool:
        """Whether every unit is answered by choosing from options."""
        return all(kind.has_options for kind in self.kinds)

    def only(self, wanted: Callable[[int], bool]) -> Ratings:
        """Return the ratings of the units whose places satisfy `wanted`; these ones if all do."""
        places = [place for place in range(len(self.units)) if wanted(place)]
        if len(places) == len(self.units):
            return self

        def of(values: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(values[place] for place in places) if values else ()

        return replace(
            self,
            units=of(self.units),
            columns=tuple(column.at(places) for column in self.columns),
            clusters=of(self.clusters),
            kinds=of(self.kinds),
            keys=of(self.keys),
            judges=tuple(Judged(judge.party, of(judge.said), of(judge.correct)) for judge in self.judges),
            models=tuple(column.at(places) for column in self.models),
            above=of(self.above),
        )

    def where(self, name: str, values: Sequence[str]) -> Ratings:
        """Return the ratings of the units that have one of these values of an attribute."""
        return self.only(lambda place: self.units[place].value_of(name) in values)

    def values_of(self, name: str) -> list[str]:
        """Return the values that an attribute has here, sorted by name, even if it is declared as a list."""
        return sorted({value for unit in self.units if (value := unit.value_of(name))})

    def of_group(self, group: str) -> Ratings:
        """Return the ratings of one group's raters; models belong to no group."""
        return self.of_raters(lambda column: column.group == group)

    def of_raters(self, wanted: Callable[[Column], bool]) -> Ratings:
        """Return the ratings of the raters who satisfy `wanted`, without models."""
        return replace(self, columns=tuple(column for column in self.columns if wanted(column)), models=())

    def with_columns(self, columns: Sequence[Column]) -> Ratings:
        """Return the same units with other columns."""
        return replace(self, columns=tuple(columns))

    @cached_property
    def correct_or_incorrect(self) -> Ratings:
        """The same scores with partly correct as incorrect: raters who differ only in that agree."""
        if self.field.type != "correctness":
            return self
        return self.with_columns(
            [
                replace(column, values=tuple("incorrect" if value == "partly" else value for value in column.values))
                for column in self.columns
            ]
        )

    @cached_property
    def of_models(self) -> list[Ratings]:
        """The same units once for each model, with only its answers."""
        return [replace(self, columns=(model,), models=()) for model in self.models]


@dataclass(frozen=True)
class PhaseRatings:
    """The ratings of all fields of a phase that counts; `first_step` holds those of the first of two steps."""

    phase: Phase
    fields: tuple[Ratings, ...]
    first_step: tuple[Ratings, ...]

    def of_field(self, key: str, form: str | None = None) -> Ratings | None:
        """Return the ratings in a field; None if nobody fills it in.

        Parameters
        ----------
        form
            Which of the items' forms with this field is meant; None for the first. A phase with its own form has only
            that one.
        """
        own = (ratings for ratings in self.fields if ratings.field.key == key)
        # In a phase whose items name their forms, all units of a field share one form.
        any_of_them = form is None or bool(self.phase.fields)
        return next((ratings for ratings in own if any_of_them or ratings.units[0].item.form == form), None)

    def before_more(self, ratings: Ratings) -> Ratings:
        """Return what was answered on the same units before more was shown; the same ratings if none was."""
        of_field = (first for first in self.first_step if first.field.key == ratings.field.key)
        return next((first for first in of_field if first.units == ratings.units), ratings)


def strata_of_clusters(names: Sequence[str], phases: Sequence[PhaseRatings]) -> dict[str, set[tuple[str, ...]]]:
    """Return the combinations of these attributes' values that occur among the units of each cluster."""
    strata: dict[str, set[tuple[str, ...]]] = {}
    for phase in phases:
        for ratings in phase.fields:
            for unit, cluster in zip(ratings.units, ratings.clusters, strict=True):
                strata.setdefault(cluster, set()).add(tuple(unit.value_of(name) for name in names))
    return strata


def _score(state: State | None, value: Any, key: FieldKey | None) -> Score:
    # No reference names an empty set: choosing no option while some are right is not right, for models as for people.
    if key is not None and state == "empty" and value is not None:
        return key.score_of_none
    if key is None or state not in ("answered", *NOT_RIGHT):
        return NOTHING
    return key.score(value) if state == "answered" else Score(correct=False)
