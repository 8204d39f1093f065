"""What raters looked at, as tidy tables: one line per read and volume, and the traces as stored."""

from __future__ import annotations

import json
from collections.abc import Sequence

from exchange.report.report_structure import Cell, Column, DataFile
from exchange.viewing_trace import PLANES
from services.report.rows.viewings import Viewing

_TRACE_STATES = {"kept": "kept", "too_large": "too large", "no_pictures": "no images", "none": "none sent"}
_READ = (
    Column("rater", "Rater", "Pseudonym of the rater"),
    Column("item", "Item", "Key of the item"),
    Column("subject", "Subject", "Pseudonym of the subject"),
)


def volumes_file(viewings: Sequence[Viewing]) -> DataFile:
    """Return what is known of every volume that was offered for a verdict."""
    rows: list[tuple[Cell, ...]] = []
    for viewing in viewings:
        for volume in viewing.volumes:
            offered, recorded = volume.offered, volume.recorded
            seen = [None if recorded is None else recorded.seen.get(plane) for plane in PLANES]
            rows.append(
                (
                    viewing.rater, viewing.item.key, viewing.item.subject, offered.pane + 1, offered.title,
                    offered.role, offered.sequence, offered.label, volume.opened,
                    None if recorded is None else recorded.ms, *seen,
                )
            )  # fmt: skip
    return DataFile(
        "viewing.csv",
        "Every volume offered for a standing verdict of the reading phase; one line per rater, item and volume.",
        (
            *_READ,
            Column("pane", "Pane", "Number of the pane, from 1"),
            Column("title", "Title", "Title of the pane"),
            Column("role", "Role", "current or prior"),
            Column("sequence", "Sequence", "Name of the sequence"),
            Column("label", "Label", "The label that the rater saw"),
            Column("opened", "Opened", "Whether it was ever on the screen; empty when not recorded"),
            Column("ms", "On screen ms", "Active time on the screen in milliseconds; empty when not recorded"),
            *(
                Column(
                    f"seen_{plane}",
                    f"Seen, {plane}",
                    f"Share of the {plane} slices seen, 0 to 1; empty when not recorded",
                )
                for plane in PLANES
            ),
        ),
        tuple(rows),
    )


def traces_file(viewings: Sequence[Viewing]) -> DataFile:
    """Return every viewing trace as it was stored."""
    return DataFile(
        "traces.csv",
        "The viewing trace of every standing verdict of the reading phase; one line per rater and item.",
        (
            *_READ,
            Column("kept", "Kept", "kept, too large (not kept), no images (the item offers none) or none sent"),
            Column(
                "trace",
                "Trace",
                "The trace as the browser sent it, as JSON: volumes (pane from 0, title and label as shown, opened, ms "
                "of active time on the screen, seen: share of the slices of each plane), windows (each change of the "
                "window, oldest first, at most the last 12), crosshair (at submission, in mm), offsets (title of a "
                "pane linked by hand, and mm along x, y and z from the crosshair to the same place there), "
                "overlays (how many were offered, ms shown) and tools (how often each was used). Older traces lack "
                "title, opened, ms, overlays, tools and offsets, and list only volumes that were opened; empty without "
                "a trace",
            ),
        ),
        tuple(
            (
                viewing.rater, viewing.item.key, viewing.item.subject, _TRACE_STATES[viewing.trace_state],
                json.dumps(viewing.entry.trace, ensure_ascii=False, sort_keys=True)
                if viewing.trace_state == "kept" else None,
            )
            for viewing in viewings
        ),
    )  # fmt: skip
