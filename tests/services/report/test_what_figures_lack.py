"""A figure has no empty lines, and its caption says which values and intervals it lacks."""

from __future__ import annotations

import math

import pytest

from agreement import Estimate
from agreement.words import Words
from exchange.report.estimate_rows import ALL_ITEMS, Category, EstimateRow, Party
from exchange.report.report_structure import EstimateTable, Matrix, Section, TitleParts
from services.report.figures.figure import Figure
from services.report.figures.of_fields import figures_of_fields

KNOWN, ALONE, UNDEFINED = (0.5, 0.2, 0.8), (1.0, math.nan, math.nan), (math.nan, math.nan, math.nan)


def because(value: float, low: float) -> str:
    return "nobody chose it" if math.isnan(value) else "every resample gave the same value" if math.isnan(low) else ""


@pytest.mark.parametrize(
    ("values", "lines", "says"),
    [
        ((KNOWN, KNOWN), 2, "n beside each line."),
        ((KNOWN, UNDEFINED, UNDEFINED), 1, "n beside each line. Not drawn: 2 undefined values. The table says why."),
        ((KNOWN, ALONE), 2, "A dot without a line has no interval. The table says why."),
        (
            (ALONE, UNDEFINED),
            1,
            "Not drawn: 1 undefined value. A dot without a line has no interval. The table says why.",
        ),
    ],
)
def test_a_figure_says_what_it_lacks(values: tuple[tuple[float, float, float], ...], lines: int, says: str) -> None:
    raters = (Party("rater", "Rater 1"), Party("rater", "Rater 2"))
    rows = tuple(
        EstimateRow(
            "category_kappa",
            "answers",
            raters,
            ALL_ITEMS,
            Estimate("kappa", value, low, high, 9, "item", Words("large-sample standard error"), because(value, low)),
            category=Category(f"o{number}", f"Option {number}"),
        )
        for number, (value, low, high) in enumerate(values)
    )
    table = EstimateTable("a_kappa", "A: kappa", "", rows, lines="both", drawn="forest", parts=TitleParts("A", "kappa"))

    (figure,) = figures_of_fields(Section("s", "S", "S", (), (table,)))

    assert len(figure.figure.layout.yaxis.ticktext) == lines == len(figure.figure.data[0].x)
    assert figure.caption.endswith(says)


def figure_of(*values: tuple[tuple[float, float, float], str, int]) -> Figure:
    """Return the figure of one value for each party, with its n."""
    rows = tuple(
        EstimateRow(
            "accuracy", "reference", (Party("rater", name),), ALL_ITEMS,
            Estimate("accuracy", *value, n, "item", Words("Wilson"), "nobody answered" if math.isnan(value[0]) else ""),
        )
        for value, name, n in values
    )  # fmt: skip
    table = EstimateTable("a", "A: accuracy", "", rows, lines="both", drawn="forest", parts=TitleParts("A", "accuracy"))
    (figure,) = figures_of_fields(Section("s", "S", "S", (), (table,)))
    return figure


@pytest.mark.parametrize(
    ("values", "alt"),
    [
        (
            (((0.5, 0.2, 0.8), "Rater 1", 9), ((0.75, 0.5, 0.9), "Rater 2", 12)),
            "A: accuracy: Accuracy on these items: 2 values, from 50.0 % (Rater 1) to 75.0 % (Rater 2), n = 9 to 12.",
        ),
        (
            ((KNOWN, "Rater 1", 9), (UNDEFINED, "Rater 2", 9)),
            "A: accuracy: Accuracy on these items: one value, 50.0 % [20.0, 80.0], n = 9.",
        ),
        (
            ((KNOWN, "Rater 1", 9), (KNOWN, "Rater 2", 8)),
            "A: accuracy: Accuracy on these items: 2 values, all 50.0 %, n = 8 to 9.",
        ),
    ],
)
def test_who_does_not_see_a_figure_is_told_what_it_shows(
    values: tuple[tuple[tuple[float, float, float], str, int], ...], alt: str
) -> None:
    figure = figure_of(*values)

    assert figure.alt == alt


def test_a_map_of_counts_says_its_size_and_its_most_frequent_cell() -> None:
    raters = (Party("rater", "Rater 1"), Party("rater", "Rater 2"))
    counts = Matrix("m", "Diagnosis", "Both.", ALL_ITEMS, raters, ("a", "b"), ("a", "b", "c"), ((1, 0, 2), (0, 7, 0)))

    (figure,) = figures_of_fields(Section("s", "S", "S", (), (counts,)))

    assert figure.alt == "Diagnosis: counts in 2 rows and 3 columns, most for b and b (7), n = 10."


def test_a_value_with_a_warning_has_a_sign_in_the_drawing_and_its_meaning_in_the_caption() -> None:
    raters = (Party("rater", "Rater 1"), Party("rater", "Rater 2"))
    rows = tuple(
        EstimateRow(
            "category_kappa",
            "answers",
            raters,
            ALL_ITEMS,
            Estimate("kappa", *KNOWN, 9, "item", Words("large-sample standard error"), warning=warning),
            category=Category(f"o{number}", f"Option {number}"),
        )
        for number, warning in enumerate(("only 3 clusters", ""))
    )
    table = EstimateTable("a_kappa", "A: kappa", "", rows, lines="both", drawn="forest", parts=TitleParts("A", "kappa"))

    (figure,) = figures_of_fields(Section("s", "S", "S", (), (table,)))

    assert [each.text for each in figure.figure.layout.annotations] == ["n = 9 †", "n = 9"]
    assert figure.caption.endswith("n beside each line. † beside n: with a warning, which the table gives.")
