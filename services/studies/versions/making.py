"""Make a new version of a frozen study: an added row with its own manifest; the previous version does not change."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, select

from db import (
    Base,
    Candidate,
    CandidatePair,
    Case,
    Database,
    Freeze,
    Item,
    Overlay,
    Reference,
    StudyVersion,
    Volume,
    WithdrawnUnit,
    add_many,
    audit,
    queries,
)
from db.base import stored_id
from db.standing import STANDS
from protocol.language.drawn_volumes import draws_volumes
from protocol.language.expansion import Expansion
from protocol.language.listed import phases_of_listed
from protocol.study_phases import StudyPhases
from services.errors import Conflict, require_reason
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import forget_freeze, freeze_of, require_role, state_of
from services.seals import proofs
from services.studies import (
    assigning,
    drawing_phases,
    drawn_apart,
    drawn_in_common,
    draws,
    foreseen,
    frozen_facts,
    groups,
    leftovers,
    pool_files,
    shared_scans,
    sound_draws,
    stored_pool,
    table_rows,
    volume_store,
    whole_pool,
)
from services.studies.alignment import Files
from services.studies.checking import checked_folder
from services.studies.manifest import AsOf, build_manifest_of_pool, canonical, sha256_of
from services.studies.preparing import Prepared, Progress, prepare_files, require_files, store_files
from services.studies.versions import drawing, pairs, same_files, sealed_copies, shown_before
from services.studies.versions.changes import Change, in_words, refuse_all
from services.studies.versions.current import current_of, frozen_study_of
from services.studies.versions.protocols import changes_of_protocol, reasons_against_protocol, with_interval_of
from services.studies.versions.stored import VERSIONED, manifest_of_version
from services.studies.versions.tables import NewRows, new_rows

VERSION_MADE = "study version made"
_NEW: tuple[type[Base], ...] = (Case, Volume, Overlay, Item, Reference, Candidate, CandidatePair)


@dataclass(frozen=True)
class Difference:
    """What a folder would change in a frozen study, and what would be rated anew; a sentence each.

    `texts` gives the old and the new wording of corrected texts, which the manifest does not.
    """

    version: int
    changes: tuple[str, ...]
    rated: tuple[str, ...]
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Planned:
    """A version as it will be stored, and what it was planned from."""

    study_id: int
    version: int
    follows: str
    before: Expansion
    study: Expansion
    source: str
    rows: NewRows
    anew: drawing.Anew
    changes: tuple[Change, ...]
    files: Files
    key: draws.DrawKey
    slots: groups.Slots
    closed: frozenset[str]
    # The phases of the study, and again with what was drawn before counted as selected.
    asked: tuple[StudyPhases, ...]

    @property
    def replaced(self) -> shown_before.Replaced:
        """What the version replaces, with its replacements."""
        return shown_before.Replaced(
            {old: new for new, old in self.rows.replaces.items()},
            {old: new for new, old in {**self.rows.replaces_candidates, **self.rows.pairs.replaces}.items()},
        )


def can_have_version(database: Database, actor: Actor, study_key: str) -> bool:
    """Return, for admins, whether a study is open and of the kind that can have versions."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        is_open = state_of(session, study_id) in acts.NEW_VERSION.before
        return is_open and frozen_facts.expansion_of(session, study_id) is not None


def difference_of(database: Database, actor: Actor, study_key: str, folder: Path) -> Difference:
    """Return what a folder would change in a frozen study; nothing is written.

    Raises
    ------
    InputRefused, Conflict
        See `make_version`.
    """
    planned = _planned(database, actor, study_key, folder)
    rated = drawing.in_words(planned.study, planned.anew)
    return Difference(planned.version, tuple(in_words(planned.changes)), tuple(rated), planned.rows.texts)


def make_version(
    database: Database, actor: Actor, study_key: str, folder: Path, reason: str, progress: Progress | None = None
) -> Difference:
    """Make a new version of a study from the present state of its folder: all of it, or nothing.

    Parameters
    ----------
    folder
        The complete study folder, including what is new and what is corrected.
    reason
        Why the version is made; stored permanently.
    progress
        Called with (done, total, text) before each scan that is read, starting with existing ones, to compare them;
        and with done = total before the version is stored.

    Raises
    ------
    InputRefused
        With everything that is wrong with the folder.
    NotAllowed
        The reason is too short, or the actor is not an admin.
    Conflict
        The study is not open, was written in the first language, or the folder changes what a version must not
        change, with a sentence for each reason.
    """
    said = require_reason(reason)
    planned = _planned(database, actor, study_key, folder)
    pool_files.require_there(planned.files, folder, "what is rated anew shows it; put it into the folder")
    with database.read_only() as session:
        stored_before = same_files.stored_files(session, planned.study_id)
    refuse_all(same_files.others_than(stored_before, planned.rows.contents, progress))
    stored: list[str] = []
    with leftovers.importing(database) as lease:
        try:
            prepared = prepare_files(database, planned.files, progress, stored, lease)
            with database.writing() as session:
                _store(session, actor, study_key, planned, prepared, said)
                require_files(database, prepared)
        except BaseException:
            volume_store.remove_unused(database, stored)
            raise
    rated = drawing.in_words(planned.study, planned.anew)
    return Difference(planned.version, tuple(in_words(planned.changes)), tuple(rated))


