"""The manifest of a freeze: what was fixed, as hashes that anybody can recompute from the same files."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import Base, Candidate, Case, Freeze, Item, Overlay, ProtocolRecord, Reference, Study, Thaw, Volume
from db.asking import ask
from db.base import stored_id
from services.installation.version import SOFTWARE_VERSION
from services.seals import proofs
from services.studies.drawing.drawn_phase import DrawnKeys
from services.studies.freeze import whole_pool
from services.studies.freeze.whole_pool import WholePool

# The tables whose rows a manifest covers, besides the protocol.
COVERED: tuple[type[Base], ...] = (Case, Item, Volume, Overlay, Candidate, Reference)
MANIFEST_FORMAT = "blindread-manifest/1"
# For a study that lists its phases: what was drawn, in full, and a hash of each table of the pool it was drawn from.
FORMAT_WITH_POOL = "blindread-manifest/2"
FORMATS = (MANIFEST_FORMAT, FORMAT_WITH_POOL)
_PROTOCOL: Any = select(ProtocolRecord.canonical_json, ProtocolRecord.source).where(
    ProtocolRecord.study_id == bindparam("study_id")
)


@dataclass(frozen=True)
class AsOf:
    """A version of a study, as its manifest describes it.

    Attributes
    ----------
    protocol
        Its canonical JSON, and the file as its author wrote it.
    later
        The ids of rows that came with later versions, by table; they are left out.
    """

    protocol: tuple[str, str]
    later: Mapping[type[Base], Set[int]]

    @staticmethod
    def freeze(session: Session, study: Study, later: Mapping[type[Base], Set[int]] | None = None) -> AsOf:
        """Return the first version of a study, that is, its freeze."""
        canonical_json, source = ask(session, _PROTOCOL, study_id=stored_id(study.id)).one()
        return AsOf((canonical_json, source), later or {})

    def rows_of(self, session: Session, table: type[Base], study: Study) -> dict[int, Any]:
        """Return the rows of a table that this version had, by id."""
        rows, later = proofs.rows_of(session, table, stored_id(study.id)), self.later.get(table, frozenset())
        return {key: row for key, row in rows.items() if key not in later} if later else rows


def canonical(value: Any) -> str:
    """Return JSON with sorted keys and no spaces: the text that is hashed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha256_of(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def build_manifest(
    session: Session,
    study: Study,
    sample: dict[str, float],
    drawn: dict[str, Any] | None = None,
    at: AsOf | None = None,
) -> dict[str, Any]:
    """Describe every row of the present state of a study that does not list its phases.

    Parameters
    ----------
    sample
        Inclusion probability of every candidate that raters score, by candidate key.
    drawn
        What was drawn for the phases of a study that lists them but was frozen before the newer format existed.
    at
        The version to describe; without it, the freeze, if there is no other version.

    Notes
    -----
    References and baselines are hashed together under the study's secret salt: anybody who sees the manifest could
    guess a plain hash of "yes".
    """
    version = at or AsOf.freeze(session, study)
    read: dict[type[Base], Mapping[int, Any]] = {table: version.rows_of(session, table, study) for table in COVERED}
    case_keys = {case.id: case.key for case in read[Case].values()}
    items = sorted(read[Item].values(), key=lambda item: str(item.key))
    item_keys = {item.id: item.key for item in items}
    # Left out if an older study has none, so that the manifest of an older release still matches.
    more = {} if drawn is None else _of_phases(version, drawn)
    return (
        more
        | _of_study(session, study, version)
        | _of_volumes(read[Volume].values(), read[Overlay].values(), case_keys)
        | {
            "format": MANIFEST_FORMAT,
            "cases": {case.key: sha256_of(_case_content(case)) for case in read[Case].values()},
            "items": {item.key: sha256_of(_item_content(item, case_keys[item.case_id])) for item in items},
            "candidates": {
                candidate.key: sha256_of(_candidate_content(candidate, item_keys[candidate.item_id]))
                # People's answers come later, and are in the manifest of the closing that added them.
                for candidate in read[Candidate].values()
                if candidate.model
            },
            "scoring_sample": dict(sorted(sample.items())),
            "references_and_baselines_keyed_sha256": _keyed_references(read[Reference].values(), study, items),
        }
    )


def build_manifest_of_pool(
    session: Session, study: Study, drawn: dict[str, Any], keys: DrawnKeys, pool: WholePool, at: AsOf | None = None
) -> dict[str, Any]:
    """Describe the present state of a study that draws: every row that was drawn, and a hash of the pool.

    Parameters
    ----------
    drawn
        What was drawn for each of its phases.
    keys
        The keys of the items and candidates to list; the cases of these items are listed with them.
    pool
        As returned by `whole_pool.read`.
    at
        The version to describe; without it, the freeze, if there is no other version.
    """
    study_id, version = stored_id(study.id), at or AsOf.freeze(session, study)
    items = proofs.rows_with_keys(session, Item, study_id, sorted(keys.items))
    candidates = proofs.rows_with_keys(session, Candidate, study_id, sorted(keys.candidates))
    about = sorted({pool.case_keys[item.case_id] for item in items})
    volumes, overlays = (version.rows_of(session, table, study).values() for table in (Volume, Overlay))
    return (
        _of_phases(version, drawn)
        | _of_study(session, study, version)
        | _of_volumes(volumes, overlays, pool.case_keys)
        | {
            "format": FORMAT_WITH_POOL,
            "cases": {
                case.key: sha256_of(_case_content(case))
                for case in proofs.rows_with_keys(session, Case, study_id, about)
            },
            "items": {item.key: sha256_of(_item_content(item, pool.case_keys[item.case_id])) for item in items},
            "candidates": {
                candidate.key: sha256_of(_candidate_content(candidate, pool.item_keys[candidate.item_id]))
                for candidate in candidates
            },
            "pool": pool.said,
        }
    )


def rebuilt(session: Session, study: Study, stored: Mapping[str, Any], at: AsOf | None = None) -> dict[str, Any]:
    """Describe the present state of a study in the format of a stored manifest, one of `FORMATS`, to compare the two.

    Parameters
    ----------
    at
        The version to describe; without it, the freeze, if there is no other version.
    """
    if stored["format"] == MANIFEST_FORMAT:
        return build_manifest(session, study, stored["scoring_sample"], stored.get("phases"), at)
    keys = DrawnKeys(frozenset(stored["items"]), frozenset(stored["candidates"]))
    pool = whole_pool.read(session, study, None if at is None else at.later)
    return build_manifest_of_pool(session, study, stored["phases"], keys, pool, at)


def _of_study(session: Session, study: Study, version: AsOf) -> dict[str, Any]:
    canonical_json, _ = version.protocol
    thawed = _thawed(session, study)
    return ({"thawed": thawed} if thawed else {}) | {
        "study": study.key,
        "software_version": SOFTWARE_VERSION,
        "protocol_sha256": hashlib.sha256(canonical_json.encode()).hexdigest(),
        "analysis_plan_sha256": sha256_of(json.loads(canonical_json)["analysis"]),
    }


def _of_phases(version: AsOf, drawn: dict[str, Any]) -> dict[str, Any]:
    _, source = version.protocol
    return {"phases": drawn, "protocol_source_sha256": hashlib.sha256(source.encode()).hexdigest()}


def _of_volumes(volumes: Iterable[Any], overlays: Iterable[Any], case_keys: Mapping[int, str]) -> dict[str, Any]:
    laid = _overlays(overlays, case_keys)
    return ({"overlays": laid} if laid else {}) | {
        "volumes": {
            volume.key: {
                "sha256": volume.sha256,
                "voxels_and_affine_sha256": volume.voxel_sha256,
                "shown_as_sha256": sha256_of(_volume_content(volume, case_keys[volume.case_id])),
            }
            for volume in volumes
        }
    }


def _thawed(session: Session, study: Study) -> list[dict[str, Any]]:
    """Return earlier freezes and why they no longer apply, so that readers can see that there were any.

    If a thawed study was imported over, the new study has its secret, and the old freezes are listed too.
    """
    rows = session.exec(_THAWED, params={"salt": study.salt})
    return [{"version": version, "sha256": sha256, "reason": reason} for version, sha256, reason in rows]


_THAWED: Any = (
    select(Freeze.version, Freeze.sha256, Thaw.reason)
    .join(Thaw, col(Thaw.freeze_id) == Freeze.id)
    .join(Study, col(Study.id) == Freeze.study_id)
    .where(Study.salt == bindparam("salt"))
    .order_by(col(Freeze.id))
)


def _case_content(case: Any) -> list[Any]:
    content: list[Any] = [case.key, case.subject, case.vignette, case.age]
    content += [case.history] if case.history else []
    return [*content, {"attributes": case.attributes}] if case.attributes else content


def _candidate_content(candidate: Any, item_key: str) -> list[Any]:
    content: list[Any] = [candidate.key, item_key, candidate.model, candidate.answer]
    return [*content, {"attributes": candidate.attributes}] if candidate.attributes else content


def _item_content(item: Any, case_key: str) -> list[Any]:
    content: list[Any] = [
        item.key, case_key, item.category, item.format, item.grounding, item.form, item.prompt, item.options,
        item.sequences, item.uses_prior,
    ]  # fmt: skip
    more = {
        "overlays": item.overlays or None,
        "start": item.start,
        "conversation": item.conversation,
        "turn": item.turn,
        "practice": item.practice or None,
        "attributes": item.attributes or None,
    }
    said = {name: value for name, value in more.items() if value is not None}
    return [*content, said] if said else content


def _overlays(overlays: Iterable[Any], case_keys: Mapping[int, str]) -> dict[str, Any]:
    return {
        overlay.key: {
            "sha256": overlay.sha256,
            "voxels_and_affine_sha256": overlay.voxel_sha256,
            "shown_as_sha256": sha256_of(
                [
                    overlay.key,
                    case_keys[overlay.case_id],
                    overlay.label,
                    overlay.colour,
                    overlay.style,
                    overlay.opacity,
                ]
            ),
        }
        for overlay in overlays
    }


def _volume_content(volume: Any, case_key: str) -> list[Any]:
    acquired = volume.acquired.isoformat() if volume.acquired else None
    content: list[Any] = [volume.key, case_key, volume.role, volume.sequence, volume.label, acquired, volume.window]
    return content if volume.placed else [*content, "picture"]


def _keyed_references(references: Iterable[Any], study: Study, items: Sequence[Any]) -> str:
    # Later versions of a reference are added with their own audit events; the freeze covers the first.
    firsts: dict[int, Any] = {}
    for reference in references:
        if reference.item_id not in firsts or reference.version < firsts[reference.item_id].version:
            firsts[reference.item_id] = reference
    content = []
    for item in items:
        first = firsts.get(item.id)
        if first is not None:
            # Left out if an older study has none, so that the manifest of an older release still matches.
            more: list[Any] = [first.explanation] if first.explanation else []
            more += [{"fields": first.fields}] if first.fields else []
            content.append([item.key, first.accepted, first.low, first.high, first.text_only_answer, *more])
    return hmac.new(bytes.fromhex(study.salt), canonical(content).encode(), hashlib.sha256).hexdigest()
