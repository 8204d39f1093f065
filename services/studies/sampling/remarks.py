"""Reasons why a sample cannot be drawn, and notes for the study's author: the sentences and how they are worded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

LISTED = 8


class CannotDraw(ValueError):
    """A source selects nothing, or a sample cannot be drawn; `reasons` holds a sentence for each reason."""

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__(" ".join(self.reasons))


@dataclass
class Remarks:
    """Reasons why nothing can be drawn, and notes, in the order in which they arose."""

    reasons: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def settle(self) -> None:
        """Refuse the draw if there is a reason to."""
        if self.reasons:
            raise CannotDraw(self.reasons)


def is_known(name: str, known: Iterable[str], place: str, remarks: Remarks) -> bool:
    """Return whether units have an attribute; if not, add a remark that suggests the nearest name."""
    names = sorted(known)
    if name in names:
        return True
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f" (nearest: '{near[0]}')" if near else ""
    remarks.reasons.append(
        f"{place}: no unit has the attribute '{name}'{hint}, expected {listed(names)}; correct the name."
    )
    return False


def by_size(value: str) -> tuple[int, float, str]:
    """Sort numbers by size and before words."""
    if re.fullmatch(r"-?\d{1,15}(\.\d{1,15})?", value):
        return (0, float(value), value)
    return (1, 0.0, value)


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return words in quotes; only the first few if there are many."""
    if not words:
        return "none"
    if len(words) > LISTED:
        return ", ".join(f"'{word}'" for word in words[:LISTED]) + f" {last} {len(words) - LISTED:,} more"
    *earlier, final = [f"'{word}'" for word in words]
    return f"{', '.join(earlier)} {last} {final}" if earlier else final
