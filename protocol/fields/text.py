"""Words in a rater's own writing, and the one rule by which two of them are the same."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from protocol.fields import number
from protocol.fields.kind import (
    NOT_SCORED,
    AskedField,
    FieldKind,
    FieldScore,
    Reference,
    WrongAnswer,
    each_in_words,
    no_problem,
)

LONGEST_TEXT = 4_000

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = set(string.punctuation)
# Less than 5 is not more than 5, with a blank before the number or without.
_COMPARED = re.compile(r"([<>\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO}])\s*(?=-?\.?\d)")
_OR_EQUAL = {"<=": "\N{LESS-THAN OR EQUAL TO}", ">=": "\N{GREATER-THAN OR EQUAL TO}"}
# A number of its own: not within a word such as T1, nor a part of a date, a ratio or a range.
_NUMBER = re.compile(r"(?<![\w.,])(?:\d+(?:[.,]\d+)?|\.\d+)(?![\w]|[.,]\d)")
_ONE_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+(?:[.,]\d+)?|\.\d+)(?![\w]*\.?\d)")
# As telephones and word processors set what was typed as ' " - and *.
_TYPOGRAPHIC = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a", "'"),
        **dict.fromkeys("\u201c\u201d\u201e", '"'),
        **dict.fromkeys("\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{MINUS SIGN}", "-"),
        "\N{EM DASH}": " ",
        "\N{HORIZONTAL ELLIPSIS}": "...",
        "\N{ASTERISK OPERATOR}": "*",
    }
)
# At the end of a word, in brackets or before a mark they say positive or negative, as in HER2+, ER (-) and PR +; but
# not in T1- and T2-weighted, nor between blanks.
_POSITIVE_OR_NEGATIVE = re.compile(
    r"(?<=[^\W_])(?:\+|-(?!\s+(?:and|or|nor|to)\b))(?=$|[\s,;.:)\]])|(?<=\()[+-](?=\))|(?<=\s)[+-](?=\s*(?:$|[,;.)]))"
)
_BLANK_BEFORE_SIGN = re.compile(r"\s+(?=[+-](?:\s|$))")
# T2* is another sequence than T2, and R2* another rate; elsewhere an asterisk is a footnote or decoration.
_STAR = re.compile(r"(?<=\b[tr][12])\*")
# *so* and **so** are words that stand out, as programs write them: neither asterisk is one of T2*.
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])(.{1,200}?)(?<=\S)\1(?![\w*])")
# A bound of a number, before it or behind it and its unit: at least 5, at most about 5, 5 mm or more, 5+.
_MORE_OR_LESS = "(?:more|less|fewer|greater|larger|bigger|smaller|higher|lower|longer|shorter|older|younger)"
_ABOUT = r"(?:\s*(?:about|approximately|approx\.?|roughly|around|circa|ca\.?|~))?"
_BOUND = re.compile(
    "[<>\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO}\N{LESS-THAN OVER EQUAL TO}\N{GREATER-THAN OVER EQUAL TO}"
    "\N{LESS-THAN OR SLANTED EQUAL TO}\N{GREATER-THAN OR SLANTED EQUAL TO}]"
    rf"|\b(?:at (?:least|most)|{_MORE_OR_LESS} than(?: or equal to)?"
    rf"|up to|over|under|above|below|within|exceed(?:s|ing)?){_ABOUT}\s*[-+]?\.?\d"
    rf"|\d[^\S\n]*[^\W\d]*[%²³]?\s+(?:(?:or|and)\s+(?:{_MORE_OR_LESS}|above|below|over|under|up)|at (?:least|most))\b"
    r"|\d\s*\+(?!\s*\d)",
    re.IGNORECASE,
)
# 1,000 is a thousand to some and one to others.
_AMBIGUOUS = re.compile(r"\d,\d{3}(?!\d)")


def check(field: AskedField, value: Any, _panes: Sequence[str]) -> str:
    """Return the text without blanks around it."""
    if not isinstance(value, str):
        raise WrongAnswer(f"{field.label}: expected text.")
    if len(value) > LONGEST_TEXT:
        raise WrongAnswer(f"{field.label}: {len(value)} characters, at most {LONGEST_TEXT} are taken; shorten it.")
    return value.strip()


def canonical(value: Any) -> str:
    """Return the text in lower case without articles and punctuation, its numbers with point and sign.

    As SQuAD 2.0 compares answers (Rajpurkar, Jia and Liang 2018), but for what stands within or before a number: there
    a point, a comma, a sign or a dash is no decoration. 3.5 cm is not 35 cm, -3 is not 3, and < 5 is not > 5; 3.50 and
    3,5 are 3.5, and <= 5 is ≤5. A dash with a blank behind it begins a line, and is no sign. HER2+, or
    HER2 (+), is neither HER2- nor HER2. What holds nothing else is compared by its marks and articles: A is an answer,
    and + is not -. T2* is not T2, and *T2* is T2 with emphasis. Curly quotation marks, other dashes and accents in two
    characters are what a keyboard has.
    """
    text = unicodedata.normalize("NFC", str(value)).lower().translate(_TYPOGRAPHIC)
    text = _compared(_EMPHASIS.sub(r"\2", text))
    retained = "".join(sign if _counts(text, place) else "" for place, sign in enumerate(text))
    retained = _BLANK_BEFORE_SIGN.sub("", _NUMBER.sub(_digits, retained))
    return " ".join(_ARTICLES.sub(" ", retained).split()) or " ".join(text.split())


def score(value: Any, reference: Reference, _options: Sequence[str]) -> FieldScore:
    """Return whether the text is an accepted one, or holds exactly one number and that lies within the limits.

    A unit behind the number is not read. A bound (> 5, 5 or more) and a range are no number; about 5 is one.
    """
    if not reference.is_given:
        return NOT_SCORED
    accepted = {canonical(answer) for answer in reference.accepted} - {""}
    quantity = _one_number(value)
    return FieldScore(canonical(value) in accepted or (quantity is not None and number.is_within(quantity, reference)))


def holds_bound(words: str) -> bool:
    """Return whether words hold a bound of a number, such as > 5, at least 5 or 5+: how much it is they leave open."""
    return _BOUND.search(words) is not None


def with_synonyms(words: Sequence[str], groups: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return words with all that mean the same as one of them.

    Parameters
    ----------
    groups
        Words that mean the same, each group for itself.
    """
    compared = {canonical(word) for word in words}
    more = (word for group in groups if compared & {canonical(word) for word in group} for word in group)
    return tuple(dict.fromkeys((*words, *more)))


