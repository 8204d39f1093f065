"""A rater reads, looks again and scores in a browser, in a study whose protocol lists these phases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from services.people import identity
from tests.blinding.serving import served
from tests.harness.server import RunningServer
from tests.listed_study import READ_THEN_SCORE, closed_tables, opened_listed
from tests.main_job.rater import Mouse
from tests.situations import Situation

STUDY = "listed"


@pytest.fixture
def serving(migrated_sqlite: Path, tmp_path: Path) -> Iterator[tuple[Situation, RunningServer]]:
    with served(migrated_sqlite, tmp_path) as (database, running):
        situation = opened_listed(database, tmp_path / "study", READ_THEN_SCORE, raters=1)
        running.start()
        yield situation, running


def answer_anything(page: Page) -> None:
    """Choose the first option of every field, and write where there are none."""
    for field in page.locator(".fields > .field").all():
        if field.locator(".option").count():
            field.locator(".option").first.click()
        else:
            field.locator("textarea").fill("anything")


def test_a_rater_goes_through_the_queues_in_their_order_and_every_verdict_is_stored(
    serving: tuple[Situation, RunningServer], new_page: Callable[..., Page]
) -> None:
    situation, running = serving
    page = new_page(width=1280, height=720)
    page.goto(f"{running.url}/link/{identity.make_link(situation.database, 'rater-1', 'sign_in')}")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("Worklist").first.wait_for()
    room = Mouse(page, running, STUDY)

    for part, scans in (("part-1", True), ("part-2", True), ("part-3", False)):
        page.goto(running.url)
        page.locator(f".st-key-enter-{STUDY}-{part} button").click()
        begin = page.get_by_role("button", name="Begin")
        begin.or_(page.locator(".submit")).first.wait_for()
        if begin.count():
            if page.get_by_role("checkbox").count():
                page.get_by_role("checkbox").check(force=True)
            begin.click()
        room.wait()
        expect(page.locator(".pane").first).to_be_visible(visible=scans)
        while not room.is_done:
            answer_anything(page)
            room.submit()

    assert len(set(room.receipts)) == 6 + 3 + 4
    assert Counter(row["phase"] for row in closed_tables(situation)["verdicts.csv"]) == {
        "secret_arm": 6,
        "second": 3,
        "score": 4,
    }
