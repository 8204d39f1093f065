"""An admin invites in a real browser: one press or two make one link, and the letter can be copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from services.people import identity
from services.studies.membership import invitations
from tests.blinding import serving
from tests.blinding.marked_study import STUDY, mark, marked_study
from tests.blinding.serving import ServedStudy

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def running(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedStudy]:
    """The marked study, served."""
    with serving.serve_marked(migrated_sqlite, tmp_path_factory.mktemp("inviting"), marked_study) as served:
        yield served


def desk(running: ServedStudy, page: Page, path: str) -> None:
    ((name, value),) = running.cookie(mark("adminlogin")).items()
    page.context.add_cookies([{"name": name, "value": value, "url": running.server.url}])
    page.goto(f"{running.server.url}/{path}")


def test_two_presses_make_one_link_and_empty_the_form(running: ServedStudy, new_page: Callable[..., Page]) -> None:
    page = new_page(width=1280, height=720)
    desk(running, page, f"study?study={STUDY}")
    page.get_by_label("Name", exact=True).fill("Rita Resident")
    page.get_by_label("Login", exact=True).fill("rita")

    page.get_by_role("button", name="Create invitation link").dblclick()

    expect(page.get_by_text("Dear Rita Resident")).to_be_in_viewport()
    expect(page.get_by_text("Invited. Send each person their letter")).to_be_in_viewport()
    expect(page.get_by_label("Login", exact=True)).to_have_value("")
    made = invitations.links_of(running.study.database, running.study.situation.admin, STUDY)
    assert [(link.login, link.state) for link in made].count(("rita", "open")) == 1
    assert len([link for link in made if link.login == "rita"]) == 1


def test_a_letters_address_opens_the_study(running: ServedStudy, new_page: Callable[..., Page]) -> None:
    page = new_page(width=1280, height=720)
    desk(running, page, f"study?study={STUDY}")
    page.get_by_role("tab", name="Several people").click()
    page.get_by_role("textbox", name="One line per person").fill("sam, Sam Second\nkim, Kim Third, reviewer")
    page.get_by_role("button", name="Invite all").click()

    letter = page.locator("code", has_text="Dear Sam Second").inner_text()

    token = letter.split(f"{running.server.url}/link/")[1].split()[0]
    assert identity.look_at_link(running.study.database, token) == identity.Link("join", "Sam Second", "sam")
