"""What can be drawn: units with their attributes, and items whose candidates are drawn together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple


class Unit(NamedTuple):
    """An item, candidate, pair or answer that a phase can rate; a tuple, as hundreds of thousands are made for a draw.

    Attributes
    ----------
    key
        Its name, unique among the units of a draw.
    subject
        The pseudonym of its patient; None if it is not about a patient.
    item
        The key of the item that it is, or belongs to.
    attributes
        Values by name, as text: its own and those of the item, case and candidate behind it.
    practice
        Whether it is a training item, or an answer to one.
    responded
        Whether it has a text to rate; False for a candidate that is *no response*.
    given_in, author
        For a person's answer, the phase in which it was given and the name of the slot that gave it; otherwise empty.
    pair
        For a pair, the keys of the two answers in the order of the tables; otherwise empty.
    """

    key: str
    subject: str | None
    item: str
    attributes: Mapping[str, str]
    practice: bool = False
    responded: bool = True
    given_in: str = ""
    author: str = ""
    pair: tuple[str, ...] = ()

    @property
    def members(self) -> tuple[Unit, ...]:
        """What is drawn with it if units are drawn one by one: only itself."""
        return (self,)

    def value(self, name: str) -> str:
        """Return an attribute as text; empty if the unit does not have it."""
        match name:
            case "subject":
                return self.subject or ""
            case "item":
                return self.item
            case "practice":
                return "yes" if self.practice else "no"
        return self.attributes.get(name, "")


# What every unit can be asked for, besides its attributes.
ALWAYS = frozenset({"subject", "item", "practice"})


@dataclass(frozen=True, slots=True)
class Cluster:
    """What is drawn at once if an item's candidates are drawn together: those of them that were selected."""

    key: str
    members: tuple[Unit, ...]

    def value(self, name: str) -> str:
        """Return an attribute, which must be the same for all members."""
        return self.members[0].value(name)


# What is drawn at once. A single unit is used as it is: wrapping hundreds of thousands of them would cost more than the
# draw itself.
Drawable = Unit | Cluster


def clusters_of(units: Sequence[Unit], together: bool) -> list[Drawable]:
    """Return what is drawn at once, sorted by key: each unit, or the units of each item."""
    if not together:
        return sorted(units, key=attrgetter("key"))
    by_item: dict[str, list[Unit]] = {}
    for unit in sorted(units, key=lambda unit: unit.key):
        by_item.setdefault(unit.item, []).append(unit)
    return [Cluster(item, tuple(by_item[item])) for item in sorted(by_item)]
