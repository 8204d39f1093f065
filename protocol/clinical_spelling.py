"""One spelling of names that radiologists write in several ways: sequences, stages, levels of the spine, maxima."""

from __future__ import annotations

import re

# T2-FLAIR is one sequence, with a hyphen, a blank or neither; a comma, a slash or *and* names two.
_FLAIR = re.compile(r"(?<!\w)(t[12])(?:-?w|[ -]?weighted)?(?: - |[ -]?)flair(?!\w)")
# T1 + C is no sum: the sign says that contrast was given, which T1 -C denies.
_WITH_CONTRAST = re.compile(r"(?<!\w)(t[12](?:-weighted)?|flair) ?\+ ?(?=(?:c|ce|cm|km|gd|contrast)(?!\w))")
# T1w is T1-weighted. A w with a blank before it is the *with* of T1 w/ contrast.
_WEIGHTED = re.compile(r"(?<!\w)(t[12]\*?|pd)(?:[ -]?weighted|-?w)(?!\w)")
# Thoracic: Th10 is T10, and so is the dorsal D10. D1 to D4 alone may be parts of the duodenum.
_THORACIC = re.compile(r"(?<!\w)(?:th(?=(?:[1-9]|1[0-2])(?!\w))|d(?=(?:[5-9]|1[0-2])(?!\w)))")
# L4/5, L4-5, L4/L5 and L4L5. With a blank behind the letter L 4/5 is a grade of power on the left.
_LEVELS = re.compile(
    r"(?<![\w/-])(?P<upper>[ctdls])(?P<from>\d{1,2})(?:(?P<between> ?[-/] ?|)(?P<lower>[ctdls])|(?P<short>-| ?/ ?))"
    r"(?P<to>\d{1,2})(?![\w*]|[-/][ctdls]?\d|[.,]\d| ?[mc]m\b)"
)
# BI-RADS and its like, and a stage of TNM, whose parts stand together or apart.
_RADS = re.compile(r"(?<!\w)(bi|pi|li|ti|vi|ni|o|c|cad|lung)[ -]rads(?!\w)")
_STAGE = re.compile(
    r"(?<!\w)([cpyra]{0,2}t(?:[0-4][a-d]?|x|is))(?:, ?| )?(n(?:[0-3][a-c]?|x))"
    r"(?:(?:, ?| )?(m(?:[01][a-c]?|x)))?(?!\w)"
)
_DORSAL = {"d": "t"}
_LAST = {"c": 8, "t": 12, "l": 6, "s": 5}
_JUNCTIONS = {("c7", "t1"), ("t12", "l1"), ("l5", "s1"), ("l6", "s1")}
# Left-sided is left sided, and a ring-enhancing mass a ring enhancing one.
_ADJECTIVES = re.compile(
    r"(?<=[^\W\d_]) (?=(?:sided|shaped|enhancing|enhanced|defined|walled|dominant|occupying|appearing)(?!\w))"
    r"|(?:(?<=\bhigh)|(?<=\blow)|(?<=\bintermediate)) (?=grade(?!\w))"
)
# SUV max 5 is a measured 5, and not at most 5.
_EXTREMES = re.compile(r"(?<!\w)(suvr?|sul|v|tbr|adc|r?cb[vf]|hu|fa|md|t)[ -](?=(?:max|min)(?!\w))", re.IGNORECASE)


def of_names(text: str) -> str:
    """Return a text, of one spelling of its characters, whose sequences, levels of the spine and maxima are so too.

    T2 FLAIR is T2-FLAIR, T1w is T1-weighted, T1 + C is T1+C, L4-5, L4/L5 and L4-L5 are L4/5, Th10 is T10, L3-L5 is
    L3-5, D12 is T12, and SUV max is SUVmax. L4 and L5, or L4, L5, are two vertebrae, and not the disc between them.
    """
    text = _WEIGHTED.sub(r"\1-weighted", _FLAIR.sub(r"\1-flair", text))
    text = _STAGE.sub(r"\1\2\3", _RADS.sub(r"\1rads", _WITH_CONTRAST.sub(r"\1+", text)))
    return _LEVELS.sub(lambda match: _level(match) or match.group(), _THORACIC.sub("t", joined_extremes(text)))


def of_adjectives(text: str) -> str:
    """Return a text whose adjectives of two words, such as left-sided and high grade, are written in one way."""
    return _ADJECTIVES.sub("-", text)


def without_levels(text: str) -> str:
    """Return a text, of one spelling, without its levels of the spine: L4/5 holds no number."""
    return _LEVELS.sub(lambda match: " " if _level(match) else match.group(), text)


def joined_extremes(text: str) -> str:
    """Return a text in which the maximum or minimum of a measurement is one word, as SUVmax."""
    return _EXTREMES.sub(r"\1", text)


def _level(match: re.Match[str]) -> str:
    """Return a level between two vertebrae, or a range of vertebrae, in one spelling; nothing where it is neither."""
    upper = _DORSAL.get(match["upper"], match["upper"])
    lower = _DORSAL.get(match["lower"], match["lower"]) or upper
    first, last = int(match["from"]), int(match["to"])
    if not (0 < first <= _LAST[upper] and 0 < last <= _LAST[lower]):
        return ""
    if upper != lower:
        return f"{upper}{first}/{lower}{last}" if (f"{upper}{first}", f"{lower}{last}") in _JUNCTIONS else ""
    if last == first + 1:
        return f"{upper}{first}/{last}"
    is_range = "-" in (match["between"] or match["short"] or "")
    return f"{upper}{first}-{last}" if is_range and last > first else ""
