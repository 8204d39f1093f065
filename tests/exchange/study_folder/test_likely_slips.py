"""Tables that are sound and probably not meant: names that look alike, answers without a pair, exchanged columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from exchange.refusal import InputRefused, nearest
from exchange.study_folder.folder import read_study_folder
from exchange.study_folder.listed_folder import Expanding
from tests.situations import write_table

PROTOCOL = """
blindread: 2
name: slips
title: Slips
attributes: {items: {city: text, note: text}, candidates: {run: text}}
phases:
  - key: compare
    rates: pairs
    from: {sample: {strata: city, size: all}}
    pairs: {of: model}
    shows: [prompt, candidate]
    form: {better: preference}
"""
SCORED = PROTOCOL.replace("rates: pairs", "rates: candidates").replace("    pairs: {of: model}\n", "")
SCORED = SCORED.replace("preference", "yes_no")
ITEMS = [("q1", "a", "open", "1?", "Bonn", "x"), ("q2", "a", "open", "2?", "Bonn", "x")]
ANSWERS = [
    ("c1", "q1", "Borealis", "wait", ""),
    ("c2", "q1", "Aurora", "scan", ""),
    ("c3", "q2", "Borealis", "ask", ""),
    ("c4", "q2", "Aurora", "refer", ""),
]
APART = "differ only in case, blanks, forms of a character or characters that are not drawn"


def warnings(
    folder: Path,
    answers: Sequence[tuple[str, ...]] = ANSWERS,
    items: Sequence[tuple[str, ...]] = ITEMS,
    protocol: str = PROTOCOL,
) -> list[str]:
    """Return what the import says of these answers to these items."""
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    write_table(folder / "items.csv", "item,category,format,prompt,city,note", items)
    write_table(folder / "candidates.csv", "candidate,item,model,answer,run", answers)
    return [said for said in read_study_folder(folder, Expanding("test", ())).warnings if ".csv" in said]


def test_tables_without_a_slip_pass_without_a_word(tmp_path: Path) -> None:
    assert warnings(tmp_path) == []


@pytest.mark.parametrize("otherwise", ["borealis", "Bore\u00adalis", "Borealis\u200b", "Ｂorealis"])
def test_two_models_that_look_alike_are_warned_of_with_both_lines(tmp_path: Path, otherwise: str) -> None:
    answers = [*ANSWERS[:2], ("c3", "q2", otherwise, "ask", ""), ANSWERS[3]]

    (said,) = warnings(tmp_path, answers)

    assert said.startswith("candidates.csv, column model: 'Borealis' (line 2) and '")
    assert said.endswith(f"(line 4) {APART}, and count as two models; write them alike if they are one.")


def test_two_values_that_look_alike_are_warned_of_where_the_study_draws_by_them(tmp_path: Path) -> None:
    said = warnings(tmp_path, items=[ITEMS[0], ("q2", "a", "open", "2?", "BONN", "X")])

    (sentence,) = said
    assert sentence == (
        f"items.csv, column city: 'Bonn' (line 2) and 'BONN' (line 3) {APART}, and count as two values; write them "
        "alike if they are one."
    )


def test_an_item_with_a_single_answer_where_pairs_are_rated_is_warned_of(tmp_path: Path) -> None:
    (said,) = warnings(tmp_path, ANSWERS[:3])

    assert said == (
        "candidates.csv: item 'q2' (line 4) has a single answer, so that phase 'compare' has no pair of it; add the "
        "other answer, or remove this one."
    )


@pytest.mark.parametrize(("run", "warned"), [("", True), ("2", False)])
def test_two_answers_of_a_model_to_an_item_are_warned_of_if_nothing_tells_them_apart(
    tmp_path: Path, run: str, warned: bool
) -> None:
    said = warnings(tmp_path, [*ANSWERS, ("c5", "q2", "Aurora", "wait", run)])

    sentence = (
        "candidates.csv: lines 5 and 6 ('q2') are answers of one model to one item, and no column tells them apart; "
        "phase 'compare' takes each for a pair of its own. Declare what differs (a run, a condition), or remove a line."
    )
    assert said == ([sentence] if warned else [])


def test_a_table_with_the_model_in_the_column_of_the_answer_is_warned_of(tmp_path: Path) -> None:
    exchanged = [(key, item, answer, model, run) for key, item, model, answer, run in ANSWERS]

    (said,) = warnings(tmp_path, exchanged, protocol=SCORED)

    assert said == (
        "candidates.csv: each of the 4 lines with an answer has a model of its own, and 2 answers recur: line 2 has "
        "model 'wait' and answer 'Borealis'. Check that the columns model and answer are not exchanged."
    )


def test_a_table_with_the_answers_in_the_column_of_the_keys_is_warned_of(tmp_path: Path) -> None:
    said = [f"The reply of number {n} is to wait." for n in range(4)]
    exchanged = [(said[n], item, model, f"c{n}", run) for n, (_, item, model, _, run) in enumerate(ANSWERS)]

    (warned,) = warnings(tmp_path, exchanged, protocol=SCORED)

    assert warned == (
        "candidates.csv: 4 of the 4 lines with an answer have a phrase as their key, and every answer is a word of "
        "its own with a digit: line 2 has candidate 'The reply of number 0 is to wait.' and answer 'c0'. Check that "
        "the columns candidate and answer are not exchanged."
    )


def test_keys_of_several_words_beside_answers_in_a_word_may_be_meant(tmp_path: Path) -> None:
    keys = [(f"the answer of number {n}", *rest) for n, (_, *rest) in enumerate(ANSWERS)]

    assert warnings(tmp_path, keys, protocol=SCORED) == []


def test_a_model_for_each_answer_to_one_item_may_be_meant(tmp_path: Path) -> None:
    answers = [(f"c{n}", "q1", f"Model {n}", "yes" if n % 2 else "no", "") for n in range(6)]

    assert warnings(tmp_path, answers, protocol=SCORED) == []


def test_models_that_answer_in_columns_of_fields_are_not_taken_for_exchanged(tmp_path: Path) -> None:
    items = [(f"q{n}", "a", "open", f"{n}?", "Bonn", "x") for n in range(4)]
    answers = [(f"c{n}", f"q{n}", f"Model {n}", "", "") for n in range(4)]

    said = warnings(tmp_path, answers, items, protocol=SCORED)

    assert [each for each in said if "exchanged" in each] == []


def test_a_name_that_differs_in_what_is_not_drawn_is_suggested_with_it_in_words() -> None:
    assert nearest("i1", ["i1\N{ZERO WIDTH SPACE}"]) == " (nearest: 'i1[zero width space]')"


def test_a_folder_around_the_study_is_refused_with_the_folder_to_import(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "protocol.yaml").write_text("blindread: 2\n", encoding="utf-8")

    with pytest.raises(InputRefused) as refusal:
        read_study_folder(tmp_path)

    assert "protocol.yaml is missing" in str(refusal.value)
    assert "import 'inner', in which there is one" in str(refusal.value)


def test_a_shared_list_that_is_no_file_is_not_called_missing(tmp_path: Path) -> None:
    (tmp_path / "lists" / "sides.yaml").mkdir(parents=True)
    phase = "{key: read, rates: items, shows: [prompt], form: {side: {type: choice, options: lists/sides}}}"
    protocol = f"blindread: 2\nname: a\ntitle: A\nphases: [{phase}]\n"
    (tmp_path / "protocol.yaml").write_text(protocol, encoding="utf-8")

    with pytest.raises(InputRefused) as refusal:
        read_study_folder(tmp_path, Expanding("test", (tmp_path / "lists",)))

    assert "lists/sides.yaml cannot be read (it is not a file); expected a YAML file" in str(refusal.value)
    assert "there is no list" not in str(refusal.value)
