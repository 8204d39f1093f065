"""Run each check of a study separately: an unreadable part is a problem of its own and hides no other."""

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
    """Return the sentences of a check, including those it yields before it meets something unreadable.

    Parameters
    ----------
    what
        What is being read, as the subject of a sentence.

    Raises
    ------
    Unavailable
        The database does not answer, which says nothing about its contents.
    """
    sentences: list[str] = []

    def run() -> None:
        for sentence in check():
            sentences.append(sentence)  # noqa: PERF402  sentences before an error are kept

    _, problems = read_or_report(session, what, run)
    return sentences + problems


def read_or_report(session: Session, what: str, read: Callable[[], T]) -> tuple[T | None, list[str]]:
    """Return the result of reading, or None and a sentence that it failed; see `sentences_of`."""
    try:
        with apart(session):
            return read(), []
    except Unavailable:
        raise
    except Exception as error:  # noqa: BLE001  anybody who can write the file can put anything into it
        _log.warning("a check of a study could not be carried out", exc_info=True)
        return None, [unreadable(what, error)]


def unreadable(what: str, error: Exception) -> str:
    """Return what could not be read and the type of error, not its text: that may quote answers and names."""
    verb = "is" if what.startswith(("Table", "Audit event")) else "are"
    return f"{what} {verb} gone or cannot be read ({type(error).__name__}), so not all could be verified."
