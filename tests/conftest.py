"""Fixtures for all tests: databases of both kinds, a real server, a real browser."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import Engine

from db.engine import Database, make_engine
from services.people import passwords
from services.record import maintenance
from services.studies.volumes import preparing
from tests.harness import chromium, databases, ending, fewer_messages, postgresql, prepared, second_try
from tests.harness.provide import under_ci
from tests.harness.screenshots import photograph
from tests.harness.server import RunningServer, clean_environment, run_manage

BROWSERS = pytest.StashKey[list[Browser]]()
SERVERS = pytest.StashKey[list[RunningServer]]()
ENDING = pytest.StashKey[ending.Ending]()
# Fixtures by which a test is known to need a browser, or a server or another program that runs on by itself.
IN_A_BROWSER = {"browser", "browser_with_graphics", "new_page", "page", "signed_in"}
WITH_A_SERVER = {
    *("server", "demo_server", "stand_in", "marked", "running", "served", "serving", "unserved", "started"),
    *("behind", "behind_a_proxy", "on_sqlite", "aftermath"),
}
# The marker of tests that are run only where `-m` names it.
ON_REQUEST = "studies"
# The files that go first, so that no worker is left alone with one in the end: of `make unit`, and of all tests; and
# which of those with browser tests go before the others of their kind, the longest first.
LONGEST = ("test_published_studies_to_the_end.py", "test_published_studies.py", "test_main_job.py")
LONG_IN_A_BROWSER = (
    *("test_endings.py", "test_read_in_a_browser.py", "test_markers.py", "test_room_markers.py"),
    *("test_screenshots.py", "test_judged_markers.py"),
)
# Milliseconds in which a page has to show what is expected of it. Streamlit loads the code of some elements when the
# first of them is shown (that of a letter: 1.5 MB), which a busy machine needs more than Playwright's 5 seconds for.
PATIENCE = 20_000
BOTH_KINDS = ("sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql))
WINDOW = (1600, 900)


def pytest_configure(config: pytest.Config) -> None:
    """Give the run its folder, and see to it that nothing outlives the run; the workers of pytest-xdist share both."""
    if not hasattr(config, "workerinput"):
        config.stash[ENDING] = ending.Ending()
        if root := ending.temporary_root():
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", root)
    config.pluginmanager.register(second_try)
    fewer_messages.register_in_worker(config)
    databases.share_compiled_statements()
    expect.set_options(timeout=PATIENCE)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End what the run has left behind."""
    if ENDING in config.stash:
        config.stash[ENDING].come()


