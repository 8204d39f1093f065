"""Study folders whose protocol lists its phases: declared columns by their types, and what may be missing."""

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
from tests.situations import write_table

EXPANDING = Expanding("test", ())
PROTOCOL = """
blindread: 2
name: columns
title: Declared columns
attributes:
  items:
    tier: {type: ordinal, options: {'1': Tier 1, '2': Tier 2}}
    seen: yes_no
    score: {type: number, range: [0, 10]}
    on: date
    tags: list
  candidates: {condition: {type: choice, options: {present: With the image, absent: Without}}}
phases:
  - key: score
    title: Scores
    rates: candidates
    from: {where: {model: Model A, condition: present}}
    shows: [prompt, candidate]
    form: {verdict: correctness}
"""
COLUMNS = "item,category,format,prompt,tier,seen,score,on,tags"
ITEM = ("q1", "physics", "open", "Why?", "Tier 2", "TRUE", "3.50", "2024-06-01", "a | b")


def read(folder: Path, item: tuple[str, ...] = ITEM, protocol: str = PROTOCOL, columns: str = COLUMNS) -> StudyFolder:
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    write_table(folder / "items.csv", columns, [item])
    candidates = [("k1", "q1", "Model A", "Since.", "present"), ("k2", "q1", "Model B", "", "Without")]
    write_table(folder / "candidates.csv", "candidate,item,model,answer,condition", candidates)
    return read_study_folder(folder, EXPANDING)


def test_declared_cells_are_read_by_their_types(tmp_path: Path) -> None:
    contents = read(tmp_path)

    assert dict(contents.items[0].attributes) == {
        "tier": "2", "seen": "yes", "score": "3.5", "on": "2024-06-01", "tags": "a|b",
    }  # fmt: skip
    assert [dict(row.attributes) for row in contents.candidates] == [{"condition": "present"}, {"condition": "absent"}]


def test_cases_and_volumes_may_be_missing_and_an_answer_too(tmp_path: Path) -> None:
    contents = read(tmp_path)

    assert [(case.key, case.subject) for case in contents.cases] == [("q1", "q1")]
    assert contents.volumes == ()
    assert contents.candidates[1].answer == ""
    assert contents.source == PROTOCOL


@pytest.mark.parametrize(
    ("place", "cell", "says"),
    [
        (4, "Tier 3", "line 2: tier is 'Tier 3', expected 1, 2"),
        (5, "perhaps", "line 2: seen is 'perhaps', expected yes or no; correct the cell."),
        (6, "11", "line 2: score is 11, expected 0 to 10; correct the cell."),
        (6, "many", "line 2: score is 'many'"),
        (7, "yesterday", "line 2: on is 'yesterday'"),
    ],
)
def test_a_cell_that_does_not_fit_its_type_is_refused(tmp_path: Path, place: int, cell: str, says: str) -> None:
    item = (*ITEM[:place], cell, *ITEM[place + 1 :])

    with pytest.raises(InputRefused) as refusal:
        read(tmp_path, item)

    assert f"items.csv, {says}" in str(refusal.value)


def test_a_range_whose_ends_are_exchanged_is_refused_unless_it_was_frozen(tmp_path: Path) -> None:
    falling = PROTOCOL.replace("[0, 10]", "[10, 0]")
    with pytest.raises(InputRefused) as refused:
        read(tmp_path, protocol=falling)

    assert str(refused.value) == (
        "protocol.yaml, key attributes.items.score.range: The range is 10 to 0, and its first number is the lowest "
        "value; exchange the two."
    )
    study = read(tmp_path).protocol
    assert isinstance(study, Expansion)
    attributes = [
        each.model_copy(update={"minimum": 10.0, "maximum": 0.0}) if each.key == "score" else each
        for each in study.attributes
    ]
    (tmp_path / "protocol.yaml").write_text(falling, encoding="utf-8")
    frozen = FrozenStudy(study.model_copy(update={"attributes": attributes}))
    assert read_study_folder(tmp_path, replace(EXPANDING, frozen=frozen)).items


def test_a_declared_column_must_be_there_and_another_one_must_not(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match="the header lacks tier \\(nearest: 'tierr'\\)"):
        read(tmp_path, columns=COLUMNS.replace("tier", "tierr"))


def test_what_cannot_be_run_yet_is_refused_with_its_key(tmp_path: Path) -> None:
    with pytest.raises(InputRefused) as refusal:
        read(tmp_path, protocol=PROTOCOL.replace("title: Scores", "title: Scores\n    by: {together: yes}"))

    assert str(refusal.value) == (
        "protocol.yaml, key phases.score.by.together: Several people cannot give one answer together yet; remove "
        "together, let one of them enter it (a group with people: 1), and ask in a text field who was there. The study "
        "can be checked and explained."
    )


