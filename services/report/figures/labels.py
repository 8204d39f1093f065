"""Labels of figures: what they escape, where they break, and how high their lines are."""

from __future__ import annotations

import html
from collections.abc import Sequence

# Of a figure's lines, and of a map's rows, how many letters stand in each line of a label.
WIDE, NARROW = 26, 16
_LINE, _AROUND = 17, 12


def escaped(text: str) -> str:
    """Return a text for a figure: its few tags are text; quotation marks stay, which Plotly does not decode."""
    return html.escape(text, quote=False)


def wrapped(label: str, longest: int = WIDE) -> str:
    """Break a long label into lines, so that it leaves room for the drawing."""
    return "<br>".join(_lines(label, longest))


def height_of(labels: Sequence[str], least: int, longest: int = WIDE) -> int:
    """Return the height that each label gets, in pixels, so that the longest touches no other."""
    return max([least, *(_AROUND + _LINE * len(_lines(label, longest)) for label in labels)])


def _lines(label: str, longest: int) -> list[str]:
    lines = [""]
    for word in label.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > longest:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
