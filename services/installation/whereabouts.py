"""Which data folder and database a command uses, and whether people are using a different one."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Engine, inspect, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import select

from db import Database, Person
from db.backup import beside
from db.engine import DATABASE_FILE, data_dir_from_environment, make_engine, url_from_environment
from db.waiting import Unavailable

PROGRAM = Path(__file__).resolve().parents[2]
# The data folder of a command that names none.
_USUAL = PROGRAM / "var"


def command(arguments: str) -> str:
    """Return a `manage.py` command to copy, with this process's interpreter and data folder."""
    where = data_dir_from_environment()
    named = "" if where == _USUAL.resolve() else f"--data-dir {shlex.quote(str(where))} "
    # The system's Python lacks the packages that the program needs.
    return f"{shlex.quote(sys.executable)} manage.py {named}{arguments}"


def whereabouts(database: Database) -> str:
    """Return one line that names the data folder and the database; never a password."""
    url = database.engine.url
    if database.engine.dialect.name == "sqlite":
        where = f"{Path(str(url.database)).name} (SQLite)"
    else:
        where = f"'{url.database}' on {url.host or 'this machine'} (PostgreSQL)"
    return f"Data folder {database.data_dir}, database {where}."


def missing_database() -> str:
    """Return a sentence if no database exists where one is expected, or an empty string if one does.

    Asked before opening, which would create it. Only a missing file or folder can be detected this way: what a database
    server holds is only known after connecting to it.
    """
    url, where = make_url(url_from_environment()), data_dir_from_environment()
    file = Path(str(url.database)) if url.get_backend_name() == "sqlite" else None
    if where.is_dir() and (file is None or file.exists()):
        return ""
    if file is not None and beside(file).exists():
        return unfinished_file(file)
    others = _used_folders()
    hint = f"put '--data-dir {others[0]}' before the command, or " if others else ""
    what = "Blindread database in" if file is not None else "data folder"
    return f"There is no {what} {where}; {hint}run 'manage.py init' to begin one there."


def unfinished_file(file: Path) -> str:
    """Return the sentence that a restore of a SQLite database was interrupted, and what to do."""
    return (
        f"A restore into {file.parent} was interrupted; run 'manage.py restore' again, or remove "
        f"{beside(file).name} to begin an empty database there."
    )


def warning_of_another(database: Database) -> str:
    """Return a warning if this database has no people while another folder's has some, else an empty string."""
    if _has_people(database.engine):
        return ""
    others = [folder for folder in _used_folders() if folder != database.data_dir]
    if not others:
        return ""
    listed = " and ".join(str(folder) for folder in others)
    return (
        f"This database has no people, but there are some in {listed}: put '--data-dir {others[0]}' before the command "
        "if you mean that one."
    )


def _used_folders() -> list[Path]:
    return sorted({folder for folder in _other_folders() if _is_used(folder)})


def _other_folders() -> Iterator[Path]:
    """Yield the default folders, and those of our servers that run on this machine."""
    yield _USUAL
    yield Path("var").resolve()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            # Only readable for our own processes, and only on Linux; elsewhere no server is found.
            arguments = (process / "cmdline").read_bytes().split(b"\0")
            settings = dict(
                line.split(b"=", 1) for line in (process / "environ").read_bytes().split(b"\0") if b"=" in line
            )
            here = (process / "cwd").resolve()
        except OSError:
            continue
        if b"app.py" in arguments or (b"manage.py" in arguments and b"serve" in arguments):
            yield (here / os.fsdecode(settings.get(b"BLINDREAD_DATA_DIR", b"var"))).resolve()


def _is_used(folder: Path) -> bool:
    file = folder / DATABASE_FILE
    if not file.is_file():
        return False
    engine = make_engine(f"sqlite:///file:{file}?mode=ro&uri=true")
    try:
        return _has_people(engine)
    except (SQLAlchemyError, Unavailable):
        # Another database that is just being created, or is on a full disk, does not concern this command.
        return False
    finally:
        engine.dispose()


def _has_people(engine: Engine) -> bool:
    if not inspect(engine).has_table("person"):
        return False
    with engine.connect() as connection:
        return connection.execute(select(Person.id).limit(1)).first() is not None
