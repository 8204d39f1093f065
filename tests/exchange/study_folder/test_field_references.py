"""`references.csv` of a study that lists its phases: what is read, and what is refused in a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from exchange.refusal import InputRefused
from exchange.study_folder.folder import read_study_folder
from exchange.study_folder.folder_rows import StudyFolder
from exchange.study_folder.frozen_study import FrozenStudy
from exchange.study_folder.listed_folder import Expanding
from protocol.language.expansion import Expansion
from protocol.references import FieldReference
from tests.situations import write_table, write_volume

EXPANDING = Expanding("test", ())
PROTOCOL = """
blindread: 2
name: fields
title: References per field
forms:
  report:
    diagnosis: {type: choice, primary: yes, options: [tumor, stroke, normal]}
    modality: {type: choice, options: [MRI, CT]}
    sequence: {type: choice, options: [T1, T2], when: {modality: MRI}}
    subtype: {type: choice, options: [glioma, ischemic], options_by: {diagnosis: {tumor: [glioma], stroke: [ischemic]}}}
    size: {type: number, range: [0, 100]}
    place: {type: point, required: no}
    why: text
    likely: {type: ranked, options: [cyst, scar], required: no}
    sure: {type: confidence, range: [0, 1]}
  turn:
    answer: text
phases:
  - {key: read, rates: items, shows: [prompt], form: as_item}
"""
COLUMNS = ("item", "field", "accepted", "low", "high", "radius", "overlay", "compare", "text_only_answer", "provenance")


def read(
    folder: Path, *lines: dict[str, str], protocol: str = PROTOCOL, frozen: FrozenStudy | None = None
) -> StudyFolder:
    """Read a study of the items q1 and q2, each about a case with an overlay, and of q3, which is answered in words."""
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    write_table(folder / "cases.csv", "case,subject", [("c1", "s1"), ("c2", "s2")])
    items = [("q1", "c1", "report"), ("q2", "c2", "report"), ("q3", "c1", "turn")]
    write_table(folder / "items.csv", "item,case,form,format,prompt", [(*item, "open", "Why?") for item in items])
    for case in ("c1", "c2"):
        write_volume(folder / f"{case}.nii.gz", seed=1)
    overlays = [(f"o-{case}", case, "Lesion", f"{case}.nii.gz", "", "", "") for case in ("c1", "c2")]
    write_table(folder / "overlays.csv", "overlay,case,label,file,colour,style,opacity", overlays)
    rows = [tuple(line.get(name, "") for name in COLUMNS) for line in lines]
    write_table(folder / "references.csv", ",".join(COLUMNS), rows)
    return read_study_folder(folder, replace(EXPANDING, frozen=frozen))


def refusals(folder: Path, *lines: dict[str, str]) -> list[str]:
    with pytest.raises(InputRefused) as refused:
        read(folder, *lines)
    return [str(problem) for problem in refused.value.problems]


def test_several_fields_of_an_item_have_references_of_their_own(tmp_path: Path) -> None:
    contents = read(
        tmp_path,
        {"item": "q1", "field": "diagnosis", "accepted": "tumor|stroke"},
        {"item": "q1", "field": "size", "low": "3", "high": "4.5", "provenance": "Ruler"},
        {"item": "q1", "field": "place", "accepted": "1 2 3|4 5 6", "radius": "10"},
        {"item": "q2", "field": "place", "overlay": "o-c2"},
        {"item": "q2", "field": "why", "accepted": "Since | it is.", "compare": "people"},
        {"item": "q3", "accepted": "cyst"},
    )

    by_item = {row.item: row for row in contents.references}
    assert by_item["q1"].fields == (
        FieldReference("diagnosis", ("tumor", "stroke")),
        FieldReference("size", low=3.0, high=4.5, provenance="Ruler"),
        FieldReference("place", ("1 2 3", "4 5 6"), radius=10.0),
    )
    assert by_item["q2"].fields == (
        FieldReference("place", overlay="o-c2"),
        FieldReference("why", ("Since | it is.",), compared_by="people"),
    )
    assert (by_item["q3"].accepted, by_item["q3"].fields) == (("cyst",), ())


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"field": "modalty", "accepted": "MRI"}, "item 'q1' has no field 'modalty', expected "),
        ({"field": "modalty", "accepted": "MRI"}, "(nearest: 'modality')"),
        ({"field": "answer", "accepted": "MRI"}, "item 'q1' has no field 'answer'"),
        ({"field": "modality", "accepted": "PET"}, "'PET' is not one of the options of field 'modality' (CT, MRI)"),
        ({"field": "modality"}, "item 'q1' has neither accepted answers nor a range; give one of them."),
        ({"field": "modality", "low": "3"}, "is answered by an option, not by a number"),
        ({"field": "modality", "accepted": "MRI", "radius": "3"}, "radius is of points, and field 'modality' is"),
        ({"field": "likely", "accepted": "Cyst."}, "'Cyst.' is not one of the options of field 'likely' (cyst, scar)"),
        ({"field": "size", "accepted": "5 or more"}, "is answered by a number, not by '5 or more'"),
        ({"field": "size", "accepted": "large"}, "is answered by a number, not by 'large'"),
        ({"field": "size", "low": "200"}, "takes numbers from 0 to 100, and none of what counts as right is among"),
        ({"field": "size", "low": "5", "high": "4"}, "low 5 is above high 4; correct the range."),
        ({"field": "place", "accepted": "1 2 3"}, "radius is empty; give the mm, or the pixels in an image"),
        ({"field": "place", "accepted": "1 2", "radius": "5"}, "is answered by a point, not by '1 2'"),
        ({"field": "place", "accepted": "column 4 row 3", "radius": "5"}, "in pixels from the middle of the image"),
        ({"field": "place", "accepted": "1 2 3", "radius": "-5"}, "whose radius in mm is above 0"),
        ({"field": "place", "accepted": "1 2 3", "high": "5"}, "its radius in mm belongs in radius."),
        ({"field": "place", "overlay": "o-c2"}, "overlay 'o-c2' is of case 'c2', but item 'q1' is about case 'c1'"),
        ({"field": "place", "overlay": "o-c3"}, "overlay 'o-c3' is not in overlays.csv (nearest: "),
        ({"field": "place", "overlay": "o-c1", "radius": "5"}, "are two ways to be right; keep one of them."),
        ({"field": "why", "overlay": "o-c1"}, "overlay is of points, and field 'why' is a text; empty the cell."),
        ({"field": "modality", "accepted": "MRI", "compare": "people"}, "is a choice, which the program compares"),
        ({"field": "why", "accepted": "So.", "compare": "peple"}, "compare is 'peple', expected program, people"),
        ({"field": "sure", "accepted": "1"}, "field 'sure' is a confidence, which has no reference; remove the line."),
        ({"accepted": "x", "compare": "people"}, "field 'diagnosis' is a choice, which the program compares; people"),
    ],
)  # fmt: skip
def test_a_line_that_nobody_could_answer_is_refused(tmp_path: Path, line: dict[str, str], says: str) -> None:
    (refusal,) = refusals(tmp_path, {"item": "q1", **line})

    assert refusal.startswith("references.csv, line 2: ")
    assert says in refusal


POINTING = """
blindread: 2
name: pointing
title: Where is it?
phases:
  - {key: read, rates: items, shows: [prompt], form: {place: point, why: text}}
