"""How an answer fares in practice, and whether a pass is good enough: by the rules of the field types, as elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from services.reading.correctness import AnswerKey
from services.reading.field_keys import FieldResult

# The outcome of a practice answer. `in_words`: text that is not an accepted answer but may be right, as only a person
# could tell. `not_scored`: the program has nothing to compare it with, such as a place that names its pane.
Practised = Literal["right", "wrong", "in_words", "not_scored"]
IS_RIGHT: Mapping[Practised, bool | None] = MappingProxyType(
    {"right": True, "wrong": False, "in_words": None, "not_scored": None}
)
# So that 0.8 of five items is four, although 0.8 has no exact binary representation.
ROUNDING = 1e-9


def of_field(result: FieldResult) -> Practised:
    """Return how an answer to one field fares in practice."""
    return as_practised(result.asked.key, result.score.correct, is_given=result.given == "given")


def as_practised(key: AnswerKey, correct: bool | None, *, is_given: bool) -> Practised:
    """Return how an answer fares in practice if its field type's rules call it right, wrong or neither.

    Parameters
    ----------
    is_given
        Whether there is an answer that a person could call right, which an abstention is not.
    """
    if correct is None:
        return "not_scored"
    if correct:
        return "right"
    return "in_words" if is_given and key.is_in_words else "wrong"


def is_enough(answers: Sequence[Practised], pass_mark: float) -> bool:
    """Return whether a pass reaches the mark: the share of right answers among those that are right or wrong.

    If no answer could be scored, text answers of which none was accepted do not reach it. If the program could compare
    nothing at all, nobody could ever reach the mark. Import refuses such practice. In earlier studies the pass counts
    as good enough, and the study's page says that nothing was scored.
    """
    correct, judged = counts(answers)
    if judged or pass_mark == 0:
        return correct + ROUNDING >= pass_mark * judged
    return "in_words" not in answers


def counts(answers: Sequence[Practised]) -> tuple[int, int]:
    """Return how many answers are right, and how many are right or wrong."""
    return answers.count("right"), answers.count("right") + answers.count("wrong")
