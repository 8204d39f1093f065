"""The field types, one file each, and the one table of them.

A new type is a file here with a `KIND`, a line below, a file of the same kind in the viewer's `fields/`, and a line in
its registry.
"""

from __future__ import annotations

from protocol.fields import choice, number, ordinal, point, ranked, several, text, yes_no
from protocol.fields.kind import FieldKind

KINDS: dict[str, FieldKind] = {
    module.KIND.name: module.KIND for module in (yes_no, choice, several, ordinal, number, text, ranked, point)
}
