"""Incoming uploads: unpacked next to the database, checked, then imported or discarded."""

from __future__ import annotations

import secrets
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from db import Database
from exchange.file_format import format_of
from exchange.formats import STUDIES
from exchange.refusal import Conversion
from exchange.study_folder.folder import read_study_folder
from exchange.study_folder.folder_rows import StudyFolder
from exchange.tables import STUDY_TABLES, table_in_markdown, title_of
from imaging import ImagingError, check_volume, is_image_file, prepare_volume
from services.errors import InputRefused, NotFound
from services.people.identity import Actor
from services.people.permission import require_owner
from services.studies.folders.checking import checked_folder, with_draws_tried
from services.studies.folders.explaining import EXPANDING
from services.studies.volumes.alignment import problem_of_volume

KEPT_FOR_SECONDS = 24 * 3600
# The file name endings that an upload may have.
ENDINGS = tuple(ending for file_format in STUDIES for ending in file_format.endings)


@dataclass(frozen=True)
class IncomingVolume:
    """One scan of an upload, before it is prepared."""

    key: str
    case: str
    label: str
    file_name: str

    @property
    def preview_name(self) -> str:
        """The file name for the preview's viewer, which goes by the ending: an image is sent as a volume."""
        return self.file_name if self.file_name.endswith((".nii", ".nii.gz")) else f"{self.file_name}.nii.gz"


@dataclass(frozen=True)
class Incoming:
    """An upload that was read and is consistent."""

    ticket: str
    title: str
    name: str
    cases: int
    items: int
    # The number of practice items among the items.
    practice: int
    candidates: int
    volumes: list[IncomingVolume]
    conversions: tuple[Conversion, ...] = ()
    warnings: tuple[str, ...] = ()


def documented_tables() -> list[tuple[str, str, str]]:
    """Return (title, what a line is, columns) for every table of a study folder, in Markdown."""
    return [(title_of(table), table.says, table_in_markdown(table)) for table in STUDY_TABLES]


def receive_upload(database: Database, actor: Actor, file: IO[bytes], file_name: str) -> Incoming:
    """Unpack a file and check everything but the voxels.

    Raises
    ------
    InputRefused
        With everything that is wrong, each problem naming its file and line or key; nothing is kept.
    """
    require_owner(actor)
    _throw_away_old(database)
    ticket = secrets.token_hex(12)
    target = _folder(database) / ticket
    target.mkdir(parents=True)
    try:
        folder = format_of(STUDIES, file_name).read(file, file_name, target)
        contents = with_draws_tried(checked_folder(folder))
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return _describe(ticket, contents)


def study_folder_of(database: Database, actor: Actor, ticket: str) -> Path:
    """Return the unpacked study folder of an upload."""
    require_owner(actor)
    target = _folder(database) / ticket
    if not ticket.isalnum() or not target.is_dir():
        raise NotFound("This upload is no longer available; upload the file again.")
    return min(target.rglob("protocol.yaml"), key=lambda path: len(path.parts)).parent


def volume_for_preview(database: Database, actor: Actor, ticket: str, volume_key: str) -> bytes:
    """Return the bytes of one scan of an upload after it has passed the checks; an image as the volume it will be."""
    contents = read_study_folder(study_folder_of(database, actor, ticket), EXPANDING)
    for row in contents.volumes:
        if row.key == volume_key:
            try:
                if is_image_file(row.path):
                    return prepare_volume(row.path).content
                check_volume(row.path)
            except ImagingError as error:
                raise InputRefused([problem_of_volume(row, error)]) from error
            return row.path.read_bytes()
    raise NotFound(f"The upload has no volume '{volume_key}'.")


def discard_upload(database: Database, actor: Actor, ticket: str) -> None:
    """Delete an upload."""
    require_owner(actor)
    if ticket.isalnum():
        shutil.rmtree(_folder(database) / ticket, ignore_errors=True)


def _describe(ticket: str, contents: StudyFolder) -> Incoming:
    return Incoming(
        ticket=ticket,
        title=contents.protocol.title,
        name=contents.protocol.name,
        cases=len(contents.cases),
        items=len(contents.items),
        practice=sum(item.practice for item in contents.items),
        candidates=len(contents.candidates),
        volumes=[IncomingVolume(row.key, row.case, row.label, row.path.name) for row in contents.volumes],
        conversions=contents.conversions,
        warnings=contents.warnings,
    )


def _folder(database: Database) -> Path:
    return database.data_dir / "incoming"


def _throw_away_old(database: Database) -> None:
    if not _folder(database).is_dir():
        return
    for path in _folder(database).iterdir():
        if time.time() - path.stat().st_mtime > KEPT_FOR_SECONDS:
            shutil.rmtree(path, ignore_errors=True)
