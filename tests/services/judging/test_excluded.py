"""A judge, or people elsewhere, can exclude an answer where people of the phase can call it not assessable."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select

from db import Database, JudgeRun, JudgeVerdict
from db.engine import make_engine
from exchange.refusal import InputRefused
from protocol.scales import scale_of
from services.judging import import_labels, import_runs
from services.judging.sources import asked_of
from services.progress import data_lock
from services.record.verification import verify_study
from services.report import build, calibration
from services.report.calibration import exports
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import opened_listed
from tests.situations import Situation

PHASES = """
blindread: 2
name: listed
title: Scores of answers that may be cut off
phases:
  - key: grade
    title: Grades
    rates: candidates
    shows: [prompt, reference, candidate]
    not_assessable: {cut: Cut off}
    form:
      likert: {type: ordinal, options: {'1': Poor, '2': Fair, '3': Good}}
      slip: {type: choice, options: {none: None, side: Wrong side}}
      minutes: {type: number, range: [0, 60]}
      verdict: correctness
  - key: all
    title: All are rated
    rates: candidates
    shows: [prompt, reference, candidate]
    form:
      likert: {type: ordinal, options: {'1': Poor, '2': Fair, '3': Good}}
"""
FIELDS = {"grade.likert": "3", "grade.slip": "side", "grade.minutes": "4.5", "grade.verdict": "correct"}


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Situation:
    folder = tmp_path_factory.mktemp("excluded")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    return opened_listed(Database(engine, folder / "data"), folder / "study", PHASES)


def judged(situation: Situation, field: str, name: str, verdict: str, word: str = "Excluded") -> str:
    line = import_runs.import_judge_verdicts(
        situation.database, situation.admin, situation.study_key, name=name, judge="Judge", file_name="judge.csv",
        content=f"item,candidate,verdict\ni1,k1,{verdict}\ni1,k2,{word}\n".encode(), field=field,
        asked=asked_of("", (), ("Cut=excluded",)),
    )  # fmt: skip
    return line.in_words


def labelled(situation: Situation, field: str, verdict: str) -> str:
    line = import_labels.import_labels(
        situation.database, situation.admin, situation.study_key, name=field, field=field, file_name="labels.csv",
        content=f"item,candidate,labeller,verdict\ni1,k1,A,{verdict}\ni1,k2,A,not_assessable\n".encode(),
    )  # fmt: skip
    return line.in_words


@pytest.fixture(scope="module")
def imported(situation: Situation) -> Situation:
    """Each field, judged and labelled on two answers, one of which is excluded; the report is open."""
    for field, verdict in FIELDS.items():
        assert "judged (1 of them excluded), 0 without a verdict" in judged(situation, field, field, verdict)
        assert "2 labels (1 of them excluded) of 1 labeller on 2 candidates" in labelled(situation, field, verdict)
    data_lock.take_interim_look(situation.database, situation.admin, situation.study_key, "To see how judges do.")
    return situation


@pytest.mark.parametrize(("field", "verdict"), FIELDS.items())
def test_excluded_is_stored_as_what_it_is_beside_the_verdicts_of_the_scale(
    imported: Situation, field: str, verdict: str
) -> None:
    with imported.database.read_only() as session:
        run = session.exec(select(JudgeRun).where(JudgeRun.name == field)).one()
        rows = session.exec(select(JudgeVerdict).where(JudgeVerdict.run_id == run.id).order_by(JudgeVerdict.id)).all()

    assert [(row.verdict, row.error) for row in rows] == [(verdict, None), ("excluded", None)]
    assert run.scale[-1] == "excluded" and list(scale_of(run.scale).names) == run.scale
    assert verify_study(imported.database, imported.study_key) == []


@pytest.mark.parametrize("field", FIELDS)
def test_what_a_judge_or_a_labeller_excludes_is_counted_and_in_no_average(imported: Situation, field: str) -> None:
    shown = calibration.calibration_of(imported.database, imported.admin, imported.study_key, field, labels=[field])

    (judge,), (human,) = shown.material.judges.values(), shown.material.humans.values()
    for verdicts in (judge, human):
        assert verdicts.counts()["excluded"] == 1
        assert (verdicts.codes == verdicts.codes).sum() == 1


@pytest.mark.parametrize("field", FIELDS)
def test_in_files_an_excluded_answer_has_no_verdict_and_the_reason(imported: Situation, field: str) -> None:
    (pieces,) = exports.export_verdicts(
        imported.database, imported.admin, imported.study_key, "tidy", field, labels=[field]
    ).values()

    lines = "".join(pieces).splitlines()
    assert sum("excluded" in line for line in lines) == 2


def test_the_report_counts_what_runs_excluded_and_computes_without_it(imported: Situation) -> None:
    report = build.build_report(imported.database, imported.admin, imported.study_key)

    (table,) = (table for section in report.sections if section.key == "runs" for table in section.tables)
    column = [column.key for column in table.columns].index("excluded")
    by_run = {row[0]: row[column] for row in table.rows}
    assert by_run == dict.fromkeys(FIELDS, 1)


def test_a_word_of_the_file_may_stand_for_excluded(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", PHASES)

    assert "1 of them excluded" in judged(situation, "grade.likert", "in words", "3", "Cut")


def test_where_people_rate_all_a_judge_excludes_nothing(situation: Situation) -> None:
    with pytest.raises(InputRefused, match="is not one of 1, 2, 3"):
        judged(situation, "all.likert", "refused", "3")
