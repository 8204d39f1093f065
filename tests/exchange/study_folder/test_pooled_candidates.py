"""Models' answers that stand in a pool with people's: read from a column for each field that is laid out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from exchange.refusal import InputRefused
from exchange.study_folder.folder import read_study_folder
from exchange.study_folder.folder_rows import StudyFolder
from exchange.study_folder.frozen_study import FrozenStudy
from exchange.study_folder.listed_folder import Expanding
from exchange.study_folder.shown_places import Measure
from protocol.fields.pixels import Extent
from protocol.language.expansion import Expansion
from tests.situations import write_table

PROTOCOL = """
blindread: 2
name: pool
title: A pool
groups: {people: {title: People, people: 2}, graders: Graders}
forms:
  list: {differential: {type: ranked, at_most: 2, label: Diagnoses}, why: text}
  turn: {answer: {type: as_item, label: Your answer}}
phases:
  - {key: consult, rates: items, shows: [prompt], form: as_item, by: people}
  - key: grade
    rates: [candidates, answers of consult]
    takes: [differential, why, answer]
    shows: [prompt, candidate]
    form: {right: yes_no, author: guess}
    by: graders
"""
COLUMNS = "candidate,item,model,differential,why,answer"
LINES = (
    ("k1", "q1", "Model A", "1. Glioma|MS", "It is round.", ""),
    ("k2", "q1", "Model B", "Glioma", "", ""),
    ("k3", "q2", "Model A", "", "", "A"),
    ("k4", "q2", "Model B", "", "", "it is an old stroke"),
    ("k5", "q2", "Model B", "", "", ""),
)


def read(
    folder: Path, lines: Sequence[Sequence[str]] = LINES, columns: str = COLUMNS, protocol: str = PROTOCOL
) -> StudyFolder:
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    items = [("q1", "open", "list", "What is it?", ""), ("q2", "choice", "turn", "Which one?", "a=Glioma|b=MS")]
    write_table(folder / "items.csv", "item,format,form,prompt,options", items)
    write_table(folder / "candidates.csv", columns, lines)
    return read_study_folder(folder, Expanding("test", ()))


def refusal_of(folder: Path, lines: Sequence[Sequence[str]], columns: str = COLUMNS) -> str:
    with pytest.raises(InputRefused) as refusal:
        read(folder, lines, columns)
    return str(refusal.value)


def test_answers_are_laid_out_as_those_of_people(tmp_path: Path) -> None:
    assert [row.answer for row in read(tmp_path).candidates] == [
        "Diagnoses:\n1. Glioma\n2. MS\nWhy: It is round.",
        "Diagnoses:\n1. Glioma",
        "Glioma",
        "it is an old stroke",
        "",
    ]


def test_where_a_form_has_a_single_field_the_answer_alone_is_enough(tmp_path: Path) -> None:
    protocol = PROTOCOL.replace("    takes: [differential, why, answer]\n", "")
    lines = [("k1", "q1", "Model A", "Glioma|MS"), ("k2", "q2", "Model B", "b")]

    contents = read(tmp_path, lines, "candidate,item,model,answer", protocol)

    assert [row.answer for row in contents.candidates] == ["1. Glioma\n2. MS", "MS"]


def test_what_nobody_could_answer_to_an_item_is_refused(tmp_path: Path) -> None:
    says = refusal_of(tmp_path, [("k3", "q2", "Model A", "", "Since it is.", "A")])

    assert (
        "line 2: why is filled in, and of item 'q2' people are asked answer: it would say who wrote the answer" in says
    )


def test_one_text_in_place_of_several_fields_is_refused(tmp_path: Path) -> None:
    says = refusal_of(tmp_path, [("k1", "q1", "Model A", "Glioma, since it is round.")], "candidate,item,model,answer")

    assert "phase 'grade' lays out differential, why of people's answers to item 'q1'" in says


def test_a_longer_list_than_people_may_give_is_refused(tmp_path: Path) -> None:
    says = refusal_of(tmp_path, [("k1", "q1", "Model A", "a|b|c", "", "")])

    assert "line 2: differential 'a|b|c' has 3 entries, and people give at most 2; shorten it." in says


def test_a_table_without_any_answer_is_refused(tmp_path: Path) -> None:
    says = refusal_of(tmp_path, [("k1", "q1", "Model A")], "candidate,item,model")

    assert "candidates.csv holds no answer: phase 'grade' lays out differential, why, answer" in says


def test_another_column_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    says = refusal_of(tmp_path, [("k1", "q1", "Model A", "Glioma")], "candidate,item,model,diferential")

    assert "diferential" in says and "differential" in says


def test_answers_of_a_single_model_are_warned_of(tmp_path: Path) -> None:
    contents = read(tmp_path, [line for line in LINES if line[2] == "Model A"])

    assert contents.warnings[0].startswith("protocol.yaml: The pool of 'grade' has answers of at most one model")
    assert not any("In the pool" in warning for warning in read(tmp_path).warnings)


SIZES = {".png": Extent.of_image(50, 40), ".gz": Extent((-20.0, -20.0, -5.0), (20.0, 20.0, 5.0))}


def read_places(
    folder: Path,
    *places: str,
    file: str = "wrist.png",
    measure: Measure | None = lambda path: SIZES[path.suffix],
    frozen: FrozenStudy | None = None,
) -> StudyFolder:
    """Read a folder in which models point at a file that no program has to open."""
    protocol = PROTOCOL.replace("why: text}", "why: text, place: {type: point, required: no}}").replace(
        "shows: [prompt], form: as_item", "shows: [scans, prompt], form: as_item"
    )
    (folder / "protocol.yaml").write_text(protocol.replace("[differential, why,", "[differential, place,"), "utf-8")
    (folder / file).write_bytes(b"scan")
    write_table(folder / "cases.csv", "case,subject", [("c1", "s1")])
    scan = ("v1", "c1", "current", "XR", "", file, "Wrist")
    write_table(folder / "volumes.csv", "volume,case,role,sequence,acquired,file,label", [scan])
    items = [
        ("q1", "c1", "open", "list", "Where?", "", "XR"),
        ("q2", "c1", "choice", "turn", "Which?", "a=A|b=B", "XR"),
    ]
    write_table(folder / "items.csv", "item,case,format,form,prompt,options,sequences", items)
    lines = [(f"k{number}", "q1", "A", place) for number, place in enumerate(places)]
    write_table(folder / "candidates.csv", "candidate,item,model,place", lines)
    return read_study_folder(folder, Expanding("test", (), measure, frozen))


def test_a_place_in_an_image_is_laid_out_by_column_and_row(tmp_path: Path) -> None:
    written = ("Column 33, row 17", "column: 33 row: 17", "col 33 row 17.", "Row 17, column 33", "column 33.2 row 16.8")
    contents = read_places(tmp_path, *written)

    assert {row.answer for row in contents.candidates} == {"Place: column 33 row 17"}


def test_a_version_keeps_the_numbers_of_a_frozen_answer_and_takes_no_others(tmp_path: Path) -> None:
    study = read_places(tmp_path, "column 33 row 17").protocol
    assert isinstance(study, Expansion)
    frozen = FrozenStudy(study, answers={"k0": "Place: column 33 row 17"})

    contents = read_places(tmp_path, "-7.5 3.5 0", frozen=frozen)
    with pytest.raises(InputRefused) as refused:
        read_places(tmp_path, "-7.5 4.5 0", "-7.5 3.5 0", frozen=frozen)

    assert [row.answer for row in contents.candidates] == ["Place: column 33 row 17"]
    assert [problem.place for problem in refused.value.problems] == ["line 2", "line 3"]


def test_a_place_in_a_scan_is_laid_out_in_mm(tmp_path: Path) -> None:
    contents = read_places(tmp_path, "-7.5 3.5 0", file="wrist.nii.gz")

    assert [row.answer for row in contents.candidates] == ["Place: L 8 A 4 S 0 mm"]


def test_what_was_imported_in_mm_is_read_in_mm_again(tmp_path: Path) -> None:
    contents = read_places(tmp_path, "-7.5 3.5 0", measure=None)

    assert [row.answer for row in contents.candidates] == ["Place: L 8 A 4 S 0 mm"]


def test_a_place_that_nobody_can_set_is_warned_of_with_line_and_size(tmp_path: Path) -> None:
    warnings = read_places(tmp_path, "20 20 5", "20.1 0 0", file="wrist.nii.gz").warnings

    (warning,) = [said for said in warnings if "outside" in said]
    assert warning == (
        "candidates.csv: line 3: place '20.1 0 0' is outside of what item 'q1' shows (x from -20 to 20, y from -20 to "
        "20, z from -5 to 5 mm), where nobody can point: it says who wrote the answer. Check the place; "
        "a model that points there is wrong, and known by it."
    )


def test_a_column_or_row_that_an_image_has_not_is_warned_of(tmp_path: Path) -> None:
    warnings = read_places(tmp_path, "column 50 row 40", "column 51 row 40", "column 1 row 0").warnings

    outside = [said.partition(", where")[0] for said in warnings if "outside" in said]
    has = "(columns 1 to 50 and rows 1 to 40)"
    assert outside == [
        f"candidates.csv: line 3: place 'column 51 row 40' is outside of what item 'q1' shows {has}",
        f"candidates.csv: line 4: place 'column 1 row 0' is outside of what item 'q1' shows {has}",
    ]


def test_what_is_no_place_is_laid_out_as_it_stands_and_warned_of_once(tmp_path: Path) -> None:
    contents = read_places(tmp_path, "column 3 row 4", "(3, 4)", "column -3 row 4", "in the middle")

    assert contents.candidates[1].answer == "Place: (3, 4)"
    (warning,) = [said for said in contents.warnings if "no place" in said]
    assert warning == (
        "candidates.csv: place is no place ('(3, 4)' in line 3, 'column -3 row 4' in line 4, 'in the middle' in line "
        "5), and is laid out as it stands, which says that a model wrote it; expected three numbers in mm or, in an "
        "image without scale, column 33 row 17."
    )


def test_a_column_and_row_of_a_scan_are_no_place_in_it(tmp_path: Path) -> None:
    warnings = read_places(tmp_path, "column 3 row 4", file="wrist.nii.gz").warnings

    assert any("place is no place ('column 3 row 4' in line 2)" in said for said in warnings)


def test_a_place_in_an_image_that_is_not_there_is_refused_but_by_column_and_row(tmp_path: Path) -> None:
    with pytest.raises(InputRefused) as refusal:
        read_places(tmp_path, "column 3 row 4", "1 2 0", measure=lambda _: None)

    (problem,) = refusal.value.problems
    assert problem.place == "line 3"
    assert problem.says == (
        "place is a place in wrist.png, which is not in the folder, and is laid out by its column and row; add the "
        "image, or write the place as column 33 row 17."
    )


KIND_FIRST = "kind: {type: choice, options: [tumor, stroke]}, why: {type: text, when: {kind: tumor}}}"
ASKED_OF_SOME = PROTOCOL.replace("why: text}", KIND_FIRST).replace("[differential, why, answer]", "[kind, why, answer]")


@pytest.mark.parametrize("kind", ["stroke", "An abscess", ""])
def test_what_people_are_asked_only_beside_another_answer_is_refused_without_it(tmp_path: Path, kind: str) -> None:
    with pytest.raises(InputRefused, match="people are asked it only where kind is tumor: it would say who wrote"):
        read(tmp_path, [("k1", "q1", "Model A", kind, "Round.")], "candidate,item,model,kind,why", ASKED_OF_SOME)


def test_what_people_are_asked_beside_that_answer_is_laid_out(tmp_path: Path) -> None:
    lines = [("k1", "q1", "Model A", "Tumor", "Round."), ("k2", "q1", "Model B", "stroke", "")]

    contents = read(tmp_path, lines, "candidate,item,model,kind,why", ASKED_OF_SOME)

    assert [row.answer for row in contents.candidates] == ["Kind: tumor\nWhy: Round.", "Kind: stroke"]


TO_CHOOSE = PROTOCOL.replace(
    "list: {differential: {type: ranked, at_most: 2, label: Diagnoses}, why: text}",
    "list: {differential: {type: several, options: {ecg: ECG, ct: CT}}, why: {type: number, unit: cm}}",
)


@pytest.mark.parametrize(
    ("field", "cells", "warned"),
    [
        ("yes_no", ["TRUE", "maybe", "Yes", "no"], ["TRUE", "maybe"]),
        ("{type: number, range: [0, 10]}", ["50", "-1", "10", "2.5"], ["50", "-1"]),
        ("{type: confidence, steps: 5}", ["9", "2.5", "5", "1"], ["9", "2.5"]),
        ("{type: ranked, options: [x, y]}", ["x|q", "x|y"], ["x|q"]),
    ],
)
def test_a_cell_of_a_pool_that_people_cannot_give_is_warned_of_in_every_type_of_field(
    tmp_path: Path, field: str, cells: list[str], warned: list[str]
) -> None:
    protocol = PROTOCOL.replace("differential: {type: ranked, at_most: 2, label: Diagnoses}", f"differential: {field}")
    lines = [(f"k{number}", "q1", f"Model {number}", cell, "Why.") for number, cell in enumerate(cells)]

    warnings = read(tmp_path, lines, "candidate,item,model,differential,why", protocol).warnings

    (said,) = [warning for warning in warnings if "no answer that people can give" in warning]
    assert [cell for cell in cells if f"'{cell}' in line" in said] == warned


def test_what_is_no_option_or_number_is_laid_out_as_it_stands_and_warned_of_once_for_each_column(
    tmp_path: Path,
) -> None:
    lines = [
        ("k1", "q1", "Model A", "ecg|CT", "2.5 cm", ""),
        ("k2", "q1", "Model B", "ecg;ct", "about three", ""),
        ("k3", "q1", "Model C", "ECG + CT", "", ""),
        ("k4", "q2", "Model A", "", "", "MS"),
        ("k5", "q2", "Model B", "", "", "an old stroke"),
    ]

    contents = read(tmp_path, lines, protocol=TO_CHOOSE)

    (chosen, typed, of_item) = [said for said in contents.warnings if "laid out as it stands" in said]
    assert contents.candidates[1].answer == "Differential: ecg;ct\nWhy: about three"
    assert chosen == (
        "candidates.csv: differential is no answer that people can give ('ecg;ct' in line 3, 'ECG + CT' in line 4), "
        "and is laid out as it stands, which says that a model wrote it; expected ids or texts of options, or a number "
        "in the range of the field."
    )
    assert "why is no answer that people can give ('about three' in line 3)" in typed
    assert "answer is no answer that people can give ('an old stroke' in line 6)" in of_item


def test_an_option_that_is_not_offered_for_the_answer_above_is_warned_of(tmp_path: Path) -> None:
    protocol = PROTOCOL.replace(
        "why: text}",
        "why: {type: choice, options: [round, flat], options_by: {differential: {ms: [flat], glioma: [round]}}}}",
    ).replace("{type: ranked, at_most: 2, label: Diagnoses}", "{type: choice, options: {ms: MS, glioma: Glioma}}")
    lines = [
        ("k1", "q1", "Model A", "MS", "flat"),
        ("k2", "q1", "Model B", "MS", "round"),
        ("k3", "q1", "Model C", "", "round"),
    ]

    warnings = read(tmp_path, lines, "candidate,item,model,differential,why", protocol).warnings

    (said,) = [warning for warning in warnings if "no answer that people can give" in warning]
    assert said.startswith(
        "candidates.csv: why is no answer that people can give ('round' in line 3, 'round' in line 4)"
    )


def test_a_text_that_is_longer_than_people_can_write_is_warned_of(tmp_path: Path) -> None:
    lines = [("k1", "q1", "Model A", "MS", "x" * 4_000), ("k2", "q1", "Model B", "MS", "x" * 4_001)]

    warnings = read(tmp_path, lines, "candidate,item,model,differential,why").warnings

    (said,) = [warning for warning in warnings if "longer than people can write" in warning]
    assert "in line 3), and is laid out as it stands" in said
    assert said.endswith("expected at most 4,000 characters.")


OF_FILMS = PROTOCOL.replace("groups:", "attributes: {items: {film: yes_no}}\ngroups:")
OF_FILMS = OF_FILMS.replace("form: as_item", "form: list, from: {where: {film: yes}}").replace(", answer]", "]")
OF_BOTH = (
    OF_FILMS.replace("    shows: [prompt, candidate]", "    from: {where: {film: yes}}\n    shows: [prompt, candidate]")
    + """
  - {key: know, rates: items, from: {where: {film: no}}, shows: [prompt], form: turn, by: people}
  - key: words
    rates: [candidates, answers of know]
    from: {where: {film: no}}
    shows: [prompt, candidate]
    form: {right: yes_no}
    by: graders
