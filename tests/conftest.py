"""How a run of the tests begins, orders what it collected, and ends; the fixtures for all lie in `harness`."""

from __future__ import annotations

import gc
import os

import pytest

from tests.harness import ending

ENDING = pytest.StashKey[ending.Ending]()
# The plugins of a process that runs tests: with several workers (-n), the one that started them loads none of it.
PLUGINS = (
    *("database_fixtures", "server_fixtures", "browser_fixtures"),
    *("second_try", "fewer_messages", "hanging"),
)
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


def pytest_configure(config: pytest.Config) -> None:
    """Give the run its folder, and see to it that nothing outlives the run; the workers of pytest-xdist share both."""
    if not hasattr(config, "workerinput"):
        config.stash[ENDING] = ending.Ending()
        if root := ending.temporary_root():
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", root)
    if _runs_tests(config):
        for name in PLUGINS:
            config.pluginmanager.import_plugin(f"tests.harness.{name}")


def _runs_tests(config: pytest.Config) -> bool:
    """Return whether this process runs tests or collects them, and does not leave both to workers."""
    is_worker = hasattr(config, "workerinput")
    return is_worker or config.option.collectonly or not config.getoption("numprocesses", None)


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
