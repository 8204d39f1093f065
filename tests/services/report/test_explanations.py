"""What is said above a table of a listed study: what its rows need, and nothing of what the study does not have."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from db import Database
from services.progress import data_lock
from services.report import Report, build_report, report_page
from services.studies.freeze import freezing
from studies.examples import build
from tests.listed_study import drawn_answers, imported_listed, work_through
from tests.services.report import planted

# Both say the same of all answers.
VERDICTS = {"MARCUS": ["cc"] * 4, "GPT-5": ["cc", "ii"] * 2}
Explained = Callable[[str, str], str]


def explained_by(report: Report) -> Explained:
    tables = {(section.key, table.key): table for section, table in report.estimate_tables()}
    return lambda section, table: tables[section, table].explanation


def test_models_and_baselines_are_spoken_of_where_there_are_some(tmp_path: Path) -> None:
    of_people = explained_by(planted.made_once_in_the_run(planted.read_subset, tmp_path / "people")[1])
    assert "model" not in of_people("phase_read", "answer_accuracy")
    assert "Shortcut Score" in of_people("phase_read", "answer_floors")

    beside_models = explained_by(planted.made_once_in_the_run(planted.structured_reads, tmp_path / "models")[1])
    assert "What a model wrote that is no answer is not right" in beside_models("phase_read", "diagnosis_accuracy")
    assert "Shortcut Score" not in beside_models("phase_read", "diagnosis_floors")
    # Nobody abstained in the plane, and somebody did in the diagnosis.
    for table in ("classes", "distribution"):
        assert "bstention" not in beside_models("phase_read", f"plane_{table}")
        assert "bstention" in beside_models("phase_read", f"diagnosis_{table}")
    # A line of two topics says once what both have in common.
    assert beside_models("plan", "line_2_4").count("“All raters” pools verdicts.") == 1


def test_answers_that_are_correct_in_part_are_spoken_of_where_they_can_be_given(
    sqlite_database: Database, tmp_path: Path
) -> None:
    explained = explained_by(planted.judged_answers(sqlite_database, tmp_path / "study", VERDICTS))

    assert "in part" not in explained("phase_judge", "verdict_share_correct")
    assert "Weighted" not in explained("phase_judge", "verdict_share_correct")
    # Nobody excluded anything, no judge was imported, and there is nothing to rank.
    assert "bounds" not in explained("phase_judge", "verdict_share_correct")
    assert "no n" not in explained("phase_judge", "verdict_agreement")
    assert "judge" not in explained("phase_judge", "verdict_agreement")
    assert "Mann-Whitney" not in explained("phase_judge", "verdict_by_model")


def test_fields_that_two_forms_call_the_same_have_tables_and_figures_of_their_own(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = build("neural_medbench_reads", tmp_path / "study")
    protocol = (folder / "protocol.yaml").read_text("utf-8")
    declared = "\n    - {estimate: agreement, of: consult.rationale, where: {form: differential}}"
    protocol = protocol.replace("people: 5", "people: 1").replace(
        "\n  also:", f"\n  resamples: 1000\n  also:{declared}"
    )
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    situation = imported_listed(sqlite_database, folder, groups=("student", "senior", "grader", "grader"))
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    rng = random.Random(3)
    work_through(situation, lambda payload: drawn_answers(payload, rng))
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key)
    report = build_report(sqlite_database, situation.admin, situation.study_key)

    consult = report.section("phase_consult")
    assert consult is not None
    titles = [table.title for table in consult.tables]
    assert "Why (form “differential”): agreement between raters" in titles and len(titles) == len(set(titles))
    # What a line declares is of the form that it names, and marked there alone.
    marked = {table.key for _, table in report.estimate_tables() for row in table.rows if row.declared}
    assert {key for key in marked if key.startswith("rationale")} == {"rationale_agreement"}
    ids = re.findall(r'\bid="([^"]+)"', report_page(report))
    assert [key for key, times in Counter(ids).items() if times > 1] == []
