"""The parts of the items by which the report tells its figures apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.main_job.contents import ITEMS, Item

FORMATS = {"yes_no": "Yes/no", "choice": "Choice", "open": "Open answer"}


@dataclass(frozen=True)
class Part:
    """Some of the items, as a stratum of the report."""

    stratum: str
    items: tuple[Item, ...]


def _part(stratum: str, belongs: Callable[[Item], bool]) -> Part:
    return Part(stratum, tuple(item for item in ITEMS.values() if belongs(item)))


ALL = _part("all", lambda item: True)
CLOSED = _part("closed", lambda item: item.is_closed)
BY_FORMAT = [_part(f"format {name}", lambda item, name=name: item.format == name) for name in FORMATS]
OPEN = BY_FORMAT[-1]
BY_CATEGORY = [
    _part(f"category {name}", lambda item, name=name: item.category == name)
    for name in sorted({item.category for item in ITEMS.values()})
]
BY_GROUNDING = [
    _part(name, lambda item, name=name: item.grounding == name) for name in ("image_grounded", "image_informed")
]
