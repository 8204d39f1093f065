"""The warning of values that are nearly all alike counts what is resampled: items, or clusters."""

import numpy as np
import pytest

from agreement import paired_difference
from agreement.cautions_of_shape import nearly_constant
from agreement.contrast import difference_of_parts

OF_CLUSTERS = "fewer than 5 clusters have a value other than the most frequent one: the interval is uncertain"
OF_UNITS = "fewer than 5 differ from the most frequent value: the interval is uncertain"


def first_differ(number, n=120):
    return (np.arange(n) < number).astype(float)


@pytest.mark.parametrize(
    ("differing", "each", "warning"),
    [(20, 5, OF_CLUSTERS), (25, 5, None), (4, 1, OF_UNITS), (5, 1, None), (20, None, None), (4, None, OF_UNITS)],
)
def test_a_paired_difference_is_warned_of_where_few_clusters_differ_however_many_items_they_hold(
    differing, each, warning
):
    first = first_differ(differing)
    clusters = None if each is None else np.arange(first.size) // each

    estimate = paired_difference(first, np.zeros(first.size), clusters=clusters, resamples=200, seed=1)

    assert [text for text in (OF_UNITS, OF_CLUSTERS) if text in (estimate.warning or "")] == (
        [warning] if warning else []
    )


def test_numbers_that_differ_in_every_one_of_a_few_clusters_are_not_called_alike():
    assert nearly_constant(np.arange(12.0), np.repeat(np.arange(4), 3)) is None


@pytest.mark.parametrize("clustered", [False, True])
def test_of_two_parts_the_warning_says_that_it_is_of_one_of_them(clustered):
    values = np.r_[first_differ(3, 60), first_differ(30, 60)]
    clusters = np.tile(np.arange(60), 2) if clustered else None

    estimate = difference_of_parts(values, np.arange(120) < 60, clusters=clusters, resamples=200, seed=1)

    assert "in one of the two parts, fewer than 5" in estimate.warning
    assert estimate.warning.count("uncertain") == 1
