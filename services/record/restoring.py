"""Restore a backup into an empty place, checked before and after, with nobody signed in."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Engine, inspect, text, update
from sqlalchemy.exc import DatabaseError
from sqlmodel import col

from db import Database, Invitation, LoginSession, Study, audit, now
from db.backup import (
    BusyPlace,
    DamagedCopy,
    alone,
    beside,
    copy_sqlite,
    log_files,
    put_in_place,
    require_no_foreign_parts,
    require_whole,
    restore_dump,
    schema_in_dump,
)
from db.engine import make_engine
from db.migrate import UNFINISHED, altered_schema, newest_schema, schema_of, standing_of_schema
from db.private import keep_private, make_private_folder
from db.readable import columns_of, readable_rows
from services.errors import Conflict, InputRefused, Refused, Unavailable
from services.people import permission
from services.record import maintenance, verification
from services.record.checking import read_or_report
from services.record.maintenance import copy_name
from services.seals import audit_head
from services.studies.volumes import volume_store

# The file that this program writes is smaller than 1 kB.
LONGEST_HEAD_FILE = 100_000
# A volume's name is its SHA-256; while it is copied, its name is longer.
LONGEST_NAME = 200
# At most this many schema problems are named, each cut to this length: anybody who can write the file chose its names.
NAMED = 3
LONGEST_NAMED = 200
LONGEST_NUMBER = 40
_NEITHER = "a pipe, socket or device"


@dataclass(frozen=True)
class Restored:
    """What a restore brought in, and the problems found in it."""

    schema: str | None
    studies: int
    sessions_ended: int
    problems: list[str]
    # Whether there was a head of the audit chain beside the backup to compare with.
    head_compared: bool = True


def restore_installation(database: Database, backup: Path) -> Restored:
    """Bring the database and the volumes of a backup into an installation that has no database yet.

    Everything that can be refused is refused before anything is written, and a SQLite database is assembled beside its
    place before the first volume is copied. The database goes live with every login session and open link ended, even
    if the restore is killed: otherwise a link used after the backup was taken would be open again. The backup of an
    older release is migrated.

    Raises
    ------
    InputRefused
        The folder is not a backup of this kind of database, or is damaged.
    Conflict
        There is already a database here.
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
    bring_in = _bring_in_file if database.engine.dialect.name == "sqlite" else _bring_in_dump
    try:
        with _private_folder(database.data_dir), alone(database, database.data_dir):
            # Another restore may have finished since the first check.
            _require_empty(database)
            ended = bring_in(database, copy, partial(_copy_volumes, backup / "volumes", volumes, database.volume_dir))
    except BusyPlace:
        raise Conflict("Another restore into this place is under way; wait for it.") from None
    except DamagedCopy as damage:
        raise InputRefused(str(damage)) from damage
    keep_private(database.data_dir)
    studies, problems = _check(database, head)
    return Restored(schema, studies, ended, problems, head is not None)


@contextmanager
def _private_folder(folder: Path) -> Iterator[None]:
    """Make a data folder that nobody else can enter; after a failure, a new folder that is still empty is removed."""
    is_new = not folder.exists()
    make_private_folder(folder)
    keep_private(folder)
    try:
        yield
    except BaseException:
        if is_new:
            with suppress(OSError):
                folder.rmdir()
        raise


def _require_empty(database: Database) -> None:
    """Refuse a place that holds more than an interrupted restore may have left; opens no new file."""
    place = Path(str(database.engine.url.database))
    if database.engine.dialect.name == "sqlite" and not place.is_file():
        if place.exists() or place.is_symlink():
            what = "a folder" if place.is_dir() else "a broken link" if place.is_symlink() else _NEITHER
            raise Conflict(f"{place} is {what}, where the database belongs; move it away, and restore again.")
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
    """Return the head stored in a backup, or None if there is nothing to compare with.

    A head that cannot be read is refused before anything is written.
    """
    file = backup / audit_head.FILE_NAME
    if not (file.exists() or file.is_symlink()):
        return None
    try:
        with volume_store.open_stored(file) as content:
            head = audit_head.head_in(content.read(LONGEST_HEAD_FILE).decode())
    except (OSError, UnicodeDecodeError, Conflict):
        raise InputRefused(
            f"{file} holds no head of an audit chain; take it from where it was kept, or remove the file to restore "
            "without comparing the chain's end."
        ) from None
    # Every chain starts with this hash, so it is the head of an empty chain, from which nothing can have been cut off.
    return None if head == audit.GENESIS else head


