"""A judge's verdicts as JSON Lines: one object for each candidate."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

from exchange.file_format import FileFormat, JudgeLine
from exchange.refusal import Problems, shown
from exchange.spreadsheet import decoded
from exchange.tables import JUDGE_VERDICTS

COLUMNS = JUDGE_VERDICTS.required
_LONGEST_LINE = 1_000_000
_LONGEST_NUMBER = 40


def read(content: bytes, name: str, problems: Problems) -> Iterator[JudgeLine]:
    """Read each line as an object; a line that is none is noted, and the next one read.

    Raises
    ------
    NotRead
        The bytes are no text.
    """
    # Not splitlines(): JSON may hold other line separators within its texts.
    for number, line in enumerate(io.StringIO(decoded(content)[0], newline="\n"), start=1):
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


FORMAT = FileFormat("JSON Lines", ("jsonl", "ndjson"), read)
