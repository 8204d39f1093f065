"""Plan a version of a frozen study: check its folder against the study, and draw what would be rated anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlmodel import Session, select

from db import (
    Database,
    Freeze,
    Study,
    queries,
)
from db.base import stored_id
from db.standing import STANDS
from protocol.language.drawn_volumes import draws_volumes
from protocol.language.expansion import Expansion
from protocol.language.following import followed_by
from protocol.language.listed import phases_of_listed
from protocol.language.narrowing import Left
from protocol.study_phases import StudyPhases
from services.errors import Conflict
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import freeze_of, require_role
from services.studies import draws, frozen_facts, groups
from services.studies.drawing import drawn_apart, drawn_in_common, sound_draws, stored_pool
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.pool import Pool
from services.studies.folders import pool_files
from services.studies.folders.checking import checked_folder
from services.studies.freeze import foreseen
from services.studies.versions import drawing, same_files, shown_before
from services.studies.versions.changes import Change, refuse_all
from services.studies.versions.current import current_of, frozen_study_of
from services.studies.versions.protocols import changes_of_protocol, reasons_against_protocol, with_interval_of
from services.studies.versions.tables import NewRows, new_rows
from services.studies.volumes.alignment import Files


@dataclass(frozen=True)
class Planned:
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
    asked: shown_before.Asked

    @property
    def replaced(self) -> shown_before.Replaced:
        """What the version replaces, with its replacements."""
        return shown_before.Replaced(
            {old: new for new, old in self.rows.replaces.items()},
            {old: new for new, old in {**self.rows.replaces_candidates, **self.rows.pairs.replaces}.items()},
        )


@dataclass(frozen=True)
class _Changed:
    """What a folder changes in a frozen study: its protocol before and after, the new rows, and what to say of them."""

    version: int
    before: Expansion
    after: Expansion
    source: str
    rows: NewRows
    changes: tuple[Change, ...]


def planned_version(database: Database, actor: Actor, study_key: str, folder: Path) -> Planned:
    """Check a folder against a frozen study, and draw what would be rated anew."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        require_in_study(session, acts.NEW_VERSION, study)
        study_id = stored_id(study.id)
        changed = _changed(session, study, folder)
        before, after, rows = changed.before, changed.after, changed.rows
        phases = phases_of_listed(after)
        freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id, *STANDS)).one()
        closed = queries.phases_closed(session, study_id)
        there = stored_pool.pool_of(session, study_id)
        drawn = drawing.drawn_before(session, before, stored_id(freeze.id), there, closed)
        pool = drawing.pool_with(there, rows)
        key = draws.key_from(study.salt, changed.version, draws.times_reopened(session, study_id), after.seed)
        slots = groups.slots_with_units(session, study_id, phases)
        anew = drawing.draw_anew(
            session, after, drawn, rows, pool, slots, key, queries.sealed_subjects(session, study_id)
        )
        together, to_come = _with_what_is_to_come(session, after, pool, anew.together, slots, key)
        # What was frozen before there was a rule keeps what breaks it.
        stays = _told_before(session, study_id, before, there, drawn, key)
        sound_draws.require_sound(after, phases, together, pool, to_come, stays)
        planned = Planned(
            study_id=study_id,
            version=changed.version,
            follows=freeze_of(session, study_id) or freeze.sha256,
            before=before,
            study=after,
            source=changed.source,
            rows=rows,
            anew=anew,
            changes=changed.changes,
            files=_files(after, rows, anew),
            key=key,
            slots=slots,
            closed=closed,
            asked=_asked(after, phases, tuple(drawn.parts.values()), there, pool, stays),
        )
        refuse_all(list(shown_before.reasons_against(session, study_id, planned.asked, anew.parts, planned.replaced)))
    return planned


def _changed(session: Session, study: Study, folder: Path) -> _Changed:
    """Read a folder beside the study as it is; refuse it if it changes what must stay, or nothing."""
    study_id = stored_id(study.id)
    before = frozen_facts.expansion_of(session, study_id)
    if before is None:
        raise Conflict(
            f"The protocol of '{study.key}' does not list its phases, and versions are made of studies that do; "
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
        raise Conflict(f"The folder says what version {current.version} of '{study.key}' says; nothing has changed.")
    return _Changed(version, before, after, contents.source, rows, changes)


def _with_what_is_to_come(
    session: Session, study: Expansion, pool: Pool, drawn: Sequence[DrawnPhase], slots: groups.Slots, key: draws.DrawKey
) -> tuple[list[DrawnPhase], set[str]]:
    """Return what is drawn with everything that answers could let in, and the phases of which that is."""
    known = {part.key for part in drawn}
    later = [part for part in foreseen.foreseen(session, study, pool, drawn, slots, key) if part.key not in known]
    return [*drawn, *later], {part.key for part in later}


def _told_before(
    session: Session, study_id: int, study: Expansion, pool: Pool, drawn: drawing.Before, key: draws.DrawKey
) -> frozenset[sound_draws.Breach]:
    """Return what a study reveals too early as it is, without the version."""
    phases = phases_of_listed(study)
    slots = groups.slots_with_units(session, study_id, phases)
    together, to_come = _with_what_is_to_come(session, study, pool, tuple(drawn.parts.values()), slots, key)
    return sound_draws.revealed(study, phases, together, pool, to_come)


def _asked(
    study: Expansion,
    phases: StudyPhases,
    drawn: Sequence[DrawnPhase],
    there: Pool,
    pool: Pool,
    stays: Set[sound_draws.Breach],
) -> shown_before.Asked:
    """Return what the phases of a version reveal by what was drawn before, except for what stays.

    Parameters
    ----------
    there, pool
        The pool before the version, which alone is known to somebody who was shown a phase, and with it.
    """
    left = _left_beside(stays, drawn_in_common.left_by_draws(study, drawn, pool))
    # A refusal must not say what answers, which can be sealed, let into a phase.
    at_the_freeze = [part for part in drawn if not followed_by(study, study.phase(part.key))]
    return shown_before.Asked(
        drawn_in_common.asked_of(study, phases, left),
        [
            (share, drawn_in_common.asked_of(study, phases, {share.telling: Left({share.key: share.value})})[-1])
            for share in drawn_in_common.shares_of_draws(study, at_the_freeze, there, frozenset())
            if sound_draws.Breach(share.telling, share.blind, share.key, share.comes) not in stays
        ],
    )


def _left_beside(stays: Set[sound_draws.Breach], left: Mapping[str, Left]) -> dict[str, Left]:
    """Return what draws left in common, without what stays."""
    known = {(breach.telling, breach.thing) for breach in stays}
    return {
        phase: Left(
            {key: value for key, value in each.values.items() if (phase, key) not in known},
            tuple(key for key in each.unlike if (phase, key) not in known),
            tuple(key for key in each.alike if (phase, key) not in known),
        )
        for phase, each in left.items()
    }


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
