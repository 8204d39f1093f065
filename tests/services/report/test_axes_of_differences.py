"""The axis of mean differences says what is subtracted from what, since a direction and a uniformity do it in turn."""

from __future__ import annotations

import pytest

from agreement import Estimate
from exchange.report.estimate_rows import ALL_ITEMS, CONSENSUS, EstimateRow, Party
from exchange.report.report_structure import EstimateTable, Section
from exchange.report.statistic_names import Compared
from services.report.figures.of_fields import figures_of_fields

JUDGE, ONE, TWO = Party("judge", "A"), Party("rater", "Rater 1"), Party("rater", "Rater 2")


@pytest.mark.parametrize(
    ("compared", "parties", "title"),
    [
        ("judges_on_scale", [(JUDGE, ONE), (JUDGE, TWO)], "Mean difference, judge minus human (mm)"),
        ("levels", [(CONSENSUS, JUDGE), (ONE, JUDGE)], "Mean difference, human minus judge (mm)"),
        ("answers", [(ONE, TWO), (TWO, ONE)], "Mean difference, first minus second (mm)"),
    ],
)
def test_the_axis_of_mean_differences_says_their_order(
    compared: Compared, parties: list[tuple[Party, Party]], title: str
) -> None:
    estimate = Estimate("mean difference", 0.5, 0.2, 0.8, 9, "item", "t")
    rows = tuple(EstimateRow("mean_difference", compared, pair, ALL_ITEMS, estimate) for pair in parties)
    table = EstimateTable("t", "Title", "", rows, drawn="forest", measured_in="mm")

    (figure,) = figures_of_fields(Section("s", "S", "S", (), (table,)))

    assert figure.figure.layout.xaxis.title.text == title
    assert figure.title == "Title" or figure.title.startswith("Title: ")
