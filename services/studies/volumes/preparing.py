"""Prepare the scans and masks of a study folder, and put their bytes in the volume store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from sqlmodel import Session

from db import Database, Overlay, Volume, insert_many
from exchange.refusal import InputRefused, Problems
from exchange.study_folder.item_table import OverlayRow, VolumeRow
from imaging import ImagingError, PreparedVolume, inside_of, prepare_overlay, prepare_volume
from protocol.fields.region import Region
from protocol.hanging import Hanging
from services.errors import Conflict
from services.studies.volumes import leftovers, volume_store
from services.studies.volumes.alignment import Files, check_placement, problem_of_volume

# The lease of an import is renewed after this many volumes.
RENEWED_EVERY = 20
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Prepared:
    """Prepared files by the key of their line, without their bytes, which are in the volume store."""

    volumes: dict[str, PreparedVolume] = field(default_factory=dict)
    overlays: dict[str, PreparedVolume] = field(default_factory=dict)
    # The inside of each overlay that a point has to hit.
    regions: dict[str, Region] = field(default_factory=dict)


def prepare_files(
    database: Database, files: Files, progress: Progress | None, stored: list[str], lease: leftovers.ImportLease
) -> Prepared:
    """Prepare every file, keep its bytes only in the store, and note in `stored` which files are new there.

    Raises
    ------
    InputRefused
        With every scan that cannot be read, every misplaced mask, and every item that starts outside its scans.
    """
    prepared, problems = Prepared(), Problems()
    to_be_hit = {key for keys in files.to_be_hit.values() for key in keys}
    rows: list[VolumeRow | OverlayRow] = [*files.volumes, *files.overlays]
    for done, row in enumerate(rows):
        if progress is not None:
            progress(done, len(rows), f"Preparing volume {done + 1} of {len(rows)}")
        # It was taken just before the first.
        if done and done % RENEWED_EVERY == 0:
            lease.renew()
        try:
            volume = _prepare(row, files.hanging)
        except InputRefused as refusal:
            problems.take(refusal)
            continue
        if isinstance(row, OverlayRow) and row.key in to_be_hit:
            prepared.regions[row.key] = Region(**vars(inside_of(volume)))
        if volume_store.keep(database, volume.content, volume.sha256):
            stored.append(volume.sha256)
        # Bytes are not kept: a study can have hundreds of volumes, which would fill the memory.
        part = prepared.volumes if isinstance(row, VolumeRow) else prepared.overlays
        part[row.key] = replace(volume, content=b"")
    check_placement(problems, files, prepared.volumes, prepared.overlays)
    problems.refuse()
    if progress is not None:
        # At least one step, so that a study without volumes reports its end too.
        steps = max(len(rows), 1)
        progress(steps, steps, "Storing the study")
    return prepared


def _prepare(row: VolumeRow | OverlayRow, hanging: Hanging) -> PreparedVolume:
    try:
        if isinstance(row, OverlayRow):
            return prepare_overlay(row.path, convention=hanging.convention)
        return prepare_volume(row.path, percentiles=hanging.window_percentiles, convention=hanging.convention)
    except ImagingError as error:
        raise InputRefused([problem_of_volume(row, error)]) from error


def require_files(database: Database, prepared: Prepared) -> None:
    """Refuse if a file that was already stored has since been removed with a draft that shared it.

    Removing files waits for the audit chain, which this transaction holds by now.
    """
    for file in (*prepared.volumes.values(), *prepared.overlays.values()):
        if not volume_store.path_of(database, file.sha256).exists():
            raise Conflict("A prepared file was removed meanwhile, with a draft that shared it; import again.")


def store_files(session: Session, study_id: int, case_ids: dict[str, int], files: Files, prepared: Prepared) -> None:
    """Add a row for every file that was prepared, in the order of the tables."""
    insert_many(
        session,
        Volume,
        (
            _row(study_id, case_ids[row.case], row, prepared.volumes[row.key]) | _of_volume(row, prepared)
            for row in files.volumes
            if row.key in prepared.volumes
        ),
    )
    insert_many(
        session,
        Overlay,
        (
            _row(study_id, case_ids[row.case], row, prepared.overlays[row.key])
            | {"colour": row.colour, "style": row.style, "opacity": row.opacity}
            for row in files.overlays
            if row.key in prepared.overlays
        ),
    )


def _of_volume(row: VolumeRow, prepared: Prepared) -> dict[str, Any]:
    volume = prepared.volumes[row.key]
    return {
        "role": row.role,
        "sequence": row.sequence,
        "acquired": row.acquired,
        "window": list(volume.window),
        "intensity_range": list(volume.intensity_range),
        "placed": volume.placed,
    }


def _row(study_id: int, case_id: int, row: VolumeRow | OverlayRow, prepared: PreparedVolume) -> dict[str, Any]:
    """Return the columns that are stored for every prepared file, whether scan or mask."""
    return {
        "study_id": study_id,
        "case_id": case_id,
        "key": row.key,
        "label": row.label,
        "file_name": row.path.name,
        "sha256": prepared.sha256,
        "voxel_sha256": prepared.voxel_sha256,
        "unpacked_sha256": prepared.unpacked_sha256,
        "shape": list(prepared.shape),
        "spacing": list(prepared.spacing),
    }
