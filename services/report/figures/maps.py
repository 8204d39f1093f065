"""Maps: counts or values of rows by columns, with the number written in each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from exchange.report.report_structure import Matrix
from exchange.report.report_words import party_in_words
from services.report.figures.drawing import layout
from services.report.figures.labels import NARROW, escaped, height_above, height_of, longest_of_column, wrapped


def heatmap(table: Matrix) -> Any:
    """Draw counts of rows by columns, with the number written in each cell."""
    rows, columns = ([escaped(label) for label in labels] for labels in (table.row_labels, table.column_labels))
    most = max(max(counts) for counts in table.counts)
    of_rows, of_columns = (escaped(party_in_words(party)) for party in table.parties)
    cells = map_of([list(counts) for counts in table.counts], columns, rows, max(most, 1))
    cells["hovertemplate"] = f"{of_rows}: %{{y}}<br>{of_columns}: %{{x}}<br>%{{z}} items<extra></extra>"
    whole = {
        **layout(height_of_map(table)),
        "xaxis": {**categories(columns, longest_of_column(len(columns))), "title": {"text": of_columns}, "side": "top"},
        "yaxis": {**categories(rows), "title": {"text": of_rows}, "autorange": "reversed"},
        "annotations": cell_texts(columns, rows, [[str(count) for count in counts] for counts in table.counts]),
    }
    return go.Figure(cells, whole)


def height_of_map(table: Matrix) -> int:
    """Return the height of a map from its rows and the longest labels of its rows and columns."""
    of_rows = height_of(table.row_labels, 42, NARROW) * len(table.row_labels)
    return 150 + of_rows + height_above(table.column_labels)


def with_totals(table: Matrix) -> Matrix:
    """Return a matrix whose row and column labels include their totals."""
    rows = zip(table.row_labels, table.counts, strict=True)
    columns = zip(table.column_labels, zip(*table.counts, strict=True), strict=True)
    return replace(
        table,
        row_labels=tuple(f"{label} ({sum(counts)})" for label, counts in rows),
        column_labels=tuple(f"{label} ({sum(counts)})" for label, counts in columns),
    )


def map_of(
    values: Sequence[Sequence[float | None]], columns: list[str], rows: list[str], most: float
) -> dict[str, Any]:
    """Return the cells of a map, darker for larger values; None stays empty."""
    return {
        "type": "heatmap",
        "z": values,
        "x": columns,
        "y": rows,
        "colorscale": [[0, "rgba(61, 143, 214, 0.04)"], [1, "rgba(61, 143, 214, 0.62)"]],
        "zmin": 0,
        "zmax": most,
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
    }


def cell_texts(columns: list[str], rows: list[str], texts: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Return the texts of the cells, as annotations: a heatmap's own text would not follow the page's text colour."""
    return [
        {"x": column, "y": row, "text": text, "showarrow": False, "font": {"size": 14}}
        for row, of_row in zip(rows, texts, strict=True)
        for column, text in zip(columns, of_row, strict=True)
    ]


def categories(labels: list[str], longest: int = NARROW) -> dict[str, Any]:
    """Return an axis of a map with its labels, broken into lines of at most `longest` characters."""
    return {
        "type": "category",
        "showgrid": False,
        "zeroline": False,
        "automargin": True,
        "tickangle": 0,
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": [wrapped(label, longest) for label in labels],
    }
