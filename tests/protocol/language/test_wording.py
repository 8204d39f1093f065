"""How sentences name places in a protocol, and write shares."""

from __future__ import annotations

import pytest

from protocol.language.sentences import explained
from protocol.language.wording import how_many, percent, place_in_words, size_in_words
from tests.protocol.language.study_text import expanded


@pytest.mark.parametrize(
    ("path", "says"),
    [
        (("analysis", "primary", "of"), "key analysis.primary.of"),
        (("analysis", "also", 1), "line 2 of analysis.also"),
        (("analysis", "also", 1, "where", "format"), "line 2 of analysis.also, key where.format"),
        (("a", 0, "b", 2, "c"), "line 3 of b in line 1 of a, key c"),
        ((2, "text"), "line 3 of the list, key text"),
    ],
)
def test_lines_of_lists_are_counted_from_one(path: tuple[str | int, ...], says: str) -> None:
    assert place_in_words(path) == says


def test_shares_have_a_blank_before_the_sign() -> None:
    assert (percent(0.95), percent(0.975), size_in_words("5%")) == ("95 %", "97.5 %", "5 %")


@pytest.mark.parametrize(("count", "says"), [(1, "one attempt"), (2, "two attempts"), (12, "12 attempts")])
def test_a_single_thing_is_named_in_the_singular(count: int, says: str) -> None:
    assert how_many(count, "attempt") == says


@pytest.mark.parametrize(("label", "says"), [("", "“Urgent”"), (", label: Seen at night", "“Seen at night”")])
def test_an_attribute_on_the_screen_is_named_as_the_screen_names_it(label: str, says: str) -> None:
    study = expanded(f"""
    attributes: {{items: {{urgent: {{type: yes_no{label}}}}}}}
    phases: [{{key: read, rates: items, shows: [prompt, urgent], form: {{seen: yes_no}}}}]
    """)

    sentences = next(part for part in explained(study) if "(read)" in part.heading).sentences

    assert any(sentence.startswith(f"On the screen: the prompt and {says}.") for sentence in sentences)
