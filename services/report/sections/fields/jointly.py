"""The same answer in every condition, as with a mirage: a finding reported with the image and without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from agreement.estimate import undefined
from exchange.estimate_rows import EstimateRow, LeftOut, Reason, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import VERDICTS, Column, State
from services.report.rows.ratings import Ratings
from services.report.rows.settled import place_of, settled
from services.report.sections.fields.shares import categories_of
from services.report.sections.fields.topics import Topic, has_bounds

# An item, and the model whose answers to it are judged.
_Question = tuple[str, str]
_Condition = tuple[str, ...]
_BY_CONSENSUS: Mapping[bool, Reason] = {
    True: "without a consensus",
    False: "undetermined or not assessable in a condition",
}


@dataclass
class _Said:
    """The answers to one question.

    Attributes
    ----------
    options
        The answer in each condition.
    verdicts
        The conditions judged by everybody who was to judge them.
    open
        Of these, the conditions without an answer in which the counted option is still possible.
    """

    cluster: str
    options: dict[_Condition, str] = field(default_factory=dict)
    verdicts: set[_Condition] = field(default_factory=set)
    open: set[_Condition] = field(default_factory=set)


def jointly(option: str, over: Mapping[str, Sequence[str]], given: Ratings) -> Topic:
    """Return the topic that counts items for which an option is the answer in every condition.

    Parameters
    ----------
    option
        The option's id.
    over
        The attributes that define the conditions, each with all its values.
    given
        Each rater's answers on all units, which show where nothing was settled.
    """
    conditions = list(product(*over.values()))

    def questions(ratings: Ratings, column: Column, answers: Sequence[str | None]) -> dict[_Question, _Said]:
        said_by_all = _of_all(ratings if len(ratings.columns) > 1 else given)
        said: dict[_Question, _Said] = {}
        for unit, answer, state, cluster in zip(ratings.units, answers, column.states, ratings.clusters, strict=True):
            own = said.setdefault((unit.item.key, unit.value_of("model")), _Said(cluster))
            condition = tuple(unit.value_of(name) for name in over)
            if answer is not None:
                own.options[condition] = answer
            of_raters = said_by_all.get(place_of(unit), []) if column.party.kind == "consensus" else [(state, None)]
            if of_raters and all(state in VERDICTS for state, _ in of_raters):
                own.verdicts.add(condition)
                if any(each in (None, option) for _, each in of_raters):
                    own.open.add(condition)
        return said

    def compute(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        category = next(each for each in categories_of(ratings.field) if each.id == option)
        columns = list(ratings.columns)
        if len(columns) > 1 and all(column.party.kind != "consensus" for column in columns):
            columns.append(settled(ratings, ()).columns[0])
        rows: list[EstimateRow] = []
        for column, answers in zip(columns, ratings.with_columns(columns).answers, strict=True):
            said = questions(ratings, column, answers)
            judged = {
                whose: own
                for whose, own in said.items()
                if all(each in own.options or each in own.verdicts for each in conditions)
            }
            known = [own for own in judged.values() if all(each in own.options for each in conditions)]
            left_out = [whose for whose, own in judged.items() if any(each not in own.options for each in conditions)]
            why = _BY_CONSENSUS[column.party.kind == "consensus"]
            remark = LeftOut(len(left_out), why, of=len(judged), who=tuple(_in_words(each) for each in left_out))
            blank = undefined(
                "share", 0, "question", "share", f"every question is {why}", confidence=intervals.confidence
            )
            row = EstimateRow("share", "jointly", (column.party,), stratum, blank, category=category)
            row = replace(row, remark=remark if left_out else None)
            if known:
                everywhere = [all(own.options[each] == option for each in conditions) for own in known]
                share, wilson = intervals.share(everywhere, [own.cluster for own in known], unit="question")
                row = replace(row, estimate=share, beside=wilson)
            rows += [row] if judged else []
            for bound in ("worst", "best") if left_out else ():
                counted = [
                    all(
                        own.options[each] == option if each in own.options else bound == "best" and each in own.open
                        for each in conditions
                    )
                    for own in judged.values()
                ]
                share, _ = intervals.share(counted, [own.cluster for own in judged.values()], unit="question")
                rows.append(replace(row, estimate=share, beside=None, bound=bound, remark=None))
        # Of a part in which nobody answered the same is said of every statistic.
        return rows if any(row.estimate.n and not row.bound for row in rows) else []

    return Topic(
        "jointly",
        "said in every condition",
        "Among questions with an answer in every condition, the share for which this option is the answer in all of "
        "them; with the reference negative this is the mirage rate. Any other option, including an uncertain one, does "
        "not count. The consensus is what all raters (or most, if the phase says so) agree on.",
        compute,
        in_parts=False,
        further=(
            (
                (
                    "A question that lacks an answer in a condition is left out; in the consensus also one on which "
                    "raters differ there, even between options that do not count. Beside the share stand its two "
                    "bounds, with none of these questions counted, and with every one that no answer rules out."
                ),
                has_bounds,
            ),
        ),
    )


def _of_all(given: Ratings) -> dict[tuple[int, int], list[tuple[State | None, str | None]]]:
    """Return of each unit what became of it with everybody who was to rate it, and their answer; None without one."""
    columns = list(zip(given.columns, given.answers, strict=True))
    return {
        place_of(unit): [
            (column.states[place], answers[place]) for column, answers in columns if column.states[place] is not None
        ]
        for place, unit in enumerate(given.units)
    }


def _in_words(question: _Question) -> str:
    item, model = question
    return f"{item} ({model})" if model else item
