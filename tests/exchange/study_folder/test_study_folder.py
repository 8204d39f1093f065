"""A study folder fits together as a whole, or is refused with the first thing that is wrong and its place."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from exchange.refusal import InputRefused
from exchange.study_folder.folder import read_study_folder
from tests.situations import PROTOCOL, write_study_folder

Change = Callable[[Path], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_study_folder(tmp_path / "study")


def set_cell(table: str, line: int, column: str, value: str) -> Change:
    """Return a change of one cell; `line` counts as editors do, the header being line 1."""

    def change(folder: Path) -> None:
        with (folder / table).open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        rows[line - 1][rows[0].index(column)] = value
        with (folder / table).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)

    return change


def replace_text(table: str, old: str, new: str) -> Change:
    def change(folder: Path) -> None:
        text = (folder / table).read_text(encoding="utf-8")
        assert old in text
        (folder / table).write_text(text.replace(old, new, 1), encoding="utf-8", newline="")

    return change


def repeat_line(table: str, line: int) -> Change:
    def change(folder: Path) -> None:
        lines = (folder / table).read_text(encoding="utf-8").splitlines()
        (folder / table).write_text("\n".join([*lines, lines[line - 1]]), encoding="utf-8")

    return change


def remove_line(table: str, line: int) -> Change:
    def change(folder: Path) -> None:
        lines = (folder / table).read_text(encoding="utf-8").splitlines()
        (folder / table).write_text("\n".join(lines[: line - 1] + lines[line:]), encoding="utf-8")

    return change


def sentence_of_refusal(folder: Path) -> str:
    with pytest.raises(InputRefused) as refusal:
        read_study_folder(folder)
    sentence = str(refusal.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def test_a_whole_folder_is_read(folder: Path) -> None:
    study = read_study_folder(folder)

    assert [len(table) for table in (study.cases, study.volumes, study.items, study.references)] == [3, 9, 6, 6]
    assert study.items[1].options == (("left", "Left"), ("right", "Right"), ("both", "Both"), ("none", "Neither"))
    assert study.items[0].options == (("yes", "Yes"), ("no", "No"))
    assert study.references[4].accepted == ("cyst", "arachnoid cyst")
    assert study.volumes[0].acquired == date(2024, 6, 1)
    assert study.volumes[0].path == folder / "volumes" / "c1-t1.nii.gz"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        # cases.csv
        (set_cell("cases.csv", 2, "age", "fifty"), "cases.csv, line 2: age is 'fifty', expected a number"),
        (set_cell("cases.csv", 2, "age", "50.5"), "cases.csv, line 2: age is '50.5', expected whole years"),
        (set_cell("cases.csv", 2, "age", "nan"), "cases.csv, line 2: age is 'nan', expected a finite number"),
        (set_cell("cases.csv", 3, "subject", " "), "cases.csv, line 3: subject is empty"),
        (set_cell("cases.csv", 3, "case", "c1"), "cases.csv, line 3: case 'c1' is already in line 2"),
        (set_cell("cases.csv", 2, "case", "c" * 81), "cases.csv, line 2: case has 81 characters"),
        # volumes.csv
        (set_cell("volumes.csv", 4, "role", "older"), "volumes.csv, line 4: role is 'older', expected current, prior"),
        (set_cell("volumes.csv", 4, "acquired", "2030-01-01"), "the prior of case 'c1' is of 2030-01-01, later than"),
        (set_cell("volumes.csv", 4, "acquired", "2.11.23"), "volumes.csv, line 4: acquired is '2.11.23'"),
        (set_cell("volumes.csv", 2, "case", "c9"), "volumes.csv, line 2: case 'c9' is not in cases.csv"),
        (set_cell("volumes.csv", 2, "file", "volumes/no.nii"), "volumes.csv, line 2: file 'volumes/no.nii' is missing"),
        (set_cell("volumes.csv", 2, "file", "volumes"), "volumes.csv, line 2: file 'volumes' is not a file"),
        (set_cell("volumes.csv", 2, "file", "../../secret.nii"), "lies outside the study folder"),
        (set_cell("volumes.csv", 2, "file", "/etc/passwd"), "lies outside the study folder"),
        # items.csv
        (repeat_line("items.csv", 3), "items.csv, line 8: item 'i2' is already in line 3"),
        (set_cell("items.csv", 2, "case", "c9"), "items.csv, line 2: case 'c9' is not in cases.csv"),
        (set_cell("items.csv", 2, "format", "essay"), "items.csv, line 2: format is 'essay', expected yes_no"),
        (set_cell("items.csv", 2, "form", "none"), "items.csv, line 2: form is 'none', expected choice, open, yes_no"),
        (set_cell("items.csv", 2, "form", "open"), "of type text, which does not fit the format yes_no"),
        (set_cell("items.csv", 6, "form", "choice"), "of type choice, which does not fit the format open"),
        (
            set_cell("items.csv", 2, "options", "a=A|b=B"),
            "items.csv, line 2: options are given, but items of the format yes_no take none",
        ),
        (set_cell("items.csv", 3, "options", "left=Left|right"), "option 'right' is not written as id=Text"),
        (
            set_cell("items.csv", 3, "options", "left=Left|left=Right"),
            "options are 'left=Left|left=Right', expected at least two with different ids",
        ),
        (set_cell("items.csv", 3, "options", ""), "items.csv, line 3: options is empty"),
        (
            set_cell("items.csv", 3, "sequences", "T1|FLAIR"),
            "sequences names 'FLAIR', but no volume in volumes.csv has that",
        ),
        (set_cell("items.csv", 3, "sequences", "|"), "items.csv, line 3: sequences is '|'"),
        (set_cell("items.csv", 3, "sequences", "T1|T1"), "items.csv, line 3: sequences is 'T1|T1'"),
        (set_cell("items.csv", 3, "uses_prior", "maybe"), "uses_prior is 'maybe', expected true or false"),
        (remove_line("volumes.csv", 7), "item 'i3' needs a prior volume T1 of case 'c2', which volumes.csv lacks"),
        (set_cell("items.csv", 2, "prompt", ""), "items.csv, line 2: prompt is empty"),
        (set_cell("items.csv", 2, "prompt", "x" * 20_001), "prompt has 20001 characters, at most 20000"),
        # references.csv
        (
            set_cell("references.csv", 3, "accepted", "above"),
            "accepted 'above' is not one of the options of item 'i2' (both, left, none, right)",
        ),
        (set_cell("references.csv", 2, "accepted", "Yes"), "accepted 'Yes' is not one of the options of item 'i1'"),
        (
            set_cell("references.csv", 3, "text_only_answer", "above"),
            "text_only_answer 'above' is not one of the options",
        ),
        (set_cell("references.csv", 6, "accepted", ""), "item 'i5' has neither accepted answers nor a range"),
        (set_cell("references.csv", 6, "low", "inf"), "low is 'inf', expected a finite number"),
        (set_cell("references.csv", 2, "item", "i9"), "references.csv, line 2: item 'i9' is not in items.csv"),
        (remove_line("references.csv", 2), "references.csv lacks i1; answers to them are to be scored"),
        (repeat_line("references.csv", 2), "references.csv, line 8: item 'i1' is already in line 2"),
        # candidates.csv
        (set_cell("candidates.csv", 2, "item", "i9"), "candidates.csv, line 2: item 'i9' is not in items.csv"),
        (set_cell("candidates.csv", 3, "candidate", "k1"), "candidates.csv, line 3: candidate 'k1' is already"),
        (set_cell("candidates.csv", 3, "answer", ""), "candidates.csv, line 3: answer is empty"),
        (lambda folder: (folder / "candidates.csv").unlink(), "key scoring.sample: 4 candidates are to be scored"),
    ],
)
def test_a_cell_that_does_not_fit_is_named_by_file_and_line(folder: Path, change: Change, expected: str) -> None:
    change(folder)

    assert expected in sentence_of_refusal(folder)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda folder: (folder / "items.csv").unlink(), "items.csv is missing"),
        (lambda folder: (folder / "items.csv").write_text(""), "items.csv is empty"),
        (lambda folder: (folder / "items.csv").write_bytes(b"item,\xff\xfe"), "items.csv is not UTF-8 text (byte 5)"),
        (remove_line("cases.csv", 1), "cases.csv, line 1: the header lacks case, subject, vignette, age, note"),
        (replace_text("items.csv", "prompt,", "prompts,"), "items.csv, line 1: the header lacks prompt"),
        (replace_text("items.csv", "item,", "item,answer,"), "items.csv, line 1: the header has unknown"),
        (replace_text("cases.csv", "subject-1,", "subject-1,extra,"), "cases.csv, line 2: 6 cells, expected 5"),
        (
            replace_text("cases.csv", "Vignette of c2", '"Vignette of c2'),
            "cases.csv, line 3: the file ends inside quotation marks",
        ),
        (replace_text("cases.csv", "Vignette of c2", 'Vi"gnette" of\x00 c2'), "cases.csv, line 3"),
        (lambda folder: (folder / "cases.csv").write_text("case,subject,vignette,age,note\n\n"), "holds no lines"),
    ],
)
def test_a_table_that_is_no_table_is_named(folder: Path, change: Change, expected: str) -> None:
    change(folder)

    assert expected in sentence_of_refusal(folder)


def test_a_folder_in_the_place_of_a_table_is_named(folder: Path) -> None:
    (folder / "cases.csv").unlink()
    (folder / "cases.csv").mkdir()

    assert "cases.csv cannot be read" in sentence_of_refusal(folder)


def test_a_file_in_the_place_of_the_folder_is_named(folder: Path) -> None:
    assert "items.csv is not a folder" in sentence_of_refusal(folder / "items.csv")


@pytest.mark.parametrize("through", ["file", "folder"])
def test_a_link_that_leaves_the_folder_is_refused(folder: Path, tmp_path: Path, through: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "c1-t1.nii.gz").write_bytes((folder / "volumes" / "c1-t1.nii.gz").read_bytes())
    if through == "file":
        (folder / "volumes" / "c1-t1.nii.gz").unlink()
        (folder / "volumes" / "c1-t1.nii.gz").symlink_to(outside / "c1-t1.nii.gz")
    else:
        set_cell("volumes.csv", 2, "file", "elsewhere/c1-t1.nii.gz")(folder)
        (folder / "elsewhere").symlink_to(outside)

    assert "volumes.csv, line 2" in sentence_of_refusal(folder)
    assert "lies outside the study folder" in sentence_of_refusal(folder)


def test_a_link_to_itself_is_refused_without_a_word_of_the_server(folder: Path) -> None:
    scan = folder / "volumes" / "c1-t1.nii.gz"
    scan.unlink()
    scan.symlink_to(scan)

    assert "volumes.csv, line 2: file 'volumes/c1-t1.nii.gz' is a link that leads back to itself" in (
        said := sentence_of_refusal(folder)
    )
    assert str(folder) not in said


def test_a_closed_item_needs_an_option_as_its_reference(folder: Path) -> None:
    set_cell("references.csv", 3, "accepted", "")(folder)
    set_cell("references.csv", 3, "low", "1")(folder)

    assert "item 'i2' is answered by an option, not by a number" in sentence_of_refusal(folder)


def test_a_range_must_not_be_empty(folder: Path) -> None:
    set_cell("references.csv", 6, "low", "3")(folder)
    set_cell("references.csv", 6, "high", "2")(folder)

    assert "references.csv, line 6: low 3 is above high 2" in sentence_of_refusal(folder)


@pytest.mark.parametrize("mark", ["\u2028", "\x0b", "\x0c", "\x85", "\x1c", "\r\n", "\n"])
def test_characters_that_end_a_line_elsewhere_may_stand_in_a_cell(folder: Path, mark: str) -> None:
    set_cell("cases.csv", 2, "vignette", f"one{mark}two")(folder)
    set_cell("cases.csv", 4, "age", "fifty")(folder)

    assert "age is 'fifty'" in sentence_of_refusal(folder)
    set_cell("cases.csv", 4, "age", "50")(folder)

    assert read_study_folder(folder).cases[0].vignette == f"one{mark}two".replace("\r\n", "\n")


def test_tables_from_a_spreadsheet_program_are_read(folder: Path) -> None:
    """A byte-order mark, carriage returns and empty lines at the end are what such programs leave."""
    text = (folder / "cases.csv").read_text(encoding="utf-8").replace("\r\n", "\n").replace("\n", "\r\n")
    (folder / "cases.csv").write_bytes(b"\xef\xbb\xbf" + text.encode() + b",,,,\r\n")

    assert len(read_study_folder(folder).cases) == 3


def test_a_comma_without_quotation_marks_shifts_no_row_unnoticed(folder: Path) -> None:
    """The cell that is then one too many may be the empty one at the end of the row."""
    text = (folder / "items.csv").read_text(encoding="utf-8")
    header, first, *rest = text.splitlines()
    (folder / "items.csv").write_text("\n".join([header, first + ",", *rest]), encoding="utf-8")

    with pytest.raises(InputRefused, match=r"items\.csv, line 2"):
        read_study_folder(folder)


def test_a_study_without_candidates_needs_no_table_of_them(tmp_path: Path) -> None:
    folder = write_study_folder(tmp_path / "study", {"scoring": None})
    (folder / "candidates.csv").unlink()

    assert read_study_folder(folder).candidates == ()


def open_answer(kind: str, **more: Any) -> Change:
    """Let the open items be answered by a field of this type."""
    forms = PROTOCOL["forms"] | {"open": {"fields": [{"key": "answer", "type": kind, "label": "Answer", **more}]}}
    written = yaml.safe_dump({**PROTOCOL, "forms": forms})
    return lambda folder: (folder / "protocol.yaml").write_text(written, encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "accepted", "said"),
    [
        (open_answer("number", minimum=0, maximum=10), "12", "item 'i5' takes numbers from 0 to 10, and none of"),
        (
            open_answer("ranked", options=[{"id": "cyst", "text": "Cyst"}, {"id": "scar", "text": "Scar"}]),
            "cyst|tumour",
            "accepted 'tumour' is not one of the options of item 'i5' (cyst, scar)",
        ),
    ],
)
def test_a_reference_that_nobody_can_give_is_refused(folder: Path, change: Change, accepted: str, said: str) -> None:
    change(folder)
    set_cell("references.csv", 6, "accepted", accepted)(folder)

    assert said in sentence_of_refusal(folder)


LEVELS = [{"id": "low", "text": "Low"}, {"id": "high", "text": "High"}]


def levels_in_the_form(folder: Path) -> None:
    forms = PROTOCOL["forms"] | {
        "choice": {"fields": [{"key": "answer", "type": "ordinal", "label": "Level", "options": LEVELS}]}
    }
    (folder / "protocol.yaml").write_text(yaml.safe_dump({**PROTOCOL, "forms": forms}), encoding="utf-8")
    for line in (3, 5):
        set_cell("items.csv", line, "options", "")(folder)
        set_cell("references.csv", line, "accepted", "high")(folder)
        set_cell("references.csv", line, "text_only_answer", "low")(folder)


def test_items_take_the_options_that_their_form_lists(folder: Path) -> None:
    levels_in_the_form(folder)

    items = read_study_folder(folder).items

    assert [item.options for item in items if item.form == "choice"] == [(("low", "Low"), ("high", "High"))] * 2


@pytest.mark.parametrize("listed_by", ["item", "form"])
def test_a_text_only_answer_to_several_options_is_a_set_of_them(folder: Path, listed_by: str) -> None:
    several_instead_of_one(folder, options_in_the_form=listed_by == "form")
    set_cell("references.csv", 3, "text_only_answer", "low | high")(folder)

    assert [row.text_only_answer for row in read_study_folder(folder).references][1] == "low | high"


def test_an_option_that_a_set_of_them_cannot_have_is_named(folder: Path) -> None:
    several_instead_of_one(folder, options_in_the_form=False)
    set_cell("references.csv", 3, "text_only_answer", "low|above")(folder)

    assert "text_only_answer 'above' is not one of the options of item 'i2' (high, low)" in sentence_of_refusal(folder)


def several_instead_of_one(folder: Path, *, options_in_the_form: bool) -> None:
    levels_in_the_form(folder)
    options = {"options": LEVELS} if options_in_the_form else {}
    field = {"key": "answer", "type": "several", "label": "Levels", **options}
    forms = PROTOCOL["forms"] | {"choice": {"fields": [field]}}
    (folder / "protocol.yaml").write_text(yaml.safe_dump({**PROTOCOL, "forms": forms}), encoding="utf-8")
    for line in (3, 5):
        set_cell("items.csv", line, "options", "" if options_in_the_form else "low=Low|high=High")(folder)


def test_options_in_form_and_table_that_differ_are_refused(folder: Path) -> None:
    levels_in_the_form(folder)
    set_cell("items.csv", 3, "options", "low=Low|medium=Medium|high=High")(folder)

    assert "options are given here, and others by the form 'choice'" in sentence_of_refusal(folder)


def test_a_missing_subject_is_said_once_and_not_again_of_the_practice(folder: Path) -> None:
    replace_text("cases.csv", "case,subject", "case,patient")(folder)

    assert "about subject ''" not in sentence_of_refusal(folder)


def test_an_item_without_a_reference_is_imported_with_a_warning(folder: Path) -> None:
    remove_line("references.csv", 4)(folder)

    study = read_study_folder(folder)

    assert [reference.item for reference in study.references] == ["i1", "i2", "i4", "i5", "i6"]
    assert any(warning.startswith("references.csv: i3 has no reference") for warning in study.warnings)


def without_references(folder: Path, primary: str) -> None:
    (folder / "references.csv").unlink()
    (folder / "candidates.csv").unlink()
    protocol = {key: value for key, value in PROTOCOL.items() if key != "scoring"}
    protocol["analysis"] = {**PROTOCOL["analysis"], "primary": primary}
    (folder / "protocol.yaml").write_text(yaml.safe_dump(protocol), encoding="utf-8")


def test_a_study_without_any_reference_is_imported_where_agreement_is_the_primary_estimate(folder: Path) -> None:
    without_references(folder, "agreement")

    study = read_study_folder(folder)

    assert study.references == ()
    assert [warning for warning in study.warnings if "reference" in warning] == [
        "No item has a reference: nothing that needs one, as accuracy, is computed."
    ]


def test_an_accuracy_cannot_be_planned_without_any_reference(folder: Path) -> None:
    without_references(folder, "overall_accuracy")

    assert "overall_accuracy is planned, but no item has a reference" in sentence_of_refusal(folder)
