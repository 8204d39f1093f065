"""Lists in order of likelihood: pass@k against the reference, and the overlap of two raters' lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from agreement import ranking_accuracy, ranking_agreement
from exchange.report.estimate_rows import EstimateRow, Stratum
from protocol.fields import KINDS
from services.reading.correctness import as_meant
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Column
from services.report.rows.ratings import Ratings
from services.report.sections.fields.of_pool import of_pool
from services.report.sections.fields.topics import MEAN_OF_PAIRS, FieldReport, Topic

_TEXT = KINDS["text"].canonical
_DEPTHS = (1, 3, 5)


def depths_of(ratings: Ratings) -> tuple[int, ...]:
    """Return the numbers of first lines to look at: 1, 3, 5, and the most that may be written."""
    most = ratings.field.at_most
    return _DEPTHS if most is None else tuple(sorted({*(depth for depth in _DEPTHS if depth <= most), most}))


def _lists(values: tuple[object, ...]) -> list[list[str] | None]:
    return [[_TEXT(line) for line in value] if isinstance(value, list | tuple) else None for value in values]


def _with_what_is_none(column: Column) -> list[list[str] | None]:
    """Return the lists of a column; if a model wrote nothing, or something that is not a list, its list is empty."""
    return [
        [] if state in ("invalid", "no_response") else given
        for state, given in zip(column.states, _lists(column.values), strict=True)
    ]


def pass_at(
    ratings: Ratings, stratum: Stratum, intervals: IntervalSettings, asked: Sequence[int] = ()
) -> list[EstimateRow]:
    """Return each rater's share of units with an accepted answer among the first lines, and among those asked for."""
    known = ratings.only(lambda place: (key := ratings.keys[place]) is not None and bool(key.key.accepted))
    accepted = [[_TEXT(line) for line in key.key.accepted] for key in known.keys if key is not None]
    depths = sorted({*depths_of(known), *asked})
    rows = []
    for column, scores in zip(known.columns, known.scores, strict=True):
        if any(value is not None for value in column.values):
            result = ranking_accuracy(
                _with_what_is_none(column), accepted, depths, **intervals.by(known.clusters), unit=known.unit
            )
            for depth, estimate in result.within.items():
                row = EstimateRow("pass_at_k", "reference", (column.party,), stratum, estimate, depth=depth)
                right = [score.is_within(depth) for score in scores]
                rows += [row, *of_pool(row, right, known.chances, known.clusters, intervals)]
    return rows


def agreement(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how often two raters put the same line first, and how far their first lines overlap."""
    rows = []
    synonyms = [group.words for group in ratings.field.synonyms]
    lists = [
        _lists(tuple(as_meant(ratings.field.type, value, synonyms) for value in column.values))
        for column in ratings.columns
    ]
    for parties, places in ratings.parties_on(stratum):
        of_units = [list(given) for given in zip(*(lists[place] for place in places), strict=True)]
        by = intervals.same_by(ratings.clusters)
        result = ranking_agreement(of_units, depths_of(ratings), **by, unit=ratings.unit)
        for depth, estimate in result.overlap.items():
            if depth == 1:
                rows.append(EstimateRow("percent_agreement", "first_lines", parties, stratum, estimate))
            else:
                rows.append(EstimateRow("overlap", "lists", parties, stratum, estimate, depth=depth))
    return rows


PASS_AT = Topic(
    "pass_at_k",
    "accepted answer among the first lines",
    "pass@k: share of the items with an accepted answer among the first k lines of a rater’s list; an empty list is "
    "wrong. Lines are compared as words after normalisation.",
    pass_at,
    of_models=True,
    drawn="ranks",
)


def at_depth(depth: int) -> Topic:
    """Return the topic that counts this number of first lines too."""
    return replace(PASS_AT, compute=partial(pass_at, asked=(depth,)))


AGREEMENT = Topic(
    "agreement",
    "agreement between raters",
    "The same first line, and the mean share of the first lines that two raters have in common; not corrected for "
    "chance.",
    agreement,
    further=(MEAN_OF_PAIRS,),
)
REPORT = FieldReport(
    (PASS_AT, AGREEMENT),
    {"pass_at": PASS_AT, "accuracy": PASS_AT, "agreement": AGREEMENT},
    against={("pass_at", "models"): PASS_AT, ("accuracy", "models"): PASS_AT},
    at_depth=at_depth,
)
