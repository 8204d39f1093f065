"""Of a study that lists its phases, an admin looks at a unit of each phase as its raters will see it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from db import Database
from services.errors import Conflict, NotAllowed, NotFound
from services.reading import instructions, previewing
from tests.following_study import READ_THEN_RESOLVE, flagging, opened_following, read_through
from tests.listed_study import (
    READ_THEN_SCORE,
    SCORE_ALONE,
    imported_listed,
    opened_listed,
    work_through,
    write_listed,
)
from tests.pair_study import BESIDE_SCANS, MODELS, PAIRS, opened_pairs, with_models
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
PEOPLES_ANSWERS = """
  - key: score
    title: Scores
    rates: [answers of secret_arm]
    shows: [prompt, candidate]
    form: {verdict: correctness}
"""
# What is another for everybody, and what stands for that which no admin is shown.
OF_EACH = {"assignment", "key", "phase", "heading", "progress", "draft", "images", "prefetch", "revisable"} | {
    "sides",
    "candidate",
}
WITHHELD = {"own", "opinions"}


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
    rated: dict[tuple[str, str], set[str | None]] = {}
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
        rated.setdefault((same[0], item_in(shown)), set()).add(shown["candidate"])
    assert met == set(phases)
    # Of several answers to an item, one that was drawn.
    assert all(looked_at[place]["candidate"] in answers for place, answers in rated.items())


def _nothing(situation: Situation, item: str) -> dict[str, str]:
    lines = previewing.phases_to_preview(situation.database, situation.admin, situation.study_key, item)
    return {line.key: line.nothing for line in lines}


@pytest.mark.parametrize("protocol", [PAIRS, BESIDE_SCANS], ids=["words", "beside scans"])
def test_a_preview_of_a_comparison_has_two_sides_and_its_form(
    sqlite_database: Database, tmp_path: Path, protocol: str
) -> None:
    situation = opened_pairs(sqlite_database, tmp_path / "study", protocol, raters=1)
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], situation.study_key, "part-1")
    shown = on_the_desk(situation, situation.raters[0], "part-1")

    previewed = preview(situation, item_in(dict(shown)), "secret_arm")

    assert_is_the_same(dict(shown), previewed)
    # Which stands at A is drawn for each person; the preview has the order of the tables, and names no model.
    item = item_in(dict(shown)).removeprefix("i")
    assert previewed["sides"] == [f"A says {item}.", f"B says {item}."]
    assert not any(model in json.dumps(previewed) for model in MODELS)


def test_a_preview_of_what_follows_from_answers_shows_where_these_will_stand(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study", READ_THEN_RESOLVE)
    for reader in situation.raters[:2]:
        read_through(situation, reader, {"i2": flagging})

    previewed = preview(situation, "i2", "resolve")
    lines = previewing.phases_to_preview(sqlite_database, situation.admin, situation.study_key, "i2")

    assert [opinion["lines"][0] for opinion in previewed["opinions"]] == [
        ["Answer", "One rater's answer"],
        ["Answer", "Another rater's answer"],
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


FROM_OTHERS = """
  - key: third
    title: The same once more
    rates: items
    from: second
    shows: [prompt, options]
    form: {answer: as_item}
  - key: sides
    title: Scores of sides
    rates: candidates
    from: {where: {category: side}}
    shows: [prompt, candidate]
    form: {verdict: correctness}
"""


def test_an_item_that_a_phase_does_not_select_is_not_shown_as_if_it_came_there(
    sqlite_database: Database, tmp_path: Path
) -> None:
    reads = READ_THEN_SCORE[: READ_THEN_SCORE.index("  - key: score")]
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", reads + FROM_OTHERS))

    assert {phase: bool(words) for phase, words in _nothing(situation, "i1").items()} == {
        "secret_arm": False, "second": False, "third": False, "sides": True,
    }  # fmt: skip
    assert {phase: bool(words) for phase, words in _nothing(situation, "i2").items()} == {
        "secret_arm": False, "second": True, "third": True, "sides": False,
    }  # fmt: skip
    with pytest.raises(Conflict, match="This phase does not select the item"):
        preview(situation, "i2", "third")


def test_an_admin_of_a_draft_sees_the_reference_and_the_answer_that_the_phase_selects(
    sqlite_database: Database, tmp_path: Path
) -> None:
    protocol = SCORE_ALONE.replace("    shows: [prompt", "    from: {where: {model: model-b}}\n    shows: [prompt")
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", protocol, [with_models]))

    previewed = preview(situation, "i2", "score")

    assert (previewed["reference"], previewed["candidate"]) == (["Left"], "B says 2.")
    assert "model-b" not in json.dumps(previewed)


def test_an_item_without_a_reference_is_said_to_have_none(sqlite_database: Database, tmp_path: Path) -> None:
    def without_one(folder: Path) -> None:
        path = folder / "references.csv"
        rewrite(path, [row for row in rows_of(path) if row["item"] != "i2"])

    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", SCORE_ALONE, [without_one]))

    remarks = {
        item: previewing.phases_to_preview(sqlite_database, situation.admin, situation.study_key, item)[0].remark
        for item in ("i1", "i2")
    }
    assert remarks == {"i1": "", "i2": "This item has no reference, so this phase shows nothing in its place."}
    assert preview(situation, "i2", "score")["reference"] is None


def test_what_people_will_answer_is_a_sentence_and_never_theirs(sqlite_database: Database, tmp_path: Path) -> None:
    protocol = f"{READ_THEN_SCORE[: READ_THEN_SCORE.index('  - key: second')]}{PEOPLES_ANSWERS}"
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, raters=2)

    previewed = preview(situation, "i1", "score")

    assert previewed["candidate"] == "No answer yet: an answer from an earlier phase will be shown here."


def test_an_unknown_phase_is_named_and_raters_choose_none(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_SCORE, raters=1)
    rater, key = situation.raters[0], situation.study_key

    with pytest.raises(NotFound, match="no phase 'third' to look at"):
        preview(situation, "i1", "third")
    with pytest.raises(NotAllowed):
        previewing.phases_to_preview(sqlite_database, rater, key, "i1")
    with pytest.raises(NotAllowed):
        previewing.preview_item(sqlite_database, rater, key, "i1", "score")
