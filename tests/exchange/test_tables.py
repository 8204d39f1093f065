"""The documentation of the tables is printed from what the parsers ask; whoever changes one changes both."""

from __future__ import annotations

from pathlib import Path

from exchange.tables import ITEMS, LISTED_MAY_LEAVE_OUT, LISTED_TABLES, STUDY_TABLES, as_markdown

ROOT = Path(__file__).resolve().parents[2]


def test_the_documentation_is_what_the_code_asks() -> None:
    assert (ROOT / "docs" / "tables.md").read_text(encoding="utf-8") == as_markdown(), (
        "run: python -m exchange.tables > docs/tables.md"
    )


def test_every_column_has_its_words_and_an_example() -> None:
    for table in STUDY_TABLES:
        assert table.unique is None or table.unique in table.required
        for column in table.columns:
            assert column.says.endswith(".") and column.example and column.values, (table.file, column.name)
            assert not column.allowed or column.example in column.allowed


def test_a_column_that_may_be_missing_may_be_empty() -> None:
    assert all(column.default is not None for column in ITEMS.columns if column.optional)


def test_what_a_listed_study_may_leave_out_stands_in_one_table() -> None:
    section = as_markdown().split("## What a study that lists its phases may leave out")[1].split("\n## ")[0]

    assert [name for name in LISTED_MAY_LEAVE_OUT if f"| `{name}` |" not in section] == []
    assert "| `items.csv` | `category` | it has no category |" in section
    assert "`cases.csv` | `case`" not in section


def test_what_a_listed_study_may_leave_out_is_a_column_of_its_tables() -> None:
    assert {column.name for table in LISTED_TABLES for column in table.columns} >= set(LISTED_MAY_LEAVE_OUT)
