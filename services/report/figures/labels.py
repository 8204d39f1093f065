"""Labels of figures: what they escape, where they break, and how high their lines are."""

from __future__ import annotations

import html
from collections.abc import Sequence

# Of a figure's lines, and of a map's rows, how many letters stand in each line of a label.
WIDE, NARROW = 26, 16
_LINE, _AROUND = 17, 12
# Of the columns of a map on paper, together, and the fewest in each.
_LETTERS_OF_COLUMNS, _FEWEST = 66, 6


def escaped(text: str) -> str:
    """Return a text for a figure: its few tags are text; quotation marks stay, which Plotly does not decode."""
    return html.escape(text, quote=False)


def wrapped(label: str, longest: int = WIDE) -> str:
    """Break a long label into lines, so that it leaves room for the drawing."""
    return "<br>".join(_lines(label, longest))


def height_of(labels: Sequence[str], least: int, longest: int = WIDE) -> int:
    """Return the height that each label gets, in pixels, so that the longest touches no other."""
    return max([least, *(_AROUND + _LINE * len(_lines(label, longest)) for label in labels)])


def longest_of_column(columns: int) -> int:
    """Return how many letters stand in each line of the label of a column, so that it touches no other on paper."""
    return min(NARROW, max(_FEWEST, _LETTERS_OF_COLUMNS // max(1, columns)))


def height_above(labels: Sequence[str]) -> int:
    """Return the height that the labels of columns take beyond two lines, in pixels."""
    return _LINE * max(0, max((len(_lines(label, longest_of_column(len(labels)))) for label in labels), default=0) - 2)


def _lines(label: str, longest: int) -> list[str]:
    lines = [""]
    for word in label.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > longest:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
