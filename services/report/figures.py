"""Figures of the report, built from the finished report alone: every dot is a number of its tables."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from exchange.report_structure import (
    Estimated,
    EstimateRow,
    EstimateTable,
    Matrix,
    Report,
    Scale,
    Section,
    shown_estimate,
    shown_number,
)

# Told apart by people who see red and green alike, and legible on white and on near-black; the symbols differ too.
COLOURS = ("#3d8fd6", "#dd8628", "#2aa37f", "#b877c9", "#8a94a0", "#c8a415")
# How between_raters names a pair.
PAIR = " and "
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x")
FLOORS = {"Chance": ("#8a94a0", "dot"), "Text-only baseline": ("#c05a5a", "solid")}
GRID = "rgba(128, 128, 128, 0.28)"
AXIS = "rgba(128, 128, 128, 0.75)"
ROW_HEIGHT = 46
# More pairs than this cannot be told apart in one drawing.
MOST_PAIRS = 6
_AGREEMENT_FIGURES: tuple[tuple[Scale, str, str], ...] = (
    ("percent", "Percent agreement", "Same (%)"),
    ("number", "Cohen’s kappa", "Kappa"),
)


@dataclass(frozen=True)
class Figure:
    """A plotly figure with its place and its words."""

    key: str
    section: str
    title: str
    caption: str
    height: int
    figure: Any


def figures_of(report: Report) -> list[Figure]:
    """Return the report's figures in the order of its sections; a table without rows gives none."""
    found: list[Figure] = []
    for section in report.sections:
        make = _OF_SECTION.get(section.key)
        if make is not None:
            found += make(report, section)
    return found


def _accuracy(report: Report, section: Section) -> list[Figure]:
    floors = _estimates(report.section("floors"), "floors")
    found = []
    for key, title in (
        ("accuracy", "Accuracy per rater, with the floors"),
        ("accuracy_by_category", "Accuracy per category"),
        ("accuracy_by_grounding", "Accuracy on image-grounded and image-informed items, with the floors"),
    ):
        table = section.table(key)
        if not isinstance(table, EstimateTable) or not table.rows:
            continue
        rows = [row for row in table.rows if row.raters != "All raters"]
        figure, height = _forest(rows, "Accuracy (%)", shares=True)
        strata = list(dict.fromkeys(row.stratum for row in rows))
        _add_floors(figure, [row for row in floors if row.stratum in strata], strata)
        shown = "" if key == "accuracy_by_category" else " Vertical strokes: floors for the same items."
        found.append(
            Figure(
                key, section.key, title,
                f"{title}. Dots: estimates; lines: {_confidence(rows)} intervals that resample subjects.{shown}",
                height, figure,
            )
        )  # fmt: skip
    return found


def _agreement(report: Report, section: Section) -> list[Figure]:
    compared = {
        what: _estimates(section, f"agreement_on_{what}")
        for what in ("answers", "correctness")
        if _estimates(section, f"agreement_on_{what}")
    }
    pairs = {row.raters for rows in compared.values() for row in rows}
    several = len(pairs) > 1
    if len(pairs) > MOST_PAIRS:
        return [
            _pair_map(section, what, rows, scale, title)
            for what, rows in compared.items()
            for scale, title, _ in _AGREEMENT_FIGURES
        ]
    # One pair: answers and correctness side by side. Several pairs: a figure for each, with a colour for each pair.
    drawn = [(what,) for what in compared] if several else [tuple(compared)]
    found = []
    for whats in drawn:
        for scale, title, axis in _AGREEMENT_FIGURES:
            shown = [(what, row) for what in whats for row in compared[what] if _is_drawn(row, scale)]
            rows = [row for _, row in shown]
            if not rows:
                continue
            figure, height = _forest(
                rows,
                axis,
                shares=scale == "percent",
                labels=[row.label.split(":")[0] for row in rows],
                names=None if several else [f"On {what}" for what, _ in shown],
            )
            who = "" if several else f" of {rows[0].raters}"
            heading = f"{title} on {' and on '.join(whats)}{who}"
            caption = f"{heading}, with {_confidence(rows)} intervals that resample subjects. Unit: the item."
            found.append(Figure(f"agreement_{'_'.join(whats)}_{scale}", section.key, heading, caption, height, figure))
    found += [
        Figure(
            table.key, section.key, table.title, f"{table.title}. {table.explanation}",
            150 + 42 * len(table.row_labels), _heatmap(table),
        )
        for table in section.tables
        if isinstance(table, Matrix)
    ]  # fmt: skip
    return found


