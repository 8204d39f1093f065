"""The scans of a case that each pane of an item shows, and the one on which the pane opens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from protocol.hanging import Hanging, Pane


class Volume(Protocol):
    """The properties of a scan that decide in which pane it hangs."""

    @property
    def role(self) -> str:
        """Whether it is the current scan or a prior."""

    @property
    def sequence(self) -> str:
        """The sequence that was acquired."""


S = TypeVar("S", bound=Volume)
Hung = Sequence[tuple[Pane, Sequence[S]]]


def hung(
    hanging: Hanging, sequences: Sequence[str], uses_prior: bool, volumes: Sequence[S]
) -> list[tuple[Pane, list[S]]]:
    """Return the panes with at least one scan, each with its scans in the pane's order.

    Parameters
    ----------
    sequences, uses_prior
        As the item requests them.
    volumes
        The scans of its case.
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
    """Return the first sequence that every pane has, if all panes are meant to open on the same one.

    Two different contrasts side by side, because one visit lacks the first, could be read as change. None if the study
    gives its panes different sequences to open on, or if the panes have none in common.
    """
    if len({pane.sequences[0] for pane, _ in panes}) != 1:
        return None
    there = [{volume.sequence for volume in offered} for _, offered in panes]
    return next((sequence for sequence in panes[0][0].sequences if all(sequence in of_pane for of_pane in there)), None)


def opens_on(offered: Sequence[Volume], common: str | None) -> int:
    """Return the index of the scan on which a pane opens: the sequence common to all panes, otherwise the first."""
    return next((place for place, volume in enumerate(offered) if volume.sequence == common), 0)


def opened(panes: Hung[S]) -> list[tuple[str, S]]:
    """Return the title of each pane, with the scan that it opens on."""
    common = first_in_all(panes)
    return [(pane.title, offered[opens_on(offered, common)]) for pane, offered in panes]
