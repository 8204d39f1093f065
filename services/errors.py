"""The refusals of the use cases, in domain terms. Every message is one sentence that may be shown to the user."""

from __future__ import annotations

from db.waiting import Unavailable
from exchange.refusal import LISTED, InputRefused, counted

__all__ = [
    "LISTED",
    "AlreadySubmitted",
    "Conflict",
    "Incomplete",
    "InputRefused",
    "NoSuchStudy",
    "NotAcknowledged",
    "NotAllowed",
    "NotFound",
    "NotOnTheDesk",
    "NotRevisable",
    "NotShown",
    "NotSignedIn",
    "ReadsOpen",
    "Refused",
    "StaleDraft",
    "StudyClosed",
    "StudyNotOpen",
    "TooManyTries",
    "Unavailable",
    "counted",
    "require_length",
    "require_name",
]


class Refused(Exception):
    """Base of all refusals."""


class NotSignedIn(Refused):
    """The login session is unknown, ended or expired."""


class TooManyTries(Refused):
    """Too many passwords were tried for one login, or from one address, within ten minutes."""


class NotAllowed(Refused):
    """The person has no role that allows this."""


class NotFound(Refused):
    """It does not exist, or this person may not know that it does."""


class NoSuchStudy(NotFound):
    """The study does not exist, or this person has no role in it."""


class Conflict(Refused):
    """The state has moved on: already submitted, already frozen, not yet open."""


class Incomplete(Refused):
    """The answers do not fit the form; `field` is the key of the field concerned."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


SHORTEST_REASON = 10
LONGEST_REASON = 1000


def require_reason(reason: str) -> str:
    """Return the cleaned reason for an action that is stored with a study.

    Raises
    ------
    NotAllowed
        The reason is shorter than `SHORTEST_REASON`.
    """
    said = reason.replace("\x00", "").strip()
    if len(said) < SHORTEST_REASON:
        raise NotAllowed(f"A reason of at least {SHORTEST_REASON} characters is needed; it is stored with the study.")
    return said[:LONGEST_REASON]


def require_length(what: str, value: str, longest: int) -> str:
    """Return a short text without NUL characters (SQLite accepts them, PostgreSQL does not) or outer spaces."""
    text = value.replace("\x00", "").strip()
    if len(text) > longest:
        raise Conflict(f"{what} has {len(text)} characters, at most {longest} are allowed; shorten it.")
    return text


def require_name(what: str, value: str, longest: int) -> str:
    """Return a short name on one line without invisible characters: figures and tables identify things by it.

    Raises
    ------
    Conflict
        It is too long, or holds a line break or an invisible character, which could make two names look the same.
    """
    name = require_length(what, value, longest)
    if not name.isprintable():
        raise Conflict(f"{what} holds a line break or an invisible character; type it again.")
    return name


class StudyNotOpen(NotAllowed):
    """The study is not frozen yet."""


class StudyClosed(NotAllowed):
    """The data of the study are locked."""


class NotOnTheDesk(Conflict):
    """The member's current assignment is a different one."""


class AlreadySubmitted(Conflict):
    """The assignment already has a verdict or a decision, and is not open for revision."""


class NotShown(Conflict):
    """The item was not shown on this screen, so no verdict on it is accepted."""


class NotRevisable(Conflict):
    """The verdict may not be revised, or no longer."""


class ReadsOpen(Conflict):
    """The member still has blind reads to finish, and the request would show references."""


class NotAcknowledged(Conflict):
    """The member has not acknowledged the instructions of this part, or not as they are now."""


class StaleDraft(Conflict):
    """A newer draft is already stored; `sequence` is its number."""

    def __init__(self, message: str, sequence: int) -> None:
        super().__init__(message)
        self.sequence = sequence
