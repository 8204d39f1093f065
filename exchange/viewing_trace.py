"""Viewing traces as browsers send them: which parts of an item's scans were viewed before a verdict.

A trace is stored as it was received. Older ones have `volumes` (only those that were drawn: `pane`, `label`, `seen`),
`windows` and `crosshair`; newer ones list every volume that was offered, with `title`, `opened` and `ms`, and add
`overlays` and `tools`; the newest also have `offsets`, with which panes were linked. A trace comes from a browser, so
it may contain anything: values that are missing or of an unexpected kind are None here, which means "not recorded"
and never zero.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LARGEST_TRACE = 20_000
LONGEST_LABEL = 60
PLANES = ("axial", "coronal", "sagittal")
_LEFT_OUT = "left_out"
_TOO_LARGE = "too large"
_TOOL = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")


@dataclass(frozen=True)
class LookedAt:
    """One volume of a trace.

    Attributes
    ----------
    opened
        Whether it was ever on the screen.
    ms
        Active time on the screen in milliseconds.
    seen
        The share of slices that were on the screen, from 0 to 1, by plane.
    """

    pane: int | None
    title: str | None
    label: str
    opened: bool | None
    ms: int | None
    seen: Mapping[str, float]


@dataclass(frozen=True)
class Trace:
    """The contents of a trace; None means "not recorded".

    Attributes
    ----------
    lists_all
        Whether volumes that were never opened are listed too.
    tools
        How often each tool was used; tools that are not named were not used.
    """

    volumes: tuple[LookedAt, ...] | None
    lists_all: bool
    window_changed: bool | None
    overlays_offered: int | None
    overlays_ms: int | None
    tools: Mapping[str, int] | None


def kept_trace(trace: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return what is stored for a trace: the trace itself, a remark that it was too large, or None if there is none."""
    if not trace:
        return None
    try:
        size = len(json.dumps(trace, allow_nan=False))
    except ValueError:
        # NaN and infinity are not JSON: PostgreSQL would refuse them, and the verdict along with them.
        return None
    return dict(trace) if size <= LARGEST_TRACE else {_LEFT_OUT: _TOO_LARGE}


def was_too_large(stored: Mapping[str, Any]) -> bool:
    """Return whether a trace was left out because of its size."""
    return stored.get(_LEFT_OUT) == _TOO_LARGE


def read_trace(stored: Mapping[str, Any]) -> Trace:
    """Read a stored trace, old or new; never fails."""
    listed, overlays, tools = stored.get("volumes"), stored.get("overlays"), stored.get("tools")
    windows = stored.get("windows")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    return Trace(
        # A verdict requires images on the screen, so an empty list means nothing was recorded.
        volumes=tuple(_volume(entry) for entry in entries) or None,
        lists_all=any("opened" in entry for entry in entries),
        window_changed=len(windows) > 0 if isinstance(windows, list) else None,
        overlays_offered=_count(overlays.get("offered")) if isinstance(overlays, dict) else None,
        overlays_ms=_count(overlays.get("shown_ms")) if isinstance(overlays, dict) else None,
        tools=_tools(tools) if isinstance(tools, dict) else None,
    )


def _volume(entry: dict[str, Any]) -> LookedAt:
    pane, title, seen = entry.get("pane"), entry.get("title"), entry.get("seen")
    # Older traces only list volumes that were drawn, so the default is True.
    opened = entry.get("opened", True)
    return LookedAt(
        pane=pane if isinstance(pane, int) and not isinstance(pane, bool) else None,
        title=title if isinstance(title, str) else None,
        label=str(entry.get("label", "")),
        opened=opened if isinstance(opened, bool) else None,
        ms=_count(entry.get("ms")),
        seen={plane: share for plane in PLANES if (share := _share(seen.get(plane))) is not None}
        if isinstance(seen, dict)
        else {},
    )


def _tools(tools: dict[str, Any]) -> dict[str, int]:
    return {name: n for name, value in tools.items() if _TOOL.fullmatch(name) and (n := _count(value)) is not None}


def _share(value: Any) -> float | None:
    number = _number(value)
    return number if number is not None and 0.0 <= number <= 1.0 else None


def _count(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and 0.0 <= number < 2**53 else None


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
