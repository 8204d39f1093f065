"""Everything in a study that could be drawn, read from its tables: a pool may have hundreds of thousands of units."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import compress
from operator import attrgetter
from typing import Any

from sqlalchemy import JSON, bindparam
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from db import Base, Candidate, Case, Item, Reference, queries
from db.as_stored import as_stored
from services.studies.drawing import pairing, pooled
from services.studies.drawing.item_references import references_of
from services.studies.drawing.pool import Pool, Practised
from services.studies.sampling.units import Unit

# As stored in a database, or as read from a study folder.
Attributes = Mapping[str, str] | Iterable[tuple[str, str]]
Columns = Mapping[str, Sequence[Any]]

# The columns that a draw needs of each table; JSON columns as text.
ASKED: Mapping[type[Base], tuple[str, ...]] = {
    Case: ("id", "subject", "attributes"),
    Item: ("id", "key", "case_id", "category", "format", "grounding", "conversation", "turn", "practice", "attributes",
           "sequences", "overlays"),
    Candidate: ("id", "key", "item_id", "model", "answer", "attributes"),
    Reference: ("item_id", "version", "accepted", "low", "high", "fields"),
}  # fmt: skip
# The text of a JSON column with an empty list.
_NOTHING = "[]"
# The number of rows read at once.
READ_AT_ONCE = 2_000


def pool_of(session: Session, study_id: int, *, with_replaced: bool = False) -> Pool:
    """Read everything that could be drawn; with `with_replaced`, also what a version of the study has replaced."""
    gathered = Gathered(session, study_id, with_replaced=with_replaced)
    for table in ASKED:
        for rows in _parts(session, _COLUMNS[table], {"study_id": study_id}):
            gathered.take(table, dict(zip(ASKED[table], zip(*rows, strict=True), strict=True)))
    return gathered.pool()


class Gathered:
    """Collects what could be drawn in a study from the columns of its tables, which the caller reads in batches.

    Columns are processed as a whole, because a step for each of hundreds of thousands of rows would be slow.

    Parameters
    ----------
    with_replaced
        Include what a version of the study replaced.
    """

    def __init__(self, session: Session, study_id: int, *, with_replaced: bool = False) -> None:
        self._session, self._study_id = session, study_id
        self._gone_items, self._gone_candidates = (
            (frozenset[int](), frozenset[int]()) if with_replaced else queries.replaced_units(session, study_id)
        )
        self._authors = queries.authors_in_pools(session, study_id)
        self._compared = queries.ids_of_pairs(session, study_id)
        self._merged = _Merged()
        self._subject_of: dict[int, str] = {}
        self._said_of: dict[int, str] = {}
        self._items: dict[int, Unit] = {}
        self._without_volumes: set[str] = set()
        self._with_overlays: set[str] = set()
        self._turns: dict[str, tuple[str, int]] = {}
        self._answers: dict[str, Unit] = {}
        self._candidate_ids: dict[str, int] = {}
        self._references: dict[int, tuple[int, frozenset[str]]] = {}
        self._named = cache(lambda said, primary: frozenset([*(line["field"] for line in json.loads(said)), *primary]))

    def take(self, table: type[Base], columns: Columns) -> None:
        """Take at least one row of a table: cases must come before items, and items before answers and references.

        Parameters
        ----------
        columns
            Columns by name, at least those in `ASKED`, with JSON as text; tables not in `ASKED` are ignored.
        """
        taking: Mapping[type[Base], Callable[..., None]] = {
            Case: self._cases,
            Item: self._items_of,
            Candidate: self._answers_of,
            Reference: self._references_of,
        }
        if table in taking:
            taking[table](*(columns[name] for name in ASKED[table]))

    def _cases(self, numbers: Sequence[int], subjects: Sequence[str], said: Sequence[str]) -> None:
        self._subject_of.update(zip(numbers, subjects, strict=True))
        self._said_of.update(zip(numbers, said, strict=True))

    def _items_of(self, *columns: Sequence[Any]) -> None:
        columns = _without(columns, {0: self._gone_items})
        numbers, keys, cases, *own, conversations, turns, practice, said, sequences, overlays = columns
        attributes = self._merged.of_items([self._said_of[case] for case in cases], said, *own, conversations)
        units = map(Unit, keys, [self._subject_of[case] for case in cases], keys, attributes, practice)
        self._items.update(zip(numbers, units, strict=True))
        self._without_volumes.update(compress(keys, map(_NOTHING.__eq__, sequences)))
        self._with_overlays.update(compress(keys, map(_NOTHING.__ne__, overlays)))
        talks = zip(keys, conversations, turns, strict=True)
        self._turns.update((key, (talk, turn)) for key, talk, turn in talks if talk and turn)

    def _answers_of(self, *columns: Sequence[Any]) -> None:
        columns = _without(columns, {0: self._gone_candidates, 2: self._gone_items})
        numbers, keys, of_items, models, texts, said = columns
        self._candidate_ids.update(zip(keys, numbers, strict=True))
        about = [self._items[item_id] for item_id in of_items]
        responded = [bool(text.strip()) for text in texts]
        attributes = self._merged.of_candidates(about, said, models)
        subject, item, practice = (map(attrgetter(name), about) for name in ("subject", "item", "practice"))
        units = zip(numbers, keys, map(Unit, keys, subject, item, attributes, practice, responded), strict=True)
        self._answers.update((key, unit) for number, key, unit in units if number not in self._compared)
        of_people = self._authors.keys() - self._compared
        for place in [place for place, number in enumerate(numbers) if number in of_people]:
            author, key = self._authors[numbers[place]], keys[place]
            self._answers[key] = pooled.unit_of_answer(
                key, about[place], author.phase, pooled.slot_of(author), responded=responded[place]
            )

    def _references_of(self, *columns: Sequence[Any]) -> None:
        for item_id, version, accepted, low, high, said in zip(*columns, strict=True):
            if version >= self._references.get(item_id, (version,))[0]:
                compared = accepted != _NOTHING or low is not None or high is not None
                self._references[item_id] = version, self._named(said, ("",) if compared else ())

    def pool(self) -> Pool:
        """Return everything that was taken."""
        pairs, listed_ones = pairing.listed_and_drawn(self._session, self._study_id, self._candidate_ids, self._answers)
        keys = {number: unit.key for number, unit in self._items.items()}
        references = self._references
        return Pool(
            items=dict(zip(keys.values(), self._items.values(), strict=True)),
            candidates=self._answers,
            without_volumes=frozenset(self._without_volumes),
            without_reference=frozenset(key for number, key in keys.items() if number not in references),
            fields_of_reference={keys[number]: named for number, (_, named) in references.items() if number in keys},
            with_overlays=frozenset(self._with_overlays),
            turns=self._turns,
            practised=_practised(self._session, self._study_id),
            item_ids=dict(zip(keys.values(), keys, strict=True)),
            candidate_ids=self._candidate_ids,
            pairs=pairs,
            listed=listed_ones,
        )


def _without(columns: tuple[Sequence[Any], ...], gone: Mapping[int, Set[int]]) -> tuple[Sequence[Any], ...]:
    """Return columns without the rows whose id is in `gone`, by the index of the id's column."""
    left_out = [(place, numbers) for place, numbers in gone.items() if numbers]
    if not left_out:
        return columns
    stays = [all(row[place] not in numbers for place, numbers in left_out) for row in zip(*columns, strict=True)]
    return tuple(list(compress(column, stays)) for column in columns)


