"""What a phase can rate and what it can show: the closed lists of the language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Literal

# What a thing can give away: all items of the subject, the item (or its conversation), the one unit, or nothing.
Reach = Literal["subject", "item", "unit", "nothing"]


@dataclass(frozen=True)
class Thing:
    """Something that can be shown on the screen.

    Attributes
    ----------
    key
        The word in `shows`.
    words
        Its name in a sentence.
    reach
        The material about which somebody who has been shown it can no longer be asked blind.
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
# Information that is never on a screen; its word could not be a key.
WHO_WROTE = "who wrote"
_UNSHOWN = {WHO_WROTE: Thing(WHO_WROTE, "whether people or models wrote an answer", "unit")}
TOLD: Mapping[str, Thing] = {**THINGS, **_UNSHOWN}
# Somebody who sees one of these may know what counts as right.
TELL_THE_REFERENCE = frozenset({"reference", "explanation", "overlays"})
_PART = "reference."


def field_of_reference(thing: str) -> str:
    """Return the field's key if the thing is the reference of one field, else an empty text."""
    return thing.removeprefix(_PART) if thing.startswith(_PART) else ""


def fields_of_reference(shown: Iterable[str]) -> list[str]:
    """Return the keys of all fields whose reference is shown individually."""
    return [key for key in map(field_of_reference, shown) if key]


def shows_the_reference(shown: Set[str]) -> bool:
    """Return whether the reference is shown, as a whole or for some field."""
    return "reference" in shown or bool(fields_of_reference(shown))


# The reach of an attribute, by its table. An attribute of a case concerns the whole subject, since other examinations
# of the same person show the same disease.
_REACH_OF_TABLE: dict[str, Reach] = {"cases": "subject", "items": "item", "candidates": "unit", "raters": "nothing"}


def reach_of_attribute(table: str, *, tells_reference: bool) -> Reach:
    """Return the reach of an attribute: that of the reference if it gives that away, else that of its table."""
    return "subject" if tells_reference else _REACH_OF_TABLE[table]


def in_words(thing: str) -> str:
    """Return a thing's name in a sentence; attributes and parts of the reference are quoted."""
    return TOLD[thing].words if thing in TOLD else f"'{thing}'"


def open_to(shown: Set[str], telling: Set[str] = frozenset()) -> Set[str]:
    """Return what a phase that shows these things is not blind to.

    The reference and its explanation also give away overlays, but overlays give away less than they do.

    Parameters
    ----------
    telling
        Parts of the reference, and attributes that give it away: a phase that shows the reference is not blind to them.
    """
    return shown | TELL_THE_REFERENCE | telling if shown & {"reference", "explanation"} else shown


# The thing under judgement is on the screen, whether or not `shows` names it.
TOLD_BY_RATING = {"candidates": "candidate", "pairs": "candidate", "references": "reference", "answers": "opinions"}


@dataclass(frozen=True)
class Rated:
    """A kind of unit that a phase can rate.

    Attributes
    ----------
    key
        The word in `rates`.
    unit, units
        Its singular and plural in sentences.
    again
        The plural in a sentence that has already named it.
    verb
        The word for rating it.
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
