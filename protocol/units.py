"""Conversion between units of the same kind: 5 cm is 50 mm, and neither is 50 ml."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import groupby

from protocol import rates, spelled_numbers, unit_table

_CONVERTED = tuple(unit for unit in unit_table.UNITS if unit.factor is not None)
# For each kind, the size of its units in terms of the first one.
DIMENSIONS: tuple[dict[str, Decimal], ...] = tuple(
    {unit.symbol: unit.factor for unit in group if unit.factor is not None}
    for _, group in groupby(_CONVERTED, key=lambda unit: unit.kind)
)
# Units that are not converted to any other: 40 HU are not 40 mm, whereas 40 lesions are 40.
OTHERS = unit_table.symbols(lambda unit: unit.factor is None and unit_table.is_measured(unit))
_IN_WORDS = {
    unit: (next(iter(units)), units[unit])
    for units in DIMENSIONS
    for unit in units
    if unit in unit_table.CONVERTED_IN_TEXT
}
_NUMBER = r"(?:\d+(?:[.,]\d+)?|\.\d+)"
_BETWEEN = r"(?: ?- ?| ?[x*] ?| ?\u00b1 ?| ?\+ ?| by | to |,? and |,? or |, )"
# In grade 2, 3 cm and in 2020, 3 cm the first number is no measurement.
_NO_MEASURE = (
    rf"(?<!\w)(?:{spelled_numbers.NUMBERED} "
    r"\d{1,3}(?:(?:[-/+]| and |, )\d{1,3})*|(?:19|20)\d\d)(?=[,;] )"
)
# The unit at the end of 5 x 3 cm applies to both numbers. The 2 in 1/2 cm is not a number, but in ...2 cm it is. A row
# without a unit matches too, or the search would start again at each of its numbers. In 5 cm/3 cm each number has one.
_MEASURED = re.compile(
    rf"{_NO_MEASURE}|(?<![\w,:^])(?<!(?<![mc]m)(?<!cc)(?<!ml)/)(?<!(?<!\.\.)\.)({_NUMBER}(?:{_BETWEEN}{_NUMBER})*)"
    rf"(?:[.;]?[ -]?({unit_table.pattern(_IN_WORDS)})(?![\w^]|/(?!\.?\d|{rates.PERS}(?!\w))))?"
)
_EACH_NUMBER = re.compile(_NUMBER)
# 1,000 is a thousand to some readers and one to others.
AMBIGUOUS = re.compile(r"\d,\d{3}(?!\d)")
_POWERS = str.maketrans("\u00b2\u00b3\u00b5", "23\u03bc", "^")
# Units as words, behind a number: 5 centimetres, 5 cms, 10 mins, 5 sq cm, 5 cubic millimeters.
_SPELLED = re.compile(
    r"(?<=\d)(?P<between>[.;]?[ -]?)(?:(?P<power>sq\.? ?|square |cubic |cu\.? ?)(?P<short>[mc]m)"
    r"|(?P<whole>square |cubic )?(?P<prefix>milli|centi|deci|micro)?(?P<stem>met(?:er|re)|lit(?:er|re))s?"
    rf"|(?P<also>{unit_table.pattern(unit_table.SPELLED)}))(?!\w)",
    re.IGNORECASE,
)
# 5 cm^3 is 5 cm3.
_POWER_SIGN = re.compile(r"(?<=[mc]m)\^(?=[23](?!\w))", re.IGNORECASE)
_PREFIXES = {"": "", "milli": "m", "centi": "c", "deci": "d", "micro": "\u03bc"}


def digits(number: Decimal) -> str:
    """Return a number in digits, without trailing zeros and without a sign before 0."""
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def plain(unit: str) -> str:
    """Return a unit as the table has it: a symbol in lower case, its power as a digit."""
    return " ".join(in_symbols(f"1 {unit.strip()}")[2:].lower().translate(_POWERS).split())


def in_symbols(text: str) -> str:
    """Return a text with decimal numbers before symbols of units.

    5 centimetres are 5 cm, 1 000 mm 1000 mm, and 4 mm per year 4 mm/year.
    """
    text = _SPELLED.sub(_symbol, _POWER_SIGN.sub("", spelled_numbers.with_slashes(text)))
    return rates.with_slashes(spelled_numbers.in_digits(text))


def _symbol(match: re.Match[str]) -> str:
    if match["also"]:
        unit = unit_table.SPELLED[match["also"].lower()]
    elif match["stem"]:
        unit = _PREFIXES[(match["prefix"] or "").lower()] + match["stem"][0]
    else:
        unit = match["short"]
    power = (match["power"] or match["whole"] or "").lower()
    return f"{match['between']}{unit}{'2' if power.startswith('s') else '3' if power else ''}"


def is_known(unit: str) -> bool:
    """Return whether a word is a unit, also per year or the like, and no name of what is counted."""
    measured = plain(unit).partition("/")[0]
    return measured in OTHERS or any(measured in units for units in DIMENSIONS)


def factor(unit: str, wanted: str) -> Decimal | None:
    """Return the factor that converts a number from one unit to another; None if they are of different kinds.

    cm/year is 10 mm/year, and neither is a length.
    """
    (here, _, per), (there, _, wanted_per) = plain(unit).partition("/"), plain(wanted).partition("/")
    if per != wanted_per:
        return None
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
