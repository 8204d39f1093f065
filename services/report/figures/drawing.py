"""How the report's figures are drawn: values with intervals, and shares, in one style for light and dark pages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import plotly.graph_objects as go

from exchange.report.estimate_rows import ALL_RATERS, Estimated, EstimateRow, Stratum
from exchange.report.report_words import party_in_words, stratum_in_words, who
from exchange.report.shown_numbers import shown_estimate
from exchange.report.statistic_names import Scale
from services.report.figures.labels import WARNED, escaped, height_of, wrapped

# Colours that people with red-green colour blindness can tell apart, with a contrast of at least 3 to 1 on white and on
# near-black. In grey, the symbols differ: every other one is open, and there are twice as many symbols as colours.
COLOURS = ("#1f6fb2", "#d2741c", "#1d8a68", "#a35cb8", "#6d7783", "#9b8200")
_SHAPES = (
    "circle", "diamond-open", "square", "triangle-up-open", "cross", "x-open", "star", "pentagon-open",
    "triangle-down", "hexagon-open", "hourglass", "star-triangle-down-open",
)  # fmt: skip
# The second half repeats the shapes, with open and filled exchanged.
SYMBOLS = (
    *_SHAPES,
    *(shape.removesuffix("-open") if shape.endswith("-open") else f"{shape}-open" for shape in _SHAPES),
)
# Steps below the middle of a scale are hatched, because in grey they are as dark as those above it.
HATCH = "/"
FLOORS = {"chance": ("#6d7783", "dot"), "text_only": ("#c05a5a", "solid")}
GRID = "rgba(128, 128, 128, 0.28)"
AXIS = "rgba(128, 128, 128, 0.75)"
# Axes show whole scales: one that starts at the estimates would make a small difference look large.
SHARES = (-3.0, 103.0)
KAPPA = (-1.03, 1.03)
ROW_HEIGHT = 46
# High enough that the n of two names on one line do not touch.
SERIES_HEIGHT = 20
# A vertical line at 0, over the full height.
AT_ZERO = {"type": "line", "x0": 0, "x1": 0, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain"}
# A smaller share, in percent, has no room for its number in a bar.
LEAST_WRITTEN = 6
# Room to the right of the drawing for the n of each estimate.
N_WIDTH, SIGN_WIDTH = 76, 12


@dataclass(frozen=True)
class Span:
    """A value and the ends of its line, in units of the axis.

    `line` names the line it is drawn on, `name` the party it belongs to, and `text` is shown on hover. What is
    `warned` of has a sign beside its n, since a saved or printed figure has no hover.
    """

    line: str
    name: str
    low: float
    value: float
    high: float
    text: str
    n: int
    warned: bool = False


def forest(
    rows: Sequence[EstimateRow],
    axis: str,
    *,
    limits: tuple[float, float] | None,
    labels: Sequence[str],
    names: Sequence[str],
) -> Any:
    """Draw estimates with their intervals: one line per label, one colour and symbol per name.

    `limits` is the whole scale; a difference has none, so its axis shows 0 and the extent of the intervals.
    """
    drawn = [_span(*labelled) for labelled in zip(rows, labels, names, strict=True)]
    return spans(drawn, axis, limits=limits, from_zero=all(row.scale in ("points", "signed") for row in rows))


def spans(
    drawn: Sequence[Span],
    axis: str,
    *,
    limits: tuple[float, float] | None,
    from_zero: bool = False,
    bounds: Sequence[float] = (),
) -> Any:
    """Draw values with their intervals: one line of the drawing per `line`, one colour and symbol per `name`.

    A single empty name needs no legend. If there are no limits, `from_zero` makes the axis include 0. At `bounds`,
    which intervals have to clear, there are dashed lines over the full height.
    """
    if len(_series(drawn)) > len(SYMBOLS):
        # There are not enough symbols for so many names: give each a line of its own.
        drawn = [replace(span, line=f"{span.line}: {span.name}", name="") for span in drawn]
    lines, series = list(dict.fromkeys(span.line for span in drawn)), _series(drawn)
    traces: list[dict[str, Any]] = []
    shifts = _shifts(drawn, series)
    for number, name in enumerate(series):
        here = [span for span in drawn if span.name == name and not math.isnan(span.value)]
        colour = COLOURS[number % len(COLOURS)]
        traces.append(
            {
                "type": "scatter",
                "x": [span.value for span in here],
                "y": [lines.index(span.line) + shifts[span.line, name] for span in here],
                "mode": "markers",
                "name": escaped(name),
                "marker": {
                    "size": 10,
                    "color": colour,
                    "symbol": SYMBOLS[number % len(SYMBOLS)],
                },
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [_length(span.high - span.value) for span in here],
                    "arrayminus": [_length(span.value - span.low) for span in here],
                    "color": colour,
                    "thickness": 2,
                    "width": 5,
                },
                "text": [span.text for span in here],
                "hovertemplate": "%{text}<extra></extra>",
                # Do not cut a dot in half at the end of a whole scale.
                "cliponaxis": False,
            }
        )
    height = 130 + height_of(lines, max(ROW_HEIGHT, SERIES_HEIGHT * _most_on_a_line(drawn))) * len(lines)
    # For kappa, 0 is agreement by chance alone; for a signed value, no difference.
    shows_zero = limits == KAPPA or (limits is None and from_zero)
    strokes = [{**AT_ZERO, "line": {"color": AXIS, "width": 1.5, "dash": "dot"}}] if shows_zero else []
    strokes += [{**AT_ZERO, "x0": at, "x1": at, "line": {"color": AXIS, "width": 2, "dash": "dash"}} for at in bounds]
    # Pass the layout in one go: each later change of it costs Plotly as much as creating it.
    of_all = layout(height)
    whole = {
        **of_all,
        "margin": {**of_all["margin"], "r": N_WIDTH + SIGN_WIDTH * any(span.warned for span in drawn)},
        "showlegend": series != [""],
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        "xaxis": _axis(axis, limits) | (_from_zero(drawn, bounds) if limits is None and from_zero else {}),
        "yaxis": _axis_of_lines(lines),
        "shapes": strokes,
        "annotations": _numbers_beside(drawn, lines, shifts),
    }
    return go.Figure(data=traces, layout=whole)


def _from_zero(drawn: Sequence[Span], bounds: Sequence[float]) -> dict[str, Any]:
    """Return axis settings that include 0: centred if nothing else is drawn, as the edge would cut a dot in half."""
    reached = [end for span in drawn for end in (span.low, span.value, span.high) if not math.isnan(end)]
    if bounds:  # no range is made for what is no data
        low, high = min(0.0, *reached, *bounds), max(0.0, *reached, *bounds)
        return {"range": [low - 0.05 * (high - low), high + 0.05 * (high - low)]}
    return {"rangemode": "tozero"} if any(reached) else {"range": [-1, 1]}


def _series(drawn: Sequence[Span]) -> list[str]:
    """Return the names, all raters together last: in parts by group, they come between the raters of two groups."""
    names = dict.fromkeys(span.name for span in drawn)
    return sorted(names, key=lambda name: name == party_in_words(ALL_RATERS))


def _shifts(drawn: Sequence[Span], series: Sequence[str]) -> dict[tuple[str, str], float]:
    """Return each name's offset from the middle of its line, so that names on one line do not overlap."""
    on_line: dict[str, set[str]] = {}
    for span in drawn:
        if not math.isnan(span.value):
            on_line.setdefault(span.line, set()).add(span.name)
    step = min(0.32, 0.75 / _most_on_a_line(drawn))
    return {
        (line, name): (place - (len(names) - 1) / 2) * step
        for line, names in on_line.items()
        for place, name in enumerate(sorted(names, key=series.index))
    }


