"""What a rater and a reviewer do in a real browser, with everything that reaches them taken down."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, Page

from services.people import identity
from tests.blinding.marked_study import STUDY
from tests.blinding.serving import ServedStudy
from tests.blinding.transcript import Chunk, Transcript

OWN_WORDS = "My own words"
# Longer than the room's guard against an Enter that was meant for the item before.
SETTLED = 450
# A page of our own without scripts, or a Streamlit page whose script has come to its end.
_STANDS = """() => document.querySelector('body > main') ||
  document.querySelector('.stApp[data-test-script-state="notRunning"] .stMarkdown')"""
_READY = ".submit:not([disabled]), .done"


@dataclass
class Stage:
    """What arrived during one part of a journey, and the prompt or candidate that stood on the screen."""

    name: str
    chunks: list[Chunk] = field(default_factory=list)
    shown: str = ""


class Visitor:
    """One person at one browser."""

    def __init__(self, browser: Browser, served: ServedStudy) -> None:
        self.served = served
        self.context = browser.new_context(viewport={"width": 1440, "height": 900})
        self.context.set_default_timeout(20_000)
        self.transcript = Transcript(self.context)
        self.page: Page = self.context.new_page()
        self.stages: list[Stage] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[Stage]:
        """Take down what arrives within the block under a name."""
        before = len(self.transcript.chunks)
        stage = Stage(name)
        yield stage
        self.page.wait_for_timeout(150)
        self.transcript.look(self.page)
        stage.chunks = self.transcript.since(before)
        self.stages.append(stage)

    def go(self, path: str) -> None:
        """Open an address of the application and wait until something stands there."""
        self.transcript.settle(self.page)
        self.page.goto(f"{self.served.server.url}{path}")
        self.page.wait_for_function(_STANDS)

    def come_in(self, login: str) -> None:
        """Sign in with a fresh link, as an invited person does."""
        token = identity.make_link(self.served.study.database, login, "sign_in")
        self.go(f"/link/{token}")
        self.transcript.settle(self.page)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.get_by_text("Worklist").first.wait_for()

    def enter(self, phase: str) -> None:
        """Go into a queue and acknowledge its instructions."""
        self.go(f"/reading?study={STUDY}&phase={phase}")
        self.page.get_by_role("button", name="I have read this").click()
        self.page.locator(_READY).first.wait_for()

    def fill_in(self) -> None:
        """Fill in every field of the form with its first option, or with words of one's own."""
        for box in self.page.locator(".fields > .field").all():
            if box.locator(".option").count():
                box.locator(".option").first.click()
            else:
                box.locator("textarea").fill(OWN_WORDS)

    def hand_in(self) -> None:
        """Submit, and wait for the next item or the end."""
        self.page.wait_for_timeout(SETTLED)
        with self.page.expect_response("**/reading/verdict"):
            self.page.locator(".submit").click()
        self.page.locator(_READY).first.wait_for()
        self.begin()

    def begin(self) -> None:
        """Begin with the real items, where the practice has just ended."""
        if self.page.locator(".between").count():
            self.page.wait_for_timeout(SETTLED)
            self.page.locator(".way-on").click()
            self.page.locator(".foot .submit:not([disabled])").wait_for()

    def reload(self) -> None:
        """Reload the page in the middle of an item."""
        self.page.get_by_text("Draft saved").first.wait_for()
        self.transcript.settle(self.page)
        self.page.reload()
        self.page.locator(_READY).first.wait_for()

    def is_done(self) -> bool:
        """Whether the queue has come to its end."""
        return self.page.locator(".done").count() > 0

    def words_of(self, place: str) -> str:
        """Return the text of a part of the room, or nothing."""
        parts = self.page.locator(place)
        return parts.first.inner_text() if parts.count() else ""

    def close(self) -> None:
        """Leave."""
        self.context.close()
