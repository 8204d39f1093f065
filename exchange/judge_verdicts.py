"""A judge's verdicts on candidates, as CSV or JSON Lines with item, candidate and verdict."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import Any

from exchange.refusal import InputRefused

CORRECT = frozenset({"correct", "1", "true", "yes"})
INCORRECT = frozenset({"incorrect", "0", "false", "no"})
COLUMNS = ("item", "candidate", "verdict")


@dataclass(frozen=True)
class JudgeRow:
    """One verdict (`correct`, `incorrect`) or, where there is none, the error that stands in its place."""

    line: int
    item: str
    candidate: str
    verdict: str | None
    error: str | None
    explanation: str


def parse_judge_verdicts(content: bytes, name: str) -> tuple[JudgeRow, ...]:
    """Read the bytes of a `.csv` or `.jsonl` file.

    A row without a verdict is kept as an error: it is never a wrong answer. Unknown columns are ignored, as judges
    write many.

    Raises
    ------
    InputRefused
        Naming the file and line, what was found and what was expected.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputRefused(f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None
    if name.lower().endswith((".jsonl", ".ndjson")):
        numbered = _json_lines(text, name)
    elif name.lower().endswith(".csv"):
        numbered = _csv_lines(text, name)
    else:
        raise InputRefused(f"{name}: expected a file ending in .csv or .jsonl; rename or convert it.")
    rows = tuple(_row(number, found, name) for number, found in numbered)
    if not rows:
        raise InputRefused(f"{name} holds no verdicts; expected one line per candidate.")
    return rows


def _csv_lines(text: str, name: str) -> list[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[int, dict[str, Any]]] = []
    last = 0
    try:
        header = list(reader.fieldnames or [])
        missing = [column for column in COLUMNS if column not in header]
        if missing:
            raise InputRefused(f"{name}, line 1: the header lacks {', '.join(missing)}; expected {', '.join(COLUMNS)}.")
        if len(header) != len(set(header)):
            raise InputRefused(f"{name}, line 1: the header names a column twice; keep one of each.")
        last = reader.line_num
        for row in reader:
            last = reader.line_num
            # A comma too many or too few would move another column's text into the verdict.
            if None in row or None in row.values():
                raise InputRefused(
                    f"{name}, line {reader.line_num}: not as many cells as the header has ({len(header)}); look for a "
                    "missing comma or quotation mark."
                )
            rows.append((reader.line_num, row))
    except csv.Error as error:
        # An open quotation mark is noticed at the end of the file; it stands in the line after the last whole one.
        raise InputRefused(f"{name}, line {last + 1}: not valid CSV ({error}); mend the line.") from None
    return rows


def _json_lines(text: str, name: str) -> list[tuple[int, dict[str, Any]]]:
    rows = []
    # Not splitlines(): JSON may hold other line separators within its texts.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            problem = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
            raise InputRefused(f"{name}, line {number}: not valid JSON ({problem}); mend the line.") from None
        if not isinstance(found, dict) or any(column not in found for column in COLUMNS):
            raise InputRefused(f"{name}, line {number}: expected an object with {', '.join(COLUMNS)}; mend the line.")
        rows.append((number, found))
    return rows


def _row(number: int, found: dict[str, Any], name: str) -> JudgeRow:
    item, candidate = _text(found.get("item")), _text(found.get("candidate"))
    if not item or not candidate:
        raise InputRefused(f"{name}, line {number}: item or candidate is empty; every verdict needs both.")
    said = _text(found.get("verdict")).lower()
    error = _text(found.get("error"))
    verdict = "correct" if said in CORRECT else "incorrect" if said in INCORRECT else None
    if said and verdict is None:
        raise InputRefused(
            f"{name}, line {number}: verdict '{said[:40]}' is neither correct nor incorrect (1 or 0); leave it empty "
            "where the judge gave none."
        )
    if verdict is not None and error:
        raise InputRefused(
            f"{name}, line {number}: has both the verdict '{said}' and an error; a judge that failed gave none; "
            "empty one of the two."
        )
    if verdict is None and not error:
        error = "no verdict"
    return JudgeRow(number, item, candidate, verdict, error or None, _text(found.get("explanation")))


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).replace("\x00", "").strip()
