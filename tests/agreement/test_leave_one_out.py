"""The ceiling by counting all votes once, and by a consensus of the others for each rater."""

import numpy as np

from agreement import leave_one_out


def test_majorities_that_are_counted_are_those_of_a_consensus_for_each_rater():
    rng = np.random.default_rng(1)
    for case in range(40):
        n, raters, kinds = (int(rng.integers(low, high)) for low, high in ((1, 40), (2, 7), (2, 5)))
        table = rng.integers(0, kinds, (n, raters)).astype(float)
        table[rng.random(table.shape) < 0.3] = np.nan
        judge = rng.integers(0, kinds, n).astype(float)
        judge[rng.random(n) < 0.2] = np.nan
        options = {"categories": range(kinds), "fewest": 1 + case % 3, "resamples": 50}
        by_texts = {**options, "categories": [str(float(kind)) for kind in range(kinds)]}

        def texts(values):
            return [None if np.isnan(value) else str(value) for value in values]

        counted = leave_one_out(table, judge, **options)
        one_by_one = leave_one_out([texts(row) for row in table], texts(judge), **by_texts)

        assert str(counted) == str(one_by_one)
