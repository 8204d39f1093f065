"""Scores for open text: exact match and token F1 after SQuAD's normalisation."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

from agreement.arguments import listed, shown

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalise_answer(text: str) -> str:
    """Lower case, without ASCII punctuation and the articles a, an, the, and with single spaces.

    Parameters
    ----------
    text : str
        An answer as written.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        When something other than text is given.

    References
    ----------
    .. [1] Rajpurkar, Jia and Liang (2018). Know what you don't know. ACL, the evaluation script of SQuAD 2.0.

    Examples
    --------
    >>> normalise_answer("The  left-sided Frontal lobe.")
    'leftsided frontal lobe'
    """
    # order as in [1]: lower, punctuation, articles, spaces
    return " ".join(_ARTICLES.sub(" ", _text(text, "text").lower().translate(_PUNCTUATION)).split())


def exact_match(prediction: str, reference: str | Sequence[str]) -> float:
    """1 if the answer equals an accepted answer after normalisation, else 0.

    Parameters
    ----------
    prediction : str
        The answer.
    reference : str or sequence of str
        The accepted answer or answers; of several, those without any token left after normalisation are ignored. If
        none is left, only an empty answer is right.

    Returns
    -------
    float
        1.0 or 0.0.

    Raises
    ------
    ValueError
        When something other than text is given: a missing answer is missing, not wrong.

    References
    ----------
    .. [1] Rajpurkar, Jia and Liang (2018), the evaluation script of SQuAD 2.0.

    Examples
    --------
    >>> exact_match("The frontal lobe", ["frontal lobe", "left frontal lobe"])
    1.0
    """
    answer = normalise_answer(_text(prediction, "prediction"))
    return max(float(answer == accepted) for accepted in _accepted(reference))


def token_f1(prediction: str, reference: str | Sequence[str]) -> float:
    """Token F1 with the best-matching accepted answer, after normalisation.

    ``2 P R / (P + R)``, where ``P`` and ``R`` are the proportions of the answer's and of the accepted answer's tokens
    that both share, counting repeated tokens as often as they occur in both. If one has no tokens: 1 if both have none,
    else 0.

    Parameters
    ----------
    prediction : str
        The answer.
    reference : str or sequence of str
        The accepted answer or answers; of several, those without any token left after normalisation are ignored. If
        none is left, only an empty answer is right.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        When something other than text is given.

    References
    ----------
    .. [1] Rajpurkar, Jia and Liang (2018), the evaluation script of SQuAD 2.0.

    Examples
    --------
    Two of two tokens, two of three: F1 = 2 * 1 * 2/3 / (5/3) = 0.8.

    >>> round(token_f1("frontal lobe", "left frontal lobe"), 3)
    0.8
    """
    answer = normalise_answer(_text(prediction, "prediction")).split()
    return max(_f1(answer, accepted.split()) for accepted in _accepted(reference))


def _f1(answer: list[str], accepted: list[str]) -> float:
    if not answer or not accepted:
        return float(answer == accepted)
    common = sum((Counter(answer) & Counter(accepted)).values())
    # 2 P R / (P + R) with P and R expanded: a single division, so that equal overlaps are equal numbers and tie.
    return 2.0 * common / (len(answer) + len(accepted))


def _accepted(reference: str | Sequence[str]) -> list[str]:
    """The accepted answers, normalised; as in [1] of `exact_match`, empty ones count only if there is no other."""
    if isinstance(reference, str):
        return [normalise_answer(reference)]
    if isinstance(reference, dict):
        raise ValueError(f"reference is {shown(reference)}; expected text or several texts")
    accepted = listed(reference, "reference", "text or several texts")
    return [text for text in (normalise_answer(_text(answer, "reference")) for answer in accepted) if text] or [""]


def _text(value: object, argument: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{argument} is {shown(value)}; expected text (a missing answer is left out before scoring)")
    return value
