"""The present contents of a frozen study: its rows without those that a version replaced, by their folder keys.

A corrected item is a new item: it is stored under its own key, but the folder still uses the old one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import exists
from sqlmodel import Session, col, select

from db import (
    Candidate,
    Case,
    FreezeItem,
    Item,
    Overlay,
    PooledAnswer,
    PoolFile,
    Reference,
    StudyVersion,
    Volume,
    WithdrawnUnit,
)
from db.base import stored_id
from exchange.study_folder.frozen_study import FrozenStudy
from exchange.study_folder.item_table import ItemRow
from protocol.fields.point import place_of
from protocol.language.expansion import Expansion
from services.seals import proofs
from services.studies.folders import pool_rows
from services.studies.versions.pairs import StoredPair, pairs_there


@dataclass(frozen=True)
class Current:
    """The present rows of a study, by the keys that its folder uses.

    Attributes
    ----------
    version
        Its newest version; 1 if there is only its freeze.
    references
        By the item's key in the folder.
    pairs
        Pairs of answers, listed or drawn; drawn ones by the key under which they are stored.
    files
        What the tables say about each scan and mask, by kind and key: its case, and everything except its file.
        Of cases that versions added, only scans that had to be read are known.
    added_cases
        The drawn items of each case that a version added.
    taken
        The keys of all items and candidates that it ever had, including replaced ones.
    """

    version: int
    cases: Mapping[str, Any]
    items: Mapping[str, Any]
    references: Mapping[str, Any]
    candidates: Mapping[str, Any]
    pairs: Mapping[str, StoredPair]
    files: Mapping[tuple[str, str], tuple[str, dict[str, Any]]]
    added_cases: Mapping[str, Sequence[ItemRow]]
    taken: frozenset[str]


def current_of(session: Session, study_id: int) -> Current:
    """Read the present contents of a frozen study."""
    cases = proofs.rows_of(session, Case, study_id)
    items = proofs.rows_of(session, Item, study_id)
    references = proofs.rows_of(session, Reference, study_id)
    of_people = set(session.exec(select(PooledAnswer.candidate_id).where(PooledAnswer.study_id == study_id)))
    candidates = {key: row for key, row in proofs.rows_of(session, Candidate, study_id).items() if key not in of_people}
    gone = withdrawn_of(session, study_id)
    names_of_items = _names({key: row.key for key, row in _named(items)}, [u for u in gone if u.candidate_id is None])
    names_of_candidates = _names(
        {key: row.key for key, row in _named(candidates)}, [u for u in gone if u.candidate_id is not None]
    )
    gone_items = {unit.item_id for unit in gone if unit.candidate_id is None}
    gone_candidates = {unit.candidate_id for unit in gone}
    there = {key: row for key, row in _named(items) if key not in gone_items}
    stands = {key for key, row in _named(candidates) if key not in gone_candidates and row.item_id in there}
    pairs = pairs_there(session, study_id, {key: row.key for key, row in _named(candidates)})
    by_item = {row.item_id: row for _, row in _named(references)}
    return Current(
        version=newest_version(session, study_id),
        cases={row.key: row for _, row in _named(cases)},
        items={names_of_items[key]: row for key, row in there.items()},
        references={names_of_items[key]: by_item[key] for key in there if key in by_item},
        candidates={
            names_of_candidates[key]: row for key, row in _named(candidates) if key in stands and row.key not in pairs
        },
        pairs={
            names_of_candidates[key]: pairs[row.key]
            for key, row in _named(candidates)
            if key in stands and row.key in pairs
        },
        files=_files(session, study_id, {key: row.key for key, row in _named(cases)}),
        added_cases=_added_cases(session, study_id, {key: row.key for key, row in _named(cases)}),
        taken=frozenset(row.key for rows in (items, candidates) for _, row in _named(rows)),
    )


def frozen_study_of(study: Expansion, current: Current) -> FrozenStudy:
    """Return what the tables of a version are held against while they are read."""
    accepted = [
        (item, written)
        for item, row in current.references.items()
        for written in (*row.accepted, *(written for each in row.fields for written in each.get("accepted", ())))
    ]
    places = [(item, place_of(written)) for item, written in accepted]
    return FrozenStudy(
        study,
        subjects=frozenset(case.subject for case in current.cases.values()),
        starts={key: tuple(row.start) for key, row in current.items.items() if row.start},
        references=frozenset((item, place) for item, place in places if place is not None),
        answers={key: row.answer for key, row in current.candidates.items()},
        keys={*current.cases, *current.items, *current.candidates, *(key for _, key in current.files)},
    )


def newest_version(session: Session, study_id: int) -> int:
    """Return the number of the newest version of a study; its freeze is the first."""
    newest = select(StudyVersion.version).where(StudyVersion.study_id == study_id)
    return session.exec(newest.order_by(col(StudyVersion.version).desc()).limit(1)).first() or 1


def withdrawn_of(session: Session, study_id: int) -> list[WithdrawnUnit]:
    """Return what versions of a study replaced, oldest first; a replaced item has a row for each candidate too."""
    return list(
        session.exec(
            select(WithdrawnUnit)
            .join(StudyVersion, col(StudyVersion.id) == WithdrawnUnit.version_id)
            .where(StudyVersion.study_id == study_id)
            .order_by(col(WithdrawnUnit.id))
        )
    )


def _named(rows: Mapping[int, Any]) -> list[tuple[int, Any]]:
    return list(rows.items())


def _names(keys: Mapping[int, str], gone: list[WithdrawnUnit]) -> dict[int, str]:
    """Return the folder key of each row: a corrected row has that of the row it replaced."""
    by_key = {key: number for number, key in keys.items()}
    names = dict(keys)
    for unit in gone:
        number = unit.item_id if unit.candidate_id is None else unit.candidate_id
        if number in names and unit.replaced_by in by_key:
            names[by_key[unit.replaced_by]] = names[number]
    return names


def _files(session: Session, study_id: int, cases: Mapping[int, str]) -> dict[tuple[str, str], tuple[str, Any]]:
    """Return what the tables say about scans and masks: both prepared ones and those that a draw did not need."""
    files: dict[tuple[str, str], tuple[str, Any]] = {}
    for row in session.exec(select(PoolFile).where(PoolFile.study_id == study_id)):
        files[row.kind, row.key] = (cases[row.case_id], dict(row.said))
    for volume in session.exec(select(Volume).where(Volume.study_id == study_id)):
        acquired = None if volume.acquired is None else volume.acquired.isoformat()
        said = {"role": volume.role, "sequence": volume.sequence, "acquired": acquired, "label": volume.label}
        files["volume", volume.key] = (cases[volume.case_id], said)
    for overlay in session.exec(select(Overlay).where(Overlay.study_id == study_id)):
        drawn = {"label": overlay.label, "colour": overlay.colour, "style": overlay.style, "opacity": overlay.opacity}
        files["overlay", overlay.key] = (cases[overlay.case_id], drawn)
    return files


def _added_cases(session: Session, study_id: int, cases: Mapping[int, str]) -> dict[str, list[ItemRow]]:
    """Return the drawn items of each case that a version added."""
    versions = session.exec(select(StudyVersion.added).where(StudyVersion.study_id == study_id))
    texts = [added.get(proofs.table_name(Case), "") for added in versions]
    numbers = {number for text in texts if text for number in proofs.keys_in(text)}
    items: dict[str, list[ItemRow]] = {cases[number]: [] for number in sorted(numbers)}
    for part in pool_rows.parts(sorted(numbers)):
        drawn = select(Item.id).where(col(Item.case_id).in_(part), exists().where(col(FreezeItem.item_id) == Item.id))
        for some in pool_rows.parts([stored_id(number) for number in session.exec(drawn)]):
            for row, (case, _) in pool_rows.items_of(session, some):
                items[case].append(row)
    return items
