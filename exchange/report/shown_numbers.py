"""How the numbers of the report are printed: values, intervals, P values, and the cells of plain tables.

The page, HTML file, CSV, JSON and figures all use it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from exchange.report.estimate_rows import Estimated
from exchange.report.report_structure import Cell, EstimateTable, Section
from exchange.report.statistic_names import Scale

_LEVEL, _MOST_DECIMALS = 0.05, 12
LEAST_P = 0.0001  # a smaller P value is only shown as less than this
_UNITS: dict[Scale, str] = {
    "percent": " %",
    "points": " points",
    "number": "",
    "signed": "",
    "seconds": " s",
    "millimetres": " mm",
    "pixels": " px",
}


# An interval, n or P with its number, or a number with its percent sign.
_READ_AS_ONE = re.compile(r"\[[^\[\]\s]+, [^\[\]\s]+\]|\b[nP] [=<>] [-.\d]|[<>] [-.\d]|\d %(?!\w)")
_NO_BREAK = "\N{NO-BREAK SPACE}"


def unbroken(text: str) -> str:
    r"""Return a text that never wraps within an interval, n, P or percentage.

    Examples
    --------
    >>> unbroken("It is .77 [.65, .88] (n = 136).").split(" ")
    ['It', 'is', '.77', '[.65,\xa0.88]', '(n\xa0=\xa0136).']
    """
    return _READ_AS_ONE.sub(lambda figure: figure.group().replace(" ", _NO_BREAK), text)


def has_interval(estimate: Estimated) -> bool:
    """Return whether an estimate has an interval."""
    return not (math.isnan(estimate.low) or math.isnan(estimate.high))


def have_intervals(sections: Iterable[Section]) -> bool:
    """Return whether any estimate of these sections has an interval."""
    tables = (table for section in sections for table in section.tables)
    return any(has_interval(row.estimate) for table in tables if isinstance(table, EstimateTable) for row in table.rows)


def shown_number(value: float, scale: Scale) -> str:
    """Return a number as it is printed everywhere: percentages and points with one decimal, others with two."""
    if scale == "percent":
        return f"{100 * value:z.1f}"
    if scale == "points":
        return f"{100 * value:+z.1f}"
    if scale == "signed":
        return f"{value:+z.2f}"
    return f"{value:z.1f}" if scale in ("seconds", "millimetres", "pixels") else f"{value:z.2f}"


def shown_value(value: float, scale: Scale) -> str:
    """Return a value with its unit of measure."""
    return shown_number(value, scale) + _UNITS[scale]


def shown_interval(estimate: Estimated, scale: Scale) -> str:
    """Return the interval in brackets; empty if there is none."""
    if not has_interval(estimate):
        return ""
    return f"[{shown_number(estimate.low, scale)}, {shown_number(estimate.high, scale)}]"


def shown_estimate(estimate: Estimated, scale: Scale) -> str:
    """Return an estimate as it is printed: `46.7 % [38.1, 55.3]`, with the reason if something is undefined."""
    if math.isnan(estimate.value):
        return f"undefined: {estimate.undefined_because}"
    interval = shown_interval(estimate, scale)
    value = shown_value(estimate.value, scale)
    return f"{value} {interval}" if interval else f"{value}, no interval: {estimate.undefined_because}"


def shown_count(n: int, unit: str) -> str:
    """Return a number of units: "1 item", "12 items", "12 items in a condition"."""
    what, among, where = unit.partition(" in ")
    return f"{n} {what}{'' if n == 1 else 's'}{among}{where}"


def shown_p(p: float | None) -> str:
    """Return a P value as it is printed; empty if there is none."""
    if p is None or math.isnan(p):
        return ""
    if p < LEAST_P:
        return "< 0.0001"
    decimals = 4 if p < 0.01 else 3 if p < 0.1 else 2
    # On which side of the usual level it lies has to be read.
    while p != _LEVEL and round(p, decimals) == _LEVEL and decimals < _MOST_DECIMALS:
        decimals += 1
    return f"{p:.{decimals}f}"


def shown_cell(cell: Cell) -> str:
    """Return a cell of a plain table as it is printed."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"{cell:g}" if isinstance(cell, float) else str(cell)
