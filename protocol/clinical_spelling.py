"""One spelling for names that radiologists write in several ways: sequences, stages, spinal levels and maxima."""

from __future__ import annotations

import re

# T2-FLAIR is one sequence, with a hyphen, a blank, a slash or neither; a comma, *and* or a second slash names several.
_FLAIR = re.compile(r"(?<!\w)(t[12])(?:-?w|[ -]?weighted)?( - | ?/ ?|[ -]?)flair(?!\w)")
# T1 + C is not a sum: the plus means with contrast, as the minus of T1-C, T1 -C and T1 C- means without. T1-Gd and
# T1-CE are with contrast, in MRI - C spine the letter names a part of the spine, and T1C may be a stage.
_IMAGED = r"(?<!\w)(t[12](?:-weighted)?|flair|ct|mri?)"
_WITH_CONTRAST = re.compile(rf"{_IMAGED} ?\+ ?(?=(?:c|ce|cm|km|gd|contrast)(?!\w))")
_SIGN_BEHIND_C = re.compile(rf"{_IMAGED}[ -]?c([+-])(?![\w+-])")
_WITHOUT_CONTRAST = re.compile(rf"{_IMAGED} ?- ?(?=c(?![\w+-]| ?(?:spine|spinal|column|arm|section)(?!\w)))")
# T1w is T1-weighted. A w after a blank means *with*, as in T1 w/ contrast.
_WEIGHTED = re.compile(r"(?<!\w)(t[12]\*?|pd)(?:[ -]?weighted|-?w)(?!\w)")
# Thoracic: Th10 and Th 10 are T10, and so is dorsal D10. D1 to D4 on their own may be parts of the duodenum.
_THORACIC = re.compile(
    r"(?<!\w)(?:th(?=(?:[1-9]|1[0-2])(?!\w))|d(?=(?:[5-9]|1[0-2])(?!\w))"
    r"|(?<!\d )th (?=(?:[1-9]|1[0-2])(?!\w|[.,]\d| ?(?:[mc]m|%|x|lesions?)(?!\w))))"
)
# L4/5, L4-5, L4/L5, L4L5 and L4 to L5. With a blank after the letter, L 4/5 is a grade of power on the left. In
# L4 - 5 lesions the number after the dash is what is counted, and in L4 - 5 disc it is a vertebra.
_LEVELS = re.compile(
    r"(?<![\w/-])(?P<upper>[ctdls])(?P<from>\d{1,2})"
    r"(?:(?P<between> ?[-/] ?| to | through | thru |)(?P<lower>[ctdls])|(?P<short>-| ?/ ?| - (?=\d{1,2}"
    r"(?:\s*$|[;:)\]]|[.,](?! ?\d)| (?:dis[ck]s?|levels?|segment|interspace|facets?|foramen|foramina)(?!\w)))))"
    r"(?P<to>\d{1,2})(?![\w*]|[-/][ctdls]?\d|[.,]\d| ?[mc]m\b)"
)
# A com and P com are arteries, in which the letter is a name.
_COMMUNICATING = re.compile(r"(?<!\w)([ap])(?:[.-] ?| )comm?(?!\w)")
# BI-RADS and similar systems, and TNM stages, written with or without spaces. pT3 pN1 is neither T3 N1 nor cT3 cN1.
_RADS = re.compile(r"(?<!\w)(bi|pi|li|ti|vi|ni|o|c|cad|lung)[ -]?rads(?:[ -]?(?=(\d))|(?!\w))")
_T, _N, _M = (rf"[cpyra]{{0,2}}{part}" for part in ("t(?:[0-4][a-d]?|x|is)", "n(?:[0-3][a-c]?|x)", "m(?:[01][a-c]?|x)"))
_STAGE = re.compile(rf"(?<!\w)(?:({_T})(?:, ?| )?({_N})(?:(?:, ?| )?({_M}))?|({_N})(?:, ?| )({_M}))(?!\w)")
_DORSAL = {"d": "t"}
_LAST = {"c": 8, "t": 12, "l": 6, "s": 5}
_JUNCTIONS = {("c7", "t1"), ("t12", "l1"), ("l5", "s1"), ("l6", "s1")}
# From the head down.
_REGIONS = "ctls"
# Left-sided is left sided, and a ring-enhancing mass is a ring enhancing mass.
_ADJECTIVES = re.compile(
    r"(?<=[^\W\d_]) (?=(?:sided|shaped|enhancing|enhanced|defined|walled|dominant|occupying|appearing)(?!\w))"
    r"|(?:(?<=\bhigh)|(?<=\blow)|(?<=\bintermediate)) (?=grade(?!\w))"
    r"|(?<=\bfollow) (?=ups?(?!\w))"
)
# SUV max 5 is a measured 5, not at most 5.
_EXTREMES = re.compile(r"(?<!\w)(suvr?|sul|v|tbr|adc|r?cb[vf]|hu|fa|md|t)[ -](?=(?:max|min)(?!\w))", re.IGNORECASE)


