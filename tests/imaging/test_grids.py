"""Whether two files lie over each other, in millimetres."""

import numpy as np
import pytest

from imaging import Grid


def grid(shape=(10, 12, 8), spacing=(1.0, 1.0, 2.0), origin=(0.0, 0.0, 0.0)):
    affine = np.diag([*spacing, 1.0])
    affine[:3, 3] = origin
    return Grid(shape, affine.tolist())


@pytest.mark.parametrize(
    ("origin", "same"), [((0.0, 0.0, 0.0), True), ((0.4, 0.0, 0.0), True), ((0.0, 0.0, 0.6), False)]
)
def test_a_grid_lies_as_another_up_to_half_the_smallest_spacing(origin, same):
    assert grid().lies_as(grid(origin=origin)) is same


def test_a_grid_that_is_turned_about_its_corner_does_not_lie_as_it_was():
    turned = np.asarray(grid().affine)
    turned[:2, :2] = [[0.0, -1.0], [1.0, 0.0]]

    assert not grid().lies_as(Grid((10, 12, 8), turned.tolist()))


def test_another_number_of_voxels_is_another_grid():
    assert not grid().lies_as(grid(shape=(10, 12, 9)))


@pytest.mark.parametrize(
    ("other", "meet"),
    [
        (grid(origin=(9.4, 0.0, 0.0)), True),
        (grid(origin=(10.1, 0.0, 0.0)), False),
        # A slab of one slice, between the points at which a much larger grid is looked at.
        (grid(shape=(4, 4, 1), spacing=(1.0, 1.0, 0.1), origin=(3.0, 3.0, 7.3)), True),
        (grid(shape=(400, 400, 400), spacing=(5.0, 5.0, 5.0), origin=(-1000.0, -1000.0, -1000.0)), True),
    ],
)
def test_grids_meet_where_they_cover_a_place_in_common_whichever_is_asked(other, meet):
    assert grid().meets(other) is meet
    assert other.meets(grid()) is meet


def test_a_point_is_held_up_to_the_outer_edge_of_the_voxels():
    held = grid().holds([[-0.5, 0.0, 0.0], [-0.6, 0.0, 0.0], [9.5, 11.5, 15.0], [9.5, 11.5, 15.1]])

    assert held.tolist() == [True, False, True, False]
