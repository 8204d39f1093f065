"""Figures with a number on both axes: shares by depth of a list, accuracy by stated confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from exchange.report.estimate_rows import Estimated
from services.report.figures.drawing import AXIS, COLOURS, GRID, SHARES, SYMBOLS, layout
from services.report.figures.figure import range_in_words
from services.report.figures.labels import WARNED, escaped

HEIGHT = 460
# With more lines nobody follows the legend.
MOST_SERIES = 6
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

    A point with a warning has a sign beside its n, also where n is behind the name.

    Parameters
    ----------
    ticks
        Positions on the horizontal axis; by default it goes from 0 to 100.
    diagonal
        Whether to draw the line on which both axes have the same value.
    """
    # At shared ticks, points of several parties are set side by side; measured positions are never shifted.
    apart = 0.0 if ticks is None else (max(ticks) - min(ticks)) / 60
    of_each = [[point for point in points if not math.isnan(point.share.value)] for points in series.values()]
    traces, notes = [_diagonal()] if diagonal else [], []
    for number, (name, drawn) in enumerate(zip(series, of_each, strict=True)):
        if not drawn:
            continue
        later = of_each[number + 1 :] if ticks is None else ()
        # Above the points of three or more lines, the numbers would overlap.
        in_name = len({point.share.n for point in drawn}) == 1 or len(series) > 2
        curve = _Curve(name, drawn, number, (number - (len(series) - 1) / 2) * apart, in_name)
        traces.append(curve.trace(later))
        notes += curve.notes
    # Leave room above 100 % for the numbers of all parties.
    room = 5 + 3 * len(series) if notes else 5
    return go.Figure(data=traces, layout=_whole(notes, _axis_of(ticks, apart, len(series)), x_title, y_title, room))


@dataclass(frozen=True)
class _Curve:
    """The points of a party, its number, by how much it is shifted, and whether its n is behind its name."""

    name: str
    points: Sequence[Point]
    number: int
    shift: float
    in_name: bool

    @property
    def colour(self) -> str:
        return COLOURS[self.number % len(COLOURS)]

    @property
    def named(self) -> str:
        if not self.in_name:
            return self.name
        warned = any(point.share.warning for point in self.points)
        return f"{self.name} (n = {range_in_words([point.share.n for point in self.points])}{_sign(warned)})"

    @property
    def notes(self) -> list[dict[str, Any]]:
        """The n above each point as annotations, one line higher for each party; none if it is behind the name."""
        return [] if self.in_name else [self._number_above(point) for point in self.points]

    def _number_above(self, point: Point) -> dict[str, Any]:
        top = point.share.value if math.isnan(point.share.high) else point.share.high
        return {
            "x": point.x + self.shift, "y": 100 * top, "yshift": 9 + 12 * self.number,
            "text": f"n = {point.share.n}{_sign(bool(point.share.warning))}",
            "showarrow": False, "font": {"size": 10, "color": self.colour},
        }  # fmt: skip

    def trace(self, later: Sequence[Sequence[Point]]) -> dict[str, Any]:
        """Return the line with its points; those that a party drawn `later` covers are larger."""
        drawn, colour = self.points, self.colour
        return {
            "type": "scatter",
            "x": [point.x + self.shift for point in drawn],
            "y": [100 * point.share.value for point in drawn],
            "mode": "lines+markers",
            "name": escaped(self.named),
            "line": {"color": colour, "dash": _DASHES[self.number % len(_DASHES)], "width": 2},
            "marker": {
                "size": [_SIZE + _AROUND * _covered(point, later) for point in drawn],
                "color": colour,
                "symbol": SYMBOLS[self.number % len(SYMBOLS)],
                # Plotly would draw marks of several sizes pale and with a thin white rim.
                "opacity": 1,
                "line": {"color": colour, "width": 1.5},
            },
            "error_y": {
                "type": "data", "symmetric": False, "color": colour, "thickness": 1.5, "width": 4,
                "array": [_reach(point.share, +1) for point in drawn],
                "arrayminus": [_reach(point.share, -1) for point in drawn],
            },
            "text": [f"n = {point.share.n}" for point in drawn],
            "hovertext": [escaped(self._hover(point)) for point in drawn],
            "hovertemplate": "%{hovertext}<extra></extra>",
        }  # fmt: skip

    def _hover(self, point: Point) -> str:
        said = f"{self.name}: {point.what}, n = {point.share.n}"
        return f"{said}; {point.share.warning}" if point.share.warning else said


def _sign(warned: bool) -> str:
    return f" {WARNED}" if warned else ""


def _diagonal() -> dict[str, Any]:
    return {
        "type": "scatter", "x": [0, 100], "y": [0, 100], "mode": "lines",
        "line": {"color": AXIS, "dash": "dot", "width": 1.5}, "showlegend": False, "hoverinfo": "skip",
    }  # fmt: skip


def _axis_of(ticks: Sequence[float] | None, apart: float, parties: int) -> dict[str, Any]:
    """Return what is particular to the horizontal axis: at ticks, room for all parties beyond the first and last."""
    if ticks is None:
        return {"range": list(SHARES)}
    aside = (parties / 2 + 1) * apart
    ends = [min(ticks) - max(0.5, aside), max(ticks) + max(0.7, aside)]
    return {"tickmode": "array", "tickvals": list(ticks), "range": ends}


def _whole(
    notes: Sequence[dict[str, Any]], of_x: Mapping[str, Any], x_title: str, y_title: str, room: int
) -> dict[str, Any]:
    """Return the layout; `room` is what is left free above 100 %."""
    axis = {"gridcolor": GRID, "zeroline": False, "linecolor": AXIS, "showline": True, "ticks": "outside"}
    return {
        **layout(HEIGHT),
        # Also for a single line: n is behind its name.
        "showlegend": True,
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        "xaxis": {**axis, **of_x, "title": {"text": x_title}},
        "yaxis": {**axis, "range": [SHARES[0], SHARES[1] + room], "tickvals": list(range(0, 101, 20)),
                  "title": {"text": y_title}},
        "annotations": notes,
    }  # fmt: skip


def _covered(point: Point, later: Sequence[Sequence[Point]]) -> int:
    """Return the number of parties that are drawn later and have a point on the same spot."""
    return sum(
        any(
            abs(each.x - point.x) < _ONE_SPOT and 100 * abs(each.share.value - point.share.value) < _ONE_SPOT
            for each in of_one
        )
        for of_one in later
    )


def _reach(share: Estimated, side: int) -> float | None:
    limit = share.high if side > 0 else share.low
    return None if math.isnan(limit) else max(0.0, 100 * side * (limit - share.value))
