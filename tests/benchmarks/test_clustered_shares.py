"""What the table of shares in clusters says, on fewer samples with a fixed seed."""

import numpy as np
import pytest

from benchmarks.clustered_shares import (
    ALIKE,
    KINDS,
    LEVELS,
    OF_SHARE,
    OF_SHARES,
    Counted,
    beta,
    compare,
    count,
    design,
    limits,
    log_odds,
    of_two,
    row,
)
from benchmarks.designs import holding

HOLDS = 0.93 - 2 * np.sqrt(0.93 * 0.07 / 2_000)


def counted(chances, size: str, clusters: int) -> Counted:
    """The cell of 2,000 samples."""
    return count(chances, OF_SHARES[size](clusters), 2_000, np.random.default_rng(8))


def test_the_default_holds_in_twenty_large_clusters_whose_items_are_very_alike_and_drawing_by_items_does_not():
    cell = counted(log_odds(5.5, 3.0), "30", 20)

    assert cell.held["scattered"] < HOLDS <= cell.held["default"]
    assert cell.width["default"] < 1.15 * cell.width["scattered"]


def test_where_a_tenth_of_twenty_large_clusters_is_wrong_the_default_holds_or_warns():
    cell = counted(of_two(0.1, 0.3, 0.99), "30", 20)

    assert cell.held["default"] < 0.9 < cell.heard


def test_where_items_are_not_alike_the_default_is_hardly_wider_than_drawing_by_items():
    cell = counted(ALIKE["0"][LEVELS.index(0.9)], "10", 30)

    assert cell.held["default"] >= 0.95
    assert cell.width["default"] < 1.03 * cell.width["scattered"]


def test_limits_that_are_not_those_of_the_library_stop_the_run():
    sizes, right = np.full(12, 5), np.array([[5, 4, 4, 5] * 3])
    low, high = limits(right, sizes)["default"]

    compare(right, sizes, (low, high), [False])
    with pytest.raises(AssertionError):
        compare(right, sizes, (low, high + 1e-6), [False])
    with pytest.raises(AssertionError):
        compare(right, sizes, (low, high), [True])


def test_the_mean_of_normal_log_odds_is_that_of_many_clusters():
    chances = log_odds(5.5, 3.0)

    assert chances.draw((1_000, 400), np.random.default_rng(1)).mean() == pytest.approx(chances.mean, abs=0.001)


def test_a_row_counts_the_cells_in_which_a_kind_holds_too_seldom():
    held = dict.fromkeys(KINDS, 0.95) | {"linear": 0.9}
    width = dict.fromkeys(KINDS, 0.2) | {"anova, z": 0.1, "linear": 0.01}
    cells = [Counted(held, width, 0.04, 0.89), Counted(held, width, 0.2, 0.96)]

    assert row([(cell, cells) for cell in cells], 4_000).split(" | ") == [
        "2", *["95.0 to 95.0, 0"] * 5, "90.0 to 90.0, 2", "95.0 to 95.0, 0", "12, 20", "89.0, 1", "1.00, 1.00",
        *["2.00, 2.00, 2"] * 3,
    ]  # fmt: skip


def test_what_is_narrower_where_items_are_not_alike_fails_in_the_same_clusters_where_they_are():
    number = LEVELS.index(0.97)

    cells = design("0", number, 20, "10", 2_000)

    assert cells[0].width_ratio(HOLDS) > 1.15
    assert cells[0].width_ratio(HOLDS, holding(cells, HOLDS, OF_SHARE)) < 1.15


def test_a_design_of_other_populations_has_their_share():
    sizes = np.full(20, 10)
    other = ALIKE["of two kinds"][0]

    cells = design("of two kinds", 0, 20, "10", 2_000)

    assert len(cells) == 4
    assert cells[0].held == count(beta(other.mean, 0.0), sizes, 2_000, np.random.default_rng([4, 20, 100, 2])).held


def test_where_small_clusters_have_twice_the_errors_the_likelihood_is_of_something_else_than_the_share_of_items():
    sizes, rng = OF_SHARES["1, 1, 1, 40"](50), np.random.default_rng(8)
    wrong = np.where(sizes == 1, 2.0, 1.0)
    wrong *= 0.2 * sizes.sum() / (wrong * sizes).sum()
    right = rng.binomial(sizes, rng.beta(2 * (1 - wrong), 2 * wrong, (2_000, 50)))

    holds = {kind: np.mean((low <= 0.8) & (high >= 0.8)) for kind, (low, high) in limits(right, sizes).items()}

    assert holds["likelihood"] < 0.7
    assert holds["default"] >= HOLDS
