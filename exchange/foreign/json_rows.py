"""Rows of JSON files (an array of objects, or one object per line), and the value at a path within a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from exchange.foreign.layout import Asked, RawRow, Source
from exchange.json_parts import values_of_array
from exchange.json_text import json_value
from exchange.refusal import InputRefused, Problems
from exchange.spreadsheet import NotRead, text_lines

# A row may contain a conversation, but not a book.
_LONGEST_LINE = 16_000_000
_INDEX = re.compile(r"\d{1,9}", re.ASCII)


def json_rows(source: Source, _asked: Asked, problems: Problems) -> Iterator[RawRow]:
    """Read the objects of an array, numbered from 1, or of each line; a line that is not an object is noted.

    Raises
    ------
    InputRefused
        An array is damaged, so that the rest cannot be read.
    """
    if source.is_array:
        yield from _entries(source, problems)
        return
    for number, line in enumerate(text_lines(source.content, newline="\n"), start=1):
        if not line.strip():
            continue
        try:
            if len(line) > _LONGEST_LINE:
                raise ValueError(f"{len(line):,} letters, at most {_LONGEST_LINE:,} are taken")
            value = json_value(line)
            if not isinstance(value, dict):
                raise ValueError("expected an object")
        except ValueError as error:
            problems.add_line(source.name, "line", number, f"not valid JSON ({error}); correct the line.")
        else:
            yield number, value


def _entries(source: Source, problems: Problems) -> Iterator[RawRow]:
    number = 0
    try:
        for number, value in enumerate(values_of_array(source.content), start=1):
            if isinstance(value, dict):
                yield number, value
            else:
                problems.add_line(source.name, "entry", number, "expected an object; correct or remove it.")
    except NotRead:
        raise
    except ValueError as error:
        raise InputRefused(
            f"{source.name}, entry {number + 1}: not valid JSON ({error}); export the file again."
        ) from None


def value_at(row: Any, path: str) -> Any:
    """Return the value at a path such as `output.choices.0.text`, or under a key with that name; None if there is none.

    A path that does not exist to its end has no value, just like one that ends in null.
    """
    if isinstance(row, Mapping) and path in row:
        return row[path]
    value: Any = row
    for part in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, Sequence) and not isinstance(value, str) and _INDEX.fullmatch(part):
            value = value[int(part)] if int(part) < len(value) else None
        else:
            return None
    return value


def leads_somewhere(row: Any, path: str) -> bool:
    """Return whether a path exists to its end, even if its value is null or an empty text."""
    if isinstance(row, Mapping) and path in row:
        return True
    before, _, last = path.rpartition(".")
    value = value_at(row, before) if before else row
    if isinstance(value, Mapping):
        return last in value
    return value_at(row, path) is not None


def clue(*values: Any) -> tuple[str, ...]:
    """Return values as a clue: all non-empty values as text, with the entries of lists taken one by one."""
    if len(values) == 1 and isinstance(values[0], str):
        # Fast path: nearly all clues are a single text, and each of a million rows has some.
        return values if values[0].strip() else ()
    texts: list[str] = []
    for value in values:
        if isinstance(value, list):
            texts += clue(*value)
        elif isinstance(value, float) and value.is_integer():
            texts.append(str(int(value)))
        elif isinstance(value, str | int | float) and str(value).strip():
            texts.append(str(value))
    return tuple(dict.fromkeys(texts))


def clues_of(**clues: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the clues that are not empty."""
    return {name: values for name, values in clues.items() if values}
