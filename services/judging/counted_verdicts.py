"""The human verdicts that count on test subjects: those that an opening names, and no others until another one does.

Figures by two sets of human verdicts would reveal the few answers in which the two differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session, col, select

from db import LabelImport, queries
from protocol.language.wording import listed
from services.errors import Conflict
from services.judging.run_identity import Judge

RATERS = "raters' verdicts"


@dataclass(frozen=True)
class CountedVerdicts:
    """Whose verdicts count, and how they are combined.

    Attributes
    ----------
    labels
        The names of imports of labels made elsewhere. They replace raters' verdicts in the fields that they fill in.
    basis
        Such as majority, or a rater; empty for the usual one of the scale.
    """

    labels: tuple[str, ...] = ()
    basis: str = ""

    @property
    def in_words(self) -> str:
        """Whose verdicts, as in "by ..."."""
        named = listed([f"'{name}'" for name in self.labels])
        whose = f"labels made elsewhere {named}" if self.labels else RATERS
        return f"{whose} ({self.basis})" if self.basis else whose

    @property
    def if_not_usual(self) -> str:
        """The words to append to what was opened; empty for raters' verdicts by the usual basis."""
        return "" if self == USUAL else f" by {self.in_words}"


USUAL = CountedVerdicts()


def counted_by_judge(session: Session, study_id: int) -> dict[Judge, CountedVerdicts]:
    """Return the human verdicts that count on test subjects, for each judge for which agreement was opened on them."""
    named = queries.opened_bases_of(session, study_id)
    return {
        judge: CountedVerdicts(tuple(named[judge].labels), named[judge].basis) if judge in named else USUAL
        for judge in queries.openings_of(session, study_id)
        if judge[0]
    }


def require_labels(session: Session, study_id: int, names: Sequence[str]) -> None:
    """Refuse names of labels that were not imported.

    Raises
    ------
    Conflict
        A name is not that of an import of labels made elsewhere in this study.
    """
    query = select(LabelImport.name).where(LabelImport.study_id == study_id).order_by(col(LabelImport.id))
    known = session.exec(query).all()
    unknown = [name for name in names if name not in known]
    if unknown:
        expected = f"expected some of {', '.join(known)}" if known else "none were imported"
        raise Conflict(f"There are no labels '{unknown[0]}' in this study; {expected}.")
