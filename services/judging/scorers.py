"""Scorers that are not models: rules that compare an answer with its reference, with the same result every time.

If a rule cannot read an answer it gives no verdict: the answer is *unreadable*, which is neither right nor wrong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agreement import exact_match, token_f1
from protocol import bounds, unit_table, units
from protocol.fields import number
from protocol.fields.kind import Reference
from services.errors import Conflict
from services.judging.named_options import options_named


@dataclass(frozen=True)
class Answer:
    """An answer, with the options its item offers and what counts as right.

    Attributes
    ----------
    options
        Id and text of each option, in the order in which the item offers them.
    declared
        The declared attributes of the candidate and its item, by name.
    """

    text: str
    options: tuple[tuple[str, str], ...]
    reference: Reference
    declared: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """A verdict or the reason for its absence, with an explanation."""

    verdict: str = ""
    failure: str = ""
    explanation: str = ""


RIGHT_OR_WRONG, A_NUMBER = "right or wrong", "a number"
# Takes an answer and the settings. Returns None if the item has nothing with which the rule could compare.
Rule = Callable[[Answer, Mapping[str, str]], Outcome | None]


@dataclass(frozen=True)
class Scorer:
    """One rule.

    Attributes
    ----------
    version
        Increases with each change that scores any answer differently.
    needs
        What an item or a candidate must have, in words.
    parameters
        The parameters that can be set, with their defaults.
    check
        Refuses invalid settings.
    says
        What it gives with its settings: "right or wrong", "a number", or nothing in particular (empty).
    """

    key: str
    version: int
    rule: Rule
    needs: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[Mapping[str, str]], None] = lambda _set: None
    says: Callable[[Mapping[str, str]], str] = lambda _set: RIGHT_OR_WRONG


def _right(is_right: bool, explanation: str) -> Outcome:
    return Outcome("correct" if is_right else "incorrect", "", explanation)


def _unreadable(explanation: str) -> Outcome:
    return Outcome("", "unreadable", explanation)


def _exact_match(answer: Answer, _given: Mapping[str, str]) -> Outcome | None:
    accepted = _accepted_words(answer)
    return _right(exact_match(answer.text, accepted) == 1.0, "") if accepted else None


def _token_f1(answer: Answer, given: Mapping[str, str]) -> Outcome | None:
    accepted = _accepted_words(answer)
    if not accepted:
        return None
    f1 = token_f1(answer.text, accepted)
    if given["threshold"] == "none":
        return Outcome(f"{f1:.12g}")
    return _right(f1 >= float(given["threshold"]), f"token F1 {f1:.3f}")


def _accepted_words(answer: Answer) -> list[str]:
    """Return what counts as right; for an option, both its id and its text."""
    texts = dict(answer.options)
    return [word for key in answer.reference.accepted for word in dict.fromkeys((key, texts.get(key, key)))]


def _check_threshold(given: Mapping[str, str]) -> None:
    if given["threshold"] != "none" and not 0.0 < _number(given["threshold"]) <= 1.0:
        raise Conflict(f"threshold is '{given['threshold']}', expected a number above 0 and up to 1, or none.")


def _says_of_f1(given: Mapping[str, str]) -> str:
    return A_NUMBER if given["threshold"] == "none" else RIGHT_OR_WRONG


def _option_extraction(answer: Answer, given: Mapping[str, str]) -> Outcome | None:
    if not answer.options or not answer.reference.accepted:
        return None
    named = options_named(answer.text, answer.options)
    if len(named) == 1:
        return _right(named[0] in answer.reference.accepted, f"names {named[0]}")
    said = f"names several options: {', '.join(named)}" if named else "names no option that could be made out"
    return Outcome("incorrect", "", said) if given["unclear"] == "incorrect" else _unreadable(said)


def _check_unclear(given: Mapping[str, str]) -> None:
    if given["unclear"] not in ("unreadable", "incorrect"):
        raise Conflict(f"unclear is '{given['unclear']}', expected unreadable or incorrect.")


# A standalone number: not within T1 or L5-S1, and not part of a date, a ratio or a fraction.
_NUMBER = re.compile(
    r"(?<![\w.,/:^])(?P<number>[-+]?(?:\d+(?:[.,]\d+)?|\.\d+))(?![\d/:^\u00b2\u00b3\u00b9\u2070-\u207f]|[.,]\d)"
    rf"(?:\s*(?P<unit>{unit_table.pattern(unit_table.symbols(unit_table.is_measured))}"
    r"(?:/[A-Za-z]+)?)(?![\w/]))?(?![A-Za-z]|-[A-Za-z])",
    re.IGNORECASE,
)
# 1,000 is a thousand to some readers and one to others; 3/4 and 10:30 are not two numbers.
_AMBIGUOUS = re.compile(r"\d,\d{3}(?!\d)|\d\s*[/:]\s*\d")
_READ = ("mm", "cm", "m", "ml", "cc", "l", "%", "percent", "per cent")


def _numeric_range(answer: Answer, given: Mapping[str, str]) -> Outcome | None:
    reference = answer.reference
    # Without a unit none is read, and 50 % is 50.
    accepted = [float(accepted) for accepted in number.accepted_numbers(reference, given["unit"] or "%")]
    if reference.low is None and reference.high is None and not accepted:
        return None
    text = units.in_symbols(answer.text.replace("\N{MINUS SIGN}", "-"))
    if _AMBIGUOUS.search(text):
        return _unreadable("holds a number that can be read in two ways")
    if bounds.holds_bound(text):
        return _unreadable("holds a bound, expected a number")
    matches = list(_NUMBER.finditer(text))
    strange = [match["unit"] for match in matches if match["unit"] and _factor(match["unit"], given["unit"]) is None]
    if strange:
        return _unreadable(f"is in {strange[0]}, expected {given['unit']}")
    values = {
        round(float(match["number"].replace(",", ".")) * (_factor(match["unit"] or "", given["unit"]) or 1.0), 9)
        for match in matches
    }
    if len(values) != 1:
        return _unreadable(f"holds {len(values) or 'no'} numbers" if values else "holds no number")
    value, tolerance = values.pop(), float(given["tolerance"])
    within = number.is_within(value, reference) or any(abs(value - wanted) <= tolerance + 1e-9 for wanted in accepted)
    return _right(within, f"{value:g} {given['unit']}".strip())


def _factor(unit: str, wanted: str) -> float | None:
    """Return the factor that converts a number to the wanted unit; None if the units measure different things."""
    if not unit or not wanted:
        return 1.0
    times = units.factor(unit, wanted)
    return None if times is None else float(times)


def _check_number(given: Mapping[str, str]) -> None:
    if given["unit"] and given["unit"] not in _READ:
        raise Conflict(f"unit is '{given['unit']}', expected one of {', '.join(_READ)}, or nothing.")
    if not 0.0 <= _number(given["tolerance"]) < math.inf:
        raise Conflict(f"tolerance is '{given['tolerance']}', expected a number of 0 or more.")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _own_column(answer: Answer, given: Mapping[str, str]) -> Outcome | None:
    if given["column"] not in answer.declared:
        return None
    value = answer.declared[given["column"]]
    return Outcome(value) if value else Outcome("", "no_verdict", "the column is empty")


def _check_column(given: Mapping[str, str]) -> None:
    if not given["column"]:
        raise Conflict("Say which declared attribute holds the verdict, as column=NAME.")


_SCORERS = (
    Scorer("exact_match", 1, _exact_match, "accepted answers"),
    Scorer("token_f1", 1, _token_f1, "accepted answers", {"threshold": "0.5"}, _check_threshold, _says_of_f1),
    Scorer(
        "option_extraction",
        1,
        _option_extraction,
        "options and an accepted option",
        {"unclear": "unreadable"},
        _check_unclear,
    ),
    Scorer(
        "numeric_range",
        1,
        _numeric_range,
        "a number or limits as its reference",
        {"unit": "", "tolerance": "0"},
        _check_number,
    ),
    Scorer("own_column", 1, _own_column, "the declared attribute", {"column": ""}, _check_column, lambda _set: ""),
)
SCORERS = {scorer.key: scorer for scorer in _SCORERS}
