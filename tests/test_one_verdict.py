"""Whatever a hurried person does while an item is being submitted, exactly one verdict is stored for it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from db.engine import Database, make_engine
from services.people import identity
from tests.harness import databases
from tests.harness.server import RunningServer, clean_environment, run_manage
from tests.main_job.rater import Mouse
from tests.situations import Situation, open_study

VERDICT = "**/reading/verdict"


class TinyRoom(Mouse):
    """The first rater of the tiny study, in front of the first item."""

    def fill_in_anything(self) -> None:
        """Fill in every field: the first option, or a word."""
        for field in self.page.locator(".fields > .field").all():
            if field.locator(".option").count():
                field.locator(".option").first.click()
            else:
                field.locator("textarea").fill("anything")

    def answer_otherwise(self) -> None:
        """Give an answer that differs from that of `fill_in_anything`."""
        options = self.page.locator(".fields > .field .option")
        if options.count():
            options.last.click()
        else:
            self.page.locator(".fields > .field textarea").first.fill("something else")

    def ready_to_submit(self) -> str:
        """Fill in the form, wait until a click counts, and return the prompt."""
        self.fill_in_anything()
        self.page.wait_for_timeout(450)
        return self.prompt

    def stored(self) -> Counter[str]:
        """Return how many verdicts each prompt of the study has."""
        with closing(sqlite3.connect(self.server.data_dir / "blindread.db")) as connection:
            rows = connection.execute(
                "SELECT item.prompt FROM verdict JOIN assignment ON assignment.id = verdict.assignment_id"
                " JOIN item ON item.id = assignment.item_id JOIN study ON study.id = assignment.study_id"
                " WHERE study.key = ?",
                (self.study,),
            ).fetchall()
        return Counter(prompt for (prompt,) in rows)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server without any study, one for this file."""
    folder = tmp_path_factory.mktemp("one-verdict")
    run_manage(clean_environment(folder / "data", {}), "init")
    server = RunningServer(folder / "data", folder / "server.log", {})
    server.start()
    yield server
    server.stop()


@pytest.fixture
def situation(running: RunningServer, tmp_path: Path) -> Iterator[Situation]:
    """A tiny study of this test's own, open for reading on that server."""
    engine = make_engine(databases.sqlite_url(running.data_dir / "blindread.db"))
    yield open_study(Database(engine, running.data_dir), tmp_path / "study", key=tmp_path.name.replace("_", "-"))
    engine.dispose()


@pytest.fixture
def room(running: RunningServer, situation: Situation, page: Page) -> TinyRoom:
    page.goto(f"{running.url}/link/{identity.make_link(situation.database, 'rater-1', 'sign_in')}")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("Worklist").first.wait_for()
    opened = TinyRoom(page, running, situation.study_key)
    opened.enter("reading")
    return opened


def open_room(room: TinyRoom) -> None:
    room.page.goto(f"{room.server.url}/reading?study={room.study}&phase=reading")
    room.wait()


def test_double_click_on_submit(room: TinyRoom) -> None:
    prompt = room.ready_to_submit()

    room.page.locator(".submit").dblclick()
    expect(room.page.locator(".receipt")).to_contain_text("receipt")
    room.wait()

    assert room.stored() == {prompt: 1}
    assert room.prompt != prompt
    assert room.chosen() == []


def test_refresh_during_submit(room: TinyRoom) -> None:
    prompt = room.ready_to_submit()

    with room.page.expect_request(VERDICT):
        room.page.locator(".submit").click()
    room.come_back()

    if room.prompt == prompt:
        # The refresh overtook the request: the item is still there with its draft, and nothing was stored.
        assert room.stored() == {}
        room.submit()
    assert room.stored() == {prompt: 1}


def test_back_button_during_submit_and_forward_again(room: TinyRoom) -> None:
    prompt = room.ready_to_submit()

    with room.page.expect_request(VERDICT):
        room.page.locator(".submit").click()
    room.page.go_back()
    room.page.go_forward()
    room.wait()

    if room.prompt == prompt:
        assert room.stored() == {}
        room.submit()
    assert room.stored() == {prompt: 1}


def test_back_button_after_submit_does_not_bring_the_item_back(room: TinyRoom) -> None:
    prompt = room.ready_to_submit()
    room.submit()
    following = room.prompt

    room.page.go_back()
    room.page.locator(f".st-key-desk-{room.study}-reading").get_by_text("1 of 6 done, 5 items to read").wait_for()
    room.page.go_forward()
    room.wait()

    assert room.prompt == following
    assert room.stored() == {prompt: 1}


def test_answer_of_the_server_that_is_lost_on_the_way(room: TinyRoom) -> None:
    prompt = room.ready_to_submit()
    lost = []

    def lose_the_first(route: Route) -> None:
        if lost:
            route.continue_()
            return
        # The server has stored the verdict; only its answer does not arrive.
        lost.append(route.fetch().json()["receipt"])
        route.abort()

    room.page.route(VERDICT, lose_the_first)
    receipt = room.submit()

    assert lost == [receipt]
    assert room.stored() == {prompt: 1}


def test_the_same_item_submitted_in_two_tabs(room: TinyRoom) -> None:
    other = TinyRoom(room.page.context.new_page(), room.server, room.study)
    open_room(other)
    assert other.prompt == room.prompt
    other.fill_in_anything()
    other.wait_for_draft()
    # The older tab is told at its first change, and its reader decides that what is here counts.
    room.answer_otherwise()
    room.page.get_by_role("button", name="Keep this version").click()
    prompt = room.ready_to_submit()
    room.submit()

    other.page.wait_for_timeout(450)
    other.hand_in()
    expect(other.page.locator(".prompt")).to_have_text(room.prompt)

    assert room.stored() == {prompt: 1}


def test_the_next_item_is_not_opened_under_the_hand_of_another_tab(room: TinyRoom) -> None:
    other = TinyRoom(room.page.context.new_page(), room.server, room.study)
    open_room(other)
    prompt = room.ready_to_submit()
    room.submit()
    room.fill_in_anything()
    room.wait_for_draft()

    other.answer_otherwise()
    other.page.get_by_text("This item has already been submitted").wait_for()
    other.page.wait_for_timeout(450)
    other.page.keyboard.press("Enter")
    other.page.wait_for_timeout(300)

    assert room.stored() == {prompt: 1}
    assert other.prompt == prompt
