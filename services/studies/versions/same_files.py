"""Whether the scans and masks of a changed folder are the ones that were read in the study."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlmodel import Session, select

from db import Overlay, Volume
from exchange.study_folder.folder_rows import StudyFolder
from imaging import ImagingError, prepare_overlay, prepare_volume
from imaging.images import Convention
from services.studies.volumes.preparing import Progress

# SHA-256 of the voxels of each stored scan and mask, by kind and key.
Stored = Mapping[tuple[str, str], str]


def stored_files(session: Session, study_id: int) -> Stored:
    """Return the hash of the voxels of each prepared scan and mask of a study."""
    hashes: dict[tuple[str, str], str] = {}
    for kind, table in (("volume", Volume), ("overlay", Overlay)):
        rows = session.exec(select(table.key, table.voxel_sha256).where(table.study_id == study_id))
        hashes |= {(kind, key): voxels for key, voxels in rows}
    return hashes


def others_than(stored: Stored, contents: StudyFolder, progress: Progress | None = None) -> list[str]:
    """Return a sentence for each scan and mask of a folder that differs from the stored one.

    Verdicts belong to the scan that was shown, which is stored under the key of its line. A different scan under the
    same key would be in the folder but on no screen. Compression does not matter, and missing files are ignored.

    Parameters
    ----------
    progress
        Called with (done, total, text) before each file that is read.
    """
    convention = contents.protocol.hanging.convention
    named = [("volume", row.key, row.path) for row in contents.volumes]
    named += [("overlay", row.key, row.path) for row in contents.overlays]
    lines = [(kind, key, path) for kind, key, path in named if (kind, key) in stored and path.is_file()]
    files = list(dict.fromkeys((kind, path) for kind, _, path in lines))
    voxels: dict[tuple[str, Path], set[str]] = {}
    for done, (kind, path) in enumerate(files):
        if progress is not None:
            progress(done, len(files) + 1, f"Comparing scan {done + 1} of {len(files)}")
        try:
            voxels[kind, path] = _voxels_of(kind, path, convention)
        except ImagingError:
            # It was readable when it was stored, so it must have changed.
            voxels[kind, path] = set()
    return [
        f"The file of {kind} '{key}' ({path.name}) is not the one that was shown; put it back, or add a "
        "case of another key with items of its own."
        for kind, key, path in lines
        if stored[kind, key] not in voxels[kind, path]
    ]


def _voxels_of(kind: str, path: Path, convention: Convention) -> set[str]:
    """Return the hashes under which the voxels of a file may be stored: of an image, with and without its border."""
    if kind == "overlay":
        return {prepare_overlay(path, convention=convention).voxel_sha256}
    prepared = prepare_volume(path, convention=convention)
    before = prepared if prepared.placed else prepare_volume(path, convention=convention, crops_images=True)
    return {prepared.voxel_sha256, before.voxel_sha256}
