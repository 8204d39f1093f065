"""The figures of each panel: its main statistics with their intervals, one line for each stratum of the candidates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from agreement.judge.cells import shown_figures, unit_of
from agreement.judge.conditions import CORRECTED_BETWEEN, RAW_BETWEEN
from agreement.judge.panels import (
    PANELS,
    ceiling,
    corrected,
    criteria,
    direction,
    reliability,
    repeatability,
    replacement,
    thresholds,
    uniformity,
)
from agreement.judge.rows import EVERYTHING, Panel, Row
from agreement.judge.scale import Scale
from exchange.report.report_words import said_once
from services.report.figures.curves import MOST_SERIES, Point, curves
from services.report.figures.drawing import Span, spans
from services.report.figures.figure import Figure, sign_in_words

_UNIT_SCALE = (0.0, 1.0)


@dataclass(frozen=True)
class _Drawn:
    """The statistics of a panel that share one axis, the axis label, and the limits of the scale if it has any."""

    panel: str
    statistics: tuple[str, ...]
    axis: str
    limits: tuple[float, float] | None = None
    key: str = ""
    # A difference: the axis includes 0, which means no difference.
    is_signed: bool = False


_DRAWN: tuple[_Drawn, ...] = (
    _Drawn(
        ceiling.KEY,
        (ceiling.CEILING, ceiling.OF_JUDGE),
        "Agreement with the other humans: of each human, and of the judge",
    ),
    _Drawn(direction.KEY, (direction.DIFFERENCE,), "Human minus judge: above 0 the judge is stricter", is_signed=True),
    _Drawn(
        uniformity.KEY,
        (uniformity.LEVEL,),
        "Human minus judge on a level: above 0 the judge is stricter there",
        is_signed=True,
    ),
    _Drawn(
        replacement.KEY,
        (replacement.ADVANTAGE,),
        "Share of the candidates on which the judge is at least as close to the others as the human left out",
        _UNIT_SCALE,
        key="advantage",
    ),
    _Drawn(
        replacement.KEY,
        (replacement.WINNING,),
        "Share of the humans against whom the judge wins",
        _UNIT_SCALE,
    ),
    _Drawn(
        replacement.KEY,
        (replacement.CURVE,),
        "Share of the humans against whom the judge would win at another epsilon",
        _UNIT_SCALE,
        key="epsilon",
    ),
    _Drawn(corrected.KEY, (corrected.RAW, corrected.CORRECTED), "Score of each model, raw and corrected"),
    _Drawn(
        corrected.KEY,
        (RAW_BETWEEN, CORRECTED_BETWEEN),
        "Difference of two conditions of a model, raw and corrected",
        key="conditions",
        is_signed=True,
    ),
    _Drawn(
        thresholds.KEY,
        (thresholds.SENSITIVITY, thresholds.SPECIFICITY),
        "Share called right, or wrong, at the chosen threshold",
        _UNIT_SCALE,
    ),
    _Drawn(
        thresholds.KEY,
        tuple(
            f"{name}, {when}"
            for name in (thresholds.BRIER, thresholds.ERROR)
            for when in (reliability.AS_GIVEN, reliability.RECALIBRATED)
        ),
        "How far the probabilities are from what people say: 0 is best",
        key="reliability",
    ),
    _Drawn(
        repeatability.KEY,
        repeatability.CHANGES,
        "Share of verdicts that changed, from run to run and with the order, the prompt or the model",
    ),
    _Drawn(
        criteria.KEY,
        (criteria.AGREEMENT,),
        "Agreement with the other humans: of the judge, minus that of the human left out",
        key="agreement",
        is_signed=True,
    ),
    _Drawn(
        criteria.KEY,
        (criteria.DIRECTION,),
        "Human minus judge: above 0 the judge is stricter",
        key="direction",
        is_signed=True,
    ),
)
_MODEL = "model"
# More lines than this are unreadable on a screen.
_MOST_LINES = 24


def figures_of(panel: Panel, scale: Scale) -> list[Figure]:
    """Return the figures of a panel; empty if it has none, or if none of its statistics has a value.

    They use the unit of the panel's sentences and table: points, percent, or none.

    Parameters
    ----------
    scale
        The scale of the verdicts.
    """
    figures = [_figure(panel, drawn, scale) for drawn in _DRAWN if drawn.panel == panel.key]
    figures.append(_reliability_curve(panel))
    return [figure for figure in figures if figure is not None]


def _reliability_curve(panel: Panel) -> Figure | None:
    """Return how often candidates are right by what was stated of them, for each judge as given and recalibrated."""
    series: dict[str, list[Point]] = {}
    drawn = []
    for when in (reliability.AS_GIVEN, reliability.RECALIBRATED):
        stated = {
            (row.parties[0], row.stratum): row.estimate.value for row in panel.of(f"{reliability.STATED}, {when}")
        }
        for row in panel.of(f"{reliability.RIGHT}, {when}"):
            what = f"{row.stratum}: {100 * row.estimate.value:.1f} % right"
            point = Point(100 * stated[row.parties[0], row.stratum], row.estimate, what)
            series.setdefault(f"{row.parties[0]}, {when}", []).append(point)
            drawn.append(row.estimate)
    if not series or len(series) > MOST_SERIES:
        return None
    axis = "Mean stated probability (%)"
    caption = (
        f"{PANELS[panel.key].question} Points: share right over the mean stated probability, by tenths; lines are "
        f"intervals; n above each line, or behind a name. Dotted: as often right as stated. {sign_in_words(drawn)}"
    )
    draw = partial(curves, series, axis, "Right (%)", diagonal=True)
    return Figure(f"panel-{panel.key}-curve", panel.key, PANELS[panel.key].title, caption.rstrip(), draw)


def _figure(panel: Panel, asked: _Drawn, scale: Scale) -> Figure | None:
    """Return a figure. If it had too many lines, keep only the levels of models, and failing that only the totals."""
    rows = [
        row
        for row in panel.rows
        if row.statistic in asked.statistics and not row.is_declared and not math.isnan(row.estimate.value)
    ]
    of_models = [row for row in rows if row.stratum == EVERYTHING or row.factor == _MODEL]
    of_all = [row for row in rows if row.stratum == EVERYTHING]
    factor, unit = unit_of(asked.statistics[0], scale)
    axis = f"{asked.axis} ({unit})" if unit else asked.axis
    for wanted in (rows, of_models, of_all):
        drawn = [_span(panel.key, row, scale, factor, several=len(asked.statistics) > 1) for row in wanted]
        if drawn and len({span.line for span in drawn}) <= _MOST_LINES:
            bounds = sorted({factor * bound for row in wanted for bound in row.bounds})
            draw = partial(spans, drawn, axis, limits=asked.limits, from_zero=asked.is_signed, bounds=bounds)
            lines = "lines are intervals" if any(span.low < span.high for span in drawn) else "no point has an interval"
            caption = f"{PANELS[panel.key].question} {axis}; {lines}, the number at the right is n."
            caption += _bounds_in_words(bounds)
            sign = sign_in_words([row.estimate for row in wanted])
            key = "-".join(filter(None, ("panel", panel.key, asked.key)))
            return Figure(key, panel.key, PANELS[panel.key].title, f"{caption} {sign}".rstrip(), draw)
    return None


def _bounds_in_words(bounds: Sequence[float]) -> str:
    if not bounds:
        return ""
    where = "the bound above" if len(bounds) == 1 else "the bounds between"
    return f" Dashed: {where} which a line has to lie to pass."


def _span(panel: str, row: Row, scale: Scale, factor: float, *, several: bool) -> Span:
    estimate = row.estimate
    low = estimate.value if math.isnan(estimate.low) else estimate.low
    high = estimate.value if math.isnan(estimate.high) else estimate.high
    whose = _whose(panel, row)
    line = whose if row.stratum == EVERYTHING else f"{whose}, {said_once(row.stratum)}"
    text = f"{line}: {row.statistic} {' '.join(shown_figures(row, scale)).rstrip()}, n = {estimate.n}"
    name = row.statistic if several else ""
    return Span(
        line, name, factor * low, factor * estimate.value, factor * high, text, estimate.n, bool(estimate.warning)
    )


def _whose(panel: str, row: Row) -> str:
    """Return the label of a row: in panels whose humans are the same throughout, only the judge's name."""
    if row.statistic == ceiling.CEILING:
        return row.judge
    of_judge_alone = (ceiling.KEY, uniformity.KEY, replacement.KEY, criteria.KEY)
    return row.parties[0] if panel in of_judge_alone else ", ".join(row.parties)
