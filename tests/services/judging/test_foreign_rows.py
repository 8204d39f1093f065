"""Rows of a foreign file are read as they are asked for, and none of them is held."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db import Database, Study
from db.base import stored_id
from db.engine import make_engine
from exchange.foreign import own_array, own_labels
from exchange.foreign.json_rows import json_rows
from exchange.foreign.layout import OF_ITSELF, Asked, ForeignLine, RawRow, Source
from exchange.judge_verdicts import JudgeRow
from exchange.refusal import Problems
from protocol.scales import CORRECTNESS
from services.judging.foreign_rows import ForeignLines, rows_of
from services.judging.placing import Places, places_of
from tests.harness.databases import copy_of_sqlite_file
from tests.situations import open_study

TIMES = 30


@pytest.fixture(scope="module")
def places(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Places:
    folder = tmp_path_factory.mktemp("foreign_rows")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database = Database(engine, folder / "data")
    opened = open_study(database, folder / "study")
    with database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == opened.study_key)).one()
        return places_of(session, stored_id(study.id))


def test_a_file_is_read_anew_line_by_line_instead_of_being_held(places: Places, held: Callable[..., int]) -> None:
    keys = [places.keys.of(number) for number in range(len(places.keys.candidates))]
    said = [{"item": item, "candidate": key, "verdict": "correct"} for item, key in keys * TIMES]
    said.insert(1, {"item": "i1", "candidate": "nobody", "verdict": "correct"})
    source, read = Source(json.dumps(said).encode(), "judged.json"), []

    def counted(source: Source, asked: Asked, problems: Problems) -> Iterator[RawRow]:
        for row in json_rows(source, asked, problems):
            read.append(row[0])
            yield row

    layout, problems, before = replace(own_array.LAYOUT, rows=counted), Problems(), held(ForeignLine, JudgeRow)

    lines = ForeignLines(source, layout, OF_ITSELF, CORRECTNESS, places, problems, most_reasons=20)

    assert (len(read), lines.left_out, held(ForeignLine, JudgeRow) - before) == (len(said), 1, 0)
    rows: Any = rows_of(lines, "judged.json", CORRECTNESS, problems)[""]
    for _ in range(2):
        read.clear()
        waiting = iter(rows)
        first, second = next(waiting), next(waiting)
        assert (first.line, second.line, read) == (1, 3, [1, 2, 3])
        # The two rows, and the line that is being read.
        assert held(ForeignLine, JudgeRow) - before == 3
        assert [(row.item, row.candidate) for row in waiting] == keys[2:] + keys * (TIMES - 1)
        del first, second


def test_why_a_line_has_no_candidate_is_said_of_no_more_lines_than_are_asked_for(places: Places) -> None:
    row = {"item": "i1", "candidate": "nobody", "verdict": "correct"}
    source = Source(json.dumps([row] * 50).encode(), "judged.json")

    lines = ForeignLines(source, own_array.LAYOUT, OF_ITSELF, CORRECTNESS, places, Problems(), most_reasons=3)

    assert (lines.left_out, [line.place for line in lines.unplaced]) == (50, ["entry 1", "entry 2", "entry 3"])


def test_of_several_people_each_line_is_a_row_before_the_next_is_read(places: Places, held: Callable[..., int]) -> None:
    item, key = places.keys.of(0)
    row = {"item": item, "candidate": key, "verdict": "correct"}
    content = "\n".join(json.dumps({**row, "labeller": f"Dr {n % 2}"}) for n in range(40)).encode()
    at_the_last, before = [], held(ForeignLine, JudgeRow)

    def noted(number: int, row: dict[str, Any], asked: Asked) -> Iterator[ForeignLine]:
        if number == 40:
            at_the_last.append(held(ForeignLine, JudgeRow) - before)
        yield from own_labels.lines(number, row, asked)

    layout = replace(own_labels.LAYOUT, lines=noted)
    source = Source(content, "labels.jsonl")
    lines = ForeignLines(source, layout, OF_ITSELF, CORRECTNESS, places, Problems(), most_reasons=20)
    rows: Any = rows_of(lines, "labels.jsonl", CORRECTNESS, Problems())

    assert {who: [row.line for row in own] for who, own in rows.items()} == {
        "Dr 0": list(range(1, 41, 2)), "Dr 1": list(range(2, 41, 2)),
    }  # fmt: skip
    # When all are placed no row is held; then there are those of the lines before, and one line that is gone with them.
    assert at_the_last[0] <= 1 and 38 <= at_the_last[1] <= 41