def of_names(text: str) -> str:
    """Return a text from `spelling.of_characters` with its sequences, spinal levels and maxima in one spelling.

    T2 FLAIR and T2/FLAIR become T2-FLAIR, T1w T1-weighted, T1 + C and T1 C+ T1+C, T1-C T1 -C, L4-5, L4/L5 and L4-L5
    L4/5, Th10 T10, L3-L5 and L3 to L5 L3-5, L3 to S1 L3-S1, D12 T12, A com Acom, and SUV max SUVmax. L4 and L5, or L4,
    L5, are two vertebrae, not the disc between them.
    """
    text = _COMMUNICATING.sub(r"\1com", text) if "com" in text else text
    text = _WEIGHTED.sub(r"\1-weighted", _FLAIR.sub(_flair, text))
    text = _STAGE.sub(_joined, _RADS.sub(_rads, _of_contrast(text)))
    return _LEVELS.sub(lambda match: _level(match) or match.group(), _THORACIC.sub("t", joined_extremes(text)))


def of_adjectives(text: str) -> str:
    """Return a text with compound words, such as left-sided, high grade and follow-up, in one spelling."""
    return _ADJECTIVES.sub("-", text)


def without_levels(text: str) -> str:
    """Return a text in one spelling without its spinal levels, as L4/5 contains no number."""
    return _LEVELS.sub(lambda match: " " if _level(match) else match.group(), text)


def joined_extremes(text: str) -> str:
    """Return a text in which the maximum or minimum of a measurement is one word, such as SUVmax."""
    return _EXTREMES.sub(r"\1", text)


def _of_contrast(text: str) -> str:
    text = _SIGN_BEHIND_C.sub(lambda match: f"{match[1]} {match[2]}c", text)
    return _WITHOUT_CONTRAST.sub(r"\1 -", _WITH_CONTRAST.sub(r"\1+", text))


def _rads(match: re.Match[str]) -> str:
    return f"{match[1]}rads" + (" " if match[2] else "")


def _joined(match: re.Match[str]) -> str:
    return "".join(filter(None, match.groups()))


def _flair(match: re.Match[str]) -> str:
    before, behind = match.string[: match.start()].rstrip(), match.string[match.end() :].lstrip()
    is_row = "/" in match[2] and (before.endswith("/") or behind.startswith("/"))
    return match.group() if is_row else f"{match[1]}-flair"


def _level(match: re.Match[str]) -> str:
    """Return a level between two vertebrae, or a range of vertebrae, in one spelling; empty if it is neither."""
    upper = _DORSAL.get(match["upper"], match["upper"])
    lower = _DORSAL.get(match["lower"], match["lower"]) or upper
    first, last = int(match["from"]), int(match["to"])
    if not (0 < first <= _LAST[upper] and 0 < last <= _LAST[lower]):
        return ""
    is_range = (match["between"] or match["short"] or "").strip() not in ("", "/")
    if upper != lower:
        if (f"{upper}{first}", f"{lower}{last}") in _JUNCTIONS:
            return f"{upper}{first}/{lower}{last}"
        return f"{upper}{first}-{lower}{last}" if is_range and _REGIONS.index(upper) < _REGIONS.index(lower) else ""
    if last == first + 1:
        return f"{upper}{first}/{last}"
    return f"{upper}{first}-{last}" if is_range and last > first else ""
