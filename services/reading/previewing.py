"""Look at an item exactly as a rater will see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import exists, func, or_
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from db import Database, Item, PoolFile, Study, Volume, queries
from db.base import stored_id
from protocol.labels import as_label
from protocol.language.things import shows_the_reference
from protocol.phases import Phase
from protocol.study_phases import StudyPhases
from services.errors import Conflict, NotFound
from services.people.identity import Actor
from services.people.permission import require_role
from services.reading import practice_words, preview_payloads, previewed_answers
from services.reading.payloads import AnyItemPayload, Line
from services.reading.places import places_in_references
from services.studies import frozen_facts
from services.studies.drawing.item_references import references_of

# At most this many search results are listed; the rest are counted and can be reached by a narrower search.
MOST_FOUND = 50
LONGEST_PROMPT = 120

_PRACTICE_ALONE = "This phase is practice, and this item is not for practice; choose a practice item."
_NO_PRACTICE = "This is a practice item, which appears in no other phase; choose another item or phase."
_NOT_SELECTED = "This phase does not select the item (from); choose another item or phase."
_NO_ANSWER = "The study has no answer to this item that could be rated in this phase; choose another item."
_NO_REFERENCE = "This item has no reference that could be rated in this phase; choose another item."
_SHOWS_NONE = "This item has no reference, so this phase shows nothing in its place."
_NO_PAIR = "There are no two answers to this item to compare in this phase; choose another item."
_FOLLOWS = (
    "The units of this phase are drawn from answers once the earlier phases are closed; this is how they will look."
)


@dataclass(frozen=True)
class ItemLine:
    """One item as admins choose it, with only the beginning of its prompt."""

    key: str
    category: str
    format: str
    prompt: str
    practice: bool = False
    turn: str = ""


@dataclass(frozen=True)
class PhaseLine:
    """A phase as admins choose it; `nothing` says why it cannot show the item, `remark` what to know about it."""

    key: str
    title: str
    is_first: bool
    nothing: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Place:
    """Position of an item in its study, in the order of the study folder."""

    key: str
    number: int
    total: int
    before: str | None
    after: str | None


def items_of(database: Database, actor: Actor, study_key: str, search: str = "") -> list[ItemLine]:
    """Return, for a study's admins, the first items whose key, category or prompt contains the words of a search."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        query = (
            select_columns(
                col(Item.key),
                col(Item.category),
                col(Item.format),
                func.substr(col(Item.prompt), 1, LONGEST_PROMPT),
                col(Item.practice),
                col(Item.turn),
                col(Item.conversation),
            )
            .where(*_matches(study, search))
            .order_by(col(Item.id))
            .limit(MOST_FOUND)
        )
        rows: Any = session.connection().execute(query)
        return [
            ItemLine(key, category, kind, prompt, practice, f"turn {turn} of {conversation}" if conversation else "")
            for key, category, kind, prompt, practice, turn, conversation in rows
        ]


def count_items(database: Database, actor: Actor, study_key: str, search: str = "") -> int:
    """Return how many items a search matches."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        return session.exec(select(func.count()).select_from(Item).where(*_matches(study, search))).one()


def place_of(database: Database, actor: Actor, study_key: str, item_key: str = "") -> Place:
    """Return the position of an item in its study, with its neighbours; of the first one if none is named."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        own = Item.study_id == study.id
        query = select(Item.id, Item.key).where(own).order_by(col(Item.id)).limit(1)
        if not item_key:
            # If the study draws its items, prefer one whose scans are prepared.
            named = exists().where(col(PoolFile.case_id) == Item.case_id)
            prepared = exists().where(col(Volume.case_id) == Item.case_id)
            query = query.order_by(None).order_by(named & ~prepared, col(Item.id))
        row = session.exec(query.where(Item.key == item_key.replace("\x00", "")) if item_key else query).first()
        if row is None:
            raise NotFound(f"The study has no item '{item_key[:80]}'.")
        item_id, key = stored_id(row[0]), row[1]
        count = select(func.count()).select_from(Item).where(own)
        keys = select(Item.key).where(own).limit(1)
        return Place(
            key=key,
            number=session.exec(count.where(col(Item.id) <= item_id)).one(),
            total=session.exec(count).one(),
            before=session.exec(keys.where(col(Item.id) < item_id).order_by(col(Item.id).desc())).first(),
            after=session.exec(keys.where(col(Item.id) > item_id).order_by(col(Item.id))).first(),
        )


def _matches(study: Study, search: str) -> list[Any]:
    """Return the conditions of a search: each of its words occurs in one of the texts."""
    words = search.replace("\x00", "").lower().split()
    texts = [func.lower(col(text)) for text in (Item.key, Item.category, Item.prompt)]
    return [
        Item.study_id == study.id,
        *(or_(*(text.contains(word, autoescape=True) for text in texts)) for word in words),
    ]


