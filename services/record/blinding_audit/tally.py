"""What an audit has counted and found so far. Tallies can be added, and stored as one line of the progress file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

# Further leaks are counted but not listed: one cause usually produces many.
MOST_LISTED = 1_000


UNTOLD = -1


@dataclass(frozen=True)
class Leak:
    """A hidden value on a screen: where, for whom, and of which kind; `value` is its number, never its text.

    `value` is `UNTOLD` if its number would reveal something sealed, or if no value was found but a way of writing.
    """

    phase: str
    slot: str
    item: str
    kind: str
    where: str
    value: int

    def as_json(self) -> list[Any]:
        """Return the leak as a row for a file."""
        return [self.phase, self.slot, self.item, self.kind, self.where, self.value]


@dataclass
class Tally:
    """Counts and findings.

    Attributes
    ----------
    searched
        How many assignments, payloads, texts, addresses and pages were searched.
    legitimate
        How often a rule permitted a value, by kind, rule and place.
    leaks
        Values that may not be there.
    to_weigh
        The same for single words, which are judged by their frequency elsewhere.
    elsewhere
        On how many screens such a word occurs without being the value, by the value's number and place.
    present
        On how many screens of a phase there is any text at a place where words are weighed.
    volumes
        The SHA-256 of the files whose headers were searched.
    not_rendered
        Screens that could not be built, and why.
    """

    searched: Counter[str] = field(default_factory=Counter)
    legitimate: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    leaks: list[Leak] = field(default_factory=list)
    to_weigh: list[Leak] = field(default_factory=list)
    elsewhere: Counter[tuple[int, str]] = field(default_factory=Counter)
    present: Counter[tuple[str, str]] = field(default_factory=Counter)
    volumes: set[str] = field(default_factory=set)
    not_rendered: list[list[str]] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Add the contents of another tally."""
        self.searched += other.searched
        self.legitimate += other.legitimate
        self.elsewhere += other.elsewhere
        self.present += other.present
        self.leaks += other.leaks
        self.to_weigh += other.to_weigh
        self.volumes |= other.volumes
        self.not_rendered += other.not_rendered

    def as_json(self) -> dict[str, Any]:
        """Return the tally for a file."""
        return {
            "searched": dict(self.searched),
            "legitimate": [[*key, count] for key, count in self.legitimate.items()],
            "leaks": [leak.as_json() for leak in self.leaks],
            "to_weigh": [leak.as_json() for leak in self.to_weigh],
            "elsewhere": [[*key, count] for key, count in self.elsewhere.items()],
            "present": [[*key, count] for key, count in self.present.items()],
            "volumes": sorted(self.volumes),
            "not_rendered": self.not_rendered,
        }

    @staticmethod
    def of_json(said: dict[str, Any]) -> Tally:
        """Return the tally that `as_json` wrote."""
        return Tally(
            searched=Counter(said["searched"]),
            legitimate=Counter({(kind, rule, where): count for kind, rule, where, count in said["legitimate"]}),
            leaks=[Leak(*row) for row in said["leaks"]],
            to_weigh=[Leak(*row) for row in said["to_weigh"]],
            elsewhere=Counter({(value, where): count for value, where, count in said["elsewhere"]}),
            present=Counter({(phase, where): count for phase, where, count in said["present"]}),
            volumes=set(said["volumes"]),
            not_rendered=said["not_rendered"],
        )
