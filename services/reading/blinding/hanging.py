"""How a case is hung: its panes with their scans, masks and windows, built key by key like every payload.

This is part of the allow-list: what is not named here reaches no browser.
"""

from __future__ import annotations

from typing import cast

from db.queries import ShownItem, ShownOverlay, ShownVolume
from protocol.hanging import Hanging, Pane, WindowPreset
from protocol.hung import first_in_all, hung, opens_on
from services.installation.tokens import Keys
from services.reading.payloads import (
    ImagesPayload,
    OverlayPayload,
    OverlayStyle,
    PanePayload,
    Place,
    PresetPayload,
    VolumePayload,
)

NOT_COREGISTERED = "not co-registered"
NO_SCALE = "image without scale"


def images_payload(
    item: ShownItem, volumes: list[ShownVolume], overlays: list[ShownOverlay], hanging: Hanging, keys: Keys
) -> ImagesPayload:
    """Return the panes of an item and how they are displayed."""
    shown = _hung(item, volumes, hanging)
    missing = _missing(item, volumes, hanging, [pane.title for pane, _ in shown])
    common = first_in_all(shown)
    panes: list[PanePayload] = []
    for pane, offered in shown:
        fits = _lies_with(pane, offered, shown[0], hanging)
        panes.append(
            {
                "title": pane.title,
                "badge": _badge(fits, offered),
                "coregistered": fits,
                "missing": missing.get(pane.title, []),
                "volumes": [_volume(volume, hanging, keys) for volume in offered],
                "opens_on": opens_on(offered, common),
                "overlays": [_overlay(overlay, keys) for overlay in _laid_over(pane, item, overlays, hanging)],
            }
        )
    return {
        "convention": hanging.convention,
        "coregistered": all(pane["coregistered"] for pane in panes) and (hanging.coregistered or _one_visit(shown)),
        "layout": hanging.layout,
        "planes": list(hanging.planes),
        "start": _start(item, hanging),
        "panes": panes,
        "presets": [_preset(preset) for preset in hanging.presets],
    }


def volumes_of(item: ShownItem, volumes: list[ShownVolume], hanging: Hanging) -> list[int]:
    """Return the ids of exactly the volumes that an item shows, each once."""
    shown = [volume.volume_id for _, offered in _hung(item, volumes, hanging) for volume in offered]
    return list(dict.fromkeys(shown))


def overlays_of(item: ShownItem, overlays: list[ShownOverlay], hanging: Hanging) -> list[int]:
    """Return the ids of exactly the overlays that an item shows."""
    return [overlay.overlay_id for overlay in overlays if hanging.overlays and overlay.key in item.overlays]


def volume_url(keys: Keys, volume_id: int) -> str:
    """Return the address of a volume, relative to the application's root."""
    return f"reading/volume/{keys.volume_token(volume_id)}"


def _hung(item: ShownItem, volumes: list[ShownVolume], hanging: Hanging) -> list[tuple[Pane, list[ShownVolume]]]:
    return hung(hanging, item.sequences, item.uses_prior, volumes)


def _missing(item: ShownItem, volumes: list[ShownVolume], hanging: Hanging, hung: list[str]) -> dict[str, list[str]]:
    """Return the missing sequences that each pane reports; the first pane also reports those of empty panes."""
    missing: dict[str, list[str]] = {}
    for pane in hanging.panes_of(item.sequences, item.uses_prior):
        there = {volume.sequence for volume in volumes if volume.role == pane.role}
        lacking = [sequence for sequence in pane.sequences if sequence not in there]
        if pane.title in hung:
            missing.setdefault(pane.title, []).extend(lacking)
        elif hung:
            missing.setdefault(hung[0], []).extend(f"{sequence} ({pane.title})" for sequence in lacking)
    return missing


def _lies_with(pane: Pane, offered: list[ShownVolume], first: tuple[Pane, list[ShownVolume]], hanging: Hanging) -> bool:
    """Return whether a pane's scans are aligned with those of the first pane; the first pane's always are."""
    placed = all(volume.placed for volume in offered + first[1])
    return pane == first[0] or hanging.lies_with(pane.role, first[0].role, placed=placed)


def _one_visit(hung: list[tuple[Pane, list[ShownVolume]]]) -> bool:
    """Return whether there are several panes and all show the same visit."""
    return len(hung) > 1 and len({pane.role for pane, _ in hung}) == 1


def _badge(fits: bool, offered: list[ShownVolume]) -> str | None:
    parts = [] if fits else [NOT_COREGISTERED]
    if not all(volume.placed for volume in offered):
        parts.append(NO_SCALE)
    return ", ".join(parts) or None


def _volume(volume: ShownVolume, hanging: Hanging, keys: Keys) -> VolumePayload:
    window = hanging.windows.get(volume.sequence)
    return {
        "label": volume.label,
        "url": volume_url(keys, volume.volume_id),
        "sha256": volume.unpacked_sha256,
        "window": list(volume.window if window is None else window),
        "range": list(volume.intensity_range),
        "placed": volume.placed,
    }


def _laid_over(pane: Pane, item: ShownItem, overlays: list[ShownOverlay], hanging: Hanging) -> list[ShownOverlay]:
    """Return a pane's overlays: they are drawn on the current scans, so on a prior they fit only if co-registered."""
    chosen = set(overlays_of(item, overlays, hanging))
    lies_there = pane.role == "current" or hanging.coregistered
    return [overlay for overlay in overlays if overlay.overlay_id in chosen and lies_there]


def _overlay(overlay: ShownOverlay, keys: Keys) -> OverlayPayload:
    return {
        "label": overlay.label,
        "url": f"reading/volume/{keys.overlay_token(overlay.overlay_id)}",
        "sha256": overlay.unpacked_sha256,
        "colour": overlay.colour,
        # The database column allows no other styles.
        "style": cast(OverlayStyle, overlay.style),
        "opacity": overlay.opacity,
    }


def _start(item: ShownItem, hanging: Hanging) -> Place | None:
    """Return the crosshair's starting point in mm; None is the middle. An item's empty list asks for the middle."""
    if item.start is not None:
        return item.start or None
    return None if hanging.start == "middle" else list(hanging.start)


def _preset(preset: WindowPreset) -> PresetPayload:
    if preset.absolute is not None:
        return {"label": preset.label, "absolute": list(preset.absolute)}
    return {"label": preset.label, "window": list(preset.window or (0.0, 1.0))}
