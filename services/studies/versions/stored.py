"""The versions of a study as they are stored: what each says about itself, and the rows that it covers."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import Base, Candidate, CandidatePair, Database, Freeze, Item, Study, StudyVersion, WithdrawnUnit
from db.asking import ask
from db.base import stored_id
from db.standing import STANDS
from services.people.identity import Actor
from services.people.permission import require_role
from services.seals import proofs
from services.studies.freeze.manifest import COVERED, FORMATS, AsOf, rebuilt
from services.studies.versions.changes import Change, in_words, reworded

# The name of the freeze, which is the first version.
FIRST = "the freeze"
FIRST_NUMBER = 1
# What a version's manifest contains in addition to that of a freeze.
_OF_ITSELF = ("version", "follows", "reason", "changes")
# The parts of a manifest as admins read them.
_PARTS = {
    "study": "Study",
    "software_version": "Blindread version",
    "protocol_sha256": "Protocol (SHA-256)",
    "protocol_source_sha256": "Protocol as written (SHA-256)",
    "analysis_plan_sha256": "Analysis plan (SHA-256)",
    "phases": "Phases, with what was drawn",
    "pool": "Pool that was drawn from",
    "scoring_sample": "Answers drawn for scoring",
    "references_and_baselines_keyed_sha256": "References and baselines (keyed SHA-256)",
    "format": "Format of the manifest",
    "follows": "Version before (SHA-256)",
    "thawed": "Earlier freezes that were thawed",
}
# The tables to which a version adds rows: those that a manifest covers, and pairs, of which it has a hash.
VERSIONED: tuple[type[Base], ...] = (*COVERED, CandidatePair)


@dataclass(frozen=True)
class Version:
    """A version as admins see it; the first is the freeze, which has no reason and no changes."""

    number: int
    sha256: str
    made_at: str
    reason: str
    differences: tuple[str, ...]
    # The old and the new wording of corrected prompts and answers; only `versions_of` gives them.
    texts: tuple[str, ...] = ()


def versions_of(database: Database, actor: Actor, study_key: str) -> list[Version]:
    """Return, for admins, the versions of a frozen study, oldest first; empty for a draft."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        texts = _texts_of_versions(session, study_id)
        return [replace(version, texts=tuple(texts[version.number])) for version in versions_in(session, study_id)]


def covered_by(database: Database, actor: Actor, study_key: str) -> list[tuple[int, list[tuple[str, str]]]]:
    """Return, for admins of a frozen study, each version, newest first, and what its manifest covers, in words."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id, *STANDS)).one()
        manifests = {FIRST_NUMBER: freeze.manifest_json}
        manifests |= {row.version: row.manifest_json for row in rows_of_versions(session, study_id)}
        return [
            (number, [_part_in_words(key, content) for key, content in json.loads(text).items()])
            for number, text in reversed(manifests.items())
        ]


def _part_in_words(key: str, content: Any) -> tuple[str, str]:
    name = _PARTS.get(key, key.replace("_", " ").capitalize())
    if not isinstance(content, dict | list):
        return name, str(content)
    return name, f"{len(content):,} {'entry' if len(content) == 1 else 'entries'}"


def _texts_of_versions(session: Session, study_id: int) -> dict[int, list[str]]:
    """Return, by version, the old and the new wording of each corrected prompt and answer."""
    texts: dict[int, list[str]] = defaultdict(list)
    standing: dict[tuple[str, str], str] = {}
    for row in rows_of_versions(session, study_id):
        for change in (Change.of_manifest(content) for content in json.loads(row.manifest_json)["changes"]):
            if not change.stored_as:
                continue
            name = (change.what, change.key)
            former, standing[name] = standing.get(name, change.key), change.stored_as
            if {"prompt", "answer"}.isdisjoint(change.parts):
                continue
            before = _wording(session, study_id, change.what, former)
            after = _wording(session, study_id, change.what, change.stored_as)
            if before is not None and after is not None and before != after:
                texts[row.version].append(reworded(change.what, change.key, before, after))
    return texts


def _wording(session: Session, study_id: int, what: str, key: str) -> str | None:
    """Return the prompt of an item, or the answer of a candidate; None of anything else."""
    if what == "item":
        return session.exec(select(Item.prompt).where(Item.study_id == study_id, Item.key == key)).first()
    if what == "candidate":
        return session.exec(
            select(Candidate.answer).where(Candidate.study_id == study_id, Candidate.key == key)
        ).first()
    return None


def versions_in(session: Session, study_id: int) -> list[Version]:
    """Return the versions of a study, oldest first; empty if it is not frozen."""
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
    """Return the version that replaced an item, or one of its candidates, by their ids."""
    rows = ask(session, _REPLACED, study_id=study_id)
    return {(item, candidate): version for item, candidate, version in rows}


_REPLACED: Any = (
    select(WithdrawnUnit.item_id, WithdrawnUnit.candidate_id, StudyVersion.version)
    .join(StudyVersion, col(StudyVersion.id) == WithdrawnUnit.version_id)
    .where(StudyVersion.study_id == bindparam("study_id"))
)


def came_in(session: Session, study_id: int) -> dict[tuple[type[Base], int], int]:
    """Return the version that added each row of a study, by table and id, for rows added after the freeze."""
    return {
        (table, number): row.version
        for row in rows_of_versions(session, study_id)
        for table in VERSIONED
        for number in proofs.keys_in(row.added.get(proofs.table_name(table), "") or "0")
    }


def manifest_of_version(version: int, follows: str, reason: str, changes: Sequence[Change]) -> dict[str, Any]:
    """Return what the manifest of a version contains in addition to that of a freeze."""
    return {
        "version": version,
        "follows": follows,
        "reason": reason,
        "changes": [change.as_manifest() for change in changes],
    }


def manifests_again(
    session: Session, study: Study, freeze: tuple[str, str]
) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any] | None]]:
    """Yield the name, hash, stored manifest and rebuilt manifest of the freeze and of each version.

    The rebuilt manifest is None if the stored one has an unknown format.

    Parameters
    ----------
    freeze
        The manifest and hash of the standing freeze.
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
            # What a version says about itself is sealed with its row.
            said = {name: content.get(name) for name in _OF_ITSELF}
            again = rebuilt(session, study, content, of_version) | said
        yield f"version {row.version}", row.sha256, content, again


def problems_of_order(session: Session, study_id: int, freeze_sha256: str) -> Iterator[str]:
    """Yield the versions whose manifest does not name the hash of the version before them."""
    before = freeze_sha256
    for number, row in enumerate(rows_of_versions(session, study_id), start=2):
        if row.version != number or json.loads(row.manifest_json).get("follows") != before:
            yield f"Version {row.version} does not follow the version before it."
        before = row.sha256


def _later(rows: Sequence[StudyVersion], version: int) -> dict[type[Base], set[int]]:
    """Return the ids of the rows added by versions later than this one, by table."""
    return {
        table: {
            key
            for row in rows
            if row.version > version
            for key in proofs.keys_in(row.added.get(proofs.table_name(table), "") or "0")
        }
        for table in VERSIONED
    }
