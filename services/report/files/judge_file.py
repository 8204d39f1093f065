"""Every verdict of every judge as a tidy table, whose rows are read as they are written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlmodel import Session, select

from db import Database, Item, JudgeRun, queries
from exchange.report.report_csv import number_below_zero
from exchange.report.report_structure import Cell, Column, DataFile, Report
from services.judging.verdict_columns import judged_page
from services.report.files.columns import CANDIDATE, ITEM, MODEL


def judge_files(database: Database, report: Report) -> tuple[DataFile, ...]:
    """Return the table of judges' verdicts in the runs of a report; empty if the study has no candidates.

    Its rows are read from the database each time they are iterated over.
    """
    if report.judge_runs is None:
        return ()
    return (
        DataFile(
            "judge.csv",
            "Every verdict of every judge, but those on sealed items; one line per run and candidate.",
            (
                Column("run", "Run", "Name of the run"),
                Column("judge", "Judge", "Name of the judge"),
                CANDIDATE,
                ITEM,
                MODEL,
                Column("field", "Field", "The field that it fills in, as PHASE.FIELD; empty: correct or incorrect"),
                Column(
                    "verdict",
                    "Verdict",
                    "Code on the scale of the run, or a number; empty when unresolved",
                ),
                Column("confidence", "Confidence", "The judge's own, from 0 to 1"),
                Column("failure", "Failure", "Why there is no verdict: error, refusal, unreadable or no_verdict"),
                Column("error", "Error", "Why there is no verdict"),
                Column("explanation", "Explanation", "What the judge wrote"),
                Column("shown_first", "Shown first", "Of a pair, which answer came first: first or second"),
            ),
            _Rows(database, report.judge_runs),
        ),
    )


@dataclass(frozen=True)
class _Rows:
    """The rows of the file. A stored run never changes, but sealed answers may be unsealed in the meantime."""

    database: Database
    runs: tuple[int, ...]

    def __iter__(self) -> Iterator[tuple[Cell, ...]]:
        for run_id in self.runs:
            yield from self._of_run(run_id)

    def _of_run(self, run_id: int) -> Iterator[tuple[Cell, ...]]:
        with self.database.read_only() as session:
            run = session.get_one(JudgeRun, run_id)
            page = judged_page(session, run_id)
            sealed = _sealed_keys(session, run.study_id)
        while page:
            for judged in page:
                if judged.item in sealed:
                    continue
                yield (
                    run.name, run.judge, judged.candidate, judged.item, judged.model,
                    str(run.parameters.get("field", "")) or None, number_below_zero(judged.verdict), judged.confidence,
                    judged.failure or None, judged.error or None, judged.explanation or None,
                    judged.shown_first or None,
                )  # fmt: skip
            # Hold no transaction open while the caller writes.
            with self.database.read_only() as session:
                page = judged_page(session, run_id, page[-1].verdict_id)


def _sealed_keys(session: Session, study_id: int) -> frozenset[str]:
    """Return the keys of the sealed items, which appear in no file of the report."""
    sealed = queries.sealed_items(session, study_id)
    if not sealed:
        return frozenset()
    rows = session.exec(select(Item.id, Item.key).where(Item.study_id == study_id))
    return frozenset(key for number, key in rows if number in sealed)
