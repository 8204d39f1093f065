"""A figure of the report, with its position and its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

# A figure with more lines than this cannot be read at a glance.
MOST_LINES = 45


@dataclass(frozen=True)
class Figure:
    """A Plotly figure with its position and words, drawn only on demand, as a page shows few of many figures."""

    key: str
    section: str
    title: str
    caption: str
    draw: Callable[[], Any]

    @cached_property
    def figure(self) -> Any:
        """The Plotly figure."""
        return self.draw()

    @property
    def height(self) -> int:
        """Its height in pixels."""
        return int(self.figure.layout.height)
