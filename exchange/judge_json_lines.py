"""A judge's verdicts as JSON Lines: one object per candidate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from exchange.file_format import FileFormat, JudgeLine
from exchange.foreign.layout import Source
from exchange.json_text import json_value
from exchange.refusal import Problems
from exchange.spreadsheet import text_lines
from exchange.tables import JUDGE_VERDICTS

COLUMNS = JUDGE_VERDICTS.required
_LONGEST_LINE = 1_000_000


def read(content: bytes, name: str, problems: Problems) -> Iterator[JudgeLine]:
    """Read each line as an object; note lines that are not objects, and continue.

    Raises
    ------
    NotRead
        The bytes are not text.
    """
    # Not splitlines(): JSON texts may contain other line separators.
    for number, line in enumerate(text_lines(content, newline="\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = _json_object(line)
        except ValueError as error:
            problems.add_line(name, "line", number, str(error))
        else:
            yield number, entry


def are_ours(source: Source) -> bool:
    """Return whether a file is JSON Lines with our columns, whatever its name: its first object has all of them."""
    return source.is_object and not lacks(source.first, COLUMNS)


def lacks(entry: Mapping[str, Any], columns: Sequence[str]) -> bool:
    """Return whether an object lacks one of some columns; a reason for a missing verdict stands for a verdict.

    >>> lacks({"item": "i1", "failure": "refusal"}, ("item", "verdict"))
    False
    """
    has_reason = bool(entry.get("failure") or entry.get("error"))
    return any(column not in entry and not (has_reason and column == "verdict") for column in columns)


def _json_object(line: str) -> dict[str, Any]:
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"{len(line):,} letters, at most {_LONGEST_LINE:,} are taken; shorten the explanation.")
    try:
        entry = json_value(line)
    except ValueError as error:
        raise ValueError(f"not valid JSON ({error}); correct the line.") from None
    if not isinstance(entry, dict) or lacks(entry, COLUMNS):
        raise ValueError(f"expected an object with {', '.join(COLUMNS)}; correct the line.")
    return entry


FORMAT = FileFormat("JSON Lines", ("jsonl", "ndjson"), read)
