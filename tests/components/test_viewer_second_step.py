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
