"""Attributes that a phase releases by name: columns that the study declares, as they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from protocol.fields.yes_no import YES_NO
from protocol.language.things import Reach, reach_of_attribute

_WORDS_OF_FLAGS = dict(YES_NO)


@dataclass(frozen=True)
class Released:
    """An attribute that is shown in a phase.

    Attributes
    ----------
    table
        The table in which it is a column.
    label
        The label before its value: as declared, or the name of the column in words.
    type
        Its declared type: text, number, yes_no, choice, ordinal, date or list.
    texts
        For a choice or a scale, the texts of the options by id.
    tells_reference
        Whether it gives away the reference, and so counts as the reference.
    """

    table: Literal["cases", "items", "candidates"]
    key: str
    label: str
    type: str
    texts: Mapping[str, str] = field(default_factory=dict)
    tells_reference: bool = False

    @property
    def reach(self) -> Reach:
        """How much of the material it can give away."""
        return reach_of_attribute(self.table, tells_reference=self.tells_reference)

    def in_words(self, stored: str) -> str:
        """Return a value, which is stored as canonical text, in the words of the screen."""
        if self.type == "yes_no":
            return _WORDS_OF_FLAGS.get(stored, stored)
        if self.type == "list":
            return " · ".join(stored.split("|"))
        return self.texts.get(stored, stored)
