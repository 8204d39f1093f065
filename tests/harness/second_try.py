"""A browser test whose wait ran out is tried once more, and finds what the first try found: a plugin of pytest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeout

# How a wait in a browser ends whose time ran out. A browser without a graphics card can stand still for seconds on a
# busy machine. Such a test, and no other, is tried once more, and the summary names it.
RAN_OUT = [PlaywrightTimeout, r"^AssertionError: (Locator|Page) expected"]
MARK = pytest.mark.flaky(reruns=1, only_rerun=RAN_OUT)
FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that may be tried once more."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(MARK)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Note that a try has failed."""
    report = yield
    if report.when != "teardown" and report.failed:
        item.stash[FAILED] = True
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Take down all that a failed try stood on, except for what the session shares.

    The plugin that tries a test once more keeps the fixtures of its module for that. A served study in which the first
    try has pressed a button would answer the second otherwise than the first.
    """
    if item.stash.get(FAILED, False) and item.get_closest_marker(MARK.name):
        del item.stash[FAILED]
        item.session._setupstate.teardown_exact(item.session)
