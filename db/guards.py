"""What of the schema keeps rows from being changed, doubled or orphaned: triggers, unique indexes, foreign keys."""

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


def broken_guards(connection: Connection) -> list[str]:
    """Return one sentence for each guard that is gone, was altered, or does not belong there."""
    problems = _postgresql(connection) if connection.dialect.name == "postgresql" else _sqlite(connection)
    inspector = inspect(connection)
    for table in Base.metadata.sorted_tables:
        if not inspector.has_table(table.name):
            problems.append(f"The table '{table.name}' is gone.")
            continue
        problems += _unique_problems(inspector, table) + _foreign_key_problems(inspector, table)
    return problems


def _sqlite(connection: Connection) -> list[str]:
    expected = {}
    for table in APPEND_ONLY:
        for change in ("UPDATE", "DELETE"):
            once_frozen = f"WHEN {_ONCE_FROZEN} " if (table, change) == ("reference", "DELETE") else ""
            expected[f"{table}_no_{change.lower()}"] = _squeezed(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} {once_frozen}"
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
    rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
    return _compared(expected, {str(name): _squeezed(str(sql)) for name, sql in rows})


def _postgresql(connection: Connection) -> list[str]:
    expected = {}
    for table in APPEND_ONLY:
        changes = "BEFORE UPDATE" if table == "reference" else "BEFORE DELETE OR UPDATE"
        expected[f"{table}_append_only"] = _postgresql_trigger(table, "append_only", changes, "ROW", "refuse_change")
        expected[f"{table}_no_truncate"] = _postgresql_trigger(
            table, "no_truncate", "BEFORE TRUNCATE", "STATEMENT", "refuse_change"
        )
    expected["reference_no_delete"] = _postgresql_trigger(
        "reference", "no_delete", "BEFORE DELETE", "ROW", "refuse_change_once_frozen"
    )
    rows = connection.execute(
        text(
            "SELECT t.tgname, pg_get_triggerdef(t.oid), t.tgenabled FROM pg_trigger t "
            "JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE NOT t.tgisinternal AND n.nspname = current_schema()"
        )
    )
    actual = {
        str(name): _squeezed(str(definition).replace(f"{connection.dialect.default_schema_name}.", ""))
        + ("" if _letter(enabled) in {"O", "A"} else " (switched off)")
        for name, definition, enabled in rows
    }
    bodies = connection.execute(
        text("SELECT p.proname, p.prosrc FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
             "WHERE n.nspname = current_schema() AND p.proname LIKE 'refuse_change%'")
    )  # fmt: skip
    sources = {str(name): _squeezed(str(source)).rstrip(";") for name, source in bodies}
    return _compared(expected, actual) + [
        f"The function '{name}', by which the database refuses changes, is gone or was altered."
        for name, body in sorted(_REFUSALS.items())
        if sources.get(name) != _squeezed(body)
    ]


def _postgresql_trigger(table: str, kind: str, changes: str, each: str, function: str) -> str:
    return f"CREATE TRIGGER {table}_{kind} {changes} ON {table} FOR EACH {each} EXECUTE FUNCTION {function}()"


def _letter(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _compared(expected: dict[str, str], actual: dict[str, str]) -> list[str]:
    return [
        f"The trigger '{name}', which keeps rows from being changed, is gone or was altered."
        for name in sorted(expected)
        if actual.get(name) != expected[name]
    ] + [f"The trigger '{name}' does not belong to this database." for name in sorted(actual.keys() - expected.keys())]


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
    return re.sub(r"\s+", " ", sql.replace('"', "")).strip()
