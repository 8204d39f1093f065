"""The scales on which judges grade candidates, one row each; stored with a run are the names of its codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


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
        The place of the first code that counts as correct; those below it count as incorrect.
    refusal
        What is said of a text that stands for none of the codes: "is neither ...".
    """

    key: str
    codes: tuple[Code, ...]
    correct_from: int
    refusal: str

    @property
    def names(self) -> tuple[str, ...]:
        """The codes as they are stored, lowest first."""
        return tuple(code.name for code in self.codes)

    def code_of(self, text: str) -> str | None:
        """Return the code that a text in lower case stands for, None where it stands for none."""
        return next((code.name for code in self.codes if text in code.written), None)

    def says_correct(self, text: str) -> bool | None:
        """Return whether a text in lower case stands for a code that counts as correct, None where for no code."""
        code = self.code_of(text)
        return None if code is None else self.names.index(code) >= self.correct_from


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


def scale_of(names: Sequence[str]) -> JudgeScale:
    """Return the scale whose codes a run has stored.

    Raises
    ------
    ValueError
        There is none with these codes.
    """
    for scale in SCALES:
        if scale.names == tuple(names):
            return scale
    raise ValueError(f"no scale has the codes {', '.join(names)}; this release knows {[known.key for known in SCALES]}")
