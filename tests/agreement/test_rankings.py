"""Ranked lists: an accepted answer among the first k, overlaps, rank-biased overlap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import (
    overlap_at_k,
    rank_biased_overlap,
    rank_of_accepted,
    ranking_accuracy,
    ranking_agreement,
    wilson_interval,
)
from protocol.fields.kind import Reference
from protocol.fields.ranked import KIND

lists = st.lists(st.sampled_from("abcdefg"), unique=True, min_size=1, max_size=7)


def extrapolated(a, b, p):
    """The agreement at every depth, assumed where a list has ended, weighted and summed to a depth of 2000."""
    short, longer = sorted((a, b), key=len)
    s, length = len(short), len(longer)
    x_s = len(set(short) & set(longer[:s]))
    total, agreement = 0.0, 0.0
    for d in range(1, 2001):
        if d <= length:
            overlap = len(set(short[:d]) & set(longer[:d]))
            agreement = (overlap + (x_s * (d - s) / s if d > s else 0)) / d
        total += (1 - p) * p ** (d - 1) * agreement
    return total


@given(lists, lists, st.sampled_from([0.3, 0.8, 0.9, 0.98]))
def test_rank_biased_overlap_is_the_weighted_sum_over_all_depths(a, b, p):
    assert rank_biased_overlap(a, b, p) == pytest.approx(extrapolated(a, b, p), abs=1e-9)


@given(lists, lists)
def test_rank_biased_overlap_is_symmetric_and_between_0_and_1(a, b):
    value = rank_biased_overlap(a, b)

    assert value == pytest.approx(rank_biased_overlap(b, a), abs=1e-12)
    assert -1e-12 <= value <= 1 + 1e-12
    assert rank_biased_overlap(a, a) == pytest.approx(1.0)


def test_rank_biased_overlap_is_that_of_another_program():
    # b4ny4n/rankmeasures (Scala), README: RBO.eval(List(1, 2, 3, 4, 5), List(2, 3, 4, 1, 5), 0.9) is 0.828
    assert rank_biased_overlap([1, 2, 3, 4, 5], [2, 3, 4, 1, 5], 0.9) == pytest.approx(0.828, abs=1e-12)


def test_lists_that_have_nothing_in_common():
    assert rank_biased_overlap(["a"], ["b"]) == 0.0
    assert overlap_at_k([], ["b"], 3) == 0.0


@pytest.mark.parametrize(
    ("compare", "a", "b", "named"),
    [
        (rank_biased_overlap, [], ["b"], "a is empty"),
        (rank_biased_overlap, ["a"], [], "b is empty"),
        (overlap_at_k, [], [], "a and b are both empty"),
    ],
)
def test_lists_of_which_nothing_can_be_said_are_refused(compare, a, b, named):
    with pytest.raises(ValueError, match=named):
        compare(a, b, **({"k": 3} if compare is overlap_at_k else {}))


def test_a_pair_of_which_nothing_can_be_said_is_left_out():
    both = ranking_agreement([[[], ["a"]], [["a"], ["a"]], [[], []], [["b"], ["b"]]], (1,), resamples=50)

    assert (both.rank_biased_overlap.n, both.rank_biased_overlap.value) == (2, pytest.approx(1.0))
    assert (both.overlap[1].n, both.overlap[1].value) == (3, pytest.approx(2 / 3))


def test_overlap_counts_what_the_longer_list_adds_as_not_in_common():
    assert overlap_at_k(list("abc"), list("bcd"), 3) == pytest.approx(2 / 3)
    assert overlap_at_k(list("abc"), list("cba"), 2) == 0.5
    assert overlap_at_k(["a"], list("ab"), 5) == 0.5


def test_a_line_written_twice_counts_at_its_first_place():
    assert overlap_at_k(["a", "a", "b"], ["a", "b"], 2) == 1.0
    assert rank_biased_overlap(["a", "a", "b"], ["a", "b"]) == pytest.approx(1.0)


def test_the_first_accepted_line_counts_as_the_field_scores_it():
    for ranking in (["a", "b", "c"], ["c", "b"], ["x"], []):
        mark = KIND.score(ranking, Reference(accepted=["b", "c"]), [])
        assert rank_of_accepted(ranking, ["b", "c"]) == mark.rank


def test_accepted_within_k_and_reciprocal_rank_by_hand():
    rankings = [["a", "b", "c"], ["b", "a"], ["c", "b", "x", "a"], ["x"], None, ["a"]]
    reference = ["a", ["a", "z"], {"a"}, "a", "a", None]

    result = ranking_accuracy(rankings, reference, (1, 2, 5), resamples=200)

    assert [result.within[k].value for k in (1, 2, 5)] == [0.25, 0.5, 0.75]
    assert result.reciprocal_rank.value == pytest.approx((1 + 1 / 2 + 1 / 4 + 0) / 4)
    assert result.within[1].low == wilson_interval(1, 4).low
    assert "2 without a list or a reference left out" in result.within[1].method


def test_the_share_within_k_never_falls_with_k():
    rng = np.random.default_rng(1)
    rankings = [rng.permutation(list("abcdef")).tolist() for _ in range(50)]

    within = ranking_accuracy(rankings, ["a"] * 50, range(1, 7), resamples=20).within

    values = [within[k].value for k in range(1, 7)]
    assert values == sorted(values)
    assert values[-1] == 1.0


def test_agreement_of_three_raters_is_the_mean_over_their_pairs():
    rng = np.random.default_rng(2)
    table = [[rng.permutation(list("abcd")).tolist() for _ in range(3)] for _ in range(15)]

    result = ranking_agreement(table, (1, 2), 0.8, resamples=100)

    pairs = [[(row[j], row[k]) for j in range(3) for k in range(j)] for row in table]
    assert result.overlap[1].value == pytest.approx(np.mean([[x[0] == y[0] for x, y in row] for row in pairs]))
    assert result.overlap[2].value == pytest.approx(
        np.mean([[len({*x[:2]} & {*y[:2]}) / 2 for x, y in row] for row in pairs])
    )
    assert result.rank_biased_overlap.value == pytest.approx(
        np.mean([[extrapolated(x, y, 0.8) for x, y in row] for row in pairs])
    )


def test_empty_lists_of_both_raters_are_not_compared():
    result = ranking_agreement([[[], []], [["a"], ["a"]]], (1,), resamples=20)

    assert result.overlap[1].value == 1.0
    assert result.overlap[1].n == 1


def test_what_is_no_list_depth_or_persistence_is_refused():
    with pytest.raises(ValueError, match="ranking holds 'a'"):
        ranking_accuracy(["a"], ["a"])
    with pytest.raises(ValueError, match="ks is 0; expected a whole number of at least 1"):
        ranking_accuracy([["a"]], ["a"], (0,))
    with pytest.raises(ValueError, match=r"k is 1\.5"):
        overlap_at_k(["a"], ["a"], 1.5)
    with pytest.raises(ValueError, match="p is 1"):
        rank_biased_overlap(["a"], ["a"], 1)


@pytest.mark.parametrize("wrong", [True, np.True_])
def test_a_depth_that_is_a_truth_value_is_refused(wrong):
    with pytest.raises(ValueError, match=r"k is .*True.*; expected a whole number of at least 1"):
        overlap_at_k(["a"], ["a"], wrong)
