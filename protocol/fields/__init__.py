"""The field types, one file each, and the one table of them.

A new type is a file here with a `KIND`, a line below, a file of the same kind in the viewer's `fields/`, and a line in
its registry.
"""

from __future__ import annotations

from protocol.fields import choice, number, ordinal, point, ranked, several, text, yes_no
from protocol.fields.kind import FieldKind

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
