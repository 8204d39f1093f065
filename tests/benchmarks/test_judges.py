"""What is measured of judges' verdicts is what was filled in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks import judges
from db import Database


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A database with 2 runs over 120 candidates."""
    database = judges.fill(tmp_path_factory.mktemp("judges") / "judged", 120, 2)
    yield database
    database.engine.dispose()


@pytest.mark.parametrize(
    ("way", "verdicts", "held"), [("columns", 240, 9 * 240), ("rows", 240, 9 * 240), ("objects", 120, 0)]
)
def test_each_way_reads_the_verdicts_that_it_says(filled: Database, way: str, verdicts: int, held: int) -> None:
    with filled.read_only() as session:
        result = judges.WAYS[way](session)

    assert result[:2] == (verdicts, held)
