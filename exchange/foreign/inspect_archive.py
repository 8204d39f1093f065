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
from exchange.foreign.zip_directory import ZipDirectory, ZipMember
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
        directory = ZipDirectory(source.content)
    except (ValueError, struct.error):
        raise InputRefused(f"{source.name} is a damaged archive; copy it again.") from None
    header, is_unfinished, unpacked = None, False, 0
    for member in directory:
        unpacked += member.size
        header = member if member.name == "header.json" else header
        is_unfinished |= member.name == "_journal/start.json"
    if header is None:
        why = "was not finished: it has no header.json" if is_unfinished else "is an archive, but no log of Inspect AI"
        raise InputRefused(f"{source.name} {why}; expected an .eval file; run the evaluation to its end.")
    if unpacked > _LARGEST_ARCHIVE:
        raise InputRefused(f"{source.name} unpacks to more than {_LARGEST_ARCHIVE // 10**9} GB; split it.")
    head = _member(source, header)
    of_run = head.get("eval") if isinstance(head, dict) else None
    samples = (
        _member(source, member)
        for member in directory
        if member.name.startswith("samples/") and member.name.endswith(".json")
    )
    return of_run if isinstance(of_run, dict) else {}, samples


def _member(source: Source, member: ZipMember) -> Any:
    try:
        return json_value(_unpacked(source.content, member).decode("utf-8"))
    except (ValueError, OSError, struct.error, zlib.error) as error:
        raise InputRefused(f"{source.name}, {member.name}: damaged ({error}); copy the file again.") from None


def _unpacked(content: bytes, member: ZipMember) -> bytes:
    if member.size > _LARGEST_MEMBER:
        raise ValueError(f"unpacks to more than {_LARGEST_MEMBER // 10**6} MB")
    # Names and extra fields of a member may be longer here than in the directory at the end.
    signature, *_, name, extra = _LOCAL_HEADER.unpack_from(content, member.offset)
    if signature != b"PK\x03\x04" or member.is_encrypted:
        raise ValueError("no member, or an encrypted one, stands where it should")
    start = member.offset + _LOCAL_HEADER.size + name + extra
    packed = content[start : start + member.packed_size]
    if member.method == _ZSTANDARD:
        with pa.input_stream(BytesIO(packed), compression="zstd") as stream:
            plain = stream.read(member.size + 1)
    elif member.method == zipfile.ZIP_DEFLATED:
        plain = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, member.size + 1)
    elif member.method == zipfile.ZIP_STORED:
        plain = packed
    else:
        raise ValueError(f"compressed by method {member.method}, expected Zstandard or Deflate")
    if len(plain) != member.size or zlib.crc32(plain) != member.crc:
        raise ValueError("not what its checksum says")
    return bytes(plain)
