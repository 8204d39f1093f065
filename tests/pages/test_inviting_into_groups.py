"""An admin of a study with several groups chooses one with each invitation, and sees who is in which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from sqlmodel import select

from db import Membership
from services.reading import member_progress
from services.studies.freeze import freezing
from tests.blinding.serving import cookie_of, served
from tests.harness.server import RunningServer
from tests.listed_study import TWO_GROUPS, imported_listed, write_listed
from tests.situations import Situation

pytestmark = pytest.mark.browser


@pytest.fixture
def serving(migrated_sqlite: Path, tmp_path: Path) -> Iterator[tuple[Situation, RunningServer]]:
    with served(migrated_sqlite, tmp_path) as (database, running):
        situation = imported_listed(database, write_listed(tmp_path / "study", TWO_GROUPS), groups=["residents"])
        running.start()
        yield situation, running


def open_study(serving: tuple[Situation, RunningServer], page: Page) -> None:
    situation, running = serving
    ((name, value),) = cookie_of(situation.database, running, "admin").items()
    page.context.add_cookies([{"name": name, "value": value, "url": running.url}])
    page.goto(f"{running.url}/study?study={situation.study_key}")
    # The first page of a new server and a new browser takes its time.
    page.get_by_role("combobox", name="Role").wait_for()


def groups_of(situation: Situation) -> dict[str, str]:
    lines = member_progress.progress_of_members(situation.database, situation.admin, situation.study_key)
    return {line.name: line.group for line in lines}


def test_what_the_protocol_declares_of_raters_is_entered_with_the_invitation(
    migrated_sqlite: Path, tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    text = TWO_GROUPS.replace("groups:", "attributes: {raters: {trained: yes_no, school: text}}\ngroups:", 1)
    with served(migrated_sqlite, tmp_path) as (database, running):
        situation = imported_listed(database, write_listed(tmp_path / "study", text), groups=["residents"])
        running.start()
        page = new_page(width=1366, height=768)
        open_study((situation, running), page)
        page.get_by_label("Name", exact=True).fill("Sam Scorer")
        page.get_by_label("Login", exact=True).fill("sam")
        page.get_by_role("combobox", name="Group").click()
        page.get_by_role("option", name="Scorers").click()
        page.get_by_label("School", exact=True).fill("The first")
        page.get_by_role("combobox", name="Trained").click()
        page.get_by_role("option", name="Yes").click()
        page.get_by_role("button", name="Create invitation link").click()
        expect(page.get_by_text("Dear Sam Scorer")).to_be_visible()

        with database.read_only() as session:
            (stored,) = session.exec(select(Membership.attributes).where(Membership.group_key == "scorers")).all()
        assert stored == {"trained": "yes", "school": "The first"}


def test_a_rater_is_invited_into_the_group_that_is_chosen(
    serving: tuple[Situation, RunningServer], new_page: Callable[..., Page]
) -> None:
    situation, _ = serving
    page = new_page(width=1280, height=720)
    open_study(serving, page)
    page.get_by_label("Name", exact=True).fill("Sam Scorer")
    page.get_by_label("Login", exact=True).fill("sam")

    page.get_by_role("button", name="Create invitation link").click()

    expect(
        page.get_by_text("A rater of this study is in one group; name one of Residents (residents), Scorers (scorers).")
    ).to_be_visible()
    page.get_by_role("combobox", name="Group").click()
    page.get_by_role("option", name="Scorers").click()
    page.get_by_role("button", name="Create invitation link").click()
    expect(page.get_by_text("Dear Sam Scorer")).to_be_in_viewport()
    assert groups_of(situation) == {"Rater 1": "Residents", "Sam Scorer": "Scorers"}
    # The letter goes to the rater, who learns of no group.
    assert "corers" not in page.locator("code", has_text="Dear Sam Scorer").inner_text()


def test_only_raters_are_asked_for_a_group_and_lines_name_theirs(
    serving: tuple[Situation, RunningServer], new_page: Callable[..., Page]
) -> None:
    situation, _ = serving
    page = new_page(width=1280, height=720)
    open_study(serving, page)
    expect(page.get_by_role("combobox", name="Group")).to_be_visible()
    page.get_by_role("combobox", name="Role").click()
    page.get_by_role("option", name="admin").click()
    expect(page.get_by_role("combobox", name="Group")).to_be_hidden()

    page.get_by_role("tab", name="Several people").click()
    page.get_by_role("textbox", name="specialty, years, group").fill("kim, Kim, rater, , , scorers\neve, Eve, admin")
    page.get_by_role("button", name="Invite all").click()

    expect(page.get_by_text("Dear Kim")).to_be_visible()
    assert groups_of(situation) == {"Rater 1": "Residents", "Kim": "Scorers"}


def test_the_freeze_says_which_group_has_nobody(
    serving: tuple[Situation, RunningServer], new_page: Callable[..., Page]
) -> None:
    page = new_page(width=1280, height=720)
    open_study(serving, page)

    page.get_by_role("tab", name="Freeze").click()

    expect(
        page.get_by_text("Nobody is in the group Scorers yet, which rates “Scores” and “More scores”.")
    ).to_be_visible()
    assert freezing.freeze_of(serving[0].database, serving[0].admin, serving[0].study_key) is None
