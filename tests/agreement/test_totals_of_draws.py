"""Totals of resamples that are made without counting the units are those of the same units."""

import numpy as np

from agreement.drawing import drawn_units, generator_of
from agreement.totals_of_draws import totals_of_one


def test_the_numbers_of_the_units_drawn_are_added_up_and_what_is_constant_is_counted():
    rows = np.column_stack([np.random.default_rng(3).normal(size=700), np.ones(700), np.full(700, 0.25)])

    totals = totals_of_one(rows, 90, generator_of(5))

    (drawn,) = drawn_units(generator_of(5), 700, 90, 700 * 90)
    np.testing.assert_allclose(totals, rows[drawn].sum(axis=1), rtol=1e-13)