def test_without_the_means_to_expand_such_a_study_is_refused(tmp_path: Path) -> None:
    read(tmp_path)

    with pytest.raises(InputRefused, match="lists its phases"):
        read_study_folder(tmp_path)


def test_words_that_raters_read_and_that_name_what_is_hidden_are_warned_of(tmp_path: Path) -> None:
    contents = read(tmp_path, protocol=PROTOCOL.replace("title: Scores", "title: Scores of model A"))

    assert contents.warnings[0] == (
        "protocol.yaml: title, question or instructions of phase 'score' name 'Model A', by which its units are "
        "selected (model) and which it does not show; expected words that tell nothing of model."
    )


def test_a_warning_of_unlike_options_names_no_form_where_the_table_has_none(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(
        "blindread: 2\nname: talk\ntitle: Questions\n"
        "phases: [{key: read, rates: items, shows: [prompt, options], form: {answer: as_item}}]\n",
        encoding="utf-8",
    )
    (tmp_path / "items.csv").write_text(
        "item,format,prompt,options\ni1,choice,How large?,a=Large|b=Small\ni2,choice,How old?,a=Old|b=New\n",
        encoding="utf-8",
    )

    (warning,) = (said for said in read_study_folder(tmp_path, EXPANDING).warnings if "option" in said)

    assert warning.startswith("items.csv: option 'a' says 'Large' (i1) and 'Old' (i2). So does 'b'.")


# A column that tells the reference, as the only one of items.
TELLING = PROTOCOL[: PROTOCOL.index("    seen:")] + PROTOCOL[PROTOCOL.index("  candidates: {cond") :]
TELLING = TELLING.replace(
    "ordinal, options: {'1': Tier 1, '2': Tier 2}", "choice, options: {t1: Tier 1, t2: Tier 2}, tells: reference"
)


@pytest.mark.parametrize(
    ("source", "title", "says"),
    [
        (
            "where: {tier: t2}",
            "Scores",
            "phase 'score' selects by tier (t2), which tells the reference, of which all its units then have one value",
        ),
        (
            "where: {tier: [t2, t1]}",
            "Scores",
            "phase 'score' selects by tier (t1, t2), which tells the reference; that says what the reference is not,",
        ),
        (
            "sample: {strata: tier}",
            "Scores of tier 2",
            "phase 'score' name 't2' and no other value of tier, over which its units are drawn and which tells the",
        ),
    ],
)
def test_a_selection_that_tells_of_the_reference_is_warned_of(
    tmp_path: Path, source: str, title: str, says: str
) -> None:
    protocol = TELLING.replace("where: {model: Model A, condition: present}", source).replace("Scores", title)

    contents = read(tmp_path, ITEM[:5], protocol, "item,category,format,prompt,tier")

    assert says in contents.warnings[0]


def test_a_sample_over_all_that_can_be_the_reference_is_not_warned_of(tmp_path: Path) -> None:
    protocol = TELLING.replace("where: {model: Model A, condition: present}", "sample: {strata: tier}")

    contents = read(tmp_path, ITEM[:5], protocol, "item,category,format,prompt,tier")

    assert not [warning for warning in contents.warnings if "tells the reference" in warning]


@pytest.mark.parametrize("let_in", ["[[flagged]]", "[3]", "[{differs: [[a]]}]", "[{answered: [[a]]}]"])
def test_odd_selections_by_answers_are_refused_with_their_key(tmp_path: Path, let_in: str) -> None:
    condition = "where: {model: Model A, condition: present}"

    with pytest.raises(InputRefused, match=r"protocol\.yaml, (key|line 1 of) phases\.score\.from\."):
        read(tmp_path, protocol=PROTOCOL.replace(condition, f"{condition}, let_in: {let_in}"))


def test_a_format_and_a_yes_tell_nothing_that_is_hidden(tmp_path: Path) -> None:
    protocol = PROTOCOL.replace("title: Scores", "title: Scores of open answers, yes or no")

    contents = read(tmp_path, protocol=protocol.replace("where: {", "where: {format: open, seen: yes, "))

    assert not [warning for warning in contents.warnings if "expected words that tell nothing" in warning]


def test_images_are_left_out_of_what_is_acknowledged(tmp_path: Path) -> None:
    instructions = "title: Scores\n    instructions: Look at ![the atlas](https://elsewhere.org/a.png) first."

    contents = read(tmp_path, protocol=PROTOCOL.replace("title: Scores", instructions))

    assert isinstance(contents.protocol, Expansion)
    assert contents.protocol.phases[0].instructions == "Look at the atlas first."


AS_ITEM = """
blindread: 2
name: forms
title: Forms of items
forms: {short: {seen: yes_no}, long: {seen: yes_no, why: text}}
groups: {readers: Readers, curators: Curators}
phases:
  - {key: read, rates: items, shows: [prompt], form: as_item, by: readers}
  - {key: look, rates: items, from: {phase: read, let_in: [SELECTED]}, shows: [prompt], form: {v: text}, by: curators}
"""


@pytest.mark.parametrize("selected", ["{answered: why}", "{differs: [why]}"])
def test_a_field_that_no_item_asks_selects_nothing(tmp_path: Path, selected: str) -> None:
    (tmp_path / "protocol.yaml").write_text(AS_ITEM.replace("SELECTED", selected), encoding="utf-8")
    write_table(tmp_path / "items.csv", "item,format,form,prompt", [("q1", "open", "short", "Why?")])

    with pytest.raises(InputRefused) as refusal:
        read_study_folder(tmp_path, EXPANDING)

    assert str(refusal.value) == (
        "items.csv, column form: phase 'look' selects by 'read.why', a field of long alone, which no item names as its "
        "form."
    )


def test_a_selection_that_nothing_can_meet_is_refused_with_its_key(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(AS_ITEM.replace("SELECTED", "flagged"), encoding="utf-8")
    write_table(tmp_path / "items.csv", "item,format,form,prompt", [("q1", "open", "short", "Why?")])

    with pytest.raises(InputRefused, match=r"key phases\.look\.from\.let_in: Nothing can be flagged in 'read'"):
        read_study_folder(tmp_path, EXPANDING)


def test_of_a_protocol_that_is_no_yaml_yet_no_column_of_its_own_is_called_unknown(tmp_path: Path) -> None:
    broken = PROTOCOL.replace("tags: list", "tags: {type: list, label: Which?}")

    with pytest.raises(InputRefused) as refused:
        read(tmp_path, protocol=broken)

    assert refused.value.count == 1
    assert "protocol.yaml, line 11: not valid YAML" in str(refused.value)
    assert refused.value.unseen == "Not looked at because of this: the tables, whose columns the protocol declares."


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("    rates: candidates", "    rates: candidates\n    flagz: [x]", "key phases.score.flagz: there"),
        ("shows: [prompt, candidate]", "shows: [prompts, candidate]", "key phases.score.shows: there is"),
        ("tier: {type: ordinal", "tier: {type: ordnal", "key attributes.items.tier"),
    ],
)
def test_of_a_protocol_that_does_not_hold_the_tables_are_checked_as_well(
    tmp_path: Path, right: str, wrong: str, says: str
) -> None:
    cells = (*ITEM[:2], "opn", *ITEM[3:])

    with pytest.raises(InputRefused) as refused:
        read(tmp_path, cells, PROTOCOL.replace(right, wrong))

    problems = [str(problem) for problem in refused.value.problems]
    assert len(problems) == 2
    assert problems[0].startswith(f"protocol.yaml, {says}")
    assert problems[1].startswith("items.csv, line 2: format is 'opn', expected yes_no, choice, open")


