"""A throw-away PostgreSQL server: its own folder, port and password, gone after the run."""

from __future__ import annotations

import json
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tests.harness.chromium import install_system_package
from tests.harness.ending import MARK, one_at_a_time
from tests.harness.ports import free_port

PROGRAMS = ("initdb", "postgres", "pg_dump")
PLACES = (
    "/usr/lib/postgresql/*/bin",  # Debian, Ubuntu
    "/usr/pgsql-*/bin",  # Red Hat
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
)
MISSING = (
    "PostgreSQL's programs (initdb, postgres, pg_dump) were not found and could not be installed, so the PostgreSQL "
    "tests cannot run: install PostgreSQL's server package."
)
# A throw-away server need not survive a power cut; without these each new database costs several times as much.
UNSAFE_BUT_QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=64MB")


def find_postgresql() -> Path | None:
    """Return the folder of PostgreSQL's programs: the one on PATH, else the newest in the usual places."""
    on_path = [Path(program).resolve().parent for name in PROGRAMS if (program := shutil.which(name))]
    installed = [folder for place in PLACES for folder in sorted(Path("/").glob(place[1:]), key=_version, reverse=True)]
    for folder in [*on_path, *installed]:
        if all((folder / name).is_file() for name in PROGRAMS):
            return folder
    return None


def provide_postgresql() -> Path | None:
    """Return the folder of PostgreSQL's programs, installing the system's package where root may."""
    folder = find_postgresql()
    if folder is None and os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing the system's package postgresql for the PostgreSQL tests.", flush=True)
        install_system_package("postgresql")
        folder = find_postgresql()
    return folder


@dataclass
class PostgresDatabases:
    """The databases of a running throw-away server: made by `create_database` and removed by `drop_database`."""

    port: int
    password: str
    _counter: int = field(default=0, init=False)

    def url(self, database: str) -> str:
        """Return the URL that SQLAlchemy takes."""
        return f"postgresql+psycopg://blindread:{self.password}@127.0.0.1:{self.port}/{database}"

    def create_database(self, template: str = "template0") -> str:
        """Make a database as a copy of `template`, to which nobody may be connected, and return its name."""
        self._counter += 1
        name = f"test_{os.getpid()}_{self._counter}"  # several processes may share the server
        self._run(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
        return name

    def drop_database(self, name: str) -> None:
        """Remove a database, whoever is still connected."""
        self._run(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def _connection(self) -> str:
        return f"postgresql://blindread:{self.password}@127.0.0.1:{self.port}/postgres"

    def _run(self, statement: sql.Composed) -> None:
        with psycopg.connect(self._connection(), autocommit=True) as connection:
            connection.execute(statement)


def databases_of_the_run(programs: Path) -> PostgresDatabases:
    """Return access to the one server that all processes of the test run share; it ends with the run."""
    with one_at_a_time("postgresql") as file:
        if not file.exists():
            server = PostgresServer(programs)
            file.write_text(json.dumps([server.port, server.password]))
        return PostgresDatabases(*json.loads(file.read_text()))


class PostgresServer(PostgresDatabases):
    """A running throw-away server; one that nobody stops ends with the test run (`tests/harness/ending.py`)."""

    def __init__(self, programs: Path, settings: Sequence[str] = UNSAFE_BUT_QUICK) -> None:
        super().__init__(free_port(), secrets.token_hex(16))
        self._programs = programs
        self._settings = settings
        self._folder = Path(tempfile.mkdtemp(prefix="postgresql-", dir=os.environ.get(MARK)))
        self._identity = _someone_else() if os.geteuid() == 0 else {}
        try:
            self._process = self._start()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def pause(self) -> None:
        """Let the server hang, with every connection open, until `resume`."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a server that was paused go on."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: int) -> None:
        # Each of its processes has a group of its own; they are known by their parent, which goes first, so that it
        # starts no more of them.
        os.kill(self._process.pid, number)
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        for pid in map(int, children):
            # A worker may have ended since its pid was read.
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(timeout=60)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self) -> subprocess.Popen[bytes]:
        password_file = self._folder / "password"
        password_file.write_text(self.password)
        data = self._folder / "data"
        if self._identity:
            for path in (self._folder, password_file):
                shutil.chown(path, self._identity["user"], self._identity["group"])
        initdb: list[Any] = [self._programs / "initdb", "-D", data, "-U", "blindread", "-A", "scram-sha-256"]
        initdb += ["--pwfile", password_file, "-E", "UTF8", "--locale", "C", "--no-sync"]
        made = subprocess.run(
            initdb, cwd=self._folder, capture_output=True, text=True, timeout=120, check=False, **self._identity
        )
        if made.returncode != 0:
            raise RuntimeError(f"initdb failed: {made.stderr.strip() or made.stdout.strip()}")
        settings = (f"port={self.port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={self._folder}")
        server: list[Any] = [self._programs / "postgres", "-D", data]
        for setting in (*settings, *self._settings):
            server += ["-c", setting]
        with (self._folder / "log").open("wb") as log:
            process = subprocess.Popen(
                server, cwd=self._folder, stdout=log, stderr=log, start_new_session=True, **self._identity
            )
        self._wait_until_ready(process)
        return process

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        give_up = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self._connection(), connect_timeout=5).close()
                return
            except psycopg.OperationalError as error:
                if process.poll() is not None or time.monotonic() > give_up:
                    process.kill()
                    raise RuntimeError(f"PostgreSQL did not start:\n{(self._folder / 'log').read_text()}") from error
                time.sleep(0.1)


def _someone_else() -> dict[str, Any]:
    """Return whom the server runs as when the tests run as root, which PostgreSQL refuses."""
    for name in ("postgres", "nobody"):
        try:
            person = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": []}
    raise RuntimeError("PostgreSQL refuses to run as root, and this machine has neither a user postgres nor nobody.")


def _version(folder: Path) -> float:
    digits = "".join(c for c in folder.parent.name if c.isdigit() or c == ".")
    try:
        return float(digits)
    except ValueError:
        return 0.0
