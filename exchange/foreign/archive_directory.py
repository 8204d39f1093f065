"""The directory of a ZIP archive as numbers: about 40 bytes per member, where the standard library takes 800.

An evaluation of a million samples is an archive of a million members. The structures follow PKWARE's APPNOTE.TXT
6.3.10, sections 4.3.12 to 4.3.16 and 4.5.3. Split and self-extracting archives are not supported.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

_END = struct.Struct("<4s4H2LH")
_LOCATOR = struct.Struct("<4sLQL")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_MEMBER = b"PK\x01\x02"
_LONGEST_COMMENT = 0xFFFF
# Numbers that do not fit are stored elsewhere with more bytes.
_MOST_16, _MOST_32 = 0xFFFF, 0xFFFFFFFF
_EXTRA_64 = 1


class Member(NamedTuple):
    """One member: the offset of its header, its sizes in bytes, checksum, and compression method."""

    offset: int
    packed: int
    size: int
    crc: int
    method: int


@dataclass
class Members:
    """Members in the order of the directory."""

    _offsets: array[int] = field(default_factory=lambda: array("Q"))
    _packed: array[int] = field(default_factory=lambda: array("Q"))
    _sizes: array[int] = field(default_factory=lambda: array("Q"))
    _checksums: array[int] = field(default_factory=lambda: array("I"))
    _methods: array[int] = field(default_factory=lambda: array("H"))

    def __len__(self) -> int:
        return len(self._offsets)

    def __iter__(self) -> Iterator[Member]:
        return map(Member, self._offsets, self._packed, self._sizes, self._checksums, self._methods)

    def add(self, member: Member) -> None:
        """Append a member."""
        self._offsets.append(member.offset)
        self._packed.append(member.packed)
        self._sizes.append(member.size)
        self._checksums.append(member.crc)
        self._methods.append(member.method)


def directory_of(content: bytes) -> Iterator[tuple[bytes, Member]]:
    """Read the members of an archive, each with its name.

    Raises
    ------
    ValueError
        The archive has no directory, or a damaged one.
    """
    try:
        entries, place = _end_of(content)
        for _ in range(entries):
            signature, _, _, _, method, _, _, crc, packed, size, name, extra, comment, _, _, _, offset = (
                _ENTRY.unpack_from(content, place)
            )
            if signature != _MEMBER:
                raise ValueError("no member stands where the directory has one")
            place += _ENTRY.size
            named, place = content[place : place + name], place + name
            longer = _longer_numbers(content[place : place + extra])
            size, packed, offset = (next(longer) if number == _MOST_32 else number for number in (size, packed, offset))
            place += extra + comment
            yield named, Member(offset, packed, size, crc, method)
        # Programs without ZIP64 support count members modulo 65,536, and the others would be lost silently.
        if content[place : place + 4] == _MEMBER:
            raise ValueError(f"its directory is longer than the {entries} members that it counts")
    # An offset beyond what memory can address overflows before it is used.
    except (struct.error, StopIteration, RuntimeError, OverflowError):
        raise ValueError("its directory is cut off") from None


def _end_of(content: bytes) -> tuple[int, int]:
    """Return the number of members and the offset of the directory."""
    end = content.rfind(b"PK\x05\x06", max(0, len(content) - _LONGEST_COMMENT - _END.size))
    if end < 0:
        raise ValueError("it has no directory")
    _, _, _, _, entries, _, place, _ = _END.unpack_from(content, end)
    if entries != _MOST_16 and place != _MOST_32:
        return entries, place
    if end >= _LOCATOR.size:
        signature, _, of_64, _ = _LOCATOR.unpack_from(content, end - _LOCATOR.size)
        if signature == b"PK\x06\x07":
            signature, *_, entries, _, place = _END_64.unpack_from(content, of_64)
            if signature != b"PK\x06\x06":
                raise ValueError("its directory is damaged")
    return entries, place


def _longer_numbers(extra: bytes) -> Iterator[int]:
    """Yield the numbers in the extra field that do not fit into a member's entry."""
    place = 0
    while place + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, place)
        if kind == _EXTRA_64:
            yield from struct.unpack_from(f"<{length // 8}Q", extra, place + 4)
        place += 4 + length