"""


def test_a_line_without_a_field_is_about_the_primary_point(tmp_path: Path) -> None:
    contents = read(
        tmp_path,
        {"item": "q1", "accepted": "1 2 3", "radius": "10"},
        {"item": "q2", "overlay": "o-c2"},
        protocol=POINTING,
    )

    assert [row.fields for row in contents.references] == [
        (FieldReference("place", ("1 2 3",), radius=10.0),),
        (FieldReference("place", overlay="o-c2"),),
    ]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            {"accepted": "1 2 3"},
            "field 'place' is a point, and radius is empty; give the mm, or the pixels in an image",
        ),
        ({"accepted": "1 2 3", "high": "4"}, "field 'place' is a point, which has no range; its radius in mm belongs"),
    ],
)
def test_a_point_without_a_radius_is_refused_whether_or_not_its_field_is_named(
    tmp_path: Path, line: dict[str, str], says: str
) -> None:
    for field in ("", "place"):
        with pytest.raises(InputRefused, match=says):
            read(tmp_path, {"item": "q1", "field": field, **line}, protocol=POINTING)


def test_a_version_keeps_points_whose_radius_is_in_high(tmp_path: Path) -> None:
    line = {"item": "q1", "accepted": "1 2 3", "high": "4"}
    study = read(tmp_path, {"item": "q1", "field": "why", "accepted": "So."}, protocol=POINTING).protocol
    assert isinstance(study, Expansion)

    frozen = FrozenStudy(study, references=frozenset({("q1", (1.0, 2.0, 3.0))}))
    (reference,) = read(tmp_path, line, protocol=POINTING, frozen=frozen).references

    assert (reference.accepted, reference.high, reference.fields) == (("1 2 3",), 4.0, ())


def test_where_phases_have_several_primary_fields_a_radius_needs_the_name(tmp_path: Path) -> None:
    phase = "  - {key: again, rates: items, shows: [prompt], form: {why: text}}\n"

    with pytest.raises(InputRefused, match="radius needs the field that it is about; fill in the column field"):
        read(tmp_path, {"item": "q1", "accepted": "1 2 3", "radius": "4"}, protocol=POINTING + phase)


def test_a_text_only_answer_to_a_field_of_several_options_is_a_set_of_them(tmp_path: Path) -> None:
    protocol = PROTOCOL.replace("modality: {type: choice", "modality: {type: several").replace(
        "    sequence: {type: choice, options: [T1, T2], when: {modality: MRI}}\n", ""
    )
    line = {"item": "q1", "field": "modality", "accepted": "MRI|CT", "text_only_answer": "CT|MRI"}

    (row,) = read(tmp_path, line, protocol=protocol).references

    assert row.fields[0].text_only_answer == "CT|MRI"


@pytest.mark.parametrize(
    ("first", "second", "of"),
    [("modality", "modality", "field 'modality'"), ("", "diagnosis", "field 'diagnosis'"),
     ("diagnosis", "", "field 'diagnosis'"), ("", "", "the primary field")],
)  # fmt: skip
def test_two_lines_about_one_field_of_an_item_are_refused(tmp_path: Path, first: str, second: str, of: str) -> None:
    accepted = {"modality": "MRI", "diagnosis": "tumor", "": "tumor"}
    lines = [{"item": "q1", "field": field, "accepted": accepted[field]} for field in (first, second)]

    says = f"references.csv, line 3: item 'q1' already has its reference for {of} in line 2; keep one line, with | "
    assert refusals(tmp_path, *lines) == [f"{says}between several accepted answers."]


@pytest.mark.parametrize(
    ("above", "below", "says"),
    [
        (("modality", "CT"), ("sequence", "T1"), "'sequence' is asked only where 'modality' is MRI, and there CT"),
        (("", "stroke"), ("subtype", "glioma"), "'subtype' offers glioma only where 'diagnosis' is tumor, and there"),
    ],
)  # fmt: skip
def test_an_answer_that_goes_with_another_one_above_is_refused(
    tmp_path: Path, above: tuple[str, str], below: tuple[str, str], says: str
) -> None:
    lines = [{"item": "q1", "field": field, "accepted": accepted} for field, accepted in (above, below)]

    (refusal,) = refusals(tmp_path, *lines)

    assert refusal.startswith(f"references.csv, line 3: item 'q1': {says}")


def test_items_that_lack_a_field_are_named_and_none_that_is_not_asked_is_missed(tmp_path: Path) -> None:
    contents = read(
        tmp_path,
        {"item": "q1", "field": "modality", "accepted": "MRI"},
        {"item": "q1", "field": "sequence", "accepted": "T1"},
        {"item": "q1", "field": "size", "accepted": "3"},
        {"item": "q1", "field": "place", "overlay": "o-c1"},
        {"item": "q2", "field": "modality", "accepted": "CT"},
        {"item": "q3", "field": "answer", "accepted": "cyst"},
    )

    about = [warning for warning in contents.warnings if "no reference for" in warning]
    assert about == [
        "references.csv: q2 has no reference for 'size'; estimates that need a reference use the other items only."
    ]


def test_an_overlay_that_is_a_reference_is_not_called_unused(tmp_path: Path) -> None:
    contents = read(tmp_path, *({"item": f"q{n}", "field": "place", "overlay": f"o-c{n}"} for n in (1, 2)))

    assert not [warning for warning in contents.warnings if warning.startswith("overlays.csv")]


def test_a_phase_that_shows_the_reference_of_a_field_without_a_line_is_refused(tmp_path: Path) -> None:
    protocol = PROTOCOL.replace("shows: [prompt]", "shows: [prompt, reference.modalty]")

    with pytest.raises(InputRefused) as refused:
        read(tmp_path, {"item": "q1", "field": "modality", "accepted": "MRI"}, protocol=protocol)

    (problem,) = refused.value.problems
    assert str(problem).startswith(
        "protocol.yaml, key phases.read.shows: shows the reference of 'modalty', and no line"
    )
    assert str(problem).endswith("(nearest: 'modality'); correct the name or add lines.")


def test_a_line_without_a_field_is_refused_where_it_could_be_shown_as_that_of_another(tmp_path: Path) -> None:
    earlier = "  - {key: kind, rates: items, shows: [prompt], form: {modality: {type: choice, options: [MRI, CT]}}}\n"
    protocol = PROTOCOL.replace("shows: [prompt]", "shows: [prompt, reference.modality]").replace(
        "phases:\n", f"phases:\n{earlier}"
    )

    with pytest.raises(InputRefused) as refused:
        read(tmp_path, {"item": "q1", "accepted": "tumor"}, protocol=protocol)

    (problem,) = refused.value.problems
    assert str(problem) == (
        "references.csv, line 2: names no field, and a phase shows the reference of modality, but phases compare "
        "diagnosis, modality; fill in the column field."
    )


PARTED = """
blindread: 2
name: parted
title: Two phases, each of some of the items
attributes: {items: {kind: {type: choice, options: [easy, hard]}, dull: yes_no}, cases: {site: text}}
phases:
  - key: one
    rates: items
    from: {where: {kind: easy}}
    shows: [prompt]
    form: {side: {type: choice, options: [l, r]}}
  - key: two
    rates: items
    from: {where: {WHERE}}
    shows: [prompt]
    form: {lobe: {type: choice, options: [f, p]}}
  - {key: again, rates: items, from: {phase: two}, shows: [prompt], form: {size: {type: choice, options: [s, m]}}}
