"""How the words of a study are set: in their own direction, plain or as Markdown, and never as HTML."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.components.conftest import Room
from tests.components.reading_server import mixed_lines
from tests.components.reading_server.formula_items import DEFINITIONS, HEAVY, MISPLACED

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]

# Everything that Markdown may become; what is not among them can neither fetch, nor lead anywhere, nor run.
HARMLESS = {
    "P", "DIV", "SPAN", "STRONG", "CODE", "PRE", "UL", "OL", "LI", "TABLE", "THEAD", "TBODY", "TR", "TH", "TD", "BR",
}  # fmt: skip


def test_arabic_and_hebrew_begin_at_the_right_and_english_beside_them_at_the_left(room: MakeRoom) -> None:
    reader = room("arabic")
    reader.open()

    def direction(place: str) -> str:
        computed: str = reader.page.locator(place).first.evaluate("element => getComputedStyle(element).direction")
        return computed

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


# The signs that are drawn in each row of an element, from left to right; and the same of lines that stand alone.
ROWS = """(element) => {
    const signs = [];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (let i = 0; i < node.length; i += 1) {
            const range = document.createRange();
            range.setStart(node, i);
            range.setEnd(node, i + 1);
            const { bottom, left } = range.getBoundingClientRect();
            if (node.data[i].trim()) signs.push({ sign: node.data[i], bottom, left });
        }
    }
    const rows = [];
    for (const placed of signs.sort((a, b) => a.bottom - b.bottom)) {
        if (!rows.length || placed.bottom - rows.at(-1)[0].bottom > 8) rows.push([]);
        rows.at(-1).push(placed);
    }
    return rows.map((row) => row.sort((a, b) => a.left - b.left).map(({ sign }) => sign).join(""));
}"""
ALONE = (
    """(body, lines) => {
    const rows = """
    + ROWS
    + """;
    return lines.map((line) => {
        const alone = document.createElement("p");
        alone.dir = "auto";
        alone.textContent = line;
        body.append(alone);
        const [row] = rows(alone);
        alone.remove();
        return row;
    });
}"""
)


@pytest.mark.parametrize(
    ("place", "lines"), [(".prompt", mixed_lines.IN_MARKDOWN), (".vignette", mixed_lines.IN_PLAIN)]
)
def test_each_line_is_drawn_as_it_is_drawn_alone_whatever_stands_above_it(
    room: MakeRoom, place: str, lines: list[str]
) -> None:
    reader = room("lines of both directions", width=2400)
    reader.open()

    drawn = [row for row in reader.page.locator(place).first.evaluate(ROWS) if row != "between"]
    alone = reader.page.locator("body").evaluate(ALONE, lines)

    assert drawn == alone


def test_lines_of_earlier_turns_are_drawn_as_they_are_alone(room: MakeRoom) -> None:
    reader = room("lines of both directions")
    reader.open()

    turns = [turn.evaluate(ROWS) for turn in reader.page.locator(".turns li > p").all()]

    # Code keeps its lines there, and those of a paragraph follow each other in one run.
    assert turns == [["םד", "12mm"], ["12mmםד"]]


def test_words_of_a_study_that_does_not_say_how_are_shown_as_they_are_written(room: MakeRoom) -> None:
    reader = room("markdown")
    reader.open()

    assert reader.page.locator(".vignette").text_content() == "Seen **twice**\nin *May*."
    assert reader.page.locator("[data-field=answer] .lead").first.text_content() == "**Left**"


def test_markdown_becomes_bold_words_lists_and_tables(room: MakeRoom) -> None:
    reader = room("markdown")
    reader.open()
    prompt = reader.page.locator(".prompt")

    expect(prompt.locator("strong")).to_have_text("most likely")
    assert prompt.locator("td").all_inner_texts() == ["T1", "low", "T2", "high"]
    assert prompt.locator("ol > li").all_text_contents() == ["1. the first", "2. the second"]


WRAPPED = """Read every scan with care, and answer
what is asked.
- an item that is
  wrapped
- another item

