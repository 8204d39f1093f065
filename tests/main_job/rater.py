"""A person in the reading room: what can be read on the screen, and two ways to answer, by mouse and by keyboard."""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod

from playwright.sync_api import Page, expect

from tests.harness.server import RunningServer
from tests.main_job.contents import FLAGS, REASONS, Item, item_on_screen
from tests.main_job.plan import Read

STUDY = "demo"
# The room ignores a click or Enter that comes sooner: it was meant for the item before.
SETTLED = 0.42
_OPEN = ".submit:not([disabled])"
_READY = f"{_OPEN}, .done"
_RECEIPT = re.compile(r"receipt (\w{4}-\w{4})")


class Room(ABC):
    """A signed-in page that goes through one queue.

    Attributes
    ----------
    receipts : list of str
        Every receipt that was shown, in order.
    """

    def __init__(self, page: Page, server: RunningServer, study: str = STUDY) -> None:
        self.page = page
        self.server = server
        self.study = study
        self.receipts: list[str] = []
        self._opened = time.monotonic()

    # ---- on the way

    def enter(self, queue: str) -> None:
        """Go from the worklist into a queue and acknowledge its instructions."""
        self.page.goto(self.server.url)
        self.page.locator(f".st-key-enter-{self.study}-{queue} button").click()
        self.page.get_by_role("button", name="I have read this").click()
        self.wait()

    def come_back(self) -> None:
        """Load the page anew, as after a break."""
        self.page.reload()
        self.wait()

    def wait(self) -> None:
        """Wait until a form can be filled in, or the queue is done."""
        self.page.locator(_READY).first.wait_for()
        self._opened = time.monotonic()

    # ---- what can be read

    @property
    def is_done(self) -> bool:
        return self.page.locator(".done").count() > 0

    @property
    def prompt(self) -> str:
        return self.page.locator(".prompt").inner_text()

    @property
    def count(self) -> str:
        """What the head line says of the progress."""
        return self.page.locator(".count").inner_text()

    @property
    def item(self) -> Item:
        return item_on_screen(self.prompt, self.page.locator(".vignette").inner_text())

    def chosen(self) -> list[str]:
        """Return the words of every option that is chosen."""
        return self.page.locator(".option:has(input:checked) .words").all_inner_texts()

    # ---- what can be done

    @abstractmethod
    def choose(self, field: str, place: int) -> None:
        """Choose the option at a place, counted from 1."""

    @abstractmethod
    def write(self, text: str) -> None:
        """Write the open answer."""

    @abstractmethod
    def say_not_assessable(self, place: int) -> None: ...

    @abstractmethod
    def comment(self, text: str) -> None: ...

    @abstractmethod
    def flag(self, place: int, note: str) -> None: ...

    @abstractmethod
    def hand_in(self) -> None:
        """Give the one command that submits."""

    def answer(self, item: Item, answer: str) -> None:
        """Give the answer to an item of any format."""
        if item.is_closed:
            self.choose("answer", 1 + list(item.texts).index(answer))
        else:
            self.write(answer)

    def fill_in(self, item: Item, read: Read) -> None:
        """Fill in the whole form as planned."""
        if read.not_assessable is not None:
            self.say_not_assessable(1 + list(REASONS).index(read.not_assessable))
        else:
            assert read.answer is not None
            if item.is_closed:
                self.answer(item, read.answer)
                self.choose("confidence", read.confidence)
            else:
                # The digits go past a text: confidence first, so that Ctrl+Enter can follow the typing.
                self.choose("confidence", read.confidence)
                self.answer(item, read.answer)
        if read.comment:
            self.comment(read.comment)
        if read.flag:
            self.flag(1 + list(FLAGS).index(read.flag[0]), read.flag[1])

    def submit(self) -> str:
        """Submit, and return the receipt that is shown once the next item, or the end, stands there."""
        time.sleep(max(0.0, SETTLED - (time.monotonic() - self._opened)))
        line = self.page.locator(".receipt")
        before = line.inner_text()
        self.hand_in()
        expect(line).not_to_have_text(before)
        self.wait()
        match = _RECEIPT.search(line.inner_text())
        assert match, f"no receipt is shown, but '{line.inner_text()}'"
        self.receipts.append(match.group(1))
        return match.group(1)

    def wait_for_draft(self) -> None:
        """Wait until the page says that the draft is saved."""
        expect(self.page.locator(".draft-line")).to_contain_text("Draft saved")

    def report_failure(self) -> None:
        """Lose the images of this item on the way, and say that they cannot be shown."""
        before = self.count
        self.page.route("**/reading/volume/**", lambda route: route.abort())
        self.page.reload()
        way_on = self.page.get_by_role("button", name="Report the problem and continue")
        way_on.wait_for()
        self.page.unroute("**/reading/volume/**")
        way_on.click()
        expect(self.page.locator(".count")).not_to_have_text(before)
        self.wait()


class Mouse(Room):
    """Clicks; types only where there is a text to write."""

    def choose(self, field: str, place: int) -> None:
        self.page.locator(f"[data-field={field}] .option").nth(place - 1).click()

    def write(self, text: str) -> None:
        self.page.locator("[data-field=answer] textarea").click()
        self.page.keyboard.type(text)

    def say_not_assessable(self, place: int) -> None:
        self.page.get_by_role("button", name="Not assessable").click()
        self.page.locator(".panel:visible .option").nth(place - 1).click()

    def comment(self, text: str) -> None:
        self.page.locator(".tab", has_text="Comment").click()
        self.page.get_by_role("textbox", name="Comment").click()
        self.page.keyboard.type(text)

    def flag(self, place: int, note: str) -> None:
        self.page.locator(".tab", has_text="Flag").click()
        self.page.locator(".panel:visible .option").nth(place - 1).click()
        self.page.get_by_role("textbox", name="Note on the flag").click()
        self.page.keyboard.type(note)

    def hand_in(self) -> None:
        self.page.locator(".submit").click()


class Keyboard(Room):
    """Never touches the mouse."""

    def __init__(self, page: Page, server: RunningServer, study: str = STUDY) -> None:
        super().__init__(page, server, study)
        self._typing = False

    def choose(self, field: str, place: int) -> None:
        # The digits belong to the first field without an answer, which is the one that is meant.
        assert self.page.locator(".takes-digits").get_attribute("data-field") == field
        self.page.keyboard.press(str(place))

    def write(self, text: str) -> None:
        self.page.keyboard.press("a")
        self._type(text)

    def say_not_assessable(self, place: int) -> None:
        self.page.keyboard.press("n")
        self.page.keyboard.press(str(place))

    def comment(self, text: str) -> None:
        self._leave_text()
        self.page.keyboard.press("c")
        self._type(text)

    def flag(self, place: int, note: str) -> None:
        self._leave_text()
        self.page.keyboard.press("f")
        self.page.keyboard.press("Space")
        for _ in range(place - 1):
            self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("Tab")
        self._type(note)

    def hand_in(self) -> None:
        self.page.keyboard.press("Control+Enter" if self._typing else "Enter")
        self._typing = False

    def look_around(self) -> None:
        """Go to the next sequence, through some slices, and take the first preset of the window."""
        self.page.keyboard.press("t")
        self.page.keyboard.press("Shift+1")
        for _ in range(3):
            self.page.keyboard.press("PageDown")
        # Drawn is not told to anybody but the trace; a reader looks for longer.
        self.page.wait_for_timeout(800)

    def _type(self, text: str) -> None:
        self.page.keyboard.type(text)
        self._typing = True

    def _leave_text(self) -> None:
        if self._typing:
            self.page.keyboard.press("Escape")
            self._typing = False
