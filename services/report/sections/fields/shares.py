"""How often each option was chosen: the distribution of answers, and the rate of an option that a plan names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from agreement import accuracy_of_correctness
from exchange.report.estimate_rows import ALL_RATERS, Category, EstimateRow, LeftOut, Party, Stratum
from exchange.report.statistic_names import Compared
from protocol.fields import SETS, own_options_of
from protocol.language.expansion import Field
from services.report.interval_settings import IntervalSettings
from services.report.rows.excluded import says_neither
from services.report.rows.ratings import Ratings
from services.report.sections.fields.of_pool import of_pool
from services.report.sections.fields.topics import POOLED_VERDICTS, Topic, has_bounds

# What a rater says who was asked and gives none of the options.
_ABSTAINED = ("undetermined", "not_assessable")


def categories_of(field: Field) -> tuple[Category, ...]:
    """Return a field's options in order; the steps of a confidence are its options."""
    if field.options:
        return tuple(Category(option.id, option.text) for option in field.options)
    if field.steps is not None:
        return tuple(Category(str(step), str(step)) for step in range(1, field.steps + 1))
    return tuple(Category(key, text) for key, text in own_options_of(field.type))


@dataclass(frozen=True)
class _Given:
    """What a party said of the units on which it was asked.

    Attributes
    ----------
    chosen
        The options of each verdict, one or several; None where it has none, as it says that there is nothing to say.
    clusters, chances
        Of each verdict, the cluster of its unit, and the chance that this was drawn.
    """

    party: Party
    chosen: list[frozenset[str] | None]
    clusters: list[str]
    chances: list[float | None]


def distribution(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return each option's share of the answers, by rater and for all verdicts; in parts only for all verdicts.

    With several options per verdict there is no share of all verdicts. If the selection probabilities differ, the share
    weighted to the population is given as well.
    """
    given = _given(ratings, stratum)
    return [
        row
        for category in categories_of(ratings.field)
        for of_party in given
        for row in _share(category, "option", of_party, ratings, stratum, intervals)
    ]


def rates(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return the same, with the bounds of what was left out: abstentions, and what is neither correct nor incorrect.

    A plan asks for one option, so that raters are in parts too. A verdict that says neither (*Excluded*) is in the
    denominator of its own rate alone.
    """
    given, neither = _given(ratings, ratings.whole), says_neither(ratings.field)
    rows: list[EstimateRow] = []
    for category in categories_of(ratings.field):
        leaves = neither - {category.id}
        compared: Compared = "scored_option" if leaves else "option"
        for of_party in given:
            chosen = [None if own is not None and own & leaves else own for own in of_party.chosen]
            scored = replace(of_party, chosen=chosen)
            rows += _share(category, compared, scored, ratings, stratum, intervals)
            rows += _bounds(category, compared, scored, ratings, stratum, intervals)
    return rows


def _given(ratings: Ratings, stratum: Stratum) -> list[_Given]:
    of_raters = []
    for column, answers in zip(ratings.columns, ratings.answers, strict=True):
        said = column.values if ratings.field.type in SETS else [None if own is None else [own] for own in answers]
        chosen = [None if own is None else frozenset[str](own) for own in said]
        places = [place for place, own in enumerate(chosen) if own is not None or column.states[place] in _ABSTAINED]
        of_raters.append(
            _Given(
                column.party,
                [chosen[place] for place in places],
                [ratings.clusters[place] for place in places],
                [ratings.units[place].probability for place in places],
            )
        )
    if len(of_raters) < 2 or ratings.field.type in SETS:
        return of_raters
    pooled = _Given(
        ALL_RATERS,
        [own for of_rater in of_raters for own in of_rater.chosen],
        [cluster for of_rater in of_raters for cluster in of_rater.clusters],
        [chance for of_rater in of_raters for chance in of_rater.chances],
    )
    return [*of_raters, pooled] if stratum == ratings.whole else [pooled]


def _share(
    category: Category,
    compared: Compared,
    given: _Given,
    ratings: Ratings,
    stratum: Stratum,
    intervals: IntervalSettings,
) -> Iterator[EstimateRow]:
    answered = [place for place, own in enumerate(given.chosen) if own is not None]
    if not answered:
        return
    unit = "verdict" if given.party == ALL_RATERS else ratings.unit
    counted = [category.id in (given.chosen[place] or ()) for place in answered]
    clusters = [given.clusters[place] for place in answered]
    share, wilson = intervals.share(counted, clusters, unit=unit)
    row = EstimateRow("share", compared, (given.party,), stratum, share, wilson, category=category)
    yield row
    yield from of_pool(row, counted, [given.chances[place] for place in answered], clusters, intervals)


def _bounds(
    category: Category,
    compared: Compared,
    given: _Given,
    ratings: Ratings,
    stratum: Stratum,
    intervals: IntervalSettings,
) -> list[EstimateRow]:
    """Return the share with all that was left out counted as another option, and as this one; nothing without any."""
    left_out = [own is None for own in given.chosen]
    if not any(left_out) or all(left_out):
        return []
    result = accuracy_of_correctness(
        [None if own is None else category.id in own for own in given.chosen],
        excluded=left_out,
        unit="verdict" if given.party == ALL_RATERS else ratings.unit,
        **intervals.by(given.clusters),
    )
    are_scores = compared == "scored_option"
    remark = LeftOut(
        result.n_excluded, "excluded or not assessable" if are_scores else "undetermined or not assessable"
    )
    row = EstimateRow("share", compared, (given.party,), stratum, result.worst_case, category=category, remark=remark)
    return [replace(row, bound="worst"), replace(row, bound="best", estimate=result.best_case)]


RATE = Topic(
    "rate",
    "how often it was chosen",
    "Share among the answers.",
    rates,
    further=(
        (
            (
                "Of scores, correct and incorrect are the denominator; an answer that is neither is in it of its own "
                "share alone."
            ),
            lambda ratings, _: bool(says_neither(ratings.field)),
        ),
        (
            (
                "Left out is what the notes count: excluded, left undetermined or called not assessable. Beside the "
                "share stand its two bounds, with none and with all of that counted as this option."
            ),
            has_bounds,
        ),
        POOLED_VERDICTS,
    ),
)
