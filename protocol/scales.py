"""The scales on which judges grade candidates: correct or incorrect, or that of a field that people fill in.

A run stores the names of its codes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property


@dataclass(frozen=True)
class Code:
    """One grade: the name under which it is stored, and every way to write it, in lower case."""

    name: str
    written: frozenset[str]


@dataclass(frozen=True)
class JudgeScale:
    """One scale.

    Attributes
    ----------
    codes
        Lowest first.
    correct_from
        Position of the first code that counts as correct; those below it count as incorrect.
    refusal
        The words about a text that matches no code: "is neither ...".
    neither
        Names of codes that mean neither correct nor incorrect: *excluded*, or all codes of a scale without correctness.
    limits
        For a numeric scale, the lowest and highest number; None for a scale of codes. Its only code is *excluded*.
    """

    key: str
    codes: tuple[Code, ...]
    correct_from: int
    refusal: str
    neither: frozenset[str] = frozenset()
    limits: tuple[float, float] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the codes as stored, lowest first."""
        if self.limits is not None:
            return (*NUMBER, *(code.name for code in self.codes))
        return tuple(code.name for code in self.codes)

    def code_of(self, text: str) -> str | None:
        """Return the code, or the number, that a text in lower case stands for, or None."""
        if self.limits is not None:
            return _number(text, self.limits) or self._by_text.get(text)
        return self._by_text.get(text)

    @cached_property
    def _by_text(self) -> Mapping[str, str]:
        """The name of the code by every way to write it; the first code wins."""
        return {text: code.name for code in reversed(self.codes) for text in code.written}

    def says_correct(self, text: str) -> bool | None:
        """Return whether a text in lower case counts as correct; None if it means neither or matches no code."""
        code = self.code_of(text)
        if code is None or code in self.neither or self.limits is not None:
            return None
        return self.names.index(code) >= self.correct_from


CORRECTNESS = JudgeScale(
    key="correctness",
    codes=(
        Code("incorrect", frozenset({"incorrect", "0", "false", "no"})),
        Code("correct", frozenset({"correct", "1", "true", "yes"})),
    ),
    correct_from=1,
    refusal="is neither correct nor incorrect (1 or 0)",
)

SCALES = (CORRECTNESS,)
# Stored in place of the codes for a run on a numeric scale.
NUMBER = ("number",)
# The option of a correctness that counts as correct; partly correct counts as incorrect.
_CORRECT = "correct"
EXCLUDED = "excluded"
# How people say it where a phase has reasons for which a unit is not assessable.
_NOT_ASSESSABLE = frozenset({EXCLUDED, "not_assessable", "not assessable"})
# The codes of a scale of correctness from wrong to right, with the one that counts as neither at the end.
FROM_WRONG = ("incorrect", "partly", _CORRECT, EXCLUDED)


def scale_of(names: Sequence[str]) -> JudgeScale:
    """Return the scale with the codes that a run has stored.

    Raises
    ------
    ValueError
        If the codes are those of a known scale in another order, which would reverse the meaning of stored verdicts.
    """
    for scale in SCALES:
        if scale.names == tuple(names):
            return scale
        if set(scale.names) == set(names):
            raise ValueError(
                f"no scale has the codes {', '.join(names)}; this release knows {[known.key for known in SCALES]}"
            )
    if tuple(names[:1]) == NUMBER:
        scale = number_scale(-math.inf, math.inf)
        return with_excluded(scale) if EXCLUDED in names else scale
    return scale_of_options([(name, name) for name in names])


def with_excluded(scale: JudgeScale) -> JudgeScale:
    """Return the scale with *excluded* as its last code, which is in no average; the same if it has that code.

    >>> with_excluded(number_scale(0, 5)).code_of("not assessable")
    'excluded'
    """
    if EXCLUDED in scale.names:
        return scale
    joint = " nor" if scale.key == CORRECTNESS.key else ", or"
    taken = frozenset[str]().union(*(code.written for code in scale.codes))
    return replace(
        scale,
        codes=(*scale.codes, Code(EXCLUDED, _NOT_ASSESSABLE - taken)),
        refusal=f"{scale.refusal}{joint} {EXCLUDED}",
        neither=scale.neither | {EXCLUDED},
    )


def scale_of_options(options: Sequence[tuple[str, str]]) -> JudgeScale:
    """Return the scale of a field with options, lowest first.

    Parameters
    ----------
    options
        Id and text of each option; a judge may write either.
    """
    ids = [key for key, _ in options]
    written = [{key.lower(), text.strip().lower()} for key, text in options]
    # A text shared by two options stands for neither.
    codes = tuple(
        Code(key, frozenset(own - set().union(*written[:place], *written[place + 1 :]) | {key.lower()}))
        for place, (key, own) in enumerate(zip(ids, written, strict=True))
    )
    # Codes with other names, or in another order, mean neither, as it is not known which of them are right.
    says_correct = grades_correctness(ids) and ids == [name for name in FROM_WRONG if name in ids]
    return JudgeScale(
        key="options",
        codes=codes,
        correct_from=ids.index(_CORRECT) if says_correct else len(ids),
        refusal=f"is not one of {', '.join(ids)}",
        neither=frozenset({EXCLUDED} & set(ids)) if says_correct else frozenset(ids),
    )


def grades_correctness(names: Sequence[str]) -> bool:
    """Return whether codes are those of correctness: both correct and incorrect, and no unknown ones."""
    return {"incorrect", _CORRECT} <= set(names) <= set(FROM_WRONG)


def number_scale(low: float, high: float) -> JudgeScale:
    """Return the scale of a field that takes numbers within limits."""
    within = "" if math.isinf(low) and math.isinf(high) else f" from {low:g} to {high:g}"
    return JudgeScale(key="number", codes=(), correct_from=0, refusal=f"is no number{within}", limits=(low, high))


def _number(text: str, limits: tuple[float, float]) -> str | None:
    try:
        # Python reads 1_0 as ten, but it is more likely a mistyped 1.0.
        value = float(text.replace("_", " "))
    except ValueError:
        return None
    return f"{value:.12g}" if limits[0] <= value <= limits[1] and math.isfinite(value) else None
