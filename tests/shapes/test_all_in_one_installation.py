"""Every published study beside all others in one installation, in an order that no study counts on."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.studies.folders import importing
from services.studies.freeze import freezing
from studies.examples import build, shapes
from tests.situations import owner_of


@pytest.mark.studies
def test_all_are_imported_and_frozen_from_the_last_to_the_first(sqlite_database: Database, tmp_path: Path) -> None:
    # A study that leaves out the subjects of others comes after them so.
    owner = owner_of(sqlite_database)
    names = sorted((shape.name for shape in shapes()), reverse=True)

    for name in names:
        imported = importing.import_study(sqlite_database, owner, build(name, tmp_path / name))
        assert freezing.freeze_study(sqlite_database, owner, imported.study_key).sha256
