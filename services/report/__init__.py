"""The agreement report: one plain object that feeds the page, the HTML file, the CSV files and the JSON."""

from exchange.report_structure import (
    DataFile,
    EstimateRow,
    EstimateTable,
    Matrix,
    PlainTable,
    Report,
    Section,
    shown_cell,
    shown_estimate,
    shown_p,
    shown_value,
)
from services.report.build import build_report

__all__ = [
    "DataFile",
    "EstimateRow",
    "EstimateTable",
    "Matrix",
    "PlainTable",
    "Report",
    "Section",
    "build_report",
    "shown_cell",
    "shown_estimate",
    "shown_p",
    "shown_value",
]
