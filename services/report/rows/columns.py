"""What the ratings of a field are made of: the units that were rated, and a column of answers for each party."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from exchange.estimate_rows import Party
from services.report.rows.listed_rows import CandidateLine, ItemLine

# What became of a field: ways of having no answer are kept apart. `invalid` and `no_response` are of models alone:
# what was written is no answer to the field, or nothing was written.
State = Literal[
    "answered",
    "undetermined",
    "empty",
    "not_asked",
    "not_assessable",
    "not_shown",
    "missing",
    "invalid",
    "no_response",
]
# The states of a unit that a rater gave a verdict on.
VERDICTS: frozenset[State | None] = frozenset({"answered", "undetermined", "not_assessable"})
# The states in which there was something to answer, and it was not answered rightly.
NOT_RIGHT: tuple[State, ...] = ("undetermined", "invalid", "no_response")

# By whom an answer was written, as if it were an attribute: a study without a pool has answers of models alone.
WRITTEN_BY = "written_by"
# With which version of the study a unit came, as if it were an attribute: most studies have one alone.
VERSION = "version of the study"
# What is known of raters, by which their answers can be told apart.
OF_RATERS = ("specialty", "years")


def versions_of(units: Iterable[Unit]) -> tuple[int, ...]:
    """Return with which versions of the study some units came, in their order."""
    return tuple(sorted({unit.version for unit in units}))


@dataclass(frozen=True)
class Unit:
    """What was rated: an item, or a candidate of it.

    Attributes
    ----------
    probability
        Its chance of being drawn, None if not known.
    group
        In a pool, the key of the group of the person who gave the answer; empty for a model's.
    has_list
        Whether what was rated can be a list: in a pool, whether its item asks for one.
    version
        The version of the study with which it came.
    """

    item: ItemLine
    candidate: CandidateLine | None
    probability: float | None
    group: str = ""
    has_list: bool = True
    version: int = 1

    def value_of(self, name: str) -> str:
        """Return the value of a declared attribute, or of a column of every study; empty where there is none."""
        if name == VERSION:
            return str(self.version)
        if self.candidate is not None and self.candidate.given_in and name == "group":
            return self.group
        if self.candidate is not None and name == WRITTEN_BY:
            return "a person" if self.candidate.given_in else "a model"
        if self.candidate is not None and name in ("model", *self.candidate.attributes):
            return self.candidate.model if name == "model" else self.candidate.attributes[name]
        of_item = {"category": self.item.category, "format": self.item.format, "grounding": self.item.grounding}
        return of_item.get(name) or self.item.attributes.get(name, "")

    def cluster(self, name: str) -> str:
        """Return the cluster that it is in: its subject, case or item, or the value of an attribute."""
        own = {"subject": self.item.subject, "case": self.item.case, "item": self.item.key}
        return own.get(name) or self.value_of(name)


@dataclass(frozen=True)
class Column:
    """The answers of one party over the units; `states` is None where a unit was not theirs to rate.

    Attributes
    ----------
    group
        The key of the group that a rater is in, empty for none.
    rater
        What is known of a rater, by the names of `OF_RATERS`.
    about
        Of a confidence, whether the answer that it is about is right; empty where nothing says so.
    above
        Of a field that depends on one above, whether the answer to that is right; empty where nothing says so.
    sure
        With what probability each answer is right, as its author says; empty where nobody is asked.
    seen
        A preference as it was chosen, by the sides on which the answers stood; `values` has it for the first or second
        answer of the pair (a or b).
    position, active_ms
        The place of each unit in the rater's own order, and how long the rater was at work on it; None where nothing
        was answered, or no time measured.
    """

    party: Party
    states: tuple[State | None, ...]
    values: tuple[Any, ...]
    group: str = ""
    rater: Mapping[str, str] = field(default_factory=dict)
    about: tuple[bool | None, ...] = ()
    above: tuple[bool | None, ...] = ()
    sure: tuple[float | None, ...] = ()
    seen: tuple[Any, ...] = ()
    position: tuple[int | None, ...] = ()
    active_ms: tuple[int | None, ...] = ()

    def at(self, places: Sequence[int]) -> Column:
        """Return the same of the units at these places."""

        def of(values: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(values[place] for place in places) if values else ()

        return replace(
            self,
            states=of(self.states),
            values=of(self.values),
            about=of(self.about),
            above=of(self.above),
            sure=of(self.sure),
            seen=of(self.seen),
            position=of(self.position),
            active_ms=of(self.active_ms),
        )


@dataclass(frozen=True)
class Judged:
    """What a run of a judge says of each unit, on the scale of the field, and whether it is correct; None for none."""

    party: Party
    said: tuple[str | float | None, ...]
    correct: tuple[bool | None, ...]
