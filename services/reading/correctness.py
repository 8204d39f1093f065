"""Whether an answer is right, and what raters are compared on, by the rules of the answer's field type.

Queue, practice, report and export all use these rules. A rater is therefore never trained on other rules than those
that count, and whatever goes to the reviewers as a disagreement is also one in the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agreement import token_f1
from protocol.fields import KINDS, number, several, text
from protocol.fields.kind import FieldKind, FieldScore, Reference
from protocol.fields.region import Region
from protocol.references import ComparedBy

NOT_ASSESSABLE = "not assessable"


@dataclass(frozen=True)
class AnswerKey:
    """How an item is answered, and which answers count as right.

    Attributes
    ----------
    format
        The item's format: `yes_no`, `choice` or `open`.
    type
        The type of the field in which the answer is given.
    radius, region
        For a place: the distance in mm from an accepted place, or the voxels, within which it is right.
    compared_by
        Who compares an answer with the reference; if people do, the program scores nothing.
    unit
        The unit of a number field.
    """

    format: str
    type: str
    options: tuple[tuple[str, str], ...]
    accepted: tuple[str, ...]
    low: float | None
    high: float | None
    radius: float | None = field(default=None, kw_only=True)
    region: Region | None = field(default=None, kw_only=True)
    compared_by: ComparedBy = field(default="program", kw_only=True)
    unit: str | None = field(default=None, kw_only=True)

    @property
    def is_closed_ended(self) -> bool:
        """Whether the answer is one of the given options."""
        return self.format in ("yes_no", "choice")

    @property
    def kind(self) -> FieldKind:
        """The rules of its field type."""
        return KINDS[self.type]

    @cached_property
    def reference(self) -> Reference:
        """What counts as right."""
        return Reference(self.accepted, self.low, self.high, self.radius, self.region, self.unit)

    @cached_property
    def has_reference(self) -> bool:
        """Whether anything counts as right."""
        return self.reference.is_given

    @property
    def is_in_words(self) -> bool:
        """Whether words that are not among the accepted ones may still be right, as judged by people."""
        return self.kind.is_in_words(self.low, self.high)


@dataclass(frozen=True)
class Score(FieldScore):
    """The score of an answer; a value is None if the item has no reference of that kind."""

    token_f1: float | None = None


def canonical(field_type: str, answer: Any) -> str:
    """Return the form of an answer that is compared between raters."""
    compared = KINDS[field_type].canonical(answer)
    # The quotation marks distinguish an answer that consists of these very words.
    return f"“{compared}”" if compared == NOT_ASSESSABLE else compared


def as_meant(field_type: str, answer: Any, synonyms: Sequence[Sequence[str]]) -> Any:
    """Return a written answer, or each of its lines, with synonyms replaced by the first word of their group.

    Parameters
    ----------
    synonyms
        Groups of words that mean the same, for a field with free text.
    """
    in_words = KINDS[field_type].scale in ("text", "ranking")
    return text.as_meant(answer, synonyms) if synonyms and in_words and answer is not None else answer


def said(field_type: str, answer: Any, *, not_assessable: bool) -> str | None:
    """Return the value of a stored verdict that is compared, possibly "not assessable"; None without an answer."""
    if not_assessable:
        return NOT_ASSESSABLE
    return None if answer is None else canonical(field_type, answer)


def score(item: AnswerKey, answer: Any) -> Score:
    """Score an answer against the item's reference; a text also gets its best token F1 over the accepted texts."""
    if item.compared_by == "people":
        return Score(None)
    scored = item.kind.score(answer, item.reference, [option for option, _ in item.options])
    accepted = item.accepted if item.kind.scale == "text" else ()
    f1 = token_f1(str(answer), accepted) if accepted else None
    return Score(scored.correct, scored.share, scored.rank, scored.distance_mm, f1)


def right_guesses(item: AnswerKey, options: Sequence[str]) -> int:
    """Return how many answers of a guesser are right who chooses one of these options; of sets of options one is."""
    if item.kind.scale == "set":
        return 1
    return sum(score(item, option).correct is True for option in options)


def score_written(item: AnswerKey, written: str) -> Score:
    """Score a program's output, given in place of a rater's entry: an option id, ids separated by |, or text.

    For a number field, a text that is a number is read as a model's answer is (`number.answered`); otherwise the one
    number in it is taken, and converted to the unit of the field.
    """
    if item.compared_by == "people":
        return Score(None)
    if item.kind.scale == "set":
        return score(item, several.in_cell(written))
    if item.kind.has_options:
        return score(item, written)
    if item.kind.scale == "interval":
        value = number.answered(written, item.unit)
        value = text.number_in(written, item.unit) if value is None else value
        scored = item.kind.score(value, item.reference, ())
    else:
        scored = KINDS["text"].score(written, item.reference, ())
    return Score(scored.correct, token_f1=token_f1(written, item.accepted) if item.accepted else None)


def as_text(answer: Any) -> str:
    """Return an answer as a table cell: option id, text, number without trailing zeros, or the parts of a list."""
    if isinstance(answer, list | tuple):
        return " | ".join(as_text(part) for part in answer)
    if isinstance(answer, float):
        return KINDS["number"].canonical(answer)
    return str(answer)


def in_words(item: AnswerKey, answer: Any) -> str:
    """Return an answer in the words that the rater saw."""
    return item.kind.in_words(answer, dict(item.options))


def written_in_words(item: AnswerKey, written: str) -> str:
    """Return a program's output, given in place of a rater's entry, in the words that the rater saw."""
    return in_words(item, several.in_cell(written) if item.kind.scale == "set" else written)


def reference_in_words(item: AnswerKey) -> str:
    """Return what counts as right, in words."""
    return " or ".join(item.kind.reference_in_words(item.reference, dict(item.options))) or "no reference"
