"""Prepare and protect an installation: migrate, back up, and store the head of the audit chain."""

from __future__ import annotations

import errno
import shutil
from functools import partial
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from db import Database, Overlay, Study, Volume, audit, now, queries
from db.backup import back_up
from db.base import new_public_id, stored_id
from db.migrate import newest_schema, schema_of, standing, upgrade
from db.private import keep_private, make_private_folder
from db.readable import columns_of, readable_rows
from services.demo import labels
from services.errors import Conflict
from services.installation.whereabouts import unfinished_file
from services.people import accounts
from services.seals import audit_head, sealing
from services.studies.volumes import volume_store


def prepare(database: Database) -> Path | None:
    """Migrate the database to the newest schema, after backing it up, and create the folder of the volumes.

    What earlier releases left is brought up to date: the demo is labelled, and logins are made canonical.

    Returns
    -------
    Path or None
        The folder of the backup; None if there was nothing to migrate.

    Raises
    ------
    Conflict
        The database belongs to a newer release of the program.
    """
    state = standing(database.engine)
    if state == "foreign":
        raise _not_ours(database)
    if state == "newer":
        raise _too_new(database)
    if state == "unfinished":
        raise unfinished(database)
    saved = _back_up_before_migrating(database) if state == "older" else None
    bring_up_to_date(database)
    database.volume_dir.mkdir(parents=True, exist_ok=True)
    return saved


def bring_up_to_date(database: Database) -> None:
    """Migrate, and bring what earlier releases left up to date, without a backup."""
    upgrade(database.engine)
    sealing.seal_earlier_rows(database)
    accounts.make_logins_canonical(database)
    labels.label_demo(database)


def require_prepared(database: Database) -> None:
    """Refuse to work on a database that does not have this program's schema."""
    state = standing(database.engine)
    if state == "unfinished":
        raise unfinished(database)
    if state == "empty":
        raise Conflict("There is no Blindread database yet; run 'manage.py init' first.")
    if state == "foreign":
        raise _not_ours(database)
    if state == "newer":
        raise _too_new(database)
    if state == "older":
        raise Conflict(
            f"The database has schema {schema_of(database.engine)} and this program needs "
            f"{newest_schema()}; stop the server and run 'manage.py init', which takes a backup first."
        )


def unfinished(database: Database) -> Conflict:
    """Return the refusal of a place with an unfinished restore, with advice on what to do."""
    if database.engine.dialect.name == "sqlite":
        return Conflict(unfinished_file(Path(str(database.engine.url.database))))
    return Conflict(
        f"A restore into the database ({database.engine.url.render_as_string()}) was broken off; make an empty "
        "database, name it in DATABASE_URL, and restore again."
    )


def _not_ours(database: Database) -> Conflict:
    return Conflict(
        f"The database ({database.engine.url.render_as_string()}) holds tables, but no version of Blindread: it "
        "belongs to another program or is damaged; name another one, or restore a backup into an empty place."
    )


def _too_new(database: Database) -> Conflict:
    return Conflict(
        f"The database has schema {str(schema_of(database.engine))[:40]}, which a newer Blindread made; this program "
        f"knows up to {newest_schema()}: start the newer program, or restore a backup from before it."
    )


def _back_up_before_migrating(database: Database) -> Path:
    """Copy the database beside itself; migrations never change volumes, so those are not copied."""
    moment = now().strftime("%Y%m%d-%H%M%S")
    name = f"before-{newest_schema()}-from-{schema_of(database.engine)}-{moment}"
    folder = database.data_dir / "backups" / name
    back_up(database, folder / copy_name(database))
    return folder


def copy_name(database: Database) -> str:
    """Return the name of the database's copy in a backup."""
    return "blindread.db" if database.engine.dialect.name == "sqlite" else "blindread.dump"


