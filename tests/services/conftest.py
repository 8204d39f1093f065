"""The tiny study, imported or frozen once per session and copied for each test that needs no other engine or rules."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from db import Database
from db.engine import make_engine
from tests.harness import databases
from tests.situations import Situation, imported_study, open_study


def _made_once(folder: Path, migrated: Path, make: Callable[[Database, Path], Situation]) -> Situation:
    """Reach a situation in a database of its own and close that, so that its files can be copied."""
    data_dir = folder / "data"
    engine = make_engine(databases.copy_of_sqlite_file(migrated, data_dir / "blindread.db"))
    situation = make(Database(engine, data_dir), folder / "study")
    engine.dispose()
    return situation


def _copied(situation: Situation, target: Path) -> Iterator[Situation]:
    shutil.copytree(situation.database.data_dir, target)
    engine = make_engine(databases.sqlite_url(target / "blindread.db"))
    yield replace(situation, database=Database(engine, target))
    engine.dispose()


@pytest.fixture(scope="session")
def _imported_once(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Situation:
    return _made_once(tmp_path_factory.mktemp("imported"), migrated_sqlite, imported_study)


@pytest.fixture(scope="session")
def _opened_once(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Situation:
    return _made_once(tmp_path_factory.mktemp("opened"), migrated_sqlite, open_study)


@pytest.fixture
def imported(_imported_once: Situation, tmp_path: Path) -> Iterator[Situation]:
    """The tiny study, imported and not frozen, in a SQLite database of this test's own."""
    yield from _copied(_imported_once, tmp_path / "imported")


@pytest.fixture
def opened(_opened_once: Situation, tmp_path: Path) -> Iterator[Situation]:
    """The tiny study, frozen and open for reading, in a SQLite database of this test's own."""
    yield from _copied(_opened_once, tmp_path / "opened")
