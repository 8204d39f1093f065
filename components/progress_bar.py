"""The progress bar of a long operation, such as an import."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int, str], None]]:
    """Show a bar for the duration of the block; the yielded function takes steps done, total steps and a text."""
    bar = st.progress(0.0, text="Starting")

    def feed(done: int, total: int, text: str) -> None:
        bar.progress(done / max(total, 1), text=text)

    try:
        yield feed
    finally:
        bar.empty()
