"""The sheet of expected estimates, each at its place in the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.main_job.independent import Expected


@dataclass(frozen=True)
class Place:
    """Which estimate of the report it is.

    `parties` are names of raters and runs, and what others are: `all_raters`, `consensus`, `chance` ...
    """

    table: str
    statistic: str
    compared: str
    parties: tuple[str, ...]
    stratum: str
    stage: str = ""
    bound: str = ""
    tool: str = ""
    option: str = ""


@dataclass
class Sheet:
    """All expected estimates by their place; `beside` holds those with Wilson's interval."""

    rows: dict[Place, Expected] = field(default_factory=dict)
    beside: dict[Place, Expected] = field(default_factory=dict)

    def add(
        self,
        table: str,
        statistic: str,
        compared: str,
        parties: str | Sequence[str],
        stratum: str,
        expected: Expected | tuple[Expected, Expected],
        **more: str,
    ) -> None:
        whose = (parties,) if isinstance(parties, str) else tuple(parties)
        place = Place(table, statistic, compared, whose, stratum, **more)
        assert place not in self.rows, place
        if isinstance(expected, tuple):
            self.beside[place] = expected[1]
            expected = expected[0]
        self.rows[place] = expected
