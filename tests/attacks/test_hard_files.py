"""Files at the edge of what is taken: each is refused in one sentence, or read as it was meant."""

from __future__ import annotations

import io
import random
import shutil
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from exchange.study_zip import unpack_study_zip
from services.errors import InputRefused
from services.judging import import_runs
from services.studies.folders import starter
from services.studies.folders.checking import checked_folder
from tests.judge_tables import rows_of_judge
from tests.situations import (
    Situation,
    write_study_folder,
)

BEGUN = '{"item":"a","candidate":"b","verdict":1'


@pytest.mark.parametrize("value", ["NaN", "1e999", "-0", "{}", "[]", '"\\u0000"', "[" * 900 + "]" * 900, "null"])
@pytest.mark.parametrize("place", ["item", "candidate", "verdict", "error", "explanation"])
def test_an_odd_value_in_a_judges_line_is_read_or_refused_in_a_sentence(place: str, value: str) -> None:
    members = {"item": '"a"', "candidate": '"b"', "verdict": '"1"', place: value}
    line = "{" + ",".join(f'"{name}":{text}' for name, text in members.items()) + "}"
    try:
        rows_of_judge(line.encode(), "x.jsonl")
    except InputRefused as refusal:
        assert len(str(refusal)) < 400


def test_a_judges_line_of_many_keys_of_which_the_last_is_doubled_is_refused_at_once() -> None:
    keys_ = [f'"{number:x}":1' for number in range(12_000)]
    line = ",".join([BEGUN, *keys_, keys_[-1]]) + "}"
    with pytest.raises(InputRefused, match="appears twice"):
        rows_of_judge(line.encode(), "x.jsonl")


def test_a_judges_file_of_short_lines_costs_no_multiple_of_itself() -> None:
    content = b"item,candidate,verdict\n" + b"a,b,x\n" * 20_000
    tracemalloc.start()
    with pytest.raises(InputRefused):
        rows_of_judge(content, "x.csv")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 20 * len(content)


def test_a_refusal_of_a_judges_file_steers_no_terminal(opened: Situation) -> None:
    content = b'{"item":"\\u001b[2J\\u001b]0;x\\u0007","candidate":"k1","verdict":1}'
    with pytest.raises(InputRefused) as refusal:
        import_runs.import_judge_verdicts(
            opened.database, opened.admin, "tiny", name="r", judge="", content=content, file_name="x.jsonl"
        )

    assert str(refusal.value).isprintable()


def test_all_that_is_wrong_with_a_judges_keys_is_said_at_once(opened: Situation) -> None:
    content = b"item,candidate,verdict\ni1,k1,1\ni1,k1,0\nno,such,1\n"
    with pytest.raises(InputRefused) as refusal:
        import_runs.import_judge_verdicts(
            opened.database, opened.admin, "tiny", name="r", judge="", content=content, file_name="x.csv"
        )
    said = " ".join(str(problem) for problem in refusal.value.problems)

    assert "no + such" in said
    assert "twice" in said


def test_a_table_with_a_header_of_many_columns_is_refused_at_once(tmp_path: Path) -> None:
    folder = write_study_folder(tmp_path / "study")
    header, _, rest = (folder / "cases.csv").read_text().partition("\n")
    many = ",".join(f"{number:x}" for number in range(20_000))
    (folder / "cases.csv").write_text(f"{header.strip()},{many}\n{rest}")
    with pytest.raises(InputRefused):
        checked_folder(folder)


def unpacked(content: bytes, target: Path) -> Path:
    target.mkdir(parents=True)
    return unpack_study_zip(io.BytesIO(content), "x.zip", target)


def test_a_damaged_archive_is_unpacked_inside_its_folder_or_refused_in_a_sentence(tmp_path: Path) -> None:
    whole, chance = starter._packed(""), random.Random(1)
    for number in range(150):
        content = bytearray(whole)
        for _ in range(chance.choice((1, 1, 3, 20))):
            content[chance.randrange(len(content) - 3000, len(content))] = chance.randrange(256)
        target = tmp_path / "in"
        try:
            unpacked(bytes(content[: len(content) if number % 9 else chance.randrange(len(content))]), target)
        except InputRefused as refusal:
            assert str(tmp_path) not in str(refusal)
        assert [path.name for path in tmp_path.iterdir()] == ["in"]
        shutil.rmtree(target)


@pytest.mark.parametrize("other", ["s/./protocol.yaml", "s//protocol.yaml", "s\\protocol.yaml"])
def test_an_archive_that_names_one_file_in_two_ways_is_refused(tmp_path: Path, other: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("s/protocol.yaml", "name: a")
        archive.writestr(other, "name: b")

    with pytest.raises(InputRefused):
        unpacked(packed.getvalue(), tmp_path / "in")


@pytest.mark.parametrize("table", ["protocol.yaml", "cases.csv", "volumes.csv", "candidates.csv"])
@pytest.mark.parametrize("kind", ["folder", "loop", "nowhere"])
def test_a_table_that_is_no_file_is_refused_in_a_sentence(tmp_path: Path, table: str, kind: str) -> None:
    folder = write_study_folder(tmp_path / "study")
    place = folder / table
    place.unlink()
    if kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(place if kind == "loop" else "/nonexistent")
    try:
        checked_folder(folder)
    except InputRefused as refusal:
        assert str(tmp_path) not in str(refusal)
    else:
        # The only table here that a study may lack.
        assert table == "candidates.csv"
