"""The documentation of the tables is printed from what the parsers ask; whoever changes one changes both."""

from __future__ import annotations

from pathlib import Path

from exchange.tables import ITEMS, STUDY_TABLES, as_markdown

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
