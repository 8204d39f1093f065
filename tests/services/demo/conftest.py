"""The demo as it is brought in, shared by the tests that look at what is there then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from db import Database
from db.engine import DATABASE_FILE, make_engine
from services.demo import example
from tests.harness.databases import copy_of_sqlite_file
from tests.harness.ending import made_once


@pytest.fixture(scope="module")
def seeded(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The whole demo in a SQLite database of this file's own, with coarse scans and without their files."""

    def seed(place: Path) -> None:
        engine = make_engine(copy_of_sqlite_file(migrated_sqlite, place / DATABASE_FILE))
        example.seed_demo(Database(engine, place), step=9.0)
        engine.dispose()

    folder = tmp_path_factory.mktemp("seeded")
    engine = make_engine(copy_of_sqlite_file(made_once("demo", seed) / DATABASE_FILE, folder / DATABASE_FILE))
    yield Database(engine, folder)
    engine.dispose()
