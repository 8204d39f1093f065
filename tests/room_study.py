"""The tiny study with everything the reading room can do: practice, a conversation, overlays, history, an image."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import nibabel
import numpy as np

from db import Database
from services.people.identity import Actor
from services.reading.submission import Receipt
from tests.situations import (
    Situation,
    any_answers,
    imported_study,
    on_the_desk,
    open_study,
    show,
    submit,
    write_volume,
)

PRACTICE = {"pass_mark": 0.75, "feedback": True, "attempts": 2}
MORE_ITEM_COLUMNS = ("start", "overlays", "conversation", "turn", "practice", "explanation")
# Prompts of the practice items, and the answers that count as right.
PRACTISED = {"Practise p1?": "yes", "Practise p2?": "no", "Practise p3?": "left", "Practise p4?": "yes"}
SIDES = "left=Left|right=Right"


def rows_of(path: Path) -> list[dict[str, str]]:
    """Read a table of a study folder."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rewrite(path: Path, rows: list[dict[str, str]]) -> None:
    """Write a table whose columns are all that any row has; a row without one has an empty cell there."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)


def change_item(folder: Path, key: str, **cells: str) -> None:
    """Change cells of one item, adding columns that the table has not got."""
    rows = rows_of(folder / "items.csv")
    next(row for row in rows if row["item"] == key).update(cells)
    rewrite(folder / "items.csv", rows)


def add_case(folder: Path, case: str, sequences: tuple[str, ...] = ("T1",)) -> None:
    """Add a case of a subject of its own, with a scan per sequence."""
    rewrite(
        folder / "cases.csv",
        [*rows_of(folder / "cases.csv"), {"case": case, "subject": f"subject of {case}", "vignette": f"About {case}"}],
    )
    volumes = rows_of(folder / "volumes.csv")
    for place, sequence in enumerate(sequences):
        file = f"volumes/{case}-{sequence}.nii.gz"
        write_volume(folder / file, seed=zlib.crc32(case.encode()) + place)
        volumes.append(
            {"volume": f"{case}-{sequence}", "case": case, "role": "current", "sequence": sequence, "file": file,
             "label": sequence}
        )  # fmt: skip
    rewrite(folder / "volumes.csv", volumes)


def add_item(folder: Path, key: str, case: str, prompt: str, accepted: str, **cells: str) -> None:
    """Add an item with its reference: yes/no, unless the cells say otherwise."""
    item = {
        "item": key, "case": case, "category": "added", "format": "yes_no", "grounding": "image_grounded",
        "form": "yes_no", "prompt": prompt, "options": "", "sequences": "T1", "uses_prior": "false",
    }  # fmt: skip
    rewrite(folder / "items.csv", [*rows_of(folder / "items.csv"), item | cells])
    reference = {"item": key, "accepted": accepted, "text_only_answer": "", "provenance": "by construction"}
    rewrite(folder / "references.csv", [*rows_of(folder / "references.csv"), reference])


def with_practice(folder: Path) -> Path:
    """Add four practice items about two cases of their own; the protocol has to ask for practice."""
    add_case(folder, "p-one")
    add_case(folder, "p-two")
    for key, case, format_, options in (
        ("p1", "p-one", "yes_no", ""), ("p2", "p-two", "yes_no", ""), ("p3", "p-one", "choice", SIDES),
        ("p4", "p-two", "yes_no", ""),
    ):  # fmt: skip
        add_item(
            folder, key, case, f"Practise {key}?", PRACTISED[f"Practise {key}?"], format=format_, form=format_,
            options=options, practice="true", explanation=f"MARK-EXPLANATION of {key}",
        )  # fmt: skip
    return folder


def with_conversation(folder: Path) -> Path:
    """Add a conversation of three turns; the second turn shows one more sequence."""
    add_case(folder, "talk", ("T1", "T2"))
    for turn, sequences in ((1, "T1"), (2, "T1|T2"), (3, "T1|T2")):
        add_item(
            folder, f"talk-{turn}", "talk", f"Turn {turn} of the talk?", "yes", sequences=sequences,
            conversation="a talk", turn=str(turn),
        )  # fmt: skip
    return folder


def write_overlay(path: Path, shape: tuple[int, int, int] = (12, 14, 10)) -> None:
    """Write a small mask on the grid of the tiny study's scans."""
    overlay = np.zeros(shape, dtype=np.uint8)
    overlay[4:7, 5:9, 3:6] = 1
    path.parent.mkdir(parents=True, exist_ok=True)
    nibabel.save(nibabel.Nifti1Image(overlay, np.diag([2.0, 2.0, 2.5, 1.0])), path)


def with_overlays(folder: Path) -> Path:
    """Add two overlays of case c1, of which item i1 names one and item i2 none."""
    write_overlay(folder / "volumes" / "lesion.nii.gz")
    write_overlay(folder / "volumes" / "truth.nii.gz")
    rewrite(
        folder / "overlays.csv",
        [
            {"overlay": "lesion-1", "case": "c1", "label": "Lesion", "file": "volumes/lesion.nii.gz",
             "colour": "#FF0000", "style": "fill", "opacity": "0.4"},
            {"overlay": "truth-1", "case": "c1", "label": "MARK-HIDDEN-OVERLAY", "file": "volumes/truth.nii.gz",
             "colour": "", "style": "", "opacity": ""},
        ],
    )  # fmt: skip
    change_item(folder, "i1", overlays="lesion-1")
    return folder


def with_history(folder: Path) -> Path:
    """Add a structured history of two lines to case c1."""
    rewrite(
        folder / "case_history.csv",
        [{"case": "c1", "name": "Allergies", "value": "none"}, {"case": "c1", "name": "Surgery", "value": "2019"}],
    )
    return folder


def room_study(
    database: Database,
    folder: Path,
    *changes: Callable[[Path], object],
    protocol: Mapping[str, Any] | None = None,
    key: str = "tiny",
    frozen: bool = True,
) -> Situation:
    """Import the tiny study with some of the changes above, with its people; freeze it unless told otherwise."""
    make = open_study if frozen else imported_study
    return make(database, folder, protocol, changes=changes, key=key)


def reading_rules(**rules: Any) -> dict[str, Any]:
    """Return a protocol whose reading phase has these rules beside those of the tiny study."""
    reading = {
        "not_assessable": [{"id": "quality", "text": "Image quality"}],
        "flags": [{"id": "prompt", "text": "The prompt is unclear"}],
    }
    return {"reading": {**reading, **rules}}


def practising(database: Database, folder: Path, **rule: Any) -> Situation:
    """Reach a frozen study in which both raters stand before their practice."""
    return room_study(database, folder, with_practice, protocol=reading_rules(practice={**PRACTICE, **rule}))


def practise(situation: Situation, rater: Actor, wrong: tuple[str, ...] = ()) -> list[Receipt]:
    """Work through one pass; the prompts in `wrong` are answered wrongly."""
    receipts = []
    for _ in PRACTISED:
        payload = on_the_desk(situation, rater)
        right = PRACTISED[payload["prompt"]]
        other = {"yes": "no", "no": "yes", "left": "right"}[right]
        show(situation, rater, payload)
        receipts.append(
            submit(situation, rater, payload, any_answers(payload, other if payload["prompt"] in wrong else right))
        )
    return receipts
