"""Where a judge and people differ: which answers are listed, in which order, with which texts."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from db import Database
from db.engine import make_engine
from services import report
from services.judging import import_runs
from services.judging.import_runs import Identity
from services.progress import data_lock
from services.report.calibration import exports
from services.report.calibration.differing import differing_in
from services.report.calibration.exported import Exported, Party, Texts
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed, opened_listed, work_through
from tests.services.report.lines import all_lines
from tests.situations import Situation, answers

PROTOCOL = """
blindread: 2
name: listed
title: Scores
phases:
  - key: grade
    title: Grades
    rates: candidates
    from: {where: {model: model-a}}
    shows: [prompt, reference, candidate]
    form:
      likert: {type: ordinal, options: {'1': Poor, '2': Fair, '3': Good}}
"""
JUDGED = b"""item,candidate,verdict,explanation
i1,k1,1,=The side is wrong
i2,k3,2,
i5,k5,2,
"""
OTHER_PROMPT = b"""item,candidate,verdict,explanation
i1,k1,3,The side is right
i2,k3,3,It is well said
i5,k5,2,
"""
TEXTS = Texts("Which side?", "left", "The left.", {"Rater 2": "no lobe named"})


def by_hand(judge: str | None, *people: str | None) -> Exported:
    """One answer, of which each says this; None is no verdict."""

    def party(name: str, kind: Any, said: str | None) -> Party:
        return Party(name, kind, name if kind == "judge" else "", [("verdict", said) if said else ("missing", None)])

    humans = [party(f"Rater {number}", "human", said) for number, said in enumerate(people, start=1)]
    return Exported(
        ("item", "candidate", "model"),
        [("i1", "k1", "A")],
        [*humans, party("run", "judge", judge)],
        ("1", "2"),
        [7],
        {7: TEXTS},
    )


@pytest.mark.parametrize(
    ("judge", "people", "against"),
    [("1", ("1", "2"), [0.5]), ("1", ("2", "2"), [1.0]), ("1", ("2", None), [1.0]), ("1", ("1", "1"), []),
     ("1", ("1", None), []), (None, ("1", "2"), []), ("1", (None, None), [])],
)  # fmt: skip
def test_an_answer_is_listed_where_somebody_says_otherwise_than_the_judge(
    judge: str | None, people: tuple[str | None, ...], against: list[float]
) -> None:
    exported = by_hand(judge, *people)

    assert [row.against for row in differing_in(exported, exported.parties[-1])] == against


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Situation]:
    folder = tmp_path_factory.mktemp("differing")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    opened = opened_listed(Database(engine, folder / "data"), folder / "study", PROTOCOL)
    import_runs.import_judge_verdicts(
        opened.database, opened.admin, opened.study_key, name="first", judge="Judge", content=JUDGED,
        file_name="judge.csv", field="grade.likert", identity=Identity(prompt_version="v1"),
    )  # fmt: skip
    import_runs.import_judge_verdicts(
        opened.database, opened.admin, opened.study_key, name="second", judge="Judge", content=OTHER_PROMPT,
        file_name="judge.csv", field="grade.likert", identity=Identity(prompt_version="v2"),
    )  # fmt: skip
    work_through(opened, lambda payload: answers(likert="2") | {"comment": "Nearly."})
    data_lock.close_study(opened.database, opened.admin, opened.study_key)
    yield opened
    engine.dispose()


def test_the_file_has_question_reference_answer_and_what_each_wrote(situation: Situation) -> None:
    files = exports.export_verdicts(
        situation.database, situation.admin, situation.study_key, "differing", runs=["first"]
    )

    (row,) = csv.DictReader(io.StringIO("".join(files["differing.csv"])))

    assert (row["candidate"], row["judge_says"], row["Rater 1 says"], row["share_against"]) == ("k1", "1", "2", "1.0")
    assert row["prompt_version"] == "Judge (v1)"
    assert (row["explanation"], row["Rater 2 remarks"]) == ("'=The side is wrong", "Nearly.")
    assert all(row[name] for name in ("prompt", "reference", "answer"))


def codes(payload: dict[str, Any]) -> dict[str, Any]:
    """The cause that a coder sees in what the judge wrote."""
    facts = dict(payload["context"]["facts"])
    return answers(cause="lenient" if facts["Judge says"] == "3" else "strict")


def test_coded_errors_are_counted_for_each_version_of_the_prompt(situation: Situation, tmp_path: Path) -> None:
    database, admin = situation.database, situation.admin
    folder = tmp_path / "coding"
    folder.mkdir()
    for name, pieces in exports.export_verdicts(database, admin, situation.study_key, "coding").items():
        (folder / name).write_text("".join(pieces), encoding="utf-8")
    coding = imported_listed(database, folder, raters=2, key="coding")
    freezing.freeze_study(database, admin, "coding")

    seen = work_through(coding, codes)
    data_lock.close_study(database, admin, "coding")

    # The first run differs on one answer, the second on two; coders see neither the run nor its prompt.
    assert len(seen) == 2 * 3
    assert not any(word in json.dumps(seen) for word in ("Judge (v", "first", "second"))
    counted = {
        (row.stratum.value, row.category.id): round(row.estimate.value * row.estimate.n)
        for line in all_lines(report.current_report(database, admin, "coding"))
        if (row := line.row).stratum.name == "prompt_version" and row.category is not None and row.estimate.value
    }
    assert counted == {("Judge (v1)", "strict"): 2, ("Judge (v2)", "lenient"): 4}
