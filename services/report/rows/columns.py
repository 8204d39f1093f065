"""The building blocks of a field's ratings: the units that were rated, and a column of answers for each party."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from exchange.report.estimate_rows import Party
from services.report.rows.listed_rows import CandidateLine, ItemLine

# What became of a field; the ways of having no answer are kept apart. Only models can be `invalid` (what they wrote is
# not an answer to the field) or `no_response` (they wrote nothing).
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
# The states of a unit on which a rater gave a verdict.
VERDICTS: frozenset[State | None] = frozenset({"answered", "undetermined", "not_assessable"})
# The states in which there was something to answer, and it was not answered correctly.
NOT_RIGHT: tuple[State, ...] = ("undetermined", "invalid", "no_response")

# Who wrote an answer, treated as an attribute: without a pool, every answer is a model's.
WRITTEN_BY = "written_by"
# The version of the study that added a unit, treated as an attribute: most studies have only one.
VERSION = "version of the study"


def versions_of(units: Iterable[Unit]) -> tuple[int, ...]:
    """Return the versions of the study that added these units, in order."""
    return tuple(sorted({unit.version for unit in units}))


@dataclass(frozen=True)
class Unit:
    """What was rated: an item, or a candidate of it.

    Attributes
    ----------
    probability
        Its chance of being drawn, through all phases that it came by; None if not known.
    in_phase
        Its chance in the phase alone, given what this draws from; None if not known.
    together
        Whether the units of an item were drawn together. Drawn one by one, two answers to an item were not both drawn
        with the chance of one of them.
    group
        In a pool, the key of the group of the person who gave the answer; empty for a model's.
    has_list
        Whether what was rated can be a list; in a pool, that depends on whether its item asks for one.
    version
        The version of the study that added it.
    is_control
        Whether it was added, unmarked, to what `let_in` selected.
    """

    item: ItemLine
    candidate: CandidateLine | None
    probability: float | None
    in_phase: float | None = None
    group: str = ""
    has_list: bool = True
    version: int = 1
    is_control: bool = False
    together: bool = True

    def value_of(self, name: str) -> str:
        """Return the value of a declared attribute, or of a column that every study has; empty if there is none."""
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
        """Return the unit's cluster: its subject, case or item, or the value of an attribute."""
        own = {"subject": self.item.subject, "case": self.item.case, "item": self.item.key}
        return own.get(name) or self.value_of(name)


@dataclass(frozen=True)
class Column:
    """One party's answers over the units; `states` is None for a unit that this party was not assigned.

    Attributes
    ----------
    group
        The key of the rater's group; empty for none.
    rater
        What is known of the rater: specialty, years, and what the protocol declares of raters.
    about
        For a confidence: whether the answer that it is about is right; empty if that answer cannot be scored.
    above
        For a field that depends on another: whether the answer to that field is right; empty if it cannot be scored.
    sure
        The author's own probability that each answer is right; empty if the form does not ask for it.
    seen
        A preference as it was chosen, by the sides on which the answers were shown; `values` names the first or
        second answer of the pair (a or b) instead.
    position, active_ms
        The place of each unit in the rater's own order, and the rater's active time on it; None if nothing was
        answered or no time was measured.
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
        """Return the column restricted to the units at these places."""

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
    """A judge run's verdict on each unit, on the field's scale, and whether it is correct; None without a verdict."""

    party: Party
    said: tuple[str | float | None, ...]
    correct: tuple[bool | None, ...]
