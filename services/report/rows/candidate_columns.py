"""Models' candidates and their items as columns, because a million candidates cannot each be an object."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from agreement.coding import Codes
from agreement.judge.factors import Factor
from db import Candidate, Case, Item, queries
from db.as_stored import as_stored
from protocol.language.model_answers import is_stored_answer
from services.judging.verdict_columns import READ_AT_ONCE
from services.report.rows.listed_rows import CandidateLine, ItemLine
from services.report.rows.study_rows import StudyRows
from services.studies.versions.stored import replaced_in

Ids = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
# The declared attributes of a candidate or an item, by name.
Attributes = Mapping[str, str]
# Up to this many distinct attribute texts are parsed once each; beyond that, nearly every candidate has its own.
_TEXTS_KEPT = 10_000


@dataclass(frozen=True, eq=False)
class ItemColumns:
    """Items and what is known of each, in ascending order of id."""

    ids: Ids
    keys: Sequence[str]
    subjects: Sequence[str] = ()
    cases: Sequence[str] = ()
    categories: Sequence[str] = ()
    formats: Sequence[str] = ()
    groundings: Sequence[str] = ()
    practice: Flags = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    attributes: Sequence[Attributes] = ()

    def declared(self, name: str) -> Sequence[str]:
        """Return each item's value of a declared attribute of the item or its case; empty if no item has it."""
        return [said.get(name, "") for said in self.attributes] if any(name in said for said in self.attributes) else ()


@dataclass(frozen=True, eq=False)
class CandidateColumns:
    """The n candidates of models, whether or not they were drawn for anything.

    Attributes
    ----------
    ids : ndarray of int64, shape (n,)
        The candidates' ids, ascending.
    places : ndarray of int, shape (n,)
        The item of each candidate, as its place in `items`.
    models : Factor
        The model that wrote each answer.
    responded : ndarray of bool, shape (n,)
        Whether the model answered at all.
    said : ndarray of int, shape (n,)
        The declared attributes of each candidate, as their place in `attributes`.
    attributes
        Each distinct combination of declared values, once.
    """

    ids: Ids
    items: ItemColumns
    places: Codes
    models: Factor
    responded: Flags
    said: Codes
    attributes: Sequence[Attributes]

    def __len__(self) -> int:
        return int(self.ids.size)

    @cached_property
    def item_ids(self) -> Ids:
        """The id of each candidate's item."""
        ids: Ids = self.items.ids[self.places]
        return ids

    def of_items(self, values: Sequence[str]) -> Factor:
        """Return each candidate's level of a property of items, given one value per item, or none at all."""
        codes, names = _numbered(values)
        return by_appearance(codes[self.places], names) if names else self._nothing

    def of_candidates(self, name: str) -> Factor:
        """Return each candidate's level of an attribute that is declared for candidates."""
        codes, names = _numbered([said.get(name, "") for said in self.attributes])
        return by_appearance(codes[self.said], names) if names else self._nothing

    def factor(self, name: str) -> Factor:
        """Return each candidate's level of its own or its item's attribute, or of a column that every study has."""
        items = self.items
        built_in = {
            "subject": items.subjects, "item": items.keys, "category": items.categories, "format": items.formats,
            "grounding": items.groundings,
        }  # fmt: skip
        if name == "model":
            return self.models
        if name in built_in:
            return self.of_items(built_in[name])
        return first_known([self.of_candidates(name), self.of_items(items.declared(name))])

    def clusters(self, name: str) -> Codes:
        """Return each candidate's cluster: subject, case, item, or an attribute; the item if it has no other."""
        items = self.items
        own = {"subject": items.subjects, "case": items.cases, "item": items.keys}.get(name, ())
        known = [self.of_items(own), self.of_candidates(name), self.of_items(items.declared(name))]
        return first_known([*known, self.of_items(items.keys)]).codes

    @property
    def _nothing(self) -> Factor:
        return Factor(np.full(len(self), -1, dtype=np.intp), ())


def places_in(ids: Ids, wanted: Sequence[int] | Ids) -> Codes:
    """Return the place of each wanted id among ascending ids; -1 if it is not among them."""
    rows = np.asarray(wanted, dtype=np.int64)
    if not ids.size:
        return np.full(rows.shape, -1, dtype=np.intp)
    places = np.minimum(np.searchsorted(ids, rows), ids.size - 1)
    return np.where(ids[places] == rows, places, -1)


