"""Conversion between units of the same kind: 5 cm is 50 mm, and neither is 50 ml."""

from __future__ import annotations

import re
from decimal import Decimal

# For each kind, the size of its units in terms of the first one.
DIMENSIONS: tuple[dict[str, Decimal], ...] = (
    {"mm": Decimal(1), "cm": Decimal(10), "m": Decimal(1000)},
    {"mm2": Decimal(1), "cm2": Decimal(100)},
    {"ml": Decimal(1), "cc": Decimal(1), "cm3": Decimal(1), "mm3": Decimal("0.001"), "l": Decimal(1000)},
    {"%": Decimal(1), "percent": Decimal(1), "per cent": Decimal(1)},
)
# In free text, 3 m may be months and 5 l the left side.
_IN_WORDS = {unit: (next(iter(units)), units[unit]) for units in DIMENSIONS for unit in units if unit[:1] in "mc"}
del _IN_WORDS["m"]
_NUMBER = r"(?:\d+(?:[.,]\d+)?|\.\d+)"
_BETWEEN = r"(?: ?- ?| ?[x*] ?| ?\u00b1 ?| ?\+ ?| by | to |,? and |,? or |, |; ?)"
# The unit at the end of 5 x 3 cm applies to both numbers. The 2 in 1/2 cm is not a number, but in ...2 cm it is. A row
# without a unit matches too, or the search would start again at each of its numbers.
_MEASURED = re.compile(
    rf"(?<![\w,/:^])(?<!(?<!\.\.)\.)({_NUMBER}(?:{_BETWEEN}{_NUMBER})*)"
    r"(?:[.;]?[ -]?([mc]m(?:\^?[23\u00b2\u00b3])?|cc|ml)(?![\w/^]))?"
)
_EACH_NUMBER = re.compile(_NUMBER)
# 1,000 is a thousand to some readers and one to others.
AMBIGUOUS = re.compile(r"\d,\d{3}(?!\d)")
_POWERS = str.maketrans("\u00b2\u00b3", "23", "^")


def digits(number: Decimal) -> str:
    """Return a number in digits, without trailing zeros and without a sign before 0."""
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def plain(unit: str) -> str:
    """Return a unit as spelled in the table: in lower case, with its power as a digit."""
    return " ".join(unit.lower().translate(_POWERS).split())


def is_known(unit: str) -> bool:
    """Return whether a unit can be converted to another."""
    return any(plain(unit) in units for units in DIMENSIONS)


def factor(unit: str, wanted: str) -> Decimal | None:
    """Return the factor that converts a number from one unit to another; None if they are of different kinds."""
    here, there = plain(unit), plain(wanted)
    if here == there:
        return Decimal(1)
    units = next((units for units in DIMENSIONS if there in units), {})
    return units[here] / units[there] if here in units else None


def of_measurements(text: str) -> str:
    """Return a text from `spelling.of_characters` with lengths, areas and volumes in mm, mm2 and ml."""
    return _MEASURED.sub(_converted, text)


def _converted(match: re.Match[str]) -> str:
    if match[2] is None or AMBIGUOUS.search(match[1]):
        return match.group()
    unit, times = _IN_WORDS[plain(match[2])]
    numbers = _EACH_NUMBER.sub(lambda match: digits(Decimal(match.group().replace(",", ".")) * times), match[1])
    return f"{numbers} {unit}"
