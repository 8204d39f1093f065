"""A phase with what was drawn for it, and its entry in the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from services.studies.drawing.drawn_apart import APART_FROM
from services.studies.sampling.sample import DrawnSample


@dataclass(frozen=True)
class DrawnPhase:
    """A phase with the units that were drawn for it."""

    key: str
    # What is rated in it, as the protocol language calls it.
    rates: str
    sample: DrawnSample
    # Names in `not_in` that no frozen study of this installation has.
    not_here: tuple[str, ...] = ()
    # By the key of each other study that the phase is drawn apart from: the hash of its freeze or newest version.
    apart_from: Mapping[str, str] = field(default_factory=dict)
    # The slots to which each unit was dealt, by unit key; empty if everybody in the phase rates all of it.
    slots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Number of pairs left out because one of the two answers is no response.
    without_response: int = 0

    def as_manifest(self) -> dict[str, Any]:
        """Return its entry in the manifest: planned against drawn, and each unit with its probability."""
        return {
            "strata": [
                {
                    "stratum": row.stratum,
                    "available": row.available,
                    "planned": row.planned,
                    "drawn": row.drawn,
                    "units": row.units,
                }
                for row in self.sample.table
            ],
            "units": {
                row.unit.key: {
                    "stratum": row.stratum,
                    "probability": row.inclusion.probability,
                    "error": row.inclusion.standard_error,
                    "method": row.inclusion.method,
                    **({"slots": list(self.slots[row.unit.key])} if self.slots else {}),
                    **({"answers": list(row.unit.pair)} if row.unit.pair else {}),
                }
                for row in self.sample.units
            },
            "notes": [
                *self.sample.notes,
                *(f"There is no frozen study '{name}' here: no subject of it was left out." for name in self.not_here),
                *self._left_out,
            ],
            "weighting_refused": self.sample.weighting_refused,
            **({APART_FROM: dict(self.apart_from)} if self.apart_from else {}),
        }

    @property
    def _left_out(self) -> list[str]:
        if not self.without_response:
            return []
        return [f"Left out were {self.without_response} pairs of which an answer is no response."]


@dataclass(frozen=True)
class DrawnKeys:
    """The items and candidates that a manifest lists one by one, and not only in the hash of their table."""

    items: frozenset[str]
    candidates: frozenset[str]
