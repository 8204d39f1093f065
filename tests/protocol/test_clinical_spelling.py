"""What a neuroradiologist calls the same is the same answer, and what he would tell apart is not."""

from __future__ import annotations

import pytest

from protocol.fields import KINDS
from protocol.fields import text as words
from protocol.fields.kind import Reference
from protocol.forms import FormField


def same(answer: str, other: str) -> bool:
    return words.canonical(answer) == words.canonical(other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("T2-FLAIR mismatch", "T2 FLAIR mismatch"), ("T2FLAIR", "t2 - flair"), ("T1w", "T1-weighted"),
        ("T2* weighted", "T2*w"), ("PD-weighted", "PDw"), ("T1 and T2 weighted", "T1- and T2-weighted"),
    ],
)  # fmt: skip
def test_a_sequence_has_one_spelling(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("T2 FLAIR", "T2, FLAIR"), ("T2 FLAIR", "T2 and FLAIR"), ("T2-FLAIR", "T1-FLAIR"), ("T2-FLAIR", "FLAIR"),
        ("T2*w", "T2w"), ("T1w", "T1"), ("T1 w/ contrast", "T1-weighted contrast"), ("T1w", "PDw"),
    ],
)  # fmt: skip
def test_two_sequences_are_not_one(answer: str, other: str) -> None:
    assert not same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("L4/5", "L4-5"), ("L4/5", "L4/L5"), ("L4/5", "L4\u2013L5"), ("L4/5", "L4L5"), ("L4/5", "L4 - L5"),
        ("disc at C5-6.", "disc at C5/C6"), ("Th10/11", "T10-11"), ("Th10", "T10"), ("Th12/L1", "T12-L1"),
        ("L5/S1", "L5-S1"), ("L5 / S1", "L5S1"), ("C7/Th1", "C7-T1"), ("L3-5", "L3-L5"),
    ],
)  # fmt: skip
def test_a_level_of_the_spine_has_one_spelling(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("L4/5", "L3/4"), ("L4/5", "C4/5"), ("L4/5", "L4 and L5"), ("L4/5", "L4, L5"), ("L4/5", "L45"), ("L4/5", "L4"),
        ("L4/5", "L 4/5"), ("L3-L5", "L3/L5"), ("L3-5", "L3, L5"), ("L4-6", "L4/5"), ("L5/S1", "L5"), ("L4/5", "4/5"),
        ("L4/5/S1", "L4/5 S1"), ("T1-T2*", "T1-2"), ("Th13", "T13"), ("T2-3 mm", "T2/T3 mm"), ("L5/4", "L4/5"),
    ],
)  # fmt: skip
def test_another_level_or_two_vertebrae_are_another_answer(answer: str, other: str) -> None:
    assert not same(answer, other)


@pytest.mark.parametrize(
    "answer", ["max 5 mm", "max. 5mm", "maximum 5 mm", "Maximum of 5 mm", "up to 5 mm", "at most 5 mm", "\u2264 5 mm",
               "no more than 5 mm", "not more than 5 mm", "5 mm or less", "5 mm at most", "5 mm max.", "<=5 mm"],
)  # fmt: skip
def test_an_upper_bound_has_one_spelling(answer: str) -> None:
    assert same(answer, "\u22645 mm")


@pytest.mark.parametrize("answer", ["min 5", "min. 5", "minimum of 5", "at least 5", "no fewer than 5", "5 or more"])
def test_a_lower_bound_has_one_spelling(answer: str) -> None:
    assert same(answer, "\u22655")


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("up to 5", "less than 5"), ("at least 5", "more than 5"), ("max 5", "min 5"), ("max 5", "5"),
        ("5 min", "at least 5"), ("SUV max 5", "SUV at most 5"), ("maximum diameter 5 mm", "diameter at most 5 mm"),
        ("over 5 years", "more than 5 years"), ("max 5", "max 6"),
    ],
)  # fmt: skip
def test_another_bound_a_time_and_a_measured_maximum_are_other_answers(answer: str, other: str) -> None:
    assert not same(answer, other)


@pytest.mark.parametrize("answer", ["less than 5 mm", "fewer than 5mm", "< 5 mm"])
def test_less_than_has_one_spelling(answer: str) -> None:
    assert same(answer, "<5 mm")


@pytest.mark.parametrize(("answer", "other"), [("SUV max 5", "SUVmax 5"), ("T max > 6 s", "Tmax >6 s")])
def test_a_measured_maximum_has_one_spelling(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"), [("50 %", "50"), ("50 percent", "50 %"), ("50 per cent", "50%"), ("12.50 pct.", "12,5 %")]
)
def test_a_percentage_has_one_spelling(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize(("answer", "other"), [("50 %", "50 mm"), ("50 %", "0.5"), ("50 percentile", "50 %")])
def test_what_is_no_percentage_differs_from_one(answer: str, other: str) -> None:
    assert not same(answer, other)


def test_a_reference_in_percent_is_a_number_where_that_is_the_unit() -> None:
    asked = FormField(key="answer", type="number", label="Stenosis", unit="%", maximum=100)

    assert KINDS["number"].problem_of_reference(asked, Reference(("50 %",))) == ""
    assert KINDS["number"].problem_of_reference(asked, Reference(("150 %",)))
    assert KINDS["number"].score(50.0, Reference(("50 %",)), []).correct is True


@pytest.mark.parametrize("unit", ["mm", None])
def test_a_reference_in_percent_is_refused_of_another_unit(unit: str | None) -> None:
    asked = FormField(key="answer", type="number", label="Size", unit=unit)

    assert "'50 %'" in KINDS["number"].problem_of_reference(asked, Reference(("50 %",)))


@pytest.mark.parametrize(
    "answer", ["max 5", "max. 5 mm", "maximum of about 5", "min 5", "5 max", "5 mm maximum", "5 minimum", "L4/5",
               "Th5-6", "C4-5", "no more than 5"],
)  # fmt: skip
def test_a_bound_or_a_level_is_no_number_within_limits(answer: str) -> None:
    assert KINDS["text"].score(answer, Reference(low=4.0, high=6.0), []).correct is False


@pytest.mark.parametrize(
    "answer", ["maximum diameter 5 mm", "5 min", "SUV max 5", "SUVmax 5", "minimal shift, 5 mm", "5 mm at L4/L5",
               "5 percent", "C5/6: 5 mm"],
)  # fmt: skip
def test_a_measured_number_is_one_also_beside_a_level(answer: str) -> None:
    assert KINDS["text"].score(answer, Reference(low=4.0, high=6.0), []).correct is True


def test_each_text_is_spelled_once_however_often_it_is_compared() -> None:
    answers = [f"A meningioma of {size} mm at the falx" for size in range(20)]
    accepted = Reference(("meningioma of 7 mm at the falx", "falx meningioma"))
    words._remembered.cache_clear()

    for _ in range(50):
        for answer in answers:
            words.score(answer, accepted, ())

    assert words._remembered.cache_info().misses == len(answers) + len(accepted.accepted)


def test_the_spellings_that_are_remembered_are_bounded() -> None:
    assert words._remembered.cache_info().maxsize is not None
