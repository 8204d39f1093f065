"""A case is hung as the protocol says: panes, planes, windows, the beginning, overlays and images."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from db import Database
from exchange.refusal import InputRefused
from services.errors import Conflict, NotFound
from services.reading import previewing, shown_volumes
from services.record import verification
from services.studies.freeze import freezing
from services.studies.volumes.volume_store import path_of
from tests.room_study import (
    add_case,
    add_item,
    change_item,
    rewrite,
    room_study,
    rows_of,
    with_conversation,
    with_history,
    with_overlays,
)
from tests.situations import Situation, on_the_desk, read_all, show, submit

THREE_PANES = [
    {"title": "T1", "sequences": ["T1"]},
    {"title": "T2", "sequences": ["T2"]},
    {"title": "Before", "role": "prior", "sequences": ["T1", "T2"]},
]


def previewed(situation: Situation, item: str) -> dict[str, Any]:
    return previewing.preview_item(situation.database, situation.admin, "tiny", item)


def hung(database: Database, folder: Path, *changes: Any, **hanging: Any) -> Situation:
    return room_study(database, folder, *changes, protocol={"hanging": hanging}, frozen=False)


def refusal(database: Database, folder: Path, *changes: Any, **hanging: Any) -> str:
    with pytest.raises(InputRefused) as caught:
        hung(database, folder, *changes, **hanging)
    return str(caught.value)


def test_without_a_word_in_the_protocol_it_is_hung_as_ever(sqlite_database: Database, tmp_path: Path) -> None:
    images = previewed(hung(sqlite_database, tmp_path / "study"), "i3")["images"]

    assert [(pane["title"], pane["badge"], pane["overlays"]) for pane in images["panes"]] == [
        ("Current", None, []), ("Prior", "not co-registered", []),
    ]  # fmt: skip
    assert (images["layout"], images["start"], images["coregistered"]) == ("side_by_side", None, False)
    assert images["planes"] == ["axial", "coronal", "sagittal"]


def test_the_protocol_says_layout_planes_beginning_windows_and_presets(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = hung(
        sqlite_database, tmp_path / "study", layout="switched", planes=["sagittal", "axial"], start=[4, 6, 5],
        windows={"T2": [0, 80]},
        presets=[{"label": "Narrow", "window": [0.25, 0.75]}, {"label": "Brain", "absolute": [0, 80]}],
    )  # fmt: skip

    images = previewed(situation, "i2")["images"]

    assert (images["layout"], images["planes"], images["start"]) == ("switched", ["sagittal", "axial"], [4, 6, 5])
    t1, t2 = images["panes"][0]["volumes"]
    assert t2["window"] == [0, 80] != t1["window"]
    assert images["presets"] == [
        {"label": "Narrow", "window": [0.25, 0.75]}, {"label": "Brain", "absolute": [0, 80]},
    ]  # fmt: skip


def test_an_item_may_begin_elsewhere_than_its_study(sqlite_database: Database, tmp_path: Path) -> None:
    def change(folder: Path) -> None:
        change_item(folder, "i1", start="2|4|7.5")
        change_item(folder, "i2", start="middle")

    situation = hung(sqlite_database, tmp_path / "study", change, start=[4, 6, 5])

    starts = {key: previewed(situation, key)["images"]["start"] for key in ("i1", "i2", "i3")}
    assert starts == {"i1": [2, 4, 7.5], "i2": None, "i3": [4, 6, 5]}


def test_panes_of_one_visit_lie_together_and_a_prior_says_that_it_does_not(
    sqlite_database: Database, tmp_path: Path
) -> None:
    def with_prior(folder: Path) -> None:
        change_item(folder, "i2", uses_prior="true")

    situation = hung(sqlite_database, tmp_path / "study", with_prior, panes=THREE_PANES)

    images = previewed(situation, "i2")["images"]
    assert [(pane["title"], pane["badge"], pane["coregistered"]) for pane in images["panes"]] == [
        ("T1", None, True), ("T2", None, True), ("Before", "not co-registered", False),
    ]  # fmt: skip
    assert [len(pane["volumes"]) for pane in images["panes"]] == [1, 1, 1]
    assert not images["coregistered"]
    # An item shows the panes for which it has something, and two panes of one visit are linked.
    assert [pane["title"] for pane in previewed(situation, "i1")["images"]["panes"]] == ["T1"]
    alone = [pane["title"] for pane in previewed(situation, "i3")["images"]["panes"]]
    assert alone == ["T1", "Before"]


def test_two_sequences_of_one_visit_are_linked(sqlite_database: Database, tmp_path: Path) -> None:
    situation = hung(sqlite_database, tmp_path / "study", panes=THREE_PANES)

    assert previewed(situation, "i2")["images"]["coregistered"]


@pytest.mark.parametrize(
    ("hanging", "said"),
    [
        ({"panes": THREE_PANES[1:]}, "no pane of the protocol shows the sequence T1 of item 'i1'"),
        ({"panes": THREE_PANES[:2]}, "item 'i3' uses the prior, but no pane of the protocol shows it"),
        ({"panes": [{"title": "F", "sequences": ["FLAIR"]}]}, "no volume has the sequence 'FLAIR'"),
        ({"windows": {"PD": [0, 1]}}, "no volume has the sequence 'PD'"),
        ({"start": [400, 0, 0]}, "is outside all of its scans"),
    ],
)
def test_a_hanging_that_fits_no_item_is_refused(
    sqlite_database: Database, tmp_path: Path, hanging: dict[str, Any], said: str
) -> None:
    assert said in refusal(sqlite_database, tmp_path / "study", **hanging)


def test_an_item_shows_the_overlays_that_it_names_and_no_others(sqlite_database: Database, tmp_path: Path) -> None:
    situation = room_study(sqlite_database, tmp_path / "study", with_overlays)

    [pane] = previewed(situation, "i1")["images"]["panes"]
    overlay = dict(pane["overlays"][0])
    assert overlay.pop("url").startswith("reading/volume/")
    assert len(overlay.pop("sha256")) == 64
    assert overlay == {"label": "Lesion", "colour": "#ff0000", "style": "fill", "opacity": 0.4}
    assert len(pane["overlays"]) == 1
    for key in ("i2", "i3", "i4", "i5", "i6"):
        assert all(not pane["overlays"] for pane in previewed(situation, key)["images"]["panes"])
    assert verification.verify_study(sqlite_database, "tiny") == []


def test_a_study_that_hides_overlays_sends_none(sqlite_database: Database, tmp_path: Path) -> None:
    situation = hung(sqlite_database, tmp_path / "study", with_overlays, overlays=False)

    assert "overlays" not in json.dumps(previewed(situation, "i1")).replace('"overlays": []', "")


def test_an_overlay_is_in_reach_with_its_item_alone_and_is_never_fetched_ahead(
    database: Database, tmp_path: Path
) -> None:
    situation = room_study(database, tmp_path / "study", with_overlays)
    rater = situation.raters[0]
    ahead: list[str] = []
    token = ""
    while not token:
        payload = on_the_desk(situation, rater)
        if payload["prompt"] == "Prompt of i1?":
            token = payload["images"]["panes"][0]["overlays"][0]["url"].rsplit("/", 1)[1]
            break
        ahead += payload["prefetch"]
        show(situation, rater, payload)
        submit(situation, rater, payload)

    assert shown_volumes.volume_in_reach(database, rater, token).is_file()
    assert not any(token in url for url in ahead)
    with pytest.raises(NotFound):
        shown_volumes.volume_in_reach(database, situation.raters[1], token)
    show(situation, rater, payload)
    submit(situation, rater, payload)
    with pytest.raises(NotFound):
        shown_volumes.volume_in_reach(database, rater, token)


def test_an_overlay_that_was_changed_or_is_gone_is_found(sqlite_database: Database, tmp_path: Path) -> None:
    situation = room_study(sqlite_database, tmp_path / "study", with_overlays, frozen=False)
    url = previewed(situation, "i1")["images"]["panes"][0]["overlays"][0]["url"]
    file = shown_volumes.volume_in_reach(sqlite_database, situation.admin, url.rsplit("/", 1)[1])
    content = file.read_bytes()
    file.unlink()
    with pytest.raises(Conflict, match="overlay 'lesion-1' is missing or damaged"):
        freezing.freeze_study(sqlite_database, situation.admin, "tiny")
    file.write_bytes(content)
    freezing.freeze_study(sqlite_database, situation.admin, "tiny")

    with sqlite_database.engine.connect() as connection:
        connection.exec_driver_sql("UPDATE overlay SET colour = '#00ff00' WHERE key = 'lesion-1'")
        connection.commit()

    assert "Changed since the freeze: overlays lesion-1." in verification.verify_study(sqlite_database, "tiny")


def test_history_is_shown_where_the_protocol_releases_it(sqlite_database: Database, tmp_path: Path) -> None:
    for released, shown in ((True, [["Allergies", "none"], ["Surgery", "2019"]]), (False, [])):
        key = f"released-{released}".lower()
        situation = room_study(
            sqlite_database, tmp_path / key, with_history,
            protocol={"context": {"history": released}, "name": key}, key=key, frozen=False,
        )  # fmt: skip

        payload = previewing.preview_item(sqlite_database, situation.admin, key, "i1")
        assert payload["context"]["history"] == shown


def test_a_change_of_history_or_start_or_turn_after_the_freeze_is_found(
    sqlite_database: Database, tmp_path: Path
) -> None:
    room_study(sqlite_database, tmp_path / "study", with_history, with_conversation)
    with sqlite_database.engine.connect() as connection:
        connection.exec_driver_sql("UPDATE study_case SET history = '[]' WHERE key = 'c1'")
        connection.exec_driver_sql("UPDATE item SET start = '[1, 2, 3]' WHERE key = 'i2'")
        connection.exec_driver_sql("UPDATE item SET turn = 4 WHERE key = 'talk-3'")
        connection.commit()

    assert verification.verify_study(sqlite_database, "tiny")[:2] == [
        "Changed since the freeze: cases c1.",
        "Changed since the freeze: items i2, talk-3.",
    ]


def with_an_image(folder: Path) -> None:
    """Add a case whose only scan is a PNG."""
    add_case(folder, "x-ray")
    pixels = np.random.default_rng(2).integers(0, 256, (30, 40), dtype=np.uint8)
    Image.fromarray(pixels).save(folder / "volumes" / "x-ray.png")
    volumes = rows_of(folder / "volumes.csv")
    volumes[-1]["file"] = "volumes/x-ray.png"
    rewrite(folder / "volumes.csv", volumes)
    add_item(folder, "x1", "x-ray", "Is it there?", "yes")


def test_an_image_is_read_like_a_volume_and_says_that_it_has_no_scale(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = room_study(
        sqlite_database, tmp_path / "study", with_an_image, protocol={"hanging": {"windows": {"T1": [10, 200]}}}
    )

    [pane] = previewed(situation, "x1")["images"]["panes"]

    assert pane["badge"] == "image without scale"
    assert (pane["volumes"][0]["window"], pane["volumes"][0]["placed"]) == ([10, 200], False)
    read_all(situation, situation.raters[0])
    assert verification.verify_study(sqlite_database, "tiny") == []


def test_a_true_colour_image_is_refused_by_the_key_of_its_line(sqlite_database: Database, tmp_path: Path) -> None:
    def coloured(folder: Path) -> None:
        with_an_image(folder)
        Image.fromarray(np.random.default_rng(1).integers(0, 255, (9, 9, 3), dtype=np.uint8)).save(
            folder / "volumes" / "x-ray.png"
        )

    said = refusal(sqlite_database, tmp_path / "study", coloured)

    assert said.startswith("volumes.csv, volume 'x-ray-T1': x-ray.png holds true colours")


def test_a_refused_import_leaves_no_overlay_behind(sqlite_database: Database, tmp_path: Path) -> None:
    def empty_overlay(folder: Path) -> None:
        with_overlays(folder)
        (folder / "volumes" / "truth.nii.gz").write_bytes(b"no mask")

    assert refusal(sqlite_database, tmp_path / "study", empty_overlay).startswith("overlays.csv, overlay 'truth-1':")
    assert not [path for path in path_of(sqlite_database, "00").parent.parent.rglob("*") if path.is_file()]


def without(*volumes: str) -> Any:
    def change(folder: Path) -> None:
        rows = [row for row in rows_of(folder / "volumes.csv") if row["volume"] not in volumes]
        rewrite(folder / "volumes.csv", rows)

    return change


def prior_of_another_sequence(folder: Path) -> None:
    rows = rows_of(folder / "volumes.csv")
    next(row for row in rows if row["volume"] == "c2-p")["sequence"] = "T2"
    rewrite(folder / "volumes.csv", rows)
    change_item(folder, "i3", sequences="T1|T2")


def test_each_pane_shows_what_is_there_and_says_what_is_missing(database: Database, tmp_path: Path) -> None:
    situation = hung(database, tmp_path / "study", prior_of_another_sequence, without("c2-t2"))

    panes = previewed(situation, "i3")["images"]["panes"]

    assert [(pane["title"], [volume["label"] for volume in pane["volumes"]], pane["missing"]) for pane in panes] == [
        ("Current", ["T1"], ["T2"]),
        ("Prior", ["T1"], ["T1"]),  # labelled T1 in volumes.csv, of the sequence T2
    ]


def test_panes_open_on_the_first_sequence_that_all_of_them_have(sqlite_database: Database, tmp_path: Path) -> None:
    """Today's T1 beside a prior T2 could be read as change."""

    def also_t2_today(folder: Path) -> None:
        prior_of_another_sequence(folder)
        change_item(folder, "i3", sequences="T1|T2")

    situation = hung(sqlite_database, tmp_path / "study", also_t2_today)

    panes = previewed(situation, "i3")["images"]["panes"]

    assert [pane["volumes"][pane["opens_on"]]["label"] for pane in panes] == ["T2", "T1"]  # its T2 is labelled T1