def _pair_map(section: Section, what: str, rows: Sequence[EstimateRow], scale: Scale, title: str) -> Figure:
    """Draw one statistic over all items as a map of rater by rater; its intervals stand in the table."""
    found = {row.raters: row for row in rows if row.stratum == "all" and _is_drawn(row, scale)}
    raters = list(dict.fromkeys(rater for pair in found for rater in pair.split(PAIR)))
    values: list[list[float | None]] = [[None] * len(raters) for _ in raters]
    texts = [["" for _ in raters] for _ in raters]
    for pair, row in found.items():
        i, j = (raters.index(rater) for rater in pair.split(PAIR))
        known = not math.isnan(row.estimate.value)
        values[i][j] = values[j][i] = row.estimate.value if known else None
        texts[i][j] = texts[j][i] = shown_number(row.estimate.value, scale) if known else "–"
    names = [html.escape(rater) for rater in raters]
    figure = go.Figure(_map_of(values, names, names, 1.0))
    figure.update_traces(text=texts, hovertemplate="%{x} and %{y}: %{text}<extra></extra>")
    _write_cells(figure, names, names, texts)
    height = 110 + 40 * len(raters)
    figure.update_layout(
        **_layout(height), xaxis=_categories(names), yaxis={**_categories(names), "autorange": "reversed"}
    )
    heading = f"{title} on {what}, all items"
    caption = f"{heading}, for every pair of raters. Intervals and formats stand in the table “On {what}”."
    return Figure(f"agreement_{what}_{scale}_map", section.key, heading, caption, height, figure)


def _is_drawn(row: EstimateRow, scale: Scale) -> bool:
    """Say whether a row is of the scale; PABAK stays in the table, since it is no kappa of these answers."""
    return row.scale == scale and not row.estimate.name.startswith("PABAK")


def _adjudication(report: Report, section: Section) -> list[Figure]:
    rows = _estimates(section, "before_and_after")
    pairs = [row for row in rows if row.label.endswith((", before", ", after"))]
    if not pairs:
        return []
    labels = [row.label.rsplit(", ", 1)[0] for row in pairs]
    names = [f"{row.label.rsplit(', ', 1)[1].capitalize()} adjudication" for row in pairs]
    figure, height = _forest(pairs, "Share (%)", shares=True, labels=labels, names=names)
    title = "Before and after adjudication"
    caption = f"{title}, with {_confidence(pairs)} intervals. The accuracies rest on different items: see the text."
    return [Figure("before_and_after", section.key, title, caption, height, figure)]


def _judges(report: Report, section: Section) -> list[Figure]:
    found = []
    for table in section.tables:
        if not isinstance(table, EstimateTable) or not table.rows:
            continue
        run = table.title.split(":")[0]
        if table.key.endswith("_direction"):
            labels = [
                f"{row.raters.removeprefix(f'{run} and ')}{'' if row.stratum == 'all' else ', ' + row.stratum}"
                for row in table.rows
            ]
            names = [run for _ in table.rows]
            figure, height = _forest(
                list(table.rows), "Human minus judge (percentage points)", shares=False, labels=labels, names=names
            )
            figure.update_layout(showlegend=False)
            figure.add_vline(x=0, line={"color": AXIS, "width": 1.5})
            for x, anchor, text in ((0.0, "left", "← judge more lenient"), (1.0, "right", "judge stricter →")):
                figure.add_annotation(
                    x=x, y=1.0, xref="paper", yref="paper", xanchor=anchor, yanchor="bottom", text=text, showarrow=False
                )
            title = f"{run}: direction of the judge’s errors"
        elif table.key.endswith("_agreement"):
            ceiling = _estimates(report.section("marks"), "marks_agreement")
            rows = [row for row in (*table.rows, *ceiling) if row.scale == "number"]
            labels = [row.raters.removeprefix(f"{run} and ") for row in rows]
            names = [run if row.raters.startswith(run) else "Raters with each other" for row in rows]
            figure, height = _forest(rows, "Kappa", shares=False, labels=labels, names=names)
            title = f"{run}: kappa with the raters, and the raters’ own as the ceiling"
        else:
            continue
        found.append(
            Figure(
                table.key, section.key, title,
                f"{title}, with {_confidence(list(table.rows))} intervals that resample items.", height, figure,
            )
        )  # fmt: skip
    return found


