"""What an answer is in practice, and whether a pass is enough: by the rules of field types, as everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from services.reading.correctness import AnswerKey
from services.reading.field_keys import FieldResult

# What became of an answer to practice. Words that are not accepted may be right too, as only a person could tell; not
# scored is what a program can compare with nothing, as a place that names its pane.
Practised = Literal["right", "wrong", "in_words", "not_scored"]
IS_RIGHT: Mapping[Practised, bool | None] = MappingProxyType(
    {"right": True, "wrong": False, "in_words": None, "not_scored": None}
)
# So that 0.8 of five items is four, although 0.8 is no binary fraction.
ROUNDING = 1e-9


def of_field(result: FieldResult) -> Practised:
    """Return what a field of an answer is in practice."""
    return as_practised(result.asked.key, result.score.correct, is_given=result.given == "given")


def as_practised(key: AnswerKey, correct: bool | None, *, is_given: bool) -> Practised:
    """Return what an answer is in practice that is right, wrong or neither by the rules of its field type.

    Parameters
    ----------
    is_given
        Whether there are words that a person could call right: an abstention is none.
    """
    if correct is None:
        return "not_scored"
    if correct:
        return "right"
    return "in_words" if is_given and key.is_in_words else "wrong"


def is_enough(answers: Sequence[Practised], pass_mark: float) -> bool:
    """Return whether a pass reaches the mark: the share of right answers among those that are right or wrong.

    Where none is, the mark is not reached by words of which none was accepted. Where a program could compare nothing at
    all, nobody could ever reach it; import refuses such practice, and in studies of before the pass counts as one, of
    which the study's page says that nothing was scored.
    """
    correct, judged = counts(answers)
    if judged or pass_mark == 0:
        return correct + ROUNDING >= pass_mark * judged
    return "in_words" not in answers


def counts(answers: Sequence[Practised]) -> tuple[int, int]:
    """Return how many answers are right, and how many are right or wrong."""
    return answers.count("right"), answers.count("right") + answers.count("wrong")
