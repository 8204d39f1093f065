"""Chance floor, text-only floor, Shortcut Score; exact match and token F1."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import (
    chance_floor,
    exact_match,
    normalise_answer,
    paired_shortcut_score,
    shortcut_score,
    text_only_floor,
    token_f1,
)


def test_chance_floor_of_the_items_read_in_neuroqa():
    # 73 yes/no and 17 four-option items: (73 / 2 + 17 / 4) / 90 = 40.75 / 90
    estimate = chance_floor([2] * 73 + [4] * 17 + [None] * 10)

    assert estimate.value == pytest.approx(40.75 / 90, abs=1e-15)
    assert estimate.n == 90
    assert math.isnan(estimate.low)
    assert "without sampling error" in estimate.undefined_because
    assert "10 open without options left out" in estimate.method


def test_a_guess_is_right_as_often_as_options_are_accepted():
    # Two of four, one of two, and an open item: (1/2 + 1/2) / 2
    estimate = chance_floor([4, 2, None], right=[2, 1, 0])

    assert (estimate.value, estimate.n) == (0.5, 2)
    assert "number of right options / number of options" in estimate.method


@pytest.mark.parametrize("right", [[3], [-1], [0.5], [None], [1, 1]])
def test_a_number_of_right_options_that_is_none_is_refused(right):
    with pytest.raises(ValueError, match="right"):
        chance_floor([2], right=right)


def test_open_items_alone_have_no_chance_floor():
    estimate = chance_floor([None, 0])

    assert math.isnan(estimate.value)
    assert estimate.undefined_because == "no item has options to guess from"


@pytest.mark.parametrize("options", [[1], [2.5], [-1], ["2"]])
def test_a_number_of_options_that_is_none_is_refused(options):
    with pytest.raises(ValueError, match="options holds"):
        chance_floor(options)


def test_text_only_floor_of_neuroqa_with_its_own_rates():
    # 57.4 % of 73 yes/no and 38.1 % of 17 choices: 53.8 %
    estimate = text_only_floor([0.574] * 73 + [0.381] * 17)

    assert round(100 * estimate.value, 1) == 53.8


def test_shortcut_score_of_neuroqa():
    assert round(shortcut_score(43.7, 49.4).value, 2) == 1.11
    assert shortcut_score(0.437, 0.494, oracle=1).value == pytest.approx(shortcut_score(43.7, 49.4).value)
    assert shortcut_score(100, 50).value == 0.0
    assert shortcut_score(40, 100).undefined_because == "the floor is right on all: there is nothing to gain"
    with pytest.raises(ValueError, match="acc is 120"):
        shortcut_score(120, 50)


def test_paired_shortcut_score_is_the_score_of_the_two_accuracies_on_the_same_items():
    reader = [1, 0, 1, 1, 0, None, 0, 1]
    floor = [1, 0, 0, 1, 0, 1, 0, None]

    estimate = paired_shortcut_score(reader, floor, clusters=list("aabbccdd"), seed=3)

    # on the six items answered by both: reader 3/6 right, floor 2/6 right: (1 - 1/2) / (1 - 1/3) = 3/4
    assert estimate.value == pytest.approx(3 / 4)
    assert estimate.value == pytest.approx(shortcut_score(50.0, 100 / 3).value)
    assert estimate.n == 6
    assert estimate.n_clusters == 4
    assert "2 not answered by both left out" in estimate.method


def test_pairing_narrows_the_interval_of_a_reader_who_errs_with_the_floor():
    floor = [1, 0] * 40
    with_floor = [1, 0] * 39 + [0, 1]
    against_floor = [0, 1] * 39 + [1, 0]

    together = paired_shortcut_score(with_floor, floor)
    apart = paired_shortcut_score(against_floor, floor)

    assert together.value == apart.value == 1.0
    assert together.high - together.low < 0.3 * (apart.high - apart.low)


def test_a_floor_that_is_always_right_leaves_nothing_to_gain():
    estimate = paired_shortcut_score([1, 0], [1, 1])

    assert math.isnan(estimate.value)
    assert "there is nothing to gain" in estimate.undefined_because
    assert math.isnan(paired_shortcut_score([None], [1]).value)


def test_wrong_correctness_is_named():
    with pytest.raises(ValueError, match="floor_correct holds 2 at position 1"):
        paired_shortcut_score([1, 0], [1, 2])
    with pytest.raises(ValueError, match=r"correct has shape \(1,\) and floor_correct has shape \(2,\)"):
        paired_shortcut_score([1], [1, 0])


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("The  Left, frontal lobe!", "left frontal lobe"),
        ("an apple a day", "apple day"),
        ("T2-FLAIR", "t2flair"),
        ("theory of a gland", "theory of gland"),
        ("the", ""),
        ("5.3 mm", "53 mm"),
    ],
)
def test_answers_are_normalised_as_in_squad_2(text, normalised):
    assert normalise_answer(text) == normalised


def test_exact_match_takes_any_accepted_answer():
    assert exact_match("the Frontal lobe.", ["temporal lobe", "frontal lobe"]) == 1.0
    assert exact_match("left frontal lobe", "frontal lobe") == 0.0


def test_token_f1_by_hand():
    # tokens left frontal lobe tumour / frontal lobe: 2 common, P = 2/4, R = 2/2 -> 2/3
    assert token_f1("left frontal lobe tumour", "the frontal lobe") == pytest.approx(2 / 3)
    # repeated tokens count as often as in both: "left left right" / "left right right": 2 common of 3 and 3
    assert token_f1("left left right", "left right right") == pytest.approx(2 / 3)
    assert token_f1("left", ["right", "left side"]) == pytest.approx(2 / 3)


def test_two_empty_answers_are_equal_and_one_empty_answer_is_not():
    assert token_f1("", "") == token_f1("the", "") == exact_match("", []) == 1.0
    assert token_f1("", "lobe") == token_f1("lobe", "") == token_f1("lobe", []) == 0.0


def test_a_missing_answer_is_not_a_wrong_one():
    with pytest.raises(ValueError, match="prediction is None; expected text"):
        token_f1(None, "lobe")
    with pytest.raises(ValueError, match="reference is 3"):
        exact_match("3", 3)


def test_equal_overlaps_are_equal_numbers_and_tie_in_ranks():
    # 2 * 2 / (5 + 5) and 2 * 1 / (1 + 4); from precision and recall the first would be 0.4000000000000001
    assert token_f1("a1 a2 b3 b4 b5", "a1 a2 c3 c4 c5") == token_f1("a1", "a1 c2 c3 c4") == 0.4


@given(st.text(max_size=30), st.text(max_size=30))
def test_token_f1_is_symmetric_bounded_and_1_for_an_exact_match(first, second):
    score = token_f1(first, second)

    assert 0.0 <= score <= 1.0
    assert score == token_f1(second, first)
    assert token_f1(first, first) == 1.0
    assert exact_match(first, second) <= score


@pytest.mark.parametrize("options", [[float("inf")], [[2]]])
def test_an_endless_number_of_options_and_a_list_are_refused(options):
    with pytest.raises(ValueError, match="options holds"):
        chance_floor(options)


@pytest.mark.parametrize(("acc", "floor", "name"), [("43.7", 49.4, "acc"), (43.7, None, "floor"), (43.7, 120, "floor")])
def test_an_accuracy_that_is_none_is_refused_by_name(acc, floor, name):
    with pytest.raises(ValueError, match=f"{name} is"):
        shortcut_score(acc, floor)


def test_a_shortcut_score_of_proportions_without_their_oracle_is_refused():
    with pytest.raises(ValueError, match=r"acc and floor are 0\.4 and 0\.5, both at most 1; expected percent"):
        shortcut_score(0.4, 0.5)


def test_an_undefined_accuracy_has_no_shortcut_score():
    assert shortcut_score(math.nan, 50).undefined_because == "one of the accuracies is undefined"


def test_of_several_accepted_answers_those_without_tokens_are_passed_over_as_in_the_script_of_squad_2():
    # its gold answers are those with normalize_answer(text), and [""] where none is left
    assert exact_match("", ["the", "lobe"]) == token_f1("", ["the", "lobe"]) == 0.0
    assert exact_match("", ["the", "a"]) == token_f1("", ["the", "a"]) == 1.0


def test_only_text_is_normalised_and_a_mapping_is_no_list_of_answers():
    with pytest.raises(ValueError, match="text is None"):
        normalise_answer(None)
    with pytest.raises(ValueError, match=r"reference is \{'lobe': 1\}"):
        exact_match("lobe", {"lobe": 1})


def test_options_of_the_interval_are_checked_even_without_items():
    for call in (
        lambda **options: text_only_floor([], **options),
        lambda **options: paired_shortcut_score([], [], **options),
    ):
        with pytest.raises(ValueError, match="confidence is 3"):
            call(confidence=3)
        with pytest.raises(ValueError, match="resamples is 0"):
            call(resamples=0)