def preview_feedback(database: Database, actor: Actor, study_key: str, item_key: str) -> list[Line]:
    """Return the feedback raters will get on their answer to a practice item; empty for any other item."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        phases = frozen_facts.phases_of(session, stored_id(study.id))
        item = _item(session, study, item_key)
        training = phases.training
        rule = phases.rules_of(training).practice if training is not None else None
        if not item.practice or training is None or rule is None or not rule.feedback:
            return []
        shown = queries.shown_item(session, stored_id(item.id))
        reference = queries.reference_of_practice_item(session, stored_id(item.id))
        places = places_in_references(session, stored_id(study.id), shown, phases, phases.rules_of(training))
        return practice_words.told_after(phases, training, shown, reference, places=places)


def in_one_line(lines: Sequence[Line]) -> str:
    """Return what raters read after an answer, each label with its text."""
    return " · ".join(f"{as_label(label)} {text}" for label, text in lines)


def lacks_its_volumes(database: Database, actor: Actor, study_key: str, item_key: str) -> bool:
    """Return whether an item has unprepared scans, in a study that prepares only those of drawn items."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        item = _item(session, study, item_key)
        named = exists().where(col(PoolFile.case_id) == item.case_id)
        prepared = exists().where(col(Volume.case_id) == item.case_id)
        return bool(item.sequences) and session.exec(select(named & ~prepared)).one()


def phases_to_preview(database: Database, actor: Actor, study_key: str, item_key: str) -> list[PhaseLine]:
    """Return the phases in which an item, or an answer to it, can be previewed; the one shown first is marked.

    In the first language there is only one, because its other phases depend on reading.
    """
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        phases, item = frozen_facts.phases_of(session, stored_id(study.id)), _item(session, study, item_key)
        first = _first_looked_at(phases, item)
        offered = phases.phases if phases.listed else (first,)
        return [
            PhaseLine(
                phase.key,
                phase.heading or phase.queue.title,
                phase == first,
                _nothing_in(session, phase, item),
                _remark_on(session, phases, phase, item),
            )
            for phase in offered
        ]


def _first_looked_at(phases: StudyPhases, item: Item) -> Phase:
    training = phases.training
    return training if item.practice and phases.listed and training is not None else phases.previewed


def _nothing_in(session: Session, phase: Phase, item: Item) -> str:
    """Return why a phase can show nothing of an item; empty if it can, as far as the tables tell."""
    if phase.listed and item.practice != phase.trains:
        return _PRACTICE_ALONE if phase.trains else _NO_PRACTICE
    if phase.listed and not previewed_answers.is_selected(session, phase, item):
        return _NOT_SELECTED
    if phase.kind == "references" and not _has_reference(session, item):
        return _NO_REFERENCE
    if phase.follows:
        return ""
    if phase.kind == "candidates" and previewed_answers.answer_to_show(session, phase, item) is None:
        return _NO_ANSWER
    return _NO_PAIR if phase.kind == "pairs" and not previewed_answers.answers_to_compare(session, phase, item) else ""


def _remark_on(session: Session, phases: StudyPhases, phase: Phase, item: Item) -> str:
    """Return what an admin should know about a phase's unit that the preview does not show itself."""
    lacks = shows_the_reference(phases.rules_of(phase).shows) and not _has_reference(session, item)
    return " ".join(filter(None, (_FOLLOWS if phase.follows else "", _SHOWS_NONE if lacks else "")))


def _has_reference(session: Session, item: Item) -> bool:
    reference = queries.reference_for_forms_that_show_it(session, stored_id(item.id))
    return any(part.says_something for part in references_of(reference).fields)


def preview_item(
    database: Database, actor: Actor, study_key: str, item_key: str, phase_key: str = ""
) -> AnyItemPayload:
    """Return the payload that a rater will get for an item, or for an answer to it, from the same builder.

    Parameters
    ----------
    phase_key
        For a study that lists its phases; by default, the phase in which the item is read first.

    Raises
    ------
    NotFound
        The item or the phase does not exist.
    Conflict
        That phase shows nothing of the item.
    """
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        phases, item = frozen_facts.phases_of(session, stored_id(study.id)), _item(session, study, item_key)
        phase = _first_looked_at(phases, item)
        if phase_key:
            named = next((each for each in phases.phases if each.key == phase_key), None)
            if named is None:
                raise NotFound(f"The study has no phase '{phase_key[:80]}' to look at; choose one that is listed.")
            phase = named
            nothing = _nothing_in(session, phase, item)
            if nothing:
                raise Conflict(nothing)
        return preview_payloads.preview_payload(session, actor, study, phase, item)


def _item(session: Session, study: Study, item_key: str) -> Item:
    item = session.exec(select(Item).where(Item.study_id == study.id, Item.key == item_key)).first()
    if item is None:
        raise NotFound(f"The study has no item '{item_key}'.")
    return item
