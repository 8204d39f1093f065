"""Small volumes are prepared once in a process: tests import the same few of them hundreds of times."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from imaging import PreparedVolume

# Bytes; what is larger is in one test alone, and its voxels would stay in memory.
SMALL = 1 << 16


def remembering(prepare: Callable[..., PreparedVolume]) -> Callable[..., PreparedVolume]:
    """Return the same function, which prepares a small file of the same bytes, ending and settings once.

    What is refused is refused anew each time, in the words for its own path.
    """
    prepared: dict[tuple[object, ...], PreparedVolume] = {}

    def remembered(path: Path, **settings: Any) -> PreparedVolume:
        if not path.is_file() or path.stat().st_size > SMALL:
            return prepare(path, **settings)
        content = hashlib.sha256(path.read_bytes()).digest()
        key = (content, "".join(path.suffixes), *sorted(settings.items()))
        if key not in prepared:
            prepared[key] = prepare(path, **settings)
        return prepared[key]

    return remembered
