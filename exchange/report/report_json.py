"""The report as JSON: undefined values are null, with the reason beside them."""

from __future__ import annotations

import json
import math
from typing import Any

from exchange.report.estimate_rows import Comparison, Estimated, Party
from exchange.report.report_structure import Cell, EstimateTable, Matrix, Report, Table
from exchange.report.report_tables import plain
from exchange.report.report_words import EstimateLine, lines_of, party_in_words, plan_of, stratum_key
from exchange.report.shown_numbers import shown_estimate

_FIELDS = (
    "value",
    "low",
    "high",
    "confidence",
    "n",
    "n_clusters",
    "unit",
    "method",
    "undefined_because",
    "se",
    "p",
)


def report_json(report: Report) -> str:
    """Return the whole report as JSON text (strict: no NaN)."""
    content = {
        "format": "blindread agreement report 1",
        "study": report.study_key,
        "title": report.title,
        "state": report.state,
        "freeze_sha256": report.freeze_sha256,
        "protocol_sha256": report.protocol_sha256,
        "software_version": report.software_version,
        "generated_at": report.generated_at.isoformat(timespec="seconds"),
        "analysis_plan": dict(report.analysis_plan),
        "notices": list(report.notices),
        "sections": [
            {
                "key": section.key,
                "title": section.title,
                "explanation": [*section.explanation, *section.method],
                "tables": [_table(table) for table in section.tables],
            }
            for section in report.sections
        ],
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _table(table: Table) -> dict[str, Any]:
    common: dict[str, Any] = {"key": table.key, "title": table.title, "explanation": table.explanation}
    if isinstance(table, EstimateTable):
        return common | {
            "kind": "estimates",
            "cluster": table.cluster,
            "field": table.field,
            "rows": [_row(line) | {"measured_in": table.unit_of(line.row)} for line in lines_of(table)],
        }
    if isinstance(table, Matrix):
        return common | {
            "kind": "matrix",
            "stratum": stratum_key(table.stratum),
            "row_title": party_in_words(table.parties[0]),
            "column_title": party_in_words(table.parties[1]),
            "row_labels": list(table.row_labels),
            "column_labels": list(table.column_labels),
            "counts": [list(counts) for counts in table.counts],
        }
    counted = plain(table)
    columns = [{"key": column.key, "title": column.title, "meaning": column.meaning} for column in counted.columns]
    keys = [column.key for column in counted.columns]
    rows = [{key: _number(cell) for key, cell in zip(keys, row, strict=True)} for row in counted.rows]
    return common | {"kind": "plain", "columns": columns, "rows": rows}


def _row(line: EstimateLine) -> dict[str, Any]:
    row = line.row
    return {
        "statistic": row.statistic,
        "compared": row.compared,
        "parties": [_party(party) for party in row.parties],
        "stage": row.stage,
        "bound": row.bound,
        "weighted": row.weighted,
        "planned": row.planned,
        "plan": plan_of(row),
        "exploratory": row.exploratory,
        "tool": row.tool,
        "option": row.category.id if row.category is not None else "",
        "depth": row.depth,
        "versions": list(row.versions),
        "label": line.label,
        "raters": line.who,
        "stratum": line.stratum,
        "scale": row.scale,
        "shown": shown_estimate(row.estimate, row.scale),
        "note": line.note,
        "estimate": _estimate(line.name, row.estimate),
        "beside": None if row.beside is None else _estimate(line.name, row.beside),
        "comparison": None if row.comparison is None else _comparison(line.name, row.comparison),
    }


def _comparison(name: str, comparison: Comparison) -> dict[str, Any]:
    return {
        "count": comparison.count,
        "tested": comparison.tested,
        "correction": comparison.correction,
        "p": _number(comparison.p),
        "together": None if comparison.together is None else _estimate(name, comparison.together),
    }


def _party(party: Party) -> dict[str, str]:
    return {"kind": party.kind, "name": party_in_words(party)}


def _estimate(name: str, estimate: Estimated) -> dict[str, Any]:
    row = {"name": name} | {field: _number(getattr(estimate, field)) for field in _FIELDS}
    return row | {"warning": estimate.warning}


def _number(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
