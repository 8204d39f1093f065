"""One store of memory for all threads of a program."""

from __future__ import annotations

import ctypes

_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h


def use_one_arena() -> bool:
    """Let all threads of this process take memory from one store, so that each uses what others gave back.

    The GNU C library otherwise gives each thread a store of its own, and 16 threads that compute one statistic after
    the other hold half as much memory again as their arrays take. Threads that exist keep theirs.

    Returns
    -------
    bool
        Whether the C library can do so; others divide memory among threads in ways of their own.
    """
    try:
        library = ctypes.CDLL(None)
        return bool(library.mallopt(_ARENA_MAX, 1))
    except (TypeError, OSError, AttributeError):  # Windows has no such library, others no such function
        return False
