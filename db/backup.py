"""Consistent copies of a database that stays in use while it is copied, and restoring them."""

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

# The advisory lock that keeps two restores out of one PostgreSQL database. Any number will do.
_LOCK = 0x626C696E64
_PR_SET_PDEATHSIG = 1
# A line of the contents of a dump: number, two object ids, kind, schema, name, owner.
_PART_OF_DUMP = re.compile(r"\d+; \d+ \d+ (?P<kind>[A-Z][A-Z ]*[A-Z]) (?P<schema>\S+) (?P<name>.*) \S*")
# Parts that belong to the server and its roles: extensions, comments, privileges. They are not restored.
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
    """Report SQLite's failure to write a file (a full disk, say) as an OSError, and remove the partial file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        for file in (target, *log_files(target)):
            file.unlink(missing_ok=True)
        raise OSError(errno.EIO, f"it cannot be written: {error}", str(target)) from error


@contextmanager
def alone(database: Database, folder: Path) -> Iterator[None]:
    """Prevent any other process from restoring into this folder or database; a process that dies releases both locks.

    Raises
    ------
    BusyPlace
        Another process is restoring into it.
    OSError
        Something other than a regular file is in the place of a lock file.
    """
    with ExitStack() as held:
        held.enter_context(_held(folder / ".restoring.lock"))
        if database.engine.dialect.name == "sqlite":
            # The same database may also be used with another data folder.
            place = Path(str(database.engine.url.database))
            place.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(_held(place.with_name(f".{place.name}.restoring.lock")))
        else:
            held.enter_context(_held_in_postgresql(database))
        yield


@contextmanager
def _held(file: Path) -> Iterator[None]:
    # Do not block on a pipe, and do not create a file through a symbolic link.
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a file; remove it", str(file))
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BusyPlace from None
        if os.fstat(descriptor).st_nlink == 0:
            # Its holder has removed the file in the meantime, so a third process may hold a lock on a new one.
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
    """Another process is restoring into this folder or database."""


def beside(place: Path) -> Path:
    """Return where a SQLite database is assembled before it takes its place. A file found there is unfinished."""
    return place.with_name(f"{place.name}.restoring")


def log_files(file: Path) -> list[Path]:
    """Return the files that SQLite keeps beside a database while it is open or if it was not closed."""
    return [file.with_name(file.name + ending) for ending in ("-wal", "-shm", "-journal")]


def require_whole(copy: Path) -> None:
    """Refuse a copy of a SQLite database that is damaged or does not contain a schema version.

    Raises
    ------
    DamagedCopy
        The copy is not an intact database of this program.
    """
    with closing(sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro", uri=True)) as source:
        try:
            report = source.execute("PRAGMA integrity_check").fetchall()
        except sqlite3.DatabaseError as error:
            raise DamagedCopy(f"{copy} is damaged ({error}); use another backup.") from error
        if report != [("ok",)]:
            raise DamagedCopy(f"{copy} is damaged ({report[0][0]}); use another backup.")
        # A view of that name could return anything, and cannot be migrated.
        if not source.execute(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
        ).fetchone():
            raise DamagedCopy(f"{copy} holds no database of Blindread; use another backup.")


def copy_sqlite(copy: Path, target: Path) -> None:
    """Copy a SQLite backup made by `back_up` into a new file."""
    for file in (target, *log_files(target)):
        file.unlink(missing_ok=True)
    with (
        _written_whole(target),
        closing(sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(target)) as empty,
    ):
        source.backup(empty)


def put_in_place(unfinished: Path, place: Path) -> None:
    """Move an assembled SQLite database into its place as a single file, atomically."""
    with closing(sqlite3.connect(unfinished)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    unfinished.replace(place)


def schema_in_dump(dump: Path) -> str | None:
    """Return the schema version in a PostgreSQL dump, or None. Nothing is written to any database.

    Raises
    ------
    DamagedCopy
        The file is not a dump.
    """
    said = _run("pg_restore", "--data-only", "--table=alembic_version", "--file=-", dump)
    lines = iter(said.splitlines())
    for line in lines:
        if re.match(r"COPY \S*alembic_version \(", line):
            return next(lines, "").strip() or None
    return None


def require_no_foreign_parts(dump: Path) -> None:
    """Refuse a dump that contains parts no release of this program creates: functions, rules, policies, schemas etc.

    Restoring a foreign function would run it: an index or a check can call it for every row. The definitions of the
    dump's tables are compared after they have been restored. Extensions, comments and privileges are left out.

    Raises
    ------
    DamagedCopy
        Names the first such part.
    """
    lines = _contents_of(dump)
    parts = [_PART_OF_DUMP.fullmatch(line) for line in lines]
    # Everything is in one schema: the one that contains the table with the migration number.
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
    # A trigger function, whatever its body, cannot be called by an index or check, and triggers are created after the
    # rows.
    for line in _run("pg_restore", "--schema-only", "--file=-", dump).splitlines():
        if line.startswith("CREATE FUNCTION ") and not line.endswith(" RETURNS trigger"):
            raise DamagedCopy(f"{dump} holds a function that Blindread did not make; use another backup.")


def _contents_of(dump: Path) -> list[str]:
    """Return the lines of a dump's table of contents, without its header and the parts that belong to the server."""
    lines = _run("pg_restore", "--list", dump).splitlines()
    return [line for line in lines if line.strip() and not line.startswith(";") and not _OF_THE_SERVER.match(line)]


def restore_dump(database: Database, dump: Path) -> None:
    """Restore a dump made by `back_up` into a PostgreSQL database that has none of our tables, in one transaction.

    Raises
    ------
    DamagedCopy
        The dump is incomplete. Nothing of it is left in the database.
    """
    with NamedTemporaryFile("w", prefix="blindread-contents-", encoding="utf-8") as contents:
        contents.write("\n".join(_contents_of(dump)) + "\n")
        contents.flush()
        _run(
            "pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction",
            f"--use-list={contents.name}", dump, database=database,
        )  # fmt: skip


def _ends_with_us() -> None:
    """Make a child process die with its parent. Otherwise it would go on writing and complete the restore."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class DamagedCopy(Exception):
    """A backup does not contain an intact database."""


def _run(name: str, *arguments: str | Path, database: Database | None = None) -> str:
    """Run one of PostgreSQL's client programs, on `database` if it is given, and return its output."""
    program = shutil.which(name)
    if program is None:
        raise FileNotFoundError(f"{name} is not on this machine; install PostgreSQL's client programs.")
    command, environment = [program, *arguments], dict(os.environ)
    if database is not None:
        url = database.engine.url
        plain = URL.create("postgresql", url.username, None, url.host, url.port, url.database, url.query)
        command.append(f"--dbname={plain.render_as_string()}")
        # Any user of the machine can list a program's arguments, so the password is passed in the environment.
        environment |= {"PGPASSWORD": str(url.password)} if url.password else {}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, errors="replace", check=False,
        preexec_fn=_ends_with_us,
    )  # fmt: skip
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if "error" in line.lower()] or done.stderr.splitlines()
        raise DamagedCopy(f"{name} failed: {said[0].strip() if said else 'no reason'}")
    return done.stdout
