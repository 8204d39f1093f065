"""The archives of Inspect AI: ZIP files compressed with Zstandard (method 93), which Python 3.11 cannot unpack."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from exchange.foreign.archive_directory import Member, Members, directory_of
from exchange.foreign.layout import Source
from exchange.json_text import json_value
from exchange.refusal import InputRefused, shown

_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
# A sample contains its whole conversation; anything that unpacks to more is not a log.
_LARGEST_MEMBER = 256_000_000
_LARGEST_ARCHIVE = 4_000_000_000


def read_archive(source: Source) -> tuple[dict[str, Any], Iterator[Any]]:
    """Return a log without its samples, and these in the order of the archive.

    Raises
    ------
    InputRefused
        The file is not a log of Inspect AI, was not finished, or is damaged.
    """
    samples, head, is_begun, packed, unpacked = Members(), None, False, 0, 0
    try:
        for name, member in directory_of(source.content):
            packed, unpacked = packed + member.packed, unpacked + member.size
            if name.startswith(b"samples/") and name.endswith(b".json"):
                samples.add(member)
            elif name == b"header.json":
                head = member
            elif name == b"_journal/start.json":
                is_begun = True
        if packed > len(source.content):
            raise ValueError("its members lie over each other")
    except ValueError as error:
        raise InputRefused(f"{source.name} is a damaged archive: {error}; copy it again.") from None
    if head is None:
        why = "was not finished: it has no header.json" if is_begun else "is an archive, but no log of Inspect AI"
        raise InputRefused(f"{source.name} {why}; expected an .eval file; run the evaluation to its end.")
    if unpacked > _LARGEST_ARCHIVE:
        raise InputRefused(f"{source.name} unpacks to more than {_LARGEST_ARCHIVE // 10**9} GB; split it.")
    log = _member(source, head)
    return log if isinstance(log, dict) else {}, (_member(source, member) for member in samples)


def _member(source: Source, member: Member) -> Any:
    name = "a member"
    try:
        name, start = _opened(source.content, member)
        return json_value(_unpacked(source.content[start : start + member.packed], member).decode("utf-8"))
    except (ValueError, OSError, zlib.error) as error:
        raise InputRefused(f"{source.name}, {name}: damaged ({error}); copy the file again.") from None


def _opened(content: bytes, member: Member) -> tuple[str, int]:
    """Return a member's name and the offset of its data; its own header may be longer than its directory entry."""
    if member.offset + _LOCAL_HEADER.size > len(content):
        raise ValueError("it begins behind the end of the file")
    signature, _, flags, *_, name, extra = _LOCAL_HEADER.unpack_from(content, member.offset)
    if signature != b"PK\x03\x04" or flags & 1:
        raise ValueError("no member, or an encrypted one, stands where it should")
    start = member.offset + _LOCAL_HEADER.size
    return shown(content[start : start + name].decode(errors="replace"), 80), start + name + extra


def _unpacked(packed: bytes, member: Member) -> bytes:
    if member.size > _LARGEST_MEMBER:
        raise ValueError(f"unpacks to more than {_LARGEST_MEMBER // 10**6} MB")
    if member.method == _ZSTANDARD:
        # Imported here because it takes 27 MB, and every import of verdicts loads this module.
        import pyarrow as pa

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
