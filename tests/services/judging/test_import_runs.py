"""A judge's verdicts: all of a file or nothing, joined by item and candidate, errors never counted as incorrect."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db import AuditEvent, Candidate, Database, JudgeRun, JudgeVerdict
from services.errors import Conflict, InputRefused, NotAllowed
from services.judging import import_runs
from services.judging.import_runs import JudgeRunLine
from tests.situations import Situation, open_study

CSV = (
    b"item,candidate,verdict,error,explanation\n"
    b"i1,k1,correct,,Same side.\n"
    b"i1,k2,incorrect,,\n"
    b"i2,k3,,timeout,\n"
    b"i2,k4,0,,\n"
)
JSON_LINES = "\n".join(
    json.dumps(row)
    for row in (
        {"item": "i1", "candidate": "k1", "verdict": True, "explanation": "Same side."},
        {"item": "i1", "candidate": "k2", "verdict": "incorrect"},
        {"item": "i2", "candidate": "k3", "verdict": None, "error": "timeout"},
        {"item": "i2", "candidate": "k4", "verdict": 0, "model_confidence": 0.7},
    )
).encode()


def take_in(situation: Situation, content: bytes = CSV, **changed: Any) -> JudgeRunLine:
    arguments = {"name": "run 1", "judge": "some model", "file_name": "judge.csv", **changed}
    return import_runs.import_judge_verdicts(situation.database, situation.admin, "tiny", content=content, **arguments)


def stored_verdicts(database: Database) -> dict[str, tuple[str | None, str | None]]:
    with database.read_only() as session:
        rows = session.exec(
            select(Candidate.key, JudgeVerdict.verdict, JudgeVerdict.error).join(
                JudgeVerdict, JudgeVerdict.candidate_id == Candidate.id
            )
        ).all()
    return {key: (verdict, error) for key, verdict, error in rows}


def nothing_is_stored(database: Database) -> bool:
    with database.read_only() as session:
        runs = session.exec(select(JudgeRun)).all()
        events = session.exec(select(AuditEvent).where(AuditEvent.action == "judge verdicts imported")).all()
    return not runs and not events and not stored_verdicts(database)


@pytest.mark.parametrize(("content", "file_name"), [(CSV, "judge.csv"), (JSON_LINES, "judge.jsonl")])
def test_verdicts_come_in_from_csv_and_json_lines(
    database: Database, tmp_path: Path, content: bytes, file_name: str
) -> None:
    situation = open_study(database, tmp_path / "study")

    line = take_in(situation, content, file_name=file_name)

    sha256 = hashlib.sha256(content).hexdigest()
    assert line == JudgeRunLine("run 1", "some model", 4, unresolved=1, not_judged=2, source_sha256=sha256)
    assert line.judged == 3
    assert stored_verdicts(database) == {
        "k1": ("correct", None),
        "k2": ("incorrect", None),
        "k3": (None, "timeout"),
        "k4": ("incorrect", None),
    }


def test_an_error_stays_unresolved_and_is_never_incorrect(opened: Situation) -> None:
    content = b"item,candidate,verdict,error\ni1,k1,,refused\ni1,k2,,\n"

    line = take_in(opened, content)

    assert line.unresolved == 2
    assert stored_verdicts(opened.database) == {"k1": (None, "refused"), "k2": (None, "no verdict")}


def test_a_run_is_listed_with_counts_and_is_in_the_audit_chain(opened: Situation) -> None:
    line = take_in(opened)

    assert import_runs.judge_runs_of(opened.database, opened.admin, "tiny") == [line]
    with opened.database.read_only() as session:
        event = session.exec(select(AuditEvent).order_by(AuditEvent.id.desc())).first()
    assert event is not None
    assert (event.action, event.detail["source_sha256"]) == ("judge verdicts imported", line.source_sha256)


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (b"i1,k1,1\ni9,k2,1\ni1,k9,0\n", ("2 of 3 verdicts", "i9 + k2 (line 3)", "i1 + k9 (line 4)")),
        (b"i2,k1,1\n", ("1 of 1 verdicts", "i2 + k1 (line 2)")),  # both exist, but not together
        (b"I1,K1,1\n", ("I1 + K1 (line 2)",)),
        (b"i1,k1,1\ni1,k1,0\n", ("judged twice", "i1 + k1 (line 2), i1 + k1 (line 3)")),
        (b"i1,k1,1\ni1,k1,1\n", ("judged twice",)),  # also when they say the same
        (b"i1,k1,1\ni1,k2,maybe\n", ("line 3", "neither correct nor incorrect")),
    ],
)
def test_unmatched_and_doubled_verdicts_are_refused_with_the_offenders_and_nothing_is_stored(
    opened: Situation, lines: bytes, named: tuple[str, ...]
) -> None:
    with pytest.raises(InputRefused) as refusal:
        take_in(opened, b"item,candidate,verdict\n" + lines)

    assert all(part in str(refusal.value) for part in named), str(refusal.value)
    assert str(refusal.value).startswith("judge.csv")
    assert nothing_is_stored(opened.database)


def test_a_file_is_refused_once_with_wrong_verdicts_unknown_candidates_and_doubled_ones(opened: Situation) -> None:
    lines = b"i1,k1,maybe\ni9,k9,perhaps\ni1,k2,1\ni1,k2,0\ni8,k8,1\n"

    with pytest.raises(InputRefused) as refusal:
        take_in(opened, b"item,candidate,verdict\n" + lines)

    said = [str(problem) for problem in refusal.value.problems]
    assert refusal.value.count == len(said) == 4
    assert all("neither correct nor incorrect" in sentence for sentence in said[:2])
    assert "2 of 5 verdicts name an item and candidate that the study lacks, such as i9 + k9 (line 3)" in said[2]
    assert said[2].endswith(
        "correct the keys and import again, or leave out such lines (“Skip rows that match no candidate, or are not as "
        "their format says” on the page, --skip-unplaced of the command)."
    )
    assert "some are judged twice, such as i1 + k2 (line 4)" in said[3]
    assert nothing_is_stored(opened.database)


def test_only_some_of_many_offenders_are_listed(opened: Situation) -> None:
    lines = b"".join(b"i1,x%d,1\n" % number for number in range(100))

    with pytest.raises(InputRefused, match="100 of 100 verdicts") as refusal:
        take_in(opened, b"item,candidate,verdict\n" + lines)

    assert len(str(refusal.value)) < 400


def test_the_same_run_is_taken_once_however_often_its_button_is_pressed(opened: Situation) -> None:
    take_in(opened)

    with pytest.raises(Conflict, match="already been imported as run 'run 1'"):
        take_in(opened, file_name="renamed.csv")

    assert len(stored_verdicts(opened.database)) == 4


def test_a_repeated_run_may_say_the_same_of_every_candidate(opened: Situation) -> None:
    take_in(opened)
    take_in(opened, name="run 2")

    runs = import_runs.judge_runs_of(opened.database, opened.admin, "tiny")
    assert [(run.name, run.candidates) for run in runs] == [("run 1", 4), ("run 2", 4)]


def test_two_runs_do_not_share_a_name(opened: Situation) -> None:
    take_in(opened)

    with pytest.raises(Conflict, match="A run 'run 1' already exists"):
        take_in(opened, CSV + b"i5,k5,1,,\n", name=" run 1 ")


def test_a_second_run_stands_beside_the_first(opened: Situation) -> None:
    take_in(opened)

    take_in(opened, CSV.replace(b"k1,correct", b"k1,incorrect"), name="run 2")

    assert [run.name for run in import_runs.judge_runs_of(opened.database, opened.admin, "tiny")] == ["run 1", "run 2"]


def test_of_several_imports_at_once_one_counts(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")

    def try_it(_: int) -> bool:
        try:
            take_in(situation)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(try_it, range(4))) == 1
    assert len(stored_verdicts(database)) == 4


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"name": "  "}, "has no name"),
        ({"name": "n" * 81}, "81 characters"),
        ({"judge": "j" * 121}, "121 characters"),
        ({"name": "GPT\n5"}, "name of the run .* line break"),
        ({"judge": "\u202egpt"}, "name of the judge .* invisible"),
    ],
)
def test_a_run_needs_a_name_that_fits(opened: Situation, changed: dict[str, str], expected: str) -> None:
    with pytest.raises(Conflict, match=expected):
        take_in(opened, **changed)


def test_a_judge_without_a_name_is_called_like_its_run(opened: Situation) -> None:
    assert take_in(opened, judge="").judge == "run 1"


def test_a_study_that_is_not_frozen_takes_no_judge(imported: Situation) -> None:
    with pytest.raises(Conflict, match="Freeze the study first"):
        take_in(imported)


def test_only_the_admin_brings_in_a_judge(opened: Situation) -> None:
    for other in (*opened.raters, opened.reviewer):
        with pytest.raises(NotAllowed):
            import_runs.import_judge_verdicts(
                opened.database, other, "tiny", name="n", judge="j", content=CSV, file_name="judge.csv"
            )
        with pytest.raises(NotAllowed):
            import_runs.judge_runs_of(opened.database, other, "tiny")


def test_what_an_import_says_has_every_number_with_its_thousands() -> None:
    line = JudgeRunLine("run 1", "a model", 15_000, 5_000, 1_200, "0" * 64)

    assert line.in_words == (
        "Run 'run 1' is imported: 10,000 of 16,200 candidates judged, 5,000 without a verdict, 1,200 missing from the "
        "file."
    )
