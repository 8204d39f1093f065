"""The text of a row that is hashed is the same whether the row is hashed alone or among others."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Date, DateTime, Float, Integer, String
from sqlalchemy.types import TypeEngine

from services.seals.row_texts import RowTexts

VALUES: list[tuple[TypeEngine[Any], list[Any], str]] = [
    (String(), ["a “b”\n", "c"], r'"a \u201cb\u201d\n"'),
    (String(), [None, "c"], "null"),
    (Integer(), [7, 8], "7"),
    (Boolean(), [True, False], "true"),
    (Float(), [2, 0.5], "2.0"),
    (Float(), [None, None], "null"),
    (Float(), [None, 0.5], "null"),
    (Date(), [date(2026, 3, 1), None], '"2026-03-01"'),
    (DateTime(), [datetime.fromisoformat("2026-03-01T08:00"), None], '"2026-03-01T08:00:00.000000+00:00"'),
    (
        DateTime(),
        [datetime(2026, 3, 1, 8, tzinfo=timezone(timedelta(hours=2))), datetime(2026, 3, 1, tzinfo=UTC)],
        '"2026-03-01T06:00:00.000000+00:00"',
    ),
    (JSON(), [{"b": 1, "a": [0.5]}, []], '{"a":[0.5],"b":1}'),
    (JSON(), [[], None], "[]"),
    (JSON(), [None, {}], "null"),
]


@pytest.mark.parametrize(("kind", "values", "text"), VALUES)
def test_a_row_has_the_same_text_alone_and_among_others(kind: TypeEngine[Any], values: list[Any], text: str) -> None:
    texts = RowTexts({"id": Integer(), "said": kind}, {})
    rows = list(enumerate(values))

    alone = [texts.of([row])[0] for row in rows]

    assert alone == texts.of(rows)
    assert alone[0] == f"0,{text}"


def test_the_text_of_a_value_of_a_younger_column_follows_in_a_row_alone_too() -> None:
    texts = RowTexts({"id": Integer(), "note": String(), "step": Integer()}, {"note": ""})

    assert texts.of([(1, "", 2)]) == ["1,2"]
    assert texts.of([(1, "a", 2)]) == ['1,2,{"note":"a"}']


def test_a_json_value_that_is_read_as_text_is_put_in_order_in_a_row_alone_too() -> None:
    texts = RowTexts({"id": Integer(), "said": JSON()}, {}, unread=True)

    assert texts.of([(1, '{"b": 1, "a": 2}')]) == texts.of([(1, '{"b": 1, "a": 2}'), (2, None)])[:1]
    assert texts.of([(1, None)]) == ["1,null"]
