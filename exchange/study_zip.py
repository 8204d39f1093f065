"""A study folder packed as a ZIP file, unpacked without trusting what the ZIP says about itself."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from exchange.file_format import FileFormat
from exchange.refusal import InputRefused, shown

_CHUNK = 1 << 20


@dataclass(frozen=True)
class ZipLimits:
    """What a ZIP file may unpack to."""

    files: int = 5_000
    unpacked_bytes: int = 20 * 2**30
    # NIfTI files are already compressed; a member that expands more than this is a ZIP bomb, not a scan.
    growth: int = 200
    # Limits in bytes for each part of a name and for the whole name: less than any file system allows.
    name_bytes: int = 200
    path_bytes: int = 1_000


def unpack_study_zip(file: IO[bytes], name: str, target: Path, limits: ZipLimits = ZipLimits()) -> Path:
    """Unpack into the empty folder `target` and return the folder that holds `protocol.yaml`.

    Raises
    ------
    InputRefused
        The file is not a ZIP file, is encrypted, names a path outside itself, contains several studies, or unpacks to
        more than the limits.
    """
    name = shown(name, 80)
    try:
        with zipfile.ZipFile(file) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > limits.files:
                raise InputRefused(f"{name} holds {len(members)} files, at most {limits.files} are taken; split it.")
            _require_different(members, name)
            left = limits.unpacked_bytes
            for member in members:
                left -= _unpack(archive, member, name, target, left, limits)
    # OSError: a file with the name of another's folder, or a full disk. Its text would reveal a path of this machine.
    except OSError as error:
        raise InputRefused(
            f"{name} is not a readable ZIP file ({error.strerror or 'input/output error'}); pack the study folder "
            "again."
        ) from None
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, ValueError) as error:
        if isinstance(error, InputRefused):
            raise
        raise InputRefused(
            f"{name} is not a readable ZIP file ({shown(str(error))}); pack the study folder again."
        ) from None
    protocols = sorted(target.rglob("protocol.yaml"), key=lambda path: len(path.parts))
    if not protocols:
        raise InputRefused(f"{name} holds no protocol.yaml; pack the whole study folder.")
    folder = protocols[0].parent
    outermost = [path.parent for path in protocols if len(path.parts) == len(protocols[0].parts)]
    if len(outermost) > 1:
        named = " and ".join(sorted(f"'{shown(path.relative_to(target).as_posix(), 80)}'" for path in outermost)[:2])
        raise InputRefused(
            f"{name} holds {len(outermost)} study folders, and only one is accepted ({named}); pack that alone."
        )
    return folder


def _require_different(members: list[zipfile.ZipInfo], name: str) -> None:
    seen = set()
    for member in members:
        # Normalised as in `_unpack`: one path can be written in several ways.
        place = PurePosixPath(member.filename.replace("\\", "/"))
        if place in seen:
            raise InputRefused(f"{name} holds '{shown(member.filename)}' twice; pack the study folder again.")
        seen.add(place)


def _unpack(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, target: Path, left: int, limits: ZipLimits
) -> int:
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if not path.parts or path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise InputRefused(f"{name} names the path '{shown(member.filename)}', which leads out of it; pack it again.")
    parts = [len(part.encode("utf-8", "replace")) for part in path.parts]
    if max(parts) > limits.name_bytes or sum(parts) + len(parts) > limits.path_bytes:
        raise InputRefused(
            f"{name} holds the name '{shown(member.filename)}' of {len(member.filename)} letters, at most "
            f"{limits.name_bytes} are taken; shorten it and pack the study folder again."
        )
    if member.flag_bits & 0x1:
        raise InputRefused(f"{name} is encrypted at '{shown(member.filename)}'; pack it without a password.")
    most = min(left, max(member.compress_size, 1) * limits.growth)
    destination = target.joinpath(*path.parts)
    destination.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    # Links inside a ZIP file are unpacked as small text files, so none is ever followed.
    with archive.open(member) as source, destination.open("wb") as sink:
        while chunk := source.read(_CHUNK):
            written += len(chunk)
            if written > most:
                raise InputRefused(
                    f"{name} unpacks '{shown(member.filename)}' to more than is accepted (a ZIP bomb or a wrong file); "
                    "leave it out."
                )
            sink.write(chunk)
    return written


FORMAT = FileFormat("ZIP", ("zip",), unpack_study_zip)
