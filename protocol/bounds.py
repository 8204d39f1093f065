"""Bounds of numbers in words: at most 5, max. 5 and up to 5 are the same bound, and none of them is the number 5."""

from __future__ import annotations

import re

from protocol import clinical_spelling, spelling, unit_table

_LESS_OR_EQUAL, _MORE_OR_EQUAL = "\N{LESS-THAN OR EQUAL TO}", "\N{GREATER-THAN OR EQUAL TO}"
# 10 min is a time: min after a number does not mean minimum.
_MAXIMUM, _MINIMUM = r"max(?:imum|\.)?(?: of| ?[:=])?", r"(?<!\d)(?<!\d )min(?:imum|\.)?(?: of| ?[:=])?"
# The order matters: no more than 5 contains more than 5.
_BEFORE = {
    _LESS_OR_EQUAL: rf"at most|up to|not? more than|(?:less|fewer|smaller) than or equal to|{_MAXIMUM}",
    _MORE_OR_EQUAL: rf"at least|not? (?:less|fewer) than|(?:more|greater|larger) than or equal to|{_MINIMUM}",
    "<": "(?:less|fewer|smaller) than",
    ">": "(?:more|greater|larger) than",
}
# 5 mm max. diameter is a measured 5 mm, not a bound.
_NO_DIAMETER = (
    r"(?!\.? (?:\w+ )?(?:diameter|dimension|extent|size|length|width|thickness|depth|height|span|axis)(?!\w))"
)
_BEHIND = {
    _LESS_OR_EQUAL: rf"(?:or|and) (?:less|fewer|smaller)|at most|max(?:imum|\.|(?!\w)){_NO_DIAMETER}",
    _MORE_OR_EQUAL: rf"(?:or|and) (?:more|greater|larger)|at least|minimum{_NO_DIAMETER}",
}
_NUMBER = r"(?:\d+(?:[.,]\d+)?|\.\d+)"
_SPELLED_BEFORE = {sign: re.compile(rf"\b(?:{words}) ?(?=[-+]?\.?\d)") for sign, words in _BEFORE.items()}
_SPELLED_BEHIND = {
    sign: re.compile(
        rf"(?<![\w.,<>\u2264\u2265])({_NUMBER}(?: ?[^\W\d]{{1,6}}[%\u00b2\u00b3]?)??) (?:{words})(?!\w| ?(?:of )?\d)"
    )
    for sign, words in _BEHIND.items()
}
_MORE_OR_LESS = "(?:more|less|fewer|greater|larger|bigger|smaller|higher|lower|longer|shorter|older|younger)"
_APPROXIMATELY = r"(?:about|approximately|approx\.?|roughly|around|circa|ca\.?|~|\u2248)"
_ABOUT = rf"(?:\s*{_APPROXIMATELY})?"
_ABOUT_AT_BEGINNING = re.compile(rf"\s*{_APPROXIMATELY}\s*(?=[-+]?\.?\d)", re.IGNORECASE)
# Around may be a place, and ca a carcinoma or CA 125; ~ between two numbers is a range, as in 3~5 cm.
_UNIT_OF_SIZE = unit_table.pattern(unit_table.symbols(unit_table.is_size))
_SIZE = rf"\.?\d[\d.,]*(?:(?:-| ?x ?| to )\.?\d[\d.,]*)* ?{_UNIT_OF_SIZE}(?!\w)"
_MEASURED = rf"(?={_SIZE})"
# Oedema around 5 mm lesion is beside one of 5 mm: after *around* stands a size where it ends a phrase, and no noun.
_MEASURED_AT_END = (
    rf"(?={_SIZE}\s*(?:$|[.;:)\]]|,? (?:in|at|on|from|across|thick|long|wide|deep|high|above|below|within)(?!\w)))"
)
# Extends over 5 mm and oedema below 5 mm lesion are places: a bound begins a phrase or is behind what is measured.
_OVER_OR_UNDER = re.compile(
    r"(?<!\w)(?:(?P<less>under|below)|over|above) " + _MEASURED_AT_END.replace("(?=", "(?=-?", 1)
)
_BEFORE_BOUND = re.compile(r"(?:^|[,;:(] ?|\b(?:of|is|measures|measuring|size|diameter) )\Z")
# The search for these words is slow, and few texts hold one.
_SAY_APPROXIMATELY = ("about ", "approx", "roughly ", "circa ", "around ", "ca.", "ca ", "~", "\u2248")
_APPROXIMATE = re.compile(
    r"(?<!\w)(?:about|approximately|approx\.?|roughly|circa) (?=[-+]?\.?\d)(?!\d+(?:st|nd|rd|th)(?!\w))"
    rf"|(?<!\w)around {_MEASURED_AT_END}"
    rf"|(?:(?<![\s\S])|(?<=[,;:(] )|(?<=\()|(?<=\bof )|(?<=\bis )|(?<=\bto )|(?<=\bthan )"
    r"|(?<=\bat most )|(?<=\bat least ))"
    rf"ca(?:\. ?| ){_MEASURED}"
    r"|(?<![\w%])(?<![\d%] )(?<![cm][lm] )[~\u2248] ?(?=[-+]?\.?\d)"
)
# In 5 ER+ nodes the plus is not about the number.
_UNIT = unit_table.pattern(unit_table.symbols(unit_table.is_measured))
# Before the number, or after it and its unit: at least 5, at most about 5, 5 mm or more, 5+, 5 mm+.
_BOUND = re.compile(
    "[<>\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO}\N{LESS-THAN OVER EQUAL TO}\N{GREATER-THAN OVER EQUAL TO}"
    "\N{LESS-THAN OR SLANTED EQUAL TO}\N{GREATER-THAN OR SLANTED EQUAL TO}]"
    rf"|\b(?:at (?:least|most)|{_MORE_OR_LESS} than(?: or equal to)?"
    rf"|up to|over|under|above|below|within|exceed(?:s|ing)?|{_MAXIMUM}|{_MINIMUM}){_ABOUT}\s*[-+]?\.?\d"
    rf"|\d[^\S\n]*[^\W\d]*[%²³]?\s+(?:(?:or|and)\s+(?:{_MORE_OR_LESS}|above|below|over|under|up)|at (?:least|most)"
    rf"|(?:max(?:imum)?|minimum)\b{_NO_DIAMETER})\b"
    rf"|\d\s*\+(?!\s*\d)|\d ?{_UNIT}\+(?!\w)",
    re.IGNORECASE,
)


