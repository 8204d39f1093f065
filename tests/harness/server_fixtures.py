"""Fixtures of real servers: with the demo or without, for one test or for all."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.harness import ending
from tests.harness.server import RunningServer, clean_environment, run_manage

SERVERS = pytest.StashKey[list[RunningServer]]()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let servers be started only where `make unit` knows of them."""
    RunningServer.allowed = any(item.get_closest_marker(name) for name in ("server", "browser"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Show what the servers of a failed test said."""
    report = yield
    if report.when == "call" and report.failed:
        for running in item.config.stash.get(SERVERS, []):
            report.sections.append((f"end of the log of {running.url}", running.log_text()[-4000:]))
    return report


@pytest.fixture(scope="session")
def seeded_data_dir() -> Path:
    """A data folder as a first `make run` leaves it, demo included, one for the run: to be copied and never served."""
    return ending.made_once("seeded", _seed)


def _seed(folder: Path) -> None:
    for command in ("init", "demo"):
        run_manage(clean_environment(folder, {}), command)
    leftovers = [path.name for path in folder.rglob("*.db-*")]
    if leftovers:
        raise RuntimeError(f"manage.py left the database open ({', '.join(leftovers)}): a copy would lose rows.")


@contextmanager
def serving_a_copy(seeded: Path, folder: Path, config: pytest.Config) -> Iterator[RunningServer]:
    """Serve a copy of the seeded demo in a folder; the end of the log is shown where a test fails meanwhile."""
    shutil.copytree(seeded, folder / "data")
    running = RunningServer(folder / "data", folder / "server.log", {})
    alive = config.stash.setdefault(SERVERS, [])
    alive.append(running)
    running.start()
    yield running
    running.stop()
    alive.remove(running)


@pytest.fixture(scope="session")
def demo_server(
    seeded_data_dir: Path, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[RunningServer]:
    """A server on a copy of the seeded demo, one for the session: for tests that enter nothing others would notice."""
    with serving_a_copy(seeded_data_dir, tmp_path_factory.mktemp("demo-server"), pytestconfig) as running:
        yield running


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., RunningServer]]:
    """A function that starts a server on its own port and data folder; every server ends with the test.

    `server(seeded=True, data_dir=None, env=None)`: with `seeded`, the data folder is a copy of the seeded demo;
    without, it is made by `manage.py init` alone; a given `data_dir` is served as it is.
    """
    started: list[RunningServer] = []
    alive = request.config.stash.setdefault(SERVERS, [])

    def start(
        *, seeded: bool = True, data_dir: Path | None = None, env: Mapping[str, str] | None = None
    ) -> RunningServer:
        number = len(started) + 1
        folder = data_dir or tmp_path / f"server-{number}"
        if data_dir is None and seeded:
            shutil.copytree(request.getfixturevalue("seeded_data_dir"), folder)
        elif data_dir is None:
            run_manage(clean_environment(folder, env or {}), "init")
        running = RunningServer(folder, tmp_path / f"server-{number}.log", env or {})
        started.append(running)
        alive.append(running)
        running.start()
        return running

    yield start
    for running in started:
        running.stop()
        alive.remove(running)
