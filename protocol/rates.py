"""One spelling for rates: 4 mm per year, 4 mm / yr and 4 mm/y are 4 mm/year, which is not 4 mm."""

from __future__ import annotations

import re

from protocol import unit_table

# What is counted per: its symbol, and how else it is written. m alone may be a month or a metre.
_PER = {
    unit.symbol: unit_table.pattern((unit.symbol, *unit.also, *unit.per))
    for unit in unit_table.UNITS
    if unit.per is not None
}
PERS = rf"(?:{'|'.join(_PER)})"
# As in ml/100 g/min and mm/6 months.
_COUNT = r"(?: ?/ ?| per )(?P<count>\d+(?:\.\d+)?)? ?"
_EACH = re.compile(
    rf"{_COUNT}(?:{'|'.join(f'(?P<{symbol}>{words})' for symbol, words in _PER.items())})(?!\w)", re.IGNORECASE
)
_RATE = re.compile(
    r"(?<=\d)(?P<unit>[ -]?(?:[^\W\d_]{1,7}[23\u00b2\u00b3]?|%))"
    rf"(?P<per>(?:(?: ?/ ?| per )(?:\d+(?:\.\d+)?)? ?(?:{'|'.join(_PER.values())})(?!\w))+)",
    re.IGNORECASE,
)


def with_slashes(text: str) -> str:
    """Return a text whose numbers with a unit are per something by a slash and a symbol: 4 mm/year, 60 ml/100g/min."""
    return _RATE.sub(lambda rate: rate["unit"].replace(" %", "%") + _EACH.sub(_with_slash, rate["per"]), text)


def _with_slash(match: re.Match[str]) -> str:
    symbol = next(symbol for symbol in _PER if match[symbol])
    return f"/{match['count'] or ''}{symbol}"
