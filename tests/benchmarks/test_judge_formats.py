"""Each format that is measured holds the same verdicts, and all of them come in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks import judge_formats, one_import
from db.engine import DATABASE_FILE

ROWS = 160


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    judge_formats.make(folder, ROWS)
    return folder


@pytest.mark.parametrize("key", [*judge_formats.FORMATS, judge_formats.SCORE])
def test_every_verdict_of_a_format_is_imported_and_measured(made: Path, key: str, tmp_path: Path) -> None:
    shutil.copy(made / DATABASE_FILE, tmp_path)
    if key != judge_formats.SCORE:
        judge_formats.write_file(tmp_path, key, ROWS)

    taken = one_import.imported(tmp_path, *judge_formats.asked_for(key))

    assert taken["judged"] == ROWS
    assert taken["longest_was"].startswith("judge_import")
    assert 0 < taken["longest"] < taken["seconds"]
    assert taken["peak"] > 0
