"""A study whose reads come with viewing traces: of new browsers and of old ones, and none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from db import Database
from tests.services.report.situations import (
    FIRST,
    ITEMS,
    SECOND,
    Situation,
    frozen_study,
    read_all,
    study_folder,
)

VOLUMES = """volume,case,role,sequence,acquired,file,label
v1,c1,current,T1,,v1.nii.gz,T1
v2,c1,current,T2,,v2.nii.gz,T2
v3,c2,current,T1,,v3.nii.gz,T1
v4,c2,current,T2,,v1.nii.gz,T2
v5,c2,prior,T1,,v2.nii.gz,T1
v6,c3,current,T1,,v3.nii.gz,T1
v7,c3,prior,T1,,v1.nii.gz,T1
"""
# Sequences and prior of each item: T2 is offered by six of them, the prior by four.
OFFERS = {
    "i1": "T1|T2,false", "i2": "T1|T2,false", "i3": "T1|T2,false", "i4": "T1|T2,true", "i5": "T1|T2,true",
    "i6": "T1|T2,false", "i7": "T1,true", "i8": "T1,true",
}  # fmt: skip
CURRENT_T1, CURRENT_T2, PRIOR_T1 = (0, "Current", "T1"), (0, "Current", "T2"), (1, "Prior", "T1")


def offered_by(key: str) -> list[tuple[int, str, str]]:
    """Return pane, title and label of each scan that an item offers."""
    sequences, uses_prior = OFFERS[key].split(",")
    return (
        [CURRENT_T1]
        + ([CURRENT_T2] if "T2" in sequences else [])
        + ([PRIOR_T1] if uses_prior == "true" else [])
    )  # fmt: skip


def new(key: str, opened: dict[tuple[int, str, str], dict[str, float]], **more: Any) -> dict[str, Any]:
    """Return a trace as new browsers send it: everything that is offered, opened or not."""
    volumes = [
        {
            "pane": volume[0], "title": volume[1], "label": volume[2], "opened": volume in opened,
            "ms": 1000 if volume in opened else 0, "seen": opened.get(volume, {}),
        }
        for volume in offered_by(key)
    ]  # fmt: skip
    return {"volumes": volumes, "windows": [], "crosshair": [0, 0, 0], "tools": {}} | more


def old(*opened: tuple[int, str, str], **more: Any) -> dict[str, Any]:
    """Return a trace as old browsers sent it: only what was drawn."""
    volumes = [{"pane": pane, "label": label, "seen": {"axial": 0.5}} for pane, _, label in opened]
    return {"volumes": volumes, "windows": [], "crosshair": None} | more


CHANGED = {"windows": ["T1 0.25 0.75"]}
TRACES_1 = {
    "i1": new("i1", {CURRENT_T1: {"axial": 1.0}, CURRENT_T2: {"axial": 0.2}}, **CHANGED,
              tools={"cine": 2, "distance": 1}, overlays={"offered": 1, "shown_ms": 500}),
    "i2": new("i2", {CURRENT_T1: {"axial": 0.1}}, overlays={"offered": 1, "shown_ms": 0}),
    "i3": new("i3", {CURRENT_T1: {"axial": 0.2}, CURRENT_T2: {}}, overlays={"offered": 0, "shown_ms": 0}),
    "i4": new("i4", {CURRENT_T1: {}, CURRENT_T2: {}, PRIOR_T1: {"axial": 0.5, "coronal": 0.1}}, **CHANGED),
    "i5": new("i5", {CURRENT_T1: {}}),
    "i6": None,
    "i7": new("i7", {CURRENT_T1: {}, PRIOR_T1: {"axial": 0.25}}),
    "i8": new("i8", {CURRENT_T1: {}}, tools={"distance": 4}),
}  # fmt: skip
TRACES_2 = {
    "i1": old(CURRENT_T1),
    "i2": old(CURRENT_T1, CURRENT_T2, **CHANGED),
    "i3": {"windows": ["x" * 30_000]},
    "i4": old(CURRENT_T1, PRIOR_T1),
    "i5": old(CURRENT_T1, PRIOR_T1),
    "i6": old(CURRENT_T1),
    "i7": old(CURRENT_T1, PRIOR_T1),
    "i8": old(CURRENT_T1, windows=None),
}


def folder_with_priors(folder: Path) -> Path:
    """Write the study folder with a second sequence and with priors."""
    lines = [line.rsplit(",", 2)[0] + "," + OFFERS.get(line[:2], "sequences,uses_prior") for line in ITEMS.splitlines()]
    return study_folder(folder, items="\n".join(lines) + "\n", volumes=VOLUMES)


def read_study(database: Database, folder: Path) -> Situation:
    """Return the study read by two raters; it is still open."""
    situation = frozen_study(database, folder_with_priors(folder), reviewers=0)
    read_all(situation, "rater 1", FIRST, traces=TRACES_1)
    read_all(situation, "rater 2", SECOND, traces=TRACES_2)
    return situation