"""


@pytest.mark.parametrize(
    ("where", "lacking"),
    [
        ("kind: hard", []),
        ("dull: false", []),
        ("site: here", []),
        ("format: open", ["q1 has no reference for 'lobe'", "q1 has no reference for 'size'"]),
    ],
)
def test_a_reference_is_missed_only_on_items_that_a_phase_with_the_field_can_take(
    tmp_path: Path, where: str, lacking: list[str]
) -> None:
    (tmp_path / "protocol.yaml").write_text(PARTED.replace("WHERE", where), encoding="utf-8")
    write_table(tmp_path / "cases.csv", "case,subject,site", [("c1", "s1", "there"), ("c2", "s2", "here")])
    items = [("q1", "c1", "open", "Where?", "easy", "yes"), ("q2", "c2", "open", "Where?", "hard", "no")]
    write_table(tmp_path / "items.csv", "item,case,format,prompt,kind,dull", items)
    lines = [("q1", "side", "l"), ("q2", "lobe", "f"), ("q2", "size", "s")]
    write_table(tmp_path / "references.csv", "item,field,accepted", lines)

    contents = read_study_folder(tmp_path, EXPANDING)

    about = [warning for warning in contents.warnings if "no reference for" in warning]
    assert [warning.removeprefix("references.csv: ").partition(";")[0] for warning in about] == lacking


ONE_CHOICE = """
blindread: 2
name: sides
title: On which side
forms: {report: {side: {type: choice, options: {l: Left, r: Right}}}, turn: {answer: text}}
phases:
  - {key: read, rates: items, shows: [prompt], form: as_item}
