"""What a frozen study has that a new study could not have: its versions keep that, and add nothing of the kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass

from protocol.language.expansion import Expansion

Place = tuple[float, ...]


@dataclass(frozen=True)
class FrozenStudy:
    """The study of which a folder is to become a version.

    Attributes
    ----------
    study
        Its protocol, as of its newest version.
    subjects
        The subjects of its cases.
    starts
        Where items start, by item.
    references
        Items with the places that count as right in them.
    answers
        Models' answers as they are laid out, by candidate.
    keys
        The keys of all lines that its tables have.
    """

    study: Expansion
    subjects: Set[str] = frozenset()
    starts: Mapping[str, Place] | None = None
    references: Set[tuple[str, Place]] = frozenset()
    answers: Mapping[str, str] | None = None
    keys: Set[str] = frozenset()

    def starts_at(self, item: str, place: Place) -> bool:
        """Return whether an item starts at this very place."""
        return (self.starts or {}).get(item) == place

    def has_reference(self, item: str, place: Place) -> bool:
        """Return whether this very place counts as right in an item."""
        return (item, place) in self.references

    def has_answer(self, candidate: str, in_words: str) -> bool:
        """Return whether a model's answer has this very place, as it is laid out."""
        return re.search(rf"{re.escape(in_words)}(?!\d)", (self.answers or {}).get(candidate, "")) is not None
