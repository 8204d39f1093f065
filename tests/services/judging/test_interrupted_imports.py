"""What ends an import before its run is whole leaves nothing that anybody sees, and the next one starts clean."""

from __future__ import annotations

import os
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest

from db import Database
from services.errors import Conflict
from services.judging import import_runs
from services.record import verification
from services.studies.folders import unfinished_imports
from tests.harness.forked import forked_manage
from tests.services.judging.slices import Left, during, killed_at, seen_of_runs, store_one_row_a_slice, unfinished_of
from tests.services.judging.test_import_runs import stored_verdicts, take_in
from tests.situations import Situation, open_study


@pytest.fixture(autouse=True)
def a_slice_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    store_one_row_a_slice(monkeypatch)


@pytest.mark.server
@pytest.mark.parametrize(
    ("beginning", "before", "left"),
    [
        ("INSERT INTO judge_import", 0, 0),
        ("INSERT INTO judge_verdict", 0, 0),
        ("INSERT INTO judge_verdict", 1, 1),
        ("INSERT INTO judge_verdict", 3, 3),
        ("UPDATE judge_import", 2, 2),
        ("INSERT INTO judge_run", 0, 4),
        ("INSERT INTO audit_event", 0, 4),
    ],
)
def test_what_a_kill_leaves_is_seen_by_nobody_and_the_next_import_starts_clean_and_says_so(
    database: Database, tmp_path: Path, beginning: str, before: int, left: int
) -> None:
    situation = open_study(database, tmp_path / "study")
    seen = seen_of_runs(situation)

    killed_at(situation, beginning, before)

    assert seen_of_runs(situation)[:-1] == seen[:-1]
    assert unfinished_of(database)[1] == left
    line = take_in(situation)
    assert line.cleared == left
    assert ("removed before this one began" in line.in_words) == (left > 0)
    assert unfinished_of(database) == (0, 0)
    assert stored_verdicts(database)["k1"] == ("correct", None)
    assert import_runs.judge_runs_of(database, situation.admin, "tiny")[0].candidates == 4
    assert verification.verify_study(database, "tiny") == []


@pytest.mark.server
def test_what_a_kill_left_is_listed_and_removed_by_the_command_that_cleans(opened: Situation) -> None:
    killed_at(opened, "INSERT INTO judge_verdict", 3)
    time.sleep(1)
    environment = {**os.environ, "BLINDREAD_DATA_DIR": str(opened.database.data_dir)}
    environment["DATABASE_URL"] = opened.database.engine.url.render_as_string()
    opened.database.engine.dispose()

    listed, removed, nothing = (
        forked_manage(environment, "clean", *options).stdout for options in ((), ("--yes",), ("--yes",))
    )

    assert "3 verdicts of judges whose import was not completed. --yes deletes them." in listed
    assert "Deleted: 3 verdicts of judges" in removed
    assert "verdicts" not in nothing
    assert unfinished_of(opened.database) == (0, 0)


@pytest.mark.server
def test_an_import_of_another_run_cleans_away_what_a_kill_left_too(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    killed_at(situation, "INSERT INTO judge_verdict", 3)
    time.sleep(1)

    assert take_in(situation, name="run 2").cleared == 3

    assert unfinished_of(database) == (0, 0)


def test_an_import_whose_page_is_left_leaves_nothing(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")

    def leave(stored: int) -> None:
        if stored == 3:
            raise Left

    with pytest.raises(Left):
        take_in(situation, progress=during(leave))

    assert unfinished_of(database) == (0, 0)
    assert take_in(situation).cleared == 0


def test_a_run_that_is_being_imported_is_refused_to_others_and_comes_in_once(
    database: Database, tmp_path: Path
) -> None:
    situation = open_study(database, tmp_path / "study")
    begun, refused = threading.Event(), threading.Event()

    def slowly(stored: int) -> None:
        begun.set()
        # It moves, and its last slice waits until the other was refused.
        refused.wait(20) if stored == 4 else time.sleep(0.5)

    first = threading.Thread(target=take_in, args=(situation,), kwargs={"progress": during(slowly)})
    first.start()
    begun.wait(20)
    try:
        with pytest.raises(Conflict, match="'run 1' is being imported at this moment"):
            take_in(situation)
    finally:
        refused.set()
        first.join()

    assert [run.candidates for run in import_runs.judge_runs_of(database, situation.admin, "tiny")] == [4]


def test_an_import_that_stood_still_is_taken_over_and_stores_nothing_more(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    situation = open_study(database, tmp_path / "study")
    monkeypatch.setattr(unfinished_imports, "HELD_FOR", timedelta(seconds=0.5))
    lines = []

    def take_over(stored: int) -> None:
        if stored == 2 and not lines:
            lines.append(take_in(situation))

    with pytest.raises(Conflict, match="cleaned away"):
        take_in(situation, progress=during(take_over))

    assert [line.cleared for line in lines] == [2]
    assert unfinished_of(database) == (0, 0)
    assert len(stored_verdicts(database)) == 4
    assert verification.verify_study(database, "tiny") == []
