"""How many human labels a judge's check needs: the least number that reaches a width or a power."""

import numpy as np
import pytest
from scipy import stats

from agreement import (
    judge_direction,
    labels_needed,
    wilson_interval,
)
from agreement.comparisons import paired_proportion_difference
from agreement.planning import _power, _power_within


def test_labels_for_a_width_are_the_least_that_reach_it():
    n = labels_needed(width=0.1, proportion=0.9)

    reached = wilson_interval(round(0.9 * n), n)
    assert reached.high - reached.low == pytest.approx(0.1, abs=0.002)
    assert labels_needed(width=0.1) > n
    assert labels_needed(width=0.1, proportion=0.9, design_effect=2) == 2 * n


def test_labels_for_a_power_reach_it_and_fewer_do_not():
    n = labels_needed(power=0.8, strict=0.1, lenient=0.02)

    assert _power(n, 0.1, 0.02, 0.05) >= 0.8
    assert _power(int(0.9 * n), 0.1, 0.02, 0.05) < 0.8
    assert labels_needed(power=0.9, strict=0.1, lenient=0.02) > n
    # who of the two is called strict does not matter
    assert labels_needed(power=0.8, strict=0.02, lenient=0.1) == n


def test_the_power_is_that_of_simulated_exact_tests():
    rng = np.random.default_rng(3)
    rejected = 0
    for _ in range(800):
        strict, lenient, _rest = rng.multinomial(120, [0.1, 0.03, 0.87])
        rejected += stats.binomtest(strict, strict + lenient).pvalue <= 0.05 if strict + lenient else False

    assert _power(120, 0.1, 0.03, 0.05) == pytest.approx(rejected / 800, abs=0.05)


def test_what_no_number_of_labels_can_tell_is_refused():
    with pytest.raises(ValueError, match="exactly one"):
        labels_needed()
    with pytest.raises(ValueError, match="no number of labels"):
        labels_needed(power=0.8, strict=0.1, lenient=0.1)
    with pytest.raises(ValueError, match="more than 10000000 labels"):
        labels_needed(power=0.8, strict=0.10001, lenient=0.1)


@pytest.mark.parametrize(
    ("strict", "lenient", "power", "confidence"), [(0.5, 0.1, 0.01, 0.5), (0.7, 0.3, 0.3, 0.95), (0.9, 0.1, 0.8, 0.9)]
)
def test_no_smaller_number_of_labels_keeps_the_power(strict, lenient, power, confidence):
    n = labels_needed(power=power, strict=strict, lenient=lenient, confidence=confidence)

    def reached(size):
        ahead = range(size, size + max(2, size // 10) + 1)
        return all(_power(more, strict, lenient, 1 - confidence) >= power for more in ahead)

    assert reached(n)
    assert not any(reached(size) for size in range(1, n))


def test_very_many_labels_are_found_to_a_quarter_of_a_percent():
    n = labels_needed(power=0.8, strict=0.02, lenient=0.017)

    assert _power(n, 0.02, 0.017, 0.05) >= 0.8
    assert _power(int(n * 0.995), 0.02, 0.017, 0.05) < 0.8


def test_a_direction_in_clusters_is_no_direction_by_an_exact_test_alone_and_asks_for_more_labels():
    human, judge = [1] * 12 + [1] * 60, [0] * 12 + [1] * 60
    subjects = [0] * 12 + list(range(1, 61))

    result = judge_direction(human, judge, clusters=subjects, seed=1)
    independent = judge_direction(human, judge)

    # twelve strict verdicts, all of one subject
    assert result.mcnemar_exact.p < 0.001
    assert result.direction == result.direction_by_interval == "undecided"
    assert independent.direction == "stricter"
    assert result.design_effect > 5
    assert result.labels_to_decide == pytest.approx(result.design_effect * independent.labels_to_decide, abs=1)


# ---- to show that there is no direction ------------------------------------------------------------------------------


def test_labels_to_show_no_direction_are_those_of_two_one_sided_tests_where_many_differ():
    # (1.96 + 1.2816)^2 x .4 / .05^2: z of .975, and of .9 for power .8 on both sides at once
    assert labels_needed(power=0.8, within=0.05, differing=0.4) == 1682


def test_without_a_single_disagreement_the_limits_lie_within_the_margin_from_a_known_number_on():
    # z^2 / (n + z^2) < .05 from n = z^2 (1 / .05 - 1) = 72.99 on
    assert labels_needed(power=0.8, within=0.05, differing=0) == 73


@pytest.mark.parametrize(("differing", "within"), [(0.01, 0.05), (0.05, 0.05), (0.1, 0.05), (0.1, 0.1), (0.39, 0.05)])
def test_so_many_labels_show_no_direction_with_the_power_and_by_the_interval_of_the_criterion(differing, within):
    n = labels_needed(power=0.8, within=within, differing=differing)
    rng = np.random.default_rng(8)
    tables = rng.multinomial(n, [0.6 - differing / 2, differing / 2, differing / 2, 0.4 - differing / 2], 500)

    intervals = [paired_proportion_difference(*map(int, table)) for table in tables]

    inside = np.mean([-within < each.low and each.high < within for each in intervals])
    # Newcombe's limits are a little nearer than Tango's where few differ
    assert 0.76 < inside and _power_within(n, within, differing, 1.959964) >= 0.8
    assert any(_power_within(fewer, within, differing, 1.959964) < 0.8 for fewer in range(int(0.9 * n), n))


def test_to_show_no_direction_takes_more_labels_than_to_notice_one_of_the_margin_and_more_in_clusters():
    shown = labels_needed(power=0.8, within=0.05, differing=0.1)

    assert shown > labels_needed(power=0.8, strict=0.075, lenient=0.025)
    assert labels_needed(power=0.8, within=0.05, differing=0.1, design_effect=2) == 2 * shown
    assert labels_needed(power=0.9, within=0.05, differing=0.1) > shown
