"""What must lie where in a study folder: masks over the scans they are drawn on, beginnings within a scan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exchange.item_table import ItemRow, OverlayRow, VolumeRow
from exchange.refusal import InputRefused, Problem, Problems
from exchange.study_folder import StudyFolder
from imaging import Grid, PreparedVolume

_START = "key hanging.start"


def check_placement(
    problems: Problems,
    contents: StudyFolder,
    volumes: Mapping[str, PreparedVolume],
    overlays: Mapping[str, PreparedVolume],
) -> None:
    """Note every item that begins outside of its scans, or names a mask that does not belong on them.

    Of scans that were refused nothing is said: they are missing in `volumes` and `overlays`.
    """
    masks = {row.key: row for row in contents.overlays}
    for item in contents.items:
        scans = [
            row
            for row in contents.volumes
            if (row.case, row.role) == (item.case, "current") and row.sequence in item.sequences
        ]
        own = [row for row in contents.volumes if row.case == item.case]
        if any(row.key not in volumes for row in own):
            continue
        try:
            _require_start_inside(item, contents, volumes)
        except InputRefused as refusal:
            problems.take(refusal)
        drawn_on = [volumes[row.key].whole for row in own]
        shown_over = [(scan, volumes[scan.key]) for scan in scans]
        for key in item.overlays:
            if key in overlays:
                try:
                    _require_over(item, masks[key], overlays[key], shown_over, drawn_on)
                except InputRefused as refusal:
                    problems.take(refusal)


def _require_start_inside(item: ItemRow, contents: StudyFolder, prepared: Mapping[str, PreparedVolume]) -> None:
    """Refuse a beginning that lies outside of every scan of the item: the reader would begin in the dark."""
    start = contents.protocol.hanging.start if item.start is None else item.start
    if start == "middle":
        return
    own = [prepared[row.key] for row in contents.volumes if row.case == item.case and row.sequence in item.sequences]
    if not any(_shown(volume).holds([start])[0] for volume in own):
        file, place = ("items.csv", f"line {item.line}") if item.start is not None else ("protocol.yaml", _START)
        point = ", ".join(f"{number:g}" for number in start)
        says = (
            f"the start ({point}) mm of item '{item.key}' lies outside of all its scans; correct it, or give the item "
            "a start of its own."
        )
        raise InputRefused([Problem(file, place, says)])


def _require_over(
    item: ItemRow,
    row: OverlayRow,
    mask: PreparedVolume,
    scans: Sequence[tuple[VolumeRow, PreparedVolume]],
    drawn_on: Sequence[Grid],
) -> None:
    """Refuse a mask that would be drawn at another place than the one it was made for."""
    for scan_row, scan in scans:
        over = f"volume '{scan_row.key}' ({scan_row.path.name})"
        if mask.placed != scan.placed:
            actual, expected = ("a NIfTI file", "a picture") if mask.placed else ("a picture", "a NIfTI file")
            raise _refuse(
                row, f"{row.path.name} is {actual}, but {over} of item '{item.key}', over which it lies, is {expected}",
                "give both as the same kind of file",
            )  # fmt: skip
        if not mask.placed and mask.whole.shape != scan.whole.shape:
            raise _refuse(
                row,
                f"{row.path.name} has {_pixels(mask)} pixels, but {_pixels(scan)} are expected, the size of {over} of "
                f"item '{item.key}', over which it lies",
                "save the mask with that size, or take it from the item",
            )
    if not mask.placed:
        return
    for scan_row, scan in scans:
        # A mask may have a grid of its own, or that of another scan of the case. One that has no scan's grid but the
        # size of one was drawn on that one, and has lost its place.
        if mask.whole.shape == scan.whole.shape and not any(mask.whole.lies_as(grid) for grid in drawn_on):
            raise _refuse(
                row,
                f"{row.path.name} has the size of volume '{scan_row.key}' ({scan_row.path.name}) of item '{item.key}', "
                "but its affine puts the voxels elsewhere",
                "save the mask with the affine of the scan on which it was drawn",
            )
    if not any(_shown(mask).meets(_shown(scan)) for _, scan in scans):
        raise _refuse(
            row,
            f"{row.path.name} lies outside of all scans of item '{item.key}', but a mask over one of them is expected",
            "save it in the scanner's millimetres, or take it from the item",
        )


def _shown(volume: PreparedVolume) -> Grid:
    """Return where the voxels lie that were kept: of a mask what is inside, of a scan what is not background."""
    return Grid(volume.shape, volume.affine)


def _pixels(picture: PreparedVolume) -> str:
    return f"{picture.whole.shape[0]} x {picture.whole.shape[1]}"


def _refuse(row: OverlayRow, fault: str, do: str) -> InputRefused:
    return InputRefused([Problem("overlays.csv", f"overlay '{row.key}'", f"{fault}; {do}.")])
