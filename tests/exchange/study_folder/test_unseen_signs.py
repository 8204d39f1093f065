"""Keys and labels in the tables of a study contain no characters that cannot be seen, unless they were frozen."""

from __future__ import annotations

from pathlib import Path

import pytest

from exchange.refusal import InputRefused
from exchange.study_folder.folder import read_study_folder
from exchange.study_folder.frozen_study import FrozenStudy
from exchange.study_folder.listed_folder import Expanding
from tests.listed_study import READ_THEN_SCORE, write_listed
from tests.versioned_study import changed_cell

OVERRIDE, NO_WIDTH, JOINER, MARK = "\u202e", "\u200b", "\u200d", "\u200f"


@pytest.mark.parametrize(
    ("table", "key", "column", "written", "sign"),
    [
        ("volumes.csv", "c1-t1", "label", f"T1{OVERRIDE}", "U+202E (right-to-left override)"),
        ("volumes.csv", "c1-t1", "label", f"T{NO_WIDTH}1", "U+200B (zero width space)"),
        ("items.csv", "i1", "category", f"a{JOINER}b", "U+200D (zero width joiner)"),
        ("candidates.csv", "k1", "candidate", f"k{JOINER}1", "U+200D (zero width joiner)"),
        ("candidates.csv", "k1", "candidate", "k\u00ad1", "U+00AD (soft hyphen)"),
        ("items.csv", "i1", "category", "a\u034fb", "U+034F (combining grapheme joiner)"),
        ("candidates.csv", "k1", "model", f"A{MARK}", "U+200F (right-to-left mark)"),
        ("cases.csv", "c1", "subject", f"s{OVERRIDE}1", "U+202E (right-to-left override)"),
    ],
)
def test_what_cannot_be_seen_is_named_with_its_place(
    tmp_path: Path, table: str, key: str, column: str, written: str, sign: str
) -> None:
    folder = write_listed(tmp_path / "study", READ_THEN_SCORE, [changed_cell(table, key, column, written)])

    with pytest.raises(InputRefused) as refused:
        read_study_folder(folder, Expanding("test", ()))

    says = f"{table}, line 2: {column} contains the character {sign}, which cannot be seen; remove it."
    assert says in [str(each) for each in refused.value.problems]


def test_joiners_of_letters_stay_in_labels(tmp_path: Path) -> None:
    joined = changed_cell("volumes.csv", "c1-t1", "label", "\u0645\u06cc\u200c\u062e")
    folder = write_listed(tmp_path / "study", READ_THEN_SCORE, [joined])

    assert read_study_folder(folder, Expanding("test", ())).volumes[0].label


def test_a_version_keeps_what_was_frozen_and_adds_nothing_of_the_kind(tmp_path: Path) -> None:
    folder = write_listed(
        tmp_path / "study",
        READ_THEN_SCORE,
        [changed_cell("volumes.csv", key, "label", f"T1{OVERRIDE}") for key in ("c1-t1", "c2-t1")],
    )
    study = read_study_folder(write_listed(tmp_path / "before", READ_THEN_SCORE), Expanding("test", ())).protocol

    with pytest.raises(InputRefused) as refused:
        read_study_folder(folder, Expanding("test", (), frozen=FrozenStudy(study, keys={"c1-t1"})))  # type: ignore[arg-type]

    (problem,) = refused.value.problems
    assert str(problem).startswith("volumes.csv, line 5: label contains the character U+202E")
