"""Labels needed where several of them belong to one subject."""

import pytest

from agreement import labels_needed


def test_labels_of_whole_clusters_are_counted():
    # 141 independent labels, 5 to a subject with an intraclass correlation of .1: 197.4, 40 subjects
    assert labels_needed(width=0.1, proportion=0.9) == 141
    assert labels_needed(width=0.1, proportion=0.9, cluster_size=5, icc=0.1) == 200


def test_labels_of_a_cluster_that_say_the_same_count_as_a_single_label():
    assert labels_needed(width=0.1, proportion=0.9, cluster_size=4, icc=1) == 4 * 141


def test_clusters_without_correlation_cost_no_more_than_the_last_of_them():
    assert labels_needed(power=0.8, strict=0.1, lenient=0.01, cluster_size=3) - 3 < labels_needed(
        power=0.8, strict=0.1, lenient=0.01
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster_size": 0.5}, "cluster_size and icc are 0.5 and 0.0"),
        ({"cluster_size": 3, "icc": 2}, "cluster_size and icc are 3 and 2"),
        ({"cluster_size": 3, "design_effect": 2.0}, "expected one of them"),
    ],
)
def test_impossible_clusters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        labels_needed(width=0.1, **options)
