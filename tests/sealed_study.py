"""A study whose subjects are divided into development and test, and whose judge somebody looked at."""

from __future__ import annotations

from pathlib import Path

from services.judging import import_runs, sealed_split
from services.progress import data_lock
from services.report import calibration
from services.studies.freeze import freezing
from tests.situations import Situation, write_table

SCORES = """
blindread: 2
name: divided
title: Scores of many subjects
phases:
  - key: score
    title: Scores
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness, note: {type: text, required: no}}
"""
# So many can be divided: 20 subjects and 30 items are needed in each part.
ITEMS = 64


def with_many_items(folder: Path, protocol: str = SCORES, items: int = ITEMS) -> Path:
    """Write a study without scans: so many items, each of a subject of its own, with an answer of one model."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    rows = [(f"i{n}", "ab"[n % 2], "open", f"Item {n}?") for n in range(items)]
    write_table(folder / "items.csv", "item,category,format,prompt", rows)
    references = [(f"i{n}", "left", "", "", "", "") for n in range(items)]
    write_table(folder / "references.csv", "item,accepted,low,high,text_only_answer,provenance", references)
    texts = [(f"k{n}", f"i{n}", "m", f"answer {n}") for n in range(items)]
    write_table(folder / "candidates.csv", "candidate,item,model,answer", texts)
    return folder


def with_a_judge(situation: Situation) -> None:
    """Freeze and divide the study, and import a judge, before anybody scored."""
    database, admin, key = situation.database, situation.admin, situation.study_key
    freezing.freeze_study(database, admin, key)
    sealed_split.make_split(database, admin, key, 0.5)
    content = "\n".join(["item,candidate,verdict", *(f"i{n},k{n},correct" for n in range(ITEMS))]).encode()
    import_runs.import_judge_verdicts(
        database, admin, key, name="first", judge="Judge", content=content, file_name="judge.csv",
        identity=import_runs.Identity(prompt_version="v1"),
    )  # fmt: skip


def looked_at_and_opened(situation: Situation) -> None:
    """Do that, open agreement on test for the judge, and look."""
    database, admin, key = situation.database, situation.admin, situation.study_key
    with_a_judge(situation)
    data_lock.close_study(database, admin, key, "So that there is a row.")
    sealed_split.open_test(database, admin, key, "first", "So that there is a row.")
    calibration.calibration_of(database, admin, key)