def test_columns_that_a_protocol_declares_are_checked_while_its_phases_do_not_hold(tmp_path: Path) -> None:
    protocol = PROTOCOL.replace("shows: [prompt, candidate]", "shows: [prompts, candidate]")

    with pytest.raises(InputRefused) as refused:
        read(tmp_path, (*ITEM[:4], "Tier 3", *ITEM[5:]), protocol)

    assert [problem.file for problem in refused.value.problems] == ["protocol.yaml", "items.csv"]
    assert "tier is 'Tier 3', expected " in str(refused.value.problems[1])


def test_a_start_by_column_and_row_is_no_problem_of_its_own_beside_a_broken_protocol(tmp_path: Path) -> None:
    with pytest.raises(InputRefused) as refused:
        read(tmp_path, (*ITEM, "column 3 row 4"), PROTOCOL.replace("[prompt,", "[prompts,"), f"{COLUMNS},start")

    assert [problem.file for problem in refused.value.problems] == ["protocol.yaml"]


def test_a_column_of_which_a_broken_protocol_says_nothing_is_not_called_unknown(tmp_path: Path) -> None:
    with pytest.raises(InputRefused) as refused:
        read(tmp_path, protocol=PROTOCOL.replace("attributes:", "atributes:"))

    assert {problem.file for problem in refused.value.problems} == {"protocol.yaml"}


@pytest.mark.parametrize(("header", "says"), [("case,subject", "case is empty; fill it in"), ("subject", "lacks case")])
def test_a_case_has_a_key_where_there_are_cases(tmp_path: Path, header: str, says: str) -> None:
    lines = [("c1", "s1"), ("", "s2")] if header.startswith("case") else [("s1",), ("s2",)]
    write_table(tmp_path / "cases.csv", header, lines)

    with pytest.raises(InputRefused) as refused:
        read(tmp_path, ("q1", "c2", *ITEM[1:]), columns=COLUMNS.replace("item,", "item,case,"))

    assert {problem.file for problem in refused.value.problems} == {"cases.csv"}
    assert says in str(refused.value)
