"""Read the data of a study that lists its phases; the number of queries does not depend on its size."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from db import Candidate, Case, Freeze, FreezeItem, Item, Membership, Reference, Study, queries
from db.as_stored import as_stored
from db.base import stored_id
from db.standing import STANDS
from protocol.fields.pixels import Pixels
from protocol.language.expansion import Expansion
from protocol.language.model_answers import ANSWER, fields_of_models, is_stored_answer, stored_as
from protocol.phases import Phase
from protocol.references import ItemReferences
from protocol.study_phases import StudyPhases
from services.judging.verdict_columns import READ_AT_ONCE
from services.reading.field_keys import StudyKeys
from services.report.rows.chained import chained
from services.report.rows.entries import load_entries
from services.report.rows.in_pixels import items_in_pixels
from services.report.rows.listed_rows import CandidateLine, DrawnLine, ItemLine, ListedRows
from services.report.rows.study_rows import Member
from services.studies.drawing import pairing
from services.studies.drawing.item_references import references_of
from services.studies.membership.rater_attributes import declared_of
from services.studies.versions.stored import FIRST_NUMBER, came_in, replaced_in, versions_in


def load_listed(
    session: Session,
    study: Study,
    expansion: Expansion,
    phases: StudyPhases,
    without: frozenset[int] | None = None,
    *,
    only_drawn: bool = False,
) -> ListedRows:
    """Read a frozen study that lists its phases.

    Parameters
    ----------
    without
        Ids of items to leave out with everything said about them; None for the sealed items.
    only_drawn
        Whether to read only items from which something was drawn, with all their candidates: people's answers are all
        about these.
    """
    study_id = stored_id(study.id)
    left_out = queries.sealed_items(session, study_id) if without is None else without
    asked_for = _Asked(study_id, _of_drawn(study_id, phases, col(FreezeItem.item_id)) if only_drawn else None)
    stored = [(item, case) for item, case in _stored_items(session, asked_for) if item.id not in left_out]
    references = _references(session, asked_for)
    pixels = items_in_pixels(session, study_id, expansion)
    items = [_item_line(item, case, references, pixels.get(stored_id(item.id))) for item, case in stored]
    candidates = _candidates(session, study_id, left_out, asked_for)
    members = _members(session, study_id)
    there = {member.id for _, member in members}
    return ListedRows(
        items=items,
        candidates=candidates,
        drawn=chained(
            expansion,
            _drawn(session, study_id, phases, items, candidates, phases.chosen_by_answers if left_out else ()),
            candidates,
        ),
        members=members,
        # Work dealt to somebody who was removed before any verdict is not missing.
        entries=[entry for entry in load_entries(session, study_id, phases, {}, left_out) if entry.member_id in there],
        attributes_of_items=_attributes_of(expansion, "cases", "items"),
        attributes_of_raters=[each.key for each in declared_of(expansion)],
        attributes_of_candidates=_attributes_of(expansion, "candidates"),
        fields_of_models=[
            field.key
            for field in fields_of_models(expansion)
            # In a pool, that column is the answer as laid out, which is already included.
            if field.key != ANSWER and any(stored_as(field.key) in candidate.answers for candidate in candidates)
        ],
        keys=StudyKeys(phases, {stored_id(item.id): item for item, _ in stored}, references),
        asking_nothing=frozenset(
            phase.key for phase in phases.phases if phase.continues and phases.rules_of(phase).fields == ()
        ),
        preferences=frozenset(
            (phase.key, field.key) for phase in expansion.phases for field in phase.fields if field.type == "preference"
        ),
        versions={version.sha256: version.number for version in versions_in(session, study_id)},
    )


def _members(session: Session, study_id: int) -> list[tuple[str, Member]]:
    """Return who reads or reviews, each with their role; nobody who was removed."""
    rows = session.exec(
        select(Membership)
        .where(Membership.study_id == study_id, Membership.role != "admin", col(Membership.removed_at).is_(None))
        .order_by(col(Membership.id))
    )
    return [
        (
            row.role,
            Member(
                stored_id(row.id),
                row.pseudonym,
                row.specialty,
                row.years,
                row.group_key,
                row.slot,
                row.attributes,
            ),
        )
        for row in rows
    ]


def _attributes_of(expansion: Expansion, *tables: str) -> list[str]:
    return [attribute.key for attribute in expansion.attributes if attribute.table in tables]


def _of_drawn(study_id: int, phases: StudyPhases, wanted: Any) -> Any:
    """Select from what was drawn for the phases that count; practice is in no statistics."""
    counted = [phase.key for phase in phases.counted]
    return (
        select_columns(wanted)
        .join(Freeze, col(Freeze.id) == FreezeItem.freeze_id)
        .where(col(Freeze.study_id) == study_id, *STANDS, col(FreezeItem.phase).in_(counted))
    )


@dataclass(frozen=True)
class _Asked:
    """Which rows of a study to read: all, or only those about the items whose ids a statement selects."""

    study_id: int
    items: Any | None

    def of(self, study: Any, item: Any) -> tuple[Any, ...]:
        """Return the conditions on the columns that name the study and the item of a row."""
        if self.items is None:
            return (study == self.study_id,)
        # Steer the search to the index on items: with the one on the study, all its rows would be visited.
        return study + 0 == self.study_id, item.in_(self.items)


def _stored_items(session: Session, asked_for: _Asked) -> list[tuple[Item, Case]]:
    return list(
        session.exec(
            select(Item, Case)
            .join(Case, col(Case.id) == Item.case_id)
            .where(*asked_for.of(col(Item.study_id), col(Item.id)))
            .order_by(col(Item.id))
        )
    )


def _references(session: Session, asked_for: _Asked) -> dict[int, ItemReferences]:
    """Return the newest references of each item, by the item's id."""
    rows = session.exec(
        select(Reference)
        .join(Item, col(Item.id) == Reference.item_id)
        .where(*asked_for.of(col(Item.study_id), col(Reference.item_id)))
        .order_by(col(Reference.version))
    )
    return {row.item_id: references_of(row) for row in rows}


