"""Tables as they are printed: read back from HTML, and put together from the numbers by the test's own rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

_SCRIPTS = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)
_UNITS = {"percent": " %", "points": " points", "seconds": " s", "number": ""}


@dataclass
class Printed:
    """One table of text under its title."""

    title: str
    rows: list[list[str]] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[Printed] = []
        self._title = ""
        self._into: str | None = None
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in ("h2", "h3", "td", "th"):
            self._into, self._text = tag, []
        elif tag == "table":
            self.tables.append(Printed(self._title))
        elif tag == "tr":
            self.tables[-1].rows.append([])

    def handle_data(self, data: str) -> None:
        if self._into:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag != self._into:
            return
        text = " ".join("".join(self._text).split())
        if tag in ("h2", "h3"):
            self._title = text
        else:
            self.tables[-1].rows[-1].append(text)
        self._into = None


def tables_in(html: str) -> list[Printed]:
    """Return every table of a page, its head as the first row."""
    reader = _Reader()
    reader.feed(_SCRIPTS.sub("", html))
    return reader.tables


def number(value: float, scale: str) -> str:
    """Return a number as it is to be printed: percent and points with one decimal, points with their sign.

    What rounds to zero has no minus.
    """
    if scale == "percent":
        return f"{value * 100:z.1f}"
    if scale == "points":
        return f"{value * 100:+z.1f}"
    return f"{value:z.1f}" if scale == "seconds" else f"{value:z.2f}"


def estimate_text(estimate: Mapping[str, Any], scale: str) -> str:
    """Return an estimate with its interval, or with the reason why it has none."""
    if estimate["value"] is None:
        return f"undefined: {estimate['undefined_because']}"
    value = number(estimate["value"], scale) + _UNITS[scale]
    if estimate["low"] is None:
        return f"{value}, no interval: {estimate['undefined_because']}"
    return f"{value} [{number(estimate['low'], scale)}, {number(estimate['high'], scale)}]"


def p_text(p: float | None) -> str:
    """Return a P value with as many decimals as it deserves."""
    if p is None:
        return ""
    if p < 0.0001:
        return "< 0.0001"
    text = f"{p:.4f}" if p < 0.01 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
    decimals = 4
    while float(text) == 0.05 != p and decimals <= 15:  # on which side of the usual level it lies is to be seen
        text, decimals = f"{p:.{decimals}f}", decimals + 1
    return text


def row_texts(row: Mapping[str, Any]) -> list[str]:
    """Return what must stand in the cells of an estimate's line, in this order; other cells may stand between."""
    estimate, scale = row["estimate"], row["scale"]
    texts = [row["label"]] + ([row["raters"]] if row["raters"] else []) + [estimate_text(estimate, scale)]
    if row["beside"] is not None:
        texts.append(estimate_text(row["beside"], scale))
    texts.append(f"{estimate['n']} {estimate['unit']}{'' if estimate['n'] == 1 else 's'}")
    texts.append("–" if estimate["n_clusters"] is None else str(estimate["n_clusters"]))
    if estimate["p"] is not None:
        texts.append(p_text(estimate["p"]))
    return texts + ([row["note"]] if row["note"] else [])


def stands_in(texts: list[str], cells: list[str]) -> bool:
    """Return whether the texts stand in the cells, one after the other; a cell may add a mark that points to a note."""
    left = iter(cells)
    return all(
        any(re.fullmatch(rf"{re.escape(text)}( †| \(\w+\))?( [‡§¶]+)*", cell) for cell in left) for text in texts
    )
