"""A figure of the report with its place and its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

# More lines than this are no figure that is read at a glance any more.
MOST_LINES = 45


@dataclass(frozen=True)
class Figure:
    """A plotly figure with its place and its words: drawn when it is asked for, since a page shows few of many."""

    key: str
    section: str
    title: str
    caption: str
    draw: Callable[[], Any]

    @cached_property
    def figure(self) -> Any:
        """The plotly figure."""
        return self.draw()

    @property
    def height(self) -> int:
        """How high it is drawn, in pixels."""
        return int(self.figure.layout.height)
