"""The bar that says how far something has come which takes long, such as an import."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int, str], None]]:
    """Draw a bar until the block is left; the function that it yields takes done, total and what is being done."""
    bar = st.progress(0.0, text="Starting")

    def feed(done: int, total: int, text: str) -> None:
        bar.progress(done / max(total, 1), text=text)

    try:
        yield feed
    finally:
        bar.empty()
