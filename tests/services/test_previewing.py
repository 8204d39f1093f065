"""A preview is what a rater will see, from the same builder, and nothing of what is hidden from raters."""

from __future__ import annotations

import json

import pytest
from sqlmodel import select

from db import Assignment, Display, Draft, Verdict
from services import previewing, reading, scans
from services.errors import NotAllowed, NotFound
from tests.situations import ITEMS, Situation, answers, on_the_desk


def test_all_items_can_be_chosen(imported: Situation) -> None:
    lines = previewing.items_of(imported.database, imported.admin, "tiny")

    assert [(line.key, line.category, line.format) for line in lines] == [(row[0], row[2], row[3]) for row in ITEMS]


def test_a_preview_is_what_a_rater_is_shown(opened: Situation) -> None:
    shown = on_the_desk(opened, opened.raters[0])
    key = shown["prompt"].removeprefix("Prompt of ").removesuffix("?")

    preview = previewing.preview_item(opened.database, opened.admin, "tiny", key)

    own_to_each = {"assignment", "key", "phase", "progress", "draft", "images", "prefetch"}
    assert preview["phase"] == "preview"
    assert {k: v for k, v in preview.items() if k not in own_to_each} == {
        k: v for k, v in shown.items() if k not in own_to_each
    }
    panes = [
        [volume["label"] for pane in one["images"]["panes"] for volume in pane["volumes"]] for one in (preview, shown)
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
        assert scans.scan_in_reach(imported.database, imported.admin, url.rsplit("/", 1)[1]).is_file()
        with pytest.raises(NotFound):
            scans.scan_in_reach(imported.database, imported.raters[0], url.rsplit("/", 1)[1])


def test_nothing_can_be_entered_into_a_preview(opened: Situation) -> None:
    preview = previewing.preview_item(opened.database, opened.admin, "tiny", "i1")

    with pytest.raises(NotFound):
        reading.save_draft(opened.database, opened.admin, preview["assignment"], 1, {"comment": "x"})
    with pytest.raises(NotFound):
        reading.submit(opened.database, opened.admin, preview["assignment"], preview["key"], answers(answer="yes"))

    with opened.database.reading() as session:
        assert [session.exec(select(table)).all() for table in (Draft, Verdict, Display)] == [[], [], []]
        assert preview["assignment"] not in session.exec(select(Assignment.public_id)).all()


def test_only_the_admin_previews(imported: Situation) -> None:
    for other in (*imported.raters, imported.reviewer):
        with pytest.raises(NotAllowed):
            previewing.items_of(imported.database, other, "tiny")
        with pytest.raises(NotAllowed):
            previewing.preview_item(imported.database, other, "tiny", "i1")


def test_an_item_that_the_study_lacks_is_named(imported: Situation) -> None:
    with pytest.raises(NotFound, match="no item 'i9'"):
        previewing.preview_item(imported.database, imported.admin, "tiny", "i9")
