"""Bring a database to the newest schema, on SQLite and on PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine


def configuration(engine: Engine) -> Config:
    """Return Alembic's configuration for `engine`; `env.py` takes the engine from its attributes."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["engine"] = engine
    return config


def upgrade(engine: Engine) -> None:
    """Run every migration that the database has not seen yet."""
    command.upgrade(configuration(engine), "head")