def _volumes_in(backup: Path) -> Iterator[Path]:
    """Yield the files of a backup's volumes by their place in it; anything but regular files and folders is refused."""
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
            if len(os.fsencode(path.name)) > LONGEST_NAME:
                raise InputRefused(
                    f"{path.parent} holds a name of more than {LONGEST_NAME} letters, which no volume has; remove it, "
                    "and restore again."
                )
            if stat.S_ISREG(kind) and not path.name.startswith(volume_store.INCOMING):
                yield path.relative_to(top)


def _no_volume(path: Path) -> InputRefused:
    what = "leads elsewhere" if path.is_symlink() else "is neither a file nor a folder of files"
    return InputRefused(f"{path} {what}; put back what it was or remove it, and restore again.")


def _schema_in(copy: Path, database: Database) -> str | None:
    """Return the schema of a copy; refuse anything that is not a database of this program or of an older release."""
    try:
        schema = _schema_in_file(copy) if database.engine.dialect.name == "sqlite" else _schema_in_dump(copy)
    except DamagedCopy as damage:
        raise InputRefused(str(damage)) from damage
    state = standing_of_schema(schema)
    if state == "newer":
        raise _too_new(schema, database)
    if state == "foreign":
        raise InputRefused(f"{copy} holds no database of Blindread; use another backup.")
    return schema


def _schema_in_dump(copy: Path) -> str | None:
    schema = schema_in_dump(copy)
    if schema is not None:
        require_no_foreign_parts(copy)
    return schema


def _schema_in_file(copy: Path) -> str | None:
    require_whole(copy)
    engine = make_engine(f"sqlite:///file:{quote(copy.resolve().as_posix())}?mode=ro&immutable=1&uri=true")
    try:
        with _damage_in_words(copy):
            schema = _number_in_file(copy, engine)
            if standing_of_schema(schema) in {"current", "older"}:
                _require_schema(copy, engine)
        return schema
    finally:
        engine.dispose()


def _number_in_file(copy: Path, engine: Engine) -> str | None:
    try:
        return schema_of(engine)
    except DatabaseError as error:
        raise DamagedCopy(f"{copy} holds no database of Blindread; use another backup.") from error


def _require_schema(copy: Path, engine: Engine) -> None:
    """Refuse a database whose schema does not match its number, before any of its triggers can run.

    Raises
    ------
    DamagedCopy
        Part of the schema is missing, was altered, or does not belong there.
    """
    with engine.connect() as connection:
        problems = altered_schema(connection)
    if problems:
        named = " ".join(_quoted(problem) for problem in problems[:NAMED])
        more = f" ({len(problems) - NAMED} more after it.)" if len(problems) > NAMED else ""
        raise DamagedCopy(f"{copy} does not have the schema that Blindread made; use another backup. {named}{more}")


@contextmanager
def _damage_in_words(copy: Path) -> Iterator[None]:
    """Report anything unusable in a copy as damage to that copy, by the kind of error and not by the copy's words."""
    try:
        yield
    except (DamagedCopy, Refused, InputRefused, Unavailable, OSError):
        raise
    except DatabaseError as error:
        reason = _quoted(str(error.orig).splitlines()[0])
        raise DamagedCopy(
            f"{copy} holds other tables than the schema that it names ({reason}); use another backup."
        ) from error
    except Exception as error:
        raise DamagedCopy(
            f"{copy} holds values that cannot be read ({type(error).__name__}); use another backup."
        ) from error


def _too_new(schema: str | None, database: Database) -> Conflict:
    number = _quoted(str(schema), LONGEST_NUMBER)
    return Conflict(
        f"The backup has schema {number} and this program knows up to {newest_schema()}; restore it "
        "with the program that made it, or a newer one."
    )


def _quoted(words: str, longest: int = LONGEST_NAMED) -> str:
    """Return text from a copy so that a terminal can show it: cut short, and with nothing that moves the cursor."""
    return "".join(sign if sign.isprintable() else "?" for sign in words[:longest])


