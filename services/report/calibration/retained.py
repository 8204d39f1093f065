"""Cache of this process's last calibrations, each valid as long as the data of its study do not change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from agreement.judge.rows import Panel
from db import Database
from services.judging.run_identity import Judge
from services.report.calibration.looks import Part
from services.report.calibration.parts import Parts

# With a million candidates, each takes more than a hundred megabytes.
MOST_RETAINED = 2


@dataclass(frozen=True)
class Retained:
    """The material that was read, the hashes of what was compared by judge and part, now and before, and the panels.

    None of it depends on who asked; permission is checked before it is looked up.
    """

    what: Parts
    seen: Mapping[tuple[Judge, Part], str]
    seen_before: Mapping[tuple[Judge, Part], str]
    panels: dict[str, Panel]


_retained: WeakKeyDictionary[Database, OrderedDict[Hashable, Retained]] = WeakKeyDictionary()
_lock = threading.Lock()


def look_up(database: Database, place: Hashable) -> Retained | None:
    """Return what was stored for a place; None if there is nothing.

    Parameters
    ----------
    place
        What was asked for, of which study, in which state of its data.
    """
    with _lock:
        of_database = _retained.get(database, OrderedDict())
        if place in of_database:
            of_database.move_to_end(place)
        return of_database.get(place)


def retain(database: Database, place: Hashable, computed: Retained) -> None:
    """Store what was computed, and drop the least recently used results beyond the limit."""
    with _lock:
        of_database = _retained.setdefault(database, OrderedDict())
        of_database[place] = computed
        while len(of_database) > MOST_RETAINED:
            of_database.popitem(last=False)
