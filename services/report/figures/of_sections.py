"""Figures built only from the finished report: every dot is a number in its tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import plotly.graph_objects as go

from exchange.report.estimate_rows import ALL_CANDIDATES, ALL_ITEMS, ALL_RATERS, EstimateRow, Stratum
from exchange.report.report_structure import EstimateTable, Matrix, QuartileRow, QuartileTable, Report, Section
from exchange.report.report_words import (
    WEIGHTED,
    intervals_in_words,
    party_in_words,
    statistic_in_words,
    stratum_in_words,
    stratum_key,
    who,
)
from exchange.report.shown_numbers import shown_number
from exchange.report.statistic_names import Compared, Scale, Statistic
from services.report.figures import directions
from services.report.figures.drawing import (
    KAPPA,
    SHARES,
    SYMBOLS,
    Span,
    add_floors,
    forest,
    layout,
    spans,
)
from services.report.figures.figure import (
    MOST_LINES,
    Figure,
    counts_in_words,
    range_in_words,
    rows_in_words,
    warned_in_words,
)
from services.report.figures.floors_and_ceilings import floors_and_ceilings, thirds
from services.report.figures.labels import escaped, longest_of_column
from services.report.figures.maps import categories, cell_texts, heatmap, map_of
from services.report.figures.of_fields import figures_of_fields

# More pairs, or raters, than this cannot be told apart in one drawing.
MOST_PAIRS = 6
MOST_RATERS = 6
# The agreement statistics that are drawn. PABAK is only in the table, as it is not a kappa of the answers as given.
_AGREEMENT_FIGURES: tuple[tuple[Statistic, Scale, str, str], ...] = (
    ("percent_agreement", "percent", "Percent agreement", "Same (%)"),
    ("cohen_kappa", "number", "Cohen’s kappa", "Kappa"),
)
_LIMITS: dict[Scale, tuple[float, float]] = {"percent": SHARES, "number": KAPPA}
_COMPARED: tuple[Compared, ...] = ("answers", "correctness")
_FLOORS_DRAWN = (
    "Vertical strokes: floors over all items of the line, no matter who answered. A rater’s difference from a floor in "
    "the table “Raters against the floors” is on the items that this rater answered, and may differ from the distance "
    "drawn."
)
# The cluster of the intervals of raters' own answers.
SUBJECT = "subject"


def figures_of(report: Report) -> list[Figure]:
    """Return the report's figures in the order of its sections; a table without rows has none."""
    figures: list[Figure] = []
    for section in report.sections:
        make = _OF_SECTION.get(section.key)
        figures += make(report, section) if make is not None else figures_of_fields(section)
    return figures


def _accuracy(report: Report, section: Section) -> list[Figure]:
    floors = _estimates(report.section("floors"), "floors")
    figures = []
    for key, title in (
        ("accuracy", "Accuracy per rater, with the floors"),
        ("accuracy_by_category", "Accuracy per category"),
        ("accuracy_by_grounding", "Accuracy on image-grounded and image-informed items, with the floors"),
    ):
        table = section.table(key)
        if not isinstance(table, EstimateTable) or not table.rows:
            continue
        rows = [row for row in _estimates(section, key) if row.parties != (ALL_RATERS,)]
        if len({row.parties for row in rows}) > len(SYMBOLS):
            rows = [row for row in _estimates(section, key) if row.parties == (ALL_RATERS,)]
        labels, names = [stratum_in_words(row.stratum) for row in rows], [who(row) for row in rows]
        draw = partial(_with_floors, rows, floors, labels, names)
        shown = "" if key == "accuracy_by_category" else f" {_FLOORS_DRAWN}"
        caption = f"{title}. Dots: estimates; lines: {intervals_in_words(rows, table.cluster)}.{shown}"
        figures.append(Figure(key, section.key, title, _with_warnings(caption, rows), draw, rows_in_words(rows)))
    return figures


