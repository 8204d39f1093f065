"""Items that are text alone, items about scans and items about a 2D image stand in one study, in a phase each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from db import Database
from services.record import verification
from tests.listed_study import closed_tables, opened_listed, work_through
from tests.room_study import add_case, add_item, change_item, rewrite, rows_of

THREE_KINDS = """
blindread: 2
name: listed
title: Text, scans and images
attributes: {items: {about: {type: choice, options: [text, scan, image]}}}
phases:
  - key: text
    title: Text
    rates: items
    from: {where: {about: text}}
    shows: [prompt, options]
    form: {answer: as_item}
  - key: scans
    title: Scans
    rates: items
    from: {where: {about: scan}}
    shows: [scans, prompt, options]
    form: {answer: as_item}
  - key: images
    title: Images
    rates: items
    from: {where: {about: image}}
    shows: [scans, prompt, options]
    form: {answer: as_item}
"""


def of_three_kinds(folder: Path) -> None:
    """Take the scans of two items, and add a case with one PNG."""
    add_case(folder, "c4", ("XR",))
    pixels = np.random.default_rng(1).integers(0, 255, (40, 50), dtype=np.uint8)
    Image.fromarray(pixels).save(folder / "volumes" / "c4.png")
    volumes = rows_of(folder / "volumes.csv")
    volumes[-1]["file"] = "volumes/c4.png"
    rewrite(folder / "volumes.csv", volumes)
    for key in ("i3", "i4", "i5", "i6"):
        change_item(folder, key, about="scan")
    for key in ("i1", "i2"):
        change_item(folder, key, about="text", sequences="", uses_prior="false")
    add_item(folder, "i7", "c4", "Prompt of i7?", "yes", sequences="XR", about="image")


def test_each_phase_shows_what_its_items_have(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", THREE_KINDS, 1, [of_three_kinds])

    seen = work_through(situation)

    panes = [len(payload["images"]["panes"]) if payload["images"] else 0 for payload in seen]
    assert len(seen) == 7 and panes[:2] == [0, 0] and all(panes[2:])
    assert seen[-1]["prompt"] == "Prompt of i7?" and panes[-1] == 1
    assert [row["phase"] for row in closed_tables(situation)["verdicts.csv"]].count("images") == 1
    assert verification.verify_study(sqlite_database, "listed") == []
