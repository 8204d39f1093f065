"""How the words of a study are set: in their own direction, plain or as Markdown, and never as HTML."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]

# Everything that Markdown may become; what is not among them can neither fetch, nor lead anywhere, nor run.
HARMLESS = {
    "P", "DIV", "STRONG", "EM", "S", "CODE", "PRE", "UL", "OL", "LI", "BLOCKQUOTE", "TABLE", "THEAD", "TBODY", "TR",
    "TH", "TD", "HR", "BR",
}  # fmt: skip


def test_arabic_and_hebrew_begin_at_the_right_and_english_beside_them_at_the_left(room: MakeRoom) -> None:
    reader = room("arabic")
    reader.open()

    def direction(place: str) -> str:
        found: str = reader.page.locator(place).first.evaluate("element => getComputedStyle(element).direction")
        return found

    assert direction(".prompt") == "rtl"
    assert direction(".vignette") == "rtl"
    assert direction(".history dd") == "rtl"
    assert direction("[data-field=answer] .option:nth-child(1) .words") == "rtl"
    assert direction("[data-field=answer] .option:nth-child(2) .words") == "ltr"
    alignment = "element => getComputedStyle(element).textAlign"
    assert reader.page.locator("[data-field=answer] .option").first.evaluate(alignment) == "start"
    reader.press("c")
    reader.page.keyboard.type("لا شيء")
    assert direction("textarea[aria-label=Comment]") == "rtl"


def test_words_of_a_study_that_does_not_say_how_are_shown_as_they_are_written(room: MakeRoom) -> None:
    reader = room("markdown")
    reader.open()

    assert reader.page.locator(".vignette").text_content() == "Seen **twice**\nin *May*."
    assert reader.page.locator("[data-field=answer] .lead").first.text_content() == "**Left**"


def test_markdown_becomes_emphasis_lists_and_tables(room: MakeRoom) -> None:
    reader = room("markdown")
    reader.open()
    prompt = reader.page.locator(".prompt")

    expect(prompt.locator("strong")).to_have_text("most likely")
    assert prompt.locator("td").all_inner_texts() == ["T1", "low", "T2", "high"]
    assert prompt.locator("ol > li").all_inner_texts() == ["the first", "the second"]
    expect(prompt.locator("blockquote")).to_have_text("as the report said")


def test_earlier_items_list_a_prompt_in_words_and_without_the_signs_of_markdown(room: MakeRoom) -> None:
    reader = room("markdown", "plain", revisable=True)
    reader.open()
    reader.press("1", "4")
    reader.submit()

    reader.press("q")

    entry = reader.page.locator(".entry-prompt")
    expect(entry).to_contain_text("Which of these is most likely?")
    expect(entry).not_to_contain_text("|")


def test_no_words_become_an_image_a_link_or_anything_that_runs(room: MakeRoom) -> None:
    reader = room("attack")
    reader.open()
    reader.page.wait_for_timeout(300)

    for place in (".prompt", ".vignette"):
        tags = reader.page.locator(f"{place} *").evaluate_all("all => all.map((one) => one.tagName)")
        attributes = reader.page.locator(f"{place} *").evaluate_all(
            "all => all.flatMap((one) => one.getAttributeNames())"
        )
        assert set(tags) <= HARMLESS
        assert set(attributes) <= {"dir", "class"}
    assert reader.page.evaluate("window.hit") is None
    assert [url for url in reader.asked if "beacon" in url or "elsewhere" in url] == []
    # What is not rendered is not lost: it stands there as it was written.
    for words in ("<script>window.hit='script'</script>", "![picture](/try/beacon?image)", "[words](javascript:"):
        assert words in reader.page.locator(".prompt").inner_text()


def test_formulas_are_drawn_and_prices_are_not(room: MakeRoom) -> None:
    reader = room("formulas")
    reader.open()
    prompt = reader.page.locator(".prompt")

    assert prompt.locator("math mfrac").count() == 1
    assert prompt.locator("math[display=block]").count() == 1
    expect(prompt).to_contain_text("It costs $5 and $10, or $x$.")
    expect(prompt).to_contain_text(r"$\frac{$ stays as it is, and $\nosuch$ too.")
    assert reader.page.locator(".vignette").text_content() == "Costs $5 and $10, not $x$."


def test_no_formula_leads_anywhere_fetches_anything_or_carries_a_style(room: MakeRoom) -> None:
    reader = room("formulas")
    reader.open()
    reader.page.wait_for_timeout(300)
    within = reader.page.locator(".prompt *")

    tags = set(within.evaluate_all("all => all.map((one) => one.tagName.toLowerCase())"))
    attributes = set(within.evaluate_all("all => all.flatMap((one) => one.getAttributeNames())"))
    assert tags.isdisjoint({"a", "img", "mglyph", "annotation-xml", "script", "iframe"})
    assert attributes.isdisjoint({"href", "src", "style", "id", "data-a", "onclick"})
    assert reader.page.evaluate("window.hit") is None
    assert [url for url in reader.asked if "beacon" in url] == []
