"""Which candidate of a study a line of a foreign file is about: by all that the line says of it, never by its place."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from db import Candidate, Case, Item, Reference, queries
from db.base import stored_id
from exchange.refusal import InputRefused, listed, shown
from services.studies.item_references import references_of

# In this order a line is narrowed down to its candidate; declared attributes come before the answer.
_FIRST = ("item", "candidate", "case", "subject", "question", "reference", "model")
_LAST = ("answer",)
_OWN = frozenset((*_FIRST, *_LAST))
# Where an item has nothing of it, a file cannot contradict it.
_MAY_BE_SILENT = frozenset({"reference"})
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Place:
    """A candidate of a study: the keys under which verdicts are filed, and all by which a file may name it."""

    item: str
    candidate: str
    # Of the candidate, and of its item, which its other candidates share.
    own: Mapping[str, tuple[str, ...]]
    shared: Mapping[str, tuple[str, ...]]

    def values_of(self, name: str) -> tuple[str, ...]:
        """Return what may stand in a file for it under a name; nothing where the study knows nothing of that."""
        return self.own.get(name) or self.shared.get(name, ())


class NotPlaced(ValueError):
    """A line is about no candidate of the study, or about several; the message says why."""


def places_of(session: Session, study_id: int) -> Places:
    """Read the candidates of models of a study, without those that a version replaced."""
    newest = {
        row.item_id: references_of(row)
        for row in session.exec(
            select(Reference)
            .join(Item, col(Item.id) == Reference.item_id)
            .where(Item.study_id == study_id)
            .order_by(col(Reference.version))
        )
    }
    replaced = {(item, candidate) for item, candidate, _ in queries.replaced_keys(session, study_id)}
    items = {}
    for item, case in session.exec(
        select(Item, Case).join(Case, col(Case.id) == Item.case_id).where(Item.study_id == study_id)
    ):
        references = newest.get(stored_id(item.id))
        accepted = [text for reference in references.fields for text in reference.accepted] if references else []
        items[item.id] = _declared({**case.attributes, **item.attributes}) | {
            "item": (item.key,),
            "case": (case.key,),
            "subject": (case.subject,),
            "question": (item.prompt,),
            "reference": tuple(accepted),
        }
    # Columns, not rows of the mapper: there may be a million.
    rows = session.connection().execute(
        select_columns(
            col(Candidate.item_id), col(Candidate.key), col(Candidate.model), col(Candidate.answer),
            col(Candidate.attributes),
        )
        .where(col(Candidate.study_id) == study_id, queries.is_of_a_model())
        .order_by(col(Candidate.id))
    )  # fmt: skip
    places = []
    for item_id, key, model, answer, attributes in rows:
        shared = items[item_id]
        if not replaced & {(shared["item"][0], key), (shared["item"][0], None)}:
            # What an attribute is called like is not what it says: a question is that of the item.
            declared = {name: value for name, value in _declared(attributes).items() if name not in _OWN}
            own = declared | {"candidate": (key,), "model": (model,), "answer": (answer,)}
            places.append(Place(shared["item"][0], key, own, shared))
    return Places(places)


def _declared(attributes: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {name: (value,) for name, value in attributes.items() if value}


@dataclass
class Places:
    """The candidates of a study, looked up by what a file says of them."""

    places: Sequence[Place]
    _indices: dict[str, dict[str, set[int]]] = field(default_factory=dict)
    _silent: dict[str, set[int]] = field(default_factory=dict)

    @cached_property
    def models(self) -> frozenset[str]:
        """The models whose answers they are."""
        return frozenset(model for place in self.places for model in place.own["model"])

    @cached_property
    def names(self) -> frozenset[str]:
        """By what a candidate can be named: our own names, and the attributes that the study declares."""
        return _OWN.union(*(place.own for place in self.places), *(place.shared for place in self.places))

    def place(self, clues: Mapping[str, tuple[str, ...]], stand_for: Mapping[str, str]) -> Place:
        """Return the candidate that all clues fit.

        Parameters
        ----------
        clues
            What a line says of its candidate; of several values of a clue each may be meant.
        stand_for
            What a clue is compared with where no attribute is called so; with nothing where it is empty.

        Raises
        ------
        NotPlaced
            They fit no candidate, or several.
        InputRefused
            The study knows nothing of a clue, for any line.
        """
        remaining: set[int] | None = None
        passed: list[str] = []
        for label, name, values in self._in_order(clues, stand_for):
            matches = self._matches(name, values)
            narrowed = matches if remaining is None else remaining & matches
            if not narrowed:
                raise NotPlaced(self._contradiction(label, values[0], passed, remaining))
            remaining = narrowed
            passed.append(label)
        if remaining is None:
            raise NotPlaced(
                "says nothing by which its candidate could be known: say in which column it is, such as question=prompt"
            )
        if len(remaining) > 1:
            raise NotPlaced(f"fits {self._some(remaining)} by {_and(passed)}; say more of it, such as the model")
        return self.places[next(iter(remaining))]

    def _in_order(
        self, clues: Mapping[str, tuple[str, ...]], stand_for: Mapping[str, str]
    ) -> list[tuple[str, str, tuple[str, ...]]]:
        known = []
        for label, values in clues.items():
            name = label if label in self.names else stand_for.get(label)
            if name is None:
                raise InputRefused(
                    f"The file names its candidates by {shown(label)}, and the study has no such attribute; declare "
                    f"one, or say where something else is: {listed(sorted(self.names))}."
                )
            if name:
                known.append((label, name, values))
        order = {name: place for place, name in enumerate((*_FIRST, *sorted(self.names - _OWN), *_LAST))}
        return sorted(known, key=lambda clue: order[clue[1]])

    def _matches(self, name: str, values: Iterable[str]) -> set[int]:
        if name not in self._indices:
            index: dict[str, set[int]] = {}
            for number, place in enumerate(self.places):
                for value in place.values_of(name):
                    index.setdefault(_compared(value), set()).add(number)
            self._indices[name] = index
            silent = {number for number, place in enumerate(self.places) if not place.values_of(name)}
            self._silent[name] = silent if name in _MAY_BE_SILENT else set()
        index, silent = self._indices[name], self._silent[name]
        sets = [index[value] for value in map(_compared, values) if value in index]
        return sets[0] if len(sets) == 1 and not silent else silent.union(*sets)

    def _contradiction(self, label: str, value: str, passed: Sequence[str], remaining: set[int] | None) -> str:
        if remaining is None:
            return f"no candidate of the study has the {label} '{shown(value)}'"
        return f"by {_and(passed)} it is {self._some(remaining)}, with another {label} than '{shown(value)}'"

    def _some(self, numbers: set[int]) -> str:
        keys = [self.places[number].candidate for number in sorted(numbers)[:_NAMED]]
        if len(numbers) == 1:
            return f"candidate {shown(keys[0])}"
        more = ", ..." if len(numbers) > _NAMED else ""
        return f"{len(numbers)} candidates ({', '.join(map(shown, keys))}{more})"


def _compared(text: str) -> str:
    """Return a text as it is compared: other spaces and another spelling of the same letters are no other text."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _and(labels: Sequence[str]) -> str:
    return " and ".join((", ".join(labels[:-1]), labels[-1])) if len(labels) > 1 else labels[0]
