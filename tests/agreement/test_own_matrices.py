"""A weight matrix of a study's own as `weights=` of every coefficient that takes weights."""

import numpy as np
import pytest

from agreement import agreement_weights, brennan_prediger, cohen_kappa, conger_kappa, fleiss_kappa, gwet_ac

ORDER = ("none", "mild", "moderate", "severe")
OF_SEVERAL = (fleiss_kappa, conger_kappa, gwet_ac, brennan_prediger)


@pytest.fixture
def ratings():
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 4, 60)
    noisy = np.clip(truth[:, None] + rng.integers(-1, 2, (60, 3)), 0, 3)
    return np.array(ORDER, dtype=object)[noisy]


@pytest.mark.parametrize("coefficient", OF_SEVERAL)
@pytest.mark.parametrize("kind", ["linear", "quadratic"])
def test_the_matrix_of_a_named_weighting_gives_its_numbers(coefficient, kind, ratings):
    named = coefficient(ratings, weights=kind, categories=ORDER)

    own = coefficient(ratings, weights=agreement_weights(kind, 4), categories=ORDER)

    assert (own.value, own.low, own.high) == pytest.approx((named.value, named.low, named.high), abs=1e-12)
    assert own.name.endswith("own weights")
    assert own.warning is None


@pytest.mark.parametrize("kind", ["linear", "quadratic"])
def test_cohens_kappa_takes_the_matrix_too(kind, ratings):
    named = cohen_kappa(*ratings[:, :2].T, weights=kind, categories=ORDER)

    own = cohen_kappa(*ratings[:, :2].T, weights=agreement_weights(kind, 4), categories=ORDER)

    assert (own.value, own.se) == pytest.approx((named.value, named.se), abs=1e-12)


def test_a_matrix_as_nested_lists_over_clusters_is_bootstrapped(ratings):
    weights = [[1, 0.5, 0, 0], [0.5, 1, 0.5, 0], [0, 0.5, 1, 0.8], [0, 0, 0.8, 1]]
    subjects = np.repeat(np.arange(20), 3)

    estimate = conger_kappa(ratings, weights=weights, categories=ORDER, clusters=subjects, resamples=500)

    assert estimate.low < estimate.value < estimate.high
    assert estimate.n_clusters == 20


@pytest.mark.parametrize("coefficient", OF_SEVERAL)
def test_a_matrix_of_another_size_is_refused(coefficient, ratings):
    with pytest.raises(ValueError, match=r"weights has shape \(3, 3\); expected \(4, 4\)"):
        coefficient(ratings, weights=np.eye(3), categories=ORDER)


@pytest.mark.parametrize("coefficient", OF_SEVERAL)
def test_a_matrix_without_categories_is_refused(coefficient, ratings):
    with pytest.raises(ValueError, match="or a matrix with categories="):
        coefficient(ratings, weights=np.eye(4))


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(20), 3)], ids=["items", "clusters"])
@pytest.mark.parametrize("weights", ["linear", np.eye(4)], ids=["named", "own"])
@pytest.mark.parametrize("coefficient", [*OF_SEVERAL, lambda ratings, **given: cohen_kappa(*ratings[:, :2].T, **given)])
def test_weights_of_either_kind_have_no_adjusted_interval(coefficient, weights, clusters, ratings):
    given = {"weights": weights, "categories": ORDER, "clusters": clusters}

    assert "two items added" not in coefficient(ratings, **given, resamples=200).method
    with pytest.raises(ValueError, match="'adjusted', which does not apply here"):
        coefficient(ratings, **given, interval="adjusted")
