"""How each read was looked at: what the item offered, compared with what the viewing trace recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from exchange.viewing_trace import LONGEST_LABEL, LookedAt, Trace, read_trace, was_too_large
from services.report.rows.reads import Reads
from services.report.rows.study_rows import Entry, OfferedVolume, ReadItem

TraceState = Literal["kept", "too_large", "no_pictures", "none"]


@dataclass(frozen=True)
class SeenVolume:
    """A volume that was offered, and what the trace recorded of it; None is "not recorded"."""

    offered: OfferedVolume
    recorded: LookedAt | None
    opened: bool | None


@dataclass(frozen=True)
class Viewing:
    """How a rater looked at an item before the standing verdict.

    Attributes
    ----------
    rater
        Pseudonym.
    position
        The item's place among the items of the report.
    kept
        Whether there is a trace, and if not, why.
    trace
        What it recorded; None without a trace.
    """

    rater: str
    position: int
    item: ReadItem
    entry: Entry
    correct: bool | None
    trace_state: TraceState
    trace: Trace | None
    volumes: tuple[SeenVolume, ...]

    def at(self, place: str) -> list[SeenVolume]:
        """Return the volumes offered in a place, which is a pane and a sequence in words."""
        return [volume for volume in self.volumes if volume.offered.place == place]

    @property
    def offers_prior(self) -> bool:
        """Whether an earlier scan was available."""
        return any(volume.offered.role == "prior" for volume in self.volumes)

    @property
    def prior_opened(self) -> bool | None:
        """Whether any earlier scan was opened; None if that was not recorded."""
        return any_of(volume.opened for volume in self.volumes if volume.offered.role == "prior")


def any_of(values: Iterable[bool | None]) -> bool | None:
    """Return whether any value is true; None if none is true and one is unknown, or there are no values."""
    known = list(values)
    if True in known:
        return True
    return None if None in known or not known else False


def viewings_of(reads: Reads) -> tuple[Viewing, ...]:
    """Return how every read with a verdict was looked at, rater by rater, in the order of the items."""
    return tuple(
        _viewing(column.rater.pseudonym, position, reads.items[position], entry, column.correct[position])
        for column in reads.columns
        for position, entry in enumerate(column.entries)
        if entry is not None and entry.verdict_id is not None
    )


def _viewing(rater: str, position: int, item: ReadItem, entry: Entry, correct: bool | None) -> Viewing:
    stored = entry.trace
    trace_state: TraceState = "kept"
    if stored is None:
        trace_state = "none" if item.offered else "no_pictures"
    elif was_too_large(stored):
        trace_state = "too_large"
    trace = read_trace(stored) if stored is not None and trace_state == "kept" else None
    return Viewing(rater, position, item, entry, correct, trace_state, trace, _held_against(item.offered, trace))


def _held_against(offered: Sequence[OfferedVolume], trace: Trace | None) -> tuple[SeenVolume, ...]:
    if trace is None or trace.volumes is None:
        return tuple(SeenVolume(volume, None, None) for volume in offered)
    seen = []
    for volume in offered:
        namesakes = [other for other in offered if (other.pane, other.label) == (volume.pane, volume.label)]
        recorded = [entry for entry in trace.volumes if _names(entry, volume)]
        if len(recorded) == len(namesakes):
            entry = recorded[namesakes.index(volume)]
            seen.append(SeenVolume(volume, entry, entry.opened))
        else:
            # Older traces list only what was drawn: a volume that is not in one was never on the screen.
            never = not recorded and not trace.lists_all
            seen.append(SeenVolume(volume, None, False if never else None))
    return tuple(seen)


def _names(entry: LookedAt, volume: OfferedVolume) -> bool:
    same_pane = entry.pane == volume.pane if entry.title is None else entry.title == volume.title[:LONGEST_LABEL]
    return same_pane and entry.label[:LONGEST_LABEL] == volume.label[:LONGEST_LABEL]
