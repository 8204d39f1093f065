"""One server for all attacks of this folder, on a marked study; and the tiny study, copied for each attack."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.blinding.serving import ServedStudy, serve_marked
from tests.services.conftest import _imported_once, _opened_once, imported, opened

__all__ = ["_imported_once", "_opened_once", "imported", "opened"]


@pytest.fixture(scope="package")
def marked(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedStudy]:
    """A running server on the marked study, one for the whole folder: what an attack leaves, the next one meets."""
    with serve_marked(migrated_sqlite, tmp_path_factory.mktemp("attacked")) as serving:
        yield serving