def by_appearance(codes: Codes, names: Sequence[str]) -> Factor:
    """Return a factor of the levels that occur, numbered by first appearance; -1 stays "no level"."""
    first = np.full(len(names) + 1, codes.size, dtype=np.intp)
    np.minimum.at(first, codes, np.arange(codes.size))
    of_names = first[:-1]
    occurring = np.argsort(of_names, kind="stable")[: np.count_nonzero(of_names < codes.size)]
    place = np.full(len(names) + 1, -1, dtype=np.intp)
    place[occurring] = np.arange(occurring.size)
    return Factor(place[codes], tuple(names[code] for code in occurring.tolist()))


def first_known(factors: Sequence[Factor]) -> Factor:
    """Return each candidate's level in the first factor in which it has one."""
    used = [factor for factor in factors if factor.names] or factors[:1]
    if len(used) == 1:
        return used[0]
    numbers: dict[str, int] = {}
    codes = np.full(used[0].codes.size, -1, dtype=np.intp)
    for factor in used:
        own = np.array([*(numbers.setdefault(name, len(numbers)) for name in factor.names), -1], dtype=np.intp)
        codes = np.where(codes < 0, own[factor.codes], codes)
    return by_appearance(codes, tuple(numbers))


def factor_of(values: Sequence[str]) -> Factor:
    """Return the level of each candidate; -1 if it has none."""
    return Factor(*_numbered(values))


def _numbered(values: Iterable[str]) -> tuple[Codes, tuple[str, ...]]:
    """Return the number of each text, and the texts by number; an empty text counts as none and has -1."""
    numbers = _Numbers({"": -1})
    codes = np.fromiter(map(numbers.__getitem__, values), dtype=np.intp)
    return codes, numbers.names


