"""Notices after signing in that somebody made a link for the account while it was in use.

Anybody with such a link can act as its person. Only owners can make one, and never without its person being told.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from db import Database, Invitation, LoginSession, audit, now
from services.people.identity import Actor

# As long as a link is valid.
STAYS_FOR = timedelta(days=14)


@dataclass(frozen=True)
class LinkNotice:
    """A link for somebody's account that they have not yet confirmed knowing about."""

    made_at: datetime
    used_at: datetime | None
    # Whether it set a new password, with which somebody else may have signed in since.
    stays: bool


def notices_of(database: Database, actor: Actor) -> list[LinkNotice]:
    """Return the links that were made for the actor's account since they last confirmed such a notice."""
    with database.read_only() as session:
        return [LinkNotice(link.created_at, link.consumed_at, _stays(link)) for link in _untold(session, actor)]


def confirm_notices(database: Database, actor: Actor) -> None:
    """Record that the actor has seen the notices, if it is certain that the actor is the person themselves.

    Somebody else may have used the link, and must not be able to dismiss the notice: neither in the login session that
    the link opened nor, if it set a new password, in any later one. In that case the notice stays for two weeks.
    """
    with database.writing() as session:
        opened_at = session.get_one(LoginSession, actor.login_session_id).created_at
        by_such_a_link = session.exec(
            select(Invitation.id).where(
                Invitation.person_id == actor.person_id,
                col(Invitation.for_known),
                Invitation.consumed_at == opened_at,
            )
        ).first()
        untold = _untold(session, actor)
        # While such a password may be in use, no other notice can be dismissed either.
        if by_such_a_link is not None or not untold or any(map(_stays, untold)):
            return
        for link in untold:
            link.told_at = now()
            session.add(link)
        audit.record(session, "told of links", person_id=actor.person_id, links=len(untold))


def _stays(link: Invitation) -> bool:
    return link.purpose == "join" and link.consumed_at is not None and now() < link.consumed_at + STAYS_FOR


def _untold(session: Session, actor: Actor) -> list[Invitation]:
    query = select(Invitation).where(
        Invitation.person_id == actor.person_id, col(Invitation.for_known), col(Invitation.told_at).is_(None)
    )
    return list(session.exec(query.order_by(col(Invitation.id))).all())
