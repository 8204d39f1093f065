"""What counts as right, format by format."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db import Verdict
from protocol.fields import KINDS
from services.adjudication.review_queue import differs
from services.reading.correctness import AnswerKey, in_words, reference_in_words, said, score
from services.report.rows.reads import column_of
from services.report.rows.study_rows import Entry, Member, ReadItem


def item(item_format: str = "open", **changed: Any) -> AnswerKey:
    options = {"yes_no": (("yes", "Yes"), ("no", "No")), "choice": (("l", "Left"), ("r", "Right")), "open": ()}
    given: dict[str, Any] = {
        "format": item_format, "type": "text" if item_format == "open" else item_format,
        "options": options[item_format], "accepted": (), "low": None, "high": None,
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


def test_answers_and_references_are_shown_in_words() -> None:
    assert in_words(item("choice"), "l") == "Left"
    assert in_words(item(type="number"), 3.0) == "3"
    assert reference_in_words(item("choice", accepted=("l",))) == "Left"
    assert reference_in_words(item(accepted=("three",), low=3.0, high=3.0)) == "three or 3"
    assert reference_in_words(item("choice", type="several", accepted=("l", "r"))) == "Left and Right"
    assert reference_in_words(item()) == "no reference"


def test_not_assessable_is_no_answer_that_somebody_could_write() -> None:
    assert said("text", "Not assessable.", not_assessable=False) != said("text", None, not_assessable=True)
    assert said("text", None, not_assessable=False) is None


ANSWERS: dict[str, st.SearchStrategy[Any]] = {
    "yes_no": st.sampled_from(["yes", "no"]),
    "choice": st.sampled_from(["l", "r", "b"]),
    "ordinal": st.sampled_from(["1", "2", "10"]),
    "several": st.lists(st.sampled_from(["l", "r", "b"]), unique=True, min_size=1),
    "number": st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([3.5, 35.0, -3.0, 3.0]),
    "text": st.text(min_size=1) | st.sampled_from(["3.5 cm", "35 cm", "-3", "3", "not assessable", "Not assessable."]),
    "ranked": st.lists(st.sampled_from(["a", "b", "-3", "3"]), unique=True, min_size=1),
    "point": st.lists(st.floats(-200, 200), min_size=3, max_size=3),
}


def test_every_type_of_field_has_answers_to_try() -> None:
    assert sorted(KINDS.keys() - ANSWERS) == []


@st.composite
def two_verdicts(draw: st.DrawFn) -> tuple[str, list[tuple[Any, str | None]]]:
    kind = draw(st.sampled_from(sorted(ANSWERS)))
    given = ANSWERS[kind].map(lambda answer: (answer, None)) | st.just((None, "quality"))
    return kind, [draw(given), draw(given)]


@given(two_verdicts())
def test_what_goes_to_the_reviewers_as_a_disagreement_is_one_in_the_report(
    case: tuple[str, list[tuple[Any, str | None]]],
) -> None:
    kind, verdicts = case
    rows = [Verdict(fields={} if reason else {"answer": answer}, not_assessable=reason) for answer, reason in verdicts]
    key = asdict(item("choice", type=kind))
    read = ReadItem(
        **key, id=1, key="i1", subject="s", category="", grounding="", prompt="", reference_version=0,
        text_only_answer="",
    )  # fmt: skip
    columns = [
        column_of(
            Member(number, str(number), "", None),
            {0: Entry(number, number, 1, None, "reading", 1, 1, "not_assessable" if reason else "answered",
                      answer=answer, not_assessable=reason)},
            (read,),
        )
        for number, (answer, reason) in enumerate(verdicts)
    ]  # fmt: skip

    assert differs(kind, rows) == (len({column.said[0] for column in columns}) > 1)
