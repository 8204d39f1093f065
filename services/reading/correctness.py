"""Whether an answer is right, and what is compared between raters, by the rules of the field type that it was given in.

Queue, practice, report and export all go by these rules: a rater is never trained on others than those that count, and
what goes to the reviewers as a disagreement is one in the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agreement import token_f1
from protocol.fields import KINDS, text
from protocol.fields.kind import FieldKind, FieldScore, Reference
from protocol.fields.region import Region
from protocol.references import ComparedBy

NOT_ASSESSABLE = "not assessable"


@dataclass(frozen=True)
class AnswerKey:
    """How an item is answered, and what of that counts as right.

    Attributes
    ----------
    format
        The item's: `yes_no`, `choice` or `open`.
    type
        The field type in which the answer is given.
    radius, region
        Of a place: within how many mm of an accepted one, or in which voxels, it is right.
    compared_by
        Who compares an answer with the reference; where people do, the program scores nothing.
    unit
        Of a number: the one that its field names.
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
        """Whether the answer is one of given options."""
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
        """Whether words that are not accepted may be right too, as people would say."""
        return self.kind.is_in_words(self.low, self.high)


@dataclass(frozen=True)
class Score(FieldScore):
    """What an answer scores; None where the item has no reference of that kind."""

    token_f1: float | None = None


def canonical(field_type: str, answer: Any) -> str:
    """Return what is compared between raters."""
    compared = KINDS[field_type].canonical(answer)
    # Somebody who types these very words has answered.
    return f"“{compared}”" if compared == NOT_ASSESSABLE else compared


def as_meant(field_type: str, answer: Any, synonyms: Sequence[Sequence[str]]) -> Any:
    """Return what somebody wrote, or each line of it, in the first of the words that mean the same.

    Parameters
    ----------
    synonyms
        Groups of words that mean the same, of a field in which people write.
    """
    in_words = KINDS[field_type].scale in ("text", "ranking")
    return text.as_meant(answer, synonyms) if synonyms and in_words and answer is not None else answer


def said(field_type: str, answer: Any, *, not_assessable: bool) -> str | None:
    """Return what is compared of a stored verdict, "not assessable" being one thing to say; None without an answer."""
    if not_assessable:
        return NOT_ASSESSABLE
    return None if answer is None else canonical(field_type, answer)


def score(item: AnswerKey, answer: Any) -> Score:
    """Score an answer against the item's reference; text has its best token F1 over the accepted texts beside."""
    if item.compared_by == "people":
        return Score(None)
    scored = item.kind.score(answer, item.reference, [option for option, _ in item.options])
    accepted = item.accepted if item.kind.scale == "text" else ()
    f1 = token_f1(str(answer), accepted) if accepted else None
    return Score(scored.correct, scored.share, scored.rank, scored.distance_mm, f1)


def score_written(item: AnswerKey, written: str) -> Score:
    """Score what a program wrote where a rater fills in a field: an option id, ids with | between them, or words.

    Of a number it is the one that the words hold, in the unit of the field.
    """
    if item.compared_by == "people":
        return Score(None)
    if item.kind.scale == "set":
        return score(item, [part.strip() for part in written.split("|")])
    if item.kind.has_options:
        return score(item, written)
    if item.kind.scale == "interval":
        scored = item.kind.score(text.number_in(written, item.unit), item.reference, ())
    else:
        scored = KINDS["text"].score(written, item.reference, ())
    return Score(scored.correct, token_f1=token_f1(written, item.accepted) if item.accepted else None)


def as_text(answer: Any) -> str:
    """Return an answer for a cell: option id, text, number without trailing zeros, or the parts of a list."""
    if isinstance(answer, list | tuple):
        return " | ".join(as_text(part) for part in answer)
    if isinstance(answer, float):
        return KINDS["number"].canonical(answer)
    return str(answer)


def in_words(item: AnswerKey, answer: Any) -> str:
    """Return an answer in the words that the rater saw."""
    return item.kind.in_words(answer, dict(item.options))


def reference_in_words(item: AnswerKey) -> str:
    """Return what counts as right, in words."""
    return " or ".join(item.kind.reference_in_words(item.reference, dict(item.options))) or "no reference"
