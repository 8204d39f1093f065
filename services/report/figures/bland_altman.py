"""Bland-Altman figures: differences over means, with the mean difference and its limits of agreement."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from exchange.report.estimate_rows import Estimated
from exchange.report.report_structure import PairedPoints
from exchange.report.report_words import parties_in_words
from exchange.report.shown_numbers import shown_number
from exchange.report.statistic_names import Statistic
from services.report.figures.drawing import AXIS, COLOURS, GRID, layout
from services.report.figures.labels import WARNED, escaped

HEIGHT = 440
# Each statistic with its line style, so that the lines can be told apart in grey.
_LINES: tuple[tuple[Statistic, str, str], ...] = (
    ("upper_limit", "Upper limit", "dash"),
    ("mean_difference", "Mean", "solid"),
    ("lower_limit", "Lower limit", "dash"),
)
_SMALLEST, _LARGEST = 7.0, 24.0


def bland_altman_figure(paired: PairedPoints, estimates: Mapping[Statistic, Estimated], unit: str) -> Any:
    """Draw a point for each pair of mean and difference, larger for more units; bands are the three lines' intervals.

    Parameters
    ----------
    estimates
        The mean difference and its two limits, by statistic.
    unit
        The unit of means and differences, such as mm; empty for steps, or if it is not known.
    """
    most = max(count for *_, count in paired.points)
    sizes = [
        _SMALLEST + (_LARGEST - _SMALLEST) * math.sqrt((count - 1) / max(most - 1, 1)) for *_, count in paired.points
    ]
    points = {
        "type": "scatter",
        "x": [mean for mean, _, _ in paired.points],
        "y": [gap for _, gap, _ in paired.points],
        "mode": "markers",
        "marker": {"size": sizes, "color": COLOURS[0], "opacity": 0.85, "line": {"color": COLOURS[0], "width": 1}},
        "hovertext": [
            f"mean {mean:g}, difference {gap:+g}: {count} unit{'' if count == 1 else 's'}"
            for mean, gap, count in paired.points
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }
    shapes: list[dict[str, Any]] = []
    words: list[dict[str, Any]] = []
    for statistic, name, dash in _LINES:
        estimate = estimates[statistic]
        if math.isnan(estimate.value):
            continue
        across = {"xref": "x domain", "x0": 0, "x1": 1, "yref": "y"}
        if not math.isnan(estimate.low):
            band = {"type": "rect", "y0": estimate.low, "y1": estimate.high, "fillcolor": GRID, "opacity": 0.6}
            shapes.append({**across, **band, "line": {"width": 0}, "layer": "below"})
        line = {"color": COLOURS[1], "dash": dash, "width": 2}
        shapes.append({**across, "type": "line", "y0": estimate.value, "y1": estimate.value, "line": line})
        words.append(
            {
                "x": 1, "xref": "x domain", "xanchor": "left", "xshift": 6, "y": estimate.value, "yref": "y",
                "yanchor": "middle", "align": "left", "showarrow": False, "font": {"size": 12},
                "text": f"{name}<br>{shown_number(estimate.value, 'signed')}{f' {WARNED}' if estimate.warning else ''}",
            }
        )  # fmt: skip
    names, in_unit = escaped(parties_in_words(paired.parties, "minus")), f" ({escaped(unit)})" if unit else ""
    axis = {"gridcolor": GRID, "linecolor": AXIS, "showline": True, "ticks": "outside", "tickcolor": AXIS}
    whole = {
        **layout(HEIGHT),
        "margin": {**layout(HEIGHT)["margin"], "r": 110},
        "xaxis": {**axis, "zeroline": False, "title": {"text": f"Mean of the two{in_unit}"}},
        "yaxis": {
            **axis,
            "zeroline": True,
            "zerolinecolor": AXIS,
            "title": {"text": f"{names}{in_unit}"},
            "automargin": True,
        },
        "shapes": shapes,
        "annotations": words,
    }
    return go.Figure(data=[points], layout=whole)
