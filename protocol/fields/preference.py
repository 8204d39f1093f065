"""Which of two answers is better: as chosen, A or B, and as compared, independent of the side of each answer.

Sides are drawn for each person, so A may be one answer for one person and the other for the next. Two people agree if
they prefer the same answer, not if they chose the same letter.
"""

from __future__ import annotations

from collections.abc import Sequence

# The options that name a side; tie and neither do not depend on sides.
SIDES = ("a", "b")
# Which answer of the pair is A and which is B, as stored with an assignment.
IN_ORDER = ("first", "second")
SWAPPED = ("second", "first")
_OTHER_SIDE = {"a": "b", "b": "a"}


def as_in_table(value: str, order: Sequence[str]) -> str:
    """Return a preference in the order of the tables: a is the first answer of the pair, b the second.

    Parameters
    ----------
    value
        The option that was chosen.
    order
        Which answer was at A and which at B. Applying the same order again returns the original option.
    """
    return _OTHER_SIDE.get(value, value) if tuple(order) == SWAPPED else value
