"""The field types, one file each, and the table that lists them.

A new type needs a file here with a `KIND`, a line in the table below, a matching file in the viewer's `fields/`, and a
line in the viewer's registry.
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
    """Return the names of the types with one of these scales."""
    return frozenset(name for name, kind in KINDS.items() if kind.scale in scales)


# Answered by one of the options.
ONE_OPTION = types_on("nominal", "ordinal")
# Answered by a step of an ordered scale.
ORDERED = types_on("ordinal")
# Answered by a set of options.
SETS = types_on("set")
# Answered by several lines, the first of which is the answer.
LISTS = types_on("ranking")
NUMBERS = types_on("interval")
# Answered by a place, so that two answers have a distance.
PLACES = types_on("place")
# Answered in free words, which people can compare as a whole.
IN_WORDS = types_on("text", "ranking")


def own_options_of(name: str) -> tuple[tuple[str, str], ...]:
    """Return id and text of a type's built-in options; none for types that are not in this table."""
    return KINDS[name].own_options if name in KINDS else ()
