"""Who was invited and rated nothing takes no figure away from those who did."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from db import Database
from services.studies.freeze import freezing
from tests.listed_study import closed_tables, imported_listed, work_through
from tests.services.report.recomputed import estimate_in
from tests.situations import answers, write_table

PROTOCOL = """
blindread: 2
name: listed
title: Sizes
phases:
  - {key: read, title: Reads, rates: items, shows: [prompt], form: {size: {type: number, range: [0, 100]}}}
analysis: {resamples: 200}
"""
SIZES = ((10, 12, 30, 41, 55, 60), (11, 15, 28, 44, 50, 66))


def test_the_icc_is_of_the_raters_who_gave_numbers(sqlite_database: Database, tmp_path: Path) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(study / "items.csv", "item,format,prompt", [(f"q{n}", "open", f"Item {n}?") for n in range(6)])
    situation = imported_listed(sqlite_database, study, raters=3)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    for rater, sizes in zip(situation.raters, SIZES, strict=False):

        def answer(payload: dict[str, Any], sizes: tuple[int, ...] = sizes) -> dict[str, Any]:
            return answers(size=float(sizes[int(payload["prompt"].split()[1][:-1])]))

        work_through(replace(situation, raters=(rater,)), answer)

    row = estimate_in(closed_tables(situation), "phase_read", "size_agreement", "All items: ICC(2,1)", "All raters")

    given = np.array(SIZES, dtype=float).T
    n, k = given.shape
    of_items = k * given.mean(axis=1).var(ddof=1)
    of_raters = n * given.mean(axis=0).var(ddof=1)
    rest = given - given.mean(axis=1, keepdims=True) - given.mean(axis=0) + given.mean()
    residual = (rest**2).sum() / ((n - 1) * (k - 1))
    by_hand = (of_items - residual) / (of_items + (k - 1) * residual + k * (of_raters - residual) / n)
    assert row["n"] == "6" and math.isclose(float(row["value"]), by_hand)