def _planned(database: Database, actor: Actor, study_key: str, folder: Path) -> _Planned:
    """Check a folder against a frozen study, and draw what would be rated anew."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        require_in_study(session, acts.NEW_VERSION, study)
        study_id = stored_id(study.id)
        before = frozen_facts.expansion_of(session, study_id)
        if before is None:
            raise Conflict(
                f"The protocol of '{study_key}' does not list its phases, and versions are made of studies that do; "
                "import the changed folder under another key."
            )
        current = current_of(session, study_id)
        contents = checked_folder(folder, frozen_study_of(before, current))
        if not isinstance(contents.protocol, Expansion):
            raise Conflict("The protocol of this folder does not list its phases, and that of the study does.")
        after = with_interval_of(before, contents.protocol)
        contents = replace(contents, protocol=after)
        version = current.version + 1
        rows, reasons = new_rows(current, contents, version)
        added = {phase.key for phase in after.phases} - {phase.key for phase in before.phases}
        misspelt = [says for phase, says in drawn_apart.misspelt(session, after, study.key) if phase in added]
        refuse_all([*reasons_against_protocol(before, after), *reasons, *misspelt])
        changes = (*changes_of_protocol(before, after), *rows.changes)
        if not changes:
            refuse_all(same_files.others_than(same_files.stored_files(session, study_id), contents))
            raise Conflict(
                f"The folder says what version {current.version} of '{study_key}' says; nothing has changed."
            )
        phases = phases_of_listed(after)
        freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id, *STANDS)).one()
        closed = queries.phases_closed(session, study_id)
        there = stored_pool.pool_of(session, study_id)
        drawn = drawing.drawn_before(session, before, stored_id(freeze.id), there, closed)
        pool = drawing.pool_with(there, rows)
        salt = study.salt
        key = draws.key_from(salt, version, draws.times_reopened(session, study_id), after.seed)
        slots = groups.slots_with_units(session, study_id, phases)
        anew = drawing.draw_anew(
            session, after, drawn, rows, pool, slots, key, queries.sealed_subjects(session, study_id)
        )
        later = foreseen.foreseen(session, after, pool, anew.together, slots, key)
        known = {part.key for part in anew.together}
        to_come = [part for part in later if part.key not in known]
        together = [*anew.together, *to_come]
        sound_draws.require_sound(after, phases, together, pool, to_come={part.key for part in to_come})
        left = drawn_in_common.left_by_draws(after, tuple(drawn.parts.values()), pool)
        planned = _Planned(
            study_id=study_id,
            version=version,
            follows=freeze_of(session, study_id) or freeze.sha256,
            before=before,
            study=after,
            source=contents.source,
            rows=rows,
            anew=anew,
            changes=changes,
            files=_files(contents.protocol, rows, anew),
            key=key,
            slots=slots,
            closed=closed,
            asked=drawn_in_common.asked_of(after, phases, left),
        )
        refuse_all(list(shown_before.reasons_against(session, study_id, planned.asked, anew.parts, planned.replaced)))
    return planned


def _files(study: Any, rows: NewRows, anew: drawing.Anew) -> Files:
    """Return the scans and masks to read: those of new items' cases or, if the study draws its items, of drawn items.

    Scans of an existing case are read again, to check new items about the case against them.
    """
    contents = rows.contents
    everything = Files.of(contents)
    if draws_volumes(study):
        shown = pool_files.items_with_volumes(study, anew.parts)
        items = [row for row in contents.items if row.key in shown]
        return pool_files.needed_by(items, contents.volumes, contents.overlays, study)
    new = {row.key for row in rows.added.items}
    items = [row for row in contents.items if row.key in new]
    cases = {row.case for row in items}
    return replace(
        everything,
        items=items,
        volumes=[row for row in contents.volumes if row.case in cases],
        overlays=[row for row in contents.overlays if row.case in cases],
        to_be_hit={key: keys for key, keys in everything.to_be_hit.items() if key in new},
    )


def _store(session: Session, actor: Actor, study_key: str, planned: _Planned, prepared: Prepared, reason: str) -> None:
    """Store a version in one transaction, unless the study has changed since it was planned."""
    study_id = planned.study_id
    members = groups.hold_raters(session, study_id)
    study, _ = require_role(session, actor, study_key, "admin", lock=True)
    require_in_study(session, acts.NEW_VERSION, study)
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
    parts = planned.anew.parts
    refuse_all(list(drawn_apart.reasons_against(session, study, drawing_phases.subjects_of(parts))))
    refuse_all(list(shown_before.reasons_against(session, study_id, planned.asked, parts, planned.replaced)))
    highest = {table: _highest(session, table) for table in _NEW}
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
    freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id, *STANDS)).one()
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
    added = StudyVersion(
        study_id=study_id,
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
    session.add(added)
    session.flush()
    withdrawn = _withdrawn(planned.rows, stored_id(added.id), read)
    add_many(session, withdrawn)
    units = [
        row
        for part in planned.anew.parts
        for row in drawing_phases.rows_of(stored_id(freeze.id), part, pool, planned.version)
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


def _highest(session: Session, table: type[Base]) -> int:
    """Return the highest id of a table: this transaction has locked the study, so rows it adds are above it."""
    return session.exec(select(func.max(table.id))).one() or 0  # type: ignore[attr-defined]


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
