"""What the width of a default is compared with, on cells that are written out."""

import pytest

from benchmarks import clustered_kappas, clustered_shares
from benchmarks.designs import holding, least_held

LEAST = least_held(4_000)


def share(held: dict[str, float], width: dict[str, float]) -> clustered_shares.Counted:
    """A cell of which kinds that are not named hold in .95 and are 1 wide."""
    kinds = clustered_shares.KINDS
    return clustered_shares.Counted(dict.fromkeys(kinds, 0.95) | held, dict.fromkeys(kinds, 1.0) | width)


def kappa(held: dict[str, float], width: dict[str, float]) -> clustered_kappas.Counted:
    """As of shares."""
    kinds = clustered_kappas.KINDS
    return clustered_kappas.Counted(dict.fromkeys(kinds, 0.95) | held, dict.fromkeys(kinds, 1.0) | width, 0.0)


def test_an_interval_has_to_hold_in_93_percent_less_two_standard_errors():
    assert least_held(4_000) == pytest.approx(0.9219, abs=1e-4)


def test_a_kind_that_fails_where_items_are_alike_is_not_compared_where_they_are_not():
    not_alike = share({}, {"anova, z": 0.5})
    alike = share({"anova, z": 0.6}, {"anova, z": 0.3})

    holds = holding([not_alike, alike], LEAST, clustered_shares.KINDS)

    assert not_alike.width_ratio(LEAST) == 2.0
    assert "anova, z" not in holds
    assert not_alike.width_ratio(LEAST, holds) == 1.0


def test_a_kind_that_holds_however_alike_items_are_is_compared():
    design = [share({}, {"anova, z": 0.5}), share({}, {"anova, z": 0.8})]

    holds = holding(design, LEAST, clustered_shares.KINDS)

    assert [cell.width_ratio(LEAST, holds) for cell in design] == [2.0, 1.25]


def test_a_kind_may_fail_where_the_default_fails_too():
    design = [share({}, {}), share({"default": 0.9, "linear": 0.8}, {})]

    assert holding(design, LEAST, clustered_shares.KINDS) == list(clustered_shares.KINDS)


def test_widths_of_shares_are_compared_with_and_without_the_likelihood():
    not_alike = share({}, {"anova, z": 0.5, "likelihood": 0.8})
    design = [not_alike, share({"anova, z": 0.6}, {})]

    widths = clustered_shares.Widths.of([(not_alike, design)], 4_000)

    assert widths.shown() == ["2.00, 2.00, 1", "1.00, 1.00, 0", "1.25, 1.25, 1"]


def test_cells_in_which_nothing_else_holds_are_counted():
    others = dict.fromkeys(clustered_shares.KINDS[1:], 0.7)

    said = clustered_shares.summary([(cell := share(others, {}), [cell]), (other := share({}, {}), [other])], 4_000)

    assert "in the cell 0 of 2; however alike items are 0, with the likelihood 0." in said
    assert said.endswith("however alike: 1.")


def test_a_row_of_kappas_says_both_widths():
    not_alike, alike = kappa({}, {"adjusted": 0.5}), kappa({"adjusted": 0.8}, {})

    assert clustered_kappas.row([not_alike], [[not_alike, alike]], 4_000).split(" | ")[-2:] == [
        "2.00, 2.00, 1",
        "1.00, 1.00, 0",
    ]


def test_a_row_of_kappas_leaves_out_cells_in_which_the_default_fails():
    fails = kappa({"scattered": 0.9}, {})

    assert clustered_kappas.row([fails], [[fails]], 4_000).split(" | ")[-1] == ""
