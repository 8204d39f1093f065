"""Copies of a database that are whole although people go on writing to it."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

from sqlalchemy import URL, text

from db.engine import Database

# The number by which restores into one PostgreSQL database know of each other; any number would do.
_LOCK = 0x626C696E64
_PR_SET_PDEATHSIG = 1
# A line of the contents of a dump: number, two object ids, kind, schema, name, owner.
_PART_OF_DUMP = re.compile(r"\d+; \d+ \d+ (?P<kind>[A-Z][A-Z ]*[A-Z]) (?P<schema>\S+) (?P<name>.*) \S*")
# What belongs to the server and its roles: extensions, comments, privileges. None of it is brought back.
_OF_THE_SERVER = re.compile(r"\d+; \d+ \d+ (EXTENSION|COMMENT|ACL|DEFAULT ACL) ")
_KINDS_OF_PARTS = frozenset({
    "TABLE", "TABLE DATA", "SEQUENCE", "SEQUENCE OWNED BY", "SEQUENCE SET", "DEFAULT", "CONSTRAINT", "FK CONSTRAINT",
    "INDEX", "TRIGGER",
})  # fmt: skip
_OTHER_PARTS = frozenset({
    ("FUNCTION", "refuse_change()"), ("FUNCTION", "refuse_change_once_frozen()"),
    ("FUNCTION", "refuse_change_once_published()"), ("FUNCTION", "refuse_change_of_published_labels()"),
})  # fmt: skip


def back_up(database: Database, target: Path) -> None:
    """Write a consistent copy of the database to `target`, which must not exist.

    SQLite uses `VACUUM INTO`: copying the file of a database in WAL mode loses what is still in the log.
    PostgreSQL uses `pg_dump` in its custom format.
    """
    if target.exists():
        raise FileExistsError(f"{target.name} already exists; name a new file.")
    target.parent.mkdir(parents=True, exist_ok=True)
    if database.engine.dialect.name == "sqlite":
        # VACUUM runs outside any transaction, so it goes through the raw connection.
        connection = database.engine.raw_connection()
        try:
            with _written_whole(target):
                connection.driver_connection.execute("VACUUM INTO ?", (str(target),))  # type: ignore[union-attr]
        finally:
            connection.close()
        return
    _run("pg_dump", "--format=custom", f"--file={target}", database=database)


@contextmanager
def _written_whole(target: Path) -> Iterator[None]:
    """Let SQLite's failure to write a file, as on a full disk, be one of this file, of which nothing stays."""
    try:
        yield
    except sqlite3.OperationalError as error:
        for file in (target, *log_files(target)):
            file.unlink(missing_ok=True)
        raise OSError(errno.EIO, f"it cannot be written: {error}", str(target)) from error


@contextmanager
def alone(database: Database, folder: Path) -> Iterator[None]:
    """Let nobody else bring a copy into this folder or this database meanwhile; a process that dies lets go of both.

    Raises
    ------
    BusyPlace
        Somebody else is at it.
    OSError
        Something else than a file lies in place of a lock.
    """
    with ExitStack() as held:
        held.enter_context(_held(folder / ".restoring.lock"))
        if database.engine.dialect.name == "sqlite":
            # Another data folder may be used with the same database.
            place = Path(str(database.engine.url.database))
            place.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(_held(place.with_name(f".{place.name}.restoring.lock")))
        else:
            held.enter_context(_held_in_postgresql(database))
        yield


@contextmanager
def _held(file: Path) -> Iterator[None]:
    # Neither waiting for the other end of a pipe nor making a file that a link leads to.
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a file; remove it", str(file))
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BusyPlace from None
        if os.fstat(descriptor).st_nlink == 0:
            # Its holder has removed it meanwhile, and a third process may hold a new one.
            raise BusyPlace
        try:
            yield
        finally:
            file.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


@contextmanager
def _held_in_postgresql(database: Database) -> Iterator[None]:
    with database.engine.connect() as connection:
        if not connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": _LOCK}).scalar():
            raise BusyPlace
        connection.commit()
        try:
            yield
        finally:
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _LOCK})


class BusyPlace(Exception):
    """Another process is bringing a copy into this place."""


def beside(place: Path) -> Path:
    """Return where a SQLite database is put together before it takes its place; what lies there is unfinished."""
    return place.with_name(f"{place.name}.restoring")


def log_files(file: Path) -> list[Path]:
    """Return the files that SQLite has beside a database while it is open, or was not closed."""
    return [file.with_name(file.name + ending) for ending in ("-wal", "-shm", "-journal")]


