"""Bring a backup back: into an empty place, checked before and after, with nobody signed in."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import inspect, text, update
from sqlalchemy.exc import DatabaseError
from sqlmodel import col, select

from db import Database, Invitation, LoginSession, Study, audit, now
from db.backup import (
    BusyPlace,
    DamagedCopy,
    alone,
    beside,
    copy_sqlite,
    log_files,
    put_in_place,
    require_whole,
    restore_dump,
    schema_in_dump,
)
from db.engine import make_engine
from db.migrate import UNFINISHED, newest_schema, schema_of, standing_of_schema
from db.private import keep_private, make_private_folder
from services.errors import Conflict, InputRefused
from services.people import permission
from services.record import maintenance, verification
from services.record.maintenance import copy_name
from services.seals import audit_head
from services.studies import volume_store

# The file that this program writes has less than 1 kB.
LONGEST_HEAD_FILE = 100_000


@dataclass(frozen=True)
class Restored:
    """What a backup brought in, and what does not hold in it."""

    schema: str | None
    studies: int
    sessions_ended: int
    problems: list[str]
    # Whether the head of the audit chain that lies beside a backup was there to be compared.
    head_compared: bool = True


def restore_installation(database: Database, backup: Path) -> Restored:
    """Bring the database and the volumes of a backup into an installation that has no database yet.

    Whatever can be refused is refused before anything is written. The volumes come first, and the database takes its
    place with every login session and open link ended: one that was used after the backup was taken would be open
    again, also where the restore is killed. The backup of an older release is migrated.

    Raises
    ------
    InputRefused
        The folder is not a backup of this kind of database, or is damaged.
    Conflict
        There is a database here already.
    """
    copy = backup / copy_name(database)
    if not copy.is_file():
        raise InputRefused(
            f"{backup} holds no {copy.name}: name a folder that 'manage.py backup' wrote, and set DATABASE_URL for "
            "the same kind of database."
        )
    _require_empty(database)
    head = _head_of(backup)
    volumes = list(_volumes_in(backup))
    schema = _schema_in(copy, database)
    make_private_folder(database.data_dir)
    keep_private(database.data_dir)
    bring_in = _bring_in_file if database.engine.dialect.name == "sqlite" else _bring_in_dump
    try:
        with alone(database, database.data_dir):
            # Somebody else may have come to an end since it was looked at.
            _require_empty(database)
            _copy_volumes(backup / "volumes", volumes, database.volume_dir)
            ended = bring_in(database, copy)
    except BusyPlace:
        raise Conflict("Another restore into this place is under way; wait for it.") from None
    except DamagedCopy as damage:
        raise InputRefused(str(damage)) from damage
    keep_private(database.data_dir)
    studies, problems = _check(database, head)
    return Restored(schema, studies, ended, problems, head is not None)


def _require_empty(database: Database) -> None:
    """Refuse a place that holds anything but what a restore that was broken off may have left; opens no new file."""
    place = Path(str(database.engine.url.database))
    if database.engine.dialect.name == "sqlite" and not place.exists():
        for log in log_files(place):
            if log.exists():
                raise Conflict(f"{log} was left by a database that is not there; move it away too, and restore again.")
        return
    tables = inspect(database.engine).get_table_names()
    database.engine.dispose()
    if UNFINISHED in tables and len(tables) > 1:
        raise maintenance.unfinished(database)
    if [name for name in tables if name != UNFINISHED]:
        raise Conflict(
            f"There is a database already ({database.engine.url.render_as_string()}); stop the server, move it away "
            "or name an empty place, and restore again."
        )


def _head_of(backup: Path) -> str | None:
    """Return the head that lies in a backup, or None; one that cannot be read is refused before anything is written."""
    file = backup / audit_head.FILE_NAME
    if not (file.exists() or file.is_symlink()):
        return None
    try:
        with volume_store.open_stored(file) as content:
            return audit_head.head_in(content.read(LONGEST_HEAD_FILE).decode())
    except (OSError, UnicodeDecodeError, Conflict):
        raise InputRefused(
            f"{file} holds no head of an audit chain; take it from where it was kept, or remove the file to restore "
            "without comparing the chain's end."
        ) from None


def _volumes_in(backup: Path) -> Iterator[Path]:
    """Yield the files of a backup's volumes by their place in it; what is no regular file or folder is refused."""
    top = backup / "volumes"
    if not (top.exists() or top.is_symlink()):
        return
    if not top.is_dir():
        raise _no_volume(top)

    def refuse(error: OSError) -> None:
        raise error

    for here, folders, files in os.walk(top, onerror=refuse):
        for path in (Path(here, name) for name in (*folders, *files)):
            kind = path.lstat().st_mode
            if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
                raise _no_volume(path)
            if stat.S_ISREG(kind) and not path.name.startswith(volume_store.INCOMING):
                yield path.relative_to(top)


def _no_volume(path: Path) -> InputRefused:
    what = "leads elsewhere" if path.is_symlink() else "is neither a file nor a folder of files"
    return InputRefused(f"{path} {what}; put back what it was or remove it, and restore again.")


