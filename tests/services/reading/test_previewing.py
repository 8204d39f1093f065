"""A preview is what a rater will see, from the same builder, and nothing of what is hidden from raters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import select

from db import Assignment, Database, Display, Draft, Item, Verdict
from services.errors import NotAllowed, NotFound
from services.reading import previewing, shown_volumes, submission
from tests.situations import ITEMS, Situation, answers, imported_study, on_the_desk


def test_all_items_can_be_chosen(imported: Situation) -> None:
    lines = previewing.items_of(imported.database, imported.admin, "tiny")

    assert [(line.key, line.category, line.format) for line in lines] == [(row[0], row[2], row[3]) for row in ITEMS]


def with_items(situation: Situation, number: int) -> None:
    """Give the study many items with long prompts."""
    with situation.database.writing() as session:
        pattern = session.exec(select(Item).where(Item.key == "i6")).one()
        for count in range(number):
            values = pattern.model_dump(exclude={"id"}) | {"key": f"x{count:04}", "prompt": f"Lesion {count}? " * 100}
            session.add(Item(**values))


def test_a_search_finds_items_by_key_category_and_words_of_the_prompt(database: Database, tmp_path: Path) -> None:
    situation = imported_study(database, tmp_path / "study")

    def keys_matching(search: str) -> list[str]:
        lines = previewing.items_of(database, situation.admin, "tiny", search)
        assert previewing.count_items(database, situation.admin, "tiny", search) == len(lines)
        return [line.key for line in lines]

    assert keys_matching("I3") == ["i3"]
    assert keys_matching("Side") == ["i2", "i4"]
    assert keys_matching("prompt SIDE i4") == ["i4"]
    assert keys_matching("100%") == keys_matching("_") == keys_matching("\x00nothing") == []
    assert keys_matching("  ") == [row[0] for row in ITEMS]


def test_an_items_place_tells_its_neighbours(imported: Situation) -> None:
    def place(key: str = "") -> previewing.Place:
        return previewing.place_of(imported.database, imported.admin, "tiny", key)

    assert place() == place("i1") == previewing.Place("i1", 1, 6, None, "i2")
    assert place("i4") == previewing.Place("i4", 4, 6, "i3", "i5")
    assert place("i6") == previewing.Place("i6", 6, 6, "i5", None)
    with pytest.raises(NotFound, match="no item 'i9'"):
        place("i9")


def test_a_study_of_2000_items_costs_no_more_than_a_small_one(imported: Situation) -> None:
    def cost() -> tuple[int, int]:
        """Return the statements, and the characters that come back, of what the page asks for."""
        seen: list[str] = []

        def listen(*args: Any) -> None:
            seen.append(args[2])

        event.listen(imported.database.engine, "before_cursor_execute", listen)
        place = previewing.place_of(imported.database, imported.admin, "tiny", "i6")
        lines = previewing.items_of(imported.database, imported.admin, "tiny", "lesion")
        count = previewing.count_items(imported.database, imported.admin, "tiny", "lesion")
        payload = previewing.preview_item(imported.database, imported.admin, "tiny", place.key)
        event.remove(imported.database.engine, "before_cursor_execute", listen)
        return len(seen), len(repr((place, lines, count))) + len(json.dumps(payload))

    small, _ = cost()
    with_items(imported, 1_994)
    large, characters = cost()

    assert large == small
    assert characters < 20_000
    assert len(previewing.items_of(imported.database, imported.admin, "tiny", "lesion")) == previewing.MOST_FOUND
    assert previewing.count_items(imported.database, imported.admin, "tiny", "lesion") == 1_994


def test_a_preview_is_what_a_rater_is_shown(opened: Situation) -> None:
    shown = on_the_desk(opened, opened.raters[0])
    key = shown["prompt"].removeprefix("Prompt of ").removesuffix("?")

    preview = previewing.preview_item(opened.database, opened.admin, "tiny", key)

    own_to_each = {"assignment", "key", "phase", "heading", "progress", "draft", "images", "prefetch", "revisable"}
    assert preview["phase"] == "preview"
    assert {k: v for k, v in preview.items() if k not in own_to_each} == {
        k: v for k, v in shown.items() if k not in own_to_each
    }
    panes = [
        [volume["label"] for pane in payload["images"]["panes"] for volume in pane["volumes"]]
        for payload in (preview, shown)
    ]
    assert panes[0] == panes[1]


@pytest.mark.parametrize("key", [row[0] for row in ITEMS])
def test_a_preview_holds_nothing_of_what_is_hidden(imported: Situation, key: str) -> None:
    preview = previewing.preview_item(imported.database, imported.admin, "tiny", key)

    sent = json.dumps(preview)
    for hidden in ("subject-", "hidden note", "by construction", "arachnoid", "tumour", "model-", ".nii", "volumes/c"):
        assert hidden not in sent
    assert preview["reference"] is None


def test_a_preview_shows_its_volumes_before_the_freeze(imported: Situation) -> None:
    preview = previewing.preview_item(imported.database, imported.admin, "tiny", "i3")

    urls = [volume["url"] for pane in preview["images"]["panes"] for volume in pane["volumes"]]

    assert [pane["title"] for pane in preview["images"]["panes"]] == ["Current", "Prior"]
    for url in urls:
        assert shown_volumes.volume_in_reach(imported.database, imported.admin, url.rsplit("/", 1)[1]).is_file()
        with pytest.raises(NotFound):
            shown_volumes.volume_in_reach(imported.database, imported.raters[0], url.rsplit("/", 1)[1])


def test_nothing_can_be_entered_into_a_preview(opened: Situation) -> None:
    preview = previewing.preview_item(opened.database, opened.admin, "tiny", "i1")

    with pytest.raises(NotFound):
        submission.save_draft(opened.database, opened.admin, preview["assignment"], 1, {"comment": "x"})
    with pytest.raises(NotFound):
        submission.submit(opened.database, opened.admin, preview["assignment"], preview["key"], answers(answer="yes"))

    with opened.database.read_only() as session:
        assert [session.exec(select(table)).all() for table in (Draft, Verdict, Display)] == [[], [], []]
        assert preview["assignment"] not in session.exec(select(Assignment.public_id)).all()


def test_only_the_admin_previews(imported: Situation) -> None:
    for other in (*imported.raters, imported.reviewer):
        with pytest.raises(NotAllowed):
            previewing.items_of(imported.database, other, "tiny")
        with pytest.raises(NotAllowed):
            previewing.count_items(imported.database, other, "tiny")
        with pytest.raises(NotAllowed):
            previewing.place_of(imported.database, other, "tiny")
        with pytest.raises(NotAllowed):
            previewing.preview_item(imported.database, other, "tiny", "i1")


def test_an_item_that_the_study_lacks_is_named(imported: Situation) -> None:
    with pytest.raises(NotFound, match="no item 'i9'"):
        previewing.preview_item(imported.database, imported.admin, "tiny", "i9")
