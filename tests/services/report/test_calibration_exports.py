"""What people and judges said, as files for other programs: each file says the same, and none of it before the lock."""

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
from services.errors import Conflict, NotAllowed
from services.judging import import_runs
from services.progress import data_lock
from services.report.calibration import calibrating, exports
from services.report.calibration.exported import Party
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import opened_listed
from tests.situations import Situation, answers
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: listed
title: Scores
attributes: {items: {tier: {type: ordinal, options: ['1', '2']}}}
phases:
  - key: grade
    title: Grades
    rates: candidates
    from: {where: {model: model-a}}
    shows: [prompt, reference, candidate]
    not_assessable: {quality: Cannot be read}
    form:
      likert: {type: ordinal, options: {'1': Poor, '2': Fair, '3': Good}}
"""
JUDGED = b"""item,candidate,verdict,failure
i1,k1,3,
i1,k2,1,
i2,k3,,refusal
i5,k5,2,
"""


def with_tiers(folder: Path) -> None:
    table = folder / "items.csv"
    first, *rest = table.read_text("utf-8").splitlines()
    lines = [f"{first},tier", *(f"{line},{1 + place % 2}" for place, line in enumerate(rest))]
    table.write_text("\n".join(lines) + "\n", "utf-8")


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Situation]:
    folder = tmp_path_factory.mktemp("exported")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    opened = opened_listed(Database(engine, folder / "data"), folder / "study", PROTOCOL, changes=[with_tiers])
    for name in ("first", "second"):
        import_runs.import_judge_verdicts(
            opened.database, opened.admin, opened.study_key, name=name, judge="=Judge", content=JUDGED,
            file_name="judge.csv", field="grade.likert",
        )  # fmt: skip
    with pytest.raises(NotAllowed):
        exports.export_verdicts(opened.database, opened.admin, opened.study_key, "tidy")
    store_all(opened, _answer)
    data_lock.close_study(opened.database, opened.admin, opened.study_key)
    yield opened
    engine.dispose()


def _answer(payload: dict[str, Any]) -> dict[str, Any]:
    if payload["candidate"] == "A cyst.":
        return {**answers(), "not_assessable": "quality"}
    return answers(likert="3" if payload["candidate"].startswith("Yes") else "2")


def files_of(situation: Situation, name: str, *runs: str) -> dict[str, str]:
    files = exports.export_verdicts(situation.database, situation.admin, situation.study_key, name, "", runs)
    return {file: "".join(pieces) for file, pieces in files.items()}


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_tidy_file_has_a_line_for_each_candidate_and_each_who_says_something_of_it(situation: Situation) -> None:
    rows = rows_of(files_of(situation, "tidy")["verdicts.csv"])

    people = {
        (row["candidate"], row["party"]): (row["state"], row["verdict"]) for row in rows if row["kind"] == "human"
    }
    assert people == {
        (key, f"Rater {number}"): expected
        for number in (1, 2)
        for key, expected in {"k1": ("verdict", "3"), "k3": ("verdict", "2"), "k5": ("not_assessable", "")}.items()
    }
    of_run = {row["candidate"]: (row["state"], row["verdict"]) for row in rows if row["run"] == "second"}
    assert of_run == {"k1": ("verdict", "3"), "k2": ("verdict", "1"), "k3": ("refusal", ""), "k5": ("verdict", "2")}


def test_the_tidy_file_has_what_is_declared_and_the_chance_of_being_drawn(situation: Situation) -> None:
    by_key = {row["candidate"]: row for row in rows_of(files_of(situation, "tidy", "first")["verdicts.csv"])}

    assert (by_key["k5"]["model"], by_key["k5"]["subject"], by_key["k5"]["tier"]) == ("model-a", "subject-3", "1")
    assert (by_key["k1"]["probability"], by_key["k2"]["probability"]) == ("1.0", "")


def test_candidates_of_which_a_run_has_no_verdict_are_listed_with_why(situation: Situation) -> None:
    rows = rows_of(files_of(situation, "without-verdict", "first")["without_verdict.csv"])

    assert {(row["candidate"], row["run"], row["why"]) for row in rows} == {
        ("k3", "first", "refusal"), ("k4", "first", "not_in_the_run"), ("k6", "first", "not_in_the_run"),
    }  # fmt: skip
    assert {row["model"] for row in rows} <= {"model-a", "model-b"}


def test_a_name_that_a_spreadsheet_would_compute_is_written_as_text(situation: Situation) -> None:
    rows = rows_of(files_of(situation, "tidy")["verdicts.csv"])

    assert {row["party"] for row in rows if row["kind"] == "judge"} == {"'=Judge"}


def test_the_long_file_is_a_whole_grid_of_what_people_labelled_with_na(situation: Situation) -> None:
    rows = rows_of(files_of(situation, "long")["long.csv"])

    assert [(row["unit"], row["rater"], row["run"], row["rating"], row["score"]) for row in rows] == [
        ("i1/k1", "Rater 1", "", "3", "3"),
        ("i1/k1", "Rater 2", "", "3", "3"),
        ("i1/k1", "'=Judge", "first", "3", "3"),
        ("i1/k1", "'=Judge", "second", "3", "3"),
        ("i2/k3", "Rater 1", "", "2", "2"),
        ("i2/k3", "Rater 2", "", "2", "2"),
        ("i2/k3", "'=Judge", "first", "NA", "NA"),
        ("i2/k3", "'=Judge", "second", "NA", "NA"),
    ]


def test_the_files_of_the_alternative_annotator_test_have_annotations_by_annotator(situation: Situation) -> None:
    files = {name: json.loads(text) for name, text in files_of(situation, "alt-test").items()}

    assert files == {
        "human_annotations.json": {"Rater 1": {"k1": 3, "k3": 2}, "Rater 2": {"k1": 3, "k3": 2}},
        "llm_annotations.json": {"=Judge": {"k1": 3}, "=Judge, second": {"k1": 3}},
    }


@pytest.mark.parametrize(
    ("name", "field", "runs", "says"),
    [
        ("xlsx", "", (), "no format 'xlsx', expected one of tidy, long, alt-test, differing, coding"),
        ("tidy", "grade.other", (), "Say which field is exported: expected one of grade.likert"),
        ("tidy", "", ("third",), "no run 'third' in grade.likert; expected some of first, second"),
    ],
)
def test_what_there_is_not_is_refused(
    situation: Situation, name: str, field: str, runs: tuple[str, ...], says: str
) -> None:
    with pytest.raises(Conflict, match=says):
        exports.export_verdicts(situation.database, situation.admin, situation.study_key, name, field, runs)


@pytest.mark.parametrize(
    ("runs", "field"),
    [((), ""), (("first",), "grade.verdict"), (("second",), "grade.harm"), (("first", "second"), ""), (("third",), "")],
)
def test_of_several_fields_the_runs_tell_which_is_meant(runs: tuple[str, ...], field: str) -> None:
    known = {"grade.verdict": ("Verdict", ["first", "again"]), "grade.harm": ("Harm", ["second"])}

    assert calibrating.field_of(known, runs) == field


def test_two_prompts_of_a_judge_are_two_parties_in_every_file() -> None:
    parties = [
        Party("Judge", "judge", run, [("verdict", "1")], prompt)
        for run, prompt in (("a", "Judge (v1)"), ("b", "Judge (v2)"))
    ]
    people = Party("Rater 1", "human", "", [("verdict", "1")])
    exported = exports.Exported(("item", "candidate"), [("i1", "k1")], [people, *parties], ("0", "1"))

    named = {
        column: {row[column] for row in rows_of("".join(next(iter(make(exported).values()))))} - {"Rater 1"}
        for column, make in (("party", exports.tidy), ("rater", exports.long_for_r))
    }
    assert named == {column: {"Judge (v1)", "Judge (v2)"} for column in ("party", "rater")}
    assert set(json.loads("".join(exports.alt_test(exported)["llm_annotations.json"]))) == {"Judge (v1)", "Judge (v2)"}


def test_a_rater_exports_nothing(situation: Situation) -> None:
    with pytest.raises(NotAllowed):
        exports.export_verdicts(situation.database, situation.raters[0], situation.study_key, "tidy")


def test_the_files_that_a_format_is_said_to_have_are_those_that_it_writes() -> None:
    nothing = exports.Exported(("item", "candidate"), (), (), ())

    assert {name: tuple(make(nothing)) for name, make in exports.FORMATS.items()} == exports.FILES
