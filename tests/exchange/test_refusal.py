"""The words that refusals and results are made of."""

from __future__ import annotations

import pytest

from exchange.refusal import Problems, counted


@pytest.mark.parametrize(("number", "said"), [(0, "0 cases"), (1, "1 case"), (2, "2 cases"), (12_345, "12,345 cases")])
def test_number_and_noun_agree(number: int, said: str) -> None:
    assert counted(number, "case") == said


def test_a_key_of_any_length_and_signs_is_named_in_one_short_line() -> None:
    problems = Problems()

    problems.add("protocol.yaml", f"key phases.{'a' * 5000}.\nform", "there is no such key; correct or remove it.")
    problems.add("protocol.yaml", "key phases.a\tb", "there is no such key; correct or remove it.")

    said = [str(problem) for problem in problems.noted]
    assert all("\n" not in sentence and "\t" not in sentence and len(sentence) < 300 for sentence in said)
    assert said[0].startswith("protocol.yaml, key phases.aaa") and "...: there is no such key" in said[0]


def test_a_table_with_very_many_problems_hides_none_of_the_first_of_another() -> None:
    problems = Problems()
    for number in range(2, 1_202):
        problems.add("items.csv", f"line {number}", "format is 'perhaps'; correct it.")
    for number in range(2, 32):
        problems.add("references.csv", f"line {number}", "item 'x' is not in items.csv; correct it.")

    refusal = problems.refusal()

    of_items, of_references = (
        [problem.place for problem in refusal.problems if problem.file == file]
        for file in ("items.csv", "references.csv")
    )
    assert (len(of_items), of_references) == (1_000, [f"line {number}" for number in range(2, 12)])
    assert refusal.count == 1_230
    assert refusal.not_among(refusal.problems) == "200 of items.csv, 20 of references.csv"


def test_a_short_list_has_the_first_problems_of_each_file_in_their_order() -> None:
    problems = Problems()
    for file, lines in (("items.csv", 150), ("references.csv", 2)):
        for number in range(lines):
            problems.add(file, f"line {number + 2}", "a cell is wrong; correct it.")
    refusal = problems.refusal()

    listed = refusal.first(100)

    assert [problem.file for problem in listed] == ["items.csv"] * 98 + ["references.csv"] * 2
    assert refusal.not_among(listed) == "52 of items.csv"


def test_what_another_reader_refused_is_counted_with_its_files() -> None:
    there, here = Problems(), Problems()
    for number in range(1_500):
        there.add("answers.csv", f"line {number + 2}", "a cell is wrong; correct it.")
    here.add("items.csv", "line 2", "a cell is wrong; correct it.")

    here.take(there.refusal())

    refusal = here.refusal()
    assert (refusal.count, len(refusal.problems)) == (1_501, 1_000)
    assert refusal.not_among(refusal.problems) == "501 of answers.csv"
