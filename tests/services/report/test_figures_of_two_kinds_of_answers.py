"""A line of the plan on answers as given and of the first step is drawn with a mark of its own for each kind."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from agreement import Estimate
from agreement.words import Words
from exchange.report.estimate_rows import ALL_ITEMS, ALL_RATERS, Category, EstimateRow
from exchange.report.report_structure import Drawn, EstimateTable, Section, TitleParts
from services.report.figures.of_fields import figures_of_fields


def row(statistic: Any, answers: Any, value: float, category: str = "") -> EstimateRow:
    estimate = Estimate("it", value, value - 0.1, value + 0.1, 9, "item", Words("Wilson"), "")
    of_option = Category(category, f"Option {category}") if category else None
    compared: Literal["option", "reference"] = "option" if statistic == "share" else "reference"
    return EstimateRow(statistic, compared, (ALL_RATERS,), ALL_ITEMS, estimate, category=of_option, answers=answers)


def drawn(drawn_as: Drawn, rows: list[EstimateRow]) -> Any:
    table = EstimateTable("t", "Answer", "", tuple(rows), lines="both", drawn=drawn_as, parts=TitleParts("", "Answer"))
    return figures_of_fields(Section("s", "S", "S", (), (table,)))[0].figure


@pytest.mark.parametrize("kinds", [("step 1", "given"), ("settled", "given")])
def test_each_kind_has_a_mark_with_its_name(kinds: tuple[str, str]) -> None:
    figure = drawn("forest", [row("accuracy", kind, 0.4 + 0.2 * n) for n, kind in enumerate(kinds)])

    words = {"step 1": "first step", "given": "as given", "settled": "as settled"}
    names = [trace.name.replace("<br>", " ") for trace in figure.data]
    assert [name.rpartition(", ")[2] for name in names] == [words[kind] for kind in kinds]
    assert figure.layout.showlegend
    assert len({trace.marker.symbol for trace in figure.data}) == len({trace.y[0] for trace in figure.data}) == 2


def test_one_kind_alone_is_not_named() -> None:
    figure = drawn("forest", [row("accuracy", "given", 0.4), row("accuracy", "given", 0.6)])

    assert not any("given" in trace.name for trace in figure.data)


def test_the_use_of_a_scale_has_a_line_for_each_kind() -> None:
    rows = [row("share", kind, 0.5, step) for kind in ("step 1", "given") for step in "12"]

    lines = drawn("scale", rows).layout.yaxis.ticktext

    assert len(lines) == 2 and "first step" in lines[0].replace("<br>", " ")
