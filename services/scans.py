"""Which scans somebody may fetch at this moment, where they lie, and under which address."""

from __future__ import annotations

import hmac
from pathlib import Path
from typing import Any

from sqlmodel import Session, select

from db import Database, Membership, Overlay, Study, Volume
from db.base import stored_id
from services import displaying, reading, revision_rules, volume_store
from services.errors import Conflict, NotFound
from services.identity import Actor
from services.keys import Keys
from services.permission import REMAINS, STILL_MEMBER, state_of


def scan_in_reach(database: Database, actor: Actor, token: str) -> Path:
    """Return the file behind a token, if the actor's current or next item shows it, or the one they are revising.

    The token is compared with those of the scans in reach, so a token of another session, hour, study or item fits
    none.
    """
    with database.reading() as session:
        rows = session.exec(
            select(Study, Membership)
            .join(Membership)
            .where(Membership.person_id == actor.person_id, *REMAINS, *STILL_MEMBER)
        ).all()
        for study, membership in rows:
            volumes, overlays = _in_reach(session, actor, study, membership)
            for keys in displaying.keys_of(study, actor).still_valid():
                sha256 = _named(session, keys, token, volumes, overlays)
                if sha256 is not None:
                    return volume_store.path_of(database, sha256)
    raise NotFound("There is no such volume for you now.")


def renewed_scans(database: Database, actor: Actor, public_id: str) -> dict[str, Any]:
    """Return the pictures of the item on the actor's screen, and what may be fetched ahead, at addresses of this hour.

    Raises
    ------
    Conflict
        Another item is on the screen by now.
    """
    study_key, queue = reading.queue_of_assignment(database, actor, public_id)
    payload = reading.payload_after_reload(database, actor, study_key, queue)
    if payload["assignment"] != public_id:
        raise Conflict("Another item is on your desk now; reload the page to go on with it.")
    return {"images": payload.get("images"), "prefetch": payload.get("prefetch", [])}


def _named(session: Session, keys: Keys, token: str, volumes: set[int], overlays: set[int]) -> str | None:
    """Return the SHA-256 of the scan that a token names, if it names one of these."""
    for volume_id in volumes:
        if _same(keys.volume_token(volume_id), token):
            return session.exec(select(Volume.sha256).where(Volume.id == volume_id)).one()
    for overlay_id in overlays:
        if _same(keys.overlay_token(overlay_id), token):
            return session.exec(select(Overlay.sha256).where(Overlay.id == overlay_id)).one()
    return None


def _same(name: str, token: str) -> bool:
    return hmac.compare_digest(name.encode(), token.encode())


def _in_reach(session: Session, actor: Actor, study: Study, membership: Membership) -> tuple[set[int], set[int]]:
    """Return the ids of volumes and overlays: an admin's are all, for the preview."""
    study_id = stored_id(study.id)
    if membership.role == "admin":
        return (
            {stored_id(volume) for volume in session.exec(select(Volume.id).where(Volume.study_id == study_id))},
            {stored_id(overlay) for overlay in session.exec(select(Overlay.id).where(Overlay.study_id == study_id))},
        )
    if state_of(session, study_id) != "open":
        return set(), set()
    protocol = displaying.protocol_of(session, study_id)
    queue = "reading" if membership.role == "rater" else "review"
    waiting = displaying.waiting_for(session, protocol, stored_id(membership.id), queue, limit=2)
    volumes: set[int] = set()
    overlays: set[int] = set()
    for place, assignment in enumerate(displaying.within_reach(session, waiting)):
        shown = displaying.scans_of(session, protocol, assignment)
        volumes.update(shown[0])
        # Masks are never fetched ahead: only the item on the desk lays them over its scans.
        overlays.update(shown[1] if place == 0 else ())
    revised = revision_rules.reopened(session, actor, membership)
    if revised is not None:
        shown = displaying.scans_of(session, protocol, revised[0])
        volumes.update(shown[0])
        overlays.update(shown[1])
    return volumes, overlays
