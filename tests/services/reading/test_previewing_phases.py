"""Of a study that lists its phases, an admin looks at a unit of each phase as its raters will see it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from db import Database
from services.errors import Conflict, NotAllowed, NotFound
from services.reading import previewing, worklist
from tests.following_study import READ_THEN_RESOLVE, flagging, opened_following, read_through
from tests.listed_study import READ_THEN_SCORE, SCORE_ALONE, opened_listed, work_through
from tests.pair_study import BESIDE_SCANS, PAIRS, opened_pairs, with_models
from tests.room_study import rewrite, rows_of
from tests.situations import Situation, on_the_desk

AFTER = """
blindread: 2
name: listed
title: Reads, then with the reference
phases:
  - key: read
    title: Reads
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    then: {shows: [reference]}
"""
# What is another for everybody, and what stands for that which no admin is shown.
OF_EACH = {"assignment", "key", "phase", "heading", "progress", "draft", "images", "prefetch", "revisable"}
WITHHELD = {"reference", "candidate", "sides", "own", "opinions"}


def preview(situation: Situation, item: str, phase: str = "") -> dict[str, Any]:
    return dict(previewing.preview_item(situation.database, situation.admin, situation.study_key, item, phase))


def item_in(payload: dict[str, Any]) -> str:
    asked = dict(payload["context"]["facts"]).get("Question", payload["prompt"])
    return str(asked).removeprefix("Prompt of ").removesuffix("?")


def assert_is_the_same(shown: dict[str, Any], previewed: dict[str, Any]) -> None:
    assert set(previewed) == set(shown)
    for key in set(shown) - OF_EACH - WITHHELD:
        assert previewed[key] == shown[key], key
    for key in WITHHELD & set(shown):
        assert (previewed[key] is None) == (shown[key] is None), key


@pytest.mark.parametrize(
    ("protocol", "phases"),
    [
        (READ_THEN_SCORE, ("secret_arm", "second", "score")),
        (SCORE_ALONE, ("score",)),
        (AFTER, ("read", "read.then")),
    ],
    ids=["reads, then scores", "scores", "more after the answer"],
)
def test_a_preview_of_each_phase_is_what_its_raters_are_shown(
    sqlite_database: Database, tmp_path: Path, protocol: str, phases: tuple[str, ...]
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, raters=1)
    looked_at = {
        (phase, item): preview(situation, item, phase)
        for phase in phases
        for item in (f"i{n}" for n in range(1, 7))
        if not _nothing(situation, item)[phase]
    }

    seen = work_through(situation)

    assert seen
    met = set()
    for shown in seen:
        same = [
            phase
            for phase in phases
            if (phase, item_in(shown)) in looked_at
            and looked_at[phase, item_in(shown)]["form"] == shown["form"]
            and (looked_at[phase, item_in(shown)]["own"] is None) == (shown["own"] is None)
        ]
        met.update(same)
        assert same
        assert_is_the_same(shown, looked_at[same[0], item_in(shown)])
    assert met == set(phases)


def _nothing(situation: Situation, item: str) -> dict[str, str]:
    lines = previewing.phases_to_preview(situation.database, situation.admin, situation.study_key, item)
    return {line.key: line.nothing for line in lines}


@pytest.mark.parametrize("protocol", [PAIRS, BESIDE_SCANS], ids=["words", "beside scans"])
def test_a_preview_of_a_comparison_has_two_sides_and_its_form(
    sqlite_database: Database, tmp_path: Path, protocol: str
) -> None:
    situation = opened_pairs(sqlite_database, tmp_path / "study", protocol, raters=1)
    worklist.acknowledge_instructions(sqlite_database, situation.raters[0], situation.study_key, "part-1")
    shown = on_the_desk(situation, situation.raters[0], "part-1")

    previewed = preview(situation, item_in(dict(shown)), "secret_arm")

    assert_is_the_same(dict(shown), previewed)
    assert previewed["sides"] == ["One answer stands here.", "The other answer stands here."]


def test_a_preview_of_what_follows_from_answers_shows_where_these_will_stand(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study", READ_THEN_RESOLVE)
    for reader in situation.raters[:2]:
        read_through(situation, reader, {"i2": flagging})

    previewed = preview(situation, "i2", "resolve")
    lines = previewing.phases_to_preview(sqlite_database, situation.admin, situation.study_key, "i2")

    assert [opinion["lines"][0] for opinion in previewed["opinions"]] == [
        ["Answer", "The answer of one rater stands here."],
        ["Answer", "The answer of another rater stands here."],
    ]
    assert "Which side?" not in json.dumps(previewed)
    assert [(line.key, line.title, bool(line.remark)) for line in lines] == [
        ("secret_arm", "Reads", False),
        ("resolve", "Resolution", True),
    ]


def test_where_nothing_of_an_item_comes_in_a_phase_it_is_said(sqlite_database: Database, tmp_path: Path) -> None:
    def of_one_item(folder: Path) -> None:
        with_models(folder)
        path = folder / "candidates.csv"
        rewrite(path, [row for row in rows_of(path) if row["item"] == "i1"])

    situation = opened_pairs(sqlite_database, tmp_path / "study", changes=(of_one_item,), raters=1)

    assert [bool(_nothing(situation, item)["secret_arm"]) for item in ("i1", "i2")] == [False, True]
    with pytest.raises(Conflict, match="no two answers to this item to compare"):
        preview(situation, "i2", "secret_arm")


def test_an_unknown_phase_is_named_and_raters_choose_none(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_SCORE, raters=1)
    rater, key = situation.raters[0], situation.study_key

    with pytest.raises(NotFound, match="no phase 'third' to look at"):
        preview(situation, "i1", "third")
    with pytest.raises(NotAllowed):
        previewing.phases_to_preview(sqlite_database, rater, key, "i1")
    with pytest.raises(NotAllowed):
        previewing.preview_item(sqlite_database, rater, key, "i1", "score")
