"""A judge's verdicts on candidates, as CSV or JSON Lines with item, candidate and verdict."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from exchange.csv_table import csv_problem
from exchange.refusal import InputRefused, Problems, shown
from exchange.spreadsheet import NotRead, decoded, table_text
from exchange.tables import JUDGE_VERDICTS, LONGEST_CELL, LONGEST_KEY
from protocol.scales import CORRECTNESS, JudgeScale

COLUMNS = JUDGE_VERDICTS.required
LARGEST_FILE = 256_000_000
MOST_ROWS = 2_000_000
_LONGEST_LINE = 1_000_000
_LONGEST_NUMBER = 40
# Rows with a wrong verdict whose keys are compared all the same; a file of nothing else need not fill the memory.
_MOST_WRONG_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One verdict (a code of its scale) or, where there is none, the error that stands in its place."""

    line: int
    item: str
    candidate: str
    verdict: str | None
    error: str | None
    explanation: str


def parse_judge_verdicts(content: bytes, name: str, scale: JudgeScale = CORRECTNESS) -> tuple[JudgeRow, ...]:
    """Read the bytes of a `.csv` or `.jsonl` file.

    A row without a verdict is kept as an error: it is never a wrong answer. Unknown columns are ignored, as judges
    write many.

    Raises
    ------
    InputRefused
        With all that is wrong, each naming the file and line, what was found and what was expected.
    """
    rows, problems = read_judge_verdicts(content, name, scale)
    problems.refuse()
    return rows


def read_judge_verdicts(
    content: bytes, name: str, scale: JudgeScale = CORRECTNESS
) -> tuple[tuple[JudgeRow, ...], Problems]:
    """Read a file as `parse_judge_verdicts` does, and return the rows that name their keys beside what is wrong.

    So the keys of a row whose verdict is wrong can be compared too, and all be refused at once. The rows stand for what
    a judge said only where there is no problem.

    Raises
    ------
    InputRefused
        The file cannot be read as a table at all.
    """
    problems = Problems()
    rows: list[JudgeRow] = []
    for number, entry in _lines(content, name, problems):
        if len(rows) == MOST_ROWS:
            raise InputRefused(f"{shown(name, 80)} has more than {MOST_ROWS:,} lines; split it into several runs.")
        before = problems.count
        row = _row(number, entry, shown(name, 80), scale, problems)
        if row is not None and (problems.count == before or before < _MOST_WRONG_ROWS):
            rows.append(row)
    if not rows and not problems.count:
        raise InputRefused(f"{shown(name, 80)} holds no verdicts; expected one line per candidate.")
    return tuple(rows), problems


def _lines(content: bytes, name: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read one line after the other: all of them at once, as dictionaries, would take eighty times the file."""
    ending = name.lower().rpartition(".")[2]
    name = shown(name, 80)
    if len(content) > LARGEST_FILE:
        raise InputRefused(f"{name} has more than {LARGEST_FILE // 10**6} MB; split it into several runs.")
    try:
        if ending in ("jsonl", "ndjson"):
            yield from _json_lines(decoded(content)[0], name, problems)
        elif ending == "csv":
            yield from _csv_lines(content, name, problems)
        else:
            raise InputRefused(f"{name}: expected a file ending in .csv or .jsonl; rename or convert it.")
    except NotRead as problem:
        raise InputRefused(f"{name} {problem}") from None


def _csv_lines(content: bytes, name: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    read = table_text(content, JUDGE_VERDICTS.names)
    reader = csv.DictReader(io.StringIO(read.text, newline=""), delimiter=read.separator, strict=True)
    last = before = read.lines_before
    try:
        header = list(reader.fieldnames or [])
        missing = [column for column in COLUMNS if column not in header]
        if missing:
            raise InputRefused(f"{name}, line 1: the header lacks {', '.join(missing)}; expected {', '.join(COLUMNS)}.")
        if len(header) != len(set(header)):
            raise InputRefused(f"{name}, line 1: the header names a column twice; keep one of each.")
        last = reader.line_num + before
        for row in reader:
            last = reader.line_num + before
            # A comma too many or too few would move another column's text into the verdict.
            if None in row or None in row.values():
                problems.add(
                    name,
                    f"line {last}",
                    f"not as many cells as the header has ({len(header)}); look for a missing comma or quotation mark.",
                )
                continue
            yield last, row
    except csv.Error as error:
        # An open quotation mark is noticed at the end of the file; it stands in the line after the last whole one.
        raise InputRefused(f"{name}, line {last + 1}: {csv_problem(error)}") from None


def _json_lines(text: str, name: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    # Not splitlines(): JSON may hold other line separators within its texts.
    for number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = _json_object(line)
        except ValueError as error:
            problems.add(name, f"line {number}", str(error))
        else:
            yield number, entry


def _json_object(line: str) -> dict[str, Any]:
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"{len(line):,} letters, at most {_LONGEST_LINE:,} are taken; shorten the explanation.")
    try:
        entry = json.loads(line, object_pairs_hook=_without_doubles, parse_int=_number, parse_float=_number)
    except (ValueError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else getattr(error, "msg", str(error))
        raise ValueError(f"not valid JSON ({problem}); correct the line.") from None
    if not isinstance(entry, dict) or any(column not in entry for column in COLUMNS):
        raise ValueError(f"expected an object with {', '.join(COLUMNS)}; correct the line.")
    return entry


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands twice: the standard keeps the last of them without a word."""
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise ValueError(f"the key '{shown(key)}' stands there twice")
        members[key] = value
    return members


def _number(written: str) -> int | float:
    if len(written) > _LONGEST_NUMBER:
        raise ValueError(f"a number of {len(written):,} digits")
    return float(written) if any(mark in written for mark in ".eE") else int(written)


def _row(number: int, entry: dict[str, Any], name: str, scale: JudgeScale, problems: Problems) -> JudgeRow | None:
    """Return a row that names its item and candidate; what is wrong with it is noted."""
    place = f"line {number}"
    texts = {column: _text(entry.get(column)) for column in JUDGE_VERDICTS.names}
    for column, text in texts.items():
        most = LONGEST_KEY if column in ("item", "candidate") else LONGEST_CELL
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            problems.add(
                name, place, f"{column} holds an unpaired surrogate, which is not a character; correct the text."
            )
            return None
        if len(text) > most:
            says = f"{column} has {len(text):,} letters, at most {most:,} are taken; shorten it."
            problems.add(name, place, says)
            return None
    item, candidate = texts["item"], texts["candidate"]
    if not item or not candidate:
        problems.add(name, place, "item or candidate is empty; every verdict needs both.")
        return None
    said, error = texts["verdict"].lower(), texts["error"]
    quoted = shown(said, 40)
    verdict = scale.code_of(said)
    if said and verdict is None:
        problems.add(
            name,
            place,
            f"verdict '{quoted}' {scale.refusal}; leave it empty where the judge gave none.",
        )
    if verdict is not None and error:
        problems.add(
            name,
            place,
            f"has both the verdict '{quoted}' and an error; a judge that failed gave none; empty one of the two.",
        )
    if verdict is None and not error:
        error = "no verdict"
    return JudgeRow(number, item, candidate, verdict, error or None, texts["explanation"])


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).replace("\x00", "").strip()
