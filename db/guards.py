"""What of the schema holds rows, and keeps them from being changed, doubled or orphaned: tables, triggers, keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Inspector, Table, UniqueConstraint, inspect, text

from db.base import Base

APPEND_ONLY = (
    "acknowledgement", "adjudication", "audit_event", "display", "flag", "freeze", "freeze_item", "judge_run",
    "judge_verdict", "practice_result", "reference", "review_task", "study_event", "technical_failure", "verdict",
    "viewing_trace",
)  # fmt: skip
# A draft's references may go; those of a frozen study may not.
_ONCE_FROZEN = (
    'EXISTS (SELECT 1 FROM item JOIN "freeze" ON "freeze".study_id = item.study_id WHERE item.id = OLD.item_id)'
)
_REFUSALS = {
    "refuse_change": "BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END",
    "refuse_change_once_frozen": (
        f"BEGIN IF {_ONCE_FROZEN} THEN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END IF; RETURN OLD; END"
    ),
}
# How the definition of a trigger of PostgreSQL ends that is there and does nothing.
_OFF = " (switched off)"
# An index that changes no row and refuses none: on plain columns, whatever they hold.
_PLAIN_INDEX = re.compile(r"CREATE INDEX \w+ ON \w+ ?\(\w+( (ASC|DESC))?(, \w+( (ASC|DESC))?)*\)", re.IGNORECASE)
# What SQLite keeps for itself in a database.
_OF_SQLITE = re.compile(r"sqlite_(autoindex_\w+|sequence|stat[1-4])")


def broken_guards(connection: Connection) -> list[str]:
    """Return one sentence for each part of the newest schema that is gone, was altered, or does not belong there."""
    inspector = inspect(connection)
    present = set(inspector.get_table_names())
    tables = [table for table in Base.metadata.sorted_tables if table.name in present]
    # A view in the place of a table holds no rows.
    problems = [f"The table '{name}' is gone." for name in sorted(Base.metadata.tables.keys() - present)]
    for table in tables:
        problems += _column_problems(inspector, table)
    problems += _compared(_triggers(connection), _triggers_there(connection))
    if connection.dialect.name == "postgresql":
        problems += _function_problems(connection) + _rule_problems(connection)
    elif connection.dialect.name == "sqlite":
        problems += _expression_problems(connection, inspector)
    for table in tables:
        problems += _unique_problems(inspector, table) + _index_problems(inspector, table)
        problems += _foreign_key_problems(inspector, table)
    return problems


def foreign_triggers(connection: Connection) -> list[str]:
    """Return one sentence for each trigger or rule that no release has made, whichever the schema's number is."""
    ours = {*_triggers(connection).values(), *_earlier_triggers(connection)}
    there = _triggers_there(connection)
    rules = _rule_problems(connection) if connection.dialect.name == "postgresql" else []
    return [_strange_trigger(name) for name in sorted(there) if there[name].removesuffix(_OFF) not in ours] + rules


def _triggers(connection: Connection) -> dict[str, str]:
    """Return the definitions of the newest schema's triggers by their names."""
    if connection.dialect.name == "postgresql":
        expected = {}
        for table in APPEND_ONLY:
            changes = "BEFORE UPDATE" if table == "reference" else "BEFORE DELETE OR UPDATE"
            expected[f"{table}_append_only"] = _postgresql_trigger(table, "append_only", changes)
            expected[f"{table}_no_truncate"] = _postgresql_trigger(table, "no_truncate", "BEFORE TRUNCATE", "STATEMENT")
        expected["reference_no_delete"] = _postgresql_trigger(
            "reference", "no_delete", "BEFORE DELETE", function="refuse_change_once_frozen"
        )
        return expected
    return {
        f"{table}_no_{change.lower()}": _sqlite_trigger(
            table, change, f"WHEN {_ONCE_FROZEN} " if (table, change) == ("reference", "DELETE") else ""
        )
        for table in APPEND_ONLY
        for change in ("UPDATE", "DELETE")
    }


def _earlier_triggers(connection: Connection) -> list[str]:
    """Return the definitions that only earlier schemas have: up to 0002 no reference could be deleted at all."""
    if connection.dialect.name == "postgresql":
        return [_postgresql_trigger("reference", "append_only", "BEFORE DELETE OR UPDATE")]
    return [_sqlite_trigger("reference", "DELETE", "")]


