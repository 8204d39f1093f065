"""Find hidden values in texts: whole words regardless of case, spaces and separators, also in encoded texts."""

from __future__ import annotations

import base64
import re
import unicodedata
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

# A value with fewer letters and digits, or a number with fewer digits, occurs by chance.
FEWEST_LETTERS = 4
FEWEST_DIGITS = 5
FEWEST_IN_LABELS = 3
# Of a longer text only the first words are searched for: an author may have left out its end.
LONGEST_IN_WORDS = 12
# In bytes that are not text, such as a decoded token, shorter values occur by chance.
FEWEST_UNPACKED = 6
_DEEPEST = 2
_UNPACKED_LIMIT = 1_000_000
_WORD = re.compile(r"[^\W_]+")
# Models write hyphens that do not break and dashes where others write a hyphen.
_SEPARATOR = re.compile(r"[-_./\\\u2010-\u2015\u2212]")
# Displayed as nothing: soft hyphens, zero-width characters, directions and variation selectors.
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){8,}")
_ZLIB_START = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]")


def normal(text: str) -> str:
    """Return a text normalised for comparison: unified letters, no case, single spaces, one kind of separator.

    Characters that are not drawn are left out.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    drawn = folded if folded.isascii() else _INVISIBLE.sub("", folded)
    return _SEPARATOR.sub("-", " ".join(drawn.split()))


def words_of(text: str) -> list[str]:
    """Return the words of a text from `normal`."""
    return _WORD.findall(text)


@dataclass(frozen=True)
class Literal:
    """What is searched for of a value: the part that a text is likely to repeat, from its first word to its last."""

    text: str
    words: tuple[str, ...]

    @staticmethod
    def of(value: str) -> Literal:
        """Return what is searched for of a value."""
        text = normal(value)
        places = list(_WORD.finditer(text))[:LONGEST_IN_WORDS]
        if not places:
            return Literal("", ())
        return Literal(text[places[0].start() : places[-1].end()], tuple(place.group() for place in places))

    @property
    def is_plain(self) -> bool:
        """Whether it is a single word of letters, which ordinary texts may contain too."""
        return len(self.words) == 1 and self.words[0].isalpha()

    @property
    def is_label(self) -> bool:
        """Whether it is a short label of the kind used to number things: letters with at least two digits."""
        digits = sum(sign.isdigit() for sign in self.text)
        return len(self.words) == 1 and len(self.text) >= FEWEST_IN_LABELS and 1 < digits < len(self.text)

    @property
    def is_too_short(self) -> bool:
        """Whether it occurs by chance: a few letters, or a number with few digits."""
        if all(word.isdigit() for word in self.words):
            return sum(map(len, self.words)) < FEWEST_DIGITS
        return sum(map(len, self.words)) < FEWEST_LETTERS


class Index:
    """Literals indexed by their words, with the number of their value; search time does not grow with their number."""

    def __init__(self, literals: Iterable[tuple[int, Literal]]) -> None:
        self._by_length: dict[int, dict[tuple[str, ...], list[tuple[str, int]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for number, literal in literals:
            self._by_length[len(literal.words)][literal.words].append((literal.text, number))

    def search(self, text: str) -> frozenset[int]:
        """Return the numbers of the values in a text, as plain text or encoded."""
        hits = set(self._search_plain(normal(text)))
        content = text.encode("utf-8", "ignore")
        if any(pattern.search(content) for pattern in (_BASE64, _HEX)) or "%" in text:
            hits |= self.search_bytes(content)
        return frozenset(hits)

    def search_bytes(self, content: bytes) -> frozenset[int]:
        """Return the numbers of the values in some bytes, decoding common encodings a few layers deep."""
        hits: set[int] = set()
        for inner in unpacked(content):
            # UTF-16 stores such letters as two bytes, one of them zero.
            for coding in ("utf-8", "utf-16-le", "utf-16-be") if b"\0" in inner else ("utf-8",):
                hits |= set(self._search_plain(normal(inner.decode(coding, "ignore")), FEWEST_UNPACKED))
        return frozenset(hits)

    def _search_plain(self, text: str, fewest: int = 0) -> Iterator[int]:
        places = [(place.group(), place.start(), place.end()) for place in _WORD.finditer(text)]
        words = tuple(place[0] for place in places)
        for length, literals in self._by_length.items():
            for first in range(len(words) - length + 1):
                for literal, number in literals.get(words[first : first + length], ()):
                    start, end = places[first][1], places[first + length - 1][2]
                    if len(literal) >= fewest and text[start:end] == literal:
                        yield number


def unpacked(content: bytes, depth: int = 0) -> Iterator[bytes]:
    """Yield bytes, and their contents in other encodings: percent-encoding, base64, hexadecimal, zlib and gzip."""
    yield content
    if depth == 0 and b"%" in content:
        yield unquote_to_bytes(content)
    if depth < _DEEPEST:
        for inner in _inner(content):
            yield from unpacked(inner, depth + 1)


def _inner(content: bytes) -> Iterator[bytes]:
    for place in _ZLIB_START.finditer(content):
        try:
            yield zlib.decompressobj(47).decompress(content[place.start() :], _UNPACKED_LIMIT)
        except zlib.error:
            continue
    for run in _BASE64.findall(content):
        letters = run.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
        # Other letters may directly precede the encoded ones, so all four alignments are tried.
        for start in range(4):
            part = letters[start:]
            rest = len(part) % 4
            part = part[:-1] if rest == 1 else part
            yield base64.b64decode(part + b"=" * (-len(part) % 4))
    for run in _HEX.findall(content):
        yield bytes.fromhex(run.decode())
