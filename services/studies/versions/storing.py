"""Store a planned version: its row and manifest, new rows of its tables, and what it replaces, in one transaction."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, select

from db import (
    Base,
    Candidate,
    CandidatePair,
    Case,
    Freeze,
    Item,
    Overlay,
    Reference,
    Study,
    StudyVersion,
    Volume,
    WithdrawnUnit,
    add_many,
    audit,
    queries,
)
from db.asking import ask
from db.base import stored_id
from db.standing import STANDS
from protocol.language.listed import phases_of_listed
from services.errors import Conflict
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import forget_freeze, freeze_of, require_role
from services.seals import proofs
from services.seals.order import VERSION_MADE
from services.studies import draws, frozen_facts, groups
from services.studies.dealing import assigning
from services.studies.drawing import drawing_phases, drawn_apart
from services.studies.folders import shared_scans, table_rows
from services.studies.freeze import whole_pool
from services.studies.freeze.manifest import AsOf, build_manifest_of_pool, canonical, sha256_of
from services.studies.versions import pairs, sealed_copies, shown_before
from services.studies.versions.changes import refuse_all
from services.studies.versions.planning import Planned
from services.studies.versions.stored import VERSIONED, manifest_of_version
from services.studies.versions.tables import NewRows
from services.studies.volumes.alignment import Files
from services.studies.volumes.preparing import Prepared, store_files

_NEW: tuple[type[Base], ...] = (Case, Volume, Overlay, Item, Reference, Candidate, CandidatePair)
_HIGHEST: Any = select(*(select(func.max(table.id)).scalar_subquery() for table in _NEW))  # type: ignore[attr-defined]


def store_version(
    session: Session, actor: Actor, study_key: str, planned: Planned, prepared: Prepared, reason: str
) -> None:
    """Store a version in one transaction, unless the study has changed since it was planned."""
    study_id = planned.study_id
    members = groups.hold_raters(session, study_id)
    study, _ = require_role(session, actor, study_key, "admin", lock=True)
    require_in_study(session, acts.NEW_VERSION, study)
    _require_unchanged(session, planned)
    parts = planned.anew.parts
    refuse_all(list(drawn_apart.reasons_against(session, study, drawing_phases.subjects_of(parts))))
    refuse_all(list(shown_before.reasons_against(session, study_id, planned.asked, parts, planned.replaced)))
    # This transaction has locked the study, so rows it adds are above these.
    highest = {table: key or 0 for table, key in zip(_NEW, ask(session, _HIGHEST).one(), strict=True)}
    case_ids = table_rows.store(session, study_id, planned.rows.added, prepared)
    _store_new_files(session, study_id, case_ids, planned.files, prepared)
    refuse_all(
        [
            *shared_scans.reasons_against(session, study_id, highest[Volume]),
            *sealed_copies.reasons_against(session, study_id, highest[Item]),
        ]
    )
    # The pool still has the ids of replaced rows, but nothing is drawn from them.
    pool = pairs.store(session, study_id, planned.rows.pairs, planned.anew.parts)
    read = {table: proofs.rows_of(session, table, study_id) for table in VERSIONED}
    new = {table: {key: row for key, row in read[table].items() if key > highest[table]} for table in _NEW}
    added = _row_of(session, study, planned, actor, reason, new)
    session.add(added)
    session.flush()
    withdrawn = _withdrawn(planned.rows, stored_id(added.id), read)
    add_many(session, withdrawn)
    units = [
        row
        for part in planned.anew.parts
        for row in drawing_phases.rows_of(added.freeze_id, part, pool, planned.version)
    ]
    add_many(session, units)
    forget_freeze(session, study_id)
    for part in planned.anew.parts:
        for purpose in ("sample", "design") if part.slots else ("sample",):
            slots = draws.dealt_to(purpose, planned.slots)
            draws.note(session, study_id, planned.key, purpose, part.key, **slots)
    audit.record(
        session,
        VERSION_MADE,
        person_id=actor.person_id,
        study_id=study_id,
        version=planned.version,
        manifest_sha256=added.sha256,
        follows=planned.follows,
        reason=reason,
        rows=proofs.sealed([added, *withdrawn, *units]) | proofs.sealed_values(new, study.salt),
    )
    for member in members:
        own = frozen_facts.phases_of_member(session, member)
        assigning.assign_anew(session, study_id, member, own, planned.version)


def _require_unchanged(session: Session, planned: Planned) -> None:
    """Refuse a version if what it was planned from has changed since."""
    study_id = planned.study_id
    phases = phases_of_listed(planned.study)
    if (
        freeze_of(session, study_id) != planned.follows
        or queries.phases_closed(session, study_id) != planned.closed
        or groups.slots_with_units(session, study_id, phases) != planned.slots
        or draws.times_reopened(session, study_id) != planned.key.reopened
    ):
        raise Conflict(
            "Somebody joined or left, closed a phase or made a version while this was prepared; make the version again."
        )


def _row_of(
    session: Session,
    study: Study,
    planned: Planned,
    actor: Actor,
    reason: str,
    new: Mapping[type[Base], Mapping[int, Any]],
) -> StudyVersion:
    """Return the row of a version, with its manifest; `new` holds the rows that it adds to each table, by id."""
    freeze = session.exec(select(Freeze).where(Freeze.study_id == planned.study_id, *STANDS)).one()
    protocol_json = planned.study.canonical_json()
    manifest = build_manifest_of_pool(
        session,
        study,
        {part.key: part.as_manifest() for part in planned.anew.parts},
        drawing_phases.keys_drawn(planned.anew.parts),
        whole_pool.read(session, study),
        AsOf((protocol_json, planned.source), {}),
    )
    manifest |= manifest_of_version(planned.version, planned.follows, reason, planned.changes)
    return StudyVersion(
        study_id=planned.study_id,
        freeze_id=stored_id(freeze.id),
        version=planned.version,
        protocol_json=protocol_json,
        protocol_source=planned.source,
        manifest_json=canonical(manifest),
        sha256=sha256_of(manifest),
        added={proofs.table_name(table): proofs.ranges(rows) for table, rows in new.items() if rows},
        reason=reason,
        person_id=actor.person_id,
    )


def _store_new_files(
    session: Session, study_id: int, case_ids: dict[str, int], files: Files, prepared: Prepared
) -> None:
    """Add a row for each file that does not have one yet."""
    there = {
        table: set(session.exec(select(table.key).where(table.study_id == study_id))) for table in (Volume, Overlay)
    }
    new = replace(
        files,
        volumes=[row for row in files.volumes if row.key not in there[Volume]],
        overlays=[row for row in files.overlays if row.key not in there[Overlay]],
    )
    store_files(session, study_id, case_ids, new, prepared)


def _withdrawn(rows: NewRows, version_id: int, read: proofs.Tables) -> list[WithdrawnUnit]:
    items = _by_key(read[Item])
    candidates = _by_key(read[Candidate])
    of_items = (
        WithdrawnUnit(version_id=version_id, item_id=items[old].id, candidate_id=None, replaced_by=new)
        for new, old in rows.replaces.items()
    )
    of_candidates = (
        WithdrawnUnit(
            version_id=version_id,
            item_id=candidates[old].item_id,
            candidate_id=candidates[old].id,
            replaced_by=new,
        )
        for new, old in (*rows.replaces_candidates.items(), *rows.pairs.replaces.items())
    )
    return list(itertools.chain(of_items, of_candidates))


def _by_key(rows: Mapping[int, Any]) -> dict[str, Any]:
    return {row.key: row for row in rows.values()}
