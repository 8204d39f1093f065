"""One subject is written in one way: what reads alike is one patient, within a study and apart from another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from sqlmodel import Session, col, select

from db import Case, Item
from protocol.language.expansion import Source
from protocol.seen import DIFFER_ONLY, as_seen
from services.studies.sampling.remarks import CannotDraw
from services.studies.sampling.selection import that_fit
from services.studies.sampling.units import Unit

_WRITE = "write one subject in one way, and two in ways that can be told apart"


def reasons_against(session: Session, study_id: int, *, listed: bool) -> Iterator[str]:
    """Yield, a sentence each, which subjects of a study read like another one of it, and would be rated as two.

    The import refuses them; a draft may have been stored before it did.

    Parameters
    ----------
    listed
        Whether the study lists its phases. Then an item may be a case, and a subject, of its own, by a key that nobody
        wrote as a subject.
    """
    statement = select(Case.key, Case.subject).where(Case.study_id == study_id).order_by(col(Case.id))
    alike = _alike(rows := session.exec(statement).all())
    if alike and listed:
        keys = set(session.exec(select(Item.key).where(Item.study_id == study_id)))
        alike = _alike([(case, subject) for case, subject in rows if case != subject or case not in keys])
    for (case, subject), (other_case, other) in alike:
        yield (
            f"Subject '{subject}' of case '{case}' and '{other}' of case '{other_case}' {DIFFER_ONLY}; {_WRITE}, and "
            "import the folder again."
        )


def _alike(rows: Iterable[tuple[str, str]]) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Return cases with their subjects where these are written in another way than before, each spelling once."""
    first: dict[str, tuple[str, str]] = {}
    spelt: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {}
    for case, subject in rows:
        before = first.setdefault(as_seen(subject), (case, subject))
        if before[1] != subject:
            spelt.setdefault(subject, ((case, subject), before))
    return list(spelt.values())


def written_otherwise(units: Sequence[Unit], elsewhere: Set[str]) -> dict[str, str]:
    """Return the subjects of units that are there elsewhere in another spelling only, with that spelling."""
    if not elsewhere:
        return {}
    spelt = {as_seen(subject): subject for subject in sorted(elsewhere, reverse=True)}
    own = sorted({unit.subject for unit in units if unit.subject} - elsewhere)
    return {subject: spelt[seen] for subject in own if (seen := as_seen(subject)) in spelt}


def require_apart(units: Sequence[Unit], source: Source, elsewhere: Set[str]) -> None:
    """Refuse to draw what a source selects apart from subjects of which one of its own is another spelling.

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