def of_bounds(text: str) -> str:
    """Return a text from `spelling.of_characters` with bounds in words replaced by signs: at most 5 becomes ≤5."""
    for sign, written in _SPELLED_BEFORE.items():
        text = written.sub(sign, text)
    for sign, written in _SPELLED_BEHIND.items():
        text = written.sub(rf"{sign}\1", text)
    return _OVER_OR_UNDER.sub(_over_or_under, text)


def without_about(words: str) -> str:
    """Return words without a first word that only says that the number behind it is approximate."""
    return _ABOUT_AT_BEGINNING.sub("", words, count=1) if _ABOUT_AT_BEGINNING.match(words) else words


def without_approximately(text: str) -> str:
    """Return a text from `spelling.of_characters` without words and signs that say that a number is approximate.

    About 5 cm, approx. 5 cm, ca. 5 cm, ca 5 cm and ~5 cm are 5 cm, which is a rounded size too.
    """
    return _APPROXIMATE.sub("", text) if any(words in text for words in _SAY_APPROXIMATELY) else text


def holds_bound(words: str) -> bool:
    """Return whether words contain a bound, such as > 5, max. 5 or 5+, which leaves the number itself open.

    The maximum of a measurement is not a bound, as in SUV max 5, maximum diameter 5 mm or 5 mm max. diameter.
    """
    return _BOUND.search(clinical_spelling.joined_extremes(spelling.of_blanks(words))) is not None


def _over_or_under(match: re.Match[str]) -> str:
    if not _BEFORE_BOUND.search(match.string[max(match.start() - 12, 0) : match.start()]):
        return match.group()
    return "<" if match["less"] else ">"
