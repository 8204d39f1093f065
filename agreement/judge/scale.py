"""The scale on which humans and judge give their verdicts, and the states that take the place of a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Literal

import numpy as np

from agreement.coding import Floats

Kind = Literal["binary", "nominal", "ordinal", "number"]


class State(IntEnum):
    """Whether a candidate has a verdict, and if not, what it has instead: never scored, always counted."""

    VERDICT = 0
    NO_VERDICT = 1
    ERROR = 2
    REFUSAL = 3
    UNREADABLE = 4
    EXCLUDED = 5


SEVERAL = {
    "no verdict": "without a verdict",
    "error": "errors",
    "refusal": "refusals",
    "unreadable reply": "unreadable replies",
}
"""Plural forms, where these differ."""

IN_WORDS: dict[State, str] = {
    State.NO_VERDICT: "no verdict",
    State.ERROR: "error",
    State.REFUSAL: "refusal",
    State.UNREADABLE: "unreadable reply",
    State.EXCLUDED: "excluded",
}

WORDS_OF_STATES: dict[str, State] = {
    "": State.NO_VERDICT,
    "no verdict": State.NO_VERDICT,
    "error": State.ERROR,
    "eval_error": State.ERROR,
    "refusal": State.REFUSAL,
    "refused": State.REFUSAL,
    "unreadable": State.UNREADABLE,
    "unparsable": State.UNREADABLE,
    "unparseable": State.UNREADABLE,
    "invalid": State.UNREADABLE,
}
"""Words that are read as these states unless the scale has such a level; compared case-insensitively."""

NEGATIVE_WORDS = ("incorrect", "wrong", "false", "no", "fail", "0", "0.0")
POSITIVE_WORDS = ("correct", "right", "true", "yes", "pass", "1", "1.0")
BINARY = ("incorrect", "correct")


@dataclass(frozen=True)
class Scale:
    """The scale of the verdicts.

    Attributes
    ----------
    kind : {"binary", "nominal", "ordinal", "number"}
    levels : tuple of str
        The levels, in order for an ordinal scale; empty for numbers. Verdicts are coded by their position.
    positive : tuple of str
        The levels that count as correct; empty if none was named.
    """

    kind: Kind
    levels: tuple[str, ...] = ()
    positive: tuple[str, ...] = ()

    @property
    def scored(self) -> bool:
        """Whether verdicts have a score, so that a judge can be stricter or more lenient."""
        return self.kind != "nominal" or bool(self.positive)

    @property
    def shares(self) -> bool:
        """Whether the score is right or wrong, so that its mean is a share."""
        return bool(self.positive)

    @property
    def steps(self) -> Floats:
        """Score of each level: the number it is written as, else its position in the order, starting at 1."""
        try:
            return np.array([float(level) for level in self.levels])
        except ValueError:
            return np.arange(1.0, len(self.levels) + 1.0)

    def scores(self, codes: Floats) -> Floats:
        """Score of each verdict.

        Parameters
        ----------
        codes : ndarray of float, shape (n,)
            Codes of verdicts (for numbers, the numbers themselves); nan if there is none.

        Returns
        -------
        ndarray of float, shape (n,)
            1 for a level that counts as correct and 0 for any other, or the number of the level; nan if there is none.

        Raises
        ------
        ValueError
            When the levels have no order and none was named as correct.

        Examples
        --------
        >>> Scale("ordinal", ("1", "2", "3"), ("3",)).scores(np.array([0.0, 2.0])).tolist()
        [0.0, 1.0]
        """
        if self.kind == "number":
            return codes
        if self.positive:
            of_level = np.array([float(level in self.positive) for level in self.levels])
        elif self.kind == "ordinal":
            of_level = self.steps
        else:
            raise ValueError("verdicts are categories without an order; expected one named as correct with --positive")
        known = ~np.isnan(codes)
        scores = np.full(codes.shape, np.nan)
        scores[known] = of_level[codes[known].astype(np.intp)]
        return scores

    def as_dict(self) -> dict[str, object]:
        """All entries by name, ready for JSON."""
        return {"kind": self.kind, "levels": list(self.levels), "positive": list(self.positive)}


def scale_of(
    texts: Iterable[str],
    *,
    kind: Kind | None = None,
    levels: Sequence[str] = (),
    positive: Sequence[str] = (),
    states: Mapping[str, State] = WORDS_OF_STATES,
) -> Scale:
    """The declared scale, or the binary one if all verdicts are words for right and wrong.

    No word of the scale may be declared to stand for a state: it would count as a verdict all the same.

    Parameters
    ----------
    texts : iterable of str
        The distinct verdicts that occur.
    kind : {"binary", "nominal", "ordinal", "number"}, optional
        As declared; with `levels` alone it is ordinal.
    levels : sequence of str
        As declared, in their order.
    positive : sequence of str
        Levels that count as correct.
    states : mapping
        Words that are not verdicts.

    Returns
    -------
    Scale

    Raises
    ------
    ValueError
        When the scale cannot be inferred, or declarations contradict each other.

    Examples
    --------
    >>> scale_of(["Correct", "Incorrect", "error"]).levels
    ('incorrect', 'correct')
    """
    scale = _scale_of(texts, kind, levels, positive, states)
    in_lower_case = replace(scale, levels=tuple(level.lower() for level in scale.levels))
    declared = [word for word, state in states.items() if WORDS_OF_STATES.get(word) != state]
    for word, coded in zip(declared, codes_of(declared, in_lower_case, {}), strict=True):
        if coded is not None:
            known = "a number" if scale.kind == "number" else f"one of {', '.join(scale.levels)}"
            raise ValueError(
                f"excluded or states names {word!r}, which is a verdict on this scale ({known}); expected a word that "
                "takes the place of a verdict"
            )
    return scale


def _scale_of(
    texts: Iterable[str],
    kind: Kind | None,
    levels: Sequence[str],
    positive: Sequence[str],
    states: Mapping[str, State],
) -> Scale:
    verdicts = sorted({text.strip() for text in texts} - {text for text in texts if text.strip().lower() in states})
    is_binary = all(text.lower() in (*NEGATIVE_WORDS, *POSITIVE_WORDS) for text in verdicts)
    if kind is None:
        kind = "ordinal" if levels else "binary" if is_binary or _says_right_and_wrong(verdicts) else None
    if kind is None:
        few = ", ".join(verdicts[:5]) + (" ..." if len(verdicts) > 5 else "")
        raise ValueError(
            f"verdicts are {few}; expected words for correct and incorrect, or the scale: --levels 1,2,3 in their "
            "order, --scale nominal or --scale number"
        )
    if kind == "binary":
        if levels or positive:
            raise ValueError(
                "levels or positive are given for a binary scale; expected --scale nominal or ordinal with them"
            )
        return Scale("binary", BINARY, BINARY[1:])
    if kind == "number":
        if levels or positive:
            raise ValueError("levels or positive are given for numbers; expected neither, or --scale ordinal")
        return Scale("number")
    if kind == "ordinal" and len(levels) < 2:
        raise ValueError("scale is ordinal without levels; expected --levels with all of them in their order")
    all_levels = tuple(levels) if levels else tuple(verdicts)
    if len(set(all_levels)) != len(all_levels):
        raise ValueError(f"levels are {', '.join(all_levels)}; expected each once")
    for level in positive:
        if level not in all_levels:
            raise ValueError(f"positive is {level!r}; expected one of the levels {', '.join(all_levels)}")
    return Scale(kind, all_levels, tuple(positive))


def _says_right_and_wrong(verdicts: Sequence[str]) -> bool:
    """Whether both kinds occur as words: any other word is then a slip, to be refused with its line."""
    said = {text.lower() for text in verdicts if text.isalpha()}
    return not said.isdisjoint(NEGATIVE_WORDS) and not said.isdisjoint(POSITIVE_WORDS)


def codes_of(
    texts: Sequence[str], scale: Scale, states: Mapping[str, State] = WORDS_OF_STATES
) -> list[tuple[State, float] | None]:
    """State and code of each text on the scale.

    Parameters
    ----------
    texts : sequence of str
        The distinct verdicts as written.
    scale : Scale
    states : mapping
        Words that are not verdicts, in lower case.

    Returns
    -------
    list
        None for a text that is neither a verdict of the scale nor a word of `states`.

    Examples
    --------
    >>> codes_of(["Yes", "refused", "perhaps"], Scale("binary", BINARY, BINARY[1:]))
    [(<State.VERDICT: 0>, 1.0), (<State.REFUSAL: 3>, nan), None]
    """
    place = {level: float(code) for code, level in enumerate(scale.levels)}
    if scale.kind == "binary":
        place = dict.fromkeys(NEGATIVE_WORDS, 0.0) | dict.fromkeys(POSITIVE_WORDS, 1.0)
    coded: list[tuple[State, float] | None] = []
    for text in texts:
        written = text.strip()
        code = _number(written) if scale.kind == "number" else place.get(written, place.get(_plain(written)))
        if code is not None:
            coded.append((State.VERDICT, code))
        elif written.lower() in states:
            coded.append((states[written.lower()], float("nan")))
        else:
            coded.append(None)
    return coded


def _plain(written: str) -> str:
    """The text in lower case, and a whole number without the .0 that a table with gaps adds."""
    lowered = written.lower()
    return lowered.removesuffix(".0") if lowered.removesuffix(".0").lstrip("-").isdigit() else lowered


def _number(written: str) -> float | None:
    try:
        number = float(written)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
