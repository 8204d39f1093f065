"""Labels made elsewhere as a tidy table, marked as such; no figure of a report is computed from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlmodel import Session, col, select

from db import Candidate, Database, ImportedLabel, Item, LabelImport, Person, Study, queries
from db.base import stored_id
from exchange.report.report_csv import number_below_zero
from exchange.report.report_structure import Cell, Column, DataFile, Report
from services.judging.import_labels import NOT_BLINDED_HERE, SEALED
from services.report.files.columns import CANDIDATE, ITEM, MODEL


def with_labels(session: Session, study: Study, report: Report) -> Report:
    """Return the report with a file of the study's labels made elsewhere, and a notice that it has one."""
    query = select(LabelImport).where(LabelImport.study_id == study.id).order_by(col(LabelImport.id))
    imports = session.exec(query).all()
    if not imports:
        return report
    names = ", ".join(f"'{row.name}'" for row in imports)
    has = "those that are not sealed" if queries.sealed_items(session, stored_id(study.id)) else "them"
    notice = (
        f"Labels of people, {NOT_BLINDED_HERE}, were imported ({names}): no figure of this report rests on them, and "
        f"labels.csv has {has}."
    )
    ids = tuple(stored_id(row.id) for row in imports)
    return replace(report, notices=(*report.notices, notice), label_imports=ids)


def label_files(database: Database, report: Report) -> tuple[DataFile, ...]:
    """Return the table of labels made elsewhere; empty if none were imported.

    Its rows are read from the database each time they are iterated over; labels on sealed items are left out.
    """
    if not report.label_imports:
        return ()
    return (
        DataFile(
            "labels.csv",
            f"Labels of people, {NOT_BLINDED_HERE}: in no figure of this report; one line per labeller and candidate.",
            (
                Column("labels", "Labels", "Name of their import"),
                Column("labeller", "Labeller", "Who labelled, as the file named them: no rater of this study"),
                CANDIDATE,
                ITEM,
                MODEL,
                Column("field", "Field", "The field of the study, as PHASE.FIELD; empty: correct or incorrect"),
                Column("label", "Label", "Code on the scale of the field, or a number; empty without one"),
                Column("missing", "Missing", "Why there is no label"),
                Column("remark", "Remark", "What the labeller wrote"),
                Column("blinded_here", "Blinded here", "no, of every label"),
                Column("blinding", "Blinding", "How the labellers are said to have been blinded; empty: not known"),
                Column("source", "Source", "Name of the file"),
                Column("source_sha256", "SHA-256", "Of the file; of labels that are sealed in part it is not told"),
                Column("imported_at", "Imported", "When, UTC"),
                Column("imported_by", "Imported by", "Who imported the file"),
            ),
            _Rows(database, report.label_imports),
        ),
    )


@dataclass(frozen=True)
class _Rows:
    """The rows of the file. Stored labels never change, but sealed answers may be unsealed in the meantime."""

    database: Database
    imports: Sequence[int]

    def __iter__(self) -> Iterator[tuple[Cell, ...]]:
        for import_id in self.imports:
            with self.database.read_only() as session:
                rows = _rows_of(session, import_id)
            yield from rows


def _rows_of(session: Session, import_id: int) -> list[tuple[Cell, ...]]:
    imported = session.get_one(LabelImport, import_id)
    person = None if imported.person_id is None else session.get(Person, imported.person_id)
    sealed = queries.sealed_items(session, imported.study_id)
    origin = (
        "no", imported.blinding or None, imported.source, SEALED if sealed else imported.source_sha256,
        imported.at.isoformat(timespec="seconds"), None if person is None else person.name,
    )  # fmt: skip
    query = (
        select(ImportedLabel, Candidate, Item)
        .join(Candidate, col(Candidate.id) == ImportedLabel.candidate_id)
        .join(Item, col(Item.id) == Candidate.item_id)
        .where(ImportedLabel.import_id == import_id)
        .order_by(col(ImportedLabel.id))
    )
    return [
        (
            imported.name, label.labeller, candidate.key,
            None if item.practice else item.key, candidate.model, imported.field or None,
            number_below_zero(label.label), label.missing or None, label.remark or None, *origin,
        )
        for label, candidate, item in session.exec(query)
        if item.id not in sealed
    ]  # fmt: skip
