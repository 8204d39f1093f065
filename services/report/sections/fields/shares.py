"""How often each option was chosen: the distribution of nominal and ordinal answers."""

from __future__ import annotations

from collections.abc import Sequence

from agreement.weighted import weighted_mean
from exchange.estimate_rows import ALL_RATERS, Category, EstimateRow, Party, Stratum
from protocol.fields import own_options_of
from protocol.language.expansion import Field
from services.report.interval_settings import IntervalSettings
from services.report.rows.chances import unequal
from services.report.rows.ratings import Ratings


def categories_of(field: Field) -> tuple[Category, ...]:
    """Return a field's options in order; the steps of a confidence are its options."""
    if field.options:
        return tuple(Category(option.id, option.text) for option in field.options)
    if field.steps is not None:
        return tuple(Category(str(step), str(step)) for step in range(1, field.steps + 1))
    return tuple(Category(key, text) for key, text in own_options_of(field.type))


def distribution(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return each option's share of the answers, by rater and for all verdicts; in parts only for all verdicts.

    If the probabilities of being drawn differ, the share weighted to the population is given as well.
    """
    given: list[tuple[Party, list[int], Sequence[str | None]]] = [
        (column.party, [place for place, answer in enumerate(answers) if answer is not None], answers)
        for column, answers in zip(ratings.columns, ratings.answers, strict=True)
    ]
    drawn_with = [unit.probability for unit in ratings.units]
    shares = [
        (
            party,
            [str(answers[place]) for place in places],
            [ratings.clusters[place] for place in places],
            [drawn_with[place] for place in places],
        )
        for party, places, answers in given
    ]
    if len(shares) > 1:
        pooled = (
            ALL_RATERS,
            [answer for _, answers, _, _ in shares for answer in answers],
            [cluster for _, _, clusters, _ in shares for cluster in clusters],
            [chance for _, _, _, of_rater in shares for chance in of_rater],
        )
        shares = [*shares, pooled] if stratum == ratings.whole else [pooled]
    return [
        row
        for category in categories_of(ratings.field)
        for party, answers, clusters, chances in shares
        for row in _share(category, party, answers, clusters, chances, ratings, stratum, intervals)
    ]


def _share(
    category: Category,
    party: Party,
    answers: Sequence[str],
    clusters: Sequence[str],
    chances: Sequence[float | None],
    ratings: Ratings,
    stratum: Stratum,
    intervals: IntervalSettings,
) -> list[EstimateRow]:
    if not answers:
        return []
    unit = "verdict" if party == ALL_RATERS else ratings.unit
    share, wilson = intervals.share([answer == category.id for answer in answers], clusters, unit=unit)
    rows = [EstimateRow("share", "option", (party,), stratum, share, wilson, category=category)]
    known = unequal(chances)
    if known is not None:
        chosen = [float(answer == category.id) for answer in answers]
        weighted = weighted_mean(chosen, known, name="share", unit=unit, **intervals.by(clusters))
        rows.append(EstimateRow("share", "option", (party,), stratum, weighted, weighted=True, category=category))
    return rows
