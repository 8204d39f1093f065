"""A table that is read a part at a time is the one that is read at once."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable

import pytest

from exchange import spreadsheet
from exchange.spreadsheet import NotRead, table_lines, table_text, text_lines

COLUMNS = ("item", "candidate", "verdict")
PLAIN = "item,candidate,verdict\ni1,k1,correct\n"
TABLES = (
    PLAIN,
    PLAIN.replace("\n", "\r\n"),
    PLAIN.replace("\n", "\r"),
    PLAIN.removesuffix("\n"),
    PLAIN.replace(",", ";"),
    "sep=;\r\n" + PLAIN.replace(",", ";"),
    "sep=;",
    'item,candidate,verdict\ni1,"k\r\n1","a ""b"", c"\n',
    "item,candidate,verdict\nü’,🙂,\u2028\n",
    "\n" + PLAIN,
    "",
)


@pytest.mark.parametrize("text", TABLES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_lines_separator_and_beginning_are_those_of_the_whole_text(text: str, encoding: str) -> None:
    content = text.encode(encoding)

    lines, whole = table_lines(content, COLUMNS), table_text(content, COLUMNS)

    assert (lines.separator, lines.lines_before) == (whole.separator, whole.lines_before)
    read = list(csv.reader(lines.lines, delimiter=lines.separator))
    assert read == list(csv.reader(io.StringIO(whole.text, newline=""), delimiter=whole.separator))


@pytest.mark.parametrize("marks", [1, 2, 3])
def test_a_byte_order_mark_that_is_there_more_than_once_is_no_part_of_the_first_column(marks: int) -> None:
    content = codecs.BOM_UTF8 * marks + PLAIN.encode()

    whole, lines = table_text(content, COLUMNS), table_lines(content, COLUMNS)

    assert whole.text == PLAIN
    assert "".join(lines.lines) == PLAIN


@pytest.mark.parametrize(
    "content",
    [
        b"item,candidate,verdict\ni1,k1,\xfc\n",
        b"item,candidate,verdict\n" + b"i1,k1,correct\n" * 100 + b"i1,k1,\xc3",
        b"\xff\xfeabc",
        b"PK\x03\x04 a workbook",
        b"item|candidate|verdict\n",
        PLAIN.encode("utf-16-le"),
    ],
)
@pytest.mark.parametrize("at_once", [1, 7, 1 << 20])
def test_what_is_not_such_a_table_is_refused_in_the_same_words(
    monkeypatch: pytest.MonkeyPatch, content: bytes, at_once: int
) -> None:
    monkeypatch.setattr(spreadsheet, "_DECODED_AT_ONCE", at_once)

    def said(read: Callable[..., object]) -> str:
        with pytest.raises(NotRead) as refusal:
            read(content, COLUMNS)
        return str(refusal.value)

    assert said(table_lines) == said(table_text)


def test_text_of_several_bytes_a_letter_is_whole_wherever_its_parts_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheet, "_DECODED_AT_ONCE", 1)
    text = "ü🙂\r\n’\n"

    assert "".join(text_lines(text.encode(), newline="\n")) == text
    assert "".join(text_lines(text.encode("utf-16"), newline="\n")) == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [PLAIN, "größe,кейс,项目,item,candidate,verdict\n", "[{}]"])
def test_utf_16_without_a_byte_order_mark_is_refused_by_its_name(text: str, encoding: str) -> None:
    with pytest.raises(NotRead, match=r"is UTF-16 text without a byte order mark; save it as UTF-8, in Excel as"):
        text_lines(text.encode(encoding), newline="\n")