def test_panes_with_sequences_of_their_own_open_on_their_first(sqlite_database: Database, tmp_path: Path) -> None:
    def with_prior(folder: Path) -> None:
        change_item(folder, "i2", uses_prior="true")

    situation = hung(sqlite_database, tmp_path / "study", with_prior, panes=THREE_PANES)

    assert [pane["opens_on"] for pane in previewed(situation, "i2")["images"]["panes"]] == [0, 0, 0]


def test_what_a_pane_without_any_volume_would_show_is_said_by_the_first_one(
    sqlite_database: Database, tmp_path: Path
) -> None:
    panes = [*THREE_PANES[:2], {"title": "Before T1", "role": "prior", "sequences": ["T1"]},
             {"title": "Before T2", "role": "prior", "sequences": ["T2"]}]  # fmt: skip
    situation = hung(sqlite_database, tmp_path / "study", prior_of_another_sequence, panes=panes)

    shown = previewed(situation, "i3")["images"]["panes"]

    assert [(pane["title"], pane["missing"]) for pane in shown] == [
        ("T1", ["T1 (Before T1)"]), ("T2", []), ("Before T2", []),
    ]  # fmt: skip


def test_raters_read_score_and_freeze_as_ever_where_a_prior_lacks_a_sequence(
    database: Database, tmp_path: Path
) -> None:
    situation = room_study(database, tmp_path / "study", prior_of_another_sequence)

    read_all(situation, situation.raters[0])

    assert verification.verify_study(database, "tiny") == []
