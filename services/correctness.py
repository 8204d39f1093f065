"""Whether an answer is right, and what is compared between raters: rules for each format, without any statistics.

Practice and the report both mark by these rules, so that a rater is never trained on others than those that count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from agreement import exact_match, normalise_answer, token_f1

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,]\d+)?(?![\w]*\.?\d)")
_AMBIGUOUS = re.compile(r"\d,\d{3}\b")
NOT_ASSESSABLE = "not assessable"


@dataclass(frozen=True)
class AnswerKey:
    """How an item is answered, and what of that counts as right."""

    format: str
    options: tuple[tuple[str, str], ...]
    accepted: tuple[str, ...]
    low: float | None
    high: float | None

    @property
    def is_closed(self) -> bool:
        """Whether the answer is one of given options."""
        return self.format in ("yes_no", "choice")

    @property
    def has_reference(self) -> bool:
        """Whether anything counts as right."""
        return bool(self.accepted) or self.low is not None or self.high is not None


@dataclass(frozen=True)
class Score:
    """What an answer scores; None where the item has no reference of that kind."""

    correct: bool | None
    token_f1: float | None


def canonical(item: AnswerKey, answer: Any) -> str:
    """Return what is compared between raters: the option's identity, the normalised text, or the number.

    Where an answer is a list (several options, a ranked list) the order counts only as far as it was stored.
    """
    text = as_text(answer)
    return text if item.is_closed else normalise_answer(text)


def score(item: AnswerKey, answer: Any) -> Score:
    """Score an answer against the item's reference.

    Closed formats: right when the option is an accepted one. Open format: right when the text equals an accepted text
    after normalisation, or when it holds exactly one number and that lies in the reference range (limits included; a
    unit written behind the number is not read). Token F1 is the best over the accepted texts.
    """
    if not item.has_reference:
        return Score(None, None)
    if item.is_closed:
        return Score(as_text(answer) in item.accepted, None)
    text = as_text(answer)
    matches = bool(item.accepted) and exact_match(text, item.accepted) == 1.0
    return Score(
        correct=matches or _in_range(item, answer),
        token_f1=token_f1(text, item.accepted) if item.accepted else None,
    )


def as_text(answer: Any) -> str:
    """Return an answer as text: option id, text, number without trailing zeros, or the parts of a list."""
    if isinstance(answer, list | tuple):
        return " | ".join(as_text(one) for one in answer)
    if isinstance(answer, float):
        return f"{answer:g}"
    return str(answer)


def in_words(item: AnswerKey, answer: Any) -> str:
    """Return an answer in the words that the rater saw."""
    texts = dict(item.options) or ({"yes": "Yes", "no": "No"} if item.format == "yes_no" else {})
    if isinstance(answer, list | tuple):
        return ", ".join(texts.get(str(one), as_text(one)) for one in answer)
    return texts.get(str(answer), as_text(answer))


def reference_in_words(item: AnswerKey) -> str:
    """Return what counts as right, in words."""
    parts = [in_words(item, answer) for answer in item.accepted]
    if item.low is not None and item.low == item.high:
        parts += [f"{item.low:g}"] if f"{item.low:g}" not in parts else []
    elif item.low is not None and item.high is not None:
        parts.append(f"{item.low:g} to {item.high:g}")
    elif item.low is not None:
        parts.append(f"at least {item.low:g}")
    elif item.high is not None:
        parts.append(f"at most {item.high:g}")
    return " or ".join(parts) or "no reference"


def _in_range(item: AnswerKey, answer: Any) -> bool:
    if item.low is None and item.high is None:
        return False
    number = _one_number(answer)
    if number is None:
        return False
    return (item.low is None or number >= item.low) and (item.high is None or number <= item.high)


def _one_number(answer: Any) -> float | None:
    """Return the number an answer holds; None when it holds none, or more than one."""
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        return float(answer)
    text = as_text(answer)
    found = _NUMBER.findall(text)
    # 1,000 is a thousand to some and one to others: not read.
    if _AMBIGUOUS.search(text):
        return None
    return float(found[0].replace(",", ".")) if len(found) == 1 else None
