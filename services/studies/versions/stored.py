"""The versions of a study as they are stored: what each says of itself, and the rows that it covers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import Base, CandidatePair, Database, Freeze, Study, StudyVersion, WithdrawnUnit
from db.base import stored_id
from db.standing import STANDS
from services.people.identity import Actor
from services.people.permission import require_role
from services.seals import proofs
from services.studies.manifest import COVERED, FORMATS, AsOf, rebuilt
from services.studies.versions.changes import Change, in_words

# How the freeze is called, which is the first version.
FIRST = "the freeze"
FIRST_NUMBER = 1
# What the manifest of a version says beside what that of a freeze does.
_OF_ITSELF = ("version", "follows", "reason", "changes")
# The tables to which a version adds: those that a manifest covers, and the pairs of which it has a hash.
VERSIONED: tuple[type[Base], ...] = (*COVERED, CandidatePair)


@dataclass(frozen=True)
class Version:
    """A version as it is shown to admins; the first is the freeze, which says why nothing and differs from nothing."""

    number: int
    sha256: str
    made_at: str
    reason: str
    differences: tuple[str, ...]


def versions_of(database: Database, actor: Actor, study_key: str) -> list[Version]:
    """Return, for admins, the versions of a frozen study, the first one first; none of a draft."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        return versions_in(session, stored_id(study.id))


def versions_in(session: Session, study_id: int) -> list[Version]:
    """Return the versions of a study, the first one first; none where it is not frozen."""
    freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id, *STANDS)).first()
    if freeze is None:
        return []
    first = Version(1, freeze.sha256, freeze.created_at.isoformat(), "", ())
    return [first, *(_version(row) for row in rows_of_versions(session, study_id))]


def rows_of_versions(session: Session, study_id: int) -> Sequence[StudyVersion]:
    """Return the rows of a study's versions after its freeze, oldest first."""
    rows: Sequence[StudyVersion] = session.exec(_ROWS, params={"study_id": study_id}).all()
    return rows


_ROWS: Any = (
    select(StudyVersion).where(StudyVersion.study_id == bindparam("study_id")).order_by(col(StudyVersion.version))
)


def _version(row: StudyVersion) -> Version:
    content = json.loads(row.manifest_json)
    said = in_words(Change.of_manifest(change) for change in content["changes"])
    return Version(row.version, row.sha256, row.at.isoformat(), row.reason, tuple(said))


def replaced_in(session: Session, study_id: int) -> dict[tuple[int, int | None], int]:
    """Return by which version an item, or a candidate of it, was replaced, by their numbers."""
    rows = session.exec(
        select(WithdrawnUnit.item_id, WithdrawnUnit.candidate_id, StudyVersion.version)
        .join(StudyVersion, col(StudyVersion.id) == WithdrawnUnit.version_id)
        .where(StudyVersion.study_id == study_id)
    )
    return {(item, candidate): version for item, candidate, version in rows}


def came_in(session: Session, study_id: int) -> dict[tuple[type[Base], int], int]:
    """Return with which version the rows of a study came, by table and number, of those that came with one."""
    return {
        (table, number): row.version
        for row in rows_of_versions(session, study_id)
        for table in VERSIONED
        for number in proofs.keys_in(row.added.get(proofs.table_name(table), "") or "0")
    }


def manifest_of_version(version: int, follows: str, reason: str, changes: Sequence[Change]) -> dict[str, Any]:
    """Return what the manifest of a version says beside what a manifest of a freeze does."""
    return {
        "version": version,
        "follows": follows,
        "reason": reason,
        "changes": [change.as_manifest() for change in changes],
    }


def manifests_again(
    session: Session, study: Study, freeze: tuple[str, str]
) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any] | None]]:
    """Yield of the freeze and of each version: its name, its hash, its manifest as stored and as its rows say it now.

    The last is None of a manifest in a format that nobody knows.

    Parameters
    ----------
    freeze
        Manifest and hash of the standing freeze.
    """
    rows = rows_of_versions(session, stored_id(study.id))
    first = json.loads(freeze[0])
    at = AsOf.freeze(session, study, _later(rows, FIRST_NUMBER)) if rows else None
    yield FIRST, freeze[1], first, rebuilt(session, study, first, at) if first["format"] in FORMATS else None
    for row in rows:
        content = json.loads(row.manifest_json)
        again = None
        if content.get("format") in FORMATS:
            of_version = AsOf((row.protocol_json, row.protocol_source), _later(rows, row.version))
            # What it says of itself is sealed with its row.
            said = {name: content.get(name) for name in _OF_ITSELF}
            again = rebuilt(session, study, content, of_version) | said
        yield f"version {row.version}", row.sha256, content, again


def problems_of_order(session: Session, study_id: int, freeze_sha256: str) -> Iterator[str]:
    """Yield which versions do not follow the one before them, by the hash that their manifests name."""
    before = freeze_sha256
    for number, row in enumerate(rows_of_versions(session, study_id), start=2):
        if row.version != number or json.loads(row.manifest_json).get("follows") != before:
            yield f"Version {row.version} does not follow the version before it."
        before = row.sha256


def _later(rows: Sequence[StudyVersion], version: int) -> dict[type[Base], set[int]]:
    """Return the numbers of the rows that came with later versions than one, by table."""
    return {
        table: {
            key
            for row in rows
            if row.version > version
            for key in proofs.keys_in(row.added.get(proofs.table_name(table), "") or "0")
        }
        for table in VERSIONED
    }
