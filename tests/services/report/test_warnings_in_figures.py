"""What has a warning has its sign in every kind of figure, and the caption says what the sign is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from agreement import Estimate
from exchange.report.estimate_rows import ALL_RATERS, Category, EstimateRow, Party, Stratum
from exchange.report.report_structure import EstimateTable, PairedPoints, Section
from exchange.report.statistic_names import Compared, Statistic
from services.report.figures.curves import Point, curves
from services.report.figures.figure import Figure
from services.report.figures.floors_and_ceilings import thirds
from services.report.figures.of_fields import figures_of_fields

ALL = Stratum("all", "all items")
SIGN = "†"
WARNED = "in a few clusters: rough"
FIRST, SECOND = Party("rater", "Rater 1"), Party("rater", "Rater 2")


def share(value: float, warning: str | None = None) -> Estimate:
    return Estimate("share", value, value - 0.1, value + 0.1, 20, "item", "Wilson", warning=warning)


def row(
    statistic: Statistic, compared: Compared, estimate: Estimate, parties: Sequence[Party] = (ALL_RATERS,), **about: Any
) -> EstimateRow:
    return EstimateRow(statistic, compared, tuple(parties), ALL, estimate, **about)


def drawn(how: Any, rows: Sequence[EstimateRow], points: tuple[PairedPoints, ...] = (), figure: int = -1) -> Figure:
    table = EstimateTable("t", "Figure", "", tuple(rows), drawn=how, field="read.f", points=points, measured_in="mm")
    return figures_of_fields(Section("s", "Section", "Section", ("",), (table,)))[figure]


def notes(figure: Figure) -> list[str]:
    return [str(note.text) for note in figure.figure.layout.annotations]


def numbers(figure: Figure) -> list[str]:
    """Where n is said: above the points, or behind the names."""
    return [*notes(figure), *(str(trace.name) for trace in figure.figure.data)]


def of_kind(kind: str, warning: str | None) -> Figure:
    shares = (share(0.5), share(0.7, warning))
    places = (Category("1", "one"), Category("2", "two"))
    if kind == "ranks":
        rows = [row("pass_at_k", "reference", each, depth=depth) for depth, each in enumerate(shares, start=1)]
        return drawn("ranks", rows, figure=0)
    compared: Compared = "queue" if kind == "thirds" else "reference"
    rows = [row("accuracy", compared, each, category=place) for place, each in zip(places, shares, strict=True)]
    if kind == "thirds":
        return thirds("s", "k", "Accuracy", rows, "subject")[0]
    means = [row("mean_answer", "confidence", share(0.6), category=place) for place in places]
    return drawn(kind, [*means, *rows] if kind == "reliability" else rows)


@pytest.mark.parametrize("kind", ["ranks", "distances", "reliability", "coverage", "thirds"])
def test_a_point_of_a_curve_with_a_warning_has_its_sign_which_the_caption_explains(kind: str) -> None:
    warned, certain = of_kind(kind, WARNED), of_kind(kind, None)

    assert [SIGN in n for n in numbers(warned) if "n = " in n].count(True) == 1
    assert f"{SIGN} beside n: with a warning, which the table gives." in warned.caption
    assert SIGN not in "".join(numbers(certain)) + certain.caption


def test_the_hover_of_a_point_gives_its_warning_in_words() -> None:
    figure = curves({"Rater 1": [Point(1, share(0.5), "a"), Point(2, share(0.7, WARNED), "b")]}, "x", "y", [1, 2])

    assert [WARNED in text for text in figure.data[0].hovertext] == [False, True]


@pytest.mark.parametrize("warning", [WARNED, None])
def test_a_limit_of_agreement_with_a_warning_has_its_sign_which_the_caption_explains(warning: str | None) -> None:
    names: dict[Statistic, str | None] = {"mean_difference": None, "lower_limit": None, "upper_limit": warning}
    rows = [
        row(name, "answers", share(place / 10, said), (FIRST, SECOND))
        for place, (name, said) in enumerate(names.items(), start=1)
    ]

    figure = drawn("forest", rows, (PairedPoints((FIRST, SECOND), ((1.0, 0.2, 20),)),))

    assert [SIGN in note for note in notes(figure) if "Upper" in note] == [warning is not None]
    assert sum(SIGN in note for note in notes(figure)) == (warning is not None)
    assert (f"{SIGN} beside a line’s value" in figure.caption) == (warning is not None)
