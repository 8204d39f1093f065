"""The whole study from the first sign-in to the open report, in a real browser, and what was seen on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.harness.server import RunningServer
from tests.main_job.admin import Admin
from tests.main_job.contents import JUDGE_FILE, candidate_on_screen
from tests.main_job.plan import LOOKED_AROUND, READS, REVIEWS, Read, score
from tests.main_job.rater import STUDY, Keyboard, Mouse, Room
from tests.main_job.reviewer import Reviewer

RUN = "run 1"
JUDGE = "a judge of the test"
THANKS = "Thank you"
HALF_WRITTEN = "c03-both"
HALF_READ = "c08-structure"


@dataclass
class Seen:
    """What appeared on the screens.

    Attributes
    ----------
    receipts : dict
        By rater (by "Reviewer" too) and item or candidate: the receipt shown after submitting.
    scored : dict
        By rater: the candidates that were shown, in order.
    reviewed : list of str
        Items of the reviewer's queue, in order.
    opinions : dict
        By item: what stood under each opinion.
    sent : tuple of int
        How many flagged, disagreeing and control items the admin was told of.
    last_words : list of str
        What stood there when a queue was done.
    shut_before_closing : bool
        Whether the report's page kept the report to itself while the study was open.
    report_tables : str
        The markup of the report's tables on its page.
    report_visible : str
        What can be read on that page before anything is pressed.
    exported : Path
        Folder into which `manage.py report` wrote.
    """

    receipts: dict[tuple[str, str], str] = field(default_factory=dict)
    scored: dict[str, list[str]] = field(default_factory=dict)
    reviewed: list[str] = field(default_factory=list)
    opinions: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    sent: tuple[int, int, int] = (0, 0, 0)
    last_words: list[str] = field(default_factory=list)
    shut_before_closing: bool = False
    report_tables: str = ""
    report_visible: str = ""
    exported: Path = Path()


def sign_in(browser: Browser, link: str) -> Page:
    """Open a page in a context of its own and sign in there."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(30_000)
    page = context.new_page()
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/link/" not in url)
    return page


def walk_through(browser: Browser, server: RunningServer, folder: Path) -> Seen:
    """Do everything that the demo study is there for."""
    seen = Seen()
    links = server.sign_in_links()
    raters: dict[str, Room] = {
        "Rater 1": Mouse(sign_in(browser, links["Demo rater 1"]), server),
        "Rater 2": Keyboard(sign_in(browser, links["Demo rater 2"]), server),
    }
    _read_everything(raters["Rater 1"], "Rater 1", seen, {HALF_WRITTEN: _reload})
    _read_everything(raters["Rater 2"], "Rater 2", seen, {HALF_READ: _kill_the_server})
    for rater, room in raters.items():
        # Whatever the hands were before: scores go by keyboard.
        _score_everything(Keyboard(room.page, server), rater, seen)
        room.page.context.close()
    admin = Admin(sign_in(browser, links["Demo admin"]), server)
    seen.shut_before_closing = admin.report_is_shut()
    seen.sent = admin.send_to_review()
    reviewer = Reviewer(sign_in(browser, links["Demo reviewer"]), server)
    _review_everything(reviewer, seen)
    reviewer.page.context.close()
    server.manage("judge", "import", STUDY, str(JUDGE_FILE), "--name", RUN, "--judge", JUDGE)
    admin.close_study()
    admin.open_report()
    tables = admin.page.locator(".report-table")
    seen.report_tables = tables.evaluate_all("found => found.map(one => one.outerHTML).join('')")
    # An interval is not broken over two lines; what is read is the same.
    seen.report_visible = "\n".join(tables.locator("visible=true").all_inner_texts()).replace("\N{NO-BREAK SPACE}", " ")
    admin.page.context.close()
    seen.exported = folder / "report"
    server.manage("report", STUDY, "--out", str(seen.exported))
    return seen


def _read_everything(room: Room, rater: str, seen: Seen, breaks: dict[str, Callable[[Room], None]]) -> None:
    room.enter("reading")
    for done in range(len(READS[rater])):
        assert room.count.startswith(f"{done} of {len(READS[rater])} done"), room.count
        item = room.item
        read = READS[rater][item.key]
        if read.failure:
            room.report_failure()
            continue
        if isinstance(room, Keyboard) and item.key in LOOKED_AROUND:
            room.look_around()
        room.fill_in(item, read)
        if item.key in breaks:
            _take_a_break(room, read, breaks[item.key])
        seen.receipts[rater, item.key] = room.submit()
    seen.last_words.append(room.page.locator(".done").inner_text())


def _take_a_break(room: Room, read: Read, how: Callable[[Room], None]) -> None:
    """Leave with a draft and come back: the same item with the same draft."""
    item, chosen = room.item, room.chosen()
    room.wait_for_draft()
    how(room)
    assert room.item == item
    assert room.chosen() == chosen
    texts = [box.input_value() for box in room.page.locator("textarea:visible").all()]
    assert texts == ([] if item.is_closed else [read.answer])
    # Panels come back closed; what was said in them stands below their buttons.
    said = " ".join(room.page.locator(".said:visible").all_inner_texts())
    assert (f"Comment: {read.comment}" in said) if read.comment else ("Comment:" not in said)


def _reload(room: Room) -> None:
    room.come_back()


def _kill_the_server(room: Room) -> None:
    room.server.kill9()
    room.server.start()
    room.come_back()


def _score_everything(room: Room, rater: str, seen: Seen) -> None:
    room.enter("scoring")
    seen.scored[rater] = []
    while not room.is_done:
        shown = (
            room.page.locator(".card", has=room.page.get_by_role("heading", name="Answer", exact=True))
            .locator(".answer")
            .inner_text()
        )
        question = room.page.locator(".card", has_text="Question").locator("dd").inner_text()
        candidate = candidate_on_screen(question, shown)
        assert room.page.get_by_text(candidate.model).count() == 0
        room.choose("answer", 1 if score(rater, candidate.key) else 2)
        seen.scored[rater].append(candidate.key)
        seen.receipts[rater, candidate.key] = room.submit()
    seen.last_words.append(room.page.locator(".done").inner_text())


def _review_everything(reviewer: Reviewer, seen: Seen) -> None:
    reviewer.enter("review")
    while not reviewer.is_done:
        item = reviewer.item
        seen.reviewed.append(item.key)
        reviewer.read_blind(item, REVIEWS[item.key].own)
        seen.opinions[item.key] = reviewer.opinions()
        assert reviewer.item == item
        reviewer.decide(item, REVIEWS[item.key].decision)
        seen.receipts["Reviewer", item.key] = reviewer.receipts[-1]
    seen.last_words.append(reviewer.page.locator(".done").inner_text())
