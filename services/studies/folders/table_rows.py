"""The tables of a study folder as rows of the database: what each column holds, and how they are stored."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, select

from db import Candidate, Case, Item, Reference, insert_many, now
from db.asking import ask
from exchange.study_folder.folder_rows import CandidateRow, CaseRow, ReferenceRow, StudyFolder
from exchange.study_folder.item_table import ItemRow
from services.studies.volumes.preparing import Prepared


def store(session: Session, study_id: int, contents: StudyFolder, prepared: Prepared) -> dict[str, int]:
    """Store the tables of a study folder in addition to existing rows, and return the id of each case by its key."""
    insert_many(session, Case, ({"study_id": study_id, **of_case(row)} for row in contents.cases))
    case_ids = _ids(session, Case, study_id)
    items = ({"study_id": study_id, "case_id": case_ids[row.case], **of_item(row)} for row in contents.items)
    insert_many(session, Item, items)
    item_ids = _ids(session, Item, study_id)
    explanations = {row.key: row.explanation for row in contents.items if row.explanation}
    made_at = now()
    insert_many(
        session,
        Reference,
        (
            {
                "item_id": item_ids[row.item],
                "version": 1,
                **of_reference(row, explanations.get(row.item, ""), prepared, made_at),
            }
            for row in contents.references
        ),
    )
    insert_many(
        session,
        Candidate,
        ({"study_id": study_id, "item_id": item_ids[row.item], **of_candidate(row)} for row in contents.candidates),
    )
    return case_ids


def of_case(row: CaseRow) -> dict[str, Any]:
    """Return the columns of a line of cases.csv, without those that only the database has, as for all tables below."""
    return {
        "key": row.key,
        "subject": row.subject,
        "vignette": row.vignette,
        "age": row.age,
        "history": [list(pair) for pair in row.history],
        "note": row.note,
        "attributes": dict(row.attributes),
    }


def of_item(row: ItemRow) -> dict[str, Any]:
    """Return the columns of a line of items.csv."""
    return {
        "key": row.key,
        "category": row.category,
        "format": row.format,
        "grounding": row.grounding,
        "form": row.form,
        "prompt": row.prompt,
        "options": [{"id": option, "text": shown} for option, shown in row.options],
        "sequences": list(row.sequences),
        "uses_prior": row.uses_prior,
        "overlays": list(row.overlays),
        "start": None if row.start is None else [] if row.start == "middle" else list(row.start),
        "conversation": row.conversation,
        "turn": row.turn,
        "practice": row.practice,
        "attributes": dict(row.attributes),
    }


def of_reference(row: ReferenceRow, explanation: str, prepared: Prepared, made_at: datetime) -> dict[str, Any]:
    """Return the columns of what references.csv says about one item."""
    return {
        "accepted": list(row.accepted),
        "low": row.low,
        "high": row.high,
        "text_only_answer": row.text_only_answer,
        "provenance": row.provenance,
        "explanation": explanation,
        "fields": [replace(line, region=prepared.regions.get(line.overlay)).as_stored() for line in row.fields],
        "created_at": made_at,
    }


def of_candidate(row: CandidateRow) -> dict[str, Any]:
    """Return the columns of a line of candidates.csv."""
    return {"key": row.key, "model": row.model, "answer": row.answer, "attributes": dict(row.attributes)}


def numbers_of(session: Session, study_id: int) -> tuple[dict[str, int], dict[str, int]]:
    """Return the ids of a study's items and candidates, by key."""
    return _ids(session, Item, study_id), _ids(session, Candidate, study_id)


def _ids(session: Session, table: type[Case] | type[Item] | type[Candidate], study_id: int) -> dict[str, int]:
    ids: dict[str, int] = dict(ask(session, _IDS[table], study_id=study_id).all())
    return ids


_IDS: dict[Any, Any] = {
    table: select(table.key, table.id).where(table.study_id == bindparam("study_id"))
    for table in (Case, Item, Candidate)
}
