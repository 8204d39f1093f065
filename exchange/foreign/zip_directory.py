"""The directory of a ZIP archive, eight bytes a member: as objects those of a million members take 700 MB.

Read as `zipfile` reads it (APPNOTE.TXT of PKWARE, 4.3.12 to 4.3.16 and 4.5.3), which holds an object for each.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

_END, _END_64 = struct.Struct("<4s4H2IH"), struct.Struct("<4sQ2H2I4Q")
_LOCATOR_SIZE = 20
_ENTRY = struct.Struct("<4s4B4H3I5H2I")
_FIELD = struct.Struct("<2H")
_LONGEST_COMMENT = 1 << 16
_IN_64_BITS, _OF_64_BITS = 0xFFFFFFFF, 1
_NAMED_IN_UTF_8 = 0x800
_NEWEST_UNDERSTOOD = 63


@dataclass(frozen=True, slots=True)
class ZipMember:
    """A file in an archive: how it is packed, and where it begins."""

    name: str
    method: int
    is_encrypted: bool
    crc: int
    packed_size: int
    size: int
    offset: int


class ZipDirectory:
    """The members of an archive, in their order; of several of one name the last, in the place of the first.

    Raises
    ------
    ValueError, struct.error
        It is no whole archive.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        start, end, self._before = _extent(content)
        places, names = array("q"), array("q")
        while start < end:
            places.append(start)
            member, start = self._at(start)
            names.append(hash(member.name))
        if np.unique(np.array(names, dtype=np.int64)).size < len(names):
            places = array("q", {self._at(place)[0].name: place for place in places}.values())
        self._places = places

    def __iter__(self) -> Iterator[ZipMember]:
        return (self._at(place)[0] for place in self._places)

    def _at(self, place: int) -> tuple[ZipMember, int]:
        """Return the member whose entry stands at a place, and where the next entry stands."""
        (
            signature, _, _, version, _, flags, method, _, _, crc, packed_size, size,
            name_length, extra_length, comment_length, _, _, _, offset,
        ) = _ENTRY.unpack_from(self._content, place)  # fmt: skip
        if signature != b"PK\x01\x02" or version > _NEWEST_UNDERSTOOD:
            raise ValueError("no entry of a directory that is understood")
        name_at = place + _ENTRY.size
        extra_at = name_at + name_length
        if _IN_64_BITS in (size, packed_size, offset):
            extra = self._content[extra_at : extra_at + extra_length]
            size, packed_size, offset = _in_64_bits(extra, (size, packed_size, offset))
        named = self._content[name_at:extra_at].decode("utf-8" if flags & _NAMED_IN_UTF_8 else "cp437")
        member = ZipMember(named, method, bool(flags & 1), crc, packed_size, size, offset + self._before)
        return member, extra_at + extra_length + comment_length


def _extent(content: bytes) -> tuple[int, int, int]:
    """Return where the directory begins and ends, and how many bytes stand before the archive."""
    place = content.rfind(b"PK\x05\x06", max(0, len(content) - _LONGEST_COMMENT - _END.size))
    if place < 0:
        raise ValueError("no end of a directory")
    *_, size, offset, _ = _END.unpack_from(content, place)
    place_64 = place - _LOCATOR_SIZE - _END_64.size
    if place_64 >= 0 and content[place_64 : place_64 + 4] == b"PK\x06\x06":
        *_, size, offset = _END_64.unpack_from(content, place_64)
        place = place_64
    if place - size < 0 or place - size - offset < 0:
        raise ValueError("the directory is cut off")
    return place - size, place, place - size - offset


def _in_64_bits(extra: bytes, numbers: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return numbers, each that does not fit into 32 bits from the extra field that holds these in their order."""
    start = 0
    while start + _FIELD.size <= len(extra):
        kind, length = _FIELD.unpack_from(extra, start)
        start += _FIELD.size
        if kind == _OF_64_BITS:
            large = iter(struct.unpack_from(f"<{length // 8}Q", extra, start))
            size, packed_size, offset = (next(large, each) if each == _IN_64_BITS else each for each in numbers)
            return size, packed_size, offset
        start += length
    return numbers
