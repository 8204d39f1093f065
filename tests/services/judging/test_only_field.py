"""Of the only field of a study nobody has to be told the name, and of several one is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select

from db import Database, JudgeRun
from db.engine import make_engine
from services.errors import Conflict
from services.judging import import_runs, scoring
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import opened_listed
from tests.situations import Situation

LIKERT = """
blindread: 2
name: listed
title: Grades alone
phases:
  - key: rate
    title: Grades
    rates: candidates
    shows: [prompt, reference, candidate]
    form:
      likert: {type: ordinal, options: {'1': Poor, '2': Good}}
"""


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Situation:
    folder = tmp_path_factory.mktemp("only")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    return opened_listed(Database(engine, folder / "data"), folder / "study", LIKERT)


def test_where_judges_can_fill_in_one_field_it_need_not_be_named(situation: Situation) -> None:
    import_runs.import_judge_verdicts(
        situation.database, situation.admin, situation.study_key, name="run", judge="Judge",
        content=b"item,candidate,verdict\ni1,k1,2\n", file_name="judge.csv",
    )  # fmt: skip

    with situation.database.read_only() as session:
        run = session.exec(select(JudgeRun)).one()
    assert (run.parameters["field"], run.scale) == ("rate.likert", ["1", "2"])


def test_a_rule_is_held_against_the_only_field_too(situation: Situation) -> None:
    with pytest.raises(Conflict, match=r"exact_match says right or wrong of each answer, and rate\.likert is a scale"):
        scoring.score_answers(situation.database, situation.admin, situation.study_key, "exact_match")
