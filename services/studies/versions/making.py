"""Make a new version of a frozen study: an added row with its own manifest; the previous version does not change."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from db import (
    Database,
)
from db.base import stored_id
from services.errors import require_reason
from services.people import acts
from services.people.identity import Actor
from services.people.permission import require_role, state_of
from services.studies import frozen_facts
from services.studies.folders import pool_files
from services.studies.versions import drawing, same_files
from services.studies.versions.changes import in_words, refuse_all
from services.studies.versions.planning import planned_version
from services.studies.versions.storing import store_version
from services.studies.volumes import leftovers, volume_store
from services.studies.volumes.preparing import Progress, prepare_files, require_files


@dataclass(frozen=True)
class Difference:
    """What a folder would change in a frozen study, and what would be rated anew; a sentence each.

    `texts` gives the old and the new wording of corrected texts, which the manifest does not.
    """

    version: int
    changes: tuple[str, ...]
    rated: tuple[str, ...]
    texts: tuple[str, ...] = ()


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
    planned = planned_version(database, actor, study_key, folder)
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
    planned = planned_version(database, actor, study_key, folder)
    pool_files.require_there(planned.files, folder, "what is rated anew shows it; put it into the folder")
    with database.read_only() as session:
        stored_before = same_files.stored_files(session, planned.study_id)
    refuse_all(same_files.others_than(stored_before, planned.rows.contents, progress))
    stored: list[str] = []
    with leftovers.importing(database) as lease:
        try:
            prepared = prepare_files(database, planned.files, progress, stored, lease)
            with database.writing() as session:
                store_version(session, actor, study_key, planned, prepared, said)
                require_files(database, prepared)
        except BaseException:
            volume_store.remove_unused(database, stored)
            raise
    rated = drawing.in_words(planned.study, planned.anew)
    return Difference(planned.version, tuple(in_words(planned.changes)), tuple(rated))
