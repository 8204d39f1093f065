"""JSON that is read a part at a time is the JSON that is read at once, refused in the same words."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from exchange import json_parts
from exchange.json_parts import Outline, outline_of, values_of_array, values_of_member
from exchange.json_text import json_value
from exchange.spreadsheet import NotRead

ROWS = [
    {"item": "i1", "said": "ü’🙂 \u2028 \"quoted\" \\ n", "score": -12.5e3, "more": [1, [], {"a": None}]},
    {}, [], "", 12345, True, float("-inf"), {"deep": {"er": [[1], {"b": "c" * 50}]}},
]  # fmt: skip
LOG = {"version": 2, "eval": {"model": "m", "scorers": [{"name": "a"}]}, "empty": [], "samples": ROWS, "n": 123}


@pytest.fixture(params=[1, 7, 1 << 18])
def _parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_parts, "AT_ONCE", request.param)


def said(read: Callable[[], object]) -> str:
    try:
        return repr(read())
    except ValueError as error:
        return f"refused: {error}"


def whole_log(content: bytes) -> tuple[Outline, list[Any]]:
    log = json_value(content.decode())
    samples = log.get("samples")
    return (
        Outline({key: [] if isinstance(value, list) else value for key, value in log.items()}, False),
        samples if isinstance(samples, list) else [],
    )


def log_in_parts(content: bytes) -> tuple[Outline, list[Any]]:
    outline = outline_of(content)
    if outline.is_followed:
        raise ValueError("Extra data")
    return outline, list(values_of_member(content, "samples"))


@pytest.mark.usefixtures("_parts")
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_values_of_an_array_are_those_of_the_whole(indent: int | None, encoding: str) -> None:
    text = json.dumps(ROWS, indent=indent, ensure_ascii=indent is None)

    assert repr(list(values_of_array(text.encode(encoding)))) == repr(json_value(text))


@pytest.mark.usefixtures("_parts")
def test_a_log_is_the_same_in_parts_wherever_it_is_cut_off_or_damaged() -> None:
    text = json.dumps(LOG, ensure_ascii=False)
    damaged = [text[:end] for end in range(1, len(text), 5)]
    damaged += [text[:place] + mark + text[place:] for place in range(1, len(text), 11) for mark in ('"', ",", "}")]
    for each in [text, *damaged]:
        assert said(lambda: log_in_parts(each.encode())) == said(lambda: whole_log(each.encode())), each  # noqa: B023


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": [1], "a": 2}', "the key 'a' appears twice"),
        ('{"a": [{"b": 1, "b": 2}]}', "the key 'b' appears twice"),
        ('{"a": ' + "1" * 45 + "}", "a number of 45 digits"),
        ('{"a": ' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_what_json_takes_without_a_word_is_refused(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        outline_of(text.encode())


@pytest.mark.usefixtures("_parts")
@pytest.mark.parametrize("behind", ["[3]", "\n [3]\n", "x", "]", "null"])
def test_what_follows_an_array_is_not_lost_without_a_word(behind: str) -> None:
    with pytest.raises(ValueError, match="something follows the array"):
        list(values_of_array(b"[1, 2]" + behind.encode()))


def test_bytes_that_are_no_text_are_not_read() -> None:
    with pytest.raises(NotRead, match="is not UTF-8 text"):
        list(values_of_array(b'["\xfc"]'))


def test_no_more_of_a_file_is_held_than_twice_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_parts, "AT_ONCE", 1_000)
    content = json.dumps([{"a": n} for n in range(2_000)]).encode()
    text = json_parts.HeldText(content)
    text.next_letter()
    text.pass_letter()
    held = []

    while text.value() is not None:
        held.append(text.held)
        if text.next_letter() == "]":
            break
        text.pass_letter()

    assert len(held) == 2_000 and max(held) <= 2_000


def test_of_a_damaged_array_no_more_is_held_than_up_to_the_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_parts, "AT_ONCE", 1_000)
    text = json_parts.HeldText(b'{"a" 1}' + b" " * 100_000)

    with pytest.raises(ValueError, match="Expecting ':' delimiter"):
        text.value()

    assert text.held <= 2_000


def test_a_doubled_key_among_very_many_is_found_in_one_pass() -> None:
    many = "{" + ",".join(f'"k{number}":0' for number in range(30_000)) + ',"k7":1}'
    begun = time.process_time()

    with pytest.raises(ValueError, match="the key 'k7' appears twice"):
        json_value(many)

    # By comparing every two it takes several seconds.
    assert time.process_time() - begun < 1.0