def _schema_in(copy: Path, database: Database) -> str | None:
    """Return the schema of a copy; what is no database of this program or an older one is refused."""
    try:
        schema = _schema_in_file(copy) if database.engine.dialect.name == "sqlite" else schema_in_dump(copy)
    except DamagedCopy as damage:
        raise InputRefused(str(damage)) from damage
    state = standing_of_schema(schema, database.engine)
    if state == "newer":
        raise _too_new(schema, database)
    if state == "foreign":
        raise InputRefused(f"{copy} holds no database of Blindread; use another backup.")
    return schema


def _schema_in_file(copy: Path) -> str | None:
    require_whole(copy)
    engine = make_engine(f"sqlite:///file:{quote(copy.resolve().as_posix())}?mode=ro&immutable=1&uri=true")
    try:
        return schema_of(engine)
    except DatabaseError as error:
        raise DamagedCopy(f"{copy} holds no database of Blindread; use another backup.") from error
    finally:
        engine.dispose()


def _too_new(schema: str | None, database: Database) -> Conflict:
    return Conflict(
        f"The backup has schema {schema} and this program knows up to {newest_schema(database.engine)}; restore it "
        "with the program that made it, or a newer one."
    )


def _copy_volumes(source: Path, files: list[Path], target: Path) -> None:
    """Copy the volumes, each whole or not at all, so that a restore that was killed can be repeated."""
    target.mkdir(parents=True, exist_ok=True)
    for file in files:
        place = target / file
        place.parent.mkdir(parents=True, exist_ok=True)
        incoming = place.with_name(f"{volume_store.INCOMING}{place.name}")
        shutil.copy2(source / file, incoming, follow_symlinks=False)
        incoming.replace(place)


def _bring_in_file(database: Database, copy: Path) -> int:
    """Put a SQLite database together beside its place and let it take the place when nobody is signed in any more."""
    place = Path(str(database.engine.url.database))
    place.parent.mkdir(parents=True, exist_ok=True)
    made = Database(make_engine(f"sqlite:///{beside(place)}"), database.data_dir)
    try:
        copy_sqlite(copy, beside(place))
        try:
            maintenance.bring_up_to_date(made)
            ended = _end_sessions_and_links(made)
        except DatabaseError as error:
            raise _other_tables(copy, error) from error
        made.engine.dispose()
        _require_empty(database)
        put_in_place(beside(place), place)
    finally:
        made.engine.dispose()
        for file in (beside(place), *log_files(beside(place))):
            file.unlink(missing_ok=True)
    return ended


def _bring_in_dump(database: Database, dump: Path) -> int:
    """Bring a dump into PostgreSQL; until nobody is signed in any more, a table says that this is unfinished."""
    with database.writing() as session:
        session.connection().execute(text(f"CREATE TABLE IF NOT EXISTS {UNFINISHED} (since timestamptz DEFAULT now())"))
    try:
        restore_dump(database, dump)
    except (DamagedCopy, OSError):
        # It was one transaction, of which nothing is left: unless tables have come from elsewhere, which stay shut.
        if inspect(database.engine).get_table_names() == [UNFINISHED]:
            with database.writing() as session:
                session.connection().execute(text(f"DROP TABLE {UNFINISHED}"))
        raise
    try:
        maintenance.bring_up_to_date(database)
        return _end_sessions_and_links(database)
    except DatabaseError as error:
        raise _other_tables(dump, error) from error


def _other_tables(copy: Path, error: DatabaseError) -> DamagedCopy:
    reason = str(error.orig).splitlines()[0][:200]
    return DamagedCopy(f"{copy} holds other tables than the schema that it names ({reason}); use another backup.")


def _end_sessions_and_links(database: Database) -> int:
    with database.writing() as session:
        # Without reading the rows: one with a date that is none must not keep the others open.
        moment = now()
        signed_in = update(LoginSession).where(col(LoginSession.ended_at).is_(None)).values(ended_at=moment)
        unused = (col(Invitation.consumed_at).is_(None), col(Invitation.ended_at).is_(None))
        open_links = update(Invitation).where(*unused).values(ended_at=moment, expires_at=moment)
        sessions = session.connection().execute(signed_in).rowcount
        links = session.connection().execute(open_links).rowcount
        audit.record(session, "restored from a backup", login_sessions_ended=sessions, links_ended=links)
        session.connection().execute(text(f"DROP TABLE IF EXISTS {UNFINISHED}"))
    return sessions


def _check(database: Database, head: str | None) -> tuple[int, list[str]]:
    """Return how many studies there are, and what does not hold."""
    problems = []
    with database.read_only() as session:
        if broken := list(audit.broken_links(session)):
            problems.append(f"The audit chain is broken at event {broken[0]}.")
        if head is not None and not audit.leads_to(session, head):
            problems.append("The audit chain does not hold the head that lies in the backup: its end was cut off.")
        studies = session.exec(select(Study).where(col(Study.removed_at).is_(None)).order_by(col(Study.id))).all()
        frozen = [study.key for study in studies if permission.state_of(session, study.id or 0) != "draft"]
        hashes, unreadable = maintenance.named_files(session)
    if unreadable:
        problems.append(f"Rows that name prepared volumes cannot be read: {unreadable}.")
    missing = [sha256 for sha256 in hashes if not volume_store.is_intact(database, sha256)]
    if missing:
        problems.append(f"{len(missing)} of {len(hashes)} prepared volumes are missing or damaged.")
    for key in frozen:
        problems += [f"Study '{key}': {problem}" for problem in verification.verify_study(database, key)]
    return len(studies), problems
