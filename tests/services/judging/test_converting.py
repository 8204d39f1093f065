"""Another program's file becomes a table that is calibrated without a study, and names its units by all they say."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agreement.judge.__main__ import main
from exchange.foreign.layout import ForeignLine
from exchange.refusal import InputRefused
from services.judging.converting import converted
from services.judging.sources import asked_of

FILES = Path(__file__).resolve().parents[2] / "exchange" / "foreign_files"


def rows_of(name: str, **asked: str) -> list[dict[str, str]]:
    lines, count, _ = converted((FILES / name).read_bytes(), name, asked_of(**asked), "grader")
    rows = list(csv.DictReader(io.StringIO("".join(lines))))
    assert len(rows) == count
    return rows


def test_labels_of_physicians_are_lines_under_their_own_names() -> None:
    rows = rows_of("healthbench_meta.jsonl")

    assert [(row["completion_id"], row["rater"], row["verdict"]) for row in rows] == [
        ("k1", "p1", "true"), ("k1", "p2", "true"), ("k1", "p3", "false"), ("k3", "p2", "true"), ("k3", "p4", "false"),
    ]  # fmt: skip
    assert len({row["unit"] for row in rows}) == 2


def test_a_unit_without_an_id_is_made_from_question_reference_and_case() -> None:
    rows = rows_of("marcus_vqa.json", of_model="m")

    assert rows[0]["unit"] == rows[1]["unit"] != rows[2]["unit"]
    assert {(row["model"], row["rater"]) for row in rows} == {("m", "grader")}
    assert [row["verdict"] for row in rows[3:]] == ["unreadable", "error"]


@pytest.mark.parametrize(("status", "is_noted"), [("success", False), ("cancelled", True)])
def test_a_log_that_did_not_run_to_its_end_is_converted_with_a_note(status: str, is_noted: bool) -> None:
    log = json.loads((FILES / "inspect_ai.json").read_bytes()) | {"status": status}

    _, _, words = converted(json.dumps(log).encode(), "log.json", asked_of(), "grader")

    assert ("(status 'cancelled'): it holds 3 samples" in words) == is_noted


def test_a_file_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InputRefused, match=r"a\.csv is in no format that is recognised; name the format with --format"):
        converted(b"a,b\n1,2\n", "a.csv", asked_of(), "judge")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (r"\ud83d", "holds an unpaired surrogate, which is not a character; correct the text."),
        (r"\u0000", "holds a NUL character; remove it."),
    ],
)
@pytest.mark.parametrize("column", ["ground_truth", "likert_explanation"])
def test_a_text_that_no_table_can_hold_is_refused_with_its_line(column: str, text: str, sentence: str) -> None:
    said = {"question": '"Why?"', "ground_truth": '"a"', "model_answer": '"b"', "likert_score": "4"}
    rows = [{**said}, {**said, column: f'"cut {text}"'}]
    content = "\n".join("{" + ", ".join(f'"{name}": {value}' for name, value in row.items()) + "}" for row in rows)

    with pytest.raises(InputRefused) as refused:
        converted(content.encode(), "judged.jsonl", asked_of(), "judge")

    named = column.removeprefix("likert_").replace("ground_truth", "reference")
    assert [str(problem) for problem in refused.value.problems] == [f"judged.jsonl, line 2: {named} {sentence}"]


def test_a_file_is_converted_line_by_line_instead_of_being_held(held: Callable[..., int]) -> None:
    graded = "\n".join(f'{{"id": "q{n}", "m": "a", "said": "yes"}}' for n in range(50))
    asked = asked_of(columns=["item=id", "model=m", "verdict=said"])
    lines, count, _ = converted(graded.encode(), "judge.jsonl", asked, "judge")

    held_then = [held(ForeignLine) for _ in lines]

    assert (count, len(held_then)) == (50, 51) and max(held_then) <= 2


def test_what_is_written_is_read_by_the_calibration_from_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graded = [f'{{"id": "q{n}", "who": "h", "m": "a", "said": {n % 3 > 0:d}}}' for n in range(40)]
    asked = asked_of(columns=["item=id", "model=m", "verdict=said"])
    table = tmp_path / "long.csv"
    people = converted("\n".join(graded).encode(), "people.jsonl", asked, "human")[0]
    judge = converted("\n".join(graded).encode(), "judge.jsonl", asked, "judge")[0]
    table.write_text("".join((*people, *list(judge)[1:])), encoding="utf-8")

    status = main([str(table), "--human", "human", "--judge", "judge", "--model", "model", "--item", "unit",
                   "--rater", "rater", "--verdict", "verdict"])  # fmt: skip

    assert status in (0, None)
    assert "judge" in capsys.readouterr().out


def test_rows_that_lack_a_mapped_key_are_said_with_what_is_written() -> None:
    graded = '{"id": "q1", "said": "yes"}\n{"id": "q2", "Said": "yes"}\n{"ID": "q3", "said": "no"}'

    _, count, lacking = converted(
        graded.encode(), "judge.jsonl", asked_of(columns=["item=id", "verdict=said"]), "judge"
    )

    assert count == 3
    assert "1 line has no 'id', mapped to item, line 3 first" in lacking
    assert "1 line has no 'said', mapped to verdict, line 2 first" in lacking
