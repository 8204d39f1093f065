"""Require one spelling per subject: keys that read alike are one patient, within a study and between studies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import Case, Item
from db.asking import ask
from protocol.language.expansion import Source
from protocol.seen import DIFFER_ONLY, as_seen
from services.studies.sampling.remarks import CannotDraw
from services.studies.sampling.selection import that_fit
from services.studies.sampling.units import Unit

_SUBJECTS: Any = select(Case.key, Case.subject).where(Case.study_id == bindparam("study_id")).order_by(col(Case.id))
_WRITE = "write one subject in one way, and two in ways that can be told apart"


def reasons_against(session: Session, study_id: int, *, listed: bool) -> Iterator[str]:
    """Yield a sentence for each subject of a study that reads like another one and would be rated as two.

    The import refuses such subjects now, but a draft may have been stored before it did.

    Parameters
    ----------
    listed
        Whether the study lists its phases. If so, an item may be its own case and subject, under a key that nobody
        wrote as a subject.
    """
    rows = [(case, subject) for case, subject in ask(session, _SUBJECTS, study_id=study_id)]
    alike = _alike(rows)
    if alike and listed:
        keys = set(session.exec(select(Item.key).where(Item.study_id == study_id)))
        alike = _alike([(case, subject) for case, subject in rows if case != subject or case not in keys])
    for (case, subject), (other_case, other) in alike:
        yield (
            f"Subject '{subject}' of case '{case}' and '{other}' of case '{other_case}' {DIFFER_ONLY}; {_WRITE}, and "
            "import the folder again."
        )


def _alike(rows: Iterable[tuple[str, str]]) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Return pairs of cases whose subjects are one subject in different spellings, each spelling once."""
    first: dict[str, tuple[str, str]] = {}
    spelt: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {}
    for case, subject in rows:
        before = first.setdefault(as_seen(subject), (case, subject))
        if before[1] != subject:
            spelt.setdefault(subject, ((case, subject), before))
    return list(spelt.values())


def written_otherwise(units: Sequence[Unit], elsewhere: Set[str]) -> dict[str, str]:
    """Return the subjects of units that occur elsewhere only in another spelling, with that spelling."""
    if not elsewhere:
        return {}
    spelt = {as_seen(subject): subject for subject in sorted(elsewhere, reverse=True)}
    own = sorted({unit.subject for unit in units if unit.subject} - elsewhere)
    return {subject: spelt[seen] for subject in own if (seen := as_seen(subject)) in spelt}


def require_apart(units: Sequence[Unit], source: Source, elsewhere: Set[str]) -> None:
    """Refuse a draw apart from other subjects if one of the source's own subjects is another spelling of one of them.

    Raises
    ------
    CannotDraw
        With a reason for each such subject.
    """
    if not elsewhere:
        return
    reasons = [
        f"sample.not_in: subject '{subject}' here and '{other}' there {DIFFER_ONLY}; {_WRITE}."
        for subject, other in written_otherwise(that_fit(units, source, frozenset()), elsewhere).items()
    ]
    if reasons:
        raise CannotDraw(reasons)
