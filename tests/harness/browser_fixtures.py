"""Fixtures of a real browser: its pages, each of a person of its own, and those of the demo's people."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.harness import chromium
from tests.harness.provide import missing
from tests.harness.screenshots import photograph
from tests.harness.server import RunningServer

BROWSERS = pytest.StashKey[list[Browser]]()
# Milliseconds in which a page has to show what is expected of it. Streamlit loads the code of some elements when the
# first of them is shown (that of a letter: 1.5 MB), which a busy machine needs more than Playwright's 5 seconds for.
PATIENCE = 20_000
WINDOW = (1600, 900)


def pytest_configure() -> None:
    """Have all that is expected of a page waited for as long."""
    expect.set_options(timeout=PATIENCE)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Photograph the open pages of a failed test before its fixtures close them."""
    report = yield
    if report.when == "call" and report.failed:
        for browser in item.config.stash.get(BROWSERS, []):
            if browser.is_connected():
                for file in photograph(browser, item.nodeid):
                    report.sections.append(("screenshot", str(file)))
    return report


@pytest.fixture(scope="session")
def _chromium(pytestconfig: pytest.Config) -> Iterator[Callable[..., Browser]]:
    """A function that starts a Chromium without a window, which ends with the session."""
    executable = chromium.find_chromium()
    if executable is None:
        missing(chromium.MISSING)
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
