"""Units without a valid answer: not right in an accuracy, and said to be left out of overlaps and distances."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from exchange.report.estimate_rows import ALL_ITEMS, EstimateRow, LeftOut, Party
from exchange.report.report_structure import EstimateTable
from exchange.report.report_words import lines_of
from protocol.analysis import AnalysisPlan
from protocol.fields import KINDS
from services.reading.correctness import AnswerKey
from services.reading.field_keys import FieldKey
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Column, State, Unit
from services.report.rows.listed_rows import ItemLine
from services.report.rows.ratings import Ratings
from services.report.sections.fields import point, text
from services.report.sections.fields.against_reference import accuracy_rows
from services.report.sections.fields.topics import Topic
from tests.protocol.language.study_text import expanded, one_phase

N = 6
CLUSTERS = tuple(f"s{n}" for n in range(N))
SETTINGS = IntervalSettings.of(AnalysisPlan(resamples=200), CLUSTERS)
ACCEPTED = {"text": "left kidney", "point": "1 2 3"}
GIVEN = {"text": "left kidney", "point": [1, 2, 3]}


def ratings_of(field_type: str, states: tuple[State, ...]) -> Ratings:
    """Return one model's answers in a field of this type: all right, where there is one."""
    phase = expanded(one_phase(f"{{said: {field_type}}}")).phase("a")
    format_ = "open" if field_type == "text" else field_type
    key = AnswerKey(format_, field_type, (), (ACCEPTED[field_type],), None, None, radius=5.0)
    keys = tuple(FieldKey(phase.fields[0], key, True, None, cast(Any, "given")) for _ in range(N))
    values = tuple(GIVEN[field_type] if state == "answered" else None for state in states)
    columns = (Column(Party("model", "m"), states, values),)
    units = (Unit(cast(ItemLine, SimpleNamespace(in_pixels=False)), None, probability=None),) * N
    return Ratings(phase, phase.fields[0], units, columns, CLUSTERS, (KINDS[field_type],) * N, keys, ())


TOPICS = [("text", text.F1_OF_REFERENCE), ("point", point.DISTANCE), ("point", point.WITHIN)]
SILENT: tuple[State, ...] = ("answered",) * 4 + ("no_response", "invalid")


def notes_of(topic: Topic, rows: list[EstimateRow]) -> set[str]:
    return {line.note for line in lines_of(EstimateTable("t", "T", "", tuple(rows)))}


@pytest.mark.parametrize(("field_type", "topic"), TOPICS)
def test_the_number_of_units_without_a_valid_answer_stands_at_each_row_that_leaves_them_out(
    field_type: str, topic: Topic
) -> None:
    ratings = ratings_of(field_type, SILENT)

    (accuracy, *_), rows = accuracy_rows(ratings, ALL_ITEMS, SETTINGS), topic.compute(ratings, ALL_ITEMS, SETTINGS)

    assert accuracy.estimate.n == N and {row.estimate.n for row in rows} == {4}
    assert {isinstance(row.remark, LeftOut) and (row.remark.n, row.remark.of) for row in rows} == {(2, N)}
    (note,) = notes_of(topic, rows)
    assert note.startswith("2 of 6 without a valid answer") and note.endswith("not right in the accuracy")
    assert any("is not right in the accuracy" in said for said in topic.explained(ratings, rows))


@pytest.mark.parametrize(("field_type", "topic"), TOPICS)
def test_nothing_is_said_of_a_model_that_answered_everything(field_type: str, topic: Topic) -> None:
    ratings = ratings_of(field_type, ("answered",) * N)

    rows = topic.compute(ratings, ALL_ITEMS, SETTINGS)

    assert notes_of(topic, rows) == {""}
    assert not any("valid answer" in said for said in topic.explained(ratings, rows))
