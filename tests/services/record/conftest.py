"""Places without a database, for what is brought back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from db import Database
from db.engine import make_engine
from tests.harness import postgresql

MakeEmpty = Callable[[str], Database]


@pytest.fixture
def make_empty(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeEmpty]:
    """A function that makes a place without a database, of either kind."""
    made: list[Database] = []
    programs = postgresql.find_postgresql()
    if programs is not None:
        monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")

    def make(kind: str) -> Database:
        folder = tmp_path / f"elsewhere-{len(made)}"
        if kind == "sqlite":
            url = f"sqlite:///{folder / 'blindread.db'}"
            folder.mkdir()
        else:
            server = request.getfixturevalue("postgres_server")
            url = server.url(server.create_database())
        made.append(Database(make_engine(url), folder))
        return made[-1]

    yield make
    for database in made:
        database.engine.dispose()
