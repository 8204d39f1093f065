"""Every row of report.json is in report.html, on the page and in the CSV files, with the same words and numbers."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import pytest

from exchange.report.report_csv import csv_files
from exchange.report.report_html import report_html
from exchange.report.report_json import report_json
from exchange.report.report_structure import EstimateTable
from exchange.report.shown_numbers import shown_cell
from services.report import PLAN, Report, section_markup, table_markup
from tests.services.report import planted

# What stands behind an estimate: the letter of its method, and a sign for each warning that it carries.
# What a kind of interval ends with, and counts that no two lines have in common.
_SEVERAL_PARTS = re.compile("[,;(]")
_OWN_NUMBERS = re.compile(r"; \d+ [^;]*left out|; \d+ of \d+ resamples|lambda \d|\bt (?:with|on) \d")
_MARKS = re.compile(r"( \((?:[a-z]|\d+)\))?( [‡§¶]+)*$")
Row = tuple[str, ...]


class _Tables(HTMLParser):
    """The cells of every table, row by row, below their headings; a file names its tables, a page has them in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: list[tuple[str, list[list[str]]]] = []
        self._in_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "h3":
            self.tables.append((dict(attrs).get("id") or "", []))
        elif tag == "tr":
            self.tables[-1][1].append([])
        self._in_cell = tag == "td" or (self._in_cell and tag != "tr")
        if tag == "td":
            self.tables[-1][1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag != "td"

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.tables[-1][1][-1][-1] += data.replace("\N{NO-BREAK SPACE}", " ")

    def rows(self, name: str) -> list[Row]:
        """Return the rows of the table of a name, without its headings."""
        return [tuple(row) for key, rows in self.tables if key == name for row in rows if row]


@pytest.fixture(scope="module", params=["first language", "listed phases"])
def rich(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A report with models, a plan and fields that depend on others; and one of the first language."""
    if request.param == "first language":
        of_first: Report = request.getfixturevalue("report")
        return of_first
    return planted.made_once_in_the_run(planted.structured_reads, tmp_path_factory.mktemp("rich"))[1]


@pytest.fixture(scope="module")
def content(rich: Report) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(report_json(rich))
    return parsed


@pytest.fixture(scope="module")
def in_file(rich: Report) -> _Tables:
    return _Tables(report_html(rich, [], "").partition("<script")[0])


def table_names(content: dict[str, Any], *kinds: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{section['key']}-{table['key']}", table)
        for section in content["sections"]
        for table in section["tables"]
        if table["kind"] in kinds
    ]


def said(row: dict[str, Any]) -> Row:
    """Return what a row of JSON says: line, whose, estimate and n with its unit."""
    n, unit = row["estimate"]["n"], row["estimate"]["unit"]
    return row["label"], row["raters"], row["shown"], f"{n} {unit if n == 1 else f'{unit}s'}"


def printed(row: Row, units: set[str]) -> Row:
    """Return the same of a row as it is printed, without its marks."""
    n = next(cell for cell in row[3:] if re.sub(r"^\d+ ", "", cell) in units)
    return row[0], row[1], _MARKS.sub("", row[2]), n


def test_every_estimate_is_in_the_table_of_its_name_or_in_that_of_the_plan(
    content: dict[str, Any], in_file: _Tables
) -> None:
    of_plan: set[Row] = set()
    for name, table in table_names(content, "estimates"):
        units = {f"{row['estimate']['unit']}{plural}" for row in table["rows"] for plural in ("", "s")}
        rows = [printed(row, units) for row in in_file.rows(name)]
        if name.startswith(f"{PLAN}-"):
            of_plan |= set(rows)
        missing = Counter(map(said, table["rows"])) - Counter(rows)

        assert set(missing) <= of_plan, name
        assert not Counter(rows) - Counter(map(said, table["rows"])), name
        assert not missing or all(row["plan"] for row in table["rows"] if said(row) in missing)


def test_every_note_is_printed_beside_its_estimate(content: dict[str, Any], in_file: _Tables) -> None:
    for name, table in table_names(content, "estimates"):
        rows = in_file.rows(name)
        if len(rows) == len(table["rows"]):
            noted = [(said(row)[:2], row["note"]) for row in table["rows"] if row["note"]]
            assert noted == [
                (row[:2], row[-1]) for row in rows if any(each["note"] for each in table["rows"]) and row[-1]
            ]


def test_every_method_has_the_numbers_of_its_own_line_in_parts_of_their_own(rich: Report) -> None:
    tables = [table for section in rich.sections for table in section.tables if isinstance(table, EstimateTable)]
    methods = {estimate.method: estimate.made for table in tables for row in table.rows for estimate in row.estimates}
    for method, made in methods.items():
        alike = "".join(part.text for part in made if part.together is None and not part.is_number)

        assert not _SEVERAL_PARTS.search(made[0].text), method
        assert not _OWN_NUMBERS.search(alike), method


def test_every_count_is_in_the_table_of_its_name(content: dict[str, Any], in_file: _Tables) -> None:
    for name, table in table_names(content, "plain", "matrix"):
        if table["kind"] == "plain":
            rows = [tuple(map(shown_cell, row.values())) for row in table["rows"]]
        else:
            labelled = zip(table["row_labels"], table["counts"], strict=True)
            rows = [(label, *map(str, counts)) for label, counts in labelled]
        assert [tuple(cell.replace("\N{NO-BREAK SPACE}", " ") for cell in row) for row in rows] == in_file.rows(name)


def test_the_page_has_the_rows_of_the_file(rich: Report, in_file: _Tables) -> None:
    for section in rich.sections:
        assert section_markup(section)
        on_page = _Tables("".join(table_markup(table) for table in section.tables))
        names = [f"{section.key}-{table.key}" for table in section.tables]
        assert [rows for _, rows in on_page.tables] == [
            rows for name in names for key, rows in in_file.tables if key == name
        ]


def test_the_csv_files_have_the_rows_of_the_json_in_their_order(rich: Report, content: dict[str, Any]) -> None:
    lines = list(csv.DictReader(io.StringIO("".join(csv_files(rich)["estimates.csv"]))))
    in_csv = [
        (
            line["table"],
            line["label"],
            line["raters"],
            line["value"],
            line["low"],
            line["high"],
            line["n"],
            line["note"],
        )
        for line in lines
    ]
    in_json = []
    for section in content["sections"]:
        for table in section["tables"]:
            for row in table["rows"] if table["kind"] == "estimates" else ():
                own, beside = row["estimate"], row["beside"]
                again = beside is None or all(beside[key] == own[key] for key in ("method", "low", "high"))
                for each in [own] if again else [own, beside]:
                    numbers = [each[key] for key in ("value", "low", "high", "n")]
                    words = (table["key"], row["label"], row["raters"])
                    in_json.append(
                        (*words, *("" if number is None else str(number) for number in numbers), row["note"])
                    )

    assert in_csv == in_json
