"""What a use case refuses, named in the domain. Every message is one sentence that may be shown to the user."""

from __future__ import annotations

from db.waiting import Unavailable
from exchange.refusal import LISTED, InputRefused

__all__ = [
    "LISTED",
    "Conflict",
    "Incomplete",
    "InputRefused",
    "NotAllowed",
    "NotFound",
    "NotSignedIn",
    "Refused",
    "StaleDraft",
    "TooManyTries",
    "Unavailable",
    "require_length",
]


class Refused(Exception):
    """Base of all refusals."""


class NotSignedIn(Refused):
    """The login session is unknown, ended or expired."""


class TooManyTries(Refused):
    """A login or an address has tried as many passwords as are taken in ten minutes."""


class NotAllowed(Refused):
    """The person has no role that allows this."""


class NotFound(Refused):
    """There is no such thing, or none that this person may know of."""


class Conflict(Refused):
    """The state has moved on: already submitted, already frozen, not yet open."""


class Incomplete(Refused):
    """What was filled in does not fit the form; `field` is the key of the field."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


def require_length(what: str, value: str, longest: int) -> str:
    """Return a short text without NUL characters and outer spaces; PostgreSQL would refuse what SQLite takes."""
    text = value.replace("\x00", "").strip()
    if len(text) > longest:
        raise Conflict(f"{what} has {len(text)} characters, at most {longest} are taken; shorten it.")
    return text


class StaleDraft(Conflict):
    """A newer draft is stored already; `sequence` is its number."""

    def __init__(self, message: str, sequence: int) -> None:
        super().__init__(message)
        self.sequence = sequence
