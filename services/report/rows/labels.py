"""Read labels made elsewhere. A calibration counts them as people's when it is asked to; the report never does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session, col, select

from db import Candidate, ImportedLabel, LabelImport
from db.base import stored_id
from services.errors import Conflict
from services.judging.import_labels import LabelLine, lines_of


@dataclass(frozen=True)
class Label:
    """A labeller's label on a candidate: a code of the scale or a number, or why there is none."""

    candidate_id: int
    labeller: str
    label: str | None
    missing: str
    remark: str


@dataclass(frozen=True)
class Labels:
    """The labels of one or several imports that a calibration counts as people's.

    Attributes
    ----------
    lines
        Where the labels of each import came from.
    imports
        The keys of the imports.
    given
        The labels themselves.
    """

    lines: tuple[LabelLine, ...]
    imports: tuple[int, ...]
    given: tuple[Label, ...]

    @property
    def are_a_random_part(self) -> bool:
        """Whether the labelled candidates are declared to be one simple random sample."""
        return len(self.lines) == 1 and self.lines[0].is_random_part

    @property
    def by_labeller(self) -> dict[str, list[Label]]:
        """Each labeller's labels, under the name used in figures, which cannot be confused with a rater's."""
        named: dict[str, list[Label]] = {}
        for label in self.given:
            named.setdefault(called(label.labeller), []).append(label)
        return dict(sorted(named.items()))


def called(labeller: str) -> str:
    """Return the name of a labeller in figures and files; the labeller's own may also be that of a rater or a rule."""
    return f"{labeller} (elsewhere)"


def load_labels(session: Session, study_id: int, field: str, names: Sequence[str], without: frozenset[int]) -> Labels:
    """Read the labels of some imports in a field, except those on some items.

    Parameters
    ----------
    field
        As stored with the labels: empty if they say correct or incorrect.
    names
        The imports to read.
    without
        Ids of items whose candidates are left out.

    Raises
    ------
    Conflict
        There are no such labels, or two imports hold labels of one labeller on the same candidate.
    """
    every = select(LabelImport).where(LabelImport.study_id == study_id).order_by(col(LabelImport.id))
    stored = session.exec(every).all()
    known = {row.name: row for row in stored if row.field == field}
    unknown = [name for name in names if name not in known]
    if unknown:
        expected = f"expected some of {', '.join(known)}" if known else "none were imported"
        raise Conflict(f"There are no labels '{unknown[0]}' in this field; {expected}.")
    chosen = [known[name] for name in dict.fromkeys(names)]
    query = (
        select(ImportedLabel, Candidate.item_id)
        .join(Candidate, col(Candidate.id) == ImportedLabel.candidate_id)
        .where(col(ImportedLabel.import_id).in_([stored_id(row.id) for row in chosen]))
        .order_by(col(ImportedLabel.id))
    )
    given = tuple(
        Label(row.candidate_id, row.labeller, row.label, row.missing, row.remark)
        for row, item_id in session.exec(query)
        if item_id not in without
    )
    seen: set[tuple[int, str]] = set()
    for label in given:
        if (label.candidate_id, label.labeller) in seen:
            raise Conflict(
                f"'{label.labeller}' labelled an answer in two of the imports {', '.join(row.name for row in chosen)}; "
                "choose one of them."
            )
        seen.add((label.candidate_id, label.labeller))
    wanted = {row.name for row in chosen}
    lines = tuple(line for line in lines_of(session, study_id) if line.name in wanted)
    return Labels(lines, tuple(stored_id(row.id) for row in chosen), given)
