"""Every row of a table has as many cells as its heading: a lost one moves all others under the wrong heading."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.markdown import FENCED, documents, name_of
from tests.harness.server import ROOT

TABLE = re.compile(r"(?:^ *\|.*\n?)+", re.M)
EDGE = re.compile(r"(?<!\\)\|")


def uneven_rows(text: str) -> list[str]:
    """Return the rows of tables that have more or fewer cells than their heading."""
    tables = [table.splitlines() for table in TABLE.findall(FENCED.sub("", text))]
    return [row for table in tables for row in table if len(EDGE.findall(row)) != len(EDGE.findall(table[0]))]


@pytest.mark.parametrize("document", [*documents(), ROOT / "CHANGELOG.md"], ids=name_of)
def test_every_row_of_a_table_has_as_many_cells_as_its_heading(document: Path) -> None:
    assert uneven_rows(document.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "uneven"),
    [
        ("| a | b |\n|---|---|\n| 1 | 2 |", []),
        ("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 |", ["| 1 |"]),
        ("| a |\n|---|\n\n| a | b |\n|---|---|", []),
        ("| a |\n|---|\n| `x \\| y` |", []),
    ],
)
def test_a_row_that_lost_a_cell_is_told_from_others(text: str, uneven: list[str]) -> None:
    assert uneven_rows(text) == uneven
