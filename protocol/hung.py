"""Which scans of a case the panes of an item show, and on which each pane opens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from protocol.hanging import Hanging, Pane


class Volume(Protocol):
    """What of a scan decides where it hangs."""

    @property
    def role(self) -> str:
        """Whether it is of today or an earlier one."""

    @property
    def sequence(self) -> str:
        """What was recorded."""


S = TypeVar("S", bound=Volume)
Hung = Sequence[tuple[Pane, Sequence[S]]]


def hung(
    hanging: Hanging, sequences: Sequence[str], uses_prior: bool, volumes: Sequence[S]
) -> list[tuple[Pane, list[S]]]:
    """Return the panes that have something to show, each with its scans in the pane's order.

    Parameters
    ----------
    sequences, uses_prior
        What the item names.
    volumes
        Those of its case.
    """
    panes = []
    for pane in hanging.panes_of(sequences, uses_prior):
        offered = [
            volume
            for sequence in pane.sequences
            for volume in volumes
            if volume.role == pane.role and volume.sequence == sequence
        ]
        if offered:
            panes.append((pane, offered))
    return panes


def first_in_all(panes: Hung[S]) -> str | None:
    """Return the first sequence that every pane has, where all panes are meant to open on the same one.

    Two contrasts side by side, because one visit lacks the first, could be read as change. None where the study gives
    its panes sequences of their own to open on, or where the panes share none.
    """
    if len({pane.sequences[0] for pane, _ in panes}) != 1:
        return None
    there = [{volume.sequence for volume in offered} for _, offered in panes]
    return next((sequence for sequence in panes[0][0].sequences if all(sequence in of_pane for of_pane in there)), None)


def opens_on(offered: Sequence[Volume], common: str | None) -> int:
    """Return the place of the scan on which a pane opens: of the sequence that all have in common, or the first."""
    return next((place for place, volume in enumerate(offered) if volume.sequence == common), 0)


def opened(panes: Hung[S]) -> list[tuple[str, S]]:
    """Return the title of each pane, with the scan that it opens on."""
    common = first_in_all(panes)
    return [(pane.title, offered[opens_on(offered, common)]) for pane, offered in panes]
