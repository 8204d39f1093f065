"""Places in a protocol, worded so that its author finds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from protocol.language.wording import place_in_words

# Keys of the model that short forms leave out.
_LEFT_OUT = ("listed", "fields", "shared")


def place_of(path: Sequence[str], document: Any) -> str:
    """Return the place of a problem in words: its key, or its line in a list.

    Parameters
    ----------
    path
        The keys of the model, with list indices from 0. Empty for the whole file.
    document
        The parsed YAML of the file.
    """
    return place_in_words(as_written(path, document)) if path else "the whole file"


def as_written(path: Sequence[str], document: Any) -> tuple[str | int, ...]:
    """Return the keys as the author wrote them: lines by key or number, and without keys that short forms leave out."""
    written: list[str | int] = []
    at, before = document, ""
    for part in path:
        if isinstance(at, list) and part.isdigit() and int(part) < len(at):
            at = at[int(part)]
            named = at.get("key") if isinstance(at, Mapping) else None
            written.append(named if isinstance(named, str) and named else int(part))
        elif isinstance(at, Mapping) and (key := _key_of(at, part)) is not None:
            at = at[key]
            written.append(part)
        elif isinstance(at, Mapping) and before == "listed" and part.isdigit() and int(part) < len(at):
            # Options written as a mapping of keys to texts.
            key = list(at)[int(part)]
            at = at[key]
            written.append(str(key))
        elif not (part in _LEFT_OUT or (part.isdigit() and at is not None)):
            # A single value in place of a list has no line of its own.
            at = None
            written.append(part)
        before = part
    return tuple(written)


def _key_of(at: Mapping[Any, Any], part: str) -> Any:
    return part if part in at else next((key for key in at if str(key) == part), None)
