"""The rows of a judge's file on pairs of answers: a table, JSON Lines or a JSON array, columns mapped or ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from exchange.file_format import FileFormat, JudgeLine
from exchange.foreign.json_rows import json_rows, leads_somewhere, value_at
from exchange.foreign.layout import OF_ITSELF, RESULTS, Source
from exchange.judge_csv import read_columns
from exchange.judge_json_lines import lacks
from exchange.refusal import InputRefused, Problems, nearest, shown
from exchange.tables import JUDGE_VERDICTS

# The columns that name the two answers of a pair: by their keys, or by their models if these name one pair of the item.
BY_KEYS = ("candidate_a", "candidate_b")
BY_MODELS = ("model_a", "model_b")
REQUIRED = ("item", "verdict")
COLUMNS = ("item", *BY_KEYS, *BY_MODELS, "shown_first", *RESULTS)


def of_table(content: bytes, name: str, columns: Mapping[str, str], problems: Problems) -> Iterator[JudgeLine]:
    """Read the cells of each line of a table, under our names.

    Raises
    ------
    NotRead, InputRefused
        The bytes are not a table, its header lacks a column, or it does not name two answers.
    """
    known = (*JUDGE_VERDICTS.names, *COLUMNS, *columns.values())
    required = dict.fromkeys(columns.get(column, column) for column in (*REQUIRED, *columns))
    for number, cells in read_columns(content, name, problems, known=known, required=[*filter(None, required)]):
        entry = _as_mapped(cells, columns)
        if not any(set(both) <= entry.keys() for both in (BY_KEYS, BY_MODELS)):
            raise InputRefused(
                f"{name}, line 1: the header does not name the two answers of a pair; expected "
                f"{' and '.join(BY_KEYS)}, or {' and '.join(BY_MODELS)}; it has {', '.join(cells)[:300]}."
            )
        yield number, entry


def of_json(content: bytes, name: str, columns: Mapping[str, str], problems: Problems) -> Iterator[JudgeLine]:
    """Read the objects of an array or of each line, under our names; note those that lack something, and continue.

    Raises
    ------
    NotRead, InputRefused
        The bytes are not text, or an array is damaged.
    """
    source = Source(content, name)
    unseen = {column: path for column, path in columns.items() if path}
    keys: dict[str, None] = {}
    for number, own in json_rows(source, OF_ITSELF, problems):
        if unseen:
            unseen = {column: path for column, path in unseen.items() if not leads_somewhere(own, path)}
            keys |= dict.fromkeys(own)
        entry = _as_mapped(own, columns)
        if lacks(entry, REQUIRED):
            names = ", ".join(shown(columns.get(column) or column) for column in REQUIRED)
            problems.add_line(name, source.unit, number, f"expected an object with {names}; correct the {source.unit}.")
        else:
            yield number, entry
    for column, path in unseen.items():
        problems.add(name, "", f"has nothing under '{shown(path)}', mapped to {column}{nearest(path, keys)}.")


def _as_mapped(row: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    own = {column: value for column, value in row.items() if column not in columns}
    paths = {column: path for column, path in columns.items() if path}
    return own | {column: value_at(row, path) for column, path in paths.items() if leads_somewhere(row, path)}


OF_TABLE = FileFormat("CSV", ("csv",), of_table)
OF_JSON = FileFormat("JSON", ("jsonl", "ndjson", "json"), of_json)
