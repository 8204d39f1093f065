"""Keys for everything drawn at random, derived from the study's secret so that no draw can be predicted.

The key of a draw is disclosed after the data lock (`services.record.disclosure`). The secret behind it never is: it
also keys tokens and the hash of the references.
"""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func
from sqlmodel import Session, col, select

from db import Base, Freeze, Study, StudyEvent, StudyVersion, audit
from db.asking import ask
from db.standing import STANDS

# 1, in release 0.1.0: derived from the protocol's seed alone, which anybody can read. 2: from the study's own key.
RULE = 2
# The draw that deals units to slots.
DESIGN = "design"
# The version of a study's first freeze, and of anything drawn before it.
FIRST_VERSION = 1


@dataclass(frozen=True)
class DrawKey:
    """The key of every draw of a study until the study is re-opened, after which a different key applies."""

    freeze_version: int
    reopened: int
    value: bytes

    def rng(self, purpose: str, *who: str | int) -> random.Random:
        """Return the generator for one purpose and recipient; the same key, purpose and recipient draw the same."""
        message = "|".join((purpose, *map(str, who)))
        return random.Random(hmac.new(self.value, message.encode(), hashlib.sha256).hexdigest())


def key_of(session: Session, study_id: int, seed: int) -> DrawKey:
    """Return the key for draws made now."""
    # One statement, since a freeze asks for the key once more for each rater.
    salt, standing, later, reopened = ask(session, _OF_THE_KEY, study_id=study_id).one()
    return key_from(salt, _version(standing, later), reopened, seed)


def version_of(session: Session, study_id: int) -> int:
    """Return the version by which a study is drawn now: thawed freezes are not counted.

    A freeze after a thaw therefore draws with the same key, so nobody can thaw a study repeatedly until they get a
    sample they like.
    """
    return _version(*(_count(session, counted, study_id) for counted in (_STANDING, _LATER)))


def _version(standing: int, later: int) -> int:
    return max(standing, FIRST_VERSION) + later


def _count(session: Session, counted: Any, study_id: int) -> int:
    count: int = session.exec(counted, params={"study_id": study_id}).one()
    return count


def _counted(table: type[Base], *conditions: Any) -> Any:
    return select(func.count()).select_from(table).where(*conditions)


_STUDY: Any = bindparam("study_id")
_STANDING = _counted(Freeze, Freeze.study_id == _STUDY, *STANDS)
_LATER = _counted(StudyVersion, StudyVersion.study_id == _STUDY)
_REOPENINGS = _counted(StudyEvent, StudyEvent.study_id == _STUDY, col(StudyEvent.kind) == "reopen")
_OF_THE_KEY: Any = select(
    Study.salt, *(counted.scalar_subquery().correlate(None) for counted in (_STANDING, _LATER, _REOPENINGS))
).where(Study.id == _STUDY)


def key_from(salt: str, freeze_version: int, reopened: int, seed: int) -> DrawKey:
    """Derive a key from the study's secret, the version of its freeze, the number of re-openings and its seed."""
    message = f"draws|freeze {freeze_version}|re-opened {reopened}|seed {seed}"
    value = hmac.new(bytes.fromhex(salt), message.encode(), hashlib.sha256).digest()
    return DrawKey(freeze_version, reopened, value)


def times_reopened(session: Session, study_id: int) -> int:
    """Return how often a study was re-opened after its data lock."""
    return _count(session, _REOPENINGS, study_id)


def dealt_to(purpose: str, slots: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Return what is recorded with a draw besides its purpose: for a draw that deals, the slots by group."""
    return {"slots": {group: list(numbers) for group, numbers in slots.items()}} if purpose == DESIGN else {}


def note(session: Session, study_id: int, key: DrawKey, purpose: str, *who: str | int, **detail: Any) -> None:
    """Record in the audit trail that something was drawn, by which rule and which key, but never the key itself."""
    audit.record(
        session,
        "drawn",
        study_id=study_id,
        purpose=purpose,
        who=list(who),
        rule=RULE,
        freeze_version=key.freeze_version,
        reopened=key.reopened,
        **detail,
    )
