"""Agreement and errors that two raters share: counted by hand, missing answers, clusters, wrong arguments."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import percent_agreement, shared_errors

ANSWERS = st.lists(
    st.tuples(st.sampled_from("LRM"), st.sampled_from("LRM"), st.booleans(), st.booleans()), min_size=1, max_size=30
)


def test_pandas_missing_values_are_missing_answers():
    result = shared_errors(
        pd.Series(["L", None, "R"], dtype="string"),
        pd.Series(["L", "R", "L"], dtype="string"),
        pd.Series([False, None, False], dtype="boolean"),
        pd.Series([False, True, False], dtype="boolean"),
    )

    assert result.n_missing == 1
    assert (result.n_both_wrong, result.n_same_wrong_answer) == (2, 1)
    assert result.same_wrong_answer.value == 0.5


def test_items_left_out_are_counted_in_the_method():
    result = shared_errors(["L", None, "R"], ["L", "R", "R"], [0, None, 1], [0, 0, 1])

    assert "1 without both answers left out" in result.both_wrong.method
    assert result.both_wrong.n == 2


def test_nobody_answered_nothing():
    result = shared_errors([], [], [], [])

    assert math.isnan(result.both_wrong.value)
    assert result.both_wrong.undefined_because == "no items"
    assert result.as_dict()["expected_both_wrong"] is None


def test_clusters_give_cluster_intervals():
    result = shared_errors(list("LLRRLR"), list("LRRRLL"), [0] * 6, [0, 1, 0, 1, 0, 0], clusters=list("aabbcc"))

    assert result.both_wrong.n_clusters == 3
    assert result.same_given_both_wrong.value == 3 / 4


@given(ANSWERS)
def test_the_counts_are_those_of_a_loop_and_do_not_depend_on_who_is_first(rows):
    a, b, right_a, right_b = (list(column) for column in zip(*rows, strict=True))

    result, swapped = shared_errors(a, b, right_a, right_b), shared_errors(b, a, right_b, right_a)

    both = [(x, y) for x, y, p, q in rows if not p and not q]
    assert result.n_both_wrong == len(both)
    assert result.n_same_wrong_answer == sum(x == y for x, y in both)
    assert result == swapped or (math.isnan(result.same_given_both_wrong.value) and not both)
    assert result.expected_both_wrong == pytest.approx((1 - np.mean(right_a)) * (1 - np.mean(right_b)), abs=1e-12)


def test_options_that_are_none_are_refused_with_and_without_clusters():
    for clusters in (None, [1, 2]):
        with pytest.raises(ValueError, match="interval is 'median'"):
            percent_agreement([1, 2], [1, 1], clusters=clusters, interval="median")
        with pytest.raises(ValueError, match="resamples is 0"):
            percent_agreement([1, 2], [1, 1], clusters=clusters, resamples=0)


def test_lengths_that_differ_are_refused_by_name():
    with pytest.raises(ValueError, match=r"answers_a has shape \(1,\) and correct_b has shape \(0,\)"):
        shared_errors(["L"], ["L"], [1], [])
