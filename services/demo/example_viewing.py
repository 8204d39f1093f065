"""What the demo's simulated readers looked at: viewing traces in the format that the reading room sends."""

from __future__ import annotations

import random
from typing import Any

from services.reading.payloads import AnyItemPayload

# The probability that the browser sends a trace, and that a reader opens another sequence or the earlier visit.
_SENDS = 0.96
_OPENS_SEQUENCE = 0.75
_OPENS_PRIOR = 0.6
_CHANGES_WINDOW = 0.4
_SHOWS_OVERLAY = 0.5
_USES = {"zoom": 0.35, "maximised": 0.25, "distance": 0.15, "cine": 0.1}
# The smallest and largest share of slices seen in a scan that was opened.
_SEEN = {"axial": (0.25, 0.95), "coronal": (0.05, 0.6), "sagittal": (0.03, 0.5)}


def simulated_trace(payload: AnyItemPayload, active_ms: int, rng: random.Random) -> dict[str, Any] | None:
    """Return what a reader of an item might have looked at; None if it has no images or the browser sends no trace."""
    images = payload["images"]
    if images is None or rng.random() >= _SENDS:
        return None
    volumes = []
    for number, pane in enumerate(images["panes"]):
        looks_there = number == 0 or rng.random() < _OPENS_PRIOR
        in_pane = []
        for place, volume in enumerate(pane["volumes"]):
            opened = looks_there and (place == 0 or rng.random() < _OPENS_SEQUENCE)
            in_pane.append(_volume(number, pane["title"], volume["label"], opened, rng))
        # A pane shows one scan at a time, so the times of its scans add up to the time spent on the item.
        shown = sum(volume["ms"] for volume in in_pane)
        for viewed in in_pane:
            viewed["ms"] = round(active_ms * viewed["ms"] / shown) if shown else 0
        volumes += in_pane
    looked_at = [volume["label"] for volume in volumes if volume["opened"]]
    overlays = sum(len(pane["overlays"]) for pane in images["panes"])
    overlaid = overlays > 0 and rng.random() < _SHOWS_OVERLAY
    return {
        "volumes": volumes,
        "windows": [f"{rng.choice(looked_at)} 0.25 0.75"] if rng.random() < _CHANGES_WINDOW else [],
        "crosshair": [round(rng.uniform(-60.0, 60.0), 1) for _ in range(3)],
        "overlays": {"offered": overlays, "shown_ms": rng.randint(500, 9_000) if overlaid else 0},
        "tools": {name: rng.randint(1, 5) for name, often in _USES.items() if rng.random() < often},
    }


def _volume(pane: int, title: str, label: str, opened: bool, rng: random.Random) -> dict[str, Any]:
    seen = {plane: round(rng.uniform(*limits), 3) for plane, limits in _SEEN.items()}
    ms = rng.randint(2_000, 60_000)
    return {
        "pane": pane,
        "title": title,
        "label": label,
        "opened": opened,
        "ms": ms if opened else 0,
        "seen": seen if opened else {},
    }
