"""An image that is not what was prepared is never read: the room compares what it unpacked before the form opens."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.components.conftest import Room
from tests.components.reading_server import made_volumes

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]
WORDS = "The images cannot be shown. The image received is not the one that was prepared."


def serve(reader: Room, token: str, content: bytes) -> list[Route]:
    """Let something else arrive where an image is asked for; return the requests for it as they come."""
    asked: list[Route] = []

    def answer(route: Route) -> None:
        asked.append(route)
        route.fulfill(body=content, content_type="application/octet-stream")

    reader.page.route(f"**/reading/volume/{token}~*", answer)
    return asked


def with_one_bit_flipped(content: bytes) -> bytes:
    damaged = bytearray(content)
    damaged[len(damaged) // 2] ^= 1
    return bytes(damaged)


def submit(reader: Room) -> Locator:
    return reader.page.locator(".submit")


@pytest.mark.parametrize("way", ["by the browser", "by the worker"])
def test_image_with_one_flipped_bit_is_not_shown_and_the_form_stays_shut(room: MakeRoom, way: str) -> None:
    reader = room("plain", "second")
    if way == "by the worker":
        # What a page on plain HTTP of another machine finds.
        reader.page.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined })")
    serve(reader, "t1-0", with_one_bit_flipped(made_volumes.volume("t1-0")))
    reader.start()

    reader.see(WORDS)

    expect(submit(reader)).to_be_disabled()
    assert reader.posted("shown") == []
    assert [body["volume"].split("~")[0] for body in reader.posted("damage")] == ["t1-0"]
    reader.page.get_by_role("button", name="Report the problem and continue").click()
    expect(reader.page.locator(".prompt")).to_have_text("Is the finding on the right side?")
    expect(submit(reader)).to_be_enabled()
    (failure,) = reader.posted("failure")
    assert failure["reason"] == "The image received is not the one that was prepared."


def test_another_patients_image_of_the_same_shape_is_not_shown(room: MakeRoom) -> None:
    reader = room("plain", "plain")
    serve(reader, "t1-0", made_volumes.volume("t1-1"))
    reader.start()

    reader.see(WORDS)

    assert reader.posted("shown") == []
    assert len(reader.posted("damage")) == 1


def test_images_are_hashed_by_the_worker_where_the_browser_offers_nothing(room: MakeRoom) -> None:
    reader = room("plain", "second")
    reader.page.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined })")
    reader.open()

    reader.press("1", "4")
    reader.submit()

    assert reader.posted("damage") == []
    assert len(reader.posted("shown")) == 2


def test_image_that_was_fetched_ahead_is_compared_when_its_item_comes(room: MakeRoom) -> None:
    reader = room("plain", "plain")
    ahead = serve(reader, "t1-1", made_volumes.volume("t1-0"))
    reader.open()
    while not ahead:
        reader.page.wait_for_timeout(50)
    reader.press("1", "4")
    assert reader.posted("damage") == []

    reader.press("Enter")
    reader.see(WORDS)

    assert len(ahead) == 1
    assert len(reader.posted("shown")) == 1
    assert [body["volume"].split("~")[0] for body in reader.posted("damage")] == ["t1-1"]


def test_damaged_sequence_behind_the_one_on_the_screen_shuts_the_form(room: MakeRoom) -> None:
    reader = room("second", "plain")
    serve(reader, "t2-0", made_volumes.volume("t1-0"))
    reader.start()

    reader.see(WORDS)

    expect(submit(reader)).to_be_disabled()
    reader.press("1", "Enter")
    assert reader.posted("verdict") == []
    assert [body["volume"].split("~")[0] for body in reader.posted("damage")] == ["t2-0"]


def test_damaged_overlay_shuts_the_form(room: MakeRoom) -> None:
    reader = room("masked", "plain")
    serve(reader, "mask-0", with_one_bit_flipped(made_volumes.volume("mask-0")))
    reader.start()

    reader.see(WORDS)

    expect(submit(reader)).to_be_disabled()


def test_right_image_is_shown_when_it_comes_with_another_try_and_answers_are_kept(room: MakeRoom) -> None:
    reader = room("second")
    serve(reader, "t2-0", made_volumes.volume("t1-0"))
    reader.start()
    reader.see(WORDS)
    reader.page.unroute("**/reading/volume/t2-0~*")

    reader.page.get_by_role("button", name="Try again").click()

    expect(submit(reader)).to_be_enabled()
    reader.press("1", "4")
    reader.see("Draft saved")
    reader.press("t")
    expect(reader.page.locator(".sequence[aria-pressed=true]")).to_have_text("T2 (simulated)")
    expect(reader.page.locator(".pane-wait:not([hidden])")).to_have_count(0)


def test_volume_that_the_server_finds_damaged_shuts_the_form_too(room: MakeRoom) -> None:
    reader = room("plain", "second")
    sentence = "The scan on the server is not the one that was prepared; report it and continue."
    reader.fail("volume", 409, error=sentence)
    reader.start()

    reader.see(f"The images cannot be shown. {sentence}")

    expect(submit(reader)).to_be_disabled()
    # The server has noted it already.
    assert reader.posted("damage") == []
