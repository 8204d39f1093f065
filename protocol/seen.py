"""Words as people see them: which look the same, and which show nothing at all."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence, Set

# The reading room's own labels for two lines of an answer, in addition to those of a form's fields.
NOT_ASSESSABLE_LABEL = "Not assessable"
COMMENT_LABEL = "Comment"
# What the program says of an item itself, each with its value behind it.
OWN_HEADINGS = ("Options", "Question", "Age", "Acquired", "Prior acquired", "Months since the prior", "Explanation")

# How a sentence describes two words that `as_seen` makes equal.
DIFFER_ONLY = "differ only in case, blanks, forms of a character or characters that are not drawn"

# Displayed as nothing or as a blank, although Unicode classes them as letters, marks or symbols: those that it says may
# be ignored by default (DerivedCoreProperties.txt), among them all selectors of variants, and the blank of Braille.
_INVISIBLE = {
    *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
    *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4),
    *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000),
}  # fmt: skip
# Characters that cannot be seen: marks, embeddings and isolates of direction, which exchange the words around them;
# with those without width, which make one word look like another; and with joiners, which are letters' own in some
# scripts, and soft hyphens and all else that is not drawn, which have no place in a key.
DIRECTIONS = frozenset(map(chr, (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))))
NOT_IN_LABELS = DIRECTIONS | frozenset(
    map(chr, (0x200B, *range(0x2060, 0x2066), *range(0x206A, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC)))
)
NOT_IN_KEYS = NOT_IN_LABELS | frozenset("\u00ad\u180e\u200c\u200d") | frozenset(map(chr, _INVISIBLE))
# Controls, formats (zero-width characters, directions) and lone surrogates.
_UNSEEN = {"Cc", "Cf", "Cs"}


def as_seen(written: str) -> str:
    r"""Return words normalised for case, surrounding and repeated blanks, and variant forms of characters.

    Compatibility forms become plain ones (NFKC), any run of blanks becomes one space, and characters that are not drawn
    are removed. Words with equal results look the same, and a word with an empty result shows nothing.

    >>> as_seen("LEFT\u200b\u00a0 lobe")
    'left lobe'
    """
    if written.isascii() and written.isprintable():
        # Printable ASCII has no variant forms. This covers most of the words of a large study.
        return " ".join(written.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", written).casefold())
    seen = "".join(
        " " if character.isspace() else character
        for character in folded
        if character.isspace() or not (ord(character) in _INVISIBLE or unicodedata.category(character) in _UNSEEN)
    )
    return " ".join(seen.split())


def problem_of_signs(written: str, signs: Set[str] = NOT_IN_LABELS) -> str:
    """Return what is wrong with a key or a label that contains one of these characters; empty if it does not."""
    if written.isascii() or signs.isdisjoint(written):
        return ""
    sign = next(sign for sign in written if sign in signs)
    name = unicodedata.name(sign, "").lower()
    return f"contains the character U+{ord(sign):04X} ({name}), which cannot be seen; remove it."


def problems_of_options(options: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield a sentence for each option, given as id and text, that shows nothing or looks like an earlier one.

    Identical ids are left to another check.
    """
    ids: dict[str, str] = {}
    texts: dict[str, str] = {}
    for option, text in options:
        seen_id, seen_text = as_seen(option), as_seen(text)
        if not seen_id:
            yield "an option has an id of characters that are not drawn; give it one that can be read."
        if not seen_text:
            yield f"option '{_drawn(option)}' has a text that shows nothing; write what is to be chosen."
        alike = ids.setdefault(seen_id, option)
        if alike != option:
            yield (
                f"the option ids '{_drawn(alike)}' and '{_drawn(option)}' differ only in case, blanks or characters "
                "that are not drawn; give every option its own id."
            )
        same = texts.setdefault(seen_text, option)
        if seen_text and same != option:
            yield (
                f"the options '{_drawn(same)}' and '{_drawn(option)}' both read '{_drawn(text)}', expected texts that "
                "can be told apart; correct one of them."
            )


def problems_of_labels(labels: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield a field's key and a sentence for each label that shows nothing or looks like another label.

    Parameters
    ----------
    labels
        Key and label of each field of one form, in order.
    """
    own = {as_seen(label): label for label in (NOT_ASSESSABLE_LABEL, COMMENT_LABEL)}
    keys: dict[str, str] = {}
    for key, label in labels:
        seen = as_seen(label)
        if not seen:
            yield key, "the label shows nothing, expected what is asked; write it."
            continue
        if seen in own:
            says = "is the reading room's own for another line of an answer; choose another label."
            yield key, f"the label '{_drawn(label)}' {says}"
        before = keys.setdefault(seen, key)
        if before != key:
            says = "expected a label of its own for every field of a form; correct one of them."
            yield key, f"the label '{_drawn(label)}' is also that of field '{before}', {says}"


def problems_of_headings(headings: Sequence[tuple[str, str, str]]) -> Iterator[tuple[str, str]]:
    """Yield an attribute's key and a sentence for each label that shows nothing or looks like another heading.

    Parameters
    ----------
    headings
        Key, label (empty for none) and heading of each attribute.
    """
    own = {as_seen(heading) for heading in OWN_HEADINGS}
    for key, label, _ in headings:
        seen = as_seen(label)
        alike = [other for other, _, heading in headings if other != key and as_seen(heading) == seen]
        if not label:
            continue
        if not seen:
            yield key, "the label shows nothing, expected a heading; write it, or leave it out."
        elif seen in own:
            yield key, f"the label '{_drawn(label)}' is the reading room's own for another line; choose another label."
        elif alike:
            says = "expected a heading of its own for every attribute; correct one of them."
            yield key, f"the label '{_drawn(label)}' is also the heading of '{alike[0]}', {says}"


def _drawn(written: str) -> str:
    """Return words for use in a sentence, with a question mark for each character that is not drawn."""
    return "".join(character if character.isprintable() else "?" for character in written)
