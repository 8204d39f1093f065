"""Overlays: drawn where they belong on any grid, as area or outline, and not at all where they do not fit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room
from tests.components.stage import colours

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


@pytest.mark.parametrize("renderer", ["canvas", "niivue"])
def test_overlay_on_an_oblique_grid_covers_its_place_in_both_renderers(room: MakeRoom, renderer: str) -> None:
    reader = room("masked")
    reader.open()
    reader.press("x", "m")
    if renderer == "niivue":
        reader.press("g")
        reader.see("NiiVue (WebGL2")
    plain = colours(reader)
    assert (plain.max(axis=2) - plain.min(axis=2))[60:-60, 40:-40].max() < 5  # off at the start

    reader.press("v")
    reader.see("Lesion")
    covered = colours(reader)

    inner = (slice(60, -60), slice(40, -40))
    marked = (covered[..., 0] > 200) & (covered[..., 1] < 60)
    ball = plain[..., 1] > 191  # half way between the head and the ball
    both = (marked & ball)[inner].sum()
    assert 2 * both / (marked[inner].sum() + ball[inner].sum()) > 0.95
    reader.press("v")
    assert abs(colours(reader) - plain).max() <= 2


def test_outline_of_an_overlay_runs_round_it_and_leaves_the_inside_free(room: MakeRoom) -> None:
    reader = room("outlined")
    reader.open()
    reader.press("x", "m")
    plain = colours(reader)

    reader.page.get_by_role("button", name="Overlay").click()
    drawn = colours(reader)

    inner = (slice(60, -60), slice(40, -40))
    line = (drawn.max(axis=2) - drawn.min(axis=2) > 60)[inner]
    ball = (plain[..., 1] > 191)[inner]
    rows, columns = np.nonzero(ball)
    assert 0 < line.sum() < 0.25 * ball.sum()
    assert not line[int(rows.mean()), int(columns.mean())]
    line_rows, line_columns = np.nonzero(line)
    assert abs(line_rows.min() - rows.min()) < 12
    assert abs(line_columns.max() - columns.max()) < 12


def test_overlay_of_another_size_than_its_image_is_not_drawn_and_says_so(room: MakeRoom) -> None:
    reader = room("misfit")
    reader.open()
    before = colours(reader)

    reader.press("v")

    reader.see("The overlay “Ulcer” is not drawn: it has 50 × 40 × 44 pixels, the image 48 × 56.")
    middle = np.s_[100:300, 100:700]
    assert (colours(reader)[middle] == before[middle]).all()
    reader.press("v")
    expect(reader.page.get_by_text("is not drawn")).to_be_hidden()
