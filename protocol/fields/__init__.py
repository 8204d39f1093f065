"""The field types, one file each, and the one table of them.

A new type is a file here with a `KIND`, a line below, a file of the same kind in the viewer's `fields/`, and a line in
its registry.
"""

from __future__ import annotations

from protocol.fields import choice, number, ordinal, point, ranked, several, text, yes_no
from protocol.fields.kind import FieldKind, Scale

KINDS: dict[str, FieldKind] = {
    kind.name: kind
    for kind in (
        yes_no.KIND,
        choice.KIND,
        several.KIND,
        ordinal.KIND,
        number.KIND,
        text.KIND,
        ranked.KIND,
        point.KIND,
    )
}


def types_on(*scales: Scale) -> frozenset[str]:
    """Return the names of the types whose answers are on one of these scales."""
    return frozenset(name for name, kind in KINDS.items() if kind.scale in scales)


# Answered by one of the options.
ONE_OPTION = types_on("nominal", "ordinal")
# Of these, by a step of an ordered scale.
ORDERED = types_on("ordinal")
# By any number of options, of which the whole set is the answer.
SETS = types_on("set")
# By several lines of which the first is the answer.
LISTS = types_on("ranking")
NUMBERS = types_on("interval")
# By a place, which lies at some distance from another.
PLACES = types_on("place")
# In words of one's own, which people can compare as a whole.
IN_WORDS = types_on("text", "ranking")


def own_options_of(name: str) -> tuple[tuple[str, str], ...]:
    """Return id and text of the options that a type has where none are named; none of what is no type of this table."""
    return KINDS[name].own_options if name in KINDS else ()
