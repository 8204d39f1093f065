"""The archives of Inspect AI: ZIP, whose members are compressed by Zstandard (93), which Python 3.11 cannot unpack."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pyarrow as pa

from exchange.foreign.layout import Source
from exchange.json_text import json_value
from exchange.refusal import InputRefused

_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
# A sample holds its whole conversation; what unpacks to more is no log.
_LARGEST_MEMBER = 256_000_000
_LARGEST_ARCHIVE = 4_000_000_000


def read_archive(source: Source) -> tuple[dict[str, Any], Iterator[Any]]:
    """Return the head of a log and its samples, in the order in which they lie in the archive.

    Raises
    ------
    InputRefused
        It is not a log of Inspect AI, it was not finished, or it is damaged.
    """
    try:
        archive = zipfile.ZipFile(BytesIO(source.content))
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise InputRefused(f"{source.name} is a damaged archive; copy it again.") from None
    members = {member.filename: member for member in archive.infolist()}
    samples = [member for name, member in members.items() if name.startswith("samples/") and name.endswith(".json")]
    if "header.json" not in members:
        unfinished = "_journal/start.json" in members
        why = "was not finished: it has no header.json" if unfinished else "is an archive, but no log of Inspect AI"
        raise InputRefused(f"{source.name} {why}; expected an .eval file; run the evaluation to its end.")
    if sum(member.file_size for member in members.values()) > _LARGEST_ARCHIVE:
        raise InputRefused(f"{source.name} unpacks to more than {_LARGEST_ARCHIVE // 10**9} GB; split it.")
    head = _member(source, members["header.json"])
    of_run = head.get("eval") if isinstance(head, dict) else None
    return of_run if isinstance(of_run, dict) else {}, (_member(source, member) for member in samples)


def _member(source: Source, member: zipfile.ZipInfo) -> Any:
    try:
        return json_value(_unpacked(source.content, member).decode("utf-8"))
    except (ValueError, OSError, struct.error, zlib.error) as error:
        raise InputRefused(f"{source.name}, {member.filename}: damaged ({error}); copy the file again.") from None


def _unpacked(content: bytes, member: zipfile.ZipInfo) -> bytes:
    if member.file_size > _LARGEST_MEMBER:
        raise ValueError(f"unpacks to more than {_LARGEST_MEMBER // 10**6} MB")
    # Names and extra fields of a member may be longer here than in the directory at the end.
    signature, *_, name, extra = _LOCAL_HEADER.unpack_from(content, member.header_offset)
    if signature != b"PK\x03\x04" or member.flag_bits & 1:
        raise ValueError("no member, or an encrypted one, stands where it should")
    start = member.header_offset + _LOCAL_HEADER.size + name + extra
    packed = content[start : start + member.compress_size]
    if member.compress_type == _ZSTANDARD:
        with pa.input_stream(BytesIO(packed), compression="zstd") as stream:
            plain = stream.read(member.file_size + 1)
    elif member.compress_type == zipfile.ZIP_DEFLATED:
        plain = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, member.file_size + 1)
    elif member.compress_type == zipfile.ZIP_STORED:
        plain = packed
    else:
        raise ValueError(f"compressed by method {member.compress_type}, expected Zstandard or Deflate")
    if len(plain) != member.file_size or zlib.crc32(plain) != member.CRC:
        raise ValueError("not what its checksum says")
    return bytes(plain)