"""
)


def of_films(folder: Path, lines: Sequence[Sequence[str]], protocol: str) -> StudyFolder:
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    items = [("q1", "open", "What is it?", "", "yes"), ("q2", "choice", "Which one?", "a=Glioma|b=MS", "no")]
    write_table(folder / "items.csv", "item,format,prompt,options,film", items)
    write_table(folder / "candidates.csv", COLUMNS, lines)
    return read_study_folder(folder, Expanding("test", ()))


def test_an_answer_to_an_item_that_nobody_is_asked_stays_as_it_is(tmp_path: Path) -> None:
    lines = [("k1", "q1", "Model A", "Glioma", "Round.", ""), ("k2", "q2", "Model A", "", "", "An old stroke.")]

    contents = of_films(tmp_path, lines, OF_FILMS)

    assert contents.candidates[1].answer == "An old stroke."


@pytest.mark.parametrize(
    ("why", "warned"),
    [("why: text", True), ("why: {type: text, required: no}", False),
     ("sure: yes_no, why: {type: text, when: {sure: yes}}", False)],
)  # fmt: skip
def test_an_answer_without_a_field_that_people_have_to_fill_in_is_warned_of(
    tmp_path: Path, why: str, warned: bool
) -> None:
    contents = read(tmp_path, protocol=PROTOCOL.replace("why: text", why))

    says = "candidates.csv: why is empty in line 3, and people have to fill it in: an answer without it is known to be"
    assert any(warning.startswith(says) for warning in contents.warnings) == warned


def test_two_pools_of_other_items_lay_answers_out_each_in_its_own_way(tmp_path: Path) -> None:
    lines = [("k1", "q1", "Model A", "Glioma", "Round.", ""), ("k2", "q2", "Model A", "", "", "b")]

    contents = of_films(tmp_path, lines, OF_BOTH)

    assert [row.answer for row in contents.candidates] == ["Diagnoses:\n1. Glioma\nWhy: Round.", "MS"]


def test_a_field_of_the_other_pool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match="line 2: why is filled in, and of item 'q2' people are asked answer"):
        of_films(tmp_path, [("k2", "q2", "Model A", "", "Since it is.", "b")], OF_BOTH)
