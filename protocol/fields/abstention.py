"""An abstention: the answer that something cannot be determined. It never equals an option or a text of that name."""

from __future__ import annotations

from typing import Any

ID = "undetermined"
WORDS = "Undetermined"
# Stored in place of an answer, as an object, because no field type stores its answers as one.
UNDETERMINED = {"abstention": ID}


def is_undetermined(answer: Any) -> bool:
    """Return whether a stored or submitted answer is an abstention."""
    return isinstance(answer, dict) and answer == UNDETERMINED
