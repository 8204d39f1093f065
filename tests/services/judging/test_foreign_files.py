"""Verdicts from other programs' files: each on the candidate that all it says fits, or named with the reason."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db import Candidate, Database, JudgeRun, JudgeVerdict
from db.engine import make_engine
from exchange.foreign import healthbench_meta
from exchange.foreign.layout import Asked, Source
from exchange.foreign.reading import read_foreign
from exchange.refusal import InputRefused, Problems
from protocol.scales import CORRECTNESS
from services.errors import Conflict
from services.judging import import_runs
from services.judging.import_runs import Identity, JudgeRunLine
from services.judging.sources import RunFile, asked_of
from services.record.verification import verify_study
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import opened_listed
from tests.situations import Situation, open_study

FILES = Path(__file__).resolve().parents[2] / "exchange" / "foreign_files"
SCORED = """
blindread: 2
name: listed
title: Scores on several scales
attributes: {items: {image_path: text}}
phases:
  - key: grade
    title: Grades
    rates: candidates
    shows: [prompt, reference, candidate]
    form:
      verdict: {type: correctness, partly: In part, excluded: Cannot be scored}
      likert: {type: ordinal, options: {'1': Poor, '2': Fair, '3': Good}}
      diagnosis_name: {type: choice, options: {stroke: Stroke, tumor: Tumour}}