Steps:
2. is begun on purpose
• so is this
two blanks\x20\x20
end a line"""


def test_instructions_that_are_wrapped_where_they_are_written_flow_and_their_lists_hang_evenly(room: MakeRoom) -> None:
    reader = room("plain")
    reader.open()
    draw = """async (text) => {
        const place = document.createElement("div");
        place.id = "acknowledged";
        place.style.width = "150px";
        document.body.replaceChildren(place);
        const { attach } = await import("/assets/viewer/room.mjs");
        attach({ data: { sections: [{ heading: "", text }] }, parentElement: place }, "/");
    }"""
    reader.page.evaluate(draw, WRAPPED)
    drawn = reader.page.locator("#acknowledged .markdown")

    lines = "all => all.map((one) => [...one.querySelectorAll('span[dir]')].map(({ textContent }) => textContent))"
    assert drawn.locator("p").evaluate_all(lines) == [
        ["Read every scan with care, and answer what is asked."],
        ["an item that is wrapped"],
        ["another item"],
        ["Steps:", "2. is begun on purpose", "• so is this two blanks", "end a line"],
    ]
    lefts = """words => {
        const range = document.createRange();
        range.selectNodeContents(words);
        return [...range.getClientRects()].map(({ left }) => Math.round(left));
    }"""
    first, *below = drawn.locator("li span[dir]").first.evaluate(lefts)
    assert below
    assert set(below) == {first}


def test_earlier_items_list_a_prompt_in_words_and_without_the_signs_of_markdown(room: MakeRoom) -> None:
    reader = room("markdown", "plain", revisable=True)
    reader.open()
    reader.press("1", "4")
    reader.submit()

    reader.press("q")

    entry = reader.page.locator(".entry-prompt")
    expect(entry).to_contain_text("Which of these is most likely?")
    expect(entry).not_to_contain_text("**")
    expect(entry).not_to_contain_text("|---|")


def test_the_question_of_an_answer_to_be_scored_keeps_its_lines(room: MakeRoom) -> None:
    reader = room("lines in scoring")
    reader.open()

    assert reader.page.locator(".card .facts dd").first.inner_text() == "Findings:\nAn old scar.\n\nNo lesion."


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
    for words in ("<script>window.hit='script'</script>", "![image](/try/beacon?image)", "[words](javascript:"):
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


def test_ordinary_formulas_are_all_drawn(room: MakeRoom) -> None:
    reader = room("ordinary formulas")
    reader.open()

    expect(reader.page.locator(".prompt math").first).to_be_visible()
    assert reader.page.locator(".prompt .formula-source").all_inner_texts() == []


def test_narrow_spaces_of_a_formula_are_drawn(room: MakeRoom) -> None:
    reader = room("ordinary formulas")
    reader.open()

    width = "element => element.getBoundingClientRect().width"
    assert reader.page.locator(".prompt p", has_text="78").locator("mtext").first.evaluate(width) > 0


def test_formulas_are_drawn_in_earlier_turns_without_leaving_their_line(room: MakeRoom) -> None:
    reader = room("formulas in turns")
    reader.open()
    turn = reader.page.locator(".turns li > p")

    power, half = turn.locator("msup"), turn.locator("mfrac")
    assert [power.locator("mn").all_text_contents(), half.locator("mn").all_text_contents()] == [
        ["10", "3"],
        ["1", "2"],
    ]
    assert turn.locator("msqrt").count() == 1
    assert turn.locator("math[display=block], p, div, table").count() == 0


def test_what_is_too_wide_for_a_run_is_written_there_as_its_source(room: MakeRoom) -> None:
    reader = room("formulas in turns")
    reader.open()

    expect(reader.page.locator(".turns .formula-source")).to_have_text("$" + "x + " * 40 + "x$")
    assert reader.page.locator(".prompt .formula-source").count() == 0


def test_lines_and_cells_do_not_join_to_other_words_in_a_run(room: MakeRoom) -> None:
    reader = room("formulas in turns")
    reader.open()

    expect(reader.page.locator(".turns li > p")).to_contain_text("the lesion over")
    expect(reader.page.locator(".turns li > p")).to_contain_text("| a | b |; | 1 | 0 |;")


def test_formulas_are_drawn_in_the_list_of_earlier_items(room: MakeRoom) -> None:
    reader = room("formulas in turns", "plain", revisable=True)
    reader.open()
    reader.press("1", "4")
    reader.submit()

    reader.press("q")

    entry = reader.page.locator(".entry-prompt")
    expect(entry.locator("msup")).to_have_count(1)
    expect(entry.locator("mfrac")).to_have_count(1)
    assert entry.locator("math[display=block], p, div, table").count() == 0


def test_no_formula_is_drawn_that_would_leave_its_place_or_paint_over_it(room: MakeRoom) -> None:
    reader = room("misplaced formulas")
    reader.open()
    prompt = reader.page.locator(".prompt")

    assert prompt.locator("p:has(math)").all_text_contents() == []
    assert prompt.locator("p").all_text_contents() == MISPLACED


def test_no_formula_defines_commands(room: MakeRoom) -> None:
    reader = room("definitions")
    reader.open()
    prompt = reader.page.locator(".prompt")

    assert prompt.locator("p:has(math)").count() == 0
    assert prompt.locator("p").all_text_contents() == DEFINITIONS


@pytest.mark.parametrize("place", [".answer .formula", ".answer.markdown", ".card"])
def test_what_is_moved_out_of_a_formula_a_text_or_a_card_all_the_same_is_not_seen(room: MakeRoom, place: str) -> None:
    reader = room("formulas in scoring")
    reader.open()
    moved = """element => {
        const stray = document.createElement("span");
        stray.style = "position: relative; display: inline-block; width: 40px; height: 20px";
        element.append(stray);
        const above = element.getBoundingClientRect().y - 40;
        stray.style.top = `${above - stray.getBoundingClientRect().y}px`;
        const { x, y } = stray.getBoundingClientRect();
        return element.getRootNode().elementFromPoint(x + 20, y + 10) === stray;
    }"""

    assert reader.page.locator(place).last.evaluate(moved) is False


@pytest.mark.parametrize("text", HEAVY)
def test_no_text_within_its_length_becomes_more_elements_than_are_drawn_at_once(room: MakeRoom, text: str) -> None:
    reader = room(f"heavy formulas: {text}")
    reader.open()
    prompt = reader.page.locator(".prompt")

    drawn = prompt.locator("math, math *").count()
    deepest = """element => {
        const depth = (one) => 1 + Math.max(0, ...[...one.children].map(depth));
        return depth(element);
    }"""
    assert drawn <= 3_000
    assert prompt.evaluate(deepest) <= 50
    # Nothing is lost: what is not drawn is written.
    assert drawn > 0 or prompt.text_content() == HEAVY[text]
