"""A run of a judge that comes in several files is one run: checked together, stored together, or not at all."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from sqlmodel import select

from db import JudgeRun, JudgeVerdict
from services.errors import Conflict, InputRefused
from services.judging import import_runs
from services.judging.import_runs import JudgeRunLine
from services.judging.sources import RunFile, asked_of
from tests.situations import Situation

HEADER = b"item,candidate,verdict\n"
FIRST = RunFile("a.csv", HEADER + b"i1,k1,correct\ni1,k2,incorrect\n")
SECOND = RunFile("b.csv", HEADER + b"i2,k3,\ni2,k4,0\n")


def take_in(situation: Situation, *files: RunFile, **changed: Any) -> JudgeRunLine:
    first, *further = files
    return import_runs.import_judge_verdicts(
        situation.database, situation.admin, "tiny", name="run", judge="Judge", content=first.content,
        file_name=first.name, further=further, **changed,
    )  # fmt: skip


def stored(situation: Situation) -> tuple[list[JudgeRun], int]:
    with situation.database.read_only() as session:
        return list(session.exec(select(JudgeRun))), len(session.exec(select(JudgeVerdict.id)).all())


def test_several_files_are_one_run_with_the_hashes_of_all(opened: Situation) -> None:
    line = take_in(opened, FIRST, SECOND)

    assert line.in_words == (
        "Run 'run' is imported from 2 files: 3 of 6 candidates judged, 1 without a verdict, 2 missing from all of them."
    )
    (run,), verdicts = stored(opened)
    own = {file.name: hashlib.sha256(file.content).hexdigest() for file in (FIRST, SECOND)}
    assert run.parameters["files"] == [{"name": name, "sha256": sha256} for name, sha256 in own.items()]
    assert (
        run.source_sha256 == hashlib.sha256("".join(f"{each}\n" for each in sorted(own.values())).encode()).hexdigest()
    )
    assert verdicts == 4


def test_the_same_files_in_another_order_are_the_same_run(opened: Situation) -> None:
    take_in(opened, FIRST, SECOND)

    with pytest.raises(Conflict, match="This has already been imported as run 'run'; nothing was changed"):
        take_in(opened, SECOND, FIRST)


def test_a_candidate_that_two_files_judge_is_refused_with_both_files_and_lines(opened: Situation) -> None:
    again = RunFile("b.csv", HEADER + b"i2,k3,correct\ni1,k2,correct\n")

    with pytest.raises(InputRefused) as refused:
        take_in(opened, FIRST, again)

    assert str(refused.value) == (
        "a.csv, b.csv: one run may judge a candidate once, but some are judged twice, such as i1 + k2 (a.csv, line 3), "
        "i1 + k2 (b.csv, line 3); keep one verdict of each and import again."
    )
    assert stored(opened) == ([], 0)


def test_what_is_wrong_with_any_file_is_said_at_once(opened: Situation) -> None:
    wrong = RunFile("a.csv", HEADER + b"i1,k1,perhaps\n")
    unknown = RunFile("b.csv", HEADER + b"i9,k9,correct\n")

    with pytest.raises(InputRefused) as refused:
        take_in(opened, wrong, unknown)

    said = [str(problem) for problem in refused.value.problems]
    assert said[0].startswith("a.csv, line 2: verdict 'perhaps' is neither correct nor incorrect")
    assert said[1].startswith("a.csv, b.csv: 1 of 2 verdicts name an item and candidate that the study lacks, such as")
    assert "i9 + k9 (b.csv, line 2)" in said[1]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ((FIRST, RunFile("a.csv", SECOND.content)), "Two of the files are called 'a.csv'.*take out the one"),
        ((FIRST, RunFile("b.csv", FIRST.content)), "'b.csv' is the same as 'a.csv'; leave one of the two out"),
        (
            (FIRST, RunFile("b.json", b'[{"item": "i2", "candidate": "k3", "verdict": 1}]')),
            "'a.csv' and 'b.json' are of",
        ),
    ],
    ids=["called alike", "the same twice", "two formats"],
)
def test_files_that_are_no_pieces_of_one_run_are_refused(
    opened: Situation, files: tuple[RunFile, ...], says: str
) -> None:
    with pytest.raises(Conflict, match=says):
        take_in(opened, *files)

    assert stored(opened) == ([], 0)


def test_lines_of_several_files_that_fit_no_candidate_are_counted_with_their_file(opened: Situation) -> None:
    mapped = asked_of(columns=["candidate=answer", "verdict=grade"])
    files = [
        RunFile(name, f'{{"answer": "{candidate}", "grade": 1}}\n{{"answer": "none", "grade": 1}}\n'.encode())
        for name, candidate in (("a.jsonl", "k1"), ("b.jsonl", "k2"))
    ]

    take_in(opened, *files, asked=mapped, skip_unplaced=True)

    (run,), verdicts = stored(opened)
    examples = run.parameters["unplaced"]["examples"]
    assert (run.parameters["unplaced"]["rows"], verdicts) == (2, 2)
    assert [each.partition(":")[0] for each in examples] == ["a.jsonl, line 2", "b.jsonl, line 2"]