def _item_line(item: Item, case: Case, references: Mapping[int, ItemReferences], pixels: Pixels | None) -> ItemLine:
    of_item = references.get(stored_id(item.id), ItemReferences())
    primary = next((line for line in of_item.fields if not line.field), None)
    return ItemLine(
        id=stored_id(item.id),
        key=item.key,
        case=case.key,
        subject=case.subject,
        category=item.category,
        format=item.format,
        grounding=item.grounding,
        prompt=item.prompt,
        options=tuple((option["id"], option["text"]) for option in item.options),
        accepted=primary.accepted if primary else (),
        low=primary.low if primary else None,
        high=primary.high if primary else None,
        references=of_item,
        attributes={**case.attributes, **item.attributes},
        form=item.form,
        practice=item.practice,
        pixels=pixels,
    )


def _candidates(session: Session, study_id: int, without: frozenset[int], asked_for: _Asked) -> list[CandidateLine]:
    # Columns, not mapped objects: there may be a million rows.
    rows = session.connection().execute(
        select_columns(
            col(Candidate.id), col(Candidate.item_id), col(Candidate.key), col(Item.key), col(Candidate.model),
            col(Candidate.answer), as_stored(col(Candidate.attributes)),
        )
        .join(Item, col(Item.id) == Candidate.item_id)
        .where(*asked_for.of(col(Candidate.study_id), col(Candidate.item_id)))
        .order_by(col(Candidate.id))
        .execution_options(yield_per=READ_AT_ONCE)
    )  # fmt: skip
    authors = queries.authors_in_pools(session, study_id)
    came, replaced = came_in(session, study_id), replaced_in(session, study_id)
    lines = []
    # Many candidates share an item, and many more a model: keep one copy of each text.
    texts: dict[str, str] = {}
    for row_id, item_id, key, item, model, answer, said in rows:
        if item_id in without:
            continue
        number = stored_id(row_id)
        attributes = {} if said == "{}" else json.loads(said)
        author = authors.get(number)
        of_person = (author.pseudonym, author.phase) if author else ()
        written = {name: cell for name, cell in attributes.items() if is_stored_answer(name)}
        declared = {name: value for name, value in attributes.items() if name not in written}
        item, model = texts.setdefault(item, item), texts.setdefault(model, model)
        line = CandidateLine(number, key, item, model, answer, declared, *of_person)
        version, gone = came.get((Candidate, number), FIRST_NUMBER), replaced.get((item_id, number))
        lines.append(replace(line, answers=written, version=version, replaced_in=gone) if written or came else line)
    pairs = queries.keys_compared(session, study_id)
    by_key = {line.key: line for line in lines}
    return [_pair(line, *(by_key[key] for key in pairs[line.id])) if line.id in pairs else line for line in lines]


def _pair(line: CandidateLine, first: CandidateLine, second: CandidateLine) -> CandidateLine:
    """Return two answers that are compared as one line; an attribute in which they differ holds both values."""

    def both(former: str, other: str) -> str:
        return pairing.both_values(former, other)

    names = dict.fromkeys((*first.attributes, *second.attributes))
    return replace(
        line,
        model=both(first.model, second.model),
        attributes={name: both(first.attributes.get(name, ""), second.attributes.get(name, "")) for name in names},
        pair=(first, second),
    )


def _drawn(
    session: Session,
    study_id: int,
    phases: StudyPhases,
    items: list[ItemLine],
    candidates: list[CandidateLine],
    chosen_by_answers: Sequence[Phase],
) -> list[DrawnLine]:
    """Return what was drawn of some items.

    Parameters
    ----------
    chosen_by_answers
        Phases of which a chance of being drawn below 1 is not told: with what was drawn it would say how many units
        followed from what people answered about the items that are left out.
    """
    item_keys = {item.id: item.key for item in items}
    candidate_keys = {candidate.id: candidate.key for candidate in candidates}
    replaced = replaced_in(session, study_id)
    rows = session.scalars(_of_drawn(study_id, phases, FreezeItem).order_by(col(FreezeItem.id)))
    untold = {phase.key for phase in chosen_by_answers}
    return [
        DrawnLine(
            row.phase,
            item_keys[row.item_id],
            candidate_keys.get(row.candidate_id or 0),
            row.stratum,
            None if row.phase in untold and row.inclusion_probability != 1.0 else row.inclusion_probability,
            None if row.phase in untold else row.inclusion_error,
            tuple(row.slots),
            row.version,
            replaced.get((row.item_id, None)) or replaced.get((row.item_id, row.candidate_id)),
        )
        for row in rows
        if row.item_id in item_keys
    ]
