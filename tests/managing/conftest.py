"""Installations at the command line, made once in the process and copied for each test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from db.engine import database_from_environment
from tests.harness.command_line import invoke
from tests.managing.installations import Run, do_in
from tests.situations import write_study_folder


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data folder that the command line is pointed at."""
    folder = tmp_path / "data"
    monkeypatch.setenv("BLINDREAD_DATA_DIR", str(folder))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    database_from_environment.cache_clear()
    mask = os.umask(0o022)
    yield folder
    os.umask(mask)
    database_from_environment.cache_clear()


@pytest.fixture
def run(data_dir: Path) -> Run:
    return invoke


@pytest.fixture(scope="session")
def installed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of an installation with an owner and no study; to be copied."""
    folder = tmp_path_factory.mktemp("installed") / "data"
    do_in(folder, ("init",), ("owner", "ada", "--name", "Ada Admin"))
    return folder


@pytest.fixture(scope="session")
def frozen_once(installed_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of an installation with the tiny study, two raters, frozen; to be copied."""
    folder = tmp_path_factory.mktemp("frozen")
    shutil.copytree(installed_once, folder / "data")
    do_in(
        folder / "data",
        ("import", write_study_folder(folder / "study")),
        *(("invite", "tiny", login, "--name", login) for login in ("rater-1", "rater-2")),
        ("freeze", "tiny"),
    )
    return folder / "data"


@pytest.fixture
def installed(installed_once: Path, run: Run, data_dir: Path) -> Run:
    """An installation with an owner and no study."""
    shutil.copytree(installed_once, data_dir)
    return run


@pytest.fixture
def frozen(frozen_once: Path, run: Run, data_dir: Path) -> Run:
    """An installation with the tiny study, two raters, frozen."""
    shutil.copytree(frozen_once, data_dir)
    return run
