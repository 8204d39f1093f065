"""Free text, and the one rule that decides whether two texts are the same."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from protocol import bounds, british_spelling, clinical_spelling, spelling, units
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
from protocol.labels import as_label

LONGEST_TEXT = 4_000

# At the end of a text the word is a name, not an article, as in hepatitis A.
# It is one too behind what has kinds: a type A dissection is not a type B dissection, and not one of any type.
_NAMED_BY_LETTER = (
    "type", "class", "category", "group", "grade", "stage", "level", "zone", "phase", "hepatitis", "stanford", "weber",
    "child", "pugh", "vitamin", "influenza", "hemophilia", "density", "birads",
)  # fmt: skip
_NO_NAME = "".join(rf"(?<!\b{name} )" for name in _NAMED_BY_LETTER)
_ARTICLES = re.compile(rf"\b(?:an|the|{_NO_NAME}a)\b(?=\s+\S)")
_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]")
# < 5 is not > 5, and right > left is not right < left.
_COMPARED = re.compile(r"[<>](?=-?\.?\d)|(?<=[^\W_])[<>](?=[^\W_])")
# 10^-3 is not 10-3.
_NEGATIVE_POWER = re.compile(r"\^-\d")
# A number on its own: neither within a word such as T1 nor part of a date, a ratio or a range.
_NUMBER = re.compile(r"(?<![\w.,])(?:\d+(?:[.,]\d+)?|\.\d+)(?!\d|[.,]\d)")
# 10³ is not 10, and 5½ is not 5.
_ONE_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d+(?:[.,]\d+)?|\.\d+)(?![\w]*\.?\d|[\u00b2\u00b3\u00b9\u2070-\u207f\u00bc-\u00be\u2150-\u215f])"
)
# At the end of a word or in brackets the signs mean positive or negative, as in HER2+, ER (-), PR +++ and ER+/PR-, but
# not in T1- and T2-weighted or between blanks. +/+ is also a finding, and so are +oedema and -oedema.
_POSITIVE_OR_NEGATIVE = re.compile(
    r"(?<=[^\W_])(?:\+{1,4}(?=$|[\s,;.:)\]/&?]|[^\W_])|-{1,4}(?!\s+(?:and|or|nor|to)\b)(?=$|[\s,;.:)\]?]))"
    r"|(?<=[(\[{\"'])[+-]{1,4}(?=[)\]}\"'])|(?<![^\s(,;])[+-]{1,4}(?=[^\W\d_])"
    r"|(?<=\s)[+-]{1,4}(?=\s*(?:$|[,;.)/?]))|(?<![+/-])[+-]/[+-](?![+/\w-])"
)
_SIGNS = re.compile(r"[+-]+(?:/[+-]+)?")
_BLANK_BEFORE_SIGN = re.compile(r"(?<!\s)\s+(?=(?:[+-]{1,4}|[+-]/[+-]|\N{PLUS-MINUS SIGN})\??(?:\s|$))")
# Grade I-II is not grade III, and V/5 is not V5.
_ROMAN = re.compile(r"\b(?!i\.v(?![ivx]))[ivx]{1,4}(?:(?:[-/,;:&.][ivx]{1,4})+(?:/\d+)?|/\d+)\b")
# Grade I(II) is not grade III, and glioma(left) is glioma (left); the brackets of tumour(s) are within a word.
_BRACKET = re.compile(r"(?<=[^\W_])[(\[](?=[ivx]{1,4}[)\]]|[^\W\d_]{3})")
# In of unknown type, a mass it is an article.
_ARTICLE_OF_PHRASE = re.compile(r"(?:(?<=[,;.!?)] )|(?<=\n))a (?=\S)")
# + MLS, - ICH: a sign before each item of a list. A dash and a blank that begin a line are a bullet in other lists.
_ITEM = re.compile(r"(?:(?<![\s\S])|(?<=[\n,;:(])) ?(?P<sign>[+-]{1,4})(?P<blank> ?)(?=[^\W\d_])")
# No, tumour is not no tumour; no. of lesions and no. 5 are numbers.
_NO = re.compile(r"(?<![\w/])no(?: ?[.!]? ?[,;!]\s*| ?:\s*(?!\d)| -+ |\.\s+(?=[^\W\d_])(?!of(?!\w))|\n)(?=\S)")
_NO_AND = re.compile(r"(?<![\w/])no, ")
# Glioma? and ?glioma are in doubt: a question mark before a word belongs to it, and any other one to what is before it.
_DOUBT = re.compile(
    r"(?P<before>(?:(?<=[\n,;:(])|(?<![\s\S])) ?\?+ ?(?=\w)|(?<=\s)\?+(?=\w))"
    r"|(?! ?[(\[]\?+\w| \?+\w)(?: ?[(\[]?\?[?!]*[)\]]?)+"
)
# 5' and 5" are neither 5 nor each other.
_PRIME = re.compile(r"(?<=\d)['\"](?!\w)")
_OPENED = re.compile(r"(?<!\w)['\"](?=\w)")
# The 5th, no. 5 and V/5 are not quantities.
_NO_QUANTITY = re.compile(r"(?<![\w.,])\d+(?:st|nd|rd|th)(?!\w)|(?<!\w)(?:no|nr)\.? ?\d+(?![.,]?\d)|" + _ROMAN.pattern)
# T2* is a different sequence from T2, and R2* a different rate; elsewhere an asterisk is a footnote or decoration.
_STAR = re.compile(r"(?<=\b[tr][12])\*")
# *word* and **word** are emphasised in plain text; their asterisks are not the one of T2*.
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])(.{1,200}?)(?<=\S)\1(?![\w*])")
# A unit after a number, as in 5-cm mass, 5 cm/s and 50 %.
_UNIT = re.compile(r"[.;]?[ -]?(per ?cent|[^\W\d_]+[23]?(?:/[^\W\d_]+)?|%)")


def check(field: AskedField, value: Any, _panes: Sequence[str]) -> str:
    """Return the text without surrounding blanks."""
    if not isinstance(value, str):
        raise WrongAnswer(f"{as_label(field.label)} expected text.")
    if len(value) > LONGEST_TEXT:
        raise WrongAnswer(
            f"{as_label(field.label)} {len(value)} characters, at most {LONGEST_TEXT} are taken; shorten it."
        )
    return value.strip()


def canonical(value: Any) -> str:
    """Return the text in lower case without articles and punctuation, its numbers with decimal point and sign.

    This follows the comparison of answers in SQuAD 2.0 (Rajpurkar, Jia and Liang 2018), but keeps the points, commas,
    signs and dashes within or before a number. 3.5 cm is not 35 cm, -3 is not 3, and < 5 is not > 5; 3.50 and 3,5 are
    3.5, <= 5 is ≤5, 5mm is 5 mm, and 5x3 is 5 × 3. A dash followed by a blank starts a line and is not a sign, unless
    it stands between two numbers or in a list with signs: + MLS, - ICH is not - MLS, + ICH. HER2+ and HER2 (+) are
    neither HER2- nor HER2, HER2 +ve is not HER2 -ve, +oedema is not -oedema, ER+/PR- is not ER-/PR-, and R > L is
    neither R < L nor R >> L. No, tumour is not no tumour, glioma? is not glioma, and left -> right is not left <-
    right. A text of marks and articles only is compared by these: A is an answer, + is not -, and hepatitis A is not
    hepatitis. T2* is not T2, and *T2* is T2 with emphasis. Different keyboard characters have one spelling
    (`protocol/spelling.py`), as do radiologists' variants: T2 FLAIR is T2-FLAIR, L4-5 is L4/5
    (`protocol/clinical_spelling.py`), at most 5 and up to 5 are ≤5 (`protocol/bounds.py`), and .5 cm is 5 mm
    (`protocol/units.py`), about 5 cm is 5 cm, 4 mm per year is 4 mm/year (`protocol/rates.py`), and tumour is tumor
    (`protocol/british_spelling.py`).
    """
    words = str(value)
    return _remembered(words) if len(words) <= _SHORT else _canonical(words)


def _canonical(words: str) -> str:
    text = _of_no_and_doubt(_EMPHASIS.sub(r"\2", spelling.of_characters(words)))
    text = units.in_symbols(text)
    text = bounds.without_approximately(british_spelling.of_words(clinical_spelling.of_names(text)))
    text = units.of_measurements(spelling.of_named_numbers(bounds.of_bounds(text)))
    text = _of_items(clinical_spelling.of_adjectives(spelling.of_quantities(text)))
    findings = (_POSITIVE_OR_NEGATIVE.match(text, signs.start()) for signs in _SIGNS.finditer(text))
    whole = (*filter(None, findings), *_ROMAN.finditer(text))
    counted = {place for match in whole for place in range(*match.span())}
    retained = _PUNCTUATION.sub(
        lambda mark: mark.group() if mark.start() in counted or _counts(text, mark.start()) else "", text
    )
    retained = _BLANK_BEFORE_SIGN.sub("", _NUMBER.sub(_digits, retained))
    return " ".join(_ARTICLES.sub(" ", retained).split()) or " ".join(text.split())


# The same few answers are compared many times: with each other, with accepted answers and with every synonym.
_SHORT = 200
_remembered = lru_cache(maxsize=8_192)(_canonical)


def score(value: Any, reference: Reference, _options: Sequence[str]) -> FieldScore:
    """Return whether the text is an accepted one, or contains exactly one number and that is within the limits.

    A bound (> 5, 5 or more), a range, the 5th, no. 5 and V/5 are not numbers; about 5 is. If the accepted texts with a
    number share one unit, the number is converted to it; otherwise a unit after the number is ignored.
    """
    if not reference.is_given:
        return NOT_SCORED
    accepted = {canonical(answer) for answer in reference.accepted} - {""}
    if canonical(value) in accepted:
        return FieldScore(True)
    quantity = number_in(value, _unit_of_limits(reference)) if number.has_limits(reference) else None
    return FieldScore(quantity is not None and number.is_within(float(quantity), reference))


def with_synonyms(words: Sequence[str], groups: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return words together with all their synonyms.

    Parameters
    ----------
    groups
        Groups of words that mean the same.
    """
    compared = {canonical(word) for word in words}
    more = (word for group in groups if compared & {canonical(word) for word in group} for word in group)
    return tuple(dict.fromkeys((*words, *more)))


