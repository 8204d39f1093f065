"""Which raters and models are drawn between floors and ceilings, where there are many."""

from __future__ import annotations

from itertools import repeat

import pytest

from agreement import wilson_interval
from exchange.report.estimate_rows import ALL_ITEMS, ALL_RATERS, EstimateRow, Party
from exchange.report.statistic_names import Compared
from services.report import Figure
from services.report.figures.floors_and_ceilings import floors_and_ceilings


def drawn(raters: int, models: int) -> Figure:
    """Draw the best rater, so many raters, all of them together, and so many models."""
    parties: list[tuple[Compared, Party]] = [
        ("best_rater", Party("rater", "Rater 1")),
        *zip(repeat("reference"), [Party("rater", f"Rater {n}") for n in range(1, raters + 1)]),
        ("reference", ALL_RATERS),
        *zip(repeat("reference"), [Party("model", f"Model {n}") for n in range(1, models + 1)]),
    ]
    rows = [
        EstimateRow("accuracy", compared, (party,), ALL_ITEMS, wilson_interval(7, 10)) for compared, party in parties
    ]
    (figure,) = floors_and_ceilings("phase_read", "levels", "Diagnosis", rows, "subject")
    return figure


def lines_of(figure: Figure) -> dict[str, int]:
    return {str(trace.name): len(trace.y) for trace in figure.figure.data if trace.name}


def test_few_raters_and_models_are_all_drawn() -> None:
    figure = drawn(raters=6, models=6)

    assert lines_of(figure) == {"Raters": 7, "Models": 6, "Ceilings": 1}
    assert "Not drawn" not in figure.caption


@pytest.mark.parametrize(
    ("raters", "models", "lines", "left_out"),
    [
        (7, 3, {"Raters": 1, "Models": 3, "Ceilings": 1}, "7 raters one by one"),
        (2, 7, {"Raters": 3, "Ceilings": 1}, "7 models"),
        (7, 8, {"Raters": 1, "Ceilings": 1}, "7 raters one by one and 8 models"),
    ],
)
def test_many_of_one_kind_leave_the_other_drawn_and_are_said_to_be_left_out(
    raters: int, models: int, lines: dict[str, int], left_out: str
) -> None:
    figure = drawn(raters, models)

    assert lines_of(figure) == lines
    assert figure.caption.endswith(f"Not drawn, but in the tables: {left_out}.")
