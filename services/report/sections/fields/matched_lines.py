"""Which line of a list matches the reference, according to people who read both: pass@k of the rated answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from exchange.report.estimate_rows import ALL_RATERS, EstimateRow, Party, Stratum
from protocol.language.expansion import Field
from protocol.language.results import lines_of_options
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.sections.fields.of_pool import of_pool
from services.report.sections.fields.topics import Topic


def depths_of(field: Field) -> tuple[int, ...]:
    """Return the numbers of first lines to look at: 1, 3, 5, and the most that can be named."""
    most = lines_of_options(field)
    return tuple(sorted({*(depth for depth in (1, 3, 5) if depth <= most), most})) if most else ()


def matched(
    ratings: Ratings, stratum: Stratum, intervals: IntervalSettings, asked: Sequence[int] = ()
) -> list[EstimateRow]:
    """Return the share of lists with a match among the first lines, also those asked for, by rater and of all."""
    lists = ratings.only(lambda place: ratings.units[place].has_list)
    if lists.unit != "candidate":
        return []
    # By party: each answer, with its unit's cluster and chance of being drawn.
    parties: list[tuple[Party, list[tuple[str, str, float | None]]]] = [
        (column.party, _given(answers, lists)) for column, answers in zip(lists.columns, lists.answers, strict=True)
    ]
    if len(parties) > 1:
        parties.append((ALL_RATERS, [answered for _, given in parties for answered in given]))
    rows = []
    for depth in sorted({*depths_of(ratings.field), *asked}):
        for party, given in parties:
            if given:
                within = [answer.isdecimal() and int(answer) <= depth for answer, _, _ in given]
                clusters = [cluster for _, cluster, _ in given]
                unit = "verdict" if party == ALL_RATERS else lists.unit
                share, wilson = intervals.share(within, clusters, unit=unit)
                row = EstimateRow("pass_at_k", "matched", (party,), stratum, share, wilson, depth=depth)
                rows += [row, *of_pool(row, within, [chance for _, _, chance in given], clusters, intervals)]
    return rows


def _given(answers: tuple[str | None, ...], lists: Ratings) -> list[tuple[str, str, float | None]]:
    return [
        (answer, cluster, chance)
        for answer, cluster, chance in zip(answers, lists.clusters, lists.chances, strict=True)
        if answer is not None
    ]


MATCHED = Topic(
    "matched_lines",
    "matching answer among the first lines",
    "pass@k: share of the rated lists in which, in the rater's view, one of the first k lines matches the reference. "
    "Answers to questions that ask for no list do not count, nor do answers that were never rated.",
    matched,
    drawn="ranks",
)


def at_depth(depth: int) -> Topic:
    """Return the topic that counts this number of first lines too."""
    return replace(MATCHED, compute=partial(matched, asked=(depth,)))