def _with_floors(
    rows: Sequence[EstimateRow], floors: Sequence[EstimateRow], labels: Sequence[str], names: Sequence[str]
) -> Any:
    figure = forest(rows, "Accuracy (%)", limits=SHARES, labels=labels, names=names)
    strata = list(dict.fromkeys(row.stratum for row in rows))
    add_floors(figure, [row for row in floors if row.stratum in strata], strata)
    return figure


def _floors(report: Report, section: Section) -> list[Figure]:
    """Draw floors, raters and ceilings for all items and for closed formats, and accuracy over queue and time."""
    rows = [
        row
        for each in (section, report.section("accuracy"))
        for key in ("floors", "accuracy", "ceilings", "against_others")
        for row in _estimates(each, key)
    ]
    figures: list[Figure] = []
    for key, stratum in (("levels", ALL_ITEMS), ("levels_closed", Stratum("closed"))):
        own = [row for row in rows if row.stratum == stratum]
        figures += floors_and_ceilings(section.key, key, "What raters stand between", own, SUBJECT)
    return figures + thirds(section.key, "order_and_time", "Accuracy", _estimates(section, "order_and_time"), SUBJECT)


def _agreement(report: Report, section: Section) -> list[Figure]:
    compared = {
        what: _estimates(section, f"agreement_on_{what}")
        for what in _COMPARED
        if _estimates(section, f"agreement_on_{what}")
    }
    pairs = {row.parties for rows in compared.values() for row in rows}
    several = len(pairs) > 1
    if len(pairs) > MOST_PAIRS:
        maps = [
            _pair_map(section, what, [row for row in rows if row.statistic == statistic], scale, title)
            for what, rows in compared.items()
            for statistic, scale, title, _ in _AGREEMENT_FIGURES
        ]
        if len(pairs) > MOST_LINES:
            return maps
        return [*(_kappa_of_pairs(section, what, rows) for what, rows in compared.items()), *maps]
    # One pair: answers and correctness side by side. Several pairs: a figure for each, with a colour for each pair.
    drawn = [(what,) for what in compared] if several else [tuple(compared)]
    figures = []
    for whats in drawn:
        for statistic, scale, title, axis in _AGREEMENT_FIGURES:
            shown = [(what, row) for what in whats for row in compared[what] if row.statistic == statistic]
            rows = [row for _, row in shown]
            if not rows:
                continue
            draw = partial(
                forest,
                rows,
                axis,
                limits=_LIMITS[scale],
                labels=[stratum_in_words(row.stratum) for row in rows],
                names=[who(row) if several else f"On {what}" for what, row in shown],
            )
            whose = "" if several else f" of {who(rows[0])}"
            heading = f"{title} on {' and on '.join(whats)}{whose}"
            caption = _with_warnings(f"{heading}, with {intervals_in_words(rows, SUBJECT)}. Unit: the item.", rows)
            figures.append(
                Figure(f"agreement_{'_'.join(whats)}_{scale}", section.key, heading, caption, draw, rows_in_words(rows))
            )
    figures += [
        Figure(
            table.key, section.key, table.title,
            " ".join(filter(None, (f"{table.title}.", table.explanation, f"n = {sum(map(sum, table.counts))}."))),
            partial(heatmap, table), counts_in_words(table),
        )
        for table in section.tables
        if isinstance(table, Matrix)
    ]  # fmt: skip
    return figures


def _kappa_of_pairs(section: Section, what: str, rows: Sequence[EstimateRow]) -> Figure:
    """Draw kappa over all items with its interval, one line for each pair of raters."""
    rows = [row for row in rows if row.stratum == ALL_ITEMS and row.statistic == "cohen_kappa"]
    draw = partial(forest, rows, "Kappa", limits=KAPPA, labels=[who(row) for row in rows], names=["" for _ in rows])
    heading = f"Cohen’s kappa on {what}, all items"
    caption = _with_warnings(f"{heading}, for every pair of raters, with {intervals_in_words(rows, SUBJECT)}.", rows)
    return Figure(f"agreement_{what}_number", section.key, heading, caption, draw, rows_in_words(rows))


