"""A database's schema as the database itself reports it, compared with what the migrations make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from pathlib import Path

from sqlalchemy import Connection, text

# Labels such as "table 'study'" or "trigger 'verdict_no_update' on 'verdict'", each with its parts: the columns and
# constraints of a table, or the single definition of anything else.
Definitions = Mapping[str, frozenset[str]]

_OF_POSTGRESQL = text(Path(__file__).with_name("postgresql_schema.sql").read_text(encoding="utf-8"))
# After a restore, PostgreSQL prints IN with an array of `varchar` differently: the cast is on each value, or on all.
_VALUE_AS_TEXT = re.compile(r"\(('(?:[^']|'')*'::character varying)\)::text")
_ARRAY_AS_TEXT = re.compile(r"\((ARRAY\[[^]]*\])\)::text\[\]")
# A name may be quoted, and which names PostgreSQL quotes depends on its version's keywords. Text literals keep their
# blanks and quotes. So does a quoted word that is not a name when unquoted: SQLite reads "NULL" as text.
_IN_MANY_WAYS = re.compile(r"""(?P<text>'(?:[^']|'')*')|"(?P<name>(?!(?:true|false|null)")[a-z_][a-z0-9_]*)"|\s+""")
# SQLite's own internal objects.
_OF_SQLITE = re.compile(r"sqlite_(autoindex_\w+|sequence|stat[1-4])")
# An index that neither changes nor refuses any row. Every other addition is reported.
_PLAIN = "plain index"
_LONGEST_PART = 150


def definitions(connection: Connection) -> Definitions:
    """Return the parts of a database's schema (SQLite or PostgreSQL), without the database's internal objects."""
    listed: dict[str, frozenset[str]] = {}
    for kind, name, table, parts in (
        _in_sqlite(connection) if connection.dialect.name == "sqlite" else _in_postgresql(connection)
    ):
        on_table = f" on '{table}'" if table else ""
        label = f"{kind} '{name}'{on_table}"
        # Definitions with the same parts are the same objects, which are compared at once.
        listed[label] = listed[label] | parts if label in listed else frozenset(parts)
    return listed


def altered_definitions(actual: Definitions, expected: Definitions) -> list[str]:
    """Return one sentence for each definition that differs from a new database with the same schema.

    Parts that go or come with their table are not listed separately, and added indexes on plain columns are ignored.
    """
    gone, added = expected.keys() - actual.keys(), actual.keys() - expected.keys()
    return (
        [f"The {label} is gone." for label in sorted(gone) if not _goes_with_table(label, gone)]
        + [
            f"The {label} was altered{_difference(actual[label], expected[label])}."
            for label in sorted(expected.keys() & actual.keys())
            if actual[label] != expected[label]
        ]
        + [
            f"The {label} does not belong to this database."
            for label in sorted(added)
            if not label.startswith(_PLAIN) and not _goes_with_table(label, added)
        ]
    )


def _goes_with_table(label: str, labels: Iterable[str]) -> bool:
    tables = (other.removeprefix("table ") for other in labels if other.startswith("table "))
    return any(label.endswith(f" on {table}") for table in tables)


def _difference(actual: frozenset[str], expected: frozenset[str]) -> str:
    """Return which parts of a table are gone or new; for anything with a single part, "was altered" says it all."""
    if len(expected) == 1:
        return ""
    differences = (("gone", expected - actual), ("new", actual - expected))
    said = [
        f"{word}: {', '.join(part[:_LONGEST_PART] for part in sorted(parts))}" for word, parts in differences if parts
    ]
    return f" ({'; '.join(said)})"


def _in_postgresql(connection: Connection) -> Iterable[tuple[str, str, str, AbstractSet[str]]]:
    for kind, name, table, part in connection.execute(_OF_POSTGRESQL):
        yield kind, name, table, set() if part is None else {_as_made(part)}


def _as_made(definition: str) -> str:
    return _ARRAY_AS_TEXT.sub(r"\1", _VALUE_AS_TEXT.sub(r"\1", _squeezed(definition)))


def _in_sqlite(connection: Connection) -> Iterable[tuple[str, str, str, AbstractSet[str]]]:
    plain: dict[str, str] = dict(
        connection.execute(
            text(
                "SELECT m.name, (SELECT group_concat(name || CASE \"desc\" WHEN 1 THEN ' DESC' ELSE '' END, ', ') "
                'FROM pragma_index_xinfo(m.name) WHERE "key") '
                "FROM sqlite_master m JOIN pragma_index_list(m.tbl_name) l ON l.name = m.name "
                "WHERE m.type = 'index' AND NOT l.\"unique\" AND NOT l.partial AND NOT EXISTS "
                "(SELECT 1 FROM pragma_index_xinfo(m.name) WHERE \"key\" AND (cid = -2 OR upper(coll) <> 'BINARY'))"
            )
        ).all()
    )
    for kind, name, table, sql in connection.execute(text("SELECT type, name, tbl_name, sql FROM sqlite_master")):
        if kind in {"table", "index"} and _OF_SQLITE.fullmatch(name):
            continue
        if kind == "table":
            yield kind, name, "", _parts_of_table(_squeezed(str(sql)))
        elif kind == "view":
            yield kind, name, "", {_squeezed(str(sql))}
        elif kind == "index" and name in plain:
            yield _PLAIN, name, table, {plain[name]}
        else:
            unique = "unique " if re.match(r"CREATE\s+UNIQUE\b", str(sql), re.IGNORECASE) else ""
            yield f"{unique}{kind}", name, table, {_squeezed(str(sql))}


# One release has few definitions, and a program that verifies many databases reads each of them repeatedly.
@lru_cache(maxsize=1000)
def _squeezed(sql: str) -> str:
    """Normalise a definition's spelling. Quotes are removed only around names that mean the same without them."""
    return _IN_MANY_WAYS.sub(lambda match: match["text"] or match["name"] or " ", sql).strip()


@lru_cache(maxsize=1000)
def _parts_of_table(definition: str) -> frozenset[str]:
    """Return a table's columns, constraints and enclosing text as a set, because migrations write them in any order."""
    head, _, rest = definition.partition("(")
    body, _, tail = rest.rpartition(")")
    parts, depth, quoted = [""], 0, False
    for sign in body:
        quoted ^= sign == "'"
        depth += 0 if quoted else {"(": 1, ")": -1}.get(sign, 0)
        if sign == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += sign
    return frozenset({f"{head.strip()} (){tail}", *(part.strip() for part in parts)})
