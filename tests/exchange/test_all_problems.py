"""A folder with many mistakes is refused once, with all of them; what can be understood is, and is listed."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from exchange.refusal import InputRefused, Problem
from exchange.study_folder.folder import read_study_folder
from tests.room_study import change_item, rewrite, rows_of
from tests.situations import PROTOCOL, write_study_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_study_folder(tmp_path / "study")


def cell(folder: Path, table: str, line: int, **cells: str) -> None:
    rows = rows_of(folder / table)
    rows[line - 2].update(cells)
    rewrite(folder / table, rows)


def protocol(folder: Path, **changes: Any) -> None:
    (folder / "protocol.yaml").write_text(yaml.safe_dump({**PROTOCOL, **changes}), encoding="utf-8")


def problems_of(folder: Path) -> tuple[Problem, ...]:
    with pytest.raises(InputRefused) as refusal:
        read_study_folder(folder)
    assert refusal.value.count == len(refusal.value.problems)
    return refusal.value.problems


def separated_by(folder: Path, table: str, separator: str) -> None:
    with (folder / table).open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    written = io.StringIO()
    csv.writer(written, delimiter=separator).writerows(rows)
    (folder / table).write_text(written.getvalue(), encoding="utf-8")


def test_nine_mistakes_in_six_files_are_named_at_once(folder: Path) -> None:
    protocol(folder, titel="misspelt", reading={"order": "random"})
    cell(folder, "cases.csv", 2, age="fifty")
    cell(folder, "volumes.csv", 3, role="curent")
    cell(folder, "volumes.csv", 4, file="volumes/c1-pp.nii.gz")
    cell(folder, "items.csv", 2, case="c9")
    cell(folder, "items.csv", 6, form="opne")
    cell(folder, "references.csv", 3, accepted="lft")
    cell(folder, "candidates.csv", 4, item="i99")

    places = [(problem.file, problem.place) for problem in problems_of(folder)]

    assert places == [
        ("protocol.yaml", "key reading.order"),
        ("protocol.yaml", "key titel"),
        ("cases.csv", "line 2"),
        ("volumes.csv", "line 3"),
        ("volumes.csv", "line 4"),
        ("items.csv", "line 2"),
        ("items.csv", "line 6"),
        ("references.csv", "line 3"),
        ("candidates.csv", "line 4"),
    ]


def test_each_problem_names_what_was_probably_meant(folder: Path) -> None:
    protocol(folder, titel="misspelt", reading={"order": "random_per_ratr"})
    cell(folder, "volumes.csv", 4, file="volumes/c1-pp.nii.gz", role="proir")
    cell(folder, "items.csv", 6, form="opne", case="C3")

    said = " ".join(problem.says for problem in problems_of(folder))

    for meant in ("title", "random_per_rater", "c1-p.nii.gz", "prior", "open", "c3"):
        assert f"(nearest: '{meant}')" in said


def test_one_line_with_three_mistakes_says_all_three(folder: Path) -> None:
    cell(folder, "items.csv", 3, format="chioce", grounding="image", uses_prior="perhaps")

    assert [problem.place for problem in problems_of(folder)] == ["line 3"] * 3


def test_a_header_with_an_unknown_and_a_doubled_column_names_both(folder: Path) -> None:
    header, *lines = (folder / "cases.csv").read_text("utf-8").splitlines()
    text = "\n".join([f"{header},bogus,age", *(f"{line},1,2" for line in lines)])
    (folder / "cases.csv").write_text(text, encoding="utf-8")

    assert [problem.says.partition(";")[0] for problem in problems_of(folder)] == [
        "the header has unknown or doubled bogus, age"
    ]


def test_a_key_is_written_in_one_line(folder: Path) -> None:
    cell(folder, "candidates.csv", 2, candidate="k1\nor k2")

    assert [problem.says for problem in problems_of(folder)] == [
        "candidate 'k1?or k2' holds a line break, a tab or another sign that cannot be seen; write it in one line."
    ]


def test_what_follows_from_another_mistake_is_not_said(folder: Path) -> None:
    """A bad age takes no case away, a bad role no scan, a bad format no reference."""
    cell(folder, "cases.csv", 2, age="fifty")
    cell(folder, "volumes.csv", 2, role="now")
    cell(folder, "items.csv", 3, format="pick")

    assert len(problems_of(folder)) == 3


def test_a_line_refused_for_its_key_makes_no_problem_of_what_names_it(folder: Path) -> None:
    """Line 3 was i2: whoever names i2 names a line that is refused, and i99 is named by nobody else."""
    cell(folder, "items.csv", 3, item="i1")
    cell(folder, "candidates.csv", 6, item="i99")

    assert [(problem.file, problem.place) for problem in problems_of(folder)] == [
        ("items.csv", "line 3"),
        ("candidates.csv", "line 6"),
    ]


def test_a_key_that_is_not_there_beside_a_doubled_one_is_named_as_what_could_not_be_looked_at(folder: Path) -> None:
    """A line of items.csv may be the item that is named: the one that repeats another, or none."""
    cell(folder, "items.csv", 3, item="i1")
    cell(folder, "references.csv", 3, item="i99")
    cell(folder, "candidates.csv", 4, item="i99")
    cell(folder, "candidates.csv", 5, item="i99")

    with pytest.raises(InputRefused) as refusal:
        read_study_folder(folder)

    assert [(problem.file, problem.place) for problem in refusal.value.problems] == [("items.csv", "line 3")]
    assert refusal.value.unseen == (
        "Not looked at because of this: whether item 'i99' (references.csv, line 3) is meant in items.csv, where a "
        "line has no key of its own."
    )


@pytest.mark.parametrize("table", ["cases.csv", "volumes.csv", "items.csv", "references.csv"])
def test_a_line_that_cannot_be_read_makes_no_problem_of_what_names_it(folder: Path, table: str) -> None:
    lines = (folder / table).read_text(encoding="utf-8").splitlines()
    lines[1] += ",one cell more"
    (folder / table).write_text("\n".join(lines) + "\n", encoding="utf-8")

    assert [(problem.file, problem.place) for problem in problems_of(folder)] == [(table, "line 2")]


@pytest.mark.parametrize("begins", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"])
def test_a_workbook_with_the_name_of_a_table_is_named_as_one(folder: Path, begins: bytes) -> None:
    (folder / "items.csv").write_bytes(begins + bytes(200))

    assert [str(problem) for problem in problems_of(folder)] == [
        "items.csv is an Excel workbook; save it as CSV UTF-8.",
    ]


@pytest.mark.parametrize("table", ["items", "references"])
def test_a_workbook_in_the_place_of_a_table_is_named(folder: Path, table: str) -> None:
    (folder / f"{table}.csv").rename(folder / f"{table}.xlsx")

    assert [str(problem) for problem in problems_of(folder)] == [
        f"{table}.csv is missing, and {table}.xlsx is an Excel workbook; save it as CSV UTF-8.",
    ]


@pytest.mark.parametrize("table", ["items", "references"])
def test_a_table_whose_name_is_in_capitals_is_not_taken_for_a_missing_one(folder: Path, table: str) -> None:
    (folder / f"{table}.csv").rename(folder / f"{table.title()}.CSV")

    assert [str(problem) for problem in problems_of(folder)] == [
        f"{table}.csv is missing, and {table.title()}.CSV is there; write it in lower case.",
    ]


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ("references", "references.csv.txt"),
        ("references", "reference.csv"),
        ("references", "Refrences.csv"),
        ("references", "references (1).csv"),
        ("candidates", "candidates copy.csv"),
        ("items", "items - Kopie.csv"),
        ("items", "item.csv"),
        ("candidates", "candidates.csv.csv"),
        ("cases", "case.csv"),
    ],
)
def test_a_table_whose_name_is_nearly_right_is_not_taken_for_a_missing_one(
    folder: Path, table: str, named: str
) -> None:
    (folder / f"{table}.csv").rename(folder / named)

    assert f"{table}.csv is missing, and {named} is there; rename it {table}.csv." in map(str, problems_of(folder))


@pytest.mark.parametrize(
    "notes",
    [
        "references_old.csv",
        "preferences.csv",
        "preference.csv",
        "reference notes.txt",
        "overlay-list.csv",
        "readme.txt",
    ],
)
def test_other_files_beside_the_tables_are_somebodys_notes(folder: Path, notes: str) -> None:
    (folder / "references.csv").rename(folder / notes)
    if (folder / "overlays.csv").exists():
        (folder / "overlays.csv").unlink()

    assert [problem for problem in problems_of(folder) if notes in str(problem)] == []


@pytest.mark.parametrize("table", ["items", "references"])
def test_a_table_that_is_a_link_to_nothing_is_not_taken_for_a_missing_one(folder: Path, table: str) -> None:
    (folder / f"{table}.csv").unlink()
    (folder / f"{table}.csv").symlink_to(folder / "nowhere.csv")

    assert [str(problem) for problem in problems_of(folder)] == [
        f"{table}.csv is missing, as its link leads nowhere; put the table itself there.",
    ]


def test_a_missing_table_makes_no_problem_of_every_line_that_names_it(folder: Path) -> None:
    (folder / "cases.csv").unlink()

    assert [str(problem) for problem in problems_of(folder)] == [
        "cases.csv is missing: expected a CSV file with case, subject, vignette, age, note; add it."
    ]


def test_a_missing_column_is_one_problem_and_the_others_are_checked(folder: Path) -> None:
    text = (folder / "items.csv").read_text(encoding="utf-8")
    (folder / "items.csv").write_text(text.replace("category", "categorie", 1), encoding="utf-8")
    cell(folder, "items.csv", 3, grounding="image")

    problems = problems_of(folder)

    assert [problem.place for problem in problems] == ["line 1", "line 1", "line 3"]
    assert "the header lacks category (nearest: 'categorie')" in problems[0].says


def test_of_thousands_of_problems_a_thousand_are_kept_and_all_are_counted(folder: Path) -> None:
    cases = rows_of(folder / "cases.csv")
    more = [{**cases[0], "case": f"more-{number}", "age": "old"} for number in range(3_000)]
    rewrite(folder / "cases.csv", cases + more)

    with pytest.raises(InputRefused, match="2999 more after it") as refusal:
        read_study_folder(folder)

    assert (refusal.value.count, len(refusal.value.problems)) == (3_000, 1_000)


def test_what_a_spreadsheet_writes_is_understood_and_every_conversion_is_listed(folder: Path) -> None:
    cell(folder, "volumes.csv", 4, acquired="2019-01-01")
    cell(folder, "volumes.csv", 2, acquired="31.12.2023")
    cell(folder, "volumes.csv", 3, acquired="13/04/2020")
    cell(folder, "items.csv", 2, uses_prior="FALSE")
    cell(folder, "items.csv", 3, uses_prior="No")
    cell(folder, "items.csv", 4, uses_prior="WAHR")
    cell(folder, "references.csv", 6, accepted="", low="2,5", high="3")
    separated_by(folder, "references.csv", ";")
    text = (folder / "cases.csv").read_text(encoding="utf-8")
    (folder / "cases.csv").write_bytes(text.encode("utf-16"))

    study = read_study_folder(folder)

    assert [str(volume.acquired) for volume in study.volumes[:2]] == ["2023-12-31", "2020-04-13"]
    assert [item.uses_prior for item in study.items[:3]] == [False, False, True]
    assert (study.references[4].low, study.references[4].high) == (2.5, 3.0)
    assert [str(conversion) for conversion in study.conversions] == [
        "cases.csv: UTF-16 text understood.",
        "volumes.csv, column acquired: '31.12.2023' read as 2023-12-31 (line 2).",
        "volumes.csv, column acquired: '13/04/2020' read as 2020-04-13 (line 3).",
        "items.csv, column uses_prior: 'FALSE' read as false (line 2).",
        "items.csv, column uses_prior: 'No' read as false (line 3).",
        "items.csv, column uses_prior: 'WAHR' read as true (line 4).",
        "references.csv: cells separated by semicolons understood.",
        "references.csv, column low: '2,5' read as 2.5 (line 6).",
    ]


def test_an_ambiguous_date_is_refused_with_both_meanings(folder: Path) -> None:
    cell(folder, "volumes.csv", 2, acquired="01/04/2020")

    (problem,) = problems_of(folder)

    assert "which is 2020-04-01 day first and 2020-01-04 month first" in problem.says
    assert "dates: day_first" in problem.says


@pytest.mark.parametrize(("rule", "meant"), [("day_first", "2020-04-01"), ("month_first", "2020-01-04")])
def test_the_protocol_says_how_an_ambiguous_date_is_read(folder: Path, rule: str, meant: str) -> None:
    protocol(folder, dates=rule)
    cell(folder, "volumes.csv", 4, acquired="2019-01-01")
    cell(folder, "volumes.csv", 2, acquired="01/04/2020")

    assert str(read_study_folder(folder).volumes[0].acquired) == meant


def test_a_decimal_comma_is_refused_where_commas_separate_cells(folder: Path) -> None:
    cell(folder, "references.csv", 6, low="2,5")

    assert "a comma is accepted only in tables with semicolons" in problems_of(folder)[0].says


@pytest.mark.parametrize(("separator", "name"), [("\t", "tabs"), ("|", "vertical bars")])
def test_a_wrong_separator_is_named_instead_of_ten_missing_columns(folder: Path, separator: str, name: str) -> None:
    separated_by(folder, "items.csv", separator)

    (problem,) = problems_of(folder)

    assert problem.says == f"is separated by {name}, expected commas or semicolons; save it as CSV."


def test_the_line_in_which_excel_names_the_separator_is_understood(folder: Path) -> None:
    separated_by(folder, "cases.csv", ";")
    text = (folder / "cases.csv").read_text(encoding="utf-8")
    (folder / "cases.csv").write_text("sep=;\n" + text.replace(";50;", ";old;", 1), encoding="utf-8")

    assert problems_of(folder)[0].place == "line 3"


def test_text_of_one_byte_per_letter_is_named_and_not_guessed(folder: Path) -> None:
    (folder / "cases.csv").write_bytes("case,subject,vignette,age,note\nc1,s,Fièvre,5,x\n".encode("cp1252"))

    assert "probably Excel's plain 'CSV' (Windows-1252); save it as UTF-8" in problems_of(folder)[0].says


@pytest.mark.parametrize("number", ["1_000", "١٢", "9" * 5_000, "1e999", "0x10"])
def test_what_python_takes_for_a_number_and_nobody_else_is_refused(folder: Path, number: str) -> None:
    cell(folder, "references.csv", 6, low=number)

    (problem,) = problems_of(folder)

    assert len(str(problem)) < 200


def test_a_name_longer_than_any_disk_takes_is_refused(folder: Path) -> None:
    cell(folder, "volumes.csv", 2, file="volumes/" + "n" * 382 + ".nii")

    assert "holds a name of more than 200 letters" in problems_of(folder)[0].says


def test_a_folder_with_such_a_name_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match="is not a folder"):
        read_study_folder(tmp_path / ("n" * 390))


@pytest.mark.parametrize("needs", ["", "T1", "T1|prior:T2"])
def test_of_what_an_item_does_not_need_a_case_may_lack_anything(folder: Path, needs: str) -> None:
    cell(folder, "volumes.csv", 7, sequence="T2")  # the prior of c2
    change_item(folder, "i3", sequences="T1|T2", needs=needs)

    study = read_study_folder(folder)

    assert (
        "items.csv: case 'c2' has no prior T1, which item i3 would show; readers are told that it is missing."
        in study.warnings
    )


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"needs": "prior:T1"}, "item 'i3' needs a prior volume T1 of case 'c2', which volumes.csv lacks"),
        ({"sequences": "T1", "needs": ""}, "item 'i3' needs a prior volume T1 of case 'c2'"),
        (
            {"needs": "FLAIR"},
            "needs names 'FLAIR', expected one of the item's sequences (T1, T2), or with 'prior:' before it",
        ),
        (
            {"needs": "prior:T2", "uses_prior": "false"},
            "needs names 'prior:T2', expected one of the item's sequences (T1, T2);",
        ),
        ({"sequences": "T1|Flair"}, "sequences names 'Flair', but no volume in volumes.csv has that sequence"),
    ],
)
def test_what_an_item_declares_as_needed_is_demanded(folder: Path, cells: dict[str, str], said: str) -> None:
    cell(folder, "volumes.csv", 7, sequence="T2")
    change_item(folder, "i3", **{"sequences": "T1|T2", **cells})

    assert said in problems_of(folder)[0].says


def test_cases_and_volumes_that_no_item_uses_are_warned_of(folder: Path) -> None:
    rewrite(folder / "cases.csv", [*rows_of(folder / "cases.csv"), {"case": "c4", "subject": "s4"}])

    warnings = read_study_folder(folder).warnings

    assert warnings[0] == "cases.csv: 1 case is in no item; 'c4' is imported and never shown."
    assert warnings[1].startswith("volumes.csv: 4 volumes are in no item; each of c1-p, c2-t2")


def test_an_option_that_says_one_thing_here_and_another_there_is_warned_of(folder: Path) -> None:
    change_item(folder, "i4", options="left=Left|right=Right|both=On both sides|none=No new lesion")

    (warning,) = (said for said in read_study_folder(folder).warnings if "option" in said)

    assert warning == (
        "items.csv: option 'both' of form 'choice' says 'Both' (i2) and 'On both sides' (i4). So does 'none'. Tables "
        "of answers count an id as one answer and label it by the first item's words; give unlike answers unlike ids."
    )


def test_options_that_say_the_same_everywhere_are_not_warned_of(folder: Path) -> None:
    assert not [said for said in read_study_folder(folder).warnings if "option" in said]


def test_a_pipe_under_the_name_of_a_scan_is_no_file(folder: Path) -> None:
    os.mkfifo(folder / "volumes" / "pipe.nii.gz")
    cell(folder, "volumes.csv", 2, file="volumes/pipe.nii.gz")

    assert problems_of(folder)[0].says == "file 'volumes/pipe.nii.gz' is not a file; name the scan's own file."
