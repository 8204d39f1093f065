"""Placement checks on a study folder: masks must lie over the scans they were drawn on, and items start in a scan."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from exchange.refusal import InputRefused, Problem, Problems
from exchange.study_folder.folder_rows import StudyFolder
from exchange.study_folder.item_table import ItemRow, OverlayRow, VolumeRow
from imaging import Grid, ImagingError, PreparedVolume
from protocol.hanging import Hanging

_START = "key hanging.start"


@dataclass(frozen=True)
class Files:
    """The scans and masks to read, and the items that show them."""

    volumes: Sequence[VolumeRow]
    overlays: Sequence[OverlayRow]
    items: Sequence[ItemRow]
    hanging: Hanging
    # The masks that a point has to hit, by item: checked against the scans in which the point is set.
    to_be_hit: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @staticmethod
    def of(contents: StudyFolder) -> Files:
        """Return everything that a study folder names."""
        to_be_hit = {row.item: [line.overlay for line in row.fields if line.overlay] for row in contents.references}
        return Files(contents.volumes, contents.overlays, contents.items, contents.protocol.hanging, to_be_hit)


def check_placement(
    problems: Problems,
    files: Files,
    volumes: Mapping[str, PreparedVolume],
    overlays: Mapping[str, PreparedVolume],
) -> None:
    """Note every item that starts outside its scans, or names a mask that does not belong on them.

    Scans that were refused are missing from `volumes` and `overlays`, and are skipped.
    """
    overlay_rows = {row.key: row for row in files.overlays}
    of_case = defaultdict(list)
    for row in files.volumes:
        of_case[row.case].append(row)
    for item in files.items:
        own = of_case[item.case]
        if any(row.key not in volumes for row in own):
            continue
        shown_rows = [row for row in own if row.role == "current" and row.sequence in item.sequences]
        try:
            _require_start_inside(item, files.hanging, own, volumes)
        except InputRefused as refusal:
            problems.take(refusal)
        drawn_on = [volumes[row.key].whole for row in own]
        shown_over = [(row, volumes[row.key]) for row in shown_rows]
        for key in dict.fromkeys((*item.overlays, *files.to_be_hit.get(item.key, ()))):
            if key in overlays:
                try:
                    _require_over(item, overlay_rows[key], overlays[key], shown_over, drawn_on)
                except InputRefused as refusal:
                    problems.take(refusal)


def _require_start_inside(
    item: ItemRow, hanging: Hanging, of_case: Sequence[VolumeRow], prepared: Mapping[str, PreparedVolume]
) -> None:
    """Refuse a start position outside every scan of the item: the reader would start on a black screen."""
    start = hanging.start if item.start is None else item.start
    if start == "middle":
        return
    own = [prepared[row.key] for row in of_case if row.sequence in item.sequences]
    if not any(_shown(volume).holds([start])[0] for volume in own):
        file, place = ("items.csv", f"line {item.line}") if item.start is not None else ("protocol.yaml", _START)
        point = ", ".join(f"{number:g}" for number in start)
        says = (
            f"the start ({point}) mm of item '{item.key}' is outside all of its scans; correct it, or give the item "
            "a start of its own."
        )
        raise InputRefused([Problem(file, place, says)])


def _require_over(
    item: ItemRow,
    row: OverlayRow,
    overlay: PreparedVolume,
    shown_over: Sequence[tuple[VolumeRow, PreparedVolume]],
    drawn_on: Sequence[Grid],
) -> None:
    """Refuse a mask that would be drawn somewhere other than where it was made."""
    for volume_row, prepared in shown_over:
        over = f"volume '{volume_row.key}' ({volume_row.path.name})"
        if overlay.placed != prepared.placed:
            actual, expected = ("a NIfTI file", "an image") if overlay.placed else ("an image", "a NIfTI file")
            raise _refuse(
                row, f"{row.path.name} is {actual}, but {over} of item '{item.key}', over which it lies, is {expected}",
                "give both as the same kind of file",
            )  # fmt: skip
        if not overlay.placed and overlay.whole.shape != prepared.whole.shape:
            raise _refuse(
                row,
                f"{row.path.name} has {_pixels(overlay)} pixels, but {_pixels(prepared)} are expected, the size of "
                f"{over} of item '{item.key}', over which it lies",
                "save the mask with that size, or take it from the item",
            )
    if not overlay.placed:
        return
    for volume_row, prepared in shown_over:
        # A mask may have a grid of its own, or that of another scan of the case. If it matches no scan's grid but has
        # the size of one, it was drawn on that scan and has lost its position.
        if overlay.whole.shape == prepared.whole.shape and not any(overlay.whole.lies_as(grid) for grid in drawn_on):
            raise _refuse(
                row,
                f"{row.path.name} has the size of volume '{volume_row.key}' ({volume_row.path.name}) of item "
                f"'{item.key}', but its affine puts the voxels elsewhere",
                "save the mask with the affine of the scan on which it was drawn",
            )
    if not any(_shown(overlay).meets(_shown(prepared)) for _, prepared in shown_over):
        raise _refuse(
            row,
            f"{row.path.name} is outside all scans of item '{item.key}', but a mask over one of them is expected",
            "save it in the scanner's millimetres, or take it from the item",
        )


def _shown(volume: PreparedVolume) -> Grid:
    """Return the grid of the voxels that were kept: the inside of a mask, or a scan without its background."""
    return Grid(volume.shape, volume.affine)


def _pixels(image: PreparedVolume) -> str:
    return f"{image.whole.shape[0]} x {image.whole.shape[1]}"


def _refuse(row: OverlayRow, fault: str, do: str) -> InputRefused:
    return InputRefused([Problem("overlays.csv", f"overlay '{row.key}'", f"{fault}; {do}.")])


def problem_of_volume(row: VolumeRow | OverlayRow, error: ImagingError) -> Problem:
    """Return what is wrong with a scan or mask, and the table line that names it."""
    if isinstance(row, VolumeRow):
        return Problem("volumes.csv", f"volume '{row.key}'", str(error))
    return Problem("overlays.csv", f"overlay '{row.key}'", str(error))