def pytest_collection() -> None:
    """Let nothing be searched for garbage while thousands of tests are made, of which none goes."""
    gc.disable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by what they stand on, and run files with browser tests last, except for the longest.

    Studies that take a browser long to read are left out where nobody asks for them.

    Playwright leaves an event loop in the main thread, beside which asyncio.run fails: a test that needs it runs it in
    another thread.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & IN_A_BROWSER:
            item.add_marker(pytest.mark.browser)
            item.add_marker(second_try.MARK)
        if fixtures & WITH_A_SERVER:
            item.add_marker(pytest.mark.server)
    if ON_REQUEST not in config.option.markexpr:
        left_out = [item for item in items if item.get_closest_marker(ON_REQUEST)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    in_a_browser = {item.path for item in items if item.get_closest_marker("browser")}
    items.sort(
        key=lambda item: (
            _place(item, LONGEST),
            item.path in in_a_browser,
            _place(item, LONG_IN_A_BROWSER),
            item.get_closest_marker("browser") is not None,
        )
    )


def _place(item: pytest.Item, files: tuple[str, ...]) -> int:
    """Return the place of a test's file among these; their number for any other."""
    return files.index(item.path.name) if item.path.name in files else len(files)


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over the tests and modules, which stay to the end, and seldom begin.

    What of it is garbage is not searched for either: that takes longer than what it would free is worth.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let servers be started only where `make unit` knows of them."""
    RunningServer.allowed = any(item.get_closest_marker(name) for name in ("server", "browser"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Photograph the open pages of a failed test before its fixtures close them, and show what its servers said."""
    report = yield
    if report.when == "call" and report.failed:
        for browser in item.config.stash.get(BROWSERS, []):
            if browser.is_connected():
                for file in photograph(browser, item.nodeid):
                    report.sections.append(("screenshot", str(file)))
        for running in item.config.stash.get(SERVERS, []):
            report.sections.append((f"end of the log of {running.url}", running.log_text()[-4000:]))
    return report


def _missing(sentence: str) -> None:
    """Skip a test whose means this machine lacks; under CI that is a failure."""
    if under_ci():
        pytest.fail(sentence)
    pytest.skip(sentence)


# ---- passwords -------------------------------------------------------------------------------------------------------

SHIPPED_HASHER = passwords._hasher


@pytest.fixture(scope="session", autouse=True)
def _quick_hashes() -> Iterator[None]:
    """Hash the passwords of this process by the same function in far less time; servers keep the full one."""
    with pytest.MonkeyPatch.context() as own:
        own.setattr(passwords, "_hasher", PasswordHash((Argon2Hasher(time_cost=1, memory_cost=64, parallelism=1),)))
        yield


@pytest.fixture
def hashes_as_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords at the cost that installations pay."""
    monkeypatch.setattr(passwords, "_hasher", SHIPPED_HASHER)


# ---- volumes ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session", autouse=True)
def _volumes_prepared_once() -> Iterator[None]:
    """Prepare each small volume once in this process, whichever study it is imported with."""
    with pytest.MonkeyPatch.context() as own:
        for name in ("prepare_volume", "prepare_overlay"):
            own.setattr(preparing, name, prepared.remembering(getattr(preparing, name)))
        yield


# ---- databases -------------------------------------------------------------------------------------------------------


def _migrated_once() -> Path:
    return ending.made_once("migrated", databases.migrated_sqlite_file) / databases.MIGRATED


@pytest.fixture(scope="session")
def migrated_sqlite() -> Path:
    """A closed SQLite file with the newest schema and no rows, one for the run: to be copied and never opened."""
    return _migrated_once()


@pytest.fixture(scope="session", autouse=True)
def _empty_databases_copied() -> Iterator[None]:
    """Let the installations of this process begin with a copy of the migrated file."""
    with pytest.MonkeyPatch.context() as own:
        own.setattr(maintenance, "upgrade", databases.copying_instead(_migrated_once, maintenance.upgrade))
        yield


@pytest.fixture(scope="session")
def postgres_server() -> postgresql.PostgresDatabases:
    """A throw-away PostgreSQL server, one for the run, with which it ends."""
    programs = postgresql.find_postgresql()
    if programs is None:
        _missing(postgresql.MISSING)
        raise AssertionError
    return postgresql.databases_of_the_run(programs)


@pytest.fixture(scope="session")
def migrated_postgres(postgres_server: postgresql.PostgresDatabases) -> str:
    """The name of a PostgreSQL database with the newest schema and no rows, to be copied and never opened."""
    with ending.one_at_a_time("migrated-postgresql") as file:
        if not file.exists():
            name = postgres_server.create_database()
            databases.migrate(postgres_server.url(name))
            file.write_text(name)
        return file.read_text()


@pytest.fixture
def empty_postgres_url(postgres_server: postgresql.PostgresDatabases) -> Iterator[str]:
    """The URL of a fresh PostgreSQL database without any table (for tests of the migrations)."""
    name = postgres_server.create_database()
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


@pytest.fixture
def empty_sqlite_url(tmp_path: Path) -> str:
    """The URL of a SQLite file that does not exist yet (for tests of the migrations)."""
    return databases.sqlite_url(tmp_path / "empty.db")


@pytest.fixture(params=BOTH_KINDS)
def empty_database_url(request: pytest.FixtureRequest) -> str:
    """The URL of a fresh database without any table, once SQLite and once PostgreSQL."""
    return str(request.getfixturevalue(f"empty_{'postgres' if request.param == 'postgresql' else 'sqlite'}_url"))


@pytest.fixture
def sqlite_url(migrated_sqlite: Path, data_dir: Path) -> str:
    """The URL of a fresh, migrated SQLite file of this test's own."""
    return databases.copy_of_sqlite_file(migrated_sqlite, data_dir / "blindread.db")


@pytest.fixture
def postgres_url(postgres_server: postgresql.PostgresDatabases, migrated_postgres: str) -> Iterator[str]:
    """The URL of a fresh, migrated PostgreSQL database of this test's own."""
    name = postgres_server.create_database(template=migrated_postgres)
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


@pytest.fixture(params=BOTH_KINDS)
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of a fresh, migrated database: the test runs once on SQLite and once on PostgreSQL."""
    return str(request.getfixturevalue("postgres_url" if request.param == "postgresql" else "sqlite_url"))


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """An empty data folder of this test's own."""
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """An engine on a fresh, migrated database, once SQLite and once PostgreSQL."""
    made = make_engine(database_url)
    yield made
    made.dispose()


@pytest.fixture
def database(engine: Engine, data_dir: Path) -> Database:
    """A fresh, migrated database with its data folder, once SQLite and once PostgreSQL."""
    return Database(engine, data_dir)


@pytest.fixture
def sqlite_database(sqlite_url: str, data_dir: Path) -> Iterator[Database]:
    """A fresh, migrated SQLite database with its data folder, for tests in which the engine makes no difference."""
    made = make_engine(sqlite_url)
    yield Database(made, data_dir)
    made.dispose()


# ---- a real server ---------------------------------------------------------------------------------------------------


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


# ---- a real browser --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def _chromium(pytestconfig: pytest.Config) -> Iterator[Callable[..., Browser]]:
    """A function that starts a Chromium without a window, which ends with the session."""
    executable = chromium.find_chromium()
    if executable is None:
        _missing(chromium.MISSING)
        raise AssertionError
    started = pytestconfig.stash.setdefault(BROWSERS, [])
    with sync_playwright() as playwright:

        def start(*, graphics: bool) -> Browser:
            started.append(chromium.launch_chromium(playwright, executable, graphics=graphics))
            return started[-1]

        yield start
        for browser in started:
            browser.close()


@pytest.fixture(scope="session")
def browser(_chromium: Callable[..., Browser]) -> Browser:
    """A Chromium without a window, one for the session; tests open contexts of their own in it."""
    return _chromium(graphics=False)


@pytest.fixture(scope="session")
def browser_with_graphics(_chromium: Callable[..., Browser]) -> Browser:
    """A Chromium that draws as one with a graphics card does, for tests that compare what it has drawn."""
    return _chromium(graphics=True)


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """A function that opens a page in a context of its own (its own cookies: another person at another machine).

    `new_page(width=1600, height=900, **options)`: options are those of Playwright's `Browser.new_context`.
    """
    contexts = []

    def open_page(width: int = WINDOW[0], height: int = WINDOW[1], **options: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        return context.new_page()

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def signed_in(new_page: Callable[..., Page]) -> Callable[..., Page]:
    """A function that opens a page for one of the demo's people, signed in by a fresh link.

    `signed_in(running, "Demo rater 1", **options)`: options are those of `new_page`.
    """

    def open_page(running: RunningServer, name: str, **options: object) -> Page:
        opened = new_page(**options)
        opened.goto(running.sign_in_links()[name])
        opened.get_by_role("button", name="Sign in").click()
        opened.wait_for_url(lambda url: "/link/" not in url)
        return opened

    return open_page


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """One page in a context of its own."""
    return new_page()