"""
SHOWN_LATER = ONE_CHOICE + "  - {key: check, rates: items, shows: [prompt, reference], form: {fine: yes_no}}\n"


@pytest.mark.parametrize(
    ("protocol", "first", "second", "unused"),
    [
        (ONE_CHOICE, "l", "Right", ["that of q2 is"]),
        (ONE_CHOICE, "Left", "Right", ["those of q1, q2 are"]),
        (ONE_CHOICE, "l", "Right|r", []),
        (ONE_CHOICE.replace("choice, options: {l: Left, r: Right}", "number"), "7", "seven", ["that of q2 is"]),
        (SHOWN_LATER, "l", "Right", ["that of q2 is"]),
        (SHOWN_LATER, "A cyst on the left", "A scar on the right", []),
    ],
    ids=["one misspelt", "texts for ids", "one of several", "no number", "misspelt and shown", "only for who is shown"],
)
def test_a_line_without_a_field_that_does_not_answer_the_primary_field_is_named(
    tmp_path: Path, protocol: str, first: str, second: str, unused: list[str]
) -> None:
    lines = ({"item": "q1", "accepted": first}, {"item": "q2", "accepted": second})

    contents = read(tmp_path, *lines, protocol=protocol)

    assert [warning for warning in contents.warnings if "without a field" in warning] == [
        f"references.csv: a line without a field is about 'side' in phase 'read', and {those} no answer to it and will "
        "not be used; correct what counts as right, or fill in the column field."
        for those in unused
    ]


def test_a_field_that_two_phases_ask_is_refused_once(tmp_path: Path) -> None:
    again = "  - {key: again, rates: items, shows: [prompt], form: report, undetermined: yes}\n"
    protocol = PROTOCOL.replace("form: as_item", "form: report") + again

    with pytest.raises(InputRefused) as refused:
        read(tmp_path, {"item": "q1", "field": "diagnosis", "accepted": "tumour"}, protocol=protocol)

    said = [problem.says for problem in refused.value.problems if "tumour" in problem.says]
    assert len(said) == 1
