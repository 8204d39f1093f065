"""Labels of fields in front of what is said of them."""

from __future__ import annotations

# A label that is a question or a sentence, or has a colon of its own, needs none.
_CLOSING = tuple(":?!.\N{HORIZONTAL ELLIPSIS}\N{FULLWIDTH COLON}\N{FULLWIDTH QUESTION MARK}\N{ARABIC QUESTION MARK}")


def as_label(label: str) -> str:
    """Return a label with the colon that parts it from what follows, if it needs one."""
    return label if label.rstrip().endswith(_CLOSING) else f"{label}:"