def _sqlite_trigger(table: str, change: str, condition: str) -> str:
    return _squeezed(
        f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} {condition}"
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    )


def _postgresql_trigger(
    table: str, kind: str, changes: str, each: str = "ROW", *, function: str = "refuse_change"
) -> str:
    return f"CREATE TRIGGER {table}_{kind} {changes} ON {table} FOR EACH {each} EXECUTE FUNCTION {function}()"


def _triggers_there(connection: Connection) -> dict[str, str]:
    if connection.dialect.name == "sqlite":
        rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
        return {str(name): _squeezed(str(sql)) for name, sql in rows}
    switched = connection.execute(
        text(
            "SELECT t.tgname, pg_get_triggerdef(t.oid), t.tgenabled FROM pg_trigger t "
            "JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE NOT t.tgisinternal AND n.nspname = current_schema()"
        )
    )
    return {
        str(name): _squeezed(str(definition).replace(f"{connection.dialect.default_schema_name}.", ""))
        + ("" if _letter(enabled) in {"O", "A"} else _OFF)
        for name, definition, enabled in switched
    }


def _function_problems(connection: Connection) -> list[str]:
    bodies = connection.execute(
        text("SELECT p.proname, p.prosrc FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
             "WHERE n.nspname = current_schema() AND p.proname LIKE 'refuse_change%'")
    )  # fmt: skip
    sources = {str(name): _squeezed(str(source)).rstrip(";") for name, source in bodies}
    return [
        f"The function '{name}', by which the database refuses changes, is gone or was altered."
        for name, body in sorted(_REFUSALS.items())
        if sources.get(name) != _squeezed(body)
    ]


def _rule_problems(connection: Connection) -> list[str]:
    """No release makes rules, by which PostgreSQL does something else, or more, than a statement says."""
    rules = connection.execute(
        text("SELECT rulename, tablename FROM pg_rules WHERE schemaname = current_schema() ORDER BY 2, 1")
    )
    return [f"The rule '{rule}' on '{table}' does not belong to this database." for rule, table in rules]


