"""Take apart what a rater's browser would get: each text, with its place on the screen or in the payload."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

from services.reading import payloads
from services.record.blinding_audit.matching import normal

# The purpose of a text: it asks, it tells about the case, it is an answer, or the program generated it.
Sort = Literal["asks", "tells", "answers", "program"]
_NIFTI_1, _NIFTI_2 = 348, 540
_PRINTABLE = re.compile(rb"[\x20-\x7e]{4,}")

# By place in a payload; places not listed hold the program's own texts, in which nothing hidden may occur.
_PLACES: tuple[tuple[str, Sort], ...] = (
    (r"context\.(vignette|history|facts)", "tells"),
    (r"images\.panes\.(volumes|overlays)\.label", "tells"),
    (r"(candidate|sides|reference|own|opinions|draft|turns\.lines)\b", "answers"),
    (r"(prompt|question|heading|notice|form|turns\.prompt|ahead|practice|context\.headings)\b", "asks"),
    (r"images\.(presets\.label|panes\.(title|badge|missing))", "asks"),
    (r"(worklist|instructions)\b", "asks"),
)
_OWN_ANSWER = re.compile(r"(draft|own|turns\.lines)\b")
_OPTION = re.compile(r"form\.(fields\.options|not_assessable|flags)\.(id|text)|context\.facts\.options")
_LETTER = re.compile(r"^[a-z]\) ")
# Closed lists of the program: their words are the same in every study.
_OF_THE_PROGRAM = re.compile(
    r"kind|phase|revision_rule|text\..*|summary\.unit|form\.fields\.type|images\.(convention|layout|planes)"
    r"|images\.panes\.overlays\.style"
)
PROGRAM_WORDS = frozenset(
    word
    for named in (
        payloads.Phase, payloads.FieldType, payloads.OverlayStyle, payloads.RevisionRule, payloads.Plane,
        payloads.SummaryUnit, payloads.TextSetting,
    )
    for word in get_args(named.__value__)
) | {"item", "done", "radiological", "neurological", "side_by_side", "switched"}  # fmt: skip


# Random or hashed texts: a short word can occur in them by chance.
_TOKEN = re.compile(r"[\w-]{22}|[0-9a-f]{40}|[0-9a-f]{64}")
# How the address of every volume and overlay begins: a study may have a value of one of these words.
_PATH = "reading/volume/"


@dataclass(frozen=True)
class Piece:
    """A text that reaches a browser.

    Attributes
    ----------
    where
        Its place, such as `context.vignette`.
    text
        The text as it is sent.
    sort
        Its purpose.
    is_option
        Whether it is an answer that can be chosen.
    """

    where: str
    text: str
    sort: Sort
    is_option: bool = False

    @property
    def is_token(self) -> bool:
        """Whether it is a name that the program drew or hashed."""
        return self.sort == "program" and _TOKEN.fullmatch(self.text) is not None

    @property
    def is_of_what_follows(self) -> bool:
        """Whether it is the address of a scan of the next item, which may be fetched early."""
        return self.where == "prefetch"

    @property
    def is_own_answer(self) -> bool:
        """Whether the reader filled it in: as a draft, in the first step, or in an earlier turn."""
        return _OWN_ANSWER.match(self.where) is not None


def pieces_of(payload: Any) -> Iterator[Piece]:
    """Yield every text and every fractional number in a payload, except the program's own words and paths."""
    for where, text in _flat(payload, ""):
        if _OF_THE_PROGRAM.fullmatch(where) and text in PROGRAM_WORDS:
            continue
        yield piece(where, text.removeprefix(_PATH))


def piece(where: str, text: str) -> Piece:
    """Return a text classified by its place."""
    sort: Sort = next((sort for place, sort in _PLACES if re.match(place, where)), "program")
    return Piece(where, text, "asks" if where == "context.facts.options" else sort, bool(_OPTION.fullmatch(where)))


def _flat(value: Any, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _flat(part, f"{where}.{key}" if where else key)
    elif where == "context.facts" and isinstance(value, list):
        for label, said in value:
            yield "context.headings", label
            yield from _facts(label, said)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _flat(part, where)
    elif isinstance(value, str):
        if value:
            yield where, value
    elif isinstance(value, float) and not value.is_integer():
        yield where, json.dumps(value)


def _facts(label: str, said: str) -> Iterator[tuple[str, str]]:
    if label == "Options":
        yield from (("context.facts.options", _LETTER.sub("", option)) for option in said.split(" · "))
    elif label == "Question":
        yield "question", said
    else:
        yield "context.facts", said


def addresses_in(payload: Any, *, with_what_follows: bool = True) -> int:
    """Return how many addresses of volumes and overlays a payload holds, with or without those of the next item."""
    return sum(
        text.startswith(_PATH) and (with_what_follows or where != "prefetch") for where, text in _flat(payload, "")
    )


def header_texts(packed: bytes) -> Iterator[bytes]:
    """Yield everything in a volume's file but the voxels: from its gzip header, and from before and after them."""
    yield from _gzip_names(packed)
    content = zlib.decompressobj(31).decompress(packed)
    begin, end = _voxels_in(content)
    for part in (content[:begin], content[end:]):
        yield from (match.group() for match in _PRINTABLE.finditer(part))
        yield part


def _gzip_names(packed: bytes) -> Iterator[bytes]:
    """Yield the optional fields of a gzip header: RFC 1952, 2.3.1."""
    flags, place = packed[3], 10
    if flags & 4:
        length = int.from_bytes(packed[place : place + 2], "little")
        yield packed[place + 2 : place + 2 + length]
        place += 2 + length
    for flag in (8, 16):
        if flags & flag:
            end = packed.index(b"\0", place)
            yield packed[place:end]
            place = end + 1


def _voxels_in(content: bytes) -> tuple[int, int]:
    """Return where the voxels of a NIfTI file begin and end; for any other content, that there are none."""
    size = struct.unpack_from("<i", content)[0] if len(content) >= _NIFTI_1 else 0
    if size == _NIFTI_1:
        dims, bits = struct.unpack_from("<8h", content, 40), struct.unpack_from("<h", content, 72)[0]
        begin = int(struct.unpack_from("<f", content, 108)[0])
    elif size == _NIFTI_2:
        dims, bits = struct.unpack_from("<8q", content, 16), struct.unpack_from("<h", content, 14)[0]
        begin = struct.unpack_from("<q", content, 168)[0]
    else:
        return len(content), len(content)
    count = 1
    for extent in dims[1 : dims[0] + 1]:
        count *= extent
    return begin, begin + count * bits // 8


def lists_options(text: str, options: list[str], value: str) -> bool:
    """Return whether a text names this option and at least one other, so that it lists the possible answers."""
    said = normal(text)
    named = [option for option in options if normal(option) and normal(option) in said]
    return any(normal(option) == value for option in options) and len(named) > 1