class _Merged:
    """The attributes of stored units; equal ones share one object, because a pool has hundreds of thousands."""

    def __init__(self) -> None:
        self._of: dict[tuple[Any, ...], Mapping[str, str]] = {}

    def of_items(
        self, of_cases: Sequence[str], of_items: Sequence[str], *own: Sequence[Any]
    ) -> Iterator[Mapping[str, str]]:
        """Yield the attributes of items, from columns; those of cases and items come as they are stored."""
        for said in zip(of_cases, of_items, *own, strict=True):
            there = self._of.get(said)
            if there is None:
                of_case, of_item, *rest = said
                there = self._of[said] = attributes_of_item(json.loads(of_case), json.loads(of_item), *rest)
            yield there

    def of_candidates(
        self, about: Iterable[Unit], of_candidates: Sequence[str], models: Sequence[str]
    ) -> Iterator[Mapping[str, str]]:
        """Yield the attributes of models' answers to items; the answers' own attributes come as they are stored."""
        for item, of_candidate, model in zip(about, of_candidates, models, strict=True):
            # Equal items share one attributes object, which lives as long as this one.
            said = (id(item.attributes), of_candidate, model)
            there = self._of.get(said)
            if there is None:
                there = self._of[said] = attributes_of_candidate(item, json.loads(of_candidate), model)
            yield there


_STUDY: Any = bindparam("study_id")


def _select(table: type[Base]) -> Any:
    """Return the query for the columns that a draw needs of a table, in the order of `ASKED`."""
    columns = [getattr(table, name) for name in ASKED[table]]
    query = select_columns(*(as_stored(column) if isinstance(column.type, JSON) else column for column in columns))
    if table is Reference:
        return query.join(Item, col(Item.id) == Reference.item_id).where(col(Item.study_id) == _STUDY)
    return query.where(columns[0].class_.study_id == _STUDY)


_COLUMNS: Mapping[type[Base], Any] = {table: _select(table) for table in ASKED}
_PRACTISED: Any = (
    select(Item, Reference)
    .join(Reference, col(Reference.item_id) == Item.id)
    .where(Item.study_id == _STUDY, col(Item.practice))
    .order_by(col(Reference.version))
)


def _parts(session: Session, query: Any, given: Mapping[str, object]) -> Iterator[Sequence[Any]]:
    """Yield the rows of a query in batches."""
    return session.connection().execute(query, given, execution_options={"yield_per": READ_AT_ONCE}).partitions()


def _practised(session: Session, study_id: int) -> dict[str, Practised]:
    rows = session.exec(_PRACTISED, params={"study_id": study_id})
    return {item.key: Practised(item.form, references_of(row)) for item, row in rows}


def attributes_of_item(
    of_case: Attributes, of_item: Attributes, category: str, format_: str, grounding: str, conversation: str | None
) -> dict[str, str]:
    """Return the attributes of an item: its columns override its attributes, which override those of its case."""
    own = {"category": category, "format": format_, "grounding": grounding}
    own |= {"conversation": conversation} if conversation else {}
    return {**dict(of_case), **dict(of_item), **own}


def attributes_of_candidate(item: Unit, of_candidate: Attributes, model: str) -> dict[str, str]:
    """Return the attributes of a model's answer, including those of its item."""
    return {**item.attributes, **dict(of_candidate), "model": model}
