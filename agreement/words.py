"""Text that knows its parts, so that the parts of an estimate's method need not be parsed from its words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Term = Literal[
    "Wilson", "effective number", "bootstrap", "two items added", "degrees of freedom", "fixed", "random",
]  # fmt: skip
"""Terms that a reader without statistical training may want explained, under one name everywhere."""


@dataclass(frozen=True)
class Part:
    """A piece of a text.

    Parameters
    ----------
    text : str
        The piece as it is printed beside one estimate.
    together : str, optional
        The replacement if several estimates share a note; empty if the piece applies to one estimate only. None means
        `text`.
    is_number : bool
        Whether it is a number that differs between estimates; a shared note then gives the smallest and the largest.
    terms : tuple of Term
        The terms it uses that may need explaining.
    """

    text: str
    together: str | None = None
    is_number: bool = False
    terms: tuple[Term, ...] = ()


class Words(str):
    """A text together with its parts.

    It can be printed, compared and stored as a plain string. Added to another text it keeps its parts; in an f-string
    it loses them. For a method, the first part is the kind of interval as shown in a caption.

    Parameters
    ----------
    *pieces : str or Part
        In order; a plain string is a part without further attributes.

    Examples
    --------
    >>> said = Words("bootstrap", ", 200 resamples") + Words("; ", Part("3 ", together="those "), "left out")
    >>> said, said.parts[0].text
    ('bootstrap, 200 resamples; 3 left out', 'bootstrap')
    """

    parts: tuple[Part, ...]

    def __new__(cls, *pieces: str | Part) -> Words:
        """Join the pieces."""
        parts = tuple([part for piece in pieces for part in parts_of(piece)])
        words = super().__new__(cls, "".join([part.text for part in parts]))
        words.parts = parts
        return words

    def __add__(self, other: str) -> Words:
        return Words(self, other) if other else self

    def __radd__(self, other: str) -> Words:
        return Words(other, self)


def parts_of(text: str | Part) -> tuple[Part, ...]:
    """The parts of a text.

    Parameters
    ----------
    text : str or Part
        A plain text, or one with parts.

    Returns
    -------
    tuple of Part
        A plain text is its own single part; an empty one has none.

    Examples
    --------
    >>> parts_of("bootstrap"), parts_of("")
    ((Part(text='bootstrap', together=None, is_number=False, terms=()),), ())
    """
    if isinstance(text, Words):
        return text.parts
    if isinstance(text, Part):
        return (text,)
    return _plain(text) if text else ()


# A report repeats a few pieces in thousands of estimates, and a part never changes.
@lru_cache(maxsize=1024)
def _plain(text: str) -> tuple[Part, ...]:
    return (Part(text),)
