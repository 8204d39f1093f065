"""Marginal homogeneity, against statsmodels, fractions worked out by hand, and invariances."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import SquareTable

from agreement import marginal_homogeneity, mcnemar

EYES = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]

TABLES = st.lists(st.integers(0, 9), min_size=9, max_size=9).map(lambda cells: np.reshape(cells, (3, 3)))


def test_bhapkars_test_is_that_of_statsmodels():
    reference = SquareTable(np.array(EYES, dtype=float), shift_zeros=False).homogeneity(method="bhapkar")

    assert marginal_homogeneity(EYES).p == pytest.approx(reference.pvalue, rel=1e-10)


def test_the_marginal_difference_is_the_share_of_items_that_would_have_to_move():
    # right eye 1976, 2256, 2456, 789; left eye 1907, 2222, 2507, 841: 69 + 34 - 51 - 52, half of 206 among 7477
    assert marginal_homogeneity(EYES).value == 103 / 7477


def test_bhapkars_statistic_by_hand():
    # rows 6 5 4, columns 4 5 6, d = (2, 0); V + dd' = [[4, -2], [-2, 4]]: without = 4 * 4 / 12 = 4/3, of n = 15
    # statistic = (4/3) / (1 - 4/45) = 60/41
    table = [[3, 2, 1], [0, 3, 2], [1, 0, 3]]

    assert marginal_homogeneity(table).p == pytest.approx(stats.chi2.sf(60 / 41, 2), rel=1e-12)


def test_categories_never_confused_with_the_rest_take_no_part_in_the_test():
    # the third category is always agreed on: what is left is (6 - 5)^2 / 11 = 1/11, and (1/11) / (1 - 1/528)
    estimate = marginal_homogeneity([[18, 6, 0], [5, 16, 0], [0, 0, 3]])

    assert estimate.p == pytest.approx(stats.chi2.sf((1 / 11) / (1 - 1 / 528), 1), rel=1e-12)
    assert "chi2(1)" in estimate.method


def test_two_groups_never_confused_with_each_other_add_up():
    # 6 against 5 and 9 against 2: 1/11 + 49/11 = 50/11, of n = 60
    table = [[18, 6, 0, 0], [5, 10, 0, 0], [0, 0, 5, 9], [0, 0, 2, 5]]

    estimate = marginal_homogeneity(table)

    assert estimate.p == pytest.approx(stats.chi2.sf((50 / 11) / (1 - 50 / 660), 2), rel=1e-12)


def test_a_category_that_nobody_used_changes_nothing():
    table = np.array([[5, 3, 1], [0, 4, 2], [1, 1, 6]])
    wider = np.zeros((4, 4), dtype=int)
    wider[np.ix_([0, 1, 3], [0, 1, 3])] = table

    assert marginal_homogeneity(wider) == marginal_homogeneity(table)


def test_differences_that_all_go_one_way_have_no_test():
    estimate = marginal_homogeneity([[0, 5, 0], [0, 0, 0], [0, 0, 0]])

    assert estimate.value == 1.0
    assert estimate.p is None
    assert "singular" in estimate.undefined_because


def test_two_categories_are_tested_by_the_rule_of_mcnemar():
    for table in ([[50, 13], [1, 72]], [[50, 40], [20, 72]], [[3, 0], [0, 4]], [[3, 5], [5, 4]]):
        assert marginal_homogeneity(table).p == mcnemar(table[0][1], table[1][0]).p


def test_a_table_without_items_has_no_test():
    estimate = marginal_homogeneity([[0, 0], [0, 0]])

    assert math.isnan(estimate.value)
    assert estimate.p is None


@given(TABLES)
def test_the_test_does_not_depend_on_the_order_of_raters_or_categories(table):
    estimate = marginal_homogeneity(table)
    order = [2, 0, 1]

    for other in (marginal_homogeneity(table.T), marginal_homogeneity(table[np.ix_(order, order)])):
        assert other.value == pytest.approx(estimate.value, abs=1e-12, nan_ok=True)
        assert (other.p is None) == (estimate.p is None)
        if estimate.p is not None:
            assert other.p == pytest.approx(estimate.p, abs=1e-9)


@given(TABLES)
def test_counting_every_item_twice_leaves_the_difference_unchanged(table):
    assert marginal_homogeneity(2 * table).value == pytest.approx(
        marginal_homogeneity(table).value, abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], r"table has shape \(2, 3\); expected \(k, k\)"),
        ([[1]], r"table has shape \(1, 1\)"),
        ([[1, math.nan], [1, 1]], "table holds"),
        ([[1, -1], [1, 1]], "negative"),
        ([[1, "x"], [1, 1]], "not a count"),
    ],
)
def test_what_is_no_table_of_counts_is_refused(table, message):
    with pytest.raises(ValueError, match=message):
        marginal_homogeneity(table)


def test_a_confidence_outside_0_and_1_is_refused():
    with pytest.raises(ValueError, match="confidence is 2"):
        marginal_homogeneity([[1, 2], [3, 4]], confidence=2)


def test_two_categories_are_mcnemars_and_the_diagonal_is_homogeneous():
    assert marginal_homogeneity([[50, 13], [1, 72]]).p == pytest.approx(0.0018310546875)
    assert marginal_homogeneity([[5, 0, 0], [0, 3, 0], [0, 0, 2]]).p == 1.0
    assert marginal_homogeneity(np.zeros((3, 3))).undefined_because == "no items"


def test_marginal_homogeneity_of_stuarts_vision_data():
    eyes = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]

    estimate = marginal_homogeneity(eyes)

    # Bhapkar (1966): 11.976 on 3 degrees of freedom
    assert "chi2(3) = 11.98" in estimate.method
    assert estimate.p == pytest.approx(stats.chi2.sf(11.976, 3), abs=1e-5)