"""
Stored = dict[str, tuple[str | None, str, float | None]]


def with_image_paths(folder: Path) -> None:
    table = folder / "items.csv"
    rows = list(csv.DictReader(io.StringIO(table.read_text("utf-8"))))
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0], "image_path"])
        writer.writeheader()
        writer.writerows({**row, "image_path": f"../../data/aisd/{row['item']}.png"} for row in rows)


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Situation:
    folder = tmp_path_factory.mktemp("foreign")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    return opened_listed(Database(engine, folder / "data"), folder / "study", SCORED, changes=[with_image_paths])


def take_in(situation: Situation, content: bytes, name: str, **more: Any) -> JudgeRunLine:
    arguments = {"file_name": "judged.json", "field": "grade.verdict", **more}
    return import_runs.import_judge_verdicts(
        situation.database, situation.admin, situation.study_key, name=name, judge="Judge", content=content, **arguments
    )


def file_of(name: str) -> bytes:
    return (FILES / name).read_bytes()


def rows_of(*rows: dict[str, Any]) -> bytes:
    return json.dumps(rows).encode()


def stored(situation: Situation, name: str) -> tuple[JudgeRun, Stored]:
    with situation.database.read_only() as session:
        run = session.exec(select(JudgeRun).where(JudgeRun.name == name)).one()
        rows = session.exec(
            select(Candidate.key, JudgeVerdict)
            .join(Candidate, Candidate.id == JudgeVerdict.candidate_id)
            .where(JudgeVerdict.run_id == run.id)
        ).all()
        return run, {key: (row.verdict, row.failure, row.confidence) for key, row in rows}


def problems_of(situation: Situation, content: bytes, **more: Any) -> Sequence[str]:
    with pytest.raises(InputRefused) as refusal:
        take_in(situation, content, "refused", **more)
    with situation.database.read_only() as session:
        assert session.exec(select(JudgeRun).where(JudgeRun.name == "refused")).first() is None
    return [str(problem) for problem in refusal.value.problems]


def test_rows_of_marcus_find_their_candidates_by_question_reference_case_and_answer(situation: Situation) -> None:
    take_in(situation, file_of("marcus_vqa.json"), "marcus", field="grade.likert")

    run, verdicts = stored(situation, "marcus")
    assert verdicts == {
        "k1": ("3", "", None),
        "k2": ("1", "", None),
        "k3": ("2", "", None),
        "k4": (None, "unreadable", None),
        "k5": (None, "error", None),
    }
    assert run.parameters["layout"] == "marcus"
    assert verify_study(situation.database, situation.study_key) == []


def test_excluded_of_marcus_is_a_verdict_of_a_scale_that_has_it(situation: Situation) -> None:
    take_in(situation, file_of("marcus_mcq.jsonl"), "marcus choices")

    _, verdicts = stored(situation, "marcus choices")
    assert {key: said for key, (said, _, _) in verdicts.items()} == {
        "k1": "correct", "k2": "incorrect", "k4": "excluded",
    }  # fmt: skip


def test_lines_of_neurovlm_bench_find_theirs_by_image_and_model(situation: Situation) -> None:
    take_in(situation, file_of("neurovlm_bench.jsonl"), "neurovlm", field="grade.diagnosis_name")

    _, verdicts = stored(situation, "neurovlm")
    assert verdicts == {
        "k1": ("stroke", "", 0.92),
        "k2": (None, "no_verdict", None),
        "k3": (None, "unreadable", None),
        "k4": (None, "error", None),
    }


def test_a_log_of_inspect_ai_brings_its_grader_prompt_and_day(situation: Situation) -> None:
    take_in(situation, file_of("inspect_ai.json"), "inspect")

    run, verdicts = stored(situation, "inspect")
    assert verdicts == {
        "k1": ("correct", "", None), "k3": ("incorrect", "", None), "k5": (None, "unreadable", None),
    }  # fmt: skip
    said = {key: run.parameters[key] for key in ("model", "prompt", "made_on")}
    assert said == {"model": "grader-9", "prompt": "Is it so? {answer}", "made_on": "2026-11-20"}


def log_with_status(status: str, which: slice = slice(None)) -> bytes:
    """Return the log of Inspect AI with another status, and some of its samples."""
    log = json.loads(file_of("inspect_ai.json"))
    return json.dumps(log | {"status": status, "samples": log["samples"][which]}).encode()


@pytest.mark.parametrize("status", ["error", "cancelled", "started"])
def test_a_log_whose_evaluation_did_not_run_to_its_end_is_imported_with_a_note_of_what_it_holds(
    situation: Situation, status: str
) -> None:
    line = take_in(situation, log_with_status(status), f"ended by {status}")

    note = (
        f"judged.json says that its evaluation did not run to its end (status '{status}'): it holds 3 samples, and "
        "others may be missing."
    )
    [listed] = [run for run in lines_of(situation) if run.name == line.name]
    assert note in line.in_words and note in listed.unread


def test_of_several_logs_those_are_noted_that_did_not_run_to_their_end(situation: Situation) -> None:
    files = [RunFile("rest.json", log_with_status("error", slice(1, None)))]

    line = take_in(situation, log_with_status("success", slice(1)), "two logs", file_name="one.json", further=files)

    assert "rest.json says that its evaluation did not run" in line.in_words and "holds 2 samples" in line.in_words
    assert "one.json says" not in line.in_words


def lines_of(situation: Situation) -> list[JudgeRunLine]:
    return import_runs.judge_runs_of(situation.database, situation.admin, situation.study_key)


def test_a_model_string_that_contradicts_the_file_is_refused(situation: Situation) -> None:
    with pytest.raises(Conflict, match="says that its judge is 'grader-9', and the model string is given as 'other'"):
        take_in(situation, file_of("inspect_ai.json"), "refused", identity=Identity("other"))


def test_columns_of_a_table_are_mapped_and_what_was_mapped_is_stored(situation: Situation) -> None:
    table = b"Frage,Modell,Urteil,Grund\nPrompt of i1?,model-b,falsch,Nein\nPrompt of i2?,model-a,k.A.,\n"
    columns = ["question=Frage", "model=Modell", "verdict=Urteil", "explanation=Grund"]

    take_in(
        situation, table, "mapped", file_name="urteile.csv",
        asked=asked_of(columns=columns, says=["falsch=incorrect", "k.A.=refusal"]),
    )  # fmt: skip

    run, verdicts = stored(situation, "mapped")
    assert verdicts == {"k2": ("incorrect", "", None), "k3": (None, "refusal", None)}
    assert run.parameters["columns"]["question"] == "Frage" and run.parameters["says"]["k.A."] == "refusal"


def test_rows_that_lack_a_mapped_path_are_counted_and_named_with_it(situation: Situation) -> None:
    entries = [
        {"item": "i1", "candidate": "k1", "score": {"grade": "correct"}},
        {"item": "i1", "candidate": "k2", "score": {"Grade": "correct"}},
        {"item": "i2", "candidate": "k3", "score": {"grade": None}},
        {"item": "i2", "candidate": "k4", "error": "timeout"},
    ]

    line = take_in(
        situation, json.dumps(entries).encode(), "renamed", file_name="judged.json",
        asked=asked_of(columns=["item=item", "candidate=candidate", "verdict=score.grade", "error=error"]),
    )  # fmt: skip

    assert line.unread == (
        " 1 entry has no 'score.grade', mapped to verdict, entry 2 first: check whether the file calls it so "
        "everywhere."
    )
    assert line.in_words.endswith(line.unread)
    assert stored(situation, "renamed")[0].parameters["lacking"] == {"verdict": {"rows": 1, "first": "entry 2"}}


BOTH = {"question": "Prompt of i1?", "ground_truth": "yes", "eval_label": "Correct"}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"question": "Prompt?"}, "no candidate of the study has the question 'Prompt?'"),
        ({}, "fits 2 candidates (k1, k2) by question and reference; say more of it, such as the model"),
        ({"ground_truth": "no"}, "by question it is 2 candidates (k1, k2), with another reference than 'no'"),
        ({"case_id": "c3"}, "by case it is 2 candidates (k5, k6), with another question than 'Prompt of i1?'"),
        (
            {"model_answer": "Perhaps."},
            "by question and reference it is 2 candidates (k1, k2), with another answer than 'Perhaps.'",
        ),
    ],
)
def test_a_row_that_cannot_be_placed_is_named_with_the_reason(
    situation: Situation, row: dict[str, str], says: str
) -> None:
    (problem,) = problems_of(situation, rows_of({**BOTH, **row}))

    assert problem.startswith("judged.json, entry 1: ") and says in problem


def test_a_json_file_of_no_known_layout_is_not_told_to_be_renamed(situation: Situation) -> None:
    rows = rows_of({"prompt": "Item 1?", "score": "correct"})

    with pytest.raises(
        InputRefused, match=r"none of the known formats \(.*marcus.*\): say what its columns are, such as"
    ):
        take_in(situation, rows, "of nobody")
    with pytest.raises(
        InputRefused, match=r"entry 1: has nothing that identifies its candidate: name the column that does"
    ):
        take_in(situation, rows, "of nobody", asked=asked_of(columns=["verdict=score"]))


def test_rows_are_never_placed_by_their_position(situation: Situation) -> None:
    rows = [{**BOTH, "model_answer": answer} for answer in ("No.", "Yes, there is.")]
    take_in(situation, rows_of(rows[0] | {"eval_label": "Incorrect"}, rows[1]), "turned round")

    _, verdicts = stored(situation, "turned round")
    assert (verdicts["k1"][0], verdicts["k2"][0]) == ("correct", "incorrect")


@pytest.mark.parametrize("name", ["judged.json", "judged.jsonl"])
def test_our_own_columns_may_begin_with_a_row_that_has_a_failure_and_no_verdict(
    situation: Situation, name: str
) -> None:
    rows = [
        {"item": "i1", "candidate": "k1", "failure": "refusal", "explanation": name},
        {"item": "i1", "candidate": "k2", "verdict": "correct"},
    ]
    lines = json.dumps(rows) if name == "judged.json" else "\n".join(map(json.dumps, rows))

    line = take_in(situation, lines.encode(), name, file_name=name)

    assert (line.judged, line.unresolved) == (1, 1)


def test_two_rows_about_one_candidate_are_refused(situation: Situation) -> None:
    row = {**BOTH, "model_answer": "No."}

    assert (
        "some are judged twice, such as i1 + k2 (entry 1), i1 + k2 (entry 2)"
        in problems_of(situation, rows_of(row, row))[0]
    )


def test_what_cannot_be_placed_is_left_out_and_counted_where_the_admin_allows_it(situation: Situation) -> None:
    rows = rows_of({**BOTH, "model_answer": "No."}, {**BOTH, "question": "Another?"}, BOTH)

    line = take_in(situation, rows, "in part", skip_unplaced=True)

    run, verdicts = stored(situation, "in part")
    assert verdicts == {"k2": ("correct", "", None)} and "2 lines of the file could not be placed" in line.in_words
    assert "2 lines of the file could not be placed" in line.in_words
    assert run.parameters["unplaced"]["rows"] == 2
    assert run.parameters["unplaced"]["examples"][0].startswith("entry 2: no candidate of the study has the question")


def test_a_wrong_verdict_is_refused_also_where_rows_may_be_left_out(situation: Situation) -> None:
    row = {**BOTH, "model_answer": "No.", "eval_label": "Maybe"}

    (problem,) = problems_of(situation, rows_of(row), skip_unplaced=True)

    assert problem.startswith(
        "judged.json, entry 1: verdict 'Maybe' is not one of incorrect, partly, correct, excluded"
    )


def test_a_file_of_which_nothing_can_be_placed_is_refused(situation: Situation) -> None:
    (problem,) = problems_of(situation, rows_of({**BOTH, "question": "Another?"}), skip_unplaced=True)

    assert "holds no verdicts on candidates of the study: 1 line could not be placed, entry 1: no candidate" in problem


def test_labels_of_people_are_no_run_of_a_judge(situation: Situation) -> None:
    (problem,) = problems_of(situation, file_of("healthbench_meta.jsonl"))

    assert "holds labels of people (p1, p2, p3, p4), and no verdicts of a judge" in problem


def test_our_own_tables_leave_out_what_the_study_lacks_where_the_admin_allows_it(
    database: Database, tmp_path: Path
) -> None:
    opened = open_study(database, tmp_path / "study")
    content = b"item,candidate,verdict\ni1,k1,1\ni9,k1,1\n"

    line = take_in(opened, content, "own", field="", file_name="judge.csv", skip_unplaced=True)

    assert line.candidates == 1 and "1 line of the file could not be placed" in line.in_words


def test_a_clue_of_which_the_study_knows_nothing_is_refused_once(database: Database, tmp_path: Path) -> None:
    opened = open_study(database, tmp_path / "study")

    with pytest.raises(InputRefused, match="names its candidates by image_path, and the study has no such attribute"):
        take_in(
            opened, file_of("neurovlm_bench.jsonl"), "refused", field="",
            asked=asked_of(columns=["verdict=output.parsed_response.modality"]),
        )  # fmt: skip


@pytest.mark.parametrize("typed", ["verdict", "=grade", " = "])
def test_a_mapping_that_is_none_is_refused(typed: str) -> None:
    with pytest.raises(Conflict, match="WHAT=COLUMN"):
        asked_of(columns=[typed])


UNCOMMON = {
    "a reply without its score": ({"likert_score": '```json\n{"rating": 2}\n```'}, "holds a reply without answer"),
    "a reply that breaks off": (
        {"likert_score": '```json\n{"answer": 2,\n```'},
        "holds a reply that is not valid JSON",
    ),
    "two scores": ({"likert_score": 1, "eval_label": "2"}, "has both likert_score and eval_label"),
    "a score and an error": ({"likert_score": 1, "eval_error": "timeout"}, "has both a verdict and eval_error"),
}


@pytest.mark.parametrize(("said", "because"), UNCOMMON.values(), ids=UNCOMMON)
def test_a_reply_that_is_not_as_its_format_says_is_listed_or_left_out_like_any_row_that_cannot_be_placed(
    situation: Situation, said: dict[str, Any], because: str
) -> None:
    usual, *others = json.loads(file_of("marcus_vqa.json"))
    rows = rows_of(usual, {**others[0], "likert_score": None, **said})

    (problem,) = problems_of(situation, rows, field="grade.likert")
    line = take_in(situation, rows, f"without {because}", field="grade.likert", skip_unplaced=True)

    assert problem.startswith(f"judged.json, entry 2: {because}")
    assert line.judged == 1 and line.unread.startswith(" 1 line of the file could not be placed.")
    run, verdicts = stored(situation, f"without {because}")
    assert verdicts == {"k1": ("3", "", None)}
    (example,) = run.parameters["unplaced"]["examples"]
    assert example.startswith(f"entry 2: {because}")


def test_a_line_whose_people_do_not_fit_their_labels_is_left_out_whole(situation: Situation) -> None:
    given = Problems()
    left_out: list[tuple[int, str]] = []
    source = Source(
        b'{"binary_labels": [true], "anonymized_physician_ids": ["p1", "p2"], "completion": "x"}', "l.jsonl"
    )

    read = read_foreign(
        source, healthbench_meta.LAYOUT, Asked(of_people=True), CORRECTNESS, given,
        lambda number, because: left_out.append((number, because)),
    )  # fmt: skip

    assert list(read.lines) == [] and given.count == 0
    assert left_out == [
        (1, "binary_labels and anonymized_physician_ids are not lists of one length; correct the line.")
    ]
