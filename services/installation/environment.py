"""The database that this process serves, for the layers above, which may not import `db`."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy.exc import DatabaseError as UnreadableDatabase
from sqlalchemy.exc import IntegrityError as BrokenLink

from db import Database, database_from_environment
from db.engine import data_dir_from_environment, unmade_database_from_environment
from db.waiting import DOES_NOT_ANSWER, unhurried, within
from db.waiting import LONGEST as LONGEST_WAIT
from services.installation.tokens import TOKEN_PERIOD

__all__ = [
    "DOES_NOT_ANSWER",
    "LONGEST_WAIT",
    "BrokenLink",
    "Database",
    "UnreadableDatabase",
    "allowed_hosts",
    "choose_data_dir",
    "data_dir",
    "database",
    "proxies",
    "public_url",
    "unhurried",
    "unmade_database",
    "volume_cache_control",
    "within",
]


def database() -> Database:
    """Return the database that the environment names, opened once per process."""
    return database_from_environment()


def unmade_database() -> Database:
    """Return the database that the environment names, whose folder is only created when a restore starts writing."""
    return unmade_database_from_environment()


def choose_data_dir(folder: Path) -> None:
    """Use a data folder other than the environment's. Call this before the database is opened."""
    os.environ["BLINDREAD_DATA_DIR"] = str(folder)


def allowed_hosts() -> frozenset[str]:
    """Return the host names, besides this machine's own, that the server answers to: BLINDREAD_ALLOWED_HOSTS."""
    return frozenset(name.lower() for name in _listed("BLINDREAD_ALLOWED_HOSTS"))


def proxies() -> tuple[str, ...]:
    """Return the addresses or networks of the proxies in front of the server: BLINDREAD_PROXIES."""
    return _listed("BLINDREAD_PROXIES")


def public_url() -> str:
    """Return the address that people open, without a trailing slash: BLINDREAD_PUBLIC_URL, or an empty string."""
    return os.environ.get("BLINDREAD_PUBLIC_URL", "").strip().rstrip("/")


def _listed(variable: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in os.environ.get(variable, "").split(",") if part.strip())


def data_dir() -> Path:
    """Return the folder of the database and volumes that the environment names."""
    return data_dir_from_environment()


def volume_cache_control() -> str:
    """Return the `Cache-Control` for scans that the environment asks for.

    By default nothing is cached: a scan in a shared workstation's cache would outlive the reader's sign-out. If every
    reader has a machine of their own, BLINDREAD_VOLUME_CACHE=private lets the browser keep a scan for an hour, the
    shortest time that its address is valid.
    """
    if os.environ.get("BLINDREAD_VOLUME_CACHE") == "private":
        return f"private, max-age={int(TOKEN_PERIOD.total_seconds())}, immutable"
    return "no-store"