def _most_on_a_line(drawn: Sequence[Span]) -> int:
    """Return the largest number of names on one line; raters of a group are only on their own group's lines."""
    on_line = Counter(line for line, _ in {(span.line, span.name) for span in drawn if not math.isnan(span.value)})
    return max(on_line.values(), default=1)


def _numbers_beside(
    drawn: Sequence[Span], lines: list[str], shifts: Mapping[tuple[str, str], float]
) -> list[dict[str, Any]]:
    """Return the n to write at the right of each line, only once if all values on the line have the same n."""
    texts: list[dict[str, Any]] = []
    for place, line in enumerate(lines):
        here = [span for span in drawn if span.line == line and not math.isnan(span.value)]
        same = len({(span.n, span.warned) for span in here}) == 1
        for span in here[:1] if same else here:
            shift = 0.0 if same else shifts[line, span.name]
            sign = f" {WARNED}" if span.warned else ""
            texts.append(_number_beside(place + shift, f"n = {span.n}{sign}", size=12 if same else 11))
    return texts


def _number_beside(place: float, text: str, size: int) -> dict[str, Any]:
    return {
        "x": 1, "xref": "paper", "xanchor": "left", "xshift": 6, "y": place, "yanchor": "middle",
        "text": text, "showarrow": False, "font": {"size": size},
    }  # fmt: skip


