"""Which scans a member may fetch at this moment, where they are stored, and at which addresses."""

from __future__ import annotations

import hmac
from pathlib import Path

from sqlmodel import Session, select

from db import Assignment, Database, Membership, Overlay, Study, Volume
from db.base import stored_id
from protocol.study_phases import StudyPhases
from services.errors import NotFound
from services.installation.tokens import Keys
from services.people import acts
from services.people.identity import Actor
from services.people.permission import state_of, studies_of
from services.reading import desk, displaying, revision_rules, shown_items, submission
from services.reading.route_answers import ScansAnswer
from services.studies import frozen_facts
from services.studies.volumes import damaged_volumes, volume_integrity, volume_store

# The SHA-256 of files by kind (volume or overlay) and id.
Files = dict[tuple[str, int], str]


def volume_in_reach(database: Database, actor: Actor, token: str) -> Path:
    """Return the file behind a token if the actor's current or next item shows it, or the one being revised.

    The token is compared with those of the scans in reach, so a token from another session, hour, study or item
    matches none.
    """
    with database.read_only() as session:
        for study, membership in studies_of(session, actor):
            files = _in_reach(session, actor, study, membership)
            for keys in displaying.keys_of(study, actor).still_valid():
                sha256 = _named(keys, token, files)
                if sha256 is not None:
                    return volume_store.path_of(database, sha256)
    raise NotFound("This volume is not available to you at the moment.")


def read_volume(database: Database, actor: Actor, token: str) -> bytes:
    """Return the packed bytes of the scan behind a token, provided they are as they were prepared.

    Raises
    ------
    NotIntact
        They are changed or missing; this is recorded in the audit trail of the actor's study.
    """
    path = volume_in_reach(database, actor, token)
    try:
        return volume_integrity.read_intact(path)
    except volume_integrity.NotIntact as error:
        damaged_volumes.note(database, actor, error.sha256, error.state)
        raise


def report_damage(database: Database, actor: Actor, token: str) -> None:
    """Note that what a browser unpacked of a scan within its reader's reach is not what was prepared."""
    path = volume_in_reach(database, actor, token)
    damaged_volumes.note(database, actor, volume_store.sha256_of(path), damaged_volumes.IN_THE_BROWSER)


def renewed_volumes(database: Database, actor: Actor, public_id: str) -> ScansAnswer:
    """Return the images of the item on the actor's screen, and what may be prefetched, at addresses of this hour.

    Raises
    ------
    Conflict
        The screen is on another item by now.
    """
    study_key, queue = submission.queue_of_assignment(database, actor, public_id)
    payload = submission.payload_after_reload(database, actor, study_key, queue)
    if payload["assignment"] != public_id:
        acts.require(acts.SHOW, "waiting")
    if payload["kind"] == "done":
        return {"images": None, "prefetch": []}
    return {"images": payload["images"], "prefetch": payload["prefetch"]}


def _named(keys: Keys, token: str, files: Files) -> str | None:
    """Return the SHA-256 of the scan that a token names, if it is one of these."""
    for (kind, shown_id), sha256 in files.items():
        name = keys.volume_token(shown_id) if kind == "volume" else keys.overlay_token(shown_id)
        if hmac.compare_digest(name.encode(), token.encode()):
            return sha256
    return None


def _in_reach(session: Session, actor: Actor, study: Study, membership: Membership) -> Files:
    """Return what a member may fetch now; admins may fetch everything, for the preview."""
    study_id = stored_id(study.id)
    if membership.role == "admin":
        return _all_of(session, study_id)
    if state_of(session, study_id) != "open":
        return {}
    phases, membership_id = frozen_facts.phases_of_member(session, membership), stored_id(membership.id)
    files: Files = {}
    for queue in phases.with_volumes(membership.role):
        if not desk.is_work_before_done(session, phases, membership_id, queue):
            continue
        waiting = desk.waiting_for(session, phases, membership_id, queue, limit=2)
        for place, assignment in enumerate(desk.within_reach(session, waiting)):
            # Overlays are never prefetched: only the item on the desk shows them over its scans.
            files |= _shown_by(session, phases, assignment, with_overlays=place == 0)
    revised = revision_rules.being_revised(session, actor, phases, membership)
    if revised is not None:
        files |= _shown_by(session, phases, revised[0], with_overlays=True)
    return files


def _shown_by(session: Session, phases: StudyPhases, assignment: Assignment, *, with_overlays: bool) -> Files:
    volumes, overlays = shown_items.shown_files_of(session, phases, assignment)
    shown = [("volume", shown_id) for shown_id in volumes] + [
        ("overlay", shown_id) for shown_id in overlays if with_overlays
    ]
    return {(kind, shown_id): shown_items.file_of(session, assignment, kind, shown_id) for kind, shown_id in shown}


def _all_of(session: Session, study_id: int) -> Files:
    volumes = session.exec(select(Volume.id, Volume.sha256).where(Volume.study_id == study_id))
    overlays = session.exec(select(Overlay.id, Overlay.sha256).where(Overlay.study_id == study_id))
    files = {("volume", stored_id(shown_id)): sha256 for shown_id, sha256 in volumes}
    return files | {("overlay", stored_id(shown_id)): sha256 for shown_id, sha256 in overlays}
