"""What is timed of wrong references is a folder that is refused for as many as the table names, and one that is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import wrong_references
from exchange.refusal import InputRefused
from exchange.study_folder.folder import read_study_folder
from exchange.study_folder.listed_folder import Expanding

EXPANDING = Expanding("test", ())


def test_every_wrong_line_is_a_problem_of_its_own(tmp_path: Path) -> None:
    folder = wrong_references.folder_of(tmp_path / "wrong", items=1_200, wrong=1_000)

    with pytest.raises(InputRefused) as refusal:
        read_study_folder(folder, EXPANDING)

    assert (refusal.value.count, len(refusal.value.problems)) == (1_000, 1_000)
    assert len({problem.place for problem in refusal.value.problems}) == 1_000


def test_the_folder_beside_it_has_no_mistake(tmp_path: Path) -> None:
    folder = wrong_references.folder_of(tmp_path / "right", items=20, wrong=0)

    assert len(read_study_folder(folder, EXPANDING).references) == 20
