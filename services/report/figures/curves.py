"""Figures with a number on both axes: shares by depth of a list, accuracy by stated confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from exchange.report.estimate_rows import Estimated
from services.report.figures.drawing import AXIS, COLOURS, GRID, SHARES, SYMBOLS, layout
from services.report.figures.labels import escaped

HEIGHT = 460
# Points within as many percentage points cover each other; a covered one is drawn larger, to be seen around the other.
_ONE_SPOT, _AROUND = 1.0, 5
_SIZE = 9
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


@dataclass(frozen=True)
class Point:
    """A share at a position on the horizontal axis; `what` is its text on hover."""

    x: float
    share: Estimated
    what: str


def curves(
    series: Mapping[str, Sequence[Point]],
    x_title: str,
    y_title: str,
    ticks: Sequence[float] | None = None,
    *,
    diagonal: bool = False,
) -> Any:
    """Draw shares in percent with their intervals: a line per name, told apart in grey by dashes and symbols.

    Parameters
    ----------
    ticks
        Positions on the horizontal axis; by default it goes from 0 to 100.
    diagonal
        Whether to draw the line on which both axes have the same value.
    """
    traces = []
    if diagonal:
        line = {"color": AXIS, "dash": "dot", "width": 1.5}
        traces.append(go.Scatter(x=[0, 100], y=[0, 100], mode="lines", line=line, showlegend=False, hoverinfo="skip"))
    numbers: list[dict[str, Any]] = []
    # At shared ticks, points of several parties are set side by side; measured positions are never shifted.
    apart = 0.0 if ticks is None else (max(ticks) - min(ticks)) / 60
    of_each = [[point for point in points if not math.isnan(point.share.value)] for points in series.values()]
    for number, (name, drawn) in enumerate(zip(series, of_each, strict=True)):
        if not drawn:
            continue
        shift, later = (number - (len(series) - 1) / 2) * apart, of_each[number + 1 :] if ticks is None else ()
        counts = sorted({point.share.n for point in drawn})
        # Above the points of three or more lines, the numbers would overlap.
        in_name = len(counts) == 1 or len(series) > 2
        rests_on = f"n = {counts[0]}" if len(counts) == 1 else f"n = {counts[0]} to {counts[-1]}"
        colour = COLOURS[number % len(COLOURS)]
        traces.append(
            go.Scatter(
                x=[point.x + shift for point in drawn],
                y=[100 * point.share.value for point in drawn],
                mode="lines+markers",
                name=escaped(f"{name} ({rests_on})" if in_name else name),
                line={"color": colour, "dash": _DASHES[number % len(_DASHES)], "width": 2},
                marker={
                    "size": [_SIZE + _AROUND * _covered(point, later) for point in drawn],
                    "color": colour,
                    "symbol": SYMBOLS[number % len(SYMBOLS)],
                    # Plotly would draw marks of several sizes pale and with a thin white rim.
                    "opacity": 1,
                    "line": {"color": colour, "width": 1.5},
                },
                error_y={
                    "type": "data", "symmetric": False, "color": colour, "thickness": 1.5, "width": 4,
                    "array": [_reach(point.share, +1) for point in drawn],
                    "arrayminus": [_reach(point.share, -1) for point in drawn],
                },
                text=[f"n = {point.share.n}" for point in drawn],
                hovertext=[escaped(f"{name}: {point.what}, n = {point.share.n}") for point in drawn],
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )  # fmt: skip
        numbers += [] if in_name else [_number_above(point, shift, colour, number) for point in drawn]
    axis = {"gridcolor": GRID, "zeroline": False, "linecolor": AXIS, "showline": True, "ticks": "outside"}
    of_x: dict[str, Any] = {"range": list(SHARES)}
    # Leave room above 100 % for the numbers of all parties.
    room = 5 + 3 * len(series) if numbers else 5
    if ticks is not None:
        aside = (len(series) / 2 + 1) * apart
        ends = [min(ticks) - max(0.5, aside), max(ticks) + max(0.7, aside)]
        of_x = {"tickmode": "array", "tickvals": list(ticks), "range": ends}
    whole = {
        **layout(HEIGHT),
        # Also for a single line: n is behind its name.
        "showlegend": True,
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        "xaxis": {**axis, **of_x, "title": {"text": x_title}},
        "yaxis": {**axis, "range": [SHARES[0], SHARES[1] + room], "tickvals": list(range(0, 101, 20)),
                  "title": {"text": y_title}},
        "annotations": numbers,
    }  # fmt: skip
    return go.Figure(data=traces, layout=whole)


def _covered(point: Point, later: Sequence[Sequence[Point]]) -> int:
    """Return the number of parties that are drawn later and have a point on the same spot."""
    return sum(
        any(
            abs(each.x - point.x) < _ONE_SPOT and 100 * abs(each.share.value - point.share.value) < _ONE_SPOT
            for each in of_one
        )
        for of_one in later
    )


def _number_above(point: Point, shift: float, colour: str, place: int) -> dict[str, Any]:
    """Return a point's n as an annotation above its interval, one line higher for each party."""
    top = point.share.value if math.isnan(point.share.high) else point.share.high
    return {
        "x": point.x + shift, "y": 100 * top, "yshift": 9 + 12 * place, "text": f"n = {point.share.n}",
        "showarrow": False, "font": {"size": 10, "color": colour},
    }  # fmt: skip


def _reach(share: Estimated, side: int) -> float | None:
    limit = share.high if side > 0 else share.low
    return None if math.isnan(limit) else max(0.0, 100 * side * (limit - share.value))