def as_meant(answer: Any, groups: Sequence[Sequence[str]]) -> Any:
    """Replace an answer, or each line of it, by the first of its synonyms; leave it unchanged if it has none."""
    if isinstance(answer, list | tuple):
        return [as_meant(line, groups) for line in answer]
    compared = canonical(answer)
    return next((group[0] for group in groups if compared in {canonical(word) for word in group}), answer)


def in_words(value: Any, _texts: Mapping[str, str]) -> str:
    """Return the text as it was written."""
    return str(value)


def _of_no_and_doubt(text: str) -> str:
    """Return a text in which *no* as an answer has a comma behind it, and question marks touch what they are about."""
    text = _NO.sub("no, ", text) if "no" in text else text
    return _DOUBT.sub(lambda doubt: " ?" if doubt["before"] else "? ", text) if "?" in text else text


def _of_items(text: str) -> str:
    """Return a text in which the sign before each item of a list touches it, without articles that begin phrases."""
    text = _BRACKET.sub(" (", text) if "(" in text or "[" in text else text
    text = _ARTICLE_OF_PHRASE.sub("", text) if "a " in text else text
    text = text.replace("''", '"') if "''" in text else text
    items = list(_ITEM.finditer(text)) if "+" in text or "-" in text else []
    if all(item["blank"] and set(item["sign"]) == {"-"} and _begins_line(item) for item in items):
        return text
    return _ITEM.sub(lambda item: f" {item['sign']}", text)


