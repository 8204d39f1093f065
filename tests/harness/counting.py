"""How often a piece of work calls each function, counted by Python's own profiler: its counter is in C."""

from __future__ import annotations

import cProfile
from collections import Counter
from collections.abc import Callable
from types import CodeType


def calls_of(work: Callable[[], object], *, within: str = "") -> Counter[str]:
    """Return how often the work calls each function, by file and name; each step of a generator is a call.

    Parameters
    ----------
    within
        Part of a path: only functions of files whose path holds it are counted.
    """
    counting = cProfile.Profile(subcalls=False, builtins=False)
    counting.runcall(work)
    calls: Counter[str] = Counter()
    for entry in counting.getstats():
        # Two functions may have one name: those that are made anew at each call of another.
        if isinstance(entry.code, CodeType) and within in entry.code.co_filename:
            calls[f"{entry.code.co_filename}: {entry.code.co_qualname}"] += entry.callcount
    return calls
