"""Fresh, migrated databases for tests: copies of one that was migrated once per run."""

from __future__ import annotations

import shutil
from pathlib import Path

from db.engine import make_engine
from db.migrate import upgrade

MIGRATED = "migrated.db"


def migrated_sqlite_file(folder: Path) -> Path:
    """Migrate a new SQLite database and return its file, closed and complete in itself."""
    file = folder / MIGRATED
    migrate(sqlite_url(file))
    leftovers = [path.name for path in folder.glob(f"{MIGRATED}-*")]
    if leftovers:
        raise RuntimeError(f"The migrated database was not closed ({', '.join(leftovers)}): a copy would lose rows.")
    return file


def copy_of_sqlite_file(template: Path, target: Path) -> str:
    """Copy a closed SQLite file and return the copy's URL."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(template, target)
    return sqlite_url(target)


def sqlite_url(file: Path) -> str:
    """Return the URL of a SQLite file."""
    return f"sqlite:///{file.as_posix()}"


def migrate(url: str) -> None:
    """Bring a database to the newest schema and leave no connection open."""
    engine = make_engine(url)
    try:
        upgrade(engine)
    finally:
        engine.dispose()
