"""Reading the bytes of a possibly packed file piece by piece, and never more of them than the limit."""

import zlib
from collections.abc import Iterator
from typing import BinaryIO

from imaging.errors import ImagingError

CHUNK = 2**20
BITE = 2**14
# Block-wise compressors split a gigabyte into some 16,000 members.
MOST_MEMBERS = 100_000


def pieces_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content of a file that is not packed, a chunk at a time."""
    while chunk := file.read(CHUNK):
        yield chunk


def unpacked(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield a gzip file's content in pieces of at most one chunk, however large it unpacks."""
    member = zlib.decompressobj(wbits=31)
    members = 1
    # The bytes after a member are copied each time a member ends. Small reads keep many tiny members linear in time.
    packed = file.read(BITE)
    while packed:
        try:
            piece = member.decompress(packed, CHUNK)
        except zlib.error as error:
            raise ImagingError(
                f"{name} is a damaged gzip file, where a whole one is expected: export or copy it again."
            ) from error
        if piece:
            yield piece
        if member.eof:
            # A gzip file may contain several members in a row, and zero padding after each (gzip 1.12, 2.1).
            packed = member.unused_data.lstrip(b"\0")
            while not packed and (more := file.read(BITE)):
                packed = more.lstrip(b"\0")
            if packed and members == MOST_MEMBERS:
                raise ImagingError(
                    f"{name} is packed in more than {MOST_MEMBERS} parts, where one gzip file is expected: "
                    "export it again, or compress it again with gzip."
                )
            members += 1
            member = zlib.decompressobj(wbits=31)
        else:
            packed = member.unconsumed_tail or file.read(BITE)
            if not packed:
                raise ImagingError(
                    f"{name} is truncated: its gzip data end too early, where a whole file is expected; "
                    "export or copy it again."
                )


class Stream:
    """Reads exact amounts from a sequence of pieces, and counts all of them towards the limit."""

    def __init__(self, pieces: Iterator[bytes], name: str, limit: int) -> None:
        self._pieces = pieces
        self._name = name
        self._limit = limit
        self.total = 0
        self._rest = memoryview(b"")

    def _advance(self) -> bool:
        piece = next(self._pieces, None)
        if piece is None:
            return False
        self.total += len(piece)
        if self.total > self._limit:
            raise ImagingError(
                f"{self._name} unpacks to more than {megabytes(self._limit)}, which is the most that is accepted: "
                "check that it really is one volume."
            )
        self._rest = memoryview(piece)
        return True

    def take(self, count: int) -> bytearray:
        """Return the next `count` bytes, or fewer at the end. The caller has checked `count` against the limits."""
        content = bytearray(count)
        filled = 0
        while filled < count and (self._rest or self._advance()):
            piece = self._rest[: count - filled]
            content[filled : filled + len(piece)] = piece
            self._rest = self._rest[len(piece) :]
            filled += len(piece)
        del content[filled:]
        return content

    def skip(self, count: int) -> None:
        """Skip `count` bytes, or what is left, without storing them."""
        while count > 0 and (self._rest or self._advance()):
            passed = min(count, len(self._rest))
            self._rest = self._rest[passed:]
            count -= passed

    def drain(self) -> None:
        """Read to the end, so that checksums are verified and data after the voxels count towards the limit too."""
        while self._advance():
            pass


def megabytes(count: int) -> str:
    """Return a number of bytes in words."""
    return f"{count / 2**20:,.1f} MiB"
