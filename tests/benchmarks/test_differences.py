"""The level of differences is counted from samples in which there is none."""

import pytest

from benchmarks import differences


@pytest.mark.parametrize("case", differences.CASES)
@pytest.mark.parametrize("clustered", [False, True])
def test_a_difference_that_is_not_there_is_seldom_seen(case, clustered):
    excluded = differences.level(case, 60, clustered, "percentile", 30).split(" ")[0]

    assert 0.0 <= float(excluded) <= 30.0
