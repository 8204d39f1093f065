"""Automatic scores of candidates' texts against people's verdicts: exact match and token F1."""

from __future__ import annotations

from collections.abc import Sequence

from agreement import exact_match, spearman, token_f1
from exchange.report.estimate_rows import EstimateRow, Stratum
from exchange.report.statistic_names import Compared
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Unit
from services.report.rows.ratings import Ratings
from services.report.sections.fields.against_judges import PARTLY, correct_of, humans_of
from services.report.sections.fields.topics import Topic

Scores = list[float | None]


def correlation(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how token F1 and exact match correlate with people's verdicts: each rater's, and the consensus."""
    scorers: tuple[tuple[Compared, Scores], ...] = (
        ("token_f1", [_scored(unit, by_overlap=True) for unit in ratings.units]),
        ("exact_match", [_scored(unit, by_overlap=False) for unit in ratings.units]),
    )
    by = intervals.by(ratings.clusters) | {"unit": ratings.unit}
    rows = []
    for compared, scores in scorers:
        for column in humans_of(ratings):
            said = [None if is_right is None else float(is_right) for is_right in correct_of(column)]
            if _has_pairs(scores, said):
                estimate = spearman(scores, said, **by)
                rows.append(EstimateRow("spearman", compared, (column.party,), stratum, estimate))
    return rows


def _scored(unit: Unit, *, by_overlap: bool) -> float | None:
    """Return a candidate's automatic score against the accepted answers in words; None if there are none."""
    accepted = _accepted(unit)
    if unit.candidate is None or not unit.candidate.answer or not accepted:
        return None
    return (token_f1 if by_overlap else exact_match)(unit.candidate.answer, accepted)


def _accepted(unit: Unit) -> list[str]:
    texts = dict(unit.item.options)
    return [texts.get(answer, answer) for answer in unit.item.accepted]


def _has_pairs(scores: Sequence[float | None], said: Sequence[float | None]) -> bool:
    return any(a is not None and b is not None for a, b in zip(scores, said, strict=True))


CORRELATION = Topic(
    "scorers",
    "automatic scores against people",
    "Spearman’s correlation of token F1 (how many words a candidate’s text has in common with an accepted one, from 0 "
    "to 1), and of exact match (whether it is the same), with what people said of the candidate. A scorer that "
    "follows people far less than they agree with each other cannot stand in for them.",
    correlation,
    further=(PARTLY,),
)
