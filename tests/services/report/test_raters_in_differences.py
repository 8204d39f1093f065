"""How far two raters vary in a difference between conditions, in the pairs that the difference itself is about."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

from db import Database
from services.studies.freeze import freezing
from tests.listed_study import closed_tables, imported_listed
from tests.services.report.recomputed import estimate_in
from tests.situations import answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: conditions
title: Answers with the image and without
attributes: {candidates: {image: yes_no}}
phases:
  - key: score
    title: Scores
    rates: candidates
    shows: [prompt, candidate]
    form: {quality: {type: ordinal, options: [1, 2, 3, 4, 5]}}
analysis:
  cluster: item
  resamples: 200
  primary: {estimate: difference, of: score.quality, compare: image, by: rater}
"""
N = 12
# One model answers in both conditions, the other with the image alone, so that its answers have no partner.
TEXTS = [(item, model, image) for item in range(N) for model, image in (("a", "yes"), ("a", "no"), ("b", "yes"))]


def test_the_difference_of_two_raters_is_that_of_the_differences_which_are_printed_for_each_of_them(
    sqlite_database: Database, tmp_path: Path
) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    items = [(f"q{n}", "open", f"Item {n}") for n in range(N)]
    write_table(tmp_path / "study" / "items.csv", "item,format,prompt", items)
    rows = [(f"k{n}", f"q{item}", model, f"Text {n}", image) for n, (item, model, image) in enumerate(TEXTS)]
    write_table(tmp_path / "study" / "candidates.csv", "candidate,item,model,answer,image", rows)
    situation = imported_listed(sqlite_database, tmp_path / "study")
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    times: Counter[str] = Counter()

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        item, model, image = TEXTS[int(payload["candidate"].split()[1])]
        times[payload["candidate"]] += 1
        # The second rater thinks little of all answers of the model without a partner.
        is_first = times[payload["candidate"]] == 1
        return answers(quality=str((5 if is_first else 1) if model == "b" else 2 + (image == "yes") + (item % 2)))

    store_all(situation, answer)
    tables = closed_tables(situation)

    parties = "Image: no minus Image: yes"
    for rater in ("Rater 1", "Rater 2"):
        row = estimate_in(tables, "plan", "line_1", f"{rater}: mean difference", parties)
        assert (float(row["value"]), row["n"]) == (-1.0, str(N))
    label = f"All candidates: {parties}: how far two raters differ in it"
    row = estimate_in(tables, "plan", "line_1", label, "Rater 1 minus Rater 2")
    assert math.isclose(float(row["value"]), 0.0, abs_tol=1e-12)
    assert row["n"] == str(N)