def back_up_installation(database: Database, folder: Path, *, incomplete: bool = False) -> list[Path]:
    """Write a consistent copy of the database, the volumes, and the head of the audit chain into a new folder.

    Comparing the head later reveals whether the end of the chain was cut off; keep a copy of it elsewhere too.

    Parameters
    ----------
    incomplete
        Whether to back up even if prepared files are missing, so that at least the verdicts are saved.

    Raises
    ------
    Conflict
        The folder already exists, or a file that the database names is missing. Nothing is left behind then.
    """
    if folder.exists():
        raise Conflict(f"{folder.name} already exists; name a new folder for the backup.")
    if database.volume_dir.resolve() in folder.resolve().parents:
        raise Conflict(
            f"{folder} is inside the folder of volumes, which would be copied into itself; name another folder."
        )
    # Read before the copy is made, so that the copy contains this head even while people continue to write.
    with database.read_only() as session:
        chain_head = audit.head(session)
        named, unreadable = named_files(session)
    if unreadable and not incomplete:
        raise Conflict(
            f"Prepared files cannot be compared with the database, of which {unreadable} rows cannot be read: restore "
            "an older backup, or take this one without comparing by '--incomplete'."
        )
    if not incomplete:
        _require_files(named, database, database.data_dir)
    unfinished_backup = folder.with_name(f"{folder.name}.unfinished-{new_public_id()}")
    try:
        make_private_folder(unfinished_backup)
        _write_backup(database, unfinished_backup, chain_head)
        if not incomplete:
            _require_files(named, Database(database.engine, unfinished_backup), database.data_dir)
        # It gets its own name only when complete, no matter when this process is killed.
        unfinished_backup.rename(folder)
    except BaseException:
        shutil.rmtree(unfinished_backup, ignore_errors=True)
        raise
    return [folder / name for name in (copy_name(database), "volumes", audit_head.FILE_NAME)]


def sealed_in_backups(database: Database) -> str:
    """Return a sentence about what backups hold though it is sealed; empty if nothing is sealed."""
    with database.read_only() as session:
        studies = session.exec(select(Study).order_by(col(Study.key))).all()
        keys = [study.key for study in studies if queries.sealed_subjects(session, stored_id(study.id))]
    if not keys:
        return ""
    return (
        f"It holds what people answered about sealed test subjects ({', '.join(keys)}): keep it from everybody who "
        "must not see these answers."
    )


def named_files(session: Session) -> tuple[set[str], int]:
    """Return the SHA-256 of every prepared file that rows name, and how many such rows cannot be read."""
    rows: list[Any] = []
    unreadable: list[int] = []
    for table in (Volume, Overlay):
        more, bad = readable_rows(session, columns_of(table, "sha256"), table.id)
        rows += more
        unreadable += bad
    return {row[0] for row in rows}, len(unreadable)


def _write_backup(database: Database, folder: Path, chain_head: str) -> None:
    back_up(database, folder / copy_name(database))
    volumes = folder / "volumes"
    if database.volume_dir.is_dir():
        try:
            # The folder of the volumes may itself be on another disk.
            homes = (database.data_dir.resolve(), database.volume_dir.resolve())
            shutil.copytree(database.volume_dir, volumes, ignore=partial(_no_prepared_files, homes))
        except shutil.Error as error:
            source, _, reason = error.args[0][0]
            raise OSError(errno.EIO, f"it cannot be copied: {reason}", source) from error
    else:
        volumes.mkdir()
    (folder / audit_head.FILE_NAME).write_text(audit_head.head_file(chain_head), encoding="utf-8")
    keep_private(folder)


def _no_prepared_files(homes: tuple[Path, ...], folder: str, names: list[str]) -> list[str]:
    """Return the names that are not copied: files that are still incomplete, and things that no row can refer to.

    The latter are pipes and the like, and links that leave the folders for volumes: through such a link anything that
    this process can read would end up in a backup.
    """
    return [name for name in names if name.startswith(volume_store.INCOMING) or _is_strange(Path(folder, name), homes)]


def _is_strange(place: Path, homes: tuple[Path, ...]) -> bool:
    if not place.exists():
        return False
    if place.is_symlink() and not any(place.resolve().is_relative_to(home) for home in homes):
        return True
    return not (place.is_file() or place.is_dir())


def _require_files(named: set[str], place: Database, data_dir: Path) -> None:
    missing = sum(not volume_store.path_of(place, sha256).is_file() for sha256 in named)
    if missing:
        raise Conflict(
            f"{missing} of the {len(named)} prepared files that the database names are missing in {data_dir}: name "
            "the right data folder by '--data-dir', put them back, or take the backup without them by '--incomplete'."
        )
