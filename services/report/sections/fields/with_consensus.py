"""How many units have the consensus with which something is compared: those on which people differ are left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from exchange.report.estimate_rows import EstimateRow, Settled, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Column
from services.report.rows.ratings import Ratings
from services.report.sections.fields.topics import Compute


def noting_consensus(compute: Compute, humans_of: Callable[[Ratings], Sequence[Column]]) -> Compute:
    """Return the computation of rows of which those about the consensus say how many units have one.

    Nothing is said where all have one, or where numbers are settled by their mean or median.

    Parameters
    ----------
    humans_of
        Returns the columns of people with which something is compared, with that of their consensus.
    """

    def noted(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        settled = {
            column.party: how_settled(ratings, column)
            for column in humans_of(ratings)
            if column.party.kind == "consensus" and not column.party.name
        }
        return [
            replace(row, settled=next((settled[party] for party in row.parties if party in settled), None))
            for row in compute(ratings, stratum, intervals)
        ]

    return noted


def how_settled(ratings: Ratings, consensus: Column) -> Settled | None:
    """Return on how many units people agree, of those that two or more answered; None if on all of them."""
    rated = [sum(value is not None for value in given) > 1 for given in _by_unit(ratings)]
    agreed = [value is not None for value in consensus.values]
    of = sum(several or has for several, has in zip(rated, agreed, strict=True))
    return Settled(sum(agreed), of) if sum(agreed) < of else None


def _by_unit(ratings: Ratings) -> list[tuple[object, ...]]:
    return list(zip(*(column.values for column in ratings.columns), strict=True))
