"""Bring a backup back: into an empty place, checked before and after, with nobody signed in."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy.exc import DatabaseError
from sqlmodel import col, select

from db import Database, Invitation, LoginSession, Overlay, Study, Volume, audit, now
from db.backup import DamagedCopy, restore
from db.engine import make_engine
from db.migrate import newest_schema, schema_of, standing
from services.errors import Conflict, InputRefused
from services.people import permission
from services.record import maintenance, verification
from services.record.maintenance import copy_name
from services.seals import audit_head
from services.studies import volume_store


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

    The backup of an older release is migrated. Login sessions end, and so do open links: one that was used after the
    backup was taken would be open again.

    Raises
    ------
    InputRefused
        The folder is no backup of this kind of database, or is damaged.
    Conflict
        There is a database here already.
    """
    copy = backup / copy_name(database)
    if not copy.is_file():
        raise InputRefused(
            f"{backup} holds no {copy.name}: name a folder that 'manage.py backup' wrote, and set DATABASE_URL for "
            "the same kind of database."
        )
    if standing(database.engine) != "empty":
        raise Conflict(
            f"There is a database already ({database.engine.url.render_as_string()}); stop the server, move it away "
            "or name an empty place, and restore again."
        )
    head = _head_of(backup)
    _require_volumes(backup)
    if database.engine.dialect.name == "sqlite":
        _require_ours(copy, database)
    try:
        restore(database, copy)
    except DamagedCopy as damage:
        raise InputRefused(str(damage)) from damage
    schema = schema_of(database.engine)
    if standing(database.engine) == "newer":
        raise _too_new(schema, database)
    maintenance.prepare(database)
    _copy_volumes(backup / "volumes", database.volume_dir)
    ended = _end_sessions_and_links(database)
    studies, problems = _check(database, head)
    return Restored(schema, studies, ended, problems, head is not None)


def _head_of(backup: Path) -> str | None:
    """Return the head that lies in a backup, or None; one that cannot be read is refused before anything is written."""
    file = backup / audit_head.FILE_NAME
    if not file.is_file():
        return None
    try:
        return audit_head.head_in(file.read_text("utf-8"))
    except (UnicodeDecodeError, Conflict):
        raise InputRefused(
            f"{file} holds no head of an audit chain; take it from where it was kept, or remove the file to restore "
            "without comparing the chain's end."
        ) from None


def _require_volumes(backup: Path) -> None:
    """Refuse a backup whose volumes cannot all be copied."""
    for path in (backup / "volumes").rglob("*"):
        if not path.exists():
            raise InputRefused(f"{path} leads nowhere; put the file back or remove the link, and restore again.")


def _require_ours(copy: Path, database: Database) -> None:
    """Refuse a copy that is no database of this program or an older one, before anything is written."""
    engine = make_engine(f"sqlite:///file:{quote(copy.resolve().as_posix())}?mode=ro&immutable=1&uri=true")
    try:
        found, schema = standing(engine), schema_of(engine)
    except DatabaseError:
        # A damaged file: `restore` names what is wrong with it.
        return
    finally:
        engine.dispose()
    if found == "newer":
        raise _too_new(schema, database)
    if found in ("empty", "foreign"):
        raise InputRefused(f"{copy} holds no database of Blindread; use another backup.")


def _too_new(schema: str | None, database: Database) -> Conflict:
    return Conflict(
        f"The backup has schema {schema} and this program knows up to {newest_schema(database.engine)}; restore it "
        "with the program that made it, or a newer one."
    )


def _copy_volumes(source: Path, target: Path) -> None:
    """Copy the volumes that are not there; each is named by the hash of its bytes."""
    target.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".incoming-*"))


def _end_sessions_and_links(database: Database) -> int:
    with database.writing() as session:
        sessions = session.exec(select(LoginSession).where(col(LoginSession.ended_at).is_(None))).all()
        links = session.exec(
            select(Invitation).where(col(Invitation.consumed_at).is_(None), col(Invitation.ended_at).is_(None))
        ).all()
        for one in sessions:
            one.ended_at = now()
        for link in links:
            link.ended_at = link.expires_at = now()
        session.add_all([*sessions, *links])
        audit.record(session, "restored from a backup", login_sessions_ended=len(sessions), links_ended=len(links))
    return len(sessions)


def _check(database: Database, head: str | None) -> tuple[int, list[str]]:
    """Return how many studies there are, and what does not hold."""
    problems = []
    with database.reading() as session:
        if broken := list(audit.broken_links(session)):
            problems.append(f"The audit chain is broken at event {broken[0]}.")
        if head is not None and not audit.leads_to(session, head):
            problems.append("The audit chain does not hold the head that lies in the backup: its end was cut off.")
        studies = session.exec(select(Study).where(col(Study.removed_at).is_(None)).order_by(col(Study.id))).all()
        frozen = [one.key for one in studies if permission.state_of(session, one.id or 0) != "draft"]
        hashes = {*session.exec(select(Volume.sha256)).all(), *session.exec(select(Overlay.sha256)).all()}
    missing = [one for one in hashes if not volume_store.is_intact(database, one)]
    if missing:
        problems.append(f"{len(missing)} of {len(hashes)} prepared volumes are missing or damaged.")
    for key in frozen:
        problems += [f"Study '{key}': {problem}" for problem in verification.verify_study(database, key)]
    return len(studies), problems
