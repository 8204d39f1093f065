"""Places in mm: distances, hits of a radius and of a mask, and how far apart raters are."""

import math

import numpy as np
import pytest

from agreement import (
    distance_to_mask,
    distances_to_reference,
    localisation,
    percent_agreement,
    place_agreement,
    wilson_interval,
)
from agreement.places import place_of


def test_the_nearest_accepted_place_counts():
    places = [[0, 0, 0], (1, 2, 3), np.array([0.0, 0.0, 2.0])]
    reference = [[3, 4, 0], [[100, 0, 0], (1, 2, 5)], np.array([[0, 0, 9], [0, 0, 1]])]

    assert distances_to_reference(places, reference).tolist() == [5.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("place", "accepted"),
    [
        (None, [0, 0, 0]),
        ([math.nan, 0, 0], [0, 0, 0]),
        ([0, 0, 0], None),
        ([0, 0, 0], []),
        ([0, 0, 0, "Prior"], [0, 0, 0]),
    ],
)
def test_what_is_missing_or_in_a_world_of_its_own_has_no_distance(place, accepted):
    assert math.isnan(distances_to_reference([place], [accepted])[0])


def test_an_array_of_places_is_taken_as_it_is():
    rng = np.random.default_rng(1)
    places, reference = rng.normal(size=(20, 3)), rng.normal(size=(20, 3))

    assert distances_to_reference(places, reference) == pytest.approx(np.linalg.norm(places - reference, axis=1))


def test_the_distance_to_a_mask_is_that_to_its_nearest_voxel_in_a_rotated_volume():
    rng = np.random.default_rng(3)
    mask = rng.random((6, 5, 4)) < 0.1
    angle = 0.4
    affine = np.eye(4)
    affine[:3, :3] = np.array(
        [[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1]]
    ) @ np.diag([1.0, 1.5, 3.0])
    affine[:3, 3] = [-20, 10, 5]
    centres = {tuple(voxel): (affine @ [*voxel, 1])[:3] for voxel in np.ndindex(*mask.shape)}

    for voxel in [(0, 0, 0), (3, 2, 1), (5, 4, 3)]:
        at = centres[voxel]
        expected = min(math.dist(at, centres[other]) for other in centres if mask[other])
        assert distance_to_mask(at, mask, affine) == pytest.approx(expected, abs=1e-9)


def test_a_place_within_the_voxel_is_inside_and_one_beyond_the_volume_is_not():
    mask = np.zeros((2, 2, 2))
    mask[1, 1, 1] = 1

    assert distance_to_mask([1.49, 0.51, 1.0], mask, np.eye(4)) == 0.0
    assert distance_to_mask([3.0, 1.0, 1.0], mask, np.eye(4)) == 2.0
    assert distance_to_mask([-1.0, 1.0, 1.0], mask, np.eye(4)) == 2.0


def test_a_missing_place_and_an_empty_mask_have_no_distance():
    mask = np.ones((2, 2, 2))

    assert math.isnan(distance_to_mask(None, mask, np.eye(4)))
    assert math.isnan(distance_to_mask([0, 0, 0, "Prior"], mask, np.eye(4)))
    assert math.isnan(distance_to_mask([0, 0, 0], np.zeros((2, 2, 2)), np.eye(4)))


def test_a_mask_or_an_affine_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"mask has shape \(2, 2\)"):
        distance_to_mask([0, 0, 0], np.ones((2, 2)), np.eye(4))
    with pytest.raises(ValueError, match="expected an invertible matrix"):
        distance_to_mask([0, 0, 0], np.ones((2, 2, 2)), np.zeros((4, 4)))


def test_localisation_by_hand_with_wilsons_interval_of_the_hits():
    distances = [0.0, 1.0, 2.0, 3.0, 10.0, None]

    result = localisation(distances, 2.0, resamples=500)

    wilson = wilson_interval(3, 5)
    assert result.distance.value == pytest.approx(3.2)
    assert (result.hits.value, result.hits.low, result.hits.high) == (0.6, wilson.low, wilson.high)
    assert result.quartiles == (1.0, 2.0, 3.0)
    assert result.n_missing == 1
    assert "1 without a distance left out" in result.hits.method


def test_each_item_may_have_its_own_radius_and_a_radius_of_0_asks_for_the_inside():
    assert localisation([1.0, 4.0], [1.0, 3.9], resamples=50).hits.value == 0.5
    assert localisation([0.0, 0.1], 0, resamples=50).hits.value == 0.5


def test_the_interval_of_a_mean_distance_has_the_standard_error_of_a_mean():
    distances = np.random.default_rng(2).gamma(2.0, 3.0, 200)

    result = localisation(distances, 5.0, resamples=4000).distance

    assert result.se == pytest.approx(distances.std() / math.sqrt(200), rel=0.05)


def test_clusters_resample_subjects():
    distances = np.repeat(np.random.default_rng(2).gamma(2.0, 3.0, 20), 5)

    result = localisation(distances, 5.0, clusters=np.repeat(np.arange(20), 5), resamples=500)

    assert result.distance.n_clusters == result.hits.n_clusters == 20
    assert result.distance.se > 1.5 * localisation(distances, 5.0, resamples=500).distance.se


def test_no_places_have_no_localisation():
    result = localisation([None, None], 3.0)

    assert result.distance.undefined_because == "no items"
    assert all(math.isnan(value) for value in result.quartiles)
    assert result.as_dict()["quartiles"] == [None, None, None]
    assert result.as_dict()["undefined_because"] == result.undefined_because == "no item has a distance"


@pytest.mark.parametrize(
    ("distances", "radius", "message"),
    [
        ([-1.0], 1.0, "distances holds a negative"),
        ([1.0], -1.0, "radius holds a negative"),
        ([1.0], [None], "radius has no value"),
        ([1.0], [1.0, 2.0], r"expected the same items"),
        (["far"], 1.0, "not a number"),
    ],
)
def test_wrong_lengths_in_mm_are_refused(distances, radius, message):
    with pytest.raises(ValueError, match=message):
        localisation(distances, radius)


def test_raters_places_are_compared_pair_by_pair():
    rng = np.random.default_rng(5)
    places = rng.normal(0, 4, (30, 4, 3))

    result = place_agreement(places, radius=5.0, resamples=200)

    gaps = [
        [math.dist(item[j], item[k]) for j in range(4) for k in range(j)]
        for item in places
    ]  # fmt: skip
    assert result.distance.value == pytest.approx(np.mean(gaps))
    assert result.within.value == pytest.approx(np.mean(np.array(gaps) <= 5.0))


def test_places_in_different_panes_are_not_compared():
    table = [[[0, 0, 0], [0, 0, 9, "Prior"]], [[0, 0, 0, "Prior"], [0, 3, 4, "Prior"]]]

    result = place_agreement(table, resamples=50)

    assert result.distance.value == 5.0
    assert result.distance.n == 1
    assert result.within is None
    assert result.as_dict()["within"] is None


def test_two_raters_within_a_radius_is_their_percent_agreement_on_it():
    table = [[[0, 0, 0], [x, 0, 0]] for x in (1, 2, 3, 4)]

    near = place_agreement(table, radius=2, resamples=50).within

    assert near.value == percent_agreement([True] * 4, [x <= 2 for x in (1, 2, 3, 4)]).value


@pytest.mark.parametrize("wrong", ["here", [1, 2], [1, 2, 3, 4], [1, "x", 3], [1, 2, math.inf]])
def test_what_is_no_place_is_refused(wrong):
    with pytest.raises(ValueError, match="places holds"):
        place_of(wrong, "places")
