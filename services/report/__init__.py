"""The agreement report: one plain object that feeds the page, the HTML file, the CSV files and the JSON."""

from exchange.report_json import report_json
from exchange.report_structure import (
    DataFile,
    EstimateRow,
    EstimateTable,
    Matrix,
    PlainTable,
    Report,
    Section,
    shown_estimate,
)
from exchange.report_tables import PrintedTable, printed
from services.report.build import build_report, current_report, report_stamp
from services.report.figures.of_sections import Figure, figures_of
from services.report.files.export import download, export_report, report_csv_archive, report_page

__all__ = [
    "DataFile",
    "EstimateRow",
    "EstimateTable",
    "Figure",
    "Matrix",
    "PlainTable",
    "PrintedTable",
    "Report",
    "Section",
    "build_report",
    "current_report",
    "download",
    "export_report",
    "figures_of",
    "printed",
    "report_csv_archive",
    "report_json",
    "report_page",
    "report_stamp",
    "shown_estimate",
]