_OF_SECTION = {"accuracy": _accuracy, "agreement": _agreement, "adjudication": _adjudication, "judges": _judges}


def _estimates(section: Section | None, key: str) -> list[EstimateRow]:
    table = section.table(key) if section is not None else None
    return list(table.rows) if isinstance(table, EstimateTable) else []


def _confidence(rows: Sequence[EstimateRow]) -> str:
    return f"{100 * rows[0].estimate.confidence:g} %"


def _forest(
    rows: Sequence[EstimateRow],
    axis: str,
    *,
    shares: bool,
    labels: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
) -> tuple[Any, int]:
    """Draw estimates with their intervals: one line per label, one colour and symbol per name."""
    labels = labels or [row.label for row in rows]
    names = names or [row.raters for row in rows]
    lines, series = list(dict.fromkeys(labels)), list(dict.fromkeys(names))
    figure = go.Figure()
    for number, name in enumerate(series):
        here = [
            (row, label)
            for row, label, own in zip(rows, labels, names, strict=True)
            if own == name and not math.isnan(row.estimate.value)
        ]
        # Several names share a line: they stand beside each other, not on top.
        shift = (number - (len(series) - 1) / 2) * min(0.22, 0.7 / max(len(series), 1))
        colour = COLOURS[number % len(COLOURS)]
        factors = [_factor(row.scale) for row, _ in here]
        values = [row.estimate.value * factor for (row, _), factor in zip(here, factors, strict=True)]
        figure.add_trace(
            go.Scatter(
                x=values,
                y=[lines.index(label) + shift for _, label in here],
                mode="markers",
                name=html.escape(name),
                marker={
                    "size": 10,
                    "color": colour,
                    "symbol": SYMBOLS[(number + number // len(COLOURS)) % len(SYMBOLS)],
                },
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": [_reach(row.estimate, +1) * f for (row, _), f in zip(here, factors, strict=True)],
                    "arrayminus": [_reach(row.estimate, -1) * f for (row, _), f in zip(here, factors, strict=True)],
                    "color": colour,
                    "thickness": 2,
                    "width": 5,
                },
                text=[_hover(row, label) for row, label in here],
                hovertemplate="%{text}<extra></extra>",
            )
        )
    height = 130 + max(ROW_HEIGHT, 17 * len(series)) * len(lines)
    figure.update_layout(
        **_layout(height),
        showlegend=True,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        xaxis=_axis(axis, (-3, 103) if shares else None),
        yaxis={
            "tickmode": "array",
            "tickvals": list(range(len(lines))),
            "ticktext": [_wrapped(html.escape(line)) for line in lines],
            "range": [len(lines) - 0.5, -0.5],
            "showgrid": False,
            "zeroline": False,
            "automargin": True,
        },
    )
    return figure, height


def _add_floors(figure: Any, floors: Sequence[EstimateRow], strata: Sequence[str]) -> None:
    """Draw the floors as vertical strokes across the lines of their items."""
    for name, (colour, dash) in FLOORS.items():
        xs: list[float | None] = []
        ys: list[float | None] = []
        texts: list[str] = []
        for row in floors:
            if row.raters == name and not math.isnan(row.estimate.value):
                line = strata.index(row.stratum)
                xs += [100 * row.estimate.value] * 2 + [None]
                ys += [line - 0.38, line + 0.38, None]
                texts += [_hover(row, row.label)] * 2 + [""]
        if xs:
            figure.add_trace(
                go.Scatter(
                    x=xs, y=ys, mode="lines", name=f"Floor: {name.lower()}", line={"color": colour, "dash": dash,
                    "width": 3}, text=texts, hovertemplate="%{text}<extra></extra>",
                )
            )  # fmt: skip


def _heatmap(table: Matrix) -> Any:
    rows, columns = ([html.escape(label) for label in labels] for labels in (table.row_labels, table.column_labels))
    most = max(max(counts) for counts in table.counts)
    figure = go.Figure(_map_of([list(counts) for counts in table.counts], columns, rows, max(most, 1)))
    figure.update_traces(
        hovertemplate=f"{html.escape(table.row_title)}: %{{y}}<br>{html.escape(table.column_title)}: %{{x}}<br>"
        "%{z} items<extra></extra>"
    )
    _write_cells(figure, columns, rows, [[str(count) for count in counts] for counts in table.counts])
    figure.update_layout(
        **_layout(150 + 42 * len(rows)),
        xaxis={**_categories(columns), "title": {"text": html.escape(table.column_title)}, "side": "top"},
        yaxis={**_categories(rows), "title": {"text": html.escape(table.row_title)}, "autorange": "reversed"},
    )
    return figure


def _map_of(values: Sequence[Sequence[float | None]], columns: list[str], rows: list[str], most: float) -> Any:
    return go.Heatmap(
        z=values,
        x=columns,
        y=rows,
        colorscale=[[0, "rgba(61, 143, 214, 0.04)"], [1, "rgba(61, 143, 214, 0.62)"]],
        zmin=0,
        zmax=most,
        showscale=False,
        xgap=2,
        ygap=2,
    )


def _write_cells(figure: Any, columns: list[str], rows: list[str], texts: Sequence[Sequence[str]]) -> None:
    """Write into each cell; text inside a heatmap would follow the cell's colour instead of the page's ink."""
    for row, of_row in zip(rows, texts, strict=True):
        for column, text in zip(columns, of_row, strict=True):
            figure.add_annotation(x=column, y=row, text=text, showarrow=False, font={"size": 14})


def _categories(labels: list[str]) -> dict[str, Any]:
    return {
        "type": "category",
        "showgrid": False,
        "zeroline": False,
        "automargin": True,
        "tickangle": 0,
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": [_wrapped(label, 16) for label in labels],
    }


def _layout(height: int) -> dict[str, Any]:
    return {
        "height": height,
        "margin": {"l": 10, "r": 20, "t": 50, "b": 50},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": "system-ui, Segoe UI, Roboto, Liberation Sans, Arial, sans-serif", "size": 13},
        "hoverlabel": {"align": "left"},
    }


def _axis(title: str, limits: tuple[float, float] | None) -> dict[str, Any]:
    axis: dict[str, Any] = {
        "title": {"text": title}, "gridcolor": GRID, "zeroline": False, "linecolor": AXIS, "showline": True,
        "ticks": "outside", "tickcolor": AXIS,
    }  # fmt: skip
    return axis | ({"range": list(limits)} if limits else {})


def _factor(scale: Scale) -> float:
    return 100.0 if scale in ("percent", "points") else 1.0


def _reach(estimate: Estimated, side: int) -> float:
    limit = estimate.high if side > 0 else estimate.low
    return 0.0 if math.isnan(limit) else max(0.0, side * (limit - estimate.value))


def _hover(row: EstimateRow, label: str) -> str:
    estimate = row.estimate
    clusters = f", {estimate.n_clusters} clusters" if estimate.n_clusters is not None else ""
    return "<br>".join(
        html.escape(line)
        for line in (
            f"{label}: {row.raters}",
            shown_estimate(estimate, row.scale),
            f"n = {estimate.n} ({estimate.unit}){clusters}",
        )
    )


def _wrapped(label: str, longest: int = 26) -> str:
    """Break a long label into lines, so that it leaves room for the drawing."""
    lines = [""]
    for word in label.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > longest:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return "<br>".join(lines)
