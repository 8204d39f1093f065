"""Overlays, history, conversations and practice: what does not fit is refused in one sentence that says where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from exchange.refusal import InputRefused
from exchange.study_folder.folder import read_study_folder
from tests.room_study import (
    PRACTICE,
    add_case,
    add_item,
    change_item,
    reading_rules,
    rewrite,
    rows_of,
    with_conversation,
    with_history,
    with_overlays,
    with_practice,
)
from tests.situations import PROTOCOL, write_study_folder

Change = Callable[[Path], object]
PRACTISING = reading_rules(practice=PRACTICE)


def item(key: str, **cells: str) -> Change:
    return lambda folder: change_item(folder, key, **cells)


def cell(table: str, line: int, **cells: str) -> Change:
    def change(folder: Path) -> None:
        rows = rows_of(folder / table)
        rows[line - 2].update(cells)
        rewrite(folder / table, rows)

    return change


def hanging(**rules: Any) -> Change:
    def change(folder: Path) -> None:
        (folder / "protocol.yaml").write_text(yaml.safe_dump({**PROTOCOL, "hanging": rules}), encoding="utf-8")

    return change


def refusal(folder: Path, *changes: Change, protocol: dict[str, Any] | None = None) -> str:
    write_study_folder(folder, protocol)
    for change in changes:
        change(folder)
    with pytest.raises(InputRefused) as caught:
        read_study_folder(folder)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def test_everything_is_read(tmp_path: Path) -> None:
    folder = write_study_folder(tmp_path / "study", PRACTISING)
    for change in (with_practice, with_conversation, with_overlays, with_history):
        change(folder)
    change_item(folder, "i2", start="1|-2.5|3")

    study = read_study_folder(folder)

    by_key = {entry.key: entry for entry in study.items}
    assert by_key["i1"].overlays == ("lesion-1",)
    assert by_key["i2"].start == (1.0, -2.5, 3.0)
    assert (by_key["talk-2"].conversation, by_key["talk-2"].turn) == ("a talk", 2)
    assert (by_key["p1"].practice, by_key["i3"].practice) == (True, False)
    assert [(overlay.colour, overlay.style, overlay.opacity) for overlay in study.overlays] == [
        ("#ff0000", "fill", 0.4), ("#e8a33d", "outline", 0.5),
    ]  # fmt: skip
    assert study.cases[0].history == (("Allergies", "none"), ("Surgery", "2019"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([item("i1", start="1|2")], "items.csv, line 2: start is '1|2', expected middle or a point in mm as x|y|z"),
        ([item("i1", start="1|2|nan")], "start is '1|2|nan'"),
        ([item("i1", overlays="lesion-1")], "case 'c1' has no overlay 'lesion-1' in overlays.csv"),
        ([with_overlays, item("i3", overlays="lesion-1")], "case 'c2' has no overlay 'lesion-1' in overlays.csv"),
        ([with_overlays, item("i1", overlays="lesion-1|lesion-1")], "which contains a duplicate"),
        ([with_overlays, cell("overlays.csv", 2, colour="red")], "overlays.csv, line 2: colour is 'red'"),
        ([with_overlays, cell("overlays.csv", 2, opacity="0")], "opacity is 0, expected a number above 0"),
        ([with_overlays, cell("overlays.csv", 2, style="dots")], "style is 'dots', expected outline, fill"),
        ([with_overlays, cell("overlays.csv", 2, file="../x.nii")], "lies outside the study folder"),
        ([with_overlays, cell("overlays.csv", 2, case="c9")], "case 'c9' is not in cases.csv"),
        ([with_history, cell("case_history.csv", 3, case="c9")], "case_history.csv, line 3: case 'c9' is not in"),
        ([with_history, cell("case_history.csv", 2, value="")], "case_history.csv, line 2: value is empty"),
        ([item("i1", conversation="talk")], "conversation and turn belong together"),
        ([item("i1", conversation="talk", turn="1.5")], "turn is '1.5', expected a whole number from 1"),
        ([item("i1", conversation="talk", turn="2")], "conversation 'talk' has the turns 2, expected 1 to 1"),
        ([with_conversation, item("talk-3", turn="2")], "conversation 'a talk' has the turns 1, 2, 2"),
        ([item("i1", conversation="x", turn="1"), item("i3", conversation="x", turn="2")], "is about several cases"),
        ([item("i1", explanation="Because.")], "explanation is given, but the item is not a practice item"),
        ([item("i1", practice="maybe")], "practice is 'maybe', expected true or false"),
        ([with_practice], "item 'p1' is for practice, but protocol.yaml has no reading.practice"),
        ([hanging(planes=["axial", "axial"])], "planes names a plane twice"),
        ([hanging(planes=["oblique"])], "line 1 of hanging.planes"),
        ([hanging(panes=[])], "panes is an empty list"),
        ([hanging(panes=[{"title": str(n), "sequences": ["T1"]} for n in range(5)])], "key hanging.panes"),
        ([hanging(panes=[{"title": "A", "sequences": ["T1"]}] * 2)], "two panes have the same title"),
        ([hanging(presets=[{"label": "X"}])], "preset 'X' needs either window"),
        ([hanging(presets=[{"label": "X", "absolute": [80, 0]}])], "preset 'X' is 80 to 0, expected two rising"),
        ([hanging(windows={"T1": [5, 5]})], "the window of sequence 'T1' is 5 to 5"),
        ([hanging(start=[1, 2])], "key hanging.start"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(tmp_path: Path, changes: list[Change], said: str) -> None:
    assert said in refusal(tmp_path / "study", *changes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([], "key reading.practice: items.csv has no item with practice true"),
        ([with_practice, cell("cases.csv", 5, subject="subject-1")], "practice item 'p1' is about subject 'subject-1'"),
        ([with_practice, cell("candidates.csv", 2, item="p1")], "candidates.csv, line 2: item 'p1' is for practice"),
        ([with_practice, with_conversation, item("talk-3", practice="true")], "is practice in part"),
    ],
)  # fmt: skip
def test_practice_that_would_unblind_or_count_is_refused(tmp_path: Path, changes: list[Change], said: str) -> None:
    assert said in refusal(tmp_path / "study", *changes, protocol=PRACTISING)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"practice": {"pass_mark": 1.5}}, "key reading.practice.pass_mark"),
        ({"practice": {"pass_mark": 0.5, "attempts": 0}}, "key reading.practice.attempts"),
        ({"practice": {}}, "key reading.practice.pass_mark"),
        ({"revision": "always"}, "key reading.revision"),
    ],
)
def test_a_rule_that_is_none_is_refused(tmp_path: Path, rule: dict[str, Any], said: str) -> None:
    assert said in refusal(tmp_path / "study", protocol=reading_rules(**rule))


def test_an_item_of_a_practice_study_needs_a_reference_like_any_other(tmp_path: Path) -> None:
    def without_reference(folder: Path) -> None:
        with_practice(folder)
        add_case(folder, "p-three")
        add_item(folder, "p9", "p-three", "Another?", "yes", practice="true")
        rewrite(folder / "references.csv", rows_of(folder / "references.csv")[:-1])

    assert "references.csv lacks p9" in refusal(tmp_path / "study", without_reference, protocol=PRACTISING)
