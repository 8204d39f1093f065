"""Benchmarks on databases that are copied, not migrated anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import judge_formats, judge_import, judges, read_study, sizes
from tests.harness import databases


@pytest.fixture(scope="session", autouse=True)
def _empty_databases_copied(migrated_sqlite: Path) -> Iterator[None]:
    """Let the benchmarks of this process begin with a copy of the migrated file."""
    with pytest.MonkeyPatch.context() as own:
        for benchmark in (judge_formats, judge_import, judges, read_study, sizes):
            copying = databases.copying_instead(lambda: migrated_sqlite, benchmark.upgrade)
            own.setattr(benchmark, "upgrade", copying)
        yield
