"""Which candidate a line of a foreign file is about: decided by all that the line says of it, never by its position."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np
from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from db import Candidate, Case, Item, queries
from db.base import stored_id
from exchange.refusal import InputRefused, listed, shown
from services.judging.clue_columns import ClueColumn, Hashes, KeyTexts, as_array, hashes_of
from services.studies.drawing.item_references import newest_references

# Lines are narrowed down to a candidate in this order; declared attributes come before the answer.
_FIRST = ("item", "candidate", "case", "subject", "question", "reference", "model")
_LAST = ("answer",)
_OWN = frozenset((*_FIRST, *_LAST))
_NAMED = 3
_READ_AT_ONCE = 10_000
# This few candidates are checked one by one, without asking whether another clue leaves fewer.
_FEW = 64
Clues = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class PlaceKeys:
    """The keys under which verdicts on candidates are stored, by candidate number."""

    items: KeyTexts = field(default_factory=KeyTexts)
    candidates: KeyTexts = field(default_factory=KeyTexts)
    # Item number of each candidate.
    item_of: array[int] = field(default_factory=lambda: array("i"))

    def of(self, number: int) -> tuple[str, str]:
        """Return the item key and the candidate key."""
        return self.items[self.item_of[number]], self.candidates[number]


def places_of(session: Session, study_id: int) -> Places:
    """Read the candidates of models in a study, without those that a version replaced."""
    keys, shared = PlaceKeys(), _Columns()
    ids = _add_items(session, study_id, keys, shared)
    replaced = {(item, candidate) for item, candidate, _ in queries.replaced_keys(session, study_id)}
    # Columns instead of mapped objects: there may be a million rows.
    rows = session.connection().execute(
        select_columns(
            col(Candidate.item_id), col(Candidate.key), col(Candidate.model), col(Candidate.answer),
            col(Candidate.attributes),
        )
        .where(col(Candidate.study_id) == study_id, queries.is_of_a_model())
        .order_by(col(Candidate.id))
        .execution_options(yield_per=_READ_AT_ONCE)
    )  # fmt: skip
    own, models = _Columns(), set()
    for item_id, key, model, answer, attributes in rows:
        item = bisect_left(ids, item_id)
        if replaced and replaced & {(keys.items[item], key), (keys.items[item], None)}:
            continue
        number = len(keys.candidates)
        keys.candidates.add(key)
        keys.item_of.append(item)
        models.add(model)
        # An attribute named like one of our own clues is ignored: a question, for example, is always the item's.
        declared = {name: value for name, value in attributes.items() if name not in _OWN}
        own.add(number, {**_texts(declared), "candidate": (key,), "model": (model,), "answer": (answer,)})
    shared.end(len(keys.items))
    own.end(len(keys.candidates))
    own.fill(shared, keys.item_of)
    return Places(keys, own, shared, frozenset(models))


def _add_items(session: Session, study_id: int, keys: PlaceKeys, columns: _Columns) -> array[int]:
    """Read what items say about themselves; return their ids, ascending."""
    rows = session.connection().execute(
        select_columns(
            col(Item.id), col(Item.key), col(Item.prompt), col(Item.attributes),
            col(Case.key), col(Case.subject), col(Case.attributes),
        )
        .join(Case, col(Case.id) == Item.case_id)
        .where(col(Item.study_id) == study_id)
        .order_by(col(Item.id))
        .execution_options(yield_per=_READ_AT_ONCE)
    )  # fmt: skip
    ids = array("q")
    for item_id, key, prompt, of_item, case, subject, of_case in rows:
        declared = {name: value for name, value in {**of_case, **of_item}.items() if name not in _OWN}
        named = {"item": (key,), "case": (case,), "subject": (subject,), "question": (prompt,)}
        columns.add(len(ids), {**_texts(declared), **named})
        keys.items.add(key)
        ids.append(stored_id(item_id))
    # A file cannot contradict an item that has no reference.
    columns.by_name["reference"] = ClueColumn(may_be_silent=True)
    for item_id, references in newest_references(session, study_id):
        accepted = [text for reference in references.fields for text in reference.accepted]
        columns.add(bisect_left(ids, item_id), {"reference": accepted})
    return ids


def _texts(attributes: Mapping[str, str]) -> dict[str, Sequence[str]]:
    return {name: (value,) for name, value in attributes.items() if value}


class _Columns:
    """What rows say, by the name under which they say it."""

    def __init__(self) -> None:
        self.by_name: dict[str, ClueColumn] = {}

    def add(self, row: int, said: Mapping[str, Sequence[str]]) -> None:
        for name, texts in said.items():
            column = self.by_name.get(name)
            if column is None:
                column = self.by_name[name] = ClueColumn()
            column.add(row, hashes_of(texts))

    def end(self, rows: int) -> None:
        for column in self.by_name.values():
            column.end(rows)

    def fill(self, shared: _Columns, item_of: Sequence[int]) -> None:
        """Let candidates that say nothing under a name that others use take their item's values."""
        for name in self.by_name.keys() & shared.by_name.keys():
            filled, own, of_items = ClueColumn(), self.by_name[name], shared.by_name[name]
            for row, item in enumerate(item_of):
                filled.add(row, own.said(row) or of_items.said(item))
            filled.end(len(item_of))
            self.by_name[name] = filled


