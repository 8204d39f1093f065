"""One spelling for numbers before a unit: 1 000 mm is 1000 mm, and 1½ cm and 1 1/2 cm are 1.5 cm."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

from protocol import unit_table

# What is numbered, not measured: in slice 3 100 mm the 3 is no thousand.
NUMBERED = (
    r"(?:(?:grade|stage|segment|level|zone|type|class|category|score|image|slice|series|station)s?"
    r"|(?:(?:bi|pi|li|ti|vi|ni|o|c|cad|lung)?rads|gleason|fazekas|bosniak|lesion|nodule|aged?|no\.|number))"
)
_SIZE = unit_table.pattern(unit_table.symbols(unit_table.is_extent))
_MEASURE = unit_table.pattern(unit_table.symbols(unit_table.is_measured))
# A blank on one line, also one that is narrow or does not break.
_BLANKS = r" \u00a0\u2009\u202f"
_FRACTION = re.compile(rf"(?:(?<![\w.,])(\d{{1,4}})[{_BLANKS}]?)?([\u00bc-\u00be\u2150-\u215e])")
_IN_BRACKETS = re.compile(rf"(?<=\d)[{_BLANKS}]?[(\[]({_SIZE}|hu|%)[)\]]", re.IGNORECASE)
# Two or three groups of digits may come before a second number of the same unit, as in 1 000 - 1 200 mm.
_ANOTHER = rf"(?: ?[-x*\u00d7\u2013\u00b1] ?| to | by )\d{{1,6}}(?:[{_BLANKS}']\d{{3}}){{0,3}}(?:[.,]\d{{1,3}})?"
_GROUPED = re.compile(
    rf"(?<!\w){NUMBERED} \d{{1,3}}(?!\d)"
    rf"|(?<![\w.,/:^])(?<!\d[{_BLANKS}'])(?P<groups>\d{{1,3}}(?:[{_BLANKS}']\d{{3}}){{1,3}})(?![{_BLANKS}']?\d)"
    rf"(?=(?:\.\d+|,\d{{1,2}})?(?:{_ANOTHER}){{0,2}}[{_BLANKS}-]?{_MEASURE}(?![\w/^]))",
    re.IGNORECASE,
)
# Other fractions are no short decimals, and may be grades or two sizes.
_OF_A_UNIT = re.compile(
    rf"(?<!\w){NUMBERED} \d{{1,3}}(?!\d)"
    rf"|(?<![\w.,/:^])(?:(?P<whole>\d{{1,3}})[ -])?(?P<part>1/2|1/4|3/4)(?=[ -]?{_SIZE}(?![\w/^]))",
    re.IGNORECASE,
)
_PARTS = {"1/2": Decimal("0.5"), "1/4": Decimal("0.25"), "3/4": Decimal("0.75")}


def with_slashes(text: str) -> str:
    """Return a text without fractions of one character: 1½ is 1.5, and ½ alone is 1/2."""
    return _FRACTION.sub(_with_slash, text)


def in_digits(text: str) -> str:
    """Return a text whose numbers before the symbol of a unit are decimal numbers.

    A blank or an apostrophe parts thousands, as a comma may be a decimal one. Without a unit 1 000 may be two numbers,
    and 1/2 one of two. A half, a quarter and three quarters before a size are decimals. A unit in brackets counts.
    """
    text = _IN_BRACKETS.sub(r" \1", text)
    text = _GROUPED.sub(lambda match: re.sub(r"\D", "", match["groups"]) if match["groups"] else match.group(), text)
    return _OF_A_UNIT.sub(_decimal, text) if any(part in text for part in _PARTS) else text


def _with_slash(match: re.Match[str]) -> str:
    part = unicodedata.normalize("NFKC", match[2]).replace("\N{FRACTION SLASH}", "/")
    whole = match[1]
    if whole and part in _PARTS:
        return f"{Decimal(whole) + _PARTS[part]:f}"
    before = match.string[match.start() - 1 : match.start()] if match.start() else ""
    return f"{whole} {part}" if whole else f" {part}" if before.isdigit() else part


def _decimal(match: re.Match[str]) -> str:
    if match["part"] is None:
        return match.group()
    return f"{Decimal(match['whole'] or 0) + _PARTS[match['part']]:f}"