def _copy_volumes(source: Path, files: list[Path], target: Path) -> None:
    """Copy the volumes, each completely or not at all, so that a killed restore can be repeated."""
    target.mkdir(parents=True, exist_ok=True)
    for file in files:
        place = target / file
        place.parent.mkdir(parents=True, exist_ok=True)
        incoming = place.with_name(f"{volume_store.INCOMING}{place.name}")
        # A link at this place would be written through.
        incoming.unlink(missing_ok=True)
        shutil.copy2(source / file, incoming, follow_symlinks=False)
        incoming.replace(place)


def _bring_in_file(database: Database, copy: Path, copy_volumes: Callable[[], None]) -> int:
    """Assemble a SQLite database beside its place, with everybody signed out, and move it into place at the end.

    The volumes are copied once nothing can be refused any more.
    """
    place = Path(str(database.engine.url.database))
    place.parent.mkdir(parents=True, exist_ok=True)
    made = Database(make_engine(f"sqlite:///{beside(place)}"), database.data_dir)
    try:
        copy_sqlite(copy, beside(place))
        ended = _bring_up_to_date(made, copy)
        made.engine.dispose()
        copy_volumes()
        _require_empty(database)
        put_in_place(beside(place), place)
    finally:
        made.engine.dispose()
        for file in (beside(place), *log_files(beside(place))):
            file.unlink(missing_ok=True)
    return ended


def _bring_in_dump(database: Database, dump: Path, copy_volumes: Callable[[], None]) -> int:
    """Restore a dump into PostgreSQL; until everybody is signed out, a table marks the restore as unfinished.

    The volumes come first, because from then on only that table keeps people out of the database.
    """
    copy_volumes()
    with database.writing() as session:
        session.connection().execute(text(f"CREATE TABLE IF NOT EXISTS {UNFINISHED} (since timestamptz DEFAULT now())"))
    try:
        restore_dump(database, dump)
    except (DamagedCopy, OSError):
        # The restore was one transaction and left nothing; if there are other tables all the same, the mark stays.
        if inspect(database.engine).get_table_names() == [UNFINISHED]:
            with database.writing() as session:
                session.connection().execute(text(f"DROP TABLE {UNFINISHED}"))
        raise
    return _bring_up_to_date(database, dump)


def _bring_up_to_date(database: Database, copy: Path) -> int:
    """Migrate what was brought in, sign everybody out, and return how many login sessions that ended."""
    with _damage_in_words(copy):
        _require_schema(copy, database.engine)
        maintenance.bring_up_to_date(database)
        _require_schema(copy, database.engine)
        return _end_sessions_and_links(database)


def _end_sessions_and_links(database: Database) -> int:
    with database.writing() as session:
        # Without reading the rows: a row with an invalid date must not keep the others signed in.
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
    """Return how many studies there are, and the problems found."""
    problems = []
    with database.read_only() as session:
        if broken := list(audit.broken_links(session)):
            problems.append(f"The audit chain is broken at event {broken[0]}.")
        if head is not None and not audit.leads_to(session, head):
            problems.append(
                "The audit chain does not contain the head that is stored in the backup: its end was cut off."
            )
        of_studies = columns_of(Study, "id", "key").where(col(Study.removed_at).is_(None))
        studies, without_key = readable_rows(session, of_studies, Study.id)
        hashes, unreadable = maintenance.named_files(session)
    if without_key:
        problems.append(f"The keys of studies cannot be read: {len(without_key)}.")
    if unreadable:
        problems.append(f"Rows that name prepared volumes cannot be read: {unreadable}.")
    missing = [sha256 for sha256 in hashes if not volume_store.is_intact(database, sha256)]
    if missing:
        problems.append(f"{len(missing)} of {len(hashes)} prepared volumes are missing or damaged.")
    for study_id, key in [*studies, *((study_id, study_id) for study_id in without_key)]:
        problems += [f"Study '{key}': {problem}" for problem in _problems_of_study(database, study_id)]
    return len(studies) + len(without_key), problems


def _problems_of_study(database: Database, study_id: int) -> list[str]:
    """Verify a study if it is frozen; otherwise there is nothing to compare."""
    with database.read_only() as session:
        state, problems = read_or_report(session, "Its states", lambda: permission.state_of(session, study_id))
    return problems if state in {None, "draft"} else verification.verify_stored_study(database, study_id)
