"""Servers to measure: ours on a study of made-up heads, and the stock viewer; everything they leave is removed."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from sqlmodel import select

from benchmarks import heads
from db import Database, Volume
from db.engine import make_engine
from services.people import identity
from services.people.identity import Actor, actor_of_token
from services.reading import instructions
from services.record import maintenance
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members
from services.studies.volumes import volume_store
from tests.harness import postgresql
from tests.harness.databases import sqlite_url
from tests.harness.server import RunningServer

STUDY = "speed"
STOCK = Path(__file__).parent / "stock_viewer"
# A server whose commits survive a power cut, as in earnest; the tests' own settings give that up for speed.
DURABLE = ("shared_buffers=128MB",)
# A file or a pipe has no width of its own; the tables need about so many columns.
console = Console(soft_wrap=True, highlight=False, width=None if sys.stdout.isatty() else 132)


def progress_bar() -> Progress:
    """Return a bar with the time that has passed."""
    columns = (TextColumn("{task.description:<46}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console)


def end_when_told() -> None:
    """Take a request to end for Ctrl+C, so that servers are stopped and folders removed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Ended early."))


@dataclass
class Served:
    """Our server and its study.

    Attributes
    ----------
    raters : list of str
        Their logins, all signed out.
    source : Path
        The study folder, with the uncropped volumes.
    """

    server: RunningServer
    database: Database
    raters: list[str]
    source: Path

    def link(self, login: str) -> str:
        """Return the path of a fresh single-use sign-in link."""
        return f"/link/{identity.make_link(self.database, login, 'sign_in')}"

    def begin(self, login: str) -> None:
        """Acknowledge the instructions in a rater's name, so that the reading page opens on the first item."""
        token = identity.use_link(self.database, identity.make_link(self.database, login, "sign_in"), None)
        actor = actor_of_token(self.database, token)
        if actor is None:
            raise RuntimeError(f"{login} could not be signed in.")
        instructions.acknowledge_instructions(self.database, actor, STUDY, "reading")

    def prepared(self) -> dict[str, Path]:
        """Return the prepared file of every volume, by its key."""
        with self.database.read_only() as session:
            rows = session.exec(select(Volume.key, Volume.sha256)).all()
        return {key: volume_store.path_of(self.database, sha256) for key, sha256 in rows}


@contextmanager
def served(
    *, raters: int, cases: int, rounds: int, order: str = "as_listed", on_postgresql: bool = False
) -> Iterator[Served]:
    """Make a study, import it as an admin does, and serve it to raters, for the length of the block."""
    folder = Path(tempfile.mkdtemp(prefix="blindread-benchmark-"))
    with _database_url(folder, on_postgresql) as url:
        database = Database(make_engine(url), folder / "data")
        database.data_dir.mkdir()
        running = RunningServer(database.data_dir, folder / "server.log", {"DATABASE_URL": url})
        try:
            with progress_bar() as bar:
                task = bar.add_task("heads")

                def feed(done: int, total: int, text: str) -> None:
                    bar.update(task, completed=done, total=max(total, 1), description=text)

                source = heads.write_study(folder / "study", cases, rounds, order=order, feed=feed)
                logins = _open_study(database, source, raters, feed)
            running.start()
            yield Served(running, database, logins, source)
        finally:
            running.stop()
            database.engine.dispose()
            shutil.rmtree(folder, ignore_errors=True)


def _open_study(database: Database, source: Path, raters: int, feed: heads.Feed) -> list[str]:
    maintenance.prepare(database)
    identity.ensure_owner(database, "admin", "Ada Admin")
    admin: Actor = identity.actor_for_command_line(database)
    importing.import_study(database, admin, source, key=STUDY, progress=feed)
    logins = [f"rater-{number}" for number in range(1, raters + 1)]
    for login in logins:
        members.invite(database, admin, STUDY, login, login.title(), "rater")
    freezing.freeze_study(database, admin, STUDY)
    return logins


@contextmanager
def _database_url(folder: Path, on_postgresql: bool) -> Iterator[str]:
    if not on_postgresql:
        yield sqlite_url(folder / "blindread.db")
        return
    programs = postgresql.find_postgresql()
    if programs is None:
        raise SystemExit(postgresql.MISSING)
    server = postgresql.PostgresServer(programs, DURABLE)
    try:
        yield server.url(server.create_database())
    finally:
        server.stop()


@contextmanager
def stock_served(volumes: Path, view: str) -> Iterator[RunningServer]:
    """Serve a folder of volumes with the stock viewer in one of its views, for the length of the block."""
    folder = Path(tempfile.mkdtemp(prefix="blindread-stock-"))
    settings = {
        "BENCHMARK_VOLUMES": str(volumes),
        "BENCHMARK_VIEW": view,
        "STREAMLIT_SERVER_HEADLESS": "true",
        "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
        "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
    }
    running = RunningServer(folder, folder / "server.log", settings, root=STOCK)
    try:
        running.start()
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)


def memory_mb(pid: int) -> float:
    """Return the resident memory of a process, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return float("nan")
