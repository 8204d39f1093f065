"""Rows as the text that is hashed of them: JSON without spaces, the same from either kind of database.

Made column by column, since hundreds of thousands of rows are hashed at a freeze: what the values of a column are is
then asked once, and the rest is done by functions of the interpreter.
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
# What JSON columns said last, as it was read and as it is hashed; in a large table most of it comes again.
MOST_REMEMBERED = 50_000
# A column in which there are no more values than that is looked up, not made for each row.
_FEW = 50
# Values that need nothing but a function of the interpreter to be JSON, by their exact type.
_AT_ONCE: Mapping[type, Callable[[Any], str]] = {
    str: encode_basestring_ascii,
    int: int.__repr__,
    bool: lambda value: "true" if value else "false",
    type(None): lambda _: "null",
    datetime: lambda value: f'"{_moment(value)}"',
}


def kinds_of(table: type[Base], names: Iterable[str]) -> dict[str, TypeEngine[Any]]:
    """Return what the columns of a table hold, by name, in the order of the names."""
    columns = table.metadata.tables[str(table.__tablename__)].columns
    return {name: columns[name].type for name in names}


class RowTexts:
    """Makes the texts of rows of one table.

    Parameters
    ----------
    kinds
        What each column holds, in the order of the rows.
    younger
        Columns with what they say in a row that is older than they are: that is left out, and whatever else they say
        is in the text by name, behind the others.
    unread
        JSON columns come as the text that the database has of them, not as what it says.
    """

    def __init__(self, kinds: Kinds, younger: Mapping[str, Any], *, unread: bool = False) -> None:
        self._kinds = list(kinds.items())
        self._as_before = {name: _encode(value) for name, value in younger.items()}
        self._unread = unread
        self._known: dict[str | None, str] = {None: "null"}

    def of(self, rows: Sequence[Row]) -> list[str]:
        """Return the text of each row, without the brackets round it."""
        return self.halves(list(zip(*rows, strict=True)), 0)[1]

    def halves(self, columns: Sequence[Sequence[Any]], first: int) -> tuple[list[str], list[str]]:
        """Return for each row the text of its first columns, and that of the others; a comma is between the two."""
        old: list[list[str]] = []
        young: list[tuple[str, list[str]]] = []
        for (name, kind), values in zip(self._kinds, columns, strict=True):
            texts = self._texts(kind, values)
            if name in self._as_before:
                young.append((name, texts))
            else:
                old.append(texts)
        said = list(map(",".join, zip(*old[first:], strict=True)))
        for row, more in self._more(young).items():
            said[row] += f",{{{more}}}"
        return list(map(",".join, zip(*old[:first], strict=True))), said

    def _more(self, young: Iterable[tuple[str, list[str]]]) -> dict[int, str]:
        """Return what younger columns say beside what they say in older rows, by the place of the row."""
        more: dict[int, list[str]] = {}
        for name, texts in sorted(young):
            as_before, label = self._as_before[name], _encode(name)
            if texts.count(as_before) == len(texts):
                continue
            for row, text in enumerate(texts):
                if text != as_before:
                    more.setdefault(row, []).append(f"{label}:{text}")
        return {row: ",".join(parts) for row, parts in more.items()}

    def _texts(self, kind: TypeEngine[Any], values: Sequence[Any]) -> list[str]:
        if isinstance(kind, JSON):
            if not self._unread:
                return [_as_json(value) for value in values]
            known = self._known.get
            return [known(value) or self._read(value) for value in values]
        is_float = isinstance(kind, Float)
        types = set(map(type, values))
        at_once = _AT_ONCE.get(types.pop()) if len(types) == 1 and (not is_float or types == {type(None)}) else None
        if at_once is not None:
            if len(distinct := set(values)) <= _FEW:
                said_of = {value: at_once(value) for value in distinct}
                return [said_of[value] for value in values]
            return list(map(at_once, values))
        return [_encode(plain(value, is_float)) for value in values]

    def _read(self, text: str) -> str:
        """Return what a JSON column says as it is hashed, from the text that the database has of it."""
        if len(self._known) >= MOST_REMEMBERED:
            self._known = {None: "null"}
        said = self._known[text] = _encode(json.loads(text))
        return said


def _moment(value: datetime) -> str:
    if value.tzinfo is None:
        return f"{value.isoformat(timespec='microseconds')}+00:00"
    return value.astimezone(UTC).isoformat(timespec="microseconds")


def _as_json(value: Any) -> str:
    """Return what a JSON column says as it is hashed; most say an empty list, which needs no encoder."""
    return "[]" if value == [] else "{}" if value == {} else _encode(value)


def plain(value: Any, is_float: bool) -> Any:
    """Return a value as it is hashed: the same whether it was just made or read from either kind of database."""
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, date):
        return value.isoformat()
    return float(value) if is_float and value is not None else value
