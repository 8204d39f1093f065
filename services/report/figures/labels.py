"""Labels of figures: escaping, line breaks, and heights."""

from __future__ import annotations

import html
from collections.abc import Sequence

# Characters per line of a label, for the lines of a figure and for the rows of a map.
WIDE, NARROW = 26, 16
_LINE, _AROUND = 17, 12
# Characters of all column labels of a map together, to fit on paper, and the fewest for each.
_LETTERS_OF_COLUMNS, _FEWEST = 66, 6
# Beside the n of a value that has a warning, of whatever kind.
WARNED = "†"


def escaped(text: str) -> str:
    """Escape a text for Plotly, which interprets a few tags; quotation marks stay, as it does not decode those."""
    return html.escape(text, quote=False)


def wrapped(label: str, longest: int = WIDE) -> str:
    """Break a long label into lines, so that it leaves room for the drawing."""
    return "<br>".join(_lines(label, longest))


def height_of(labels: Sequence[str], least: int, longest: int = WIDE) -> int:
    """Return the height of each label in pixels, such that the longest touches no other."""
    return max([least, *(_AROUND + _LINE * len(_lines(label, longest)) for label in labels)])


def longest_of_column(columns: int) -> int:
    """Return the number of characters per line of a column's label that keeps labels apart on paper."""
    return min(NARROW, max(_FEWEST, _LETTERS_OF_COLUMNS // max(1, columns)))


def height_above(labels: Sequence[str]) -> int:
    """Return the additional height of column labels with more than two lines, in pixels."""
    return _LINE * max(0, max((len(_lines(label, longest_of_column(len(labels)))) for label in labels), default=0) - 2)


def _lines(label: str, longest: int) -> list[str]:
    lines = [""]
    for word in label.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > longest:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