class _Numbers(dict[str, int]):
    """Numbers of texts: a new text gets the next number, the empty one -1."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self) - 1
        return number

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(text for text in self if text)


def columns_of(lines: Sequence[CandidateLine], items: Sequence[ItemLine]) -> CandidateColumns:
    """Return lines that were read as columns.

    Parameters
    ----------
    lines
        In ascending order of id.
    items
        The item of each.
    """
    different = sorted({item.id: item for item in items}.values(), key=lambda item: item.id)
    declared = _Declared()
    said = np.fromiter((declared.number(line.attributes, bool(line.answers)) for line in lines), dtype=np.intp)
    columns = ItemColumns(
        np.array([item.id for item in different], dtype=np.int64),
        [item.key for item in different],
        [item.subject for item in different],
        [item.case for item in different],
        [item.category for item in different],
        [item.format for item in different],
        [item.grounding for item in different],
        np.array([item.practice for item in different], dtype=np.bool_),
        [item.attributes for item in different],
    )
    answered = np.fromiter((bool(line.answer) for line in lines), dtype=np.bool_)
    return CandidateColumns(
        np.array([line.id for line in lines], dtype=np.int64),
        columns,
        places_in(columns.ids, [item.id for item in items]),
        factor_of([line.model for line in lines]),
        answered | declared.answers[said],
        said,
        declared.attributes,
    )


def candidates_after_reads(study: StudyRows) -> CandidateColumns:
    """Return as columns the candidates of a study that scores answers after its reads."""
    items = sorted(study.items, key=lambda item: item.id)
    columns = ItemColumns(
        np.array([item.id for item in items], dtype=np.int64),
        [item.key for item in items],
        categories=[item.category for item in items],
        formats=[item.format for item in items],
        practice=np.zeros(len(items), dtype=np.bool_),
    )
    places = places_in(columns.ids, [candidate.item_id for candidate in study.candidates])
    selected = places >= 0
    pool = list(compress(study.candidates, selected.tolist()))
    return CandidateColumns(
        np.array([candidate.id for candidate in pool], dtype=np.int64),
        columns,
        places[selected],
        factor_of([candidate.model for candidate in pool]),
        np.array([bool(candidate.answer) for candidate in pool], dtype=np.bool_),
        np.zeros(len(pool), dtype=np.intp),
        [{}],
    )


def load_candidate_columns(session: Session, study_id: int, without: frozenset[int]) -> CandidateColumns:
    """Read the models' candidates of a study; the number of queries does not depend on how many there are.

    People's answers in a pool, pairs of answers that are compared, and candidates that a version of the study
    replaced are not included.

    Parameters
    ----------
    without
        Ids of items to leave out, with their candidates.
    """
    items = _load_items(session, study_id, without)
    ids, item_ids, models, answered, said = (array(kind) for kind in "qqqbq")
    declared, names = _Declared(), _Numbers({"": -1})
    asked = (
        col(Candidate.id), col(Candidate.item_id), col(Candidate.model), col(Candidate.answer) != "",
        as_stored(col(Candidate.attributes)),
    )  # fmt: skip
    for rows in _parts(session, study_id, Candidate, select_columns(*asked)):
        own, of_items, by, there, texts = zip(*rows, strict=True)
        ids.extend(own)
        item_ids.extend(of_items)
        models.extend(map(names.__getitem__, by))
        answered.extend(there)
        said.extend(map(declared.number_of_text, texts))
    every = np.array(ids, dtype=np.int64)
    places = places_in(items.ids, np.array(item_ids, dtype=np.int64))
    other = [*queries.authors_in_pools(session, study_id), *queries.ids_of_pairs(session, study_id)]
    replaced = [candidate for _, candidate in replaced_in(session, study_id) if candidate is not None]
    selected = (places >= 0) & ~np.isin(every, np.array([*other, *replaced], dtype=np.int64))
    combinations = np.array(said, dtype=np.intp)[selected]
    return CandidateColumns(
        every[selected],
        items,
        places[selected],
        by_appearance(np.array(models, dtype=np.intp)[selected], names.names),
        np.array(answered, dtype=np.bool_)[selected] | declared.answers[combinations],
        combinations,
        declared.attributes,
    )


def _load_items(session: Session, study_id: int, without: frozenset[int]) -> ItemColumns:
    asked = (
        col(Item.id), col(Item.key), col(Case.subject), col(Case.key), col(Item.category), col(Item.format),
        col(Item.grounding), col(Item.practice), as_stored(col(Item.attributes)),
        as_stored(col(Case.attributes)).label("of_case"),
    )  # fmt: skip
    query = select_columns(*asked).join(Case, col(Case.id) == Item.case_id)
    rows = [row for part in _parts(session, study_id, Item, query) for row in part if row[0] not in without]
    ids, keys, subjects, cases, categories, formats, groundings, practice, of_items, of_cases = (
        zip(*rows, strict=True) if rows else [()] * len(asked)
    )
    return ItemColumns(
        np.array(ids, dtype=np.int64), keys, subjects, cases, categories, formats, groundings,
        np.array(practice, dtype=np.bool_),
        [{**_read(of_case), **_read(own)} for own, of_case in zip(of_items, of_cases, strict=True)],
    )  # fmt: skip


def _parts(session: Session, study_id: int, table: type[Candidate | Item], query: Any) -> Iterable[Sequence[Any]]:
    """Read the rows of a study in ascending order of id, a few thousand at a time.

    A study's rows have neighbouring ids; reading them through an index on the study would require a sort.
    """
    first, last = (
        session.connection()
        .execute(select_columns(func.min(table.id), func.max(table.id)).where(col(table.study_id) == study_id))
        .one()
    )
    if first is None:
        return
    query = (
        query.where(col(table.study_id) + 0 == study_id, col(table.id).between(first, last))
        .order_by(col(table.id))
        .execution_options(yield_per=READ_AT_ONCE)
    )
    yield from session.connection().execute(query).partitions()


def _read(text: str) -> Attributes:
    read: Attributes = {} if text == "{}" else json.loads(text)
    return read


class _Declared:
    """The distinct combinations of declared values, and whether a model's answers in fields are stored with each."""

    def __init__(self) -> None:
        self.attributes: list[Attributes] = []
        self._answers: list[bool] = []
        self._numbers: dict[tuple[bool, tuple[tuple[str, str], ...]], int] = {}
        self._texts: dict[str, int] = {}

    @property
    def answers(self) -> Flags:
        """Whether each combination has a model's answers in fields stored with it."""
        return np.array(self._answers, dtype=np.bool_)

    def number(self, attributes: Attributes, has_answers: bool) -> int:
        """Return the number of a combination."""
        own = (has_answers, tuple(attributes.items()))
        number = self._numbers.setdefault(own, len(self.attributes))
        if number == len(self.attributes):
            self.attributes.append(dict(attributes))
            self._answers.append(has_answers)
        return number

    def number_of_text(self, text: str) -> int:
        """Return the number of a candidate's stored attributes, whose text may also hold its answers in fields."""
        number = self._texts.get(text)
        if number is None:
            said = _read(text)
            declared = {name: value for name, value in said.items() if not is_stored_answer(name)}
            number = self.number(declared, len(declared) < len(said))
            if len(self._texts) < _TEXTS_KEPT:
                self._texts[text] = number
        return number
