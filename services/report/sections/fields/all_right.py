"""Several fields of one verdict together: how often all of them are right at once."""

from __future__ import annotations

from collections.abc import Sequence

from exchange.report.estimate_rows import ALL_RATERS, EstimateRow, Party, Stratum
from protocol.language.wording import listed
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Unit
from services.report.rows.ratings import PhaseRatings, Ratings
from services.report.sections.fields.of_pool import of_pool
from services.report.sections.fields.topics import POOLED, Topic, has_models

# By unit, whether its answer is right.
RightOf = dict[tuple[int, int], bool]


def all_right(phase: PhaseRatings, keys: Sequence[str]) -> Topic:
    """Return the topic that counts the units on which all these fields of a phase are right."""
    fields = [field for key in keys if (field := phase.of_field(key)) is not None]
    labels = listed([f"“{each.field.label}”" for each in fields])

    def compute(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        by_field = [_by_party(each) for each in fields]
        if len(by_field) < len(keys):
            # A field that nobody was asked is neither right nor wrong.
            return []
        # By party: whether all is right, the cluster, and the chance of being drawn of each unit.
        of_parties: list[tuple[Party, list[tuple[bool, str, float | None]]]] = []
        for column in ratings.columns:
            own = [of_field.get(column.party, {}) for of_field in by_field]
            known = [
                (all(right[place] for right in own), cluster, unit.probability)
                for unit, cluster in zip(ratings.units, ratings.clusters, strict=True)
                if all((place := _place(unit)) in right for right in own)
            ]
            if known:
                of_parties.append((column.party, known))
        if len(of_parties) > 1:
            of_parties.append((ALL_RATERS, [each for _, known in of_parties for each in known]))
        rows = []
        for party, known in of_parties:
            right, clusters = [is_right for is_right, _, _ in known], [cluster for _, cluster, _ in known]
            unit = "verdict" if party == ALL_RATERS else ratings.unit
            share, wilson = intervals.share(right, clusters, unit=unit)
            row = EstimateRow("share", "right_at_once", (party,), stratum, share, wilson)
            rows += [row, *of_pool(row, right, [chance for _, _, chance in known], clusters, intervals)]
        return rows

    return Topic(
        "all_right",
        "right in all fields at once",
        f"Of the units that have a reference and an answer in each of {labels}, the share of which all of these are "
        "right. A field that was not asked, because of the answer above it, is not right where it has a reference.",
        compute,
        in_parts=False,
        of_models=True,
        further=(
            POOLED,
            (
                "What a model wrote that is no answer is not right; nor is a field to which it wrote nothing.",
                has_models,
            ),
        ),
        names=frozenset({("share", "right_at_once")}),
    )


def _by_party(ratings: Ratings) -> dict[Party, RightOf]:
    """Return, by rater or model and unit, whether the answer is right, for units with a reference and an answer."""
    known = ratings.only(lambda place: ratings.keys[place] is not None)
    known = known.with_columns([*known.columns, *known.models])
    return {
        column.party: {
            _place(unit): bool(is_right)
            for unit, is_right, state in zip(known.units, correct, column.states, strict=True)
            if is_right is not None or state == "not_asked"
        }
        for column, correct in zip(known.columns, known.correct, strict=True)
    }


def _place(unit: Unit) -> tuple[int, int]:
    return unit.item.id, unit.candidate.id if unit.candidate else 0