def _begins_line(match: re.Match[str]) -> bool:
    return match.start() == 0 or match.string[match.start() - 1] == "\n"


def _counts(text: str, place: int) -> bool:
    """Return whether a punctuation mark matters, as part of a number, a comparison, a negation or the like."""
    before, behind = text[max(place - 1, 0) : place], text[place + 1 : place + 4]
    mark = text[place]
    if mark in "<>":
        return _COMPARED.match(text, place) is not None
    if mark == "?" or (mark == "*" and _STAR.match(text, place)) or (mark == "," and _NO_AND.match(text, place - 2)):
        return True
    if mark in "'\"" and _PRIME.match(text, place):
        return not (
            text.count(mark, 0, place) % 2 and any(at.group() == mark for at in _OPENED.finditer(text, 0, place))
        )
    if before.isdigit():
        return behind[:1].isdigit() or _NEGATIVE_POWER.match(text, place) is not None
    begins_number = behind[:1].isdigit() or (behind[:1] == "." and behind[1:2].isdigit())
    # An ellipsis before a number is not a decimal point.
    return text[place] in "-." and begins_number and not before.isalnum() and before + text[place] != ".."


def _digits(match: re.Match[str]) -> str:
    digits = match.group()
    if units.AMBIGUOUS.search(digits):
        return digits
    return units.digits(Decimal(digits.replace(",", ".")))


def number_in(value: Any, unit: str | None) -> Decimal | None:
    """Return the number in an answer; None if it has none or several, or only the bound of one.

    Parameters
    ----------
    unit
        The unit of the result: 5 cm is 50 mm, and a number in ml is None. None if units are ignored.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Decimal(str(value))
    # An ellipsis is not a decimal point.
    text = units.in_symbols(spelling.of_characters(str(value)))
    text = spelling.of_quantities(clinical_spelling.of_names(text)).replace("...", " ")
    text = _NO_QUANTITY.sub(" ", clinical_spelling.without_levels(text))
    if units.AMBIGUOUS.search(text) or bounds.holds_bound(text):
        return None
    numbers = list(_ONE_NUMBER.finditer(text))
    if len(numbers) != 1:
        return None
    quantity = Decimal(numbers[0].group().replace(",", "."))
    times = None if unit is None else _factor(_unit_behind(text, numbers[0].end()), unit)
    return quantity if unit is None else None if times is None else quantity * times


def _unit_behind(text: str, place: int) -> str:
    match = _UNIT.match(text, place)
    return match[1] if match else ""


def _factor(behind: str, unit: str) -> Decimal | None:
    """Return the factor for a number by the word after it: 5 lesions are 5, and 5 cm/s is not a length."""
    times = units.factor(behind, unit)
    if times is not None or not units.is_known(behind):
        return times or Decimal(1)
    return None


def _unit_of_limits(reference: Reference) -> str | None:
    """Return the unit of the numbers in the accepted texts; None if they have none, or several."""
    named = set()
    for answer in reference.accepted:
        text = spelling.of_quantities(units.in_symbols(spelling.of_characters(answer)))
        numbers = list(_ONE_NUMBER.finditer(text))
        named |= {_unit_behind(text, numbers[0].end())} if len(numbers) == 1 else set()
    unit = named.pop() if len(named) == 1 else ""
    return unit if units.is_known(unit) else None


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
