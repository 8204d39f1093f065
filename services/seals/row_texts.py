"""The text of a row that is hashed: JSON without spaces, identical from SQLite and PostgreSQL.

Built column by column, because a freeze hashes hundreds of thousands of rows: the type of a column's values is then
checked once, and the interpreter's built-in functions do the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from json.encoder import encode_basestring_ascii
from typing import Any

from sqlalchemy import JSON, Float
from sqlalchemy.types import TypeEngine

from db import Base

Row = tuple[Any, ...]
Kinds = Mapping[str, TypeEngine[Any]]

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
# Cached JSON values, from the database's text to the hashed text; in a large table most of them repeat.
MOST_REMEMBERED = 50_000
# A column with at most this many distinct values is encoded once per value instead of once per row.
_FEW = 50
# Types whose values become JSON by a single built-in function; matched exactly, without subclasses.
_AT_ONCE: Mapping[type, Callable[[Any], str]] = {
    str: encode_basestring_ascii,
    int: int.__repr__,
    bool: lambda value: "true" if value else "false",
    type(None): lambda _: "null",
    datetime: lambda value: f'"{_moment(value)}"',
}


def kinds_of(table: type[Base], names: Iterable[str]) -> dict[str, TypeEngine[Any]]:
    """Return the types of a table's columns by name, in the order of `names`."""
    columns = table.metadata.tables[str(table.__tablename__)].columns
    return {name: columns[name].type for name in names}


class RowTexts:
    """Builds the texts of one table's rows.

    Parameters
    ----------
    kinds
        The type of each column, in the order of the rows.
    younger
        Columns added later, with the value they have in rows from before. That value is left out of the text; any other
        value follows the older columns, with the column's name.
    unread
        Whether JSON columns are given as the database's text instead of parsed values.
    """

    def __init__(self, kinds: Kinds, younger: Mapping[str, Any], *, unread: bool = False) -> None:
        self._kinds = [(name, isinstance(kind, JSON), isinstance(kind, Float)) for name, kind in kinds.items()]
        self._as_before = {name: _encode(value) for name, value in younger.items()}
        self._unread = unread
        self._known: dict[str | None, str] = {None: "null"}

    def of(self, rows: Sequence[Row]) -> list[str]:
        """Return the text of each row, without the enclosing brackets."""
        if len(rows) == 1:
            return [self._of_one(rows[0])]
        return self.halves(list(zip(*rows, strict=True)), 0)[1]

    def halves(self, columns: Sequence[Sequence[Any]], first: int) -> tuple[list[str], list[str]]:
        """Return for each row the texts of its first columns and of the rest; a comma belongs between the two."""
        old: list[list[str]] = []
        young: list[tuple[str, list[str]]] = []
        for (name, is_json, is_float), values in zip(self._kinds, columns, strict=True):
            texts = self._texts(values, is_json, is_float)
            if name in self._as_before:
                young.append((name, texts))
            else:
                old.append(texts)
        said = list(map(",".join, zip(*old[first:], strict=True)))
        for row, more in self._more(young).items():
            said[row] += f",{{{more}}}"
        return list(map(",".join, zip(*old[:first], strict=True))), said

    def _more(self, young: Iterable[tuple[str, list[str]]]) -> dict[int, str]:
        """Return the younger columns' values that differ from those of older rows, by row position."""
        more: dict[int, list[str]] = {}
        for name, texts in sorted(young):
            as_before, label = self._as_before[name], _encode(name)
            if texts.count(as_before) == len(texts):
                continue
            for row, text in enumerate(texts):
                if text != as_before:
                    more.setdefault(row, []).append(f"{label}:{text}")
        return {row: ",".join(parts) for row, parts in more.items()}

    def _of_one(self, row: Row) -> str:
        """Return the text of a single row, as `halves` does: most seals are on one row, which shares nothing."""
        old: list[str] = []
        young: list[tuple[str, str]] = []
        for (name, is_json, is_float), value in zip(self._kinds, row, strict=True):
            text = self._text(value, is_json, is_float)
            if name not in self._as_before:
                old.append(text)
            elif text != self._as_before[name]:
                young.append((name, text))
        if young:
            old.append(f"{{{','.join(f'{_encode(name)}:{text}' for name, text in sorted(young))}}}")
        return ",".join(old)

    def _text(self, value: Any, is_json: bool, is_float: bool) -> str:
        if is_json:
            return self._known.get(value) or self._read(value) if self._unread else _as_json(value)
        at_once = _AT_ONCE.get(type(value))
        if at_once is None or (is_float and value is not None):
            return _encode(plain(value, is_float))
        return at_once(value)

    def _texts(self, values: Sequence[Any], is_json: bool, is_float: bool) -> list[str]:
        if is_json:
            if not self._unread:
                return [_as_json(value) for value in values]
            known = self._known.get
            return [known(value) or self._read(value) for value in values]
        types = set(map(type, values))
        at_once = _AT_ONCE.get(types.pop()) if len(types) == 1 and (not is_float or types == {type(None)}) else None
        if at_once is not None:
            if len(distinct := set(values)) <= _FEW:
                said_of = {value: at_once(value) for value in distinct}
                return [said_of[value] for value in values]
            return list(map(at_once, values))
        return [_encode(plain(value, is_float)) for value in values]

    def _read(self, text: str) -> str:
        """Return the hashed form of a JSON column's value, given the database's text."""
        if len(self._known) >= MOST_REMEMBERED:
            self._known = {None: "null"}
        said = self._known[text] = _encode(json.loads(text))
        return said


def _moment(value: datetime) -> str:
    if value.tzinfo is None:
        return f"{value.isoformat(timespec='microseconds')}+00:00"
    return value.astimezone(UTC).isoformat(timespec="microseconds")


def _as_json(value: Any) -> str:
    """Return the hashed form of a JSON column's value. Most are empty lists, which need no encoder."""
    return "[]" if value == [] else "{}" if value == {} else _encode(value)


def plain(value: Any, is_float: bool) -> Any:
    """Return a value in the form that is hashed, whether it is new or was read from either database."""
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, date):
        return value.isoformat()
    return float(value) if is_float and value is not None else value