def _pair_map(section: Section, what: str, rows: Sequence[EstimateRow], scale: Scale, title: str) -> Figure:
    """Draw one statistic over all items as a map of raters by raters; its intervals are in the table."""
    heading = f"{title} on {what}, all items"
    caption = f"{heading}, for every pair of raters. Intervals and formats are in the table “On {what}”."
    draw = partial(_map_of_pairs, rows, scale)
    shows = rows_in_words([row for row in rows if row.stratum == ALL_ITEMS])
    return Figure(f"agreement_{what}_{scale}_map", section.key, heading, caption, draw, shows)


def _map_of_pairs(rows: Sequence[EstimateRow], scale: Scale) -> Any:
    by_pair = {row.parties: row for row in rows if row.stratum == ALL_ITEMS}
    raters = list(dict.fromkeys(rater for pair in by_pair for rater in pair))
    values: list[list[float | None]] = [[None] * len(raters) for _ in raters]
    texts = [["" for _ in raters] for _ in raters]
    for pair, row in by_pair.items():
        i, j = (raters.index(rater) for rater in pair)
        known = not math.isnan(row.estimate.value)
        values[i][j] = values[j][i] = row.estimate.value if known else None
        value = shown_number(row.estimate.value, scale) if known else "–"
        texts[i][j] = texts[j][i] = f"{value}<br>n = {row.estimate.n}"
    names = [escaped(party_in_words(rater)) for rater in raters]
    cells = map_of(values, names, names, 1.0)
    cells.update(text=texts, hovertemplate="%{x} and %{y}: %{text}<extra></extra>")
    height = 110 + 48 * len(raters)
    whole = {
        **layout(height),
        "xaxis": categories(names, longest_of_column(len(names))),
        "yaxis": {**categories(names), "autorange": "reversed"},
        "annotations": cell_texts(names, names, texts),
    }
    return go.Figure(cells, whole)


def _adjudication(report: Report, section: Section) -> list[Figure]:
    rows = _estimates(section, "before_and_after")
    pairs = [row for row in rows if row.stage]
    if not pairs:
        return []
    labels = [statistic_in_words(row) for row in pairs]
    names = [f"{row.stage.capitalize()} adjudication" for row in pairs]
    draw = partial(forest, pairs, "Share (%)", limits=SHARES, labels=labels, names=names)
    title = "Before and after adjudication"
    caption = (
        f"{title}, with {intervals_in_words(pairs, SUBJECT)}. The accuracies are based on different items: see the "
        "text."
    )
    said = _with_warnings(caption, pairs)
    return [Figure("before_and_after", section.key, title, said, draw, rows_in_words(pairs))]


def _judges(report: Report, section: Section) -> list[Figure]:
    figures = []
    for table in section.tables:
        if not isinstance(table, EstimateTable) or not table.rows:
            continue
        run = party_in_words(table.of) if table.of is not None else ""
        shown = {row.statistic for row in table.rows}
        rows, decided = list(table.rows), ""
        if "signed_difference" in shown:
            decided = directions.in_words([row for row in rows if row.stratum == ALL_CANDIDATES])
            labels = [_human(row) for row in rows]
            draw = partial(forest, rows, directions.AXIS, limits=None, labels=labels, names=["" for _ in rows])
            title = f"{run}: direction of the judge’s errors"
        elif "cohen_kappa" in shown:
            ceiling = _estimates(report.section("scores"), "scores_agreement")
            rows = [row for row in (*table.rows, *ceiling) if row.statistic == "cohen_kappa"]
            of_raters = [row.compared == "scores" for row in rows]
            labels = [who(row) if ours else _human(row) for row, ours in zip(rows, of_raters, strict=True)]
            names = ["Raters with each other" if ours else run for ours in of_raters]
            draw = partial(forest, rows, "Kappa", limits=KAPPA, labels=labels, names=names)
            title = f"{run}: kappa with the raters, and between raters as the ceiling"
        else:
            continue
        figures.append(
            Figure(
                table.key, section.key, title,
                _with_warnings(
                    " ".join(filter(None, (f"{title}, with {intervals_in_words(rows, table.cluster)}.", decided))), rows
                ),
                draw, rows_in_words(rows),
            )
        )  # fmt: skip
    return figures


