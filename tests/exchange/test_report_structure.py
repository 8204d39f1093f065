"""How numbers of the report are printed."""

from __future__ import annotations

import math

import pytest

from agreement import Estimate
from agreement.estimate import undefined
from exchange.report_structure import (
    Column,
    EstimateRow,
    EstimateTable,
    PlainTable,
    shown_cell,
    shown_estimate,
    shown_p,
)
from exchange.report_tables import printed

METHOD = "cluster bootstrap, percentile, 500 resamples, seed 3"


def estimate(method: str = METHOD, n_clusters: int = 12, p: float | None = None) -> Estimate:
    return Estimate("accuracy", 0.4666, 0.3811, 0.5529, 90, "item", method, n_clusters=n_clusters, p=p)


@pytest.mark.parametrize(
    ("scale", "shown"),
    [
        ("percent", "46.7 % [38.1, 55.3]"),
        ("points", "+46.7 points [+38.1, +55.3]"),
        ("number", "0.47 [0.38, 0.55]"),
        ("seconds", "0.5 s [0.4, 0.6]"),
    ],
)
def test_an_estimate_is_printed_with_its_interval(scale: str, shown: str) -> None:
    assert shown_estimate(estimate(), scale) == shown


def test_what_is_undefined_is_printed_with_its_reason() -> None:
    nothing = undefined("kappa", 1, "item", "normal", "one item")
    no_interval = undefined("kappa", 9, "item", "normal", "one rater constant", value=0.0)

    assert shown_estimate(nothing, "number") == "undefined: one item"
    assert shown_estimate(no_interval, "number") == "0.00, no interval: one rater constant"


@pytest.mark.parametrize(
    ("p", "shown"),
    [(None, ""), (math.nan, ""), (0.00001, "< 0.0001"), (0.0018, "0.0018"), (0.048, "0.048"), (0.48, "0.48")],
)
def test_p_values(p: float | None, shown: str) -> None:
    assert shown_p(p) == shown


def test_cells_of_plain_tables() -> None:
    assert [shown_cell(cell) for cell in (None, True, 3, 0.5, "x")] == ["–", "yes", "3", "0.5", "x"]


def test_methods_are_noted_once_below_the_table_and_few_clusters_are_marked() -> None:
    table = EstimateTable(
        "t", "Title", "",
        (
            EstimateRow("All items", "Rater 1", "all", "percent", estimate()),
            EstimateRow("All items", "Rater 2", "all", "percent", estimate(n_clusters=4)),
            EstimateRow("Closed", "Rater 1", "closed", "percent", estimate("exact", p=0.03)),
        ),
    )  # fmt: skip

    found = printed(table)

    assert found.headings == ("What", "Who", "Estimate [95 % interval]", "n", "Subjects", "P")
    assert [row.cells[2] for row in found.rows] == [
        "46.7 % [38.1, 55.3] (a)", "46.7 % [38.1, 55.3] (a)", "46.7 % [38.1, 55.3] (b)",
    ]  # fmt: skip
    assert [row.cells[4] for row in found.rows] == ["12", "4 †", "12"]
    assert [row.opens_group for row in found.rows] == [True, False, True]
    assert found.notes == (
        f"a: {METHOD}",
        "b: exact",
        "† fewer than 10 subjects: the interval is likely to be too narrow",
    )


def test_rows_of_a_grouped_table_with_the_same_first_cell_belong_together() -> None:
    columns = (Column("rater", "Rater", ""), Column("n", "Items", ""))
    rows = (("Rater 1", 3), ("Rater 1", 4), ("Rater 2", 5), ("Rater 1", 6))

    grouped = printed(PlainTable("t", "Title", "", columns, rows, grouped=True))
    plain = printed(PlainTable("t", "Title", "", columns, rows))

    assert [row.opens_group for row in grouped.rows] == [True, False, True, True]
    assert [row.opens_group for row in plain.rows] == [True, True, True, True]
    assert [row.cells for row in grouped.rows] == [row.cells for row in plain.rows]


def test_methods_that_differ_in_counts_of_left_out_items_share_a_note() -> None:
    table = EstimateTable(
        "t", "Title", "",
        tuple(
            EstimateRow("All items", "", "all", "percent", estimate(f"{METHOD}; {left_out}"))
            for left_out in ("1 without both verdicts left out", "12 without both verdicts left out")
        ),
    )  # fmt: skip

    assert printed(table).notes == (f"a: {METHOD}; without both verdicts left out",)
