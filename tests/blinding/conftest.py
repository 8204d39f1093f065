"""One server for all blinding tests of a file, on a marked study of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.blinding.serving import ServedStudy, serve_marked


@pytest.fixture(scope="module")
def marked(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedStudy]:
    """A running server on the marked study, one for the tests of a file."""
    with serve_marked(migrated_sqlite, tmp_path_factory.mktemp("marked")) as serving:
        yield serving
