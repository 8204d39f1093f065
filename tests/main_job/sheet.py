"""The sheet of expected estimates, each at its place in the report."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.main_job.independent import Expected


@dataclass(frozen=True)
class Place:
    """Where an estimate stands in the report."""

    table: str
    label: str
    raters: str
    stratum: str


@dataclass
class Sheet:
    """All expected estimates by their place; `beside` holds those with Wilson's interval."""

    rows: dict[Place, Expected] = field(default_factory=dict)
    beside: dict[Place, Expected] = field(default_factory=dict)

    def add(
        self, table: str, label: str, raters: str, stratum: str, found: Expected | tuple[Expected, Expected]
    ) -> None:
        place = Place(table, label, raters, stratum)
        assert place not in self.rows, place
        if isinstance(found, tuple):
            self.beside[place] = found[1]
            found = found[0]
        self.rows[place] = found
