"""Every check of a study runs by itself: what one cannot read is a problem of its own, and hides no other."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from sqlmodel import Session

from db.readable import apart
from services.errors import Unavailable

T = TypeVar("T")
_log = logging.getLogger(__name__)
ROWS = "Rows of the study"


def sentences_of(session: Session, what: str, check: Callable[[], Iterable[str]]) -> list[str]:
    """Return the sentences of a check; what it says before it comes upon something unreadable is kept.

    Parameters
    ----------
    what
        What is being read, as the subject of a sentence.

    Raises
    ------
    Unavailable
        The database does not answer, which is nothing against what is in it.
    """
    sentences: list[str] = []

    def run() -> None:
        for sentence in check():
            sentences.append(sentence)  # noqa: PERF402  what was said before an error is kept

    _, problems = read_or_report(session, what, run)
    return sentences + problems


def read_or_report(session: Session, what: str, read: Callable[[], T]) -> tuple[T | None, list[str]]:
    """Return what is read, or None and the sentence that it cannot be; see `sentences_of`."""
    try:
        with apart(session):
            return read(), []
    except Unavailable:
        raise
    except Exception as error:  # noqa: BLE001  whoever can write the file can put anything into it
        _log.warning("a check of a study could not be carried out", exc_info=True)
        return None, [unreadable(what, error)]


def unreadable(what: str, error: Exception) -> str:
    """Return what could not be read, and by which error; its words may quote answers and names."""
    verb = "is" if what.startswith(("Table", "Audit event")) else "are"
    return f"{what} {verb} gone or cannot be read ({type(error).__name__}), so not all could be verified."
