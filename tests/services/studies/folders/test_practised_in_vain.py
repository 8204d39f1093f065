"""A pass mark that says nothing is refused before anything of a study is stored, in both languages of protocols."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from exchange.refusal import InputRefused
from services.studies.folders.checking import checked_folder, validated_folder
from tests.listed_study import as_frozen, write_listed
from tests.room_study import add_case, add_item, change_item, reading_rules, rewrite, rows_of, write_overlay
from tests.situations import PROTOCOL, write_study_folder, write_volume

LISTED = """
blindread: 2
name: listed
title: Practised, then read
hanging: {coregistered: COREGISTERED}
phases:
  - key: training
    title: Try it
    rates: items
    from: {where: {practice: yes}}
    shows: [scans, prior, prompt]
    form: {asked: FIELD}
    then: {shows: [reference]}
    counts: no
    pass_mark: 0.5
  - {key: read, title: Reads, rates: items, shows: [scans, prompt, options], form: {answer: as_item}}
"""
POINT, WORDS = "{type: point}", "{type: text}"


def with_prior(folder: Path, case: str) -> None:
    write_volume(folder / "volumes" / f"{case}-p.nii.gz", seed=5)
    prior = {"volume": f"{case}-p", "case": case, "role": "prior", "sequence": "T1", "label": "T1",
             "file": f"volumes/{case}-p.nii.gz"}  # fmt: skip
    rewrite(folder / "volumes.csv", [*rows_of(folder / "volumes.csv"), prior])


def practising(folder: Path, accepted: str, form: str, **cells: str) -> None:
    """Add two practice items whose scans of two visits hang side by side, with the same reference."""
    for key in ("p1", "p2"):
        add_case(folder, f"of-{key}")
        with_prior(folder, f"of-{key}")
        add_item(
            folder, key, f"of-{key}", "Where?", accepted, format="open", form=form, uses_prior="true", practice="true",
            **cells,
        )  # fmt: skip


def in_first_language(folder: Path, kind: str, accepted: str, coregistered: bool = False, **rules: Any) -> Path:
    asked = {"key": "answer", "type": kind, "label": "Answer"}
    protocol = {
        **reading_rules(practice={"pass_mark": 0.5, "feedback": True, **rules}),
        "forms": {**PROTOCOL["forms"], "asked": {"fields": [asked]}},
        "hanging": {"coregistered": coregistered},
    }
    write_study_folder(folder, protocol)
    practising(folder, accepted, "asked")
    if kind == "point":
        radius = [
            row | ({"high": "5"} if row["accepted"] == accepted else {}) for row in rows_of(folder / "references.csv")
        ]
        rewrite(folder / "references.csv", radius)
    return folder


def listed(folder: Path, field: str, coregistered: bool = False, **reference: str) -> Path:
    write_listed(folder, LISTED.replace("FIELD", field).replace("COREGISTERED", "yes" if coregistered else "no"))
    practising(folder, reference["accepted"], "")
    (folder / "candidates.csv").unlink()
    named = [
        row | ({"field": "asked", **reference} if row["item"] in ("p1", "p2") else {})
        for row in rows_of(folder / "references.csv")
    ]
    rewrite(folder / "references.csv", named)
    return folder


def about_marks(folder: Path, frozen: bool = False) -> list[str]:
    """Return the warnings of a folder that are about pass marks."""
    return [
        says for says in checked_folder(folder, as_frozen(folder) if frozen else None).warnings if "pass mark" in says
    ]


def test_places_that_name_their_pane_pass_nobody(tmp_path: Path) -> None:
    with pytest.raises(InputRefused) as refused:
        checked_folder(in_first_language(tmp_path / "study", "point", "1 2 3"))

    assert (
        "protocol.yaml, key reading.practice.pass_mark: no answer to any of the 2 practice items (p1, p2) can be right "
        "or wrong (the place names its pane, since scans that are not co-registered stand side by side), so that the "
        "mark says nothing; let a field that the program compares be the primary one, or write pass_mark: 0."
    ) in str(refused.value)


def test_places_are_scored_where_visits_lie_in_one_space(tmp_path: Path) -> None:
    assert not about_marks(in_first_language(tmp_path / "study", "point", "1 2 3", coregistered=True))


def test_practice_without_a_mark_needs_nothing_to_be_scored(tmp_path: Path) -> None:
    assert not about_marks(in_first_language(tmp_path / "study", "point", "1 2 3", pass_mark=0))


def test_words_alone_are_warned_of(tmp_path: Path) -> None:
    (warning,) = about_marks(in_first_language(tmp_path / "study", "text", "a cyst"))

    assert "one accepted answer reaches any pass mark" in warning


@pytest.mark.parametrize(
    ("field", "reference", "because"),
    [
        (POINT, {"accepted": "1 2 3", "radius": "5"}, "the place names its pane"),
        (WORDS, {"accepted": "a cyst", "compare": "people"}, "people compare the answer"),
    ],
)
def test_a_listed_practice_that_a_program_cannot_score_is_refused(
    tmp_path: Path, field: str, reference: dict[str, str], because: str
) -> None:
    with pytest.raises(InputRefused) as refused:
        checked_folder(listed(tmp_path / "study", field, **reference))

    assert (
        "protocol.yaml, key phases.training.pass_mark: no answer to any of the 2 practice items (p1, p2) can be "
        in (str(refused.value))
    )
    assert f"({because}" in str(refused.value) and "or remove pass_mark." in str(refused.value)


def test_a_version_of_a_frozen_study_keeps_the_practice_that_was_passed(tmp_path: Path) -> None:
    folder = listed(tmp_path / "study", POINT, accepted="1 2 3", radius="5")

    (warning,) = about_marks(folder, frozen=True)

    assert "p1, p2 cannot (the place names its pane" in warning


def test_items_that_count_for_no_mark_are_named(tmp_path: Path) -> None:
    folder = listed(tmp_path / "study", POINT, accepted="1 2 3", radius="5")
    change_item(folder, "p2", uses_prior="false")

    (warning,) = about_marks(folder)

    assert "right or wrong; p1 cannot (the place names its pane" in warning


@pytest.mark.parametrize(
    ("field", "accepted"),
    [("{type: yes_no}", "yes|no"), ("{type: choice, options: [cyst, tumour, none]}", "cyst|tumour|none")],
    ids=["yes or no", "every option of a choice"],
)
def test_items_on_which_whatever_is_chosen_is_right_are_warned_of(tmp_path: Path, field: str, accepted: str) -> None:
    (warning,) = about_marks(listed(tmp_path / "study", field, accepted=accepted))

    assert "p1, p2 accept every option, so that whichever is chosen is right" in warning


def test_yes_or_no_of_the_format_of_an_item_that_accepts_both_is_warned_of(tmp_path: Path) -> None:
    write_study_folder(tmp_path, {**reading_rules(practice={"pass_mark": 0.5, "feedback": True})})
    add_case(tmp_path, "of-p1")
    add_item(tmp_path, "p1", "of-p1", "Is there a cyst?", "yes|no", format="yes_no", form="yes_no", practice="true")

    (warning,) = about_marks(tmp_path)

    assert "p1 accepts every option" in warning


def test_an_item_on_which_one_option_is_wrong_is_not_warned_of(tmp_path: Path) -> None:
    field = "{type: choice, options: [cyst, tumour, none]}"

    assert not about_marks(listed(tmp_path / "study", field, accepted="cyst|tumour"))


@pytest.mark.parametrize(("accepted", "refused"), [("9", True), ("4", False)])
def test_a_practice_that_the_freeze_would_refuse_is_said_with_the_folder(
    tmp_path: Path, accepted: str, refused: bool
) -> None:
    folder = listed(tmp_path / "study", "{type: number, range: [0, 5]}", accepted=accepted)
    # A line that names a field is compared with it when the tables are read.
    rewrite(folder / "references.csv", [row | {"field": ""} for row in rows_of(folder / "references.csv")])

    said = [says for says in validated_folder(folder).warnings if says.startswith("The freeze would refuse")]

    assert len(said) == (2 if refused else 0)
    begins = "The freeze would refuse phase 'training': it can never be answered right on item 'p1': 'asked' "
    assert not refused or said[0].startswith(begins)


def test_a_mask_that_a_point_has_to_hit_can_be_practised_on(tmp_path: Path) -> None:
    folder = listed(tmp_path / "study", POINT, coregistered=True, accepted="1 2 3", radius="5")
    masks = []
    for key in ("p1", "p2"):
        write_overlay(folder / "volumes" / f"{key}-mask.nii.gz")
        masks.append({"overlay": f"mask-{key}", "case": f"of-{key}", "label": "Lesion", "colour": "", "style": "",
                      "opacity": "", "file": f"volumes/{key}-mask.nii.gz"})  # fmt: skip
    rewrite(folder / "overlays.csv", masks)
    hit = {"accepted": "", "radius": ""}
    rewrite(
        folder / "references.csv",
        [
            row | ({**hit, "overlay": f"mask-{row['item']}"} if row["item"] in ("p1", "p2") else {"overlay": ""})
            for row in rows_of(folder / "references.csv")
        ],
    )

    assert not [says for says in validated_folder(folder).warnings if says.startswith("The freeze would refuse")]
