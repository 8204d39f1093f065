"""What a use case refuses, named in the domain. Every message is one sentence that may be shown to the user."""

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
    """A login or an address has tried as many passwords as are taken in ten minutes."""


class NotAllowed(Refused):
    """The person has no role that allows this."""


class NotFound(Refused):
    """There is no such thing, or none that this person may know of."""


class NoSuchStudy(NotFound):
    """There is no such study, or none in which this person has a role."""


class Conflict(Refused):
    """The state has moved on: already submitted, already frozen, not yet open."""


class Incomplete(Refused):
    """What was filled in does not fit the form; `field` is the key of the field."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


SHORTEST_REASON = 10
LONGEST_REASON = 1000


def require_reason(reason: str) -> str:
    """Return why somebody does what is stored with a study, as it is stored.

    Raises
    ------
    NotAllowed
        It is shorter than `SHORTEST_REASON`.
    """
    said = reason.replace("\x00", "").strip()
    if len(said) < SHORTEST_REASON:
        raise NotAllowed(f"A reason of at least {SHORTEST_REASON} characters is needed; it is stored with the study.")
    return said[:LONGEST_REASON]


def require_length(what: str, value: str, longest: int) -> str:
    """Return a short text without NUL characters and outer spaces; PostgreSQL would refuse what SQLite takes."""
    text = value.replace("\x00", "").strip()
    if len(text) > longest:
        raise Conflict(f"{what} has {len(text)} characters, at most {longest} are allowed; shorten it.")
    return text


def require_name(what: str, value: str, longest: int) -> str:
    """Return a short text of one line in which all can be seen: figures and tables go by it.

    Raises
    ------
    Conflict
        It is too long, or holds a line break or something invisible, by which two names could look the same.
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
    """Another assignment is the one that its member may work on now."""


class AlreadySubmitted(Conflict):
    """There is a verdict or a decision on this assignment, and it is not open for revision."""


class NotShown(Conflict):
    """The item was not shown on this screen, so no verdict on it is taken."""


class NotRevisable(Conflict):
    """The verdict may not be revised, or not any more."""


class ReadsOpen(Conflict):
    """The member's own blind reads are not closed, and what was asked for shows references."""


class StaleDraft(Conflict):
    """A newer draft is stored already; `sequence` is its number."""

    def __init__(self, message: str, sequence: int) -> None:
        super().__init__(message)
        self.sequence = sequence
