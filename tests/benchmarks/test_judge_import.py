"""What is measured of an import is an import, with a rater beside it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from benchmarks import judge_import, one_import
from services.judging import import_runs
from services.people import identity
from services.progress import data_lock


def test_a_run_is_imported_while_a_rater_submits_and_calibrated_afterwards(tmp_path: Path) -> None:
    database = judge_import.make(tmp_path / "study", 320, 48)
    admin = identity.actor_for_command_line(database)
    taken: dict[str, Any] = {}
    importing = threading.Thread(
        target=lambda: taken.update(one_import.imported(tmp_path / "study", judge_import.JUDGE_FILE))
    )

    importing.start()
    waits = list(judge_import.submits(database, importing.is_alive))
    importing.join()

    assert (taken["verdicts"], taken["transactions"] >= 3) == (320, True)
    assert 0 < taken["longest"] < taken["seconds"]
    assert taken["longest_was"].startswith("judge_import")
    assert len(waits) > 0
    assert [run.unresolved for run in import_runs.judge_runs_of(database, admin, judge_import.STUDY)] == [7]
    data_lock.close_study(database, admin, judge_import.STUDY, "Measured to its end.")
    assert judge_import.calibrated(tmp_path / "study")["cold"] > 0
