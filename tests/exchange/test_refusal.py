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
