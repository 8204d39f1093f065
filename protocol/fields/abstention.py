"""An abstention: somebody said that it cannot be determined. It is no option and no text, whatever these say."""

from __future__ import annotations

from typing import Any

ID = "undetermined"
WORDS = "Undetermined"
# As it is stored in place of an answer: an object, which no type of field has for an answer.
UNDETERMINED = {"abstention": ID}


def is_undetermined(answer: Any) -> bool:
    """Return whether a stored or submitted answer is the abstention."""
    return isinstance(answer, dict) and answer == UNDETERMINED
