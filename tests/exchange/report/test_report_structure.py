"""How rows, tables and numbers of the report are printed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import pytest

import agreement
from agreement import Estimate
from agreement.cautions import few_resampled
from agreement.estimate import undefined
from agreement.methods import leaving_out, t_with
from exchange.report.estimate_rows import (
    ALL_ITEMS,
    ALL_RATERS,
    Counted,
    EstimateRow,
    LeftOut,
    Party,
    Stratum,
)
from exchange.report.report_structure import Column, EstimateTable, PlainTable
from exchange.report.report_tables import printed
from exchange.report.report_words import few_clusters_of, further_warnings, lines_of
from exchange.report.shown_numbers import shown_cell, shown_estimate, shown_p

METHOD = "cluster bootstrap, percentile, 500 resamples, seed 3"


def estimate(method: str = METHOD, n_clusters: int = 12, p: float | None = None) -> Estimate:
    return Estimate("accuracy", 0.4666, 0.3811, 0.5529, 90, "item", method, n_clusters=n_clusters, p=p)


def row(result: Estimate, rater: str = "Rater 1", stratum: Stratum = ALL_ITEMS) -> EstimateRow:
    return EstimateRow("accuracy", "reference", (Party("rater", rater),), stratum, result)


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
    [
        (None, ""),
        (math.nan, ""),
        (0.00001, "< 0.0001"),
        (0.0018, "0.0018"),
        (0.048, "0.048"),
        (0.48, "0.48"),
        (0.0496, "0.0496"),
        (0.0504, "0.0504"),
        (0.0499999, "0.0499999"),
        (0.05, "0.050"),
    ],
)
def test_p_values(p: float | None, shown: str) -> None:
    assert shown_p(p) == shown


def test_cells_of_plain_tables() -> None:
    assert [shown_cell(cell) for cell in (None, True, 3, 0.5, "x")] == ["–", "yes", "3", "0.5", "x"]


def test_methods_are_noted_once_below_the_table_and_few_clusters_are_marked() -> None:
    table = EstimateTable(
        "t", "Title", "",
        (
            row(estimate()),
            row(estimate(n_clusters=4), rater="Rater 2"),
            row(estimate("exact", p=0.03), stratum=Stratum("closed")),
        ),
    )  # fmt: skip

    printed_table = printed(table)

    assert printed_table.headings == ("What", "Who", "Estimate [95 % interval]", "n", "Subjects", "P")
    assert [row.cells[2] for row in printed_table.rows] == [
        "46.7 % [38.1, 55.3] (a)", "46.7 % [38.1, 55.3] (a)", "46.7 % [38.1, 55.3] (b)",
    ]  # fmt: skip
    assert [row.cells[4] for row in printed_table.rows] == ["12", "4 †", "12"]
    assert [row.opens_group for row in printed_table.rows] == [True, False, True]
    assert printed_table.notes == (
        f"a: {METHOD}",
        "b: exact",
        "† fewer than 10 subjects: the interval is likely to be too narrow",
    )


def test_a_method_that_no_line_shows_anything_of_has_no_note() -> None:
    one_subject = undefined("accuracy", 6, "item", "Wilson score interval on the effective number, t", "one subject",
                            value=0.5, n_clusters=1)  # fmt: skip
    nothing = undefined("kappa", 0, "item", "normal", "no items")
    tested = replace(nothing, method="exact test", p=0.5)

    printed_table = printed(EstimateTable("t", "Title", "", (row(one_subject), row(nothing), row(tested))))

    assert [cells.cells[2] for cells in printed_table.rows] == [
        "50.0 %, no interval: one subject", "undefined: no items", "undefined: no items (a)",
    ]  # fmt: skip
    assert printed_table.notes == ("a: exact test",)


def test_few_clusters_are_explained_only_where_an_interval_rests_on_them() -> None:
    one_subject = undefined("accuracy", 6, "item", METHOD, "one subject", value=0.5, n_clusters=1)
    explained = "† fewer than 10 subjects: the interval is likely to be too narrow"

    without = printed(EstimateTable("t", "Title", "", (row(one_subject), row(estimate()))))
    with_few = printed(EstimateTable("t", "Title", "", (row(one_subject), row(estimate(n_clusters=4)))))

    assert [cells.cells[4] for cells in without.rows] == ["1", "12"]
    assert explained not in without.notes
    assert [cells.cells[4] for cells in with_few.rows] == ["1", "4 †"]
    assert explained in with_few.notes


def test_few_clusters_are_marked_beside_an_interval_alone() -> None:
    without = undefined("accuracy", 6, "item", METHOD, "one subject", value=0.5, n_clusters=1)
    few = few_clusters_of(estimate(n_clusters=4))

    assert few is not None and few.fewest == agreement.FEW_CLUSTERS
    assert few_clusters_of(estimate(n_clusters=12)) is few_clusters_of(without) is None
    assert without.warned("few raters").warning == "few raters"


def test_what_is_said_beside_few_clusters_is_told_by_its_kind_and_not_by_its_place() -> None:
    written = estimate(n_clusters=4).warned("of two samples; the smaller one")

    assert [each.text for each in further_warnings(written)] == ["of two samples", "the smaller one"]
    assert further_warnings(estimate(n_clusters=4)) == ()


def test_further_warnings_are_marked_and_said_once_below_the_table() -> None:
    rare = "a category is expected in fewer than 5 items: value and interval are uncertain"
    table = EstimateTable(
        "t", "Title", "",
        (row(estimate(n_clusters=4).warned(rare)), row(estimate().warned(rare), rater="Rater 2")),
    )  # fmt: skip

    printed_table = printed(table)

    assert [row.cells[2] for row in printed_table.rows] == ["46.7 % [38.1, 55.3] (a) ‡", "46.7 % [38.1, 55.3] (a) ‡"]
    assert printed_table.notes[1:] == ("† fewer than 10 subjects: the interval is likely to be too narrow", f"‡ {rare}")


def test_each_warning_has_a_sign_of_its_own() -> None:
    said = [f"warning {number}" for number in range(5)]
    rows = (row(estimate().warned(*said[:2])), row(estimate().warned(said[1])), row(estimate().warned(*said[2:])))

    printed_table = printed(EstimateTable("t", "Title", "", rows))

    signs = [line.cells[2].split("(a) ")[1] for line in printed_table.rows]
    assert signs == ["‡ §", "§", "¶ ‡‡ §§"]
    assert printed_table.notes[1:] == tuple(
        f"{sign} {sentence}" for sign, sentence in zip(["‡", "§", "¶", "‡‡", "§§"], said, strict=True)
    )


def test_warnings_that_differ_in_a_number_alone_have_one_sign_and_one_note() -> None:
    rows = tuple(row(estimate().warned(few_resampled(n))) for n in (18, 10, 13))

    printed_table = printed(EstimateTable("t", "Title", "", rows))

    assert [line.cells[2].split("(a) ")[1] for line in printed_table.rows] == ["‡"] * 3
    assert printed_table.notes[1:] == (
        "‡ only 10 to 18 clusters: a bootstrap of fewer than 20 clusters is likely to be too narrow",
    )


def test_methods_that_differ_in_degrees_of_freedom_alone_share_a_note() -> None:
    methods = ["Obuchowski-Rockette, " + t_with(freedom, "on") + " (Hillis)" for freedom in ("1750.0", "152.1")]

    printed_table = printed(EstimateTable("t", "Title", "", tuple(row(estimate(method)) for method in methods)))

    assert printed_table.notes == ("a: Obuchowski-Rockette, t on 152.1 to 1750.0 degrees of freedom (Hillis)",)


def test_degrees_of_freedom_of_small_samples_share_a_note() -> None:
    rows = tuple(row(estimate("Gwet, " + t_with(freedom))) for freedom in (99, 91))

    assert printed(EstimateTable("t", "Title", "", rows)).notes == ("a: Gwet, t with 91 to 99 degrees of freedom",)


def test_a_plain_method_is_a_note_as_it_is() -> None:
    rows = tuple(row(estimate(f"Gwet, t with {freedom} degrees of freedom")) for freedom in (99, 91))

    assert printed(EstimateTable("t", "Title", "", rows)).notes == (
        "a: Gwet, t with 99 degrees of freedom", "b: Gwet, t with 91 degrees of freedom",
    )  # fmt: skip


def test_each_of_several_numbers_of_a_method_has_its_own_span() -> None:
    pairs = ((5, 30), (7, 20), (6, 30))
    rows = tuple(row(estimate(t_with(first) + ", then " + t_with(second))) for first, second in pairs)

    assert printed(EstimateTable("t", "Title", "", rows)).notes == (
        "a: t with 5 to 7 degrees of freedom, then t with 20 to 30 degrees of freedom",
    )


def test_what_was_left_out_is_said_in_words_where_its_number_is_not() -> None:
    table = EstimateTable("t", "Title", "", (row(estimate("Wilson" + leaving_out(3, "with a missing value"))),))

    assert printed(table).notes == ("a: Wilson; those with a missing value left out",)


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
        tuple(row(estimate(METHOD + leaving_out(count, "without both verdicts"))) for count in (1, 12)),
    )  # fmt: skip

    assert printed(table).notes == (f"a: {METHOD}; those without both verdicts left out",)


# ---- rows in words ---------------------------------------------------------------------------------------------------


def table_of(lines: Literal["stratum", "statistic", "both"], *rows: EstimateRow) -> EstimateTable:
    return EstimateTable("t", "Title", "", rows, lines=lines)


def test_a_line_is_called_by_its_part_its_statistic_or_both() -> None:
    same = EstimateRow(
        "percent_agreement", "answers", (Party("rater", "A"), Party("rater", "B")), Stratum("format", "yes_no"),
        estimate(),
    )  # fmt: skip

    said = [lines_of(table_of(lines, same))[0].label for lines in ("stratum", "statistic", "both")]

    assert said == ["Yes/no", "Same answer", "Yes/no: same answer"]


def test_whose_an_estimate_is_stands_in_words_and_a_difference_has_its_minus() -> None:
    pair = (Party("rater", "A"), Party("rater", "B"))
    rows = [
        EstimateRow("accuracy", "reference", (ALL_RATERS,), ALL_ITEMS, estimate()),
        EstimateRow("cohen_kappa", "answers", pair, ALL_ITEMS, estimate()),
        EstimateRow("accuracy_difference", "raters", pair, ALL_ITEMS, estimate()),
    ]

    assert [line.who for line in lines_of(table_of("both", *rows))] == ["All raters", "A and B", "A minus B"]


def test_a_rater_who_is_called_like_all_of_them_is_still_a_rater() -> None:
    namesake = Party("rater", "All raters")

    assert lines_of(table_of("stratum", row(estimate(), rater="All raters")))[0].who == "All raters"
    assert namesake != ALL_RATERS


def test_bounds_and_stages_stand_in_the_line_and_in_the_name() -> None:
    worst = replace(row(estimate()), bound="worst", remark=LeftOut(2, "not assessable"))
    before = EstimateRow("accuracy", "consensus", (ALL_RATERS,), ALL_ITEMS, estimate(), stage="before")

    (bound,) = lines_of(table_of("stratum", worst))
    (staged,) = lines_of(table_of("statistic", before))

    assert (bound.label, bound.name) == ("All items, worst case", "accuracy, excluded counted wrong")
    assert bound.note == "2 not assessable"
    assert (staged.label, staged.name) == (
        "Accuracy of the consensus, before", "accuracy of the consensus, before adjudication",
    )  # fmt: skip
    assert staged.note == "agreed items only"


def test_the_primary_estimate_is_noted_before_everything_else() -> None:
    planned = replace(row(estimate()), planned=True, remark=Counted(3, 4, not_recorded=1))

    assert lines_of(table_of("stratum", planned))[0].note == "primary estimate; 3 of 4; 1 not recorded"
