"""Words and tables of the report as HTML, in which no line ends within a figure."""

from __future__ import annotations

from itertools import combinations

import pytest

from agreement import Estimate
from exchange.report.estimate_rows import ALL_ITEMS, Category, EstimateRow, Party
from exchange.report.report_html import Drawing, not_printed
from exchange.report.report_markup import (
    environment,
    section_markup,
    sentences_markup,
    table_markup,
    tables_behind_markup,
)
from exchange.report.report_structure import Column, EstimateTable, Fold, PlainTable, Section

AS_ONE = "[.65,\N{NO-BREAK SPACE}.88]"


@pytest.mark.parametrize(
    ("said", "drawn"),
    [
        ("kappa .77 [.65, .88]", f"kappa .77 {AS_ONE}"),
        ("of 31.7 % [23.8, 40.8] of all", "of 31.7~% [23.8,~40.8] of all"),
        ("GPT-4o .57 (n = 1,360)", "GPT-4o .57 (n~=~1,360)"),
        ("P = .02, or P < .001", "P~=~.02, or P~&lt;~.001"),
        ("a list [of words, and more words]", "a list [of words, and more words]"),
    ],
)
def test_a_figure_is_not_broken_in_a_sentence(said: str, drawn: str) -> None:
    assert f"<p>{drawn.replace('~', chr(0xA0))}</p>" in sentences_markup([said])


def test_nor_in_the_words_and_tables_of_a_section() -> None:
    table = PlainTable("t", "Figures", "", (Column("value", "Estimate", ""),), ((".77 [.65, .88]",),))

    assert AS_ONE in section_markup(Section("s", "S", "S", ("It is .77 [.65, .88].",), ()))
    assert f">.77 {AS_ONE}</td>" in table_markup(table)


def differences(levels: int) -> EstimateTable:
    """Return the differences of every two of so many levels, the first of which is the largest."""
    judge = Party("judge", "J")
    pairs = list(combinations([Party("part", f"Site {n}") for n in range(levels)], 2))
    rows = (
        EstimateRow(
            "signed_difference", "between_levels", (*pair, judge), ALL_ITEMS,
            Estimate("d", 0.9 - place / 100, -0.1, 1.0, 20, "candidate", "a method"), category=Category("site", "Site"),
        )
        for place, pair in enumerate(pairs)
    )  # fmt: skip
    return EstimateTable("t", "Alike at every site", "", tuple(rows), lines="both")


@pytest.mark.parametrize(("levels", "shown", "folded"), [(9, 3, 33), (4, 6, 0)])
def test_of_many_differences_of_levels_the_smaller_ones_are_opened_on_demand(
    levels: int, shown: int, folded: int
) -> None:
    first, _, behind = table_markup(differences(levels)).partition("<details>")

    assert (first.count("<td") // 5, behind.count("<td") // 5) == (shown, folded)
    assert (f"<summary>{folded} smaller differences of two levels</summary>" in behind) == bool(folded)
    assert "Site 0 minus Site 1 by J" in first


def test_a_template_is_compiled_once_however_many_parts_are_made() -> None:
    # A page makes a part for each table: compiled anew for each, they took longer than the figures.
    assert environment().get_template("report_parts.html") is environment().get_template("report_parts.html")


def test_tables_of_a_field_are_opened_together_in_the_place_where_they_stand() -> None:
    tables = tuple(
        PlainTable(key, f"Table {key}", "", (Column("value", "Estimate", ""),), (("1",),))
        for key in ("a", "b", "c", "d")
    )
    section = Section("s", "S", "S", (), tables, folds=(Fold("Diagnosis", frozenset({"b", "c"})),))

    before, _, rest = tables_behind_markup(section).partition('<details class="report-fold">')
    inside, _, behind = rest.partition("</details>")

    titles = [[key for key in "abcd" if f"Table {key}" in part] for part in (before, inside, behind)]
    assert titles == [["a"], ["b", "c"], ["d"]] and "<summary>Diagnosis: 2 tables</summary>" in inside


def test_paper_leaves_out_all_figures_of_a_folded_field_but_the_first() -> None:
    folds = tuple(Fold(key, frozenset({f"{key}_accuracy", f"{key}_kappa"}), key) for key in ("stage", "stage_fine"))
    section = Section("p", "P", "P", (), (), folds=folds)
    keys = ("stage_accuracy-share", "stage_levels", "stage_fine_accuracy-share", "stage_fine_kappa", "other_accuracy")

    left_out = not_printed([section], [Drawing(f"p-{key}", "p", "", "", 100, "{}", "") for key in keys])

    assert left_out == {"p-stage_levels", "p-stage_fine_kappa"}
