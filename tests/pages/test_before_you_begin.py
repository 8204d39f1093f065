"""The page before a queue: Enter begins, once the button is in sight, and stays the Enter of whatever has the focus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect
from sqlmodel import select

from db import Acknowledgement, Database
from services.people import identity
from tests.blinding.serving import served
from tests.harness.server import RunningServer
from tests.listed_study import READ_THEN_SCORE, opened_listed

# Longer than an Enter that was meant for the page before counts as such.
LONG_AFTER = 900


@pytest.mark.browser
@pytest.mark.server
def test_enter_begins_what_can_be_seen_and_takes_no_other_controls_enter(
    server: Callable[..., RunningServer], signed_in: Callable[..., Page]
) -> None:
    running = server(seeded=True)
    page = signed_in(running, "Demo rater 1", width=1280, height=400)
    address = f"{running.url}/reading?study=demo&phase=reading"
    begin = page.get_by_role("button", name="I have read this and agree. Begin")

    page.goto(address)
    begin.wait_for()
    expect(page.get_by_text("Demonstration: reading simulated brain MRI · Read items")).to_be_visible()
    expect(begin).not_to_be_in_viewport()
    page.wait_for_timeout(LONG_AFTER)
    # As quick as fingers are: the second Enter must not agree to what the first has only just brought into sight.
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    while not begin.evaluate("button => button.getBoundingClientRect().bottom <= window.innerHeight"):
        page.wait_for_timeout(LONG_AFTER)
        page.keyboard.press("Enter")
    expect(begin).to_be_in_viewport(ratio=1)
    page.get_by_role("link", name="Worklist").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Worklist")).to_be_visible()

    page.set_viewport_size({"width": 1280, "height": 1000})
    page.goto(address)
    expect(begin).to_be_in_viewport(ratio=1)
    page.wait_for_timeout(LONG_AFTER)
    page.keyboard.press("Enter")
    page.locator(".submit:not([disabled])").wait_for()


# What Streamlit's own Markdown strikes out, joins, numbers anew, hides, colours or leads to.
WRITTEN = [
    "Take ~5 mm as small and ~10 mm as large, 5*3*2 as a product, and -> as it is.",
    "1986. A year, and :red[no colour], `5` and <b>6</b>.",
    '[hidden]: http://127.0.0.1/x "You may not withdraw"',
    "[^1]: A footnote",
    "| a | b |",
    "| 1 | 2 | 3 lost |",
]
TITLES = (
    "~~Reads~~, :red[then] *scores* of WWW.example.org, not www.a_b.example.org",
    ":material/home: **Reads** $x$ [a](b) https://example.org/a?b=c_d, mail a.b+c@example.org",
)
LATER = "*Later*, see http://example.org"
TEXT = "\n\n".join(WRITTEN[:4]) + "\n\n" + "\n".join([WRITTEN[4], "|---|---|", WRITTEN[5]])


@pytest.mark.browser
@pytest.mark.server
def test_texts_are_drawn_with_all_their_signs_and_nothing_is_agreed_to_before_they_are(
    migrated_sqlite: Path, tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    written = "\n".join(f"  {line}" for line in TEXT.split("\n"))
    protocol = READ_THEN_SCORE.replace("instructions: Read every item.", f"instructions: |\n{written}")
    for number, title in enumerate(("title: Reads, then scores", "title: Reads")):
        protocol = protocol.replace(f"{title}\n", f"title: '{TITLES[number]}'\n")
    protocol = protocol.replace("title: A second look", f"title: '{LATER}'")
    with served(migrated_sqlite, tmp_path) as (database, running):
        opened_listed(database, tmp_path / "study", protocol, raters=1)
        running.start()
        page = new_page(width=1280, height=1000)
        page.goto(f"{running.url}/link/{identity.make_link(database, 'rater-1', 'sign_in')}")
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="Worklist").wait_for()
        expect(page.get_by_text(" · ".join(reversed(TITLES)), exact=True)).to_be_visible()
        assert page.locator("[class*=st-key-desk-] a").count() == 0
        page.goto(f"{running.url}/reading?study=listed&phase=part-2")
        expect(page.get_by_role("alert")).to_contain_text(f"“{LATER}” opens once")
        assert page.get_by_role("alert").locator("a").count() == 0
        held: list[Route] = []
        page.route("**/assets/viewer/*", lambda route: held.append(route))

        page.goto(f"{running.url}/reading?study=listed&phase=part-1")
        page.locator(".st-key-begin button").wait_for(state="attached")
        page.wait_for_timeout(LONG_AFTER)
        page.keyboard.press("Enter")
        expect(page.locator(".st-key-begin button")).to_be_hidden()
        for route in held:
            route.continue_()
        page.unroute("**/assets/viewer/*")
        expect(page.locator(".st-key-begin button")).to_be_visible()

        expect(page.get_by_text(" · ".join(TITLES), exact=True)).to_be_visible()
        assert page.locator(".st-key-instructions [data-testid=stCaptionContainer] a").count() == 0
        drawn = page.locator(".st-key-acknowledged .acknowledged").inner_text()
        assert [line for line in WRITTEN if line not in " ".join(drawn.split())] == []
        assert page.locator(".st-key-acknowledged a, .st-key-acknowledged img").count() == 0
        assert _acknowledged(database) == 0
        page.wait_for_timeout(LONG_AFTER)
        page.keyboard.press("Enter")
        page.locator(".submit:not([disabled])").wait_for()
        assert _acknowledged(database) == 1


def _acknowledged(database: Database) -> int:
    with database.read_only() as session:
        return len(session.exec(select(Acknowledgement)).all())
