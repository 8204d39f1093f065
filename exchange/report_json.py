"""The report as JSON: what is undefined is null, with the reason beside it."""

from __future__ import annotations

import json
import math
from typing import Any

from exchange.report_structure import (
    Cell,
    Estimated,
    EstimateRow,
    EstimateTable,
    PlainTable,
    Report,
    Table,
    shown_estimate,
)

_FIELDS = (
    "name", "value", "low", "high", "confidence", "n", "n_clusters", "unit", "method", "undefined_because", "se", "p",
)  # fmt: skip


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
                "explanation": list(section.explanation),
                "tables": [_table(table) for table in section.tables],
            }
            for section in report.sections
        ],
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _table(table: Table) -> dict[str, Any]:
    found: dict[str, Any] = {"key": table.key, "title": table.title, "explanation": table.explanation}
    if isinstance(table, EstimateTable):
        return found | {"kind": "estimates", "cluster": table.cluster, "rows": [_row(row) for row in table.rows]}
    if isinstance(table, PlainTable):
        columns = [{"key": column.key, "title": column.title, "meaning": column.meaning} for column in table.columns]
        keys = [column.key for column in table.columns]
        rows = [{key: _number(cell) for key, cell in zip(keys, row, strict=True)} for row in table.rows]
        return found | {"kind": "plain", "columns": columns, "rows": rows}
    return found | {
        "kind": "matrix",
        "row_title": table.row_title,
        "column_title": table.column_title,
        "row_labels": list(table.row_labels),
        "column_labels": list(table.column_labels),
        "counts": [list(counts) for counts in table.counts],
    }


def _row(row: EstimateRow) -> dict[str, Any]:
    return {
        "label": row.label,
        "raters": row.raters,
        "stratum": row.stratum,
        "scale": row.scale,
        "shown": shown_estimate(row.estimate, row.scale),
        "note": row.note,
        "estimate": _estimate(row.estimate),
        "beside": None if row.beside is None else _estimate(row.beside),
    }


def _estimate(estimate: Estimated) -> dict[str, Any]:
    return {field: _number(getattr(estimate, field)) for field in _FIELDS}


def _number(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
