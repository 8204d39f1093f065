"""Pause garbage collection while a large study is read: it makes a million objects without a reference cycle."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_search_for_garbage() -> Iterator[None]:
    """Pause the search for reference cycles; objects that nothing refers to are still freed at once.

    Each search goes through all objects, and the more objects are made, the more searches there are: freezing a pool
    of 300,000 units would spend a fifth of its time on them. The switch applies to the whole process: cycles that
    other threads leave behind in these seconds are collected afterwards.
    """
    searched = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searched:
            gc.enable()
