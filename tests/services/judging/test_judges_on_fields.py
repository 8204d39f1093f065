"""A judge fills in a field that people fill in, too: its verdicts stand on the scale of the field."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select

from db import Database, JudgeRun, JudgeVerdict
from db.engine import make_engine
from exchange.refusal import InputRefused
from protocol.scales import scale_of
from services.errors import Conflict
from services.judging import import_runs
from services.judging.import_runs import Identity
from services.judging.verdict_columns import verdict_columns
from services.progress import outstanding
from services.record.verification import verify_study
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import opened_listed
from tests.situations import CANDIDATES, Situation
from tests.versioned_study import changed_cell, new_version

SCORED = """
blindread: 2
name: listed
title: Scores on several scales
phases:
  - key: grade
    title: Grades
    rates: candidates
    shows: [prompt, reference, candidate]
    form:
      verdict: {type: correctness, partly: In part, excluded: Cannot be scored}
      likert: {type: ordinal, options: {'1': Poor, '2': Fair, '3': Good}}
      slip: {type: choice, options: {none: None, wrong_side_of_the_brain: Wrong side, wrong_place: Wrong place}}
      minutes: {type: number, range: [0, 60]}
      why: text
"""
UNKNOWN = Identity()
HEADER = "item,candidate,verdict,failure,confidence,error\n"


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Situation:
    folder = tmp_path_factory.mktemp("judged")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    return opened_listed(Database(engine, folder / "data"), folder / "study", SCORED)


def imported(situation: Situation, field: str, lines: str, name: str, identity: Identity = UNKNOWN) -> JudgeRun:
    import_runs.import_judge_verdicts(
        situation.database, situation.admin, situation.study_key, name=name, judge="Judge",
        content=(HEADER + lines).encode(), file_name="judge.csv", field=field, identity=identity,
    )  # fmt: skip
    with situation.database.read_only() as session:
        return session.exec(select(JudgeRun).where(JudgeRun.name == name)).one()


def stored(situation: Situation, run: JudgeRun) -> list[tuple[str | None, str, float | None]]:
    with situation.database.read_only() as session:
        rows = session.exec(select(JudgeVerdict).where(JudgeVerdict.run_id == run.id).order_by(JudgeVerdict.id)).all()
        return [(row.verdict, row.failure, row.confidence) for row in rows]


@pytest.mark.parametrize(
    ("field", "said", "verdicts"),
    [
        ("grade.likert", ("Good", "1"), ["3", "1"]),
        ("grade.slip", ("wrong_side_of_the_brain", "None"), ["wrong_side_of_the_brain", "none"]),
        ("grade.minutes", ("4.50", "1e1"), ["4.5", "10"]),
        ("grade.verdict", ("In part", "EXCLUDED"), ["partly", "excluded"]),
    ],
)
def test_ids_and_texts_of_options_and_numbers_are_stored_as_their_scale_has_them(
    situation: Situation, field: str, said: tuple[str, str], verdicts: list[str]
) -> None:
    run = imported(situation, field, f"i1,k1,{said[0]},,0.75,\ni1,k2,{said[1]},,,\n", field)

    assert stored(situation, run) == [(verdicts[0], "", 0.75), (verdicts[1], "", None)]
    assert run.parameters["field"] == field


def test_what_is_correct_in_part_counts_as_incorrect_and_what_is_excluded_as_neither(situation: Situation) -> None:
    run = imported(
        situation, "grade.verdict", "i1,k1,partly,,,\ni1,k2,excluded,,,\ni2,k3,correct,,,\ni2,k4,,,,\n", "parts"
    )

    with situation.database.read_only() as session:
        columns = verdict_columns(session, {run.id: scale_of(run.scale)})[run.id]
    assert (columns.n_correct, columns.n_incorrect, columns.n_unresolved, len(columns)) == (1, 1, 1, 4)
    assert columns.said_of(columns.candidates) == ["partly", "excluded", "correct", None]


def test_a_run_says_the_same_of_itself_whether_its_field_was_named_or_not(situation: Situation) -> None:
    named = imported(situation, "grade.verdict", "i1,k1,correct,,,\n", "named").name
    unnamed = imported(situation, "", "i1,k1,correct,,,\n", "unnamed").name

    lines = import_runs.judge_runs_of(situation.database, situation.admin, situation.study_key)

    assert len({line.says for line in lines if line.name in (named, unnamed)}) == 1


def test_numbers_are_read_as_numbers(situation: Situation) -> None:
    run = imported(situation, "grade.minutes", "i1,k1,12.5,,,\ni1,k2,,refusal,,\n", "numbers")

    with situation.database.read_only() as session:
        columns = verdict_columns(session, {run.id: scale_of(run.scale)})[run.id]
    assert columns.said_of(columns.candidates) == [12.5, None]
    assert columns.n_correct == columns.n_incorrect == 0


def test_four_ways_to_have_no_verdict_are_told_apart(situation: Situation) -> None:
    run = imported(
        situation, "grade.likert", "i1,k1,,refusal,,\ni1,k2,,unreadable,,no JSON\ni2,k3,,,,timeout\ni2,k4,,,,\n", "none"
    )

    assert [failure for _, failure, _ in stored(situation, run)] == ["refusal", "unreadable", "error", "no_verdict"]


@pytest.mark.parametrize(
    ("field", "line", "says"),
    [
        ("grade.likert", "i1,k1,4,,,", "verdict '4' is not one of 1, 2, 3"),
        ("grade.minutes", "i1,k1,61,,,", "verdict '61' is no number from 0 to 60"),
        ("grade.minutes", "i1,k1,1_0,,,", "verdict '1_0' is no number from 0 to 60"),
        ("grade.minutes", "i1,k1,nan,,,", "verdict 'nan' is no number from 0 to 60"),
        ("grade.likert", "i1,k1,,gone,,", "failure is 'gone', expected one of error, refusal, unreadable, no_verdict"),
        ("grade.likert", "i1,k1,1,refusal,,", "has both the verdict '1' and a failure"),
        ("grade.likert", "i1,k1,1,,1.5,", "confidence is '1.5', expected a number from 0 to 1"),
    ],
)
def test_what_is_not_on_the_scale_is_refused_by_its_line(
    situation: Situation, field: str, line: str, says: str
) -> None:
    with pytest.raises(InputRefused, match="line 2") as refusal:
        imported(situation, field, f"{line}\n", "refused")

    assert says in str(refusal.value)


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ("grade.likerd", r"There is no field 'grade.likerd' \(nearest: grade.likert\)"),
        ("grade.why", "There is no field 'grade.why'.*expected one of grade.verdict, grade.likert"),
    ],
)
def test_a_field_that_judges_cannot_fill_in_is_refused(situation: Situation, field: str, says: str) -> None:
    with pytest.raises(Conflict, match=says):
        imported(situation, field, "i1,k1,1,,,\n", "refused")


def test_of_two_criteria_that_are_correct_or_incorrect_a_judge_names_the_one_that_it_fills_in(
    sqlite_database: Database, tmp_path: Path
) -> None:
    """Taken for both, what it says of one would be held against what people say of the other."""
    two = SCORED.replace("      likert:", "      complete: correctness\n      likert:")
    situation = opened_listed(sqlite_database, tmp_path / "study", two)

    with pytest.raises(Conflict, match=r"Say which field is filled in: grade\.verdict, grade\.complete, "):
        imported(situation, "", "i1,k1,correct,,,\n", "unnamed")

    assert imported(situation, "grade.complete", "i1,k1,correct,,,\n", "named").parameters["field"] == "grade.complete"


def test_what_a_version_replaced_is_judged_by_the_key_of_what_came_in_its_place(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", SCORED)
    new_version(situation, tmp_path / "study", changed_cell("candidates.csv", "k1", "answer", "Yes, there is one."))

    with pytest.raises(InputRefused, match=r"i1 \+ k1 \(line 2\); name what came in its place, of the first 'k1.v2'"):
        imported(situation, "grade.likert", "i1,k1,3,,,\n", "before")

    run = imported(situation, "grade.likert", "i1,k1.v2,3,,,\n", "after")
    assert stored(situation, run) == [("3", "", None)]


def test_what_a_version_replaced_is_not_missing_in_a_run(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", SCORED)
    imported(situation, "grade.likert", "i1,k1,3,,,\n", "before")

    new_version(situation, tmp_path / "study", changed_cell("candidates.csv", "k1", "answer", "Yes, there is one."))

    # Of the answers that stand none was judged: the one that was is replaced.
    number = len(CANDIDATES)
    [line] = import_runs.judge_runs_of(sqlite_database, situation.admin, situation.study_key)
    assert (line.candidates, line.not_judged) == (1, number)
    with sqlite_database.read_only() as session:
        work = [part for part in outstanding.open_work(session, 1) if part.part == "judge"]
    assert [(part.open, part.total) for part in work] == [(number, number)]


def test_what_made_a_run_is_stored_with_it_and_sealed(situation: Situation) -> None:
    identity = Identity("gpt-5-2026-08", "Say how good it is.", "v3", "temperature 0", "2026-11-20", 2)

    run = imported(situation, "grade.likert", "i1,k1,1,,,\n", "made", identity)

    said = {key: value for key, value in run.parameters.items() if key not in ("file", "field", "prompt_sha256")}
    assert Identity(**said) == identity and len(run.parameters["prompt_sha256"]) == 64
    assert verify_study(situation.database, situation.study_key) == []


@pytest.mark.parametrize(
    ("identity", "says"),
    [(Identity(made_on="20.11.2026"), "expected YYYY-MM-DD"), (Identity(sample=0), "expected 1 or more")],
)
def test_an_identity_that_cannot_be_is_refused(situation: Situation, identity: Identity, says: str) -> None:
    with pytest.raises(Conflict, match=says):
        imported(situation, "grade.likert", "i1,k1,1,,,\n", "refused", identity)
