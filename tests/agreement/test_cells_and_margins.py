"""Counts of pairs of values that tables of the same rater share: their margins are added up once."""

from itertools import combinations

import numpy as np
import pytest

from agreement import ClusterDraw, spearman
from agreement.cells_and_margins import with_last_cells, without_last_cells

RNG = np.random.default_rng(6)
CLUSTERS = np.arange(21_000) // 35
STEPS = RNG.integers(0, 4, (3, CLUSTERS.size)).astype(float)


@pytest.mark.parametrize("grid", [(4, 4), (2, 5), (1, 3), (1, 1)])
def test_the_last_row_and_column_follow_from_the_others_and_the_margins(grid):
    cells = grid[0] * grid[1]
    counts = RNG.integers(0, 5, (cells + 2, 7)).astype(np.int8)

    fewer = without_last_cells(counts, grid, 127)

    assert fewer.shape == counts.shape
    assert (with_last_cells(fewer.T.astype(float), grid) == counts.T).all()


def test_margins_of_units_with_more_than_fit_into_a_byte_are_not_taken():
    assert without_last_cells(np.full((4, 1), 32, dtype=np.int8), (2, 2), 127) is None


def test_rank_correlations_of_a_raters_pairs_take_the_raters_values_once():
    draw = ClusterDraw(CLUSTERS, resamples=50, seed=1)

    for pair in combinations(STEPS, 2):
        spearman(*pair, **draw.by())

    # all, three steps of each of three raters, and three times three of each of three pairs
    assert len(draw._known) == 1 + 3 * 3 + 3 * 9


@pytest.mark.parametrize("missing", [0, 50])
def test_a_rank_correlation_has_the_limits_of_the_counts_of_all_cells(missing):
    first, second = STEPS[0].copy(), STEPS[1]
    first[:missing] = np.nan
    draw = ClusterDraw(CLUSTERS, resamples=200, seed=1)
    cells = (4.0 * first + second)[:, None] == np.arange(16.0)
    totals = draw.totals(np.array([cells[CLUSTERS == cluster].sum(axis=0) for cluster in range(600)], dtype=float))

    estimate = spearman(first, second, **draw.by(), interval="percentile")

    ranks = [np.zeros((200, 4)) for _ in range(2)]
    table = totals.reshape(200, 4, 4)
    for axis, rank in zip((2, 1), ranks, strict=True):
        times = table.sum(axis=axis)
        rank[:] = np.cumsum(times, axis=1) - times / 2 - times.sum(axis=1, keepdims=True) / 2
    together = np.einsum("rab,ra,rb->r", table, *ranks)
    of_each = [(table.sum(axis=axis) * rank**2).sum(axis=1) for axis, rank in zip((2, 1), ranks, strict=True)]
    values = together / np.sqrt(of_each[0] * of_each[1])
    assert (estimate.low, estimate.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=1e-14)
