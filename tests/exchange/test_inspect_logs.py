"""Logs of Inspect AI, as a file and as an archive: scores are verdicts, and no damaged archive is half read."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import pytest

from exchange.foreign.layout import OF_ITSELF, Asked, Source
from exchange.foreign.reading import layout_of, read_foreign
from exchange.refusal import InputRefused, Problems
from protocol.scales import CORRECTNESS, scale_of_options
from tests.exchange.foreign_sources import archive, archive_of, read, source_of

GRADES = scale_of_options([("incorrect", "No"), ("partly", "In part"), ("correct", "Yes")])


@pytest.mark.parametrize("ending", ["json", "eval", "eval, deflated by nobody"])
def test_a_log_of_inspect_ai_reads_the_same_as_a_file_and_as_an_archive(ending: str) -> None:
    source = source_of("inspect_ai.json")
    if ending != "json":
        log = json.loads(source.content)
        source = Source(archive_of(log, 93 if ending == "eval" else 0), "log.eval")

    lines, problems = read(source)

    assert problems == []
    assert [line.clues["item"] for line in lines] == [("i1",), ("i2",), ("i5",)]
    assert {line.clues["model"] for line in lines} == {("model-a",)}
    assert [(line.said["verdict"], line.said.get("failure")) for line in lines] == [
        ("correct", None), ("incorrect", None), ("", "unreadable"),
    ]  # fmt: skip


@pytest.mark.parametrize("ending", ["json", "eval"])
@pytest.mark.parametrize(("status", "stopped"), [("success", ""), ("error", "error"), ("cancelled", "cancelled")])
def test_a_log_says_if_its_evaluation_did_not_run_to_its_end(ending: str, status: str, stopped: str) -> None:
    log = json.loads(source_of("inspect_ai.json").content) | {"status": status}
    content = json.dumps(log).encode() if ending == "json" else archive_of(log, 93)
    source = Source(content, f"log.{ending}")
    layout = layout_of(source, OF_ITSELF)
    assert layout is not None

    assert read_foreign(source, layout, OF_ITSELF, CORRECTNESS, Problems()).stopped == stopped


def test_a_log_says_who_graded_by_which_prompt_and_when() -> None:
    source = source_of("inspect_ai.json")
    layout = layout_of(source, OF_ITSELF)
    assert layout is not None

    said = read_foreign(source, layout, OF_ITSELF, CORRECTNESS, Problems()).identity

    assert said == {"model": "grader-9", "prompt": "Is it so? {answer}", "made_on": "2026-11-20"}


def scored(*values: Any, **more: Any) -> Source:
    samples = [{"id": f"q{place}", "epoch": 1, "scores": value} for place, value in enumerate(values)]
    log = {"version": 2, "status": "success", "eval": {"model": "m"}, "samples": samples, **more}
    return Source(json.dumps(log).encode(), "log.json")


@pytest.mark.parametrize(
    ("score", "said"),
    [
        ({"value": "I", "explanation": "Grade not found in model output: well"}, ("", "unreadable")),
        ({"value": math.nan}, ("", "no_verdict")),
        ({"value": "P"}, ("partly", None)),
        ({"value": "N"}, ("N", None)),
        ({"value": 0.5}, (0.5, None)),
    ],
)
def test_letters_of_inspect_ai_are_words_of_the_scale_and_what_was_not_graded_is_no_verdict(
    score: dict[str, Any], said: tuple[Any, str | None]
) -> None:
    lines, _ = read(scored({"graded": score}), scale=GRADES)

    assert (lines[0].said["verdict"], lines[0].said.get("failure")) == said


@pytest.mark.parametrize(
    ("scores", "scorer", "says"),
    [
        ({"a": {"value": "C"}, "b": {"value": "I"}}, "", "has several scores, a, b; say which is meant, as --scorer a"),
        ({"a": {"value": "C"}}, "c", "has no score 'c', but a"),
        ({"a": {"value": {"x": 1, "y": 0}}}, "", "has several values, x, y; say which is meant, as --scorer a.KEY"),
    ],
)
def test_which_of_several_scores_is_meant_is_asked(scores: dict[str, Any], scorer: str, says: str) -> None:
    _, problems = read(scored(scores), Asked(scorer=scorer))

    assert says in problems[0]


def test_a_part_of_a_score_can_be_named() -> None:
    lines, problems = read(
        scored({"a": {"value": {"safe": 1, "true": 0}}, "b": {"value": "C"}}), Asked(scorer="a.true")
    )

    assert problems == [] and lines[0].said["verdict"] == 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (archive({"_journal/start.json": b"{}"}), "was not finished: it has no header.json"),
        (archive({"header.json": b"{}"}), "holds no samples"),
        (archive({"header.json": b"{}", "samples/a.json": b"{"}), "samples/a.json: damaged"),
        (archive({"header.json": b"{}", "samples/a.json": b"{}"}, 12), "header.json: damaged (compressed by method 12"),
        (archive({"header.json": b"{}", "samples/a.json": b"{}"})[:-30], "is a damaged archive"),
    ],
)
def test_an_archive_that_is_no_whole_log_is_refused_in_a_sentence(content: bytes, says: str) -> None:
    with pytest.raises(InputRefused) as refusal:
        read(Source(content, "log.eval"))

    assert says in str(refusal.value)


def test_a_member_that_unpacks_to_more_than_it_says_is_refused() -> None:
    content = bytearray(archive({"header.json": b"{}", "samples/a.json": b'{"id": "' + b"x" * 5_000 + b'"}'}))
    # The size that the directory says, of the second member.
    place = content.rindex(b"PK\x01\x02") + 24
    content[place : place + 4] = struct.pack("<I", 10)

    with pytest.raises(InputRefused, match="not what its checksum says"):
        read(Source(bytes(content), "log.eval"))


def test_members_that_lie_over_each_other_are_refused() -> None:
    """Each of a million could be as long as the file: it would be unpacked for a day."""
    content = bytearray(archive({"header.json": b"{}", "samples/a.json": b"{}", "samples/b.json": b"{}"}))
    place = 0
    while (place := content.find(b"PK\x01\x02", place + 1)) > 0:
        struct.pack_into("<I", content, place + 20, len(content) // 2)

    with pytest.raises(InputRefused, match="is a damaged archive: its members lie over each other; copy it again"):
        read(Source(bytes(content), "log.eval"))


def test_a_member_that_begins_behind_the_file_is_refused_in_our_words() -> None:
    content = bytearray(archive({"header.json": b"{}", "samples/a.json": b"{}"}))
    struct.pack_into("<I", content, content.rindex(b"PK\x01\x02") + 42, 2**31)

    with pytest.raises(InputRefused, match="damaged \\(it begins behind the end of the file\\); copy the file again"):
        read(Source(bytes(content), "log.eval"))
