"""Text that knows its parts: what the method of an estimate is made of, so that nobody reads it out of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Term = Literal[
    "Wilson", "effective number", "bootstrap", "two items added", "degrees of freedom", "fixed", "random",
]  # fmt: skip
"""What a reader who knows no statistics may want explained, by one name everywhere."""


@dataclass(frozen=True)
class Part:
    """A piece of a text.

    Parameters
    ----------
    text : str
        The piece as it is printed beside one estimate.
    together : str, optional
        What stands in its place where several estimates share a note; empty where the piece is of one estimate alone.
        None is `text`.
    is_number : bool
        Whether it is a number that differs from estimate to estimate: a shared note says the least and the greatest.
    terms : tuple of Term
        What it speaks of that may want explaining.
    """

    text: str
    together: str | None = None
    is_number: bool = False
    terms: tuple[Term, ...] = ()


class Words(str):
    """A text, with the parts that it is made of.

    It is a plain string for whoever prints, compares or stores it. Added to another text it keeps its parts; put into
    an f-string it loses them. Of a method the first part is the kind of interval, as a caption says it.

    Parameters
    ----------
    *pieces : str or Part
        In their order; a plain string is a part without anything to know about it.

    Examples
    --------
    >>> said = Words("bootstrap", ", 200 resamples") + Words("; ", Part("3 ", together="those "), "left out")
    >>> said, said.parts[0].text
    ('bootstrap, 200 resamples; 3 left out', 'bootstrap')
    """

    parts: tuple[Part, ...]

    def __new__(cls, *pieces: str | Part) -> Words:
        """Join the pieces."""
        parts = tuple(part for piece in pieces for part in parts_of(piece))
        words = super().__new__(cls, "".join(part.text for part in parts))
        words.parts = parts
        return words

    def __add__(self, other: str) -> Words:
        return Words(self, other)

    def __radd__(self, other: str) -> Words:
        return Words(other, self)


def parts_of(text: str | Part) -> tuple[Part, ...]:
    """The parts of a text.

    Parameters
    ----------
    text : str or Part
        Plain, or with its parts.

    Returns
    -------
    tuple of Part
        Of a plain text itself as the only one, of an empty one none.

    Examples
    --------
    >>> parts_of("bootstrap"), parts_of("")
    ((Part(text='bootstrap', together=None, is_number=False, terms=()),), ())
    """
    if isinstance(text, Words):
        return text.parts
    if isinstance(text, Part):
        return (text,)
    return (Part(text),) if text else ()
