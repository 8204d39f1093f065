"""What the items of the stand-in server are made of: fields, scans and overlays."""

from __future__ import annotations

from typing import Any

from db.queries import ShownOverlay, ShownVolume
from tests.components.reading_server import made_volumes
from tests.components.reading_server.made_texts import (
    CONFIDENCE,
)


def field(key: str, kind: str, label: str, options: list[tuple[str, str]] | None = None, **more: Any) -> dict[str, Any]:
    return {"key": key, "type": kind, "label": label, "options": choices(options or [])} | more


def choices(options: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"id": name, "text": text} for name, text in options]


def yes_no() -> dict[str, Any]:
    return field("answer", "yes_no", "Answer")


def confidence() -> dict[str, Any]:
    return field("confidence", "ordinal", "How sure are you?", CONFIDENCE)


def scan(position: int, kind: str = "t1", sequence: str = "T1", **more: Any) -> ShownVolume:
    """Return one volume: `kind` says to `made_volumes` what it looks like."""
    token = f"{kind}-{position}"
    described: dict[str, Any] = {
        "volume_id": made_volumes.id_of(token),
        "role": "current",
        "sequence": sequence,
        "label": sequence,
        "acquired": None,
        "window": [20.0, 220.0],
        "intensity_range": [0.0, 255.0],
        "placed": True,
        "unpacked_sha256": made_volumes.sha256_of(token),
    }
    return ShownVolume(**(described | more))


def overlay(position: int, label: str, style: str) -> ShownOverlay:
    token = f"mask-{position}"
    colour = "#e8a33d" if style == "outline" else "#ff00ff"
    return ShownOverlay(made_volumes.id_of(token), "mask", label, colour, style, 1.0, made_volumes.sha256_of(token))
