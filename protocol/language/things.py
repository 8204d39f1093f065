"""What a phase can rate and what it can show: the closed lists of the language, one row each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Literal

# Over what a thing tells: all items of a subject, the item (a conversation is one), the one unit; or nothing.
Reach = Literal["subject", "item", "unit", "nothing"]


@dataclass(frozen=True)
class Thing:
    """Something that can be shown on the screen.

    Attributes
    ----------
    key
        The word in `shows`.
    words
        How a sentence names it.
    reach
        Whoever has been shown it cannot be asked afterwards as if they had not: about this much of the material.
    """

    key: str
    words: str
    reach: Reach


THINGS: dict[str, Thing] = {
    thing.key: thing
    for thing in (
        Thing("scans", "the scans", "nothing"),
        Thing("prior", "the prior scans", "nothing"),
        Thing("overlays", "the overlays", "subject"),
        Thing("prompt", "the prompt", "nothing"),
        Thing("options", "its options", "nothing"),
        Thing("vignette", "the vignette", "nothing"),
        Thing("history", "the history", "nothing"),
        Thing("age", "the age", "nothing"),
        Thing("acquisition_dates", "the acquisition dates", "nothing"),
        Thing("months_since_prior", "the months since the prior", "nothing"),
        Thing("reference", "the reference", "subject"),
        Thing("explanation", "the explanation of the reference", "subject"),
        Thing("candidate", "the answer under judgement", "item"),
        Thing("aid", "a model's answer as an aid", "item"),
        Thing("opinions", "what others answered", "item"),
        Thing("judge", "the judge's verdict", "item"),
    )
}
# What can be told and stands on no screen; not a word that could be a key.
WHO_WROTE = "who wrote"
_UNSHOWN = {WHO_WROTE: Thing(WHO_WROTE, "whether people or models wrote an answer", "unit")}
TOLD: Mapping[str, Thing] = {**THINGS, **_UNSHOWN}
# Whoever sees one of these may know what counts as right.
TELL_THE_REFERENCE = frozenset({"reference", "explanation", "overlays"})
_PART = "reference."


def field_of_reference(thing: str) -> str:
    """Return the key of the field whose reference is shown, where a phase shows that of one field; else nothing."""
    return thing.removeprefix(_PART) if thing.startswith(_PART) else ""


def fields_of_reference(shown: Iterable[str]) -> list[str]:
    """Return the keys of all fields whose reference is shown by name."""
    return [key for key in map(field_of_reference, shown) if key]


def shows_the_reference(shown: Set[str]) -> bool:
    """Return whether the reference is among what is shown, as a whole or of some field."""
    return "reference" in shown or bool(fields_of_reference(shown))


# How far an attribute tells, by the table that has it as a column. What is said of a case holds of everything about its
# subject: other examinations of a person show the same disease.
_REACH_OF_TABLE: dict[str, Reach] = {"cases": "subject", "items": "item", "candidates": "unit", "raters": "nothing"}


def reach_of_attribute(table: str, *, tells_reference: bool) -> Reach:
    """Return how far an attribute tells: as the reference where it tells that, else as the table has it."""
    return "subject" if tells_reference else _REACH_OF_TABLE[table]


def in_words(thing: str) -> str:
    """Return how a sentence names a thing; an attribute, or a part of the reference, by its name."""
    return TOLD[thing].words if thing in TOLD else f"'{thing}'"


def open_to(shown: Set[str], telling: Set[str] = frozenset()) -> Set[str]:
    """Return what a phase that shows these things is not blind to.

    The reference and its explanation give away where a lesion is masked; a mask gives away less than they do.

    Parameters
    ----------
    telling
        Attributes that tell the reference, and its parts: whoever is shown that is not blind to them.
    """
    return shown | TELL_THE_REFERENCE | telling if shown & {"reference", "explanation"} else shown


# What is rated is on the screen, whether or not `shows` names it.
TOLD_BY_RATING = {"candidates": "candidate", "pairs": "candidate", "references": "reference", "answers": "opinions"}


@dataclass(frozen=True)
class Rated:
    """A kind of unit that a phase can rate.

    Attributes
    ----------
    key
        The word in `rates`.
    unit, units
        How sentences count it.
    again
        The plural, in a sentence that has named it before.
    verb
        What people do with it.
    """

    key: str
    unit: str
    units: str
    again: str
    verb: str


RATED: dict[str, Rated] = {
    rated.key: rated
    for rated in (
        Rated("items", "item", "items", "items", "read"),
        Rated("candidates", "model's answer", "models' answers", "answers", "score"),
        Rated("pairs", "pair of models' answers", "pairs of models' answers", "pairs", "score"),
        Rated("references", "reference", "references", "references", "score"),
        Rated("answers", "person's answer", "people's answers", "answers", "score"),
    )
}
