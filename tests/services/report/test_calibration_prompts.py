"""Two prompts of a judge stand beside each other: the lines that differ, and what became of the verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agreement.judge.panels.repeatability import CHANGED_WITH, SCATTER
from db import Database, JudgeRun
from db.engine import make_engine
from services.errors import NotAllowed
from services.judging import import_runs
from services.judging.import_runs import Identity
from services.progress import data_lock
from services.report import calibration
from services.report.calibration.prompts import (
    ChangeOfPrompt,
    Prompt,
    changes_of_prompts,
    difference_of_texts,
    prompts_of,
)
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import SCORE_ALONE, opened_listed, work_through
from tests.situations import Situation

FIRST = "You are strict.\nSay correct or incorrect.\nGive a reason."
SECOND = "You are fair.\nSay correct or incorrect.\nGive a reason."
RUNS = (
    ("first", "Judge", Identity(prompt=FIRST, prompt_version="v1"), "1,0,0,0,1,0"),
    ("first again", "Judge", Identity(prompt=FIRST, prompt_version="v1", sample=2), "1,0,0,0,1,1"),
    ("second", "Judge", Identity(prompt=SECOND, prompt_version="v2"), "1,1,1,0,,0"),
    ("another", "Another judge", Identity(prompt_version="v1"), "1,1,1,1,1,1"),
)
KEYS = ("i1,k1", "i1,k2", "i2,k3", "i2,k4", "i5,k5", "i5,k6")


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Situation]:
    folder = tmp_path_factory.mktemp("prompts")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    opened = opened_listed(Database(engine, folder / "data"), folder / "study", SCORE_ALONE)
    for name, judge, identity, said in RUNS:
        lines = [f"{key},{verdict}" for key, verdict in zip(KEYS, said.split(","), strict=True)]
        import_runs.import_judge_verdicts(
            opened.database, opened.admin, opened.study_key, name=name, judge=judge, identity=identity,
            content="\n".join(["item,candidate,verdict", *lines]).encode(), file_name="j.csv", field="score.verdict",
        )  # fmt: skip
    work_through(opened)
    data_lock.close_study(opened.database, opened.admin, opened.study_key)
    yield opened
    engine.dispose()


@pytest.fixture(scope="module")
def computed(situation: Situation) -> calibration.Calibration:
    return calibration.calibration_of(situation.database, situation.admin, situation.study_key)


@pytest.fixture(scope="module")
def change(situation: Situation, computed: calibration.Calibration) -> ChangeOfPrompt:
    (only,) = changes_of_prompts(situation.database, situation.admin, computed)
    return only


def test_the_lines_that_differ_stand_with_those_around_them(change: ChangeOfPrompt) -> None:
    assert change.texts.splitlines() == [
        "--- Judge (v1)",
        "+++ Judge (v2)",
        "@@ -1,3 +1,3 @@",
        "-You are strict.",
        "+You are fair.",
        " Say correct or incorrect.",
        " Give a reason.",
    ]


def test_the_panel_draws_what_changed_with_the_prompt_beside_what_changed_from_run_to_run(
    computed: calibration.Calibration,
) -> None:
    panel = computed.panels["repeatability"]

    (row,) = panel.of(CHANGED_WITH[True, False])
    assert (row.parties, row.stratum) == (("v1", "v2"), "Judge")
    assert "from run to run (first to first again)" in row.sentence and "1 missing; 0 new" in row.sentence
    (figure,) = calibration.figures_of(panel, computed.material.scale)
    assert [trace.name for trace in figure.figure.data] == [SCATTER, CHANGED_WITH[True, False]]


def test_verdicts_of_two_prompts_are_compared_as_those_of_repeated_runs(change: ChangeOfPrompt) -> None:
    (said,) = change.verdicts
    assert said.startswith("From Judge (v1) to Judge (v2), Judge changed 40.0 %")
    assert "2 became correct, 0 incorrect" in said
    assert "1 are missing in Judge (v2), 0 are new" in said


def test_beside_what_changed_with_a_prompt_stands_what_changes_from_run_to_run(change: ChangeOfPrompt) -> None:
    (said,) = change.verdicts

    assert re.search(r"of 5 verdicts, 16\.7 % \[.*\] from run to run \(first to first again\), ", said)


def test_a_prompt_is_named_with_the_runs_that_were_made_by_it(change: ChangeOfPrompt) -> None:
    assert (change.first.runs, change.second.runs) == (("first", "first again"), ("second",))
    assert change.first.sha256 != change.second.sha256


def test_one_prompt_alone_has_no_change(situation: Situation) -> None:
    of_others = calibration.calibration_of(
        situation.database, situation.admin, situation.study_key, runs=["first", "first again", "another"]
    )

    assert changes_of_prompts(situation.database, situation.admin, of_others) == ()


def test_a_rater_sees_no_prompt(situation: Situation, computed: calibration.Calibration) -> None:
    with pytest.raises(NotAllowed):
        changes_of_prompts(situation.database, situation.raters[0], computed)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("", "text", "not stored with Judge (a)"),
        ("same", "same", "same text under two names"),
        ("a\nb", "a\nb\n", "ends of their lines only"),
    ],
)
def test_texts_that_cannot_be_compared_say_why(first: str, second: str, said: str) -> None:
    runs = [JudgeRun(judge="Judge", name=name, parameters={"prompt": text, "prompt_version": name})
            for name, text in (("a", first), ("b", second))]  # fmt: skip
    prompts: list[Prompt] = prompts_of(runs)

    texts, why = difference_of_texts(*prompts)

    assert texts == "" and said in why
