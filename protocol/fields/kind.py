"""The interface of a field type."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, Protocol

from protocol import units
from protocol.fields.region import Region

# The scale of measurement of a type's answers, which decides what can be computed from them.
Scale = Literal["nominal", "ordinal", "interval", "set", "ranking", "text", "place"]
# Item formats that are answered by given options.
ClosedEndedFormat = Literal["yes_no", "choice"]


class AskedOption(Protocol):
    """An option as a field offers it."""

    @property
    def id(self) -> str:
        """Its canonical identity."""


class AskedField(Protocol):
    """The parts of a field against which its answers are checked."""

    @property
    def label(self) -> str:
        """Its label on the screen."""

    @property
    def options(self) -> Sequence[AskedOption]:
        """The options that can be chosen."""

    @property
    def minimum(self) -> float | None:
        """The smallest number that it accepts."""

    @property
    def maximum(self) -> float | None:
        """The largest number that it accepts."""

    @property
    def unit(self) -> str | None:
        """The unit shown after the number."""


@dataclass(frozen=True)
class Reference:
    """What counts as right for an item.

    Attributes
    ----------
    accepted
        Option ids, texts, numbers or places, as `references.csv` names them.
    low, high
        For a number, its limits, inclusive. For a place without `radius`, `high` is the radius in mm.
    radius
        For a place, the radius in mm.
    region
        For a place, all voxels that are right.
    unit
        Unit of the field that asks for a number, in which `low`, `high` and accepted numbers without a unit are given.
    """

    accepted: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    radius: float | None = None
    region: Region | None = None
    unit: str | None = None

    @property
    def is_given(self) -> bool:
        """Whether anything counts as right."""
        return bool(self.accepted) or self.low is not None or self.high is not None or self.region is not None


@dataclass(frozen=True)
class FieldScore:
    """Whether an answer is right, with further measures for some types.

    Attributes
    ----------
    correct
        None if there is no reference, or none with which this type can be compared.
    share
        For several options, the share on which answer and reference agree.
    rank
        For a ranked list, the rank of the first accepted line, from 1; None if no line is accepted.
    distance_mm
        For a place, its distance from the nearest reference.
    """

    correct: bool | None
    share: float | None = None
    rank: int | None = None
    distance_mm: float | None = None

    def is_within(self, depth: int) -> bool | None:
        """Return whether an accepted line is among the first `depth`; None if the answer is not scored."""
        return None if self.correct is None else self.rank is not None and self.rank <= depth


NOT_SCORED = FieldScore(None)


class WrongAnswer(ValueError):
    """An answer does not fit its field; the message says in one sentence what is expected."""


@dataclass(frozen=True)
class FieldKind:
    """One field type, with everything that depends on it.

    Attributes
    ----------
    answered_by
        How a read-back of the study says it is answered, such as "a number"; any options follow.
    check
        Takes the field, a value and the titles of the panes beside it; returns the value to store or raises
        `WrongAnswer`.
    canonical
        Takes a stored answer; returns the text by which two answers are compared.
    score
        Takes a stored answer, what counts as right, and the ids of all options.
    in_words
        Takes a stored answer and the texts of the options by id.
    reference_in_words
        Takes what counts as right and the texts of the options; returns one entry for each way of being right.
    problem_of_reference
        Takes the field and what counts as right; returns why no answer could ever be right, or an empty text.
    schema
        The JSON Schema of a stored answer.
    own_options
        Id and text of the options that it has if none are named.
    closed_ended_formats
        The formats of items with given options that it can answer; an `open` item can be answered by any type.
    guesses
        Takes the number of options; returns how many equally likely answers a guesser chooses from. None if the type
        cannot be guessed.
    """

    name: str
    scale: Scale
    answered_by: str
    check: Callable[[AskedField, Any, Sequence[str]], Any]
    canonical: Callable[[Any], str]
    score: Callable[[Any, Reference, Sequence[str]], FieldScore]
    in_words: Callable[[Any, Mapping[str, str]], str]
    reference_in_words: Callable[[Reference, Mapping[str, str]], list[str]]
    problem_of_reference: Callable[[AskedField, Reference], str]
    schema: Mapping[str, Any]
    own_options: tuple[tuple[str, str], ...] = ()
    closed_ended_formats: tuple[ClosedEndedFormat, ...] = ()
    guesses: Callable[[int], int] | None = None

    @property
    def has_options(self) -> bool:
        """Whether it is answered by one or more given options."""
        return self.scale in ("nominal", "ordinal", "set")

    @property
    def needs_options(self) -> bool:
        """Whether its options have to be named."""
        return self.has_options and not self.own_options

    def is_in_words(self, low: float | None, high: float | None) -> bool:
        """Return whether people might also judge words right that are not accepted: for a text without a range.

        Parameters
        ----------
        low, high
            Limits of what counts as right; None if there are none.
        """
        return self.scale == "text" and low is None and high is None


def is_finite(number: float) -> bool:
    """Return whether the number fits into a finite float, which a large integer from a browser may not."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def one_of_them(options: int) -> int:
    """Return the number of possible answers if one option is chosen."""
    return options


def in_digits(limit: float) -> str:
    """Return a limit with all its digits, so that nobody is shown another one than that which counts."""
    return units.digits(Decimal(str(limit)))


def each_in_words(reference: Reference, texts: Mapping[str, str]) -> list[str]:
    """Return every accepted answer, and the range of a number, in words."""
    words = [texts.get(answer, answer) for answer in reference.accepted]
    low, high = reference.low, reference.high
    if low is not None and low == high:
        limits = in_digits(low)
    elif low is not None and high is not None:
        limits = f"{in_digits(low)} to {in_digits(high)}"
    elif low is not None:
        limits = f"at least {in_digits(low)}"
    else:
        limits = "" if high is None else f"at most {in_digits(high)}"
    return words + [limits] * (bool(limits) and limits not in words)


def no_problem(_field: AskedField, _reference: Reference) -> str:
    """Return no problem: answers of the type can be compared with any reference."""
    return ""
