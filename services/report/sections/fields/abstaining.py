"""Verdicts without an answer in a field that was asked: abstentions, and units called not assessable."""

from __future__ import annotations

from collections.abc import Sequence

from agreement import percent_agreement
from exchange.report.estimate_rows import EstimateRow, Stratum
from exchange.report.statistic_names import Compared
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Column, State
from services.report.rows.ratings import Ratings
from services.report.sections.fields.topics import Topic

_IN_FIELD: tuple[State, ...] = ("answered", "undetermined", "empty")
# Models may also write something that is not an answer, or nothing.
_OF_MODELS: tuple[State, ...] = (*_IN_FIELD, "invalid", "no_response")
# The states in which there is a verdict on the unit.
_ON_UNIT: tuple[State, ...] = (*_IN_FIELD, "not_asked", "not_assessable")


def undetermined(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how often each rater abstained in a field that was asked, and whether pairs did so on the same units."""
    said = [_said(column, "undetermined", _OF_MODELS) for column in ratings.columns]
    return _rows(ratings, said, "undetermined", "abstentions", stratum, intervals)


def invalid(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how often a model wrote something that is not an answer to a field, and how often it wrote nothing."""
    wrong = [_said(column, "invalid", _OF_MODELS) for column in ratings.columns]
    nothing = [_said(column, "no_response", _OF_MODELS) for column in ratings.columns]
    return [
        *_rows(ratings, wrong, "invalid", "abstentions", stratum, intervals),
        *_rows(ratings, nothing, "no_response", "abstentions", stratum, intervals),
    ]


def not_assessable(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how often each rater called a unit not assessable, and whether pairs did so on the same units."""
    said = [_said(column, "not_assessable", _ON_UNIT) for column in ratings.columns]
    return _rows(ratings, said, "not_assessable", "assessability", stratum, intervals)


def _said(column: Column, wanted: State, among: Sequence[State]) -> list[bool | None]:
    return [None if state not in among else state == wanted for state in column.states]


def _rows(
    ratings: Ratings,
    said: Sequence[Sequence[bool | None]],
    share: Compared,
    agreed: Compared,
    stratum: Stratum,
    intervals: IntervalSettings,
) -> list[EstimateRow]:
    """Return shares and agreement; empty if nobody gave such an answer."""
    if not any(True in own for own in said):
        return []
    rows = []
    for column, own in zip(ratings.columns, said, strict=True):
        given = [(says, cluster) for says, cluster in zip(own, ratings.clusters, strict=True) if says is not None]
        if given:
            clusters = [cluster for _, cluster in given]
            estimate, wilson = intervals.share([says for says, _ in given], clusters, unit=ratings.unit)
            rows.append(EstimateRow("share", share, (column.party,), stratum, estimate, wilson))
    by = intervals.by(ratings.clusters) | {"unit": ratings.unit}
    for a, b in ratings.pairs_on(stratum):
        parties = (ratings.columns[a].party, ratings.columns[b].party)
        rows.append(
            EstimateRow("percent_agreement", agreed, parties, stratum, percent_agreement(said[a], said[b], **by))
        )
    return rows


UNDETERMINED = Topic(
    "undetermined",
    "undetermined",
    "Share of the units on which the field was asked; and of two raters, how often both abstained or neither did. The "
    "latter is high wherever abstentions are rare, whether or not they fall on the same units. An abstention is not "
    "right in an accuracy, and no answer in an agreement.",
    undetermined,
    of_models=True,
    names=frozenset({("share", "undetermined")}),
)
INVALID = Topic(
    "invalid",
    "what models wrote that is no answer",
    "Share of the items for which a model was asked this field. An answer that is not one of the options, or cannot be "
    "filled in, is wrong in an accuracy and a miss in an F1, as is no answer; a calibration excludes both.",
    invalid,
    of_models=True,
    names=frozenset({("share", "no_response")}),
)
NOT_ASSESSABLE = Topic(
    "not_assessable",
    "not assessable",
    "Share of the units with a verdict; and of two raters, how often both called a unit not assessable or neither did, "
    "which is high wherever few are. Such a unit is in no other estimate but the bounds.",
    not_assessable,
    names=frozenset({("share", "not_assessable")}),
)
