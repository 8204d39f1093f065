"""Which of two answers is better: as it was seen, A or B; and as it is compared, whichever side an answer stood on.

Sides are drawn for each person, so that A is one answer for one person and the other one for the next. Two people agree
who prefer the same answer, not who chose the same letter.
"""

from __future__ import annotations

from collections.abc import Sequence

# The options that name a side; a tie and neither are the same on both.
SIDES = ("a", "b")
# Which answer of the tables is A and which is B, as it is stored with an assignment.
IN_ORDER = ("first", "second")
SWAPPED = ("second", "first")
_OTHER_SIDE = {"a": "b", "b": "a"}


def as_in_table(value: str, order: Sequence[str]) -> str:
    """Return a preference as if the answers stood in the order of the tables: a is the first of the pair, b the second.

    Parameters
    ----------
    value
        The option as it was chosen.
    order
        Which answer stood at A and which at B. Applied twice, it is the option as it was chosen again.
    """
    return _OTHER_SIDE.get(value, value) if tuple(order) == SWAPPED else value
