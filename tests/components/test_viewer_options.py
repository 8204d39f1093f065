"""What stands beside the controls of a form: the options in all their signs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.components.conftest import Room
from tests.components.reading_server.scales import SCALES, WRITTEN

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def shown_scales(reader: Room) -> list[list[list[str]]]:
    """Return, for each scale and each of its options, the words of the number and of the anchor below it."""
    shown: list[list[list[str]]] = reader.page.locator("[data-field^=scale]").evaluate_all(
        """fields => fields.map((field) => [...field.querySelectorAll(".option .words")].map((words) =>
             [...words.children].map((part) => part.textContent)))"""
    )
    return shown


def test_no_sign_of_an_option_on_a_scale_is_missing_but_that_between_its_number_and_its_anchor(room: MakeRoom) -> None:
    reader = room("scales")
    reader.open()

    shown = shown_scales(reader)

    assert len(shown) == len(SCALES)
    for scale, options in zip(SCALES, shown, strict=True):
        for (option, text), parts in zip(scale, options, strict=True):
            whole = "".join("".join(parts).split())
            as_written = "".join(text.split())
            if len(parts) == 2 and parts[0] == option and as_written.startswith(option) and parts[1][0].isalpha():
                between = as_written.removeprefix(option).removesuffix("".join(parts[1].split()))
                assert between in ("", *":.)-–—")
            else:
                assert whole in (as_written, "".join([option, *text.split()]))
                assert whole.endswith(as_written)


def test_anchor_of_an_option_is_words_behind_its_number(room: MakeRoom) -> None:
    reader = room("scales")
    reader.open()

    shown = shown_scales(reader)[: len(WRITTEN)]

    assert shown[0] == [["0.5 mm"], ["1.5 mm"], ["2,5 mm"]]
    assert shown[2] == [["1 - 3 mm"], ["2 – 4 mm"], ["3. 5 mm"], ["4: 12 mm"]]
    assert shown[4] == [["absent"], ["present"], ["unsure"]]
    assert shown[5] == [["1", "poor"], ["2", "fair"], ["3", "good"], ["4", "excellent"]]
    assert shown[6] == [["-1", "worse"], ["0", "same"], ["+1 better"]]
    assert shown[8] == [["1", "poor"], ["2", "(2) fair"], ["3 (good)"], ["4", ": none"]]


def test_an_option_under_the_pointer_does_not_look_chosen(room: MakeRoom) -> None:
    reader = room("scales")
    reader.open()
    option = reader.page.locator("[data-field^=scale] .option").first

    def fill() -> str:
        return str(option.evaluate("option => getComputedStyle(option).backgroundColor"))

    reader.page.mouse.move(0, 0)
    untouched = fill()
    option.hover()
    pointed_at = fill()
    option.click()

    assert pointed_at == untouched != fill()