def _axis_of_lines(lines: Sequence[str]) -> dict[str, Any]:
    """Return the axis with a name for each line, the first on top."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(lines))),
        "ticktext": [wrapped(escaped(line)) for line in lines],
        "range": [len(lines) - 0.5, -0.5],
        "showgrid": False,
        "zeroline": False,
        "automargin": True,
    }


def _span(row: EstimateRow, label: str, name: str) -> Span:
    """Convert an estimate to a span on its axis; without an interval it has no line."""
    estimate, factor = row.estimate, _factor(row.scale)
    low, high = (_reach(estimate, side) * factor for side in (-1, +1))
    value = estimate.value * factor
    text, warned = _hover(row, label), bool(estimate.warning)
    return Span(label, name, value - low, value, value + high, text, estimate.n, warned)


def _length(distance: float) -> float | None:
    """Return the length of one side of a line; None without an interval, which also omits the stroke at its end."""
    return None if math.isnan(distance) else distance


def add_floors(figure: Any, floors: Sequence[EstimateRow], strata: Sequence[Stratum]) -> None:
    """Draw the floors as vertical strokes across the lines of the same items."""
    for kind, (colour, dash) in FLOORS.items():
        name = ""
        xs: list[float | None] = []
        ys: list[float | None] = []
        texts: list[str] = []
        for row in floors:
            (floor,) = row.parties
            if floor.kind == kind and not math.isnan(row.estimate.value):
                name = party_in_words(floor)
                line = strata.index(row.stratum)
                xs += [100 * row.estimate.value] * 2 + [None]
                ys += [line - 0.38, line + 0.38, None]
                texts += [_hover(row, stratum_in_words(row.stratum))] * 2 + [""]
        if xs:
            figure.add_trace(
                {
                    "type": "scatter", "x": xs, "y": ys, "mode": "lines", "name": f"Floor: {name.lower()}",
                    "line": {"color": colour, "dash": dash, "width": 3},
                    "text": texts, "hovertemplate": "%{text}<extra></extra>",
                }
            )  # fmt: skip


def diverging(lines: Sequence[str], steps: Sequence[str], shares: Mapping[tuple[str, str], Estimated]) -> Any:
    """Draw shares of an ordered scale as bars on both sides of the scale's middle, one line each.

    Parameters
    ----------
    steps
        The steps of the scale, lowest first.
    shares
        By line and step.
    """
    traces = []
    for number, step in enumerate(steps):
        colour = _of_step(number, len(steps))
        bases, widths, texts = [], [], []
        for line in lines:
            of_line = [100 * shares[line, other].value for other in steps]
            below, here = sum(of_line[:number]), of_line[number]
            bases.append(below - _middle(of_line))
            widths.append(here)
            texts.append(f"{here:.0f}" if here >= LEAST_WRITTEN else "")
        traces.append(
            {
                "type": "bar",
                "x": widths, "y": list(range(len(lines))), "base": bases, "orientation": "h", "name": escaped(step),
                "marker": {"color": colour, "line": {"color": AXIS, "width": 1}, "pattern": _hatch(number, len(steps))},
                "text": texts, "textposition": "inside",
                "insidetextanchor": "middle", "textangle": 0,
                "textfont": {"color": "#10161b" if _is_pale(number, len(steps)) else "#ffffff"},
                "hovertext": [
                    escaped(f"{line}: {step}, {width:.1f} %") for line, width in zip(lines, widths, strict=True)
                ],
                "hovertemplate": "%{hovertext}<extra></extra>",
            }
        )  # fmt: skip
    height = 150 + height_of(lines, ROW_HEIGHT) * len(lines)
    numbers = [shares[line, steps[0]].n for line in lines]
    whole = {
        **layout(height),
        "barmode": "overlay",
        "margin": {**layout(height)["margin"], "r": N_WIDTH, "t": 90},
        "legend": {
            # Anchored to the top: on narrow screens, the words of a scale take several lines.
            "orientation": "h", "yref": "container", "y": 1.0, "yanchor": "top", "x": 0, "xanchor": "left",
            "traceorder": "normal",
        },
        "xaxis": {**_axis("Share (%), from the middle of the scale", None)},
        "yaxis": _axis_of_lines(lines),
        "shapes": [{**AT_ZERO, "line": {"color": AXIS, "width": 1.5, "dash": "dot"}}],
        "annotations": [_number_beside(place, f"n = {n}", size=12) for place, n in enumerate(numbers)],
    }  # fmt: skip
    return go.Figure(data=traces, layout=whole)


def _middle(of_line: Sequence[float]) -> float:
    """Return the share to the left of a scale's middle: all steps below it, and half of a middle step."""
    half = len(of_line) // 2
    return sum(of_line[:half]) + (of_line[half] / 2 if len(of_line) % 2 else 0.0)


