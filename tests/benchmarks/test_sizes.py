"""What is measured of large studies is what the lines say, and nothing waits for each row of a pool."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import event

from benchmarks import sizes
from db import Database
from services.studies.folders import importing
from tests.situations import owner_of

# Of the sizes; in so much of a thousand errors, and of a pool, each line does what it says.
PART = 0.003


@pytest.mark.parametrize("line", range(len(sizes.LINES)))
def test_each_line_is_done(line: int, tmp_path: Path) -> None:
    act, _ = list(sizes.LINES.values())[line]

    assert act(tmp_path / "line", 0.02 if line == 3 else PART).processor > 0


def test_an_import_takes_no_statement_for_each_row(sqlite_database: Database, tmp_path: Path) -> None:
    admin = owner_of(sqlite_database)
    sent: list[str] = []

    def note(connection: object, cursor: object, statement: str, *more: object) -> None:
        sent.append(statement)

    event.listen(sqlite_database.engine, "before_cursor_execute", note)
    counts = []
    for name, items in (("few", 160), ("many", 800)):
        folder = sizes.write_pool(tmp_path / name, items, items, 10, 2 * items)
        sent.clear()
        importing.import_study(sqlite_database, admin, folder, key=name)
        counts.append(len(sent))

    assert counts[0] == counts[1]
