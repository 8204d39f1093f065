"""The agreement report: one plain object that feeds the page, the HTML file, the CSV files and the JSON."""

from exchange.report.report_json import report_json
from exchange.report.report_markup import (
    STYLE,
    answer_markup,
    method_markup,
    notices_markup,
    section_markup,
    sentences_markup,
    table_markup,
    tables_behind_markup,
)
from exchange.report.report_structure import (
    PLAN,
    EstimateTable,
    Matrix,
    PlainTable,
    QuartileTable,
    Report,
    Section,
    Table,
)
from exchange.report.report_words import STATES
from services.report.build import build_report, current_report, report_stamp
from services.report.figures.figure import Figure
from services.report.figures.of_sections import figures_of
from services.report.files.export import download, export_report, report_csv_archive, report_page

__all__ = [
    "PLAN",
    "STATES",
    "STYLE",
    "EstimateTable",
    "Figure",
    "Matrix",
    "PlainTable",
    "QuartileTable",
    "Report",
    "Section",
    "Table",
    "answer_markup",
    "build_report",
    "current_report",
    "download",
    "export_report",
    "figures_of",
    "method_markup",
    "notices_markup",
    "report_csv_archive",
    "report_json",
    "report_page",
    "report_stamp",
    "section_markup",
    "sentences_markup",
    "table_markup",
    "tables_behind_markup",
]
