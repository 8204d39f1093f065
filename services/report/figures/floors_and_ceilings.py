"""Figures of floors and ceilings, and of accuracy by position and time; the same for both kinds of studies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from exchange.report.estimate_rows import ALL_RATERS, EstimateRow
from exchange.report.report_words import intervals_in_words, statistic_in_words, stratum_in_words, who
from exchange.report.shown_numbers import shown_estimate
from exchange.report.statistic_names import Compared
from protocol.language.wording import listed
from services.report.figures.curves import Point, curves
from services.report.figures.drawing import SHARES, forest
from services.report.figures.figure import MOST_LINES, Figure, lacking_in_words, rows_in_words

# More raters than this cannot be told apart, so only all of them together are drawn; of models, none.
MOST_RATERS = 6
_WITHOUT_IMAGES: tuple[Compared, ...] = ("chance_floor", "text_only_floor", "majority_floor")
_CEILINGS: tuple[Compared, ...] = ("best_rater", "others")
_DRAWN = (*_WITHOUT_IMAGES, "reference", *_CEILINGS)
# What thirds are of: the axis, the words in the title, and why they are descriptive.
_THIRDS: tuple[tuple[Compared, str, str, str], ...] = (
    ("queue", "Third of each rater’s own queue", "by place in the queue", "hard items may have come late"),
    (
        "active_time", "Third of each rater’s own active times, the fastest first", "by active time",
        "nobody was randomised to be slow, and hard items take long",
    ),
)  # fmt: skip


def floors_and_ceilings(section: str, key: str, title: str, rows: Sequence[EstimateRow], cluster: str) -> list[Figure]:
    """Draw chance, the text-only baseline, the most frequent answer, the raters, the best one, and each against others.

    Parameters
    ----------
    rows
        All on the same units, in any order; rows that are none of these are ignored.
    """
    levels = [
        row
        for row in sorted(rows, key=lambda row: _DRAWN.index(row.compared) if row.compared in _DRAWN else 0)
        if row.compared in _DRAWN
        and row.statistic in ("accuracy", "percent_agreement")
        and not (row.bound or row.weighted or row.exploratory)
    ]
    levels, left_out = _few_enough(levels)
    if len({row.compared for row in levels}) < 2 or len(levels) > MOST_LINES:
        return []
    names = [_whose(row) for row in levels]
    lines = [_line(row) for row in levels]
    draw = partial(forest, levels, "Share (%)", limits=SHARES, labels=lines, names=names)
    caption = (
        f"{title}: {stratum_in_words(levels[0].stratum)}. Dots: shares right, or the same as "
        f"most of the others; lines: {intervals_in_words(levels, cluster)}; n beside each line.{left_out}"
    )
    said = " ".join(filter(None, (caption, lacking_in_words(levels))))
    return [Figure(key, section, title, said, draw, rows_in_words(levels))]


def _few_enough(levels: list[EstimateRow]) -> tuple[list[EstimateRow], str]:
    """Return the rows without raters, or models, that are too many to be drawn one by one, and a sentence on these."""
    said = []
    for kind, words in (("rater", "raters one by one"), ("model", "models")):
        parties = {row.parties for row in levels if row.compared == "reference" and row.parties[0].kind == kind}
        if len(parties) > MOST_RATERS:
            levels = [
                row for row in levels if row.compared not in ("reference", "others") or row.parties[0].kind != kind
            ]
            said.append(f"{len(parties)} {words}")
    return levels, f" Not drawn, but in the tables: {listed(said)}." if said else ""


def _whose(row: EstimateRow) -> str:
    if row.compared in _WITHOUT_IMAGES:
        return "Without the images"
    if any(party.kind == "model" for party in row.parties):
        return "Models"
    return "Ceilings" if row.compared in _CEILINGS else "Raters"


def _line(row: EstimateRow) -> str:
    words = statistic_in_words(row)
    if row.compared in ("chance_floor", "text_only_floor"):
        return who(row)
    return who(row) if row.compared == "reference" else f"{words[:1].upper()}{words[1:]}: {who(row)}"


def thirds(section: str, key: str, title: str, rows: Sequence[EstimateRow], cluster: str) -> list[Figure]:
    """Draw accuracy over the thirds of queue and times, of each rater, or only of all together if there are many.

    Parameters
    ----------
    title
        What is drawn, and of which field; the words for the thirds are added to it.
    """
    figures = []
    for compared, axis, words, because in _THIRDS:
        own = [row for row in rows if row.compared == compared and row.statistic == "accuracy" and row.category]
        parties = list(dict.fromkeys(row.parties for row in own))
        if len(parties) > MOST_RATERS:
            own = [row for row in own if row.parties == (ALL_RATERS,)]
        if not own:
            continue
        series: dict[str, list[Point]] = {}
        for row in own:
            what = f"{statistic_in_words(row)} {shown_estimate(row.estimate, row.scale)}"
            place = float(row.category.id) if row.category is not None else 0.0
            series.setdefault(who(row), []).append(Point(place, row.estimate, what))
        named = f"{title} {words}"
        caption = (
            f"{named}: {stratum_in_words(own[0].stratum)}. Points: share right in each third; lines: "
            f"{intervals_in_words(own, cluster)}; n above each line, or behind a name. Descriptive: {because}."
        )
        draw = partial(curves, series, axis, "Right (%)", (1, 2, 3))
        said = " ".join(filter(None, (caption, lacking_in_words(own))))
        figures.append(Figure(f"{key}-{compared}", section, named, said, draw, rows_in_words(own)))
    return figures
