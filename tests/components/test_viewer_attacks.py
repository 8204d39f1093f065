"""Texts that are drawn as something else than they say, and keys that are held down a moment too long."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Route

from tests.components.conftest import Room
from tests.components.reading_server.formula_items import MISREAD

pytestmark = pytest.mark.browser
MakeRoom = Callable[..., Room]


def with_prompt(reader: Room, prompt: str) -> None:
    """Open the room with another prompt, as Markdown."""

    def change(route: Route) -> None:
        response = route.fetch()
        payload = response.json()
        payload |= {"prompt": prompt, "text": {**payload["text"], "prompt": "markdown"}}
        route.fulfill(response=response, json=payload)

    reader.page.route("**/try/payload", change)
    reader.open()


def with_texts(reader: Room, texts: list[str]) -> None:
    """Open the room with these texts as references, each set as Markdown, and as earlier turns, each in one run."""

    def change(route: Route) -> None:
        response = route.fetch()
        payload = response.json()
        turns = [{"prompt": text, "lines": []} for text in texts]
        set_as = {**payload["text"], "prompt": "markdown", "reference": "markdown"}
        route.fulfill(response=response, json={**payload, "reference": texts, "turns": turns, "text": set_as})

    reader.page.route("**/try/payload", change)
    reader.open()


def squashed(text: str) -> str:
    """Leave out blanks and ends of lines."""
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize(
    ("formula", "joined"),
    [
        (r"$5\\0$", "50"),
        (r"$\text{no}\\\text{tumour}$", "notumour"),
        (r"$\text{no} \text{evidence}$", "noevidence"),
        (r"$\mathrm{in} \mathrm{operable}$", "inoperable"),
        (r"$1 {2}$", "12"),
        (r"$1 \mathrm{2}$", "12"),
        (r"$$\text{about $1 5$}$$", "15"),
        (r"$$\text{there is $no tumour$}$$", "notumour"),
        (r"$0\left.5\right.$", "05"),
        (r"$0\bigl.5$", "05"),
    ],
)
def test_no_formula_joins_what_is_written_apart(room: MakeRoom, formula: str, joined: str) -> None:
    reader = room("plain")
    with_prompt(reader, formula)

    drawn = reader.page.locator(".prompt math")
    assert not any(joined in text for text in drawn.all_text_contents())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("| Finding | Side |\n|---|---|\n| mass | left | malignant |", "malignant"),
        ("```malignant, biopsy advised\nnothing else\n```", "malignant"),
        (">50 % stenosis of the left ICA", ">"),
        ("The lesion measures 5*3*2 cm.", "5*3*2"),
    ],
    ids=["a cell too many", "words behind a fence", "a line that begins with >", "a size with asterisks"],
)
def test_no_words_or_signs_of_a_finding_are_lost_in_markdown(room: MakeRoom, text: str, says: str) -> None:
    reader = room("plain")
    with_prompt(reader, text)

    assert says in (reader.page.locator(".prompt").text_content() or "")


def test_formula_that_would_be_read_otherwise_is_shown_as_its_source(room: MakeRoom) -> None:
    reader = room("plain")
    with_prompt(reader, "\n\n".join(MISREAD))

    assert reader.page.locator(".prompt p").all_text_contents() == MISREAD
    assert reader.page.locator(".prompt math").count() == 0


def test_what_is_written_apart_in_a_formula_is_drawn_apart(room: MakeRoom) -> None:
    reader = room("plain")
    with_prompt(reader, r"$A\sin x$, $x \\ y$ and $3,5$, but $\log(x)$ and $\text{SUV}_{\max}$")

    drawn = reader.page.locator(".prompt math")
    assert [text.replace("\u2061", "") for text in drawn.all_text_contents()] == [
        "A\u2009sin\u2009x",
        "x\u2003y",
        "3,5",
        "log(x)",
        "SUVmax",
    ]
    assert drawn.last.locator("msub > *").count() == 2


# None of it may be swallowed, counted anew or drawn as something else.
AS_WRITTEN = [
    "- + " * 30 + "±",
    "result:\n\n" + "+ - " * 51 + "**",
    "3&#150;5 mm",
    "0·$5$ mm",
    "1'$000$ mm",
    "nodule\n\n- - - - - - - - - - - -\n\nImpression: malignant",
    "- - - - - - - - - - - - malignant",
    "1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. malignant",
    "1. a\n   - - - - - - - - - -\n\n2. malignant",
    "* " * 60 + "malignant",
    "$1$.$5$ mm",
    ".$5$ mm",
    "5\u066b$6$ mm",
    "$5 e 3$ mm",
    "$0 x 5$ mm",
    r"$\text{no}\hspace{0.1em}\text{tumour}$",
    "$10^-6$ and $5_-3$ and $5^.5$",
    "(*) benign (*) malignant",
    "(_) yes (_) no",
    "[*] left [*] right",
    '"*" is p<0.05, "*" is n.s.',
    "5 *(3)* 2 cm",
    "5 **3** 2 cm",
    "see *note: T2* signal",
    "*p<0.05, **p<0.01*",
    "SWI* and *GRE",
    "(**) benign (**) malignant",
    "__init__ and _left_",
    "> **50 % stenosis",
    "> (50 %)",
    "> three lesions",
    "> T2 disease",
    "5`0` mm",
    "angle 5` to 6` left",
    "~~5~~ mm",
    "*",
    "___",
    "* * *",
    "a\n- - -\nb",
    "1. a\n\n02. b",
    "- edema\n\n- 3 mm",
    "- a\n\n  02. b",
    "10. a\n9. b",
    "5.\n6.",
    "a | b\n- | -\n5 | -6",
    "~~~\n5 mm",
    "```\n```",
    "```\n5 mm",
    "    5 mm",
    "no&#xFFA0;tumour",
    "no&#x115F;tumour",
    "no&#x1160;tumour",
    "&nvlt;5",
    "5$0$ mm",
    "5.$0$ mm",
    "$5$0 mm",
    "$5$.5 mm",
    "$5$$0$ mm",
    r"no$\text{tumour}$",
    r"$\text{in}$operable",
    "5$-6$ each",
    "A$$5 x $$6",
    "5\u200b$0$ mm",
    "> 50 % stenosis",
    "> -2 SD",
    "> as reported\n>50 % stenosis",
    ">> 5",
    "(3)*2*(4) cm",
    "5 *3* 2 cm",
    "5~~3~~2",
    "+ edema\n+ 2 cm",
    "- 3 mm\n- 4 mm",
    "- edema\n- 3 mm",
    "-",
    "02. second",
    "1986. Operation",
    "1) left\n2) right",
    "# of the left femur",
    "## Rib #",
    "Malignant\n===",
    "[1]: malignant",
    "[^1]: malignant",
    "[left](right 'malignant')",
    "<!-- malignant -->",
    "<https://example.org>",
    "no&ZeroWidthSpace;tumour",
    r"w\/o \(contrast\) or\ ",
    "~~~5 mm\nno more",
    "| a | b |\n|---|---|\n| 1 | 2 | 3 |",
    "text\n| a | b |\n|---|---|\n| 1 | 2 | 3 |",
]


def test_what_markdown_would_swallow_stays_as_it_is_written(room: MakeRoom) -> None:
    reader = room("formulas in scoring")
    with_texts(reader, AS_WRITTEN)

    shown = reader.page.locator(".answer")
    assert [squashed(text) for text in shown.all_text_contents()[: len(AS_WRITTEN)]] == [
        squashed(text) for text in AS_WRITTEN
    ]
    shown = reader.page.locator(".turns li > p")
    assert [squashed(text) for text in shown.all_text_contents()] == [squashed(text) for text in AS_WRITTEN]


def test_norm_in_a_cell_is_not_drawn_as_an_absolute_value(room: MakeRoom) -> None:
    reader = room("plain")
    with_prompt(reader, "| a |\n|---|\n| $\\|x\\|$ |")

    assert reader.page.locator(".prompt math").all_text_contents() == ["∥x∥"]


def test_lines_and_cells_keep_their_order_beside_words_from_right_to_left(room: MakeRoom) -> None:
    reader = room("formulas in scoring")
    with_texts(reader, ["a \u202eb\n\n12 mm", "mass שמאל\n\n12 mm", "| a | b |\n|---|---|\n| שמאל | 5 | \n| 3 | 4 |"])
    left_to_right = """element => {
        const signs = [];
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            for (let i = 0; i < walker.currentNode.length; i += 1) {
                const range = document.createRange();
                range.setStart(walker.currentNode, i);
                range.setEnd(walker.currentNode, i + 1);
                signs.push([range.getBoundingClientRect().x, walker.currentNode.data[i]]);
            }
        }
        return signs.sort(([a], [b]) => a - b).map(([, sign]) => sign).join("").replace(/[^0-9m]/g, "");
    }"""

    runs = reader.page.locator(".turns li > p")
    assert [runs.nth(place).evaluate(left_to_right) for place in range(3)] == ["12mm", "m12mm", "534"]


def test_no_entity_joins_its_number_to_that_of_a_formula(room: MakeRoom) -> None:
    reader = room("formulas in scoring")
    with_texts(reader, ["&#53;$0$ mm", "5&#46;$5$ mm", "$5$&#48; mm"])

    shown = reader.page.locator(".answer").all_text_contents()
    assert shown[:3] == ["5$0$ mm", "5.$5$ mm", "$5$0 mm"]


def test_cells_keep_their_places_in_one_run(room: MakeRoom) -> None:
    reader = room("formulas in scoring")
    with_texts(reader, ["| Finding | Left | Right |\n|---|---|---|\n| mass | | 5 mm |\n| cyst | 3 mm | |"])

    run = reader.page.locator(".turns li > p").first
    assert " ".join((run.text_content() or "").split()) == (
        "| Finding | Left | Right |; | mass | | 5 mm |; | cyst | 3 mm | |;"
    )


def test_list_is_drawn_with_the_numbers_and_signs_that_are_written(room: MakeRoom) -> None:
    reader = room("formulas in scoring")
    texts = ["1. a\n1. b\n4. c", "+ edema\n+ mass", "02) left", "&lt;5 mm"]
    with_texts(reader, texts)

    marks = reader.page.locator(".answer li > .mark")
    assert marks.all_text_contents() == ["1. ", "1. ", "4. ", "+ ", "+ ", "02) "]
    runs = reader.page.locator(".turns li > p")
    assert [" ".join((text or "").split()) for text in runs.all_text_contents()] == [
        "1. a 1. b 4. c",
        "+ edema + mass",
        "02) left",
        "<5 mm",
    ]


def test_only_the_stars_around_bold_words_and_the_lines_around_code_are_left_out(room: MakeRoom) -> None:
    reader = room("formulas in scoring")
    texts = ["**T2:** **5 mm**, (**left**)", "```\na  b\n```", r"1 \< 2"]
    with_texts(reader, texts)

    shown = reader.page.locator(".answer").all_text_contents()
    assert shown[:3] == ["T2: 5 mm, (left)", "a  b\n", "1 < 2"]
    assert reader.page.locator(".answer strong").all_text_contents() == ["T2:", "5 mm", "left"]


def test_index_and_micro_may_stand_at_a_word(room: MakeRoom) -> None:
    reader = room("plain")
    with_prompt(reader, r"T$_2$, 10$^{3}$/$\mu$l and $V$-shaped")

    assert reader.page.locator(".prompt .formula-source").count() == 0
    assert reader.page.locator(".prompt math").count() == 4


def test_letters_of_a_product_stand_apart(room: MakeRoom) -> None:
    reader = room("plain")
    with_prompt(reader, r"$n o$, $I I I$ and $\frac{n o}{2}$")

    assert reader.page.locator(".prompt math").all_text_contents() == [
        "n\u2009o",
        "I\u2009I\u2009I",
        "n\u2009o2",
    ]


@pytest.mark.parametrize(("keys", "place"), [(("c",), "Comment"), (("f", "1"), "Note on the flag")])
def test_a_key_that_is_held_down_writes_nothing_where_it_leads(
    room: MakeRoom, keys: tuple[str, ...], place: str
) -> None:
    reader = room("plain")
    reader.open()
    *before, held = keys

    reader.press(*before)
    for _ in range(4):
        reader.page.keyboard.down(held)
    reader.page.keyboard.up(held)

    assert re.sub(r"\s", "", reader.page.get_by_label(place).locator("visible=true").last.input_value()) == ""


def test_digit_that_begins_a_number_is_written_there_once_while_it_is_held_down(room: MakeRoom) -> None:
    reader = room("every")
    reader.open()
    reader.press("1", "1", "0")

    for _ in range(4):
        reader.page.keyboard.down("3")
    reader.page.keyboard.up("3")
    reader.press("2")

    assert reader.page.get_by_label("Largest diameter").input_value() == "32"
