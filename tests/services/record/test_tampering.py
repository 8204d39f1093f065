"""What `verify` finds of changes that somebody with the database file makes, without and with an audit head kept."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from db import Database, audit
from db.engine import make_engine
from services.record import verification
from tests.db.full_study import full_study
from tests.harness import databases
from tests.harness.server import ROOT
from tests.services.record.tampering import DETECTED, DETECTED_WITH_A_HEAD, GUARDS, KNOWN, Act

DOCUMENT = ROOT / "docs" / "security.md"


@pytest.fixture(scope="module")
def worked_through(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a study in which every table holds a row, closed and complete in itself."""
    folder = tmp_path_factory.mktemp("worked-through")
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    full_study(Database(engine, folder / "data"), folder / "study")
    engine.dispose()
    return folder / "data"


@pytest.fixture
def study(worked_through: Path, tmp_path: Path) -> Iterator[Database]:
    """A copy of that study for one attack."""
    shutil.copytree(worked_through, tmp_path / "data")
    engine = make_engine(f"sqlite:///{(tmp_path / 'data' / 'blindread.db').as_posix()}")
    yield Database(engine, tmp_path / "data")
    engine.dispose()


def attack(database: Database, act: Act, *, lifting: bool = True) -> None:
    """Do something to the file; triggers are lifted before and put back afterwards, unless they are what is meant."""
    connection = sqlite3.connect(str(database.engine.url.database))
    connection.execute("PRAGMA foreign_keys=OFF")
    lifted = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in lifted if lifting else []:
        connection.execute(f"DROP TRIGGER {name}")
    act(connection)
    for _, statement in lifted if lifting else []:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_nothing_is_found_where_nothing_was_done(study: Database) -> None:
    assert verification.verify_study(study, "tiny") == []


@pytest.mark.parametrize("name", DETECTED)
def test_it_is_found_although_no_head_was_kept(study: Database, name: str) -> None:
    attack(study, DETECTED[name], lifting=name not in GUARDS)

    assert verification.verify_study(study, "tiny") != []


@pytest.mark.parametrize("name", KNOWN)
def test_it_is_known_not_to_be_found_and_stands_in_the_docs(study: Database, name: str) -> None:
    with study.read_only() as session:
        head = audit.head(session)

    attack(study, KNOWN[name])

    assert verification.verify_study(study, "tiny") == []
    assert (verification.verify_study(study, "tiny", head) != []) == (name in DETECTED_WITH_A_HEAD)
    assert name in DOCUMENT.read_text(encoding="utf-8")


def test_more_than_nine_in_ten_of_the_attacks_are_found() -> None:
    assert len(DETECTED) >= 55
    assert len(DETECTED) / (len(DETECTED) + len(KNOWN)) > 0.9
