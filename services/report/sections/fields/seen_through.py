"""Guesses at who wrote an answer, against who did: whether the blinding of a pool held."""

from __future__ import annotations

from collections.abc import Sequence

from agreement import bang_blinding_index, james_blinding_index
from exchange.report.estimate_rows import ALL_RATERS, Category, EstimateRow, Party, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import WRITTEN_BY
from services.report.rows.ratings import Ratings
from services.report.sections.fields.topics import Topic

# The guesses, and the actual sources in the words of `Unit.value_of`.
_SOURCES = ("person", "model")
_WRITTEN = {"a person": "person", "a model": "model"}


def blinding(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return Bang's index for people's and for models' answers, and James' for both; empty for a single source."""
    source = [_WRITTEN.get(unit.value_of(WRITTEN_BY)) for unit in ratings.units]
    if not set(_SOURCES) <= set(source):
        return []
    parties: list[tuple[Party, Sequence[str | None], int]] = [
        (column.party, answers, 1) for column, answers in zip(ratings.columns, ratings.answers, strict=True)
    ]
    if len(parties) > 1:
        parties.append((ALL_RATERS, [said for answers in ratings.answers for said in answers], len(parties)))
    rows = []
    for party, guess, times in parties:
        if not any(guess):
            continue
        by = intervals.by(ratings.clusters * times)
        by.pop("interval", None)
        by |= {"sources": _SOURCES, "unit": "verdict" if party == ALL_RATERS else ratings.unit}
        for key, words in zip(_SOURCES, ("of people’s answers", "of models’ answers"), strict=True):
            own = bang_blinding_index(source * times, guess, key, **by)
            category = Category(key, words)
            rows.append(EstimateRow("bang_index", "source", (party,), stratum, own, category=category))
        both = james_blinding_index(source * times, guess, **by)
        rows.append(EstimateRow("james_index", "source", (party,), stratum, both))
    return rows


BLINDING = Topic(
    "blinding",
    "did the blinding hold",
    "Bang’s index for one source: the share guessed correctly minus the share guessed incorrectly, of all its units; 0 "
    "is chance, 1 is unblinded, below 0 is the opposite guess. James’ index for both: 1 if nobody can tell, 0.5 for "
    "random guesses, 0 if unblinded; it is high if most cannot tell. “All raters” pools verdicts.",
    blinding,
)
