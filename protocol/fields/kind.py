"""What every field type says of itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from protocol.fields.region import Region

# How answers of a type relate to each other, from which follows what can be computed of them.
Scale = Literal["nominal", "ordinal", "interval", "set", "ranking", "text", "place"]
# The formats of items that are answered by given options.
ClosedEndedFormat = Literal["yes_no", "choice"]


class AskedOption(Protocol):
    """An option as a field offers it."""

    @property
    def id(self) -> str:
        """Its canonical identity."""


class AskedField(Protocol):
    """What of a field its answers are checked against."""

    @property
    def label(self) -> str:
        """What it is called on the screen."""

    @property
    def options(self) -> Sequence[AskedOption]:
        """What can be chosen."""

    @property
    def minimum(self) -> float | None:
        """The smallest number it takes."""

    @property
    def maximum(self) -> float | None:
        """The largest one."""

    @property
    def unit(self) -> str | None:
        """What stands behind the number."""


@dataclass(frozen=True)
class Reference:
    """What counts as right for an item.

    Attributes
    ----------
    accepted
        Option ids, texts, numbers or places, as `references.csv` names them.
    low, high
        Limits of a number, included; of a place whose `radius` is not said, `high` is its radius in mm.
    radius
        Of a place, in mm.
    region
        Of a place, all voxels that are right.
    unit
        Of the field that asks for a number: the one of `low` and `high`, and of an accepted number that names none.
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
    """Whether an answer is right, and what can be said beside that.

    Attributes
    ----------
    correct
        None where there is no reference, or none that this type can be compared with.
    share
        Of several options: the share on which answer and reference agree.
    rank
        Of a ranked list: the place of the first accepted line, from 1; None where none is accepted.
    distance_mm
        Of a place: how far it is from the nearest reference.
    """

    correct: bool | None
    share: float | None = None
    rank: int | None = None
    distance_mm: float | None = None


NOT_SCORED = FieldScore(None)


class WrongAnswer(ValueError):
    """An answer does not fit its field; says in one sentence what is expected."""


@dataclass(frozen=True)
class FieldKind:
    """One field type: everything that depends on it.

    Attributes
    ----------
    answered_by
        How it is answered, where a study is read back: "a number"; the options follow where there are any.
    check
        Takes field, value and the titles of the panes beside it; returns the value as it is stored or raises
        `WrongAnswer`.
    canonical
        The one text by which two stored answers are the same or differ.
    score
        Takes a stored answer, what counts as right, and the ids of all options.
    in_words
        Takes a stored answer and the words of the options by id.
    reference_in_words
        Takes what counts as right and the words of the options; returns one entry for each way of being right.
    problem_of_reference
        Takes the field and what counts as right; says what keeps an answer from ever being right, or nothing.
    schema
        The JSON Schema of a stored answer.
    own_options
        Id and text of the options that it has where none are named.
    closed_ended_formats
        The formats of items with given options whose answer it can be; an `open` item is answered by any type.
    guesses
        Takes the number of options; returns how many answers a guesser chooses from, all alike. None where there is
        nothing to guess from.
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
        """Return whether it is answered by one or more of given options."""
        return self.scale in ("nominal", "ordinal", "set")

    @property
    def needs_options(self) -> bool:
        """Return whether its options have to be named."""
        return self.has_options and not self.own_options

    def is_in_words(self, low: float | None, high: float | None) -> bool:
        """Return whether words that are not accepted may be right too, as people would say: a text without a range.

        Parameters
        ----------
        low, high
            Limits of what counts as right; None where it has none.
        """
        return self.scale == "text" and low is None and high is None


def is_finite(number: float) -> bool:
    """Return whether a float holds the number: an integer from a browser may have more digits than any float."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def one_of_them(options: int) -> int:
    """Return how many answers there are where one option is chosen."""
    return options


def each_in_words(reference: Reference, texts: Mapping[str, str]) -> list[str]:
    """Return every accepted answer in words, and the range of a number."""
    words = [texts.get(answer, answer) for answer in reference.accepted]
    low, high = reference.low, reference.high
    if low is not None and low == high:
        limits = f"{low:g}"
    elif low is not None and high is not None:
        limits = f"{low:g} to {high:g}"
    elif low is not None:
        limits = f"at least {low:g}"
    else:
        limits = "" if high is None else f"at most {high:g}"
    return words + [limits] * (bool(limits) and limits not in words)


def no_problem(_field: AskedField, _reference: Reference) -> str:
    """Say that any reference can be compared with."""
    return ""
