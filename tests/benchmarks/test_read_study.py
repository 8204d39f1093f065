"""The study that reports are measured on has been read and scored as it says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchmarks.read_study import read_study, rows_of
from services.report.build import report_of


def test_every_rater_has_read_every_item_and_scored_every_answer(tmp_path: Path) -> None:
    database = read_study(tmp_path / "study", raters=3, items=10, scored=6)
    try:
        rows = rows_of(database)
    finally:
        database.engine.dispose()

    phases = Counter(entry.phase for entry in rows.entries if entry.verdict_id is not None)
    assert phases == {"reading": 30, "scoring": 18}
    assert {section.key for section in report_of(rows, "final").sections} >= {"accuracy", "agreement", "scores"}
