"""A filled study of three items to start from, as a folder or as a ZIP file."""

from __future__ import annotations

import io
import zipfile
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from services.errors import Conflict
from services.people.identity import Actor
from services.people.permission import require_owner
from studies.starter.build import build

ZIP_NAME = "my-study.zip"
# The earliest that a ZIP file can say: the same study gives the same bytes.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


def new_study(folder: Path) -> Path:
    """Write the study into a new or empty folder.

    Raises
    ------
    Conflict
        Something is there already.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Conflict(f"'{folder.name}' already exists and is not empty; name a new folder.")
    return build(folder)


def new_study_zip(actor: Actor) -> bytes:
    """Return the study as a ZIP file that the import takes as it is, to somebody who can import it."""
    require_owner(actor)
    return _packed()


@lru_cache(maxsize=1)
def _packed() -> bytes:
    packed = io.BytesIO()
    with TemporaryDirectory() as place, zipfile.ZipFile(packed, "w") as archive:
        folder = build(Path(place) / "my-study")
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            # Scans are packed already.
            method = zipfile.ZIP_STORED if path.suffix == ".gz" else zipfile.ZIP_DEFLATED
            member = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), _NO_DATE)
            archive.writestr(member, path.read_bytes(), compress_type=method)
    return packed.getvalue()
