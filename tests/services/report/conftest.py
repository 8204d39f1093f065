"""Closed studies and their reports, shared by the tests that only read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from db.engine import Database, make_engine
from services.progress import data_lock
from services.report import Report, build_report
from tests.harness.databases import copy_of_sqlite_file
from tests.services.report import sealed_scores
from tests.services.report.looked_at import read_study
from tests.services.report.situations import STUDY, Situation, closed_study
from tests.situations import Situation as ListedSituation


@pytest.fixture(scope="package")
def closed_ended(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Situation]:
    """A study read, scored, reviewed, judged and closed; not to be changed."""
    folder = tmp_path_factory.mktemp("closed")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    yield closed_study(Database(engine, folder / "data"), folder / "study")
    engine.dispose()


@pytest.fixture(scope="package")
def report(closed_ended: Situation) -> Report:
    """The report of the closed study."""
    return build_report(closed_ended.database, closed_ended.admin, STUDY)


@pytest.fixture(scope="package")
def looked(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    """The report of a closed study whose reads come with viewing traces."""
    folder = tmp_path_factory.mktemp("looked")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    situation = read_study(Database(engine, folder / "data"), folder / "study")
    data_lock.close_study(situation.database, situation.admin, STUDY)
    yield build_report(situation.database, situation.admin, STUDY)
    engine.dispose()


@pytest.fixture(scope="module")
def sealed(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ListedSituation]:
    """A study that is divided, read, closed and judged; nothing of its test subjects is opened."""
    situation = sealed_scores.divided_read_and_judged(migrated_sqlite, tmp_path_factory.mktemp("sealed"))
    yield situation
    situation.database.engine.dispose()
