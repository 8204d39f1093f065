"""The units that stand behind numbers: how each is written, what it measures, and by what factor it is converted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby


@dataclass(frozen=True)
class Unit:
    """A unit of measurement.

    Attributes
    ----------
    symbol
        As it is compared: in lower case, its power as a digit.
    kind
        What it measures. Time spans of a calendar count what is no measurement, as in 65 years.
    factor
        Its size in terms of the first unit of its kind; None if it is not converted.
    also
        What stands for the symbol behind a number: 10 mins are 10 min.
    per
        What else stands for it in a rate, as in 4 mm/y: behind a number, y and 5 minute lesions are something else.
    """

    symbol: str
    kind: str
    factor: Decimal | None = None
    also: tuple[str, ...] = ()
    per: tuple[str, ...] | None = None


def _unit(symbol: str, kind: str, factor: str | None = None, also: str = "", per: str | None = None) -> Unit:
    return Unit(
        symbol,
        kind,
        None if factor is None else Decimal(factor),
        tuple(also.split()),
        None if per is None else tuple(per.split()),
    )


UNITS = (
    _unit("mm", "length", "1", "mms"),
    _unit("cm", "length", "10", "cms"),
    _unit("dm", "length", "100"),
    _unit("m", "length", "1000"),
    _unit("\u03bcm", "length", "0.001", "um"),
    _unit("inch", "length", "25.4", "inches"),
    _unit("nm", "length"),
    _unit("km", "length"),
    _unit("mm2", "area", "1"),
    _unit("cm2", "area", "100"),
    _unit("dm2", "area", "10000"),
    _unit("m2", "area", "1000000", per=""),
    _unit("\u03bcm2", "area"),
    _unit("ml", "volume", "1", "mls", per=""),
    _unit("cc", "volume", "1", "ccs"),
    _unit("cm3", "volume", "1"),
    _unit("mm3", "volume", "0.001"),
    _unit("\u03bcl", "volume", "0.001", "ul"),
    _unit("cl", "volume", "10"),
    _unit("dl", "volume", "100", per=""),
    _unit("l", "volume", "1000", per=""),
    _unit("dm3", "volume", "1000"),
    _unit("m3", "volume", "1000000"),
    _unit("\u03bcm3", "volume"),
    _unit("%", "share", "1"),
    _unit("percent", "share", "1"),
    _unit("per cent", "share", "1"),
    _unit("hu", "density"),
    _unit("kg", "mass", per=""),
    _unit("g", "mass", per=""),
    _unit("mg", "mass"),
    _unit("\u03bcg", "mass", also="ug mcg"),
    _unit("ms", "time"),
    _unit("s", "time", also="sec secs seconds", per="second"),
    _unit("min", "time", also="mins minutes", per="minute"),
    _unit("h", "time", also="hr hrs hours", per="hour"),
    _unit("day", "calendar", also="days", per="d"),
    _unit("week", "calendar", also="weeks wk wks", per=""),
    _unit("month", "calendar", also="months mth mths mo", per=""),
    _unit("year", "calendar", also="years yr yrs", per="y annum"),
    _unit("hz", "frequency"),
    _unit("khz", "frequency"),
    _unit("mhz", "frequency"),
    _unit("gy", "dose"),
    _unit("cgy", "dose"),
    _unit("mgy", "dose"),
    _unit("sv", "dose"),
    _unit("msv", "dose"),
    _unit("mmhg", "pressure"),
    _unit("kpa", "pressure"),
    _unit("t", "field strength"),
    _unit("\u00b0", "angle"),
)
# In free text, 3 m may be months and 5 l the left side.
CONVERTED_IN_TEXT = ("mm", "cm", "mm2", "cm2", "mm3", "cm3", "ml", "cc")
SPELLED = {also: unit.symbol for unit in UNITS for also in unit.also}
_TYPED = str.maketrans({"\u03bc": "[\u03bc\u00b5]", "2": r"\^?[2\u00b2]", "3": r"\^?[3\u00b3]"})


def is_measured(unit: Unit) -> bool:
    """Return whether a number with the unit is a measurement, and no span of a calendar."""
    return unit.kind != "calendar"


def is_extent(unit: Unit) -> bool:
    """Return whether the unit is of a length, an area or a volume, and no single letter."""
    return unit.kind in ("length", "area", "volume") and len(unit.symbol) > 1


def is_size(unit: Unit) -> bool:
    """Return whether the unit is of an amount, and no single letter; over 10 min is a time that passes."""
    return is_measured(unit) and unit.kind != "time" and (len(unit.symbol) > 1 or not unit.symbol.isalpha())


def symbols(which: Callable[[Unit], bool]) -> tuple[str, ...]:
    """Return the symbols of units."""
    return tuple(unit.symbol for unit in UNITS if which(unit))


def pattern(written: Iterable[str]) -> str:
    """Return a pattern of units as they are typed, with a power as a digit, behind the sign of a power, or raised."""
    longest_first = sorted(written, key=lambda symbol: (symbol[0], -len(symbol), symbol))
    by_letter = groupby(longest_first, key=lambda symbol: symbol[0])
    return f"(?:{'|'.join(_typed(first, (symbol[1:] for symbol in group)) for first, group in by_letter)})"


def _typed(first: str, rests: Iterable[str]) -> str:
    """Return a pattern of the units that begin with a letter, so that a search looks at those of no other."""
    return f"{first.translate(_TYPED)}(?:{'|'.join(rest.translate(_TYPED) for rest in rests)})"
