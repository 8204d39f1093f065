"""Labels made elsewhere: each on the candidate that its line fits, marked as not blinded here, or all refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import select

from db import AuditEvent, Candidate, Database, ImportedLabel, LabelImport
from db.engine import make_engine
from exchange.refusal import InputRefused
from services.errors import Conflict, NotAllowed
from services.judging import import_labels, sealed_split
from services.judging.import_labels import LabelLine
from services.judging.sources import RunFile, asked_of
from services.record.verification import verify_study
from services.studies.freeze import thawing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import SCORE_ALONE, imported_listed, opened_listed, write_listed
from tests.services.judging.test_foreign_files import FILES, SCORED, with_image_paths
from tests.situations import Situation, open_study

Stored = dict[tuple[str, str], tuple[str | None, str]]


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Situation:
    folder = tmp_path_factory.mktemp("labels")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    return opened_listed(Database(engine, folder / "data"), folder / "study", SCORED, changes=[with_image_paths])


def take_in(situation: Situation, content: bytes, name: str, **more: Any) -> LabelLine:
    arguments = {"file_name": "labels.csv", "field": "grade.verdict", **more}
    return import_labels.import_labels(
        situation.database, situation.admin, situation.study_key, name=name, content=content, **arguments
    )


def stored(situation: Situation, name: str) -> tuple[LabelImport, Stored]:
    with situation.database.read_only() as session:
        imported = session.exec(select(LabelImport).where(LabelImport.name == name)).one()
        rows = session.exec(
            select(Candidate.key, ImportedLabel)
            .join(Candidate, Candidate.id == ImportedLabel.candidate_id)
            .where(ImportedLabel.import_id == imported.id)
        ).all()
        return imported, {(key, row.labeller): (row.label, row.missing) for key, row in rows}


def problems_of(situation: Situation, content: bytes, **more: Any) -> Sequence[str]:
    with pytest.raises(InputRefused) as refusal:
        take_in(situation, content, "refused", **more)
    with situation.database.read_only() as session:
        assert session.exec(select(LabelImport).where(LabelImport.name == "refused")).first() is None
    return [str(problem) for problem in refusal.value.problems]


def test_files_in_pieces_are_stored_together_and_two_labels_of_one_labeller_refuse_all(situation: Situation) -> None:
    first = b"item,candidate,labeller,verdict\ni1,k1,Dr A,correct\n"
    second = b"item,candidate,labeller,verdict\ni1,k1,Dr B,incorrect\ni1,k2,Dr A,correct\n"

    line = take_in(situation, first, "pieces", file_name="a.csv", further=[RunFile("b.csv", second)])

    assert (line.source, line.labellers, line.labels) == ("a.csv, b.csv", ("Dr A", "Dr B"), 3)
    (said,) = problems_of(situation, first, file_name="a.csv", further=[RunFile("c.csv", second.replace(b"k2", b"k1"))])
    assert "i1 + k1" in said and "a.csv, line 2" in said and "c.csv, line 3" in said


def test_no_rater_waits_while_the_candidates_of_labels_are_looked_for(situation: Situation) -> None:
    """Keys are compared before the transaction that writes, which every submit waits for."""
    statements: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    event.listen(situation.database.engine, "before_cursor_execute", note)
    try:
        take_in(situation, b"item,candidate,verdict\ni1,k1,correct\n", "waits", labeller="Dr W")
    finally:
        event.remove(situation.database.engine, "before_cursor_execute", note)

    begun = statements.index("BEGIN IMMEDIATE")
    assert any("FROM candidate" in each for each in statements[:begun])
    assert not any("FROM candidate" in each for each in statements[begun:])


def test_labels_of_several_physicians_are_filed_under_candidate_and_name(situation: Situation) -> None:
    content = (FILES / "healthbench_meta.jsonl").read_bytes()

    line = take_in(situation, content, "physicians", blinding="to the model", is_random_part=True)

    imported, labels = stored(situation, "physicians")
    assert labels == {
        ("k1", "p1"): ("correct", ""), ("k1", "p2"): ("correct", ""), ("k1", "p3"): ("incorrect", ""),
        ("k3", "p2"): ("correct", ""), ("k3", "p4"): ("incorrect", ""),
    }  # fmt: skip
    assert (line.labellers, line.candidates, line.labels) == (("p1", "p2", "p3", "p4"), 2, 5)
    assert "made elsewhere, not blinded here" in line.in_words and "said to be: to the model" in line.in_words
    assert (imported.field, imported.blinding, imported.drawn) == ("grade.verdict", "to the model", "random")
    assert imported.person_id == situation.admin.person_id and imported.parameters["layout"] == "healthbench-meta"
    with situation.database.read_only() as session:
        events = session.exec(select(AuditEvent).where(AuditEvent.action == "labels made elsewhere imported")).all()
    assert events[-1].detail["labels"] == "physicians"
    assert set(events[-1].detail["rows"]) == {"label_import", "imported_label"}
    assert verify_study(situation.database, situation.study_key) == []


def test_physicians_labels_are_read_where_a_grader_added_its_own(situation: Situation) -> None:
    rows = (FILES / "healthbench_meta.jsonl").read_text("utf-8").splitlines()
    graded = "\n".join(json.dumps({**json.loads(row), "criteria_met": True}) for row in rows)

    take_in(situation, graded.encode(), "beside a grader")

    assert stored(situation, "beside a grader")[1][("k3", "p4")] == ("incorrect", "")


def test_another_verdict_of_such_a_file_is_no_physicians(situation: Situation) -> None:
    rows = (FILES / "healthbench_meta.jsonl").read_text("utf-8").splitlines()
    content = "\n".join(json.dumps({**json.loads(row), "mine": "correct"}) for row in rows).encode()
    asked = asked_of(columns=["verdict=mine"])
    assert "does not say who labelled" in problems_of(situation, content, asked=asked)[0]

    take_in(situation, content, "mine", asked=asked, labeller="Dr A")

    assert stored(situation, "mine")[1] == {("k1", "Dr A"): ("correct", ""), ("k3", "Dr A"): ("correct", "")}


def test_columns_of_labellers_beside_strange_keys_ask_for_the_keys_and_not_for_a_labeller(situation: Situation) -> None:
    content = b"Question,Answer,Dr A,Dr B\ni1,k1,correct,incorrect\n"

    (problem,) = problems_of(situation, content, asked=asked_of(labellers=["Dr A", "Dr B"]), file_name="sheet.csv")

    assert problem.startswith("sheet.csv has a column for each labeller, and none that says which answer is meant")
    columns = ["item=Question", "candidate=Answer"]
    take_in(situation, content, "keyed", asked=asked_of(columns=columns, labellers=["Dr A", "Dr B"]))
    assert stored(situation, "keyed")[1] == {("k1", "Dr A"): ("correct", ""), ("k1", "Dr B"): ("incorrect", "")}


TWO_KEYS = [{"item": "i1", "candidate": "k1"}, {"item": "i1", "candidate": "k2"}]


@pytest.mark.parametrize(
    ("name", "table", "columns"),
    [
        ("both keys", b"item,candidate,Dr A,Dr B\ni1,k1,correct,\ni1,k2,,incorrect\n", []),
        ("one key", b"item;Antwort;Dr A;Dr B\ni1;k1;correct;\ni1;k2;;incorrect\n", ["candidate=Antwort"]),
        (
            "keys of an array",
            json.dumps([TWO_KEYS[0] | {"Dr A": "correct"}, TWO_KEYS[1] | {"Dr B": "incorrect"}]).encode(),
            [],
        ),
    ],
)
def test_keys_beside_columns_of_labellers_are_mapped_only_where_they_are_called_otherwise(
    situation: Situation, name: str, table: bytes, columns: list[str]
) -> None:
    take_in(situation, table, name, asked=asked_of(columns=columns, labellers=["Dr A", "Dr B"]))

    assert stored(situation, name)[1] == {("k1", "Dr A"): ("correct", ""), ("k2", "Dr B"): ("incorrect", "")}


def test_a_file_that_names_nobody_takes_the_labeller_that_is_named(situation: Situation) -> None:
    content = (FILES / "marcus_vqa.json").read_bytes()
    (problem,) = problems_of(situation, content, field="grade.likert", file_name="marcus.json")
    assert problem.startswith("marcus.json does not say who labelled: name the labeller, or the column")

    take_in(situation, content, "marcus", field="grade.likert", labeller="Dr A", file_name="marcus.json")

    _, labels = stored(situation, "marcus")
    # Whoever gave no label for a reason said something; an empty cell says nothing.
    assert labels[("k1", "Dr A")] == ("3", "") and labels[("k4", "Dr A")] == (None, "unreadable")


def test_a_spreadsheet_with_a_column_for_each_person_is_read(situation: Situation) -> None:
    table = b"Fall;Antwort;Dr A;Dr B\ni1;k1;richtig;falsch\ni1;k2;;richtig\n"

    line = take_in(
        situation, table, "sheet",
        asked=asked_of(
            columns=["item=Fall", "candidate=Antwort"], says=["richtig=correct", "falsch=incorrect"],
            labellers=["Dr A", "Dr B"],
        ),
    )  # fmt: skip

    imported, labels = stored(situation, "sheet")
    assert labels == {
        ("k1", "Dr A"): ("correct", ""), ("k1", "Dr B"): ("incorrect", ""), ("k2", "Dr B"): ("correct", ""),
    }  # fmt: skip
    assert "how they were blinded is not known" in line.in_words
    assert imported.parameters["labellers"] == ["Dr A", "Dr B"]


TWO = [
    {"item": "i1", "candidate": "k1", "labeller": "Dr A", "verdict": "Correct"},
    {"item": "i1", "candidate": "k1", "labeller": "Dr B", "verdict": "incorrect"},
]


@pytest.mark.parametrize(
    ("content", "file_name"),
    [
        (b"item,candidate,labeller,verdict\ni1,k1,Dr A,correct\ni1,k1,Dr B,Incorrect\n", "labels.csv"),
        (json.dumps(TWO[0]).encode() + b"\n" + json.dumps(TWO[1]).encode(), "labels.jsonl"),
        (json.dumps(TWO).encode(), "labels.json"),
    ],
)  # fmt: skip
def test_our_own_columns_with_labeller_are_read_in_each_form(
    situation: Situation, content: bytes, file_name: str
) -> None:
    take_in(situation, content, file_name, file_name=file_name)

    assert stored(situation, file_name)[1] == {
        ("k1", "Dr A"): ("correct", ""), ("k1", "Dr B"): ("incorrect", ""),
    }  # fmt: skip


def test_who_labelled_may_stand_in_any_column(situation: Situation) -> None:
    rows = [{"q": "Prompt of i1?", "a": "No.", "by": {"id": 7}, "score": "wrong"}]
    asked = asked_of(
        columns=["question=q", "answer=a", "labeller=by.id", "verdict=score"], says=["wrong=incorrect"]
    )  # fmt: skip

    take_in(situation, json.dumps(rows).encode(), "mapped", file_name="x.json", asked=asked)

    assert stored(situation, "mapped")[1] == {("k2", "7"): ("incorrect", "")}
    rows[0]["by"] = {}
    (problem,) = problems_of(situation, json.dumps([*rows, {**rows[0], "by": {"id": 7}}]).encode(), asked=asked)
    assert problem == "labels.csv, entry 1: has nothing under 'by.id', where it says who labelled; fill it in."


HEAD = b"item,candidate,labeller,verdict\n"


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (b"i1,k9,Dr A,correct\n", "by item it is 2 candidates (k1, k2), with another candidate than 'k9'"),
        (
            b"i1,k1,Dr A,correct\ni1,k1,Dr A,correct\n",
            "labels.csv, Dr A: one labeller may label a candidate once, but some are labelled twice, such as i1 + k1",
        ),
        (b"i1,k1,Dr A,7\n", "verdict '7' is not one of incorrect, partly, correct, excluded"),
        (b"i1,k1,,correct\n", "labeller is empty; say who gave the label."),
        (b"i1,k1,Dr A,\n", "labels.csv holds no label; expected one at least."),
        (b"i1,k1," + b"x" * 81 + b",correct\n", "is not a name of at most 80 printable letters"),
    ],
)
def test_what_is_wrong_with_a_file_refuses_the_whole_of_it(situation: Situation, rows: bytes, says: str) -> None:
    problems = problems_of(situation, HEAD + b"i2,k3,Dr B,correct\n" * (b",\n" not in rows) + rows)

    assert any(says in problem for problem in problems), problems


def test_a_column_of_texts_is_not_taken_for_the_names_of_people(situation: Situation) -> None:
    rows = b"".join(b"i1,k1,Name %d,correct\n" % number for number in range(301))

    (problem,) = problems_of(situation, HEAD + rows)

    assert "has 301 labellers, such as Name 0, Name 1" in problem and "at most 300 are taken" in problem


def test_a_name_is_taken_once_and_a_labeller_is_not_named_twice(situation: Situation) -> None:
    content = HEAD + b"i1,k1,Dr A,correct\n"
    take_in(situation, content, "once")

    with pytest.raises(Conflict, match="This file has already been imported as labels 'once'; nothing was changed"):
        take_in(situation, content, "once")
    with pytest.raises(Conflict, match="Labels 'once' already exist in this study; choose another name"):
        take_in(situation, content + b"i1,k2,Dr A,correct\n", "once")
    with pytest.raises(Conflict, match="The name of the labels holds a line break or an invisible character"):
        take_in(situation, content, "twice\nover")
    with pytest.raises(Conflict, match="The labels have no name"):
        take_in(situation, content, " ")
    assert "says itself who labelled (Dr A)" in problems_of(situation, content, labeller="Dr B")[0]


def test_labels_are_of_one_field_that_people_rate(situation: Situation) -> None:
    with pytest.raises(Conflict, match=r"Say of which field the labels are: grade.verdict, grade.likert"):
        take_in(situation, HEAD + b"i1,k1,Dr A,correct\n", "refused", field="")
    with pytest.raises(Conflict, match=r"There is no field 'grade\.grade'"):
        take_in(situation, HEAD + b"i1,k1,Dr A,correct\n", "refused", field="grade.grade")


def test_nobody_but_an_admin_brings_labels_in_or_sees_that_there_are_any(situation: Situation) -> None:
    with pytest.raises(NotAllowed):
        import_labels.labels_of(situation.database, situation.raters[0], situation.study_key)
    with pytest.raises(NotAllowed):
        import_labels.import_labels(
            situation.database, situation.raters[0], situation.study_key, name="mine", file_name="labels.csv",
            content=HEAD + b"i1,k1,Dr A,correct\n", field="grade.verdict",
        )  # fmt: skip


def test_what_is_about_no_candidate_is_left_out_and_counted_where_that_is_allowed(situation: Situation) -> None:
    content = HEAD + b"i1,k1,Dr A,correct\ni7,k9,Dr A,correct\n"
    (problem,) = problems_of(situation, content)
    assert "no candidate of the study has the item 'i7' (of Dr A)" in problem

    line = take_in(situation, content, "in part", skip_unplaced=True)

    assert line.labels == 1 and "1 line of the file could not be placed" in line.in_words


def test_a_line_without_a_candidate_counts_once_however_many_people_it_is_of(situation: Situation) -> None:
    content = b"item,candidate,Dr A,Dr B\ni1,k1,correct,correct\ni7,k9,correct,correct\n"
    asked = {"asked": asked_of(labellers=["Dr A", "Dr B"])}
    (problem,) = problems_of(situation, content, **asked)
    assert "line 3: no candidate of the study has the item 'i7'" in problem

    line = take_in(situation, content, "wide", skip_unplaced=True, **asked)

    assert line.labels == 2 and "1 line of the file could not be placed" in line.in_words


def test_a_file_of_our_own_that_is_about_nothing_of_the_study_is_refused_also_where_lines_may_be_left_out(
    situation: Situation,
) -> None:
    content = b"item,candidate,verdict\nno,such,correct\nnone,either,incorrect\n"

    (problem,) = problems_of(situation, content, labeller="Dr Astray", skip_unplaced=True)

    assert "holds no verdicts on candidates of the study, line 2: the study has no candidate no + such" in problem


def test_a_study_that_marks_answers_after_its_reads_takes_labels_on_its_own_scale(
    database: Database, tmp_path: Path
) -> None:
    opened = open_study(database, tmp_path / "study")

    line = take_in(opened, b"item,candidate,verdict\ni1,k1,1\n", "of one", field="", labeller="Rater 1")

    assert line.namesakes == ("Rater 1",) and "Also names of members of this study" in line.in_words
    assert stored(opened, "of one")[1] == {("k1", "Rater 1"): ("correct", "")}
    assert verify_study(database, opened.study_key) == []


def test_labels_come_after_the_freeze_and_forbid_a_thaw_and_a_later_division(
    database: Database, tmp_path: Path
) -> None:
    draft = imported_listed(database, write_listed(tmp_path / "draft", SCORE_ALONE), key="draft")
    with pytest.raises(Conflict, match="Freeze the study first: labels are placed on a frozen pool"):
        take_in(draft, HEAD + b"i1,k1,Dr A,correct\n", "too early", field="score.verdict")
    opened = opened_listed(database, tmp_path / "study", SCORE_ALONE)
    take_in(opened, HEAD + b"i1,k1,Dr A,correct\n", "labels", field="")

    with pytest.raises(Conflict, match="cannot be thawed: labels made elsewhere were imported"):
        thawing.thaw_study(database, opened.admin, "listed", "To correct a prompt.")
    with pytest.raises(Conflict, match="Labels made elsewhere were imported before"):
        sealed_split.make_split(database, opened.admin, "listed")
