"""Which of an item's options a free-text answer names; none if that cannot be determined.

A letter counts as an option only if the answer presents it as one: within a sentence "a" is an article. "no" counts as
an answer only if it begins one or is called the answer: within a sentence it negates something else, and within
"normal" it is not a word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# Id and text, in the order in which an item offers them.
Options = Sequence[tuple[str, str]]

_WHOLE_LETTER = re.compile(r"\W*([A-Za-z])\W*")
_FIRST_LETTER = re.compile(r"\W*([A-Za-z])(?:\)|\]|\.\s|:\s)")
# "A" and "I" are also words: they must end the text.
_NAMED_LETTER = re.compile(
    r"(?i:\b(?:answer|option|choice)(?:\s+is)?)\s*:?\s*[(\[*\"']*([A-Za-z])"
    r"(?:(?=\W*(?:$|\n)|[).\],;:*\"'])|(?<=[B-HJ-Z])\b)"
)
_NEGATED = re.compile(
    r"(?:\b(?:not|no|nor|neither|never|without|cannot|rather than|instead of|unlike|rules? out|ruled out)|n't)"
    r"\s+(?:\w+\s+){0,3}$",
    re.IGNORECASE,
)
_FIRST_WORD = re.compile(r"\W*(\w+)(?:\W+(\w+))?")
_CALLED_THE_ANSWER = re.compile(r"\b(?:answer|conclusion)(?:\s+is)?\s*:?\W*(\w+)(?:\W+(\w+))?", re.IGNORECASE)
_NO_ANSWER = frozenset({"doubt", "idea", "longer", "answer", "matter", "comment", "opinion"})
_YES_NO = ("yes", "no")


def options_named(text: str, options: Options) -> list[str]:
    """Return the ids of the options that an answer names, in their order; several if it is unclear which is meant."""
    whole = _bare(text)
    named = {key for key, label in options if whole in (_bare(key), _bare(label))} if whole else set()
    if not named:
        # A letter in front of another option's words names both: it is unclear which of the two is meant.
        named = _by_letter(text, options) | _by_words(text, options) | _yes_or_no(text, options)
    return [key for key, _ in options if key in named]


def _bare(text: str) -> str:
    return " ".join(text.casefold().strip(" \t\r\n.,;:!?()[]*\"'").split())


def _by_letter(text: str, options: Options) -> set[str]:
    """Return the option of a letter: the one with that id if ids are letters, otherwise the one at that position."""
    ids = {key.lower(): key for key, _ in options if len(key) == 1 and key.isalpha()}
    by_letter = ids or {chr(ord("a") + place): key for place, (key, _) in enumerate(options)}
    whole, first = _WHOLE_LETTER.fullmatch(text), _FIRST_LETTER.match(text)
    matches = [match for match in (whole, first) if match]
    matches += [match for match in _NAMED_LETTER.finditer(text) if not _NEGATED.search(text[: match.start()])]
    return {by_letter[letter] for match in matches if (letter := match[1].lower()) in by_letter}


def _by_words(text: str, options: Options) -> set[str]:
    words = {(word, key) for key, label in options for word in (key, label) if _is_telling(word)}
    remaining, named = text, set()
    # The longest first: "left frontal" does not name "left" as well.
    for word, key in sorted(words, key=lambda entry: (-len(entry[0]), entry)):
        pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
        # An option that is ruled out is not chosen, and that does not choose any other.
        if any(not _NEGATED.search(remaining[: match.start()]) for match in pattern.finditer(remaining)):
            named.add(key)
        remaining = pattern.sub(lambda match: "_" * len(match[0]), remaining)
    return named


def _is_telling(word: str) -> bool:
    """Return whether a word within a sentence can only mean an option: not a letter, digits, yes or no."""
    return len(word) > 1 and not word.isdecimal() and word.lower() not in _YES_NO


def _yes_or_no(text: str, options: Options) -> set[str]:
    ids = {key.lower(): key for key, _ in options if key.lower() in _YES_NO}
    if not ids:
        return set()
    said = set()
    for match in (_FIRST_WORD.match(text), *_CALLED_THE_ANSWER.finditer(text)):
        if (
            match
            and match[1].lower() in ids
            and not (match[1].lower() == "no" and (match[2] or "").lower() in _NO_ANSWER)
        ):
            said.add(ids[match[1].lower()])
    # "No ... yes" contradicts itself; "no" after "yes" negates something else.
    if said == {ids.get("no")} and re.search(r"\byes\b", text, re.IGNORECASE):
        return set(ids.values())
    return said
