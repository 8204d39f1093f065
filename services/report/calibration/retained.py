"""The calibrations that this process computed last, each for as long as the data of its study stay as they were."""

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

# Of a million candidates each holds more than a hundred megabytes.
MOST_RETAINED = 2


@dataclass(frozen=True)
class Retained:
    """What was read, the hash of what was compared by judge and part, and the panels.

    Nothing in it hangs on who asked: whether somebody may see it is asked before it is looked for.
    """

    what: Parts
    seen: Mapping[tuple[Judge, Part], str]
    panels: dict[str, Panel]


_retained: WeakKeyDictionary[Database, OrderedDict[Hashable, Retained]] = WeakKeyDictionary()
_lock = threading.Lock()


def look_up(database: Database, place: Hashable) -> Retained | None:
    """Return what was kept; None where nothing was.

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
    """Keep what was computed, and let go what was asked for longest ago."""
    with _lock:
        of_database = _retained.setdefault(database, OrderedDict())
        of_database[place] = computed
        while len(of_database) > MOST_RETAINED:
            of_database.popitem(last=False)
