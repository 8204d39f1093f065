"""The table of formats: what is read, by which ending it is recognised, and that no file of a format was left out."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from exchange import formats, tables
from exchange.file_format import FileFormat, JudgeLine, endings_in_words, format_of
from exchange.refusal import InputRefused, Problems
from tests.judge_tables import rows_of_judge

ROOT = Path(__file__).resolve().parents[2]
TABLES: dict[str, tuple[FileFormat[Any], ...]] = {
    "a study": formats.STUDIES,
    "verdicts of a judge": formats.JUDGE_VERDICTS,
}


def test_no_file_of_a_format_was_left_out_of_the_table() -> None:
    modules = [importlib.import_module(f"exchange.{path.stem}") for path in (ROOT / "exchange").glob("*.py")]

    of_modules = {module.__name__: module.FORMAT for module in modules if hasattr(module, "FORMAT")}
    listed = [file_format for table in TABLES.values() for file_format in table]
    assert [name for name, file_format in of_modules.items() if file_format not in listed] == []
    assert len(of_modules) == len(listed)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_an_ending_belongs_to_one_format(table: tuple[FileFormat[Any], ...]) -> None:
    endings = [ending for file_format in table for ending in file_format.endings]

    assert len(endings) == len(set(endings))
    assert [ending for ending in endings if ending != ending.lower() or "." in ending] == []


@pytest.mark.parametrize(("name", "format_name"), [("a.csv", "CSV"), ("A.B.CSV", "CSV"), ("a.ndjson", "JSON Lines")])
def test_a_format_is_recognised_by_the_ending_of_the_name(name: str, format_name: str) -> None:
    assert format_of(formats.JUDGE_VERDICTS, name).name == format_name


@pytest.mark.parametrize("name", ["a.xlsx", "csv.", "", "a.csv.gz"])
def test_another_ending_is_refused_with_those_that_are_taken(name: str) -> None:
    with pytest.raises(InputRefused, match=r"expected a file ending in \.csv or \.jsonl.*; rename or convert it"):
        format_of(formats.JUDGE_VERDICTS, name)


@pytest.mark.parametrize("file_format", formats.STUDIES, ids=lambda each: each.name)
def test_a_format_of_studies_stands_in_the_docs_by_its_ending_or_its_name(file_format: FileFormat[Any]) -> None:
    page = (ROOT / "docs/how-to/run-a-study.md").read_text("utf-8").replace("`", "")

    assert f".{file_format.endings[0]}" in page or file_format.name in page


@pytest.mark.parametrize("file_format", formats.JUDGE_VERDICTS, ids=lambda each: each.name)
def test_a_format_of_verdicts_is_named_by_its_ending_where_the_table_is_described(file_format: FileFormat[Any]) -> None:
    # Elsewhere on the page an ending may be another file's, as .yaml is the protocol's.
    assert f"`.{file_format.endings[0]}`" in tables.JUDGE_VERDICTS.says


def test_one_line_in_the_table_is_all_that_a_new_format_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(content: bytes, _name: str, _problems: Problems) -> Iterator[JudgeLine]:
        item, candidate, verdict = content.decode().split()
        yield 1, {"item": item, "candidate": candidate, "verdict": verdict}

    words = FileFormat("words", ("words",), read)
    monkeypatch.setattr(formats, "JUDGE_VERDICTS", (*formats.JUDGE_VERDICTS, words))

    (row,) = rows_of_judge(b"i1 k1 correct", "judge.words")

    assert (row.item, row.candidate, row.verdict) == ("i1", "k1", "correct")
    assert endings_in_words(formats.JUDGE_VERDICTS).endswith(" or .words")