def _with_warnings(caption: str, rows: Sequence[EstimateRow]) -> str:
    return " ".join(filter(None, (caption, warned_in_words(rows))))


def _human(row: EstimateRow) -> str:
    """Return with whom a judge is compared, on which candidates if not all, and whether weighted to the pool."""
    human = party_in_words(row.parties[-1])
    part = () if row.stratum == ALL_CANDIDATES else (stratum_key(row.stratum),)
    return ", ".join((human, *part, *((WEIGHTED,) if row.weighted else ())))


def _viewing(report: Report, section: Section) -> list[Figure]:
    return [*_prior_not_opened(section), *_slices_seen(section)]


def _prior_not_opened(section: Section) -> list[Figure]:
    """Draw a line for each rater; raters may have been offered the prior of different items, as their n show."""
    rows = _estimates(section, "prior_not_opened")
    if not rows:
        return []
    labels = [who(row) for row in rows]
    draw = partial(forest, rows, "Share of verdicts (%)", limits=SHARES, labels=labels, names=["" for _ in rows])
    title = "Answered without opening the prior"
    caption = (
        f"{title}, of the verdicts on items that offer one. Dots: shares; lines: {intervals_in_words(rows, SUBJECT)}. "
        "Descriptive."
    )
    if any(math.isnan(row.estimate.low) for row in rows):
        caption += " A dot without a line has no interval; the table gives the reason."
    said = _with_warnings(caption, rows)
    return [Figure("prior_not_opened", section.key, title, said, draw, rows_in_words(rows))]


def _slices_seen(section: Section) -> list[Figure]:
    """Draw the quartiles for each scan and plane, by rater, or for all raters together if there are many."""
    table = section.table("slices_seen")
    if not isinstance(table, QuartileTable) or not table.rows:
        return []
    raters = {row.party for row in table.rows} - {ALL_RATERS}
    wanted = raters if len(raters) <= MOST_RATERS else {ALL_RATERS}
    drawn = [_quartiles(row) for row in table.rows if row.party in wanted]
    draw = partial(spans, drawn, "Share of the plane’s slices (%)", limits=SHARES)
    title = "Share of slices seen"
    caption = (
        f"{title}, for verdicts for which the image was opened. Dots: medians; lines: first to third quartile, not "
        "confidence intervals; n: verdicts. Descriptive."
    )
    medians = [span.value for span in drawn]
    n = range_in_words([span.n for span in drawn])
    shows = f"{len(drawn)} medians, from {min(medians):g} % to {max(medians):g} %, n = {n}" if drawn else "no value"
    return [Figure("slices_seen", section.key, title, caption, draw, shows)]


def _quartiles(row: QuartileRow) -> Span:
    volume, rater = f"{row.volume}: {row.plane}", party_in_words(row.party)
    spread = f"median {row.median:g} %, quartiles {row.low:g} to {row.high:g} %"
    text = f"{escaped(f'{volume}: {rater}')}<br>{spread}<br>n = {row.n}"
    return Span(volume, rater, row.low, row.median, row.high, text, row.n)


_OF_SECTION = {
    "accuracy": _accuracy,
    "floors": _floors,
    "agreement": _agreement,
    "adjudication": _adjudication,
    "judges": _judges,
    "viewing": _viewing,
}


def _estimates(section: Section | None, key: str) -> list[EstimateRow]:
    table = section.table(key) if section is not None else None
    # For an older plan, figures show only what it froze; exploratory rows are in the tables.
    return [row for row in table.rows if not row.exploratory] if isinstance(table, EstimateTable) else []