def as_meant(answer: Any, groups: Sequence[Sequence[str]]) -> Any:
    """Return an answer, or each line of it, as the first of the words that mean the same; others as they are."""
    if isinstance(answer, list | tuple):
        return [as_meant(line, groups) for line in answer]
    compared = canonical(answer)
    return next((group[0] for group in groups if compared in {canonical(word) for word in group}), answer)


def in_words(value: Any, _texts: Mapping[str, str]) -> str:
    """Return the text as it was written."""
    return str(value)


def _counts(text: str, place: int) -> bool:
    """Return whether a character is compared: all but punctuation that is no part of a number or a finding."""
    if text[place] not in _PUNCTUATION:
        return True
    before, behind = text[:place][-1:], text[place + 1 : place + 4]
    if text[place] in "<>":
        return _COMPARED.match(text, place) is not None
    if _POSITIVE_OR_NEGATIVE.match(text, place) or _STAR.match(text, place):
        return True
    if before.isdigit():
        return behind[:1].isdigit()
    begins_number = behind[:1].isdigit() or (behind[:1] == "." and behind[1:2].isdigit())
    # Three points before a number are no decimal point.
    return text[place] in "-." and begins_number and not before.isalnum() and before + text[place] != ".."


def _compared(text: str) -> str:
    """Return the text with one spelling of "less than", "more than" and the two "or equal", without blanks behind."""
    for written, sign in _OR_EQUAL.items():
        text = text.replace(written, sign)
    return _COMPARED.sub(r"\1", text)


def _digits(match: re.Match[str]) -> str:
    digits = match.group()
    if _AMBIGUOUS.search(digits):
        return digits
    return number.written(Decimal(digits.replace(",", ".")))


def _one_number(value: Any) -> float | None:
    """Return the number that an answer holds; None where it holds none, more than one, or but a bound of one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    # Three points are no decimal point.
    text = str(value).translate(_TYPOGRAPHIC).replace("...", " ")
    if _AMBIGUOUS.search(text) or holds_bound(text):
        return None
    numbers = _ONE_NUMBER.findall(text)
    return float(numbers[0].replace(",", ".")) if len(numbers) == 1 else None


KIND = FieldKind(
    name="text",
    scale="text",
    answered_by="in words",
    check=check,
    canonical=canonical,
    score=score,
    in_words=in_words,
    reference_in_words=each_in_words,
    problem_of_reference=no_problem,
    schema={"type": "string", "maxLength": LONGEST_TEXT},
)