def _of_step(number: int, steps: int) -> str:
    """Return the colour of a step: from orange through grey to blue, darker the farther it is from the middle."""
    along = 2 * number / max(steps - 1, 1) - 1
    ends = (178, 82, 10) if along < 0 else (18, 78, 132)
    shade = tuple(round(222 + (end - 222) * abs(along)) for end in ends)
    return "#{:02x}{:02x}{:02x}".format(*shade)


def _hatch(number: int, steps: int) -> dict[str, Any]:
    """Return the pattern of a step: thin strokes below the middle of the scale, none from the middle up."""
    below = 2 * number < steps - 1
    return {"shape": HATCH if below else "", "size": 9, "solidity": 0.18, "fgcolor": "#10161b", "fillmode": "overlay"}


def _is_pale(number: int, steps: int) -> bool:
    return abs(2 * number / max(steps - 1, 1) - 1) < 0.6


def layout(height: int) -> dict[str, Any]:
    """Return the layout common to all figures: transparent, so that the page or file provides the background."""
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
    """Return the distance from the value to the end of its interval on one side; NaN without an interval."""
    limit = estimate.high if side > 0 else estimate.low
    return math.nan if math.isnan(limit) else max(0.0, side * (limit - estimate.value))


def _hover(row: EstimateRow, label: str) -> str:
    estimate = row.estimate
    count = estimate.n_clusters
    clusters = "" if count is None else f", {count} cluster{'' if count == 1 else 's'}"
    return "<br>".join(
        escaped(line)
        for line in (
            f"{label}: {who(row)}",
            shown_estimate(estimate, row.scale),
            f"n = {estimate.n} ({estimate.unit}){clusters}",
            *(part for part in (estimate.warning,) if part),
        )
    )
