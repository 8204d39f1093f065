"""The estimates of a report in words, table by table: what its tests look up by what is printed."""

from __future__ import annotations

from exchange.report.report_words import EstimateLine, lines_of
from services.report import EstimateTable, Report


def lines_in(report: Report, section_key: str, key: str) -> list[EstimateLine]:
    """Return the lines of a table of estimates, which must be there; those of another interval than the plan's not."""
    section = report.section(section_key)
    assert section is not None
    table = section.table(key)
    assert isinstance(table, EstimateTable), key
    return [line for line in lines_of(table) if not line.row.exploratory]


def all_lines(report: Report) -> list[EstimateLine]:
    """Return every line of every table of estimates."""
    return [line for _, table in report.estimate_tables() for line in lines_of(table)]
