"""The same answer in every condition, as with a mirage: a finding reported with the image and without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from agreement.estimate import undefined
from exchange.report.estimate_rows import EstimateRow, LeftOut, Reason, Stratum
from exchange.report.statistic_names import Compared
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import VERDICTS, Column, State, Unit
from services.report.rows.excluded import says_neither
from services.report.rows.ratings import Ratings
from services.report.rows.settled import place_of, settled
from services.report.sections.fields.shares import categories_of
from services.report.sections.fields.topics import Topic, has_bounds

# An item, and the model whose answers to it are judged; no model where every model's answer has to be the same.
_Question = tuple[str, str]
_Condition = tuple[str, ...]


@dataclass(frozen=True)
class _Text:
    """What became of one answer to a question.

    Attributes
    ----------
    said
        The option that was chosen; None without one, or if that leaves the denominator.
    judged
        Whether everybody who was to judge it has done so.
    open
        Whether the counted option is still possible although none was chosen.
    """

    said: str | None
    judged: bool
    open: bool

    def counts(self, option: str, best: bool) -> bool:
        """Return whether it counts as the option: where none was chosen in the best case, if it is possible."""
        return self.said == option if self.said is not None else best and self.open


@dataclass
class _Asked:
    """The answers to one question, in each condition; several if it was asked several times."""

    cluster: str
    texts: dict[_Condition, list[_Text]]

    def all_of(self, holds: Callable[[_Text], bool]) -> bool:
        """Return whether something holds for every answer."""
        return all(holds(text) for texts in self.texts.values() for text in texts)


_LEFT_OUT = (
    "A question that lacks an answer in a condition is left out; in the consensus also one on which raters differ "
    "there, even between options that do not count. Beside the share stand its two bounds, with none of these "
    "questions counted, and with every one that no answer rules out."
)
_EVERY_MODEL = "A question is an item here, and every model's answer to it has to be this option."
_EVERY_ANSWER = "If a condition has several answers to a question, all of them have to be this option."


@dataclass(frozen=True)
class _Asking:
    """Which answers belong to one question, and to which condition; the attributes are those of `jointly`."""

    option: str
    over: Mapping[str, Sequence[str]]
    given: Ratings

    @property
    def over_models(self) -> bool:
        """Whether a question is an item, which every model has to answer alike."""
        return "model" in self.over

    def _question(self, unit: Unit) -> _Question:
        return unit.item.key, "" if self.over_models else unit.value_of("model")

    def _condition(self, unit: Unit) -> _Condition:
        return tuple(unit.value_of(name) for name in self.over)

    def is_repeated(self, ratings: Ratings, rows: Sequence[EstimateRow]) -> bool:
        """Return whether a condition has several answers to a question."""
        places = [(self._question(unit), self._condition(unit)) for unit in ratings.units]
        return bool(rows) and len({*places}) < len(places)

    def questions(self, ratings: Ratings, column: Column, answers: Sequence[str | None]) -> dict[_Question, _Asked]:
        """Return what a column says about each question, in each condition."""
        conditions = list(product(*self.over.values()))
        asked: dict[_Question, _Asked] = {}
        texts = _texts(self.option, ratings, self.given, column, answers)
        for unit, text, cluster in zip(ratings.units, texts, ratings.clusters, strict=True):
            own = asked.setdefault(self._question(unit), _Asked(cluster, {condition: [] for condition in conditions}))
            # An item may lack an attribute; its answer is then to no condition.
            if self._condition(unit) in own.texts:
                own.texts[self._condition(unit)].append(text)
        return asked


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
    asking = _Asking(option, over, given)
    compared: Compared = "jointly_by_models" if set(over) == {"model"} else "jointly"

    def compute(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        category = next(each for each in categories_of(ratings.field) if each.id == option)
        columns = list(ratings.columns)
        if len(columns) > 1 and all(column.party.kind != "consensus" for column in columns):
            columns.append(settled(ratings, ()).columns[0])
        rows: list[EstimateRow] = []
        for column, answers in zip(columns, ratings.with_columns(columns).answers, strict=True):
            judged = {
                whose: own
                for whose, own in asking.questions(ratings, column, answers).items()
                if all(own.texts.values()) and own.all_of(lambda text: text.said is not None or text.judged)
            }
            why = _why_left_out(ratings, column)
            blank = undefined(
                "share", 0, "question", "share", f"every question is {why}", confidence=intervals.confidence
            )
            row = EstimateRow("share", compared, (column.party,), stratum, blank, category=category)
            rows += _share_and_bounds(judged, option, row, why, intervals) if judged else []
        # Of a part in which nobody answered the same is said of every statistic.
        return rows if any(row.estimate.n and not row.bound for row in rows) else []

    return Topic(
        "jointly",
        "said by every model" if set(over) == {"model"} else "said in every condition",
        "Among questions with an answer in every condition, the share for which this option is the answer in all of "
        "them; with the reference negative this is the mirage rate. Any other option, including an uncertain one, does "
        "not count. The consensus is what all raters (or most, if the phase says so) agree on.",
        compute,
        in_parts=False,
        further=(
            (_LEFT_OUT, has_bounds),
            (_EVERY_MODEL, lambda _, rows: asking.over_models and bool(rows)),
            (_EVERY_ANSWER, asking.is_repeated),
        ),
    )


def _texts(
    option: str, ratings: Ratings, given: Ratings, column: Column, answers: Sequence[str | None]
) -> Iterator[_Text]:
    """Yield what became of each unit in a column; in the consensus it rests on what everybody said."""
    leaves = says_neither(ratings.field) - {option}
    said_by_all = _of_all(ratings if len(ratings.columns) > 1 else given, leaves)
    for unit, answer, state in zip(ratings.units, answers, column.states, strict=True):
        of_raters = said_by_all.get(place_of(unit), []) if column.party.kind == "consensus" else [(state, None)]
        judged = bool(of_raters) and all(state in VERDICTS for state, _ in of_raters)
        is_open = judged and any(each in (None, option) for _, each in of_raters)
        yield _Text(None if answer in leaves else answer, judged, is_open)


def _share_and_bounds(
    judged: Mapping[_Question, _Asked], option: str, row: EstimateRow, why: Reason, intervals: IntervalSettings
) -> list[EstimateRow]:
    """Return the share among questions answered everywhere and, if some are not, its worst and best case.

    Parameters
    ----------
    row
        The row of the share as it is if no question is answered everywhere.
    why
        Why a question is left out.
    """

    def is_known(own: _Asked) -> bool:
        return own.all_of(lambda text: text.said is not None)

    known = [own for own in judged.values() if is_known(own)]
    if known:
        everywhere = [own.all_of(lambda text: text.said == option) for own in known]
        share, wilson = intervals.share(everywhere, [own.cluster for own in known], unit="question")
        row = replace(row, estimate=share, beside=wilson)
    left_out = tuple(_in_words(whose) for whose, own in judged.items() if not is_known(own))
    if not left_out:
        return [row]

    def bound(name: Literal["worst", "best"]) -> EstimateRow:
        counted = [own.all_of(lambda text: text.counts(option, name == "best")) for own in judged.values()]
        share, _ = intervals.share(counted, [own.cluster for own in judged.values()], unit="question")
        return replace(row, estimate=share, beside=None, bound=name)

    remark = LeftOut(len(left_out), why, of=len(judged), who=left_out)
    return [replace(row, remark=remark), bound("worst"), bound("best")]


def _of_all(given: Ratings, leaves: Set[str]) -> dict[tuple[int, int], list[tuple[State | None, str | None]]]:
    """Return of each unit what became of it with everybody who was to rate it, and their answer; None without one."""
    columns = list(zip(given.columns, given.answers, strict=True))
    return {
        place_of(unit): [
            (column.states[place], None if answers[place] in leaves else answers[place])
            for column, answers in columns
            if column.states[place] is not None
        ]
        for place, unit in enumerate(given.units)
    }


def _why_left_out(ratings: Ratings, column: Column) -> Reason:
    if column.party.kind == "consensus":
        return "without a consensus"
    if says_neither(ratings.field):
        return "excluded or not assessable in a condition"
    return "undetermined or not assessable in a condition"


def _in_words(question: _Question) -> str:
    item, model = question
    return f"{item} ({model})" if model else item