def require_whole(copy: Path) -> None:
    """Refuse a copy of a SQLite database that is not whole, or holds no version of a schema.

    Raises
    ------
    DamagedCopy
        The copy is no whole database.
    """
    with closing(sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro", uri=True)) as source:
        try:
            report = source.execute("PRAGMA integrity_check").fetchall()
        except sqlite3.DatabaseError as error:
            raise DamagedCopy(f"{copy} is damaged ({error}); use another backup.") from error
        if report != [("ok",)]:
            raise DamagedCopy(f"{copy} is damaged ({report[0][0]}); use another backup.")
        # A view of that name could answer anything, and cannot be migrated.
        if not source.execute(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
        ).fetchone():
            raise DamagedCopy(f"{copy} holds no database of Blindread; use another backup.")


def copy_sqlite(copy: Path, target: Path) -> None:
    """Bring a copy that `back_up` made of a SQLite database into a new file."""
    for file in (target, *log_files(target)):
        file.unlink(missing_ok=True)
    with (
        _written_whole(target),
        closing(sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(target)) as empty,
    ):
        source.backup(empty)


def put_in_place(unfinished: Path, place: Path) -> None:
    """Let a SQLite database that was put together take its place, as one file and at once."""
    with closing(sqlite3.connect(unfinished)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    unfinished.replace(place)


def schema_in_dump(dump: Path) -> str | None:
    """Return the number of the schema that a dump of PostgreSQL holds, or None; writes into no database.

    Raises
    ------
    DamagedCopy
        The file is no dump.
    """
    said = _run("pg_restore", "--data-only", "--table=alembic_version", "--file=-", dump)
    lines = iter(said.splitlines())
    for line in lines:
        if re.match(r"COPY \S*alembic_version \(", line):
            return next(lines, "").strip() or None
    return None


def require_no_foreign_parts(dump: Path) -> None:
    """Refuse a dump with parts that no release of this program makes, such as functions, rules, policies, schemas.

    Bringing in a foreign function would run it: an index or a check can call it for every row. What the dump's tables
    themselves say is compared when they are there. Extensions, comments and privileges are left out.

    Raises
    ------
    DamagedCopy
        Naming the first of them.
    """
    lines = _contents_of(dump)
    parts = [_PART_OF_DUMP.fullmatch(line) for line in lines]
    # All of it lies in one schema, the one that holds the number of the migrations.
    home = next((part["schema"] for part in parts if part and part["name"] == "alembic_version"), "public")
    for line, part in zip(lines, parts, strict=True):
        kind, name = (part["kind"], part["name"]) if part else ("unknown part", line)
        is_ours = (
            part is not None
            and part["schema"] == home
            and (kind in _KINDS_OF_PARTS or (kind, name.partition(" ")[0]) in _OTHER_PARTS)
        )
        if is_ours or (kind, name) == ("SCHEMA", home):
            continue
        shown = "".join(sign if sign.isprintable() else "?" for sign in f"{kind.lower()} {name}"[:200])
        raise DamagedCopy(f"{dump} holds what Blindread did not make ({shown}); use another backup.")
    # Whatever its body, a function of triggers runs for no index or check, and no trigger is there before the rows are.
    for line in _run("pg_restore", "--schema-only", "--file=-", dump).splitlines():
        if line.startswith("CREATE FUNCTION ") and not line.endswith(" RETURNS trigger"):
            raise DamagedCopy(f"{dump} holds a function that Blindread did not make; use another backup.")


def _contents_of(dump: Path) -> list[str]:
    """Return the lines of a dump's contents, without its head and without what belongs to the server."""
    lines = _run("pg_restore", "--list", dump).splitlines()
    return [line for line in lines if line.strip() and not line.startswith(";") and not _OF_THE_SERVER.match(line)]


def restore_dump(database: Database, dump: Path) -> None:
    """Bring a dump that `back_up` made into a PostgreSQL database without tables of ours, in one transaction.

    Raises
    ------
    DamagedCopy
        The dump is not whole; nothing of it is in the database then.
    """
    with NamedTemporaryFile("w", prefix="blindread-contents-", encoding="utf-8") as contents:
        contents.write("\n".join(_contents_of(dump)) + "\n")
        contents.flush()
        _run(
            "pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction",
            f"--use-list={contents.name}", dump, database=database,
        )  # fmt: skip


def _ends_with_us() -> None:
    """Let a program end with the process that started it: left alone it would go on writing, and come to its end."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class DamagedCopy(Exception):
    """What lies in a backup is no whole database."""


def _run(name: str, *arguments: str | Path, database: Database | None = None) -> str:
    """Run one of PostgreSQL's own programs, on a database where one is given, and return what it prints."""
    program = shutil.which(name)
    if program is None:
        raise FileNotFoundError(f"{name} is not on this machine; install PostgreSQL's client programs.")
    command, environment = [program, *arguments], dict(os.environ)
    if database is not None:
        url = database.engine.url
        plain = URL.create("postgresql", url.username, None, url.host, url.port, url.database, url.query)
        command.append(f"--dbname={plain.render_as_string()}")
        # Everybody on the machine can list a program's arguments, so the password travels in its environment.
        environment |= {"PGPASSWORD": str(url.password)} if url.password else {}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, errors="replace", check=False,
        preexec_fn=_ends_with_us,
    )  # fmt: skip
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if "error" in line.lower()] or done.stderr.splitlines()
        raise DamagedCopy(f"{name} failed: {said[0].strip() if said else 'no reason'}")
    return done.stdout
