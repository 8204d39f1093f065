"""A filled-in study to start from, as a folder or ZIP file: three items, or the shape of a published study."""

from __future__ import annotations

import io
import zipfile
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from services.errors import Conflict, NotFound
from services.people.identity import Actor
from services.people.permission import require_owner
from studies import examples
from studies.starter import build as starter

NAME = "my-study"
# The earliest date that a ZIP file can store; a fixed date makes the same study give the same bytes.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


def shapes() -> tuple[examples.Shape, ...]:
    """Return the shapes that a new study can have, each with its purpose."""
    return examples.shapes()


def new_study(folder: Path, shape: str = "") -> Path:
    """Write a study into a new or empty folder: in a given shape, or with three items.

    Raises
    ------
    Conflict
        The folder is not empty.
    NotFound
        There is no such shape.
    """
    _require_shape(shape)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Conflict(f"'{folder.name}' already exists and is not empty; name a new folder.")
    return _built(shape, folder)


def new_study_zip(actor: Actor, shape: str = "") -> bytes:
    """Return a study as a ZIP file that can be imported unchanged, for an actor who may import it.

    Raises
    ------
    NotFound
        There is no such shape.
    """
    require_owner(actor)
    _require_shape(shape)
    return _packed(shape)


def _require_shape(shape: str) -> None:
    names = [each.name for each in shapes()]
    if shape and shape not in names:
        near = get_close_matches(shape, names, n=1, cutoff=0.4)
        hint = f" (nearest: '{near[0]}')" if near else ""
        raise NotFound(f"There is no shape '{shape}'{hint}; choose one of {', '.join(sorted(names))}.")


def _built(shape: str, folder: Path) -> Path:
    return examples.build(shape, folder) if shape else starter.build(folder)


@lru_cache(maxsize=1)
def _packed(shape: str) -> bytes:
    packed = io.BytesIO()
    with TemporaryDirectory() as place, zipfile.ZipFile(packed, "w") as archive:
        folder = _built(shape, Path(place) / (shape or NAME))
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            # Scans are already compressed.
            method = zipfile.ZIP_STORED if path.suffix == ".gz" else zipfile.ZIP_DEFLATED
            member = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), _NO_DATE)
            archive.writestr(member, path.read_bytes(), compress_type=method)
    return packed.getvalue()