@dataclass
class Places:
    """The candidates of a study, searched by what a file says of them.

    Attributes
    ----------
    models
        The models that gave the answers.
    """

    keys: PlaceKeys
    _own: _Columns
    _shared: _Columns
    models: frozenset[str]
    _orders: dict[tuple[object, ...], list[tuple[str, str]]] = field(default_factory=dict)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that can identify a candidate: our own, and the attributes that the study declares."""
        items = np.unique(np.array(self.keys.item_of, dtype=np.int32))
        shared = (name for name, column in self._shared.by_name.items() if column.says_anything(items))
        return _OWN.union(self._own.by_name, shared)

    def find(self, clues: Clues, stand_for: Mapping[str, str]) -> int | None:
        """Return the number of the candidate that fits all clues; None if none or several do.

        Parameters
        ----------
        clues
            What a line says about its candidate; if a clue has several values, any of them may be meant.
        stand_for
            What a clue is compared with if no attribute has its name; empty for nothing.

        Raises
        ------
        InputRefused
            A clue is unknown to the study, so that no line could be placed.
        """
        asked = [(name, hashes_of(clues[label])) for label, name in self._in_order(clues, stand_for)]
        if not asked:
            return None
        first = self._fewest(asked)
        remaining = self._matching(*first)
        for clue in asked:
            if not remaining:
                return None
            if clue is not first:
                remaining = self._fitting(remaining, *clue)
        return remaining[0] if len(remaining) == 1 else None

    def why_not(self, clues: Clues, stand_for: Mapping[str, str]) -> str:
        """Return why such a line has no candidate: the clue after which none is left, or that several still fit."""
        remaining: list[int] | None = None
        passed: list[str] = []
        for label, name in self._in_order(clues, stand_for):
            asked = hashes_of(clues[label])
            narrowed = self._matching(name, asked) if remaining is None else self._fitting(remaining, name, asked)
            if not narrowed:
                return self._contradiction(label, clues[label][0], passed, remaining)
            remaining = narrowed
            passed.append(label)
        if remaining is None:
            return "has nothing that identifies its candidate: name the column that does, such as question=prompt"
        return f"fits {self._some(remaining)} by {_and(passed)}; say more of it, such as the model"

    def _in_order(self, clues: Iterable[str], stand_for: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return each clue with what it is compared with, in the order of narrowing down."""
        labels = tuple(clues)
        key = (labels, *stand_for.items())
        if key in self._orders:
            return self._orders[key]
        known = []
        for label in labels:
            name = label if label in self.names else stand_for.get(label)
            if name is None:
                raise InputRefused(
                    f"The file names its candidates by {shown(label)}, and the study has no such attribute; declare "
                    f"one, or say where something else is: {listed(sorted(self.names))}."
                )
            if name:
                known.append((label, name))
        order = {name: place for place, name in enumerate((*_FIRST, *sorted(self.names - _OWN), *_LAST))}
        self._orders[key] = sorted(known, key=lambda clue: order[clue[1]])
        return self._orders[key]

    def _fewest(self, asked: Sequence[tuple[str, Hashes]]) -> tuple[str, Hashes]:
        """Return a clue that few candidates fit, or else the one that the fewest fit."""
        fewest = best = None
        for clue in asked:
            count = self._about(*clue)
            if fewest is None or count < fewest:
                fewest, best = count, clue
            if count <= _FEW:
                break
        return best or asked[0]

    def _about(self, name: str, asked: Hashes) -> int:
        """Return roughly how many candidates fit a clue."""
        if name in self._own.by_name:
            return self._own.by_name[name].count(asked)
        if name not in self._shared.by_name:
            return 0
        return -(-self._shared.by_name[name].count(asked) * len(self.keys.candidates) // max(len(self.keys.items), 1))

    def _matching(self, name: str, asked: Hashes) -> list[int]:
        """Return the candidates that fit a clue."""
        if name in self._own.by_name:
            return self._own.by_name[name].rows(asked)
        if name not in self._shared.by_name:
            return []
        order, starts = self._of_items
        items = self._shared.by_name[name].rows(asked)
        return sorted(chain.from_iterable(order[starts[item] : starts[item + 1]] for item in items))

    def _fitting(self, numbers: list[int], name: str, asked: Hashes) -> list[int]:
        """Return those among some candidates that fit a clue."""
        column = self._own.by_name.get(name)
        if column is not None:
            return column.fitting(numbers, asked)
        column = self._shared.by_name.get(name)
        if column is None:
            return []
        item_of = self.keys.item_of
        items = {item_of[number] for number in numbers}
        fitting = set(column.fitting(items, asked))
        return numbers if len(fitting) == len(items) else [n for n in numbers if item_of[n] in fitting]

    @cached_property
    def _of_items(self) -> tuple[array[int], array[int]]:
        """Candidate numbers sorted by item, and where each item's candidates begin among them."""
        item_of = np.array(self.keys.item_of, dtype=np.int32)
        # Cumulative count: of each item and those before it.
        counted = np.cumsum(np.bincount(item_of, minlength=len(self.keys.items)))
        starts = np.concatenate(([0], counted)).astype(np.int32)
        return as_array("i", np.argsort(item_of, kind="stable").astype(np.int32)), as_array("i", starts)

    def _contradiction(self, label: str, value: str, passed: Sequence[str], remaining: Sequence[int] | None) -> str:
        if remaining is None:
            return f"no candidate of the study has the {label} '{shown(value)}'"
        return f"by {_and(passed)} it is {self._some(remaining)}, with another {label} than '{shown(value)}'"

    def _some(self, numbers: Sequence[int]) -> str:
        keys = [self.keys.candidates[number] for number in numbers[:_NAMED]]
        if len(numbers) == 1:
            return f"candidate {shown(keys[0])}"
        more = ", ..." if len(numbers) > _NAMED else ""
        return f"{len(numbers)} candidates ({', '.join(map(shown, keys))}{more})"


def _and(labels: Sequence[str]) -> str:
    return " and ".join((", ".join(labels[:-1]), labels[-1])) if len(labels) > 1 else labels[0]
