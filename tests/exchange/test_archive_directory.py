"""The directory of an archive is what the standard library reads of it, in a twentieth of the memory."""

from __future__ import annotations

import struct
import sys
import zipfile
from io import BytesIO

import pytest

from exchange.foreign.archive_directory import Member, Members, directory_of

TEXTS = {f"samples/{number}.json": b'{"id": "\xc3\xbc"}' * (1 + 20 * number) for number in range(6)}


def archive(comment: bytes = b"") -> bytes:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as writing:
        for name, text in TEXTS.items():
            writing.writestr(name, text)
        writing.comment = comment
    return stream.getvalue()


def by_the_library(content: bytes) -> list[tuple[bytes, Member]]:
    return [
        (
            each.filename.encode(),
            Member(each.header_offset, each.compress_size, each.file_size, each.CRC, each.compress_type),
        )
        for each in zipfile.ZipFile(BytesIO(content)).infolist()
    ]


@pytest.mark.parametrize("comment", [b"", b"as exported " * 50])
def test_members_are_those_of_the_standard_library(comment: bytes) -> None:
    content = archive(comment)

    assert list(directory_of(content)) == by_the_library(content)


@pytest.mark.parametrize(("limit", "value"), [("ZIP_FILECOUNT_LIMIT", 3), ("ZIP64_LIMIT", 40)])
def test_numbers_that_need_more_room_are_read_where_they_stand(
    limit: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zipfile, limit, value)
    content = archive()
    monkeypatch.undo()

    assert b"PK\x06\x06" in content
    assert list(directory_of(content)) == by_the_library(content)


@pytest.mark.parametrize("cut", [1, 30, 200, 10_000])
def test_an_archive_that_is_cut_off_is_refused(cut: int) -> None:
    with pytest.raises(ValueError, match="directory"):
        list(directory_of(archive()[:-cut]))


def test_a_directory_that_points_elsewhere_is_refused() -> None:
    content = archive().replace(b"PK\x01\x02", b"PK\x01\x09", 1)

    with pytest.raises(ValueError, match="no member stands where the directory has one"):
        list(directory_of(content))


@pytest.mark.parametrize("counted", [2, 3])
def test_a_directory_of_more_members_than_are_counted_is_refused(counted: int) -> None:
    """Programs that do not know ZIP64 write the number of members modulo 65,536."""
    content = bytearray(archive())
    struct.pack_into("<H", content, content.rindex(b"PK\x05\x06") + 10, counted)

    with pytest.raises(ValueError, match=f"its directory is longer than the {counted} members that it counts"):
        list(directory_of(bytes(content)))


@pytest.mark.parametrize(("record", "at"), [(b"PK\x06\x06", 48), (b"PK\x06\x07", 8)])
@pytest.mark.parametrize("place", [2**63, 2**64 - 1])
def test_a_place_beyond_any_file_is_refused(
    record: bytes, at: int, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 3)
    content = bytearray(archive())
    struct.pack_into("<H", content, content.rindex(b"PK\x05\x06") + 10, 0xFFFF)
    struct.pack_into("<Q", content, content.rindex(record) + at, place)

    with pytest.raises(ValueError, match="its directory is cut off"):
        list(directory_of(bytes(content)))


def test_a_member_takes_forty_bytes() -> None:
    members = Members()
    for number in range(2_000):
        members.add(Member(number, 1, 1, 1, 8))

    assert sum(sys.getsizeof(column) for column in vars(members).values()) < 2_000 * 40
    assert list(members)[-1] == Member(1_999, 1, 1, 1, 8)
