"""The same answer in every condition, as with a mirage: a finding reported with the image and without it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

from exchange.estimate_rows import EstimateRow, LeftOut, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.rows.settled import settled
from services.report.sections.fields.shares import categories_of
from services.report.sections.fields.topics import Topic


def jointly(option: str, over: Mapping[str, Sequence[str]]) -> Topic:
    """Return the topic that counts items for which an option is the answer in every condition.

    Parameters
    ----------
    option
        The option's id.
    over
        The attributes that define the conditions, each with all its values.
    """
    conditions = list(product(*over.values()))

    def compute(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        category = next(each for each in categories_of(ratings.field) if each.id == option)
        columns = list(ratings.columns)
        if len(columns) > 1 and all(column.party.kind != "consensus" for column in columns):
            columns.append(settled(ratings, ()).columns[0])
        rows: list[EstimateRow] = []
        known_to_raters: list[set[tuple[str, str]]] = []
        for column, answers in zip(columns, ratings.with_columns(columns).answers, strict=True):
            said: dict[tuple[str, str], dict[tuple[str, ...], str]] = defaultdict(dict)
            clusters: dict[tuple[str, str], str] = {}
            for unit, answer, cluster in zip(ratings.units, answers, ratings.clusters, strict=True):
                whose = (unit.item.key, unit.value_of("model"))
                clusters[whose] = cluster
                if answer is not None:
                    said[whose][tuple(unit.value_of(name) for name in over)] = answer
            known = [whose for whose in clusters if all(each in said[whose] for each in conditions)]
            # Raters with different answers have no consensus, even if neither answer is the option counted here.
            differing = 0
            if column.party.kind != "consensus":
                known_to_raters.append({*known})
            elif known_to_raters:
                differing = len(set.intersection(*known_to_raters) - {*known})
            if known:
                everywhere = [all(said[whose][each] == option for each in conditions) for whose in known]
                share, wilson = intervals.share(everywhere, [clusters[whose] for whose in known], unit="question")
                row = EstimateRow("share", "jointly", (column.party,), stratum, share, wilson, category=category)
                rows.append(replace(row, remark=LeftOut(differing, "without a consensus") if differing else None))
        return rows

    return Topic(
        "jointly",
        "said in every condition",
        "Of the questions with an answer in every condition, the share of which the option is said in all of them; "
        "with the reference negative this is the mirage rate. Any other option, an uncertain one too, is not it. The "
        "consensus is what all raters, or most where the phase says so, agree on; a question on which they do not is "
        "left out, and counted in the note, also where each says another of the options that are not counted.",
        compute,
        in_parts=False,
    )
