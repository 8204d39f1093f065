"""What counts as right, format by format."""

from __future__ import annotations

from typing import Any

import pytest

from services.correctness import AnswerKey, canonical, in_words, reference_in_words, score


def item(item_format: str = "open", **changed: Any) -> AnswerKey:
    options = {"yes_no": (("yes", "Yes"), ("no", "No")), "choice": (("l", "Left"), ("r", "Right")), "open": ()}
    given: dict[str, Any] = {
        "format": item_format, "options": options[item_format], "accepted": (), "low": None, "high": None,
    }  # fmt: skip
    return AnswerKey(**(given | changed))


@pytest.mark.parametrize(("answer", "right"), [("l", True), ("r", False)])
def test_a_choice_is_right_by_its_identity(answer: str, right: bool) -> None:
    assert score(item("choice", accepted=("l",)), answer).correct is right


def test_several_accepted_options_are_all_right() -> None:
    both = item("choice", accepted=("l", "r"))

    assert score(both, "l").correct
    assert score(both, "r").correct


@pytest.mark.parametrize(
    ("answer", "right"),
    [("The frontal lobe.", True), ("FRONTAL  LOBE", True), ("frontal", False), ("left frontal lobe", False)],
)
def test_open_text_is_right_after_normalisation_only(answer: str, right: bool) -> None:
    assert score(item(accepted=("frontal lobe",)), answer).correct is right


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("10", True), ("12.5 mm", True), ("about 12,5 mm", True), ("15", True), ("9.99", False), ("15.1", False),
        ("10 to 12", False), ("T1", False), ("many", False), (12.0, True), (9, False), ("1,000", False), ("-12", False),
    ],
)  # fmt: skip
def test_one_number_within_the_range_is_right(answer: Any, right: bool) -> None:
    assert score(item(low=10.0, high=15.0), answer).correct is right


def test_a_range_may_be_open_on_one_side() -> None:
    assert score(item(low=10.0), "1000000").correct
    assert not score(item(high=10.0), "11").correct


def test_accepted_texts_and_a_range_both_count() -> None:
    three = item(accepted=("three",), low=3.0, high=3.0)

    assert score(three, "three").correct
    assert score(three, "3 lesions").correct
    assert not score(three, "four").correct


def test_without_a_reference_there_is_neither_right_nor_wrong() -> None:
    assert score(item(), "anything").correct is None
    assert score(item(), "anything").token_f1 is None


def test_token_f1_needs_an_accepted_text() -> None:
    assert score(item(accepted=("left frontal lobe",)), "frontal lobe").token_f1 == pytest.approx(0.8)
    assert score(item(low=1.0), "2").token_f1 is None
    assert score(item("choice", accepted=("l",)), "l").token_f1 is None


def test_answers_are_compared_by_identity_or_normalised_text() -> None:
    assert canonical(item("choice"), "l") == "l"
    assert canonical(item(), "The Lobe.") == canonical(item(), "lobe")


def test_answers_and_references_are_shown_in_words() -> None:
    assert in_words(item("choice"), "l") == "Left"
    assert in_words(item("choice"), ["l", "r"]) == "Left, Right"
    assert in_words(item(), 3.0) == "3"
    assert reference_in_words(item("choice", accepted=("l",))) == "Left"
    assert reference_in_words(item(accepted=("three",), low=3.0, high=3.0)) == "three or 3"
    assert reference_in_words(item(low=3.0, high=5.0)) == "3 to 5"
    assert reference_in_words(item()) == "no reference"
