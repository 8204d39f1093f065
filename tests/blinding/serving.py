"""A real server on a small study of the test's own, and clients that are signed in there."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from db.engine import Database, make_engine
from services.people import identity
from tests.blinding.marked_study import MarkedStudy, marked_study
from tests.harness import databases
from tests.harness.server import RunningServer


@contextmanager
def served(
    migrated_sqlite: Path, folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[tuple[Database, RunningServer]]:
    """Give an empty database and a server for it that is not started yet; both end with the block."""
    data = folder / "data"
    data.mkdir(parents=True)
    url = databases.copy_of_sqlite_file(migrated_sqlite, data / "blindread.db")
    engine = make_engine(url)
    running = RunningServer(data, folder / "server.log", environment or {})
    try:
        yield Database(engine, data), running
    finally:
        running.stop()
        engine.dispose()
        shutil.rmtree(data, ignore_errors=True)


@dataclass(frozen=True)
class ServedStudy:
    """The marked study and the server that serves it."""

    study: MarkedStudy
    server: RunningServer

    def cookie(self, login: str) -> dict[str, str]:
        """Sign a person in and return their browser's cookie."""
        return cookie_of(self.study.database, self.server, login)

    def client(self, login: str | None = None) -> httpx.Client:
        """Return an HTTP client, signed in as somebody or as nobody."""
        return client(self.server, None if login is None else self.cookie(login))


@contextmanager
def serve_marked(
    migrated_sqlite: Path, folder: Path, make: Callable[[Database, Path], MarkedStudy] = marked_study
) -> Iterator[ServedStudy]:
    """Serve a marked study for the length of the block."""
    with served(migrated_sqlite, folder) as (database, running):
        study = make(database, folder / "study")
        running.start()
        yield ServedStudy(study, running)


def cookie_of(database: Database, running: RunningServer, login: str) -> dict[str, str]:
    """Sign a person in and return the cookie that their browser would hold."""
    token = identity.use_link(database, identity.make_link(database, login, "sign_in"), None)
    return {f"blindread-{running.port}": token}


def client(running: RunningServer, cookies: dict[str, str] | None = None) -> httpx.Client:
    """Return an HTTP client that sends what a page of ours would send, and follows nothing by itself."""
    return httpx.Client(
        base_url=running.url, cookies=cookies, headers={"Origin": running.url}, timeout=30, follow_redirects=False
    )
