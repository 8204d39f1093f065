"""The accuracy of all raters together has bounds if any of them called a unit not assessable, as each rater's has."""

from __future__ import annotations

from typing import Any, cast

from exchange.report.estimate_rows import ALL_ITEMS, ALL_RATERS, EstimateRow, LeftOut, Party
from protocol.analysis import AnalysisPlan
from protocol.fields import KINDS
from services.reading.correctness import AnswerKey
from services.reading.field_keys import FieldKey
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Column, State, Unit
from services.report.rows.listed_rows import ItemLine
from services.report.rows.ratings import Ratings
from services.report.sections.fields.against_reference import accuracy_rows
from tests.protocol.language.study_text import expanded, one_phase

N = 6
CLUSTERS = tuple(f"s{n}" for n in range(N))
SETTINGS = IntervalSettings.of(AnalysisPlan(resamples=200), CLUSTERS)
READ: tuple[State, ...] = ("answered",) * N
IN_PART: tuple[State, ...] = ("answered",) * 3 + ("not_assessable",) * 2 + ("missing",)


def rows_of_all(*states: tuple[State, ...]) -> list[EstimateRow]:
    """Return the rows of all raters together, each of whom answers yes, which is right of the first two items."""
    phase = expanded(one_phase("{seen: yes_no}")).phase("a")
    keys = tuple(
        FieldKey(
            phase.fields[0],
            AnswerKey("yes_no", "yes_no", (), ("yes" if n < 2 else "no",), None, None),
            True,
            None,
            cast(Any, "given"),
        )
        for n in range(N)
    )
    columns = tuple(
        Column(Party("rater", f"Rater {n}"), own, tuple("yes" if state == "answered" else None for state in own))
        for n, own in enumerate(states)
    )
    units = (Unit(cast(ItemLine, None), None, probability=None),) * N
    ratings = Ratings(phase, phase.fields[0], units, columns, CLUSTERS, (KINDS["yes_no"],) * N, keys, ())
    return [row for row in accuracy_rows(ratings, ALL_ITEMS, SETTINGS) if row.parties == (ALL_RATERS,)]


def test_bounds_of_all_raters_count_what_any_of_them_called_not_assessable_as_wrong_and_as_right() -> None:
    both, worst, best = rows_of_all(READ, IN_PART)

    assert [(row.bound, row.estimate.value, row.estimate.n) for row in (both, worst, best)] == [
        ("", 4 / 9, 9),
        ("worst", 4 / 11, 11),
        ("best", 6 / 11, 11),
    ]
    assert {worst.estimate.unit, best.estimate.unit} == {"verdict"}
    assert worst.remark == best.remark == LeftOut(2, "not assessable")


def test_there_are_no_bounds_where_nobody_called_anything_not_assessable() -> None:
    assert [row.bound for row in rows_of_all(READ, READ)] == [""]
