"""What is shown after the own answer: that answer beside it, and nothing to fill in but to go on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def test_the_own_answer_is_there_and_enter_goes_on(room: MakeRoom) -> None:
    reader = room("seen after", "plain", width=1366, height=768)
    reader.open()

    own = reader.page.locator(".opinions")
    expect(own.get_by_role("columnheader")).to_have_text(["Your answer"])
    expect(own.get_by_role("cell")).to_have_text(["", "Yes", "3"])
    expect(reader.page.locator(".field")).to_have_count(0)
    expect(reader.page.locator(".submit")).to_contain_text("Continue")
    reader.submit()
    expect(reader.page.locator(".submit")).to_contain_text("Submit")
    answer = reader.posted("verdict")[-1]["answers"]
    assert (answer["fields"], answer["not_assessable"]) == ({}, None)
    assert reader.errors == []


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1366, 768)])
@pytest.mark.parametrize("item", ["second step", "judged second step"])
def test_the_own_answer_takes_the_room_that_the_form_leaves_before_it_is_scrolled(
    room: MakeRoom, item: str, width: int, height: int
) -> None:
    reader = room(item, width=width, height=height)
    reader.open()

    rows = reader.page.locator(".opinions tr").evaluate_all(
        """(rows) => rows.map((row) => {
          const { top, bottom } = row.getBoundingClientRect(), around = row.closest(".brief").getBoundingClientRect();
          return top >= around.top && bottom <= around.bottom;
        })"""
    )

    assert rows == [True] * 5
    assert reader.page.locator(".form-place").evaluate("(box) => box.scrollHeight - box.clientHeight") <= 0


def test_own_answers_that_do_not_fit_fade_out_until_their_end_is_in_sight(room: MakeRoom) -> None:
    reader = room("second step after many fields", width=1280, height=720)
    reader.open()
    words = reader.page.locator(".brief")
    faded = "(words) => getComputedStyle(words).maskImage !== 'none'"

    at_the_top = words.evaluate(faded)
    words.evaluate("(words) => words.scrollTo(0, words.scrollHeight)")

    assert at_the_top
    expect(reader.page.locator(".brief-place.goes-on")).to_have_count(0)
    assert not words.evaluate(faded)
