"""Of the named queries only those in `references.py` read the table of references."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

QUERIES = Path(__file__).resolve().parents[2] / "db" / "queries"


def reads_references(source: str) -> bool:
    """Return whether a program names the table of references: its class, or the table by its name."""
    return any(
        (isinstance(node, ast.Name) and node.id == "Reference")
        or (isinstance(node, ast.Attribute) and node.attr == "Reference")
        or (isinstance(node, ast.Constant) and node.value == "reference")
        for node in ast.walk(ast.parse(source))
    )


def test_the_references_are_read_in_one_file() -> None:
    reading = [file.name for file in sorted(QUERIES.glob("*.py")) if reads_references(file.read_text(encoding="utf-8"))]

    assert reading == ["references.py"]


@pytest.mark.parametrize(
    "source", ["select(Reference.accepted)", "select(study.Reference)", "Base.metadata.tables['reference']"]
)
def test_a_query_that_joins_the_references_is_noticed(source: str) -> None:
    assert reads_references(source)