def _letter(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _compared(expected: dict[str, str], actual: dict[str, str]) -> list[str]:
    return [
        f"The trigger '{name}', which keeps rows from being changed, is gone or was altered."
        for name in sorted(expected)
        if actual.get(name) != expected[name]
    ] + [_strange_trigger(name) for name in sorted(actual.keys() - expected.keys())]


def _strange_trigger(name: str) -> str:
    return f"The trigger '{name}' does not belong to this database."


def _column_problems(inspector: Inspector, table: Table) -> list[str]:
    present = {column["name"] for column in inspector.get_columns(table.name)}
    return [
        f"The column '{column.name}' of '{table.name}' is gone."
        for column in table.columns
        if column.name not in present
    ]


def _index_problems(inspector: Inspector, table: Table) -> list[str]:
    """Compare what only makes queries quick; an index that somebody has added on plain columns stays.

    One on an expression, or with a condition, computes from each row that is stored, and can refuse it.
    """
    indexes = inspector.get_indexes(table.name)
    present = {tuple(index["column_names"]) for index in indexes}
    expected = {tuple(column.name for column in index.columns) for index in table.indexes if not index.unique}
    return [
        f"The index on {', '.join(columns)} of '{table.name}' is gone." for columns in sorted(expected - present)
    ] + [
        f"The index '{index['name']}' on '{table.name}' does not belong to this database."
        for index in indexes
        if not index["unique"] and (None in index["column_names"] or _condition(index.get("dialect_options", {})))
    ]


def _expression_problems(connection: Connection, inspector: Inspector) -> list[str]:
    """Return one sentence for each index of SQLite on an expression; no release has any, and reflection omits them."""
    rows = connection.execute(
        text("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    )
    reflected = {index["name"] for table in inspector.get_table_names() for index in inspector.get_indexes(table)}
    return [
        f"The {'unique ' if str(sql).upper().startswith('CREATE UNIQUE ') else ''}index '{name}' on '{table}' does not "
        "belong to this database."
        for name, table, sql in rows
        if name not in reflected
    ]


def _unique_problems(inspector: Inspector, table: Table) -> list[str]:
    """Compare the unique constraints and indexes with the model: their columns, and for which rows they hold."""
    actual = {
        (tuple(str(name) for name in index["column_names"]), _condition(index.get("dialect_options", {})))
        for index in inspector.get_indexes(table.name)
        if index["unique"]
    }
    actual |= {(tuple(constraint["column_names"]), "") for constraint in inspector.get_unique_constraints(table.name)}
    expected = {
        (tuple(column.name for column in constraint.columns), "")
        for constraint in table.constraints
        if isinstance(constraint, UniqueConstraint)
    }
    expected |= {
        (tuple(column.name for column in index.columns), _condition(index.dialect_kwargs))
        for index in table.indexes
        if index.unique
    }
    return [
        f"Nothing keeps '{table.name}' from holding the same {', '.join(sorted(columns))} twice any more{_where(rows)}."
        for columns, rows in sorted(expected - actual)
    ] + [
        f"The unique index on {', '.join(columns)} of '{table.name}'{_where(rows)} does not belong to this database."
        for columns, rows in sorted(actual - expected)
    ]


def _condition(options: Mapping[str, Any]) -> str:
    """Return for which rows an index holds, in one way of writing on either database; nothing where for all."""
    condition = next(
        (options[name] for name in ("sqlite_where", "postgresql_where") if options.get(name) is not None), ""
    )
    return _squeezed(str(condition)).removeprefix("(").removesuffix(")").lower()


def _where(rows: str) -> str:
    return f" where {rows}" if rows else ""


def _foreign_key_problems(inspector: Inspector, table: Table) -> list[str]:
    actual = {
        (
            tuple(foreign_key["constrained_columns"]),
            foreign_key["referred_table"],
            tuple(foreign_key["referred_columns"]),
        )
        for foreign_key in inspector.get_foreign_keys(table.name)
    }
    expected = {
        (
            tuple(column.name for column in constraint.columns),
            constraint.referred_table.name,
            tuple(element.column.name for element in constraint.elements),
        )
        for constraint in table.foreign_key_constraints
    }
    return [
        f"Nothing ties {', '.join(columns)} of '{table.name}' to '{referred}' any more."
        for columns, referred, _ in sorted(expected - actual)
    ] + [
        f"The foreign key from {', '.join(columns)} of '{table.name}' to '{referred}' does not belong to this database."
        for columns, referred, _ in sorted(actual - expected)
    ]


def _squeezed(sql: str) -> str:
    """Return a definition in one way of writing; quotes go only from round a name, of which they change nothing."""
    return re.sub(r"\s+", " ", re.sub(r'"(\w+)"', r"\1", sql)).strip()


def definitions(connection: Connection) -> dict[tuple[str, str], str]:
    """Return the definitions in a SQLite database by kind and name, but for what SQLite makes by itself."""
    rows = connection.execute(text("SELECT type, name, sql FROM sqlite_master"))
    return {
        (str(kind), str(name)): _in_one_order(_squeezed(str(sql))) if kind == "table" else _squeezed(str(sql))
        for kind, name, sql in rows
        if not (kind in {"table", "index"} and _OF_SQLITE.fullmatch(str(name)))
    }


def _in_one_order(table: str) -> str:
    """Return a table's definition with its columns and constraints by the alphabet; migrations write them in any."""
    head, _, rest = table.partition("(")
    body, _, tail = rest.rpartition(")")
    parts, depth, quoted = [""], 0, False
    for sign in body:
        quoted ^= sign == "'"
        depth += 0 if quoted else {"(": 1, ")": -1}.get(sign, 0)
        if sign == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += sign
    return f"{head}({', '.join(sorted(part.strip() for part in parts))}){tail}"


def altered_definitions(actual: Mapping[tuple[str, str], str], expected: Mapping[tuple[str, str], str]) -> list[str]:
    """Return one sentence for each definition that is not as a new database of the same schema has it.

    An index that somebody has added on plain columns changes no row and refuses none.
    """
    gone = [f"The {kind} '{name}' is gone." for kind, name in sorted(expected.keys() - actual.keys())]
    altered = [
        f"The {kind} '{name}' was altered."
        for kind, name in sorted(expected.keys() & actual.keys())
        if actual[kind, name] != expected[kind, name]
    ]
    added = [
        f"The {kind} '{name}' does not belong to this database."
        for kind, name in sorted(actual.keys() - expected.keys())
        if not _PLAIN_INDEX.fullmatch(actual[kind, name])
    ]
    return gone + altered + added
