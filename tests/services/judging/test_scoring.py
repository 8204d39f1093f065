"""What a rule says of the answers of a study is a run like that of a judge, and says by which rule it was made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db import Candidate, Database, JudgeRun, JudgeVerdict
from db.engine import make_engine
from services.errors import Conflict, NotAllowed
from services.judging import scoring
from services.judging.import_runs import JudgeRunLine
from services.record.verification import verify_study
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import opened_listed
from tests.situations import Situation, open_study

GRADED = """
blindread: 2
name: listed
title: Scores
attributes: {candidates: {checked: text}}
phases:
  - key: grade
    title: Grades
    rates: candidates
    shows: [prompt, reference, candidate]
    form:
      verdict: {type: correctness, excluded: Cannot be scored}
      overlap: {type: number, range: [0, 1]}
      likert: {type: ordinal, options: {'1': Poor, '2': Good}}
"""


def with_a_column(folder: Path) -> None:
    table = folder / "candidates.csv"
    first, *rest = table.read_text("utf-8").splitlines()
    said = ["correct", "excluded", "", "incorrect", "correct", ""]
    lines = [f"{first},checked", *(f"{line},{word}" for line, word in zip(rest, said, strict=True))]
    table.write_text("\n".join(lines) + "\n", "utf-8")


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Situation:
    folder = tmp_path_factory.mktemp("scored")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    return opened_listed(Database(engine, folder / "data"), folder / "study", GRADED, changes=[with_a_column])


def scored(situation: Situation, scorer: str, field: str = "grade.verdict", **more: Any) -> JudgeRunLine:
    return scoring.score_answers(
        situation.database, situation.admin, situation.study_key, scorer, field=field, **more
    )  # fmt: skip


def stored(situation: Situation, name: str) -> tuple[JudgeRun, dict[str, tuple[str | None, str]]]:
    with situation.database.read_only() as session:
        run = session.exec(select(JudgeRun).where(JudgeRun.name == name)).one()
        rows = session.exec(
            select(Candidate.key, JudgeVerdict)
            .join(Candidate, Candidate.id == JudgeVerdict.candidate_id)
            .where(JudgeVerdict.run_id == run.id)
        ).all()
        return run, {key: (row.verdict, row.failure) for key, row in rows}


def test_a_run_of_a_rule_says_rule_version_and_parameters(situation: Situation) -> None:
    line = scored(situation, "token_f1", parameters={"threshold": "0.9"})

    run, verdicts = stored(situation, line.name)
    assert line.name == run.judge == "token_f1 1 (threshold=0.9)"
    assert (run.parameters["model"], run.parameters["settings"]) == ("token_f1, version 1", "threshold=0.9")
    assert verdicts["k5"] == ("correct", "") and verdicts["k6"] == ("incorrect", "")
    assert verify_study(situation.database, situation.study_key) == []


def test_options_are_read_in_answers_and_what_names_none_is_unreadable(situation: Situation) -> None:
    line = scored(situation, "option_extraction", name="options")

    _, verdicts = stored(situation, "options")
    assert verdicts == {
        "k1": ("correct", ""), "k2": ("incorrect", ""), "k3": ("correct", ""), "k4": ("incorrect", ""),
    }  # fmt: skip
    assert line.not_judged == 2  # open items have no options


def test_an_overlap_fills_in_a_number(situation: Situation) -> None:
    scored(situation, "token_f1", "grade.overlap", name="overlap", parameters={"threshold": "none"})

    _, verdicts = stored(situation, "overlap")
    assert verdicts["k5"] == ("1", "") and verdicts["k6"] == ("0", "")


def test_a_column_of_the_study_is_taken_as_it_stands(situation: Situation) -> None:
    scored(situation, "own_column", name="checked", parameters={"column": "checked"})

    _, verdicts = stored(situation, "checked")
    assert verdicts["k2"] == ("excluded", "")
    assert {key for key, (said, _) in verdicts.items() if said is None} <= {"k3", "k6"}


@pytest.mark.parametrize(
    ("scorer", "field", "parameters", "says"),
    [
        (
            "exact_match",
            "grade.likert",
            {},
            "exact_match says right or wrong .*, and grade.likert is a scale of 1, 2",
        ),
        ("token_f1", "grade.verdict", {"threshold": "none"}, "token_f1 says a number of each .*, and grade.verdict is"),
    ],
)
def test_a_rule_is_refused_on_a_scale_on_which_nothing_stands_that_it_says(
    situation: Situation, scorer: str, field: str, parameters: dict[str, str], says: str
) -> None:
    with pytest.raises(Conflict, match=says):
        scored(situation, scorer, field, parameters=parameters)


@pytest.mark.parametrize(
    ("scorer", "parameters", "says"),
    [
        ("exact_mach", {}, r"no scorer 'exact_mach' \(nearest: 'exact_match'\), expected one of exact_match, token_f1"),
        ("exact_match", {"threshold": "1"}, "exact_match has no parameter 'threshold'; it has none"),
        ("own_column", {"column": "other"}, "own_column applies to no answer of the study: it needs the declared"),
        ("numeric_range", {}, "numeric_range applies to no answer of the study: it needs a number or limits"),
    ],
)
def test_what_cannot_be_scored_is_refused_in_a_sentence(
    situation: Situation, scorer: str, parameters: dict[str, str], says: str
) -> None:
    with pytest.raises(Conflict, match=says):
        scored(situation, scorer, parameters=parameters)


def test_a_rule_that_says_correct_does_not_fill_in_a_number(situation: Situation) -> None:
    with pytest.raises(Conflict, match=r"grade\.overlap takes numbers; name a field that takes correct and incorrect"):
        scored(situation, "exact_match", "grade.overlap", name="refused")


def test_a_rater_scores_nothing(situation: Situation) -> None:
    with pytest.raises(NotAllowed):
        scoring.score_answers(situation.database, situation.raters[0], situation.study_key, "exact_match")


def test_the_same_rule_twice_is_refused_as_the_same_run(database: Database, tmp_path: Path) -> None:
    opened = open_study(database, tmp_path / "study")
    line = scoring.score_answers(database, opened.admin, "tiny", "exact_match")

    assert (line.candidates, line.unresolved) == (6, 0)
    with pytest.raises(Conflict, match="has already been imported"):
        scoring.score_answers(database, opened.admin, "tiny", "exact_match")
