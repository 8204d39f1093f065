"""What a panel returns: typed rows, sentences, and what it declines to compute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agreement.estimate import Estimate

EVERYTHING = "all"
"""Stratum of a row that covers all candidates."""

COUNTED = "a count has no interval"
"""Why the estimate in a row that counts something has no limits."""


@dataclass(frozen=True)
class Row:
    """A figure of a panel.

    Attributes
    ----------
    statistic : str
        Key of what was computed, such as ``"kappa"``.
    parties : tuple of str
        What the figure is about: humans, judges or models, by name.
    estimate : Estimate
        With n, interval, unit and method.
    stratum : str
        ``"all"``, or the level of a factor, such as ``"tier 2"``.
    basis : str
        The human verdicts behind it, such as ``"majority of 3"``; empty if none.
    sentence : str
        The conclusion, if the figure decides something.
    factor : str
        The factor of which the stratum is a level, such as ``"tier"``; empty if none.
    judge : str
        The judge it belongs to, if this is not one of the parties.
    is_declared : bool
        Whether the statistic is the name of a criterion that a plan declares, which can be that of a shipped one.
    bounds : tuple of float
        What the interval must lie above, or between, if the figure decides by that; figures draw it.
    """

    statistic: str
    parties: tuple[str, ...]
    estimate: Estimate
    stratum: str = EVERYTHING
    basis: str = ""
    sentence: str = ""
    factor: str = ""
    judge: str = ""
    is_declared: bool = False
    bounds: tuple[float, ...] = ()

    @property
    def is_count(self) -> bool:
        """Whether its value is a count."""
        return self.estimate.undefined_because == COUNTED

    def as_dict(self) -> dict[str, Any]:
        """All entries by name, ready for JSON."""
        return {
            "statistic": self.statistic,
            "parties": list(self.parties),
            "stratum": self.stratum,
            "basis": self.basis,
            "sentence": self.sentence,
            "estimate": self.estimate.as_dict(),
        }


@dataclass(frozen=True)
class Panel:
    """A panel of the calibration.

    Attributes
    ----------
    key : str
        As in the table of panels.
    sentences : tuple of str
        The results in plain sentences, grouped by judge.
    rows : tuple of Row
    refused : tuple of str
        What was not computed, and why.
    heads : tuple of str
        A one-line summary for each judge, if there are many sentences; otherwise empty.
    stated : tuple of str
        Those of `refused` whose reason the sentences give in full.
    """

    key: str
    sentences: tuple[str, ...]
    rows: tuple[Row, ...] = ()
    refused: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """All sentences as one text."""
        return " ".join(self.sentences)

    @property
    def in_short(self) -> tuple[str, ...]:
        """The lines for the summary: the heads, if any, otherwise the sentences."""
        return self.heads or self.sentences

    @property
    def not_said(self) -> tuple[str, ...]:
        """What was not computed, and why, unless the sentences give the reason already.

        Examples
        --------
        >>> both = ("a: one human.", "There are no labels.")
        >>> Panel("k", ("It cannot be tested: one human.",), refused=both, stated=both[:1]).not_said
        ('There are no labels.',)
        """
        return tuple(why for why in self.refused if why not in self.stated)

    def of(self, statistic: str, **parts: Any) -> list[Row]:
        """The rows of one statistic.

        Parameters
        ----------
        statistic : str
        **parts
            Further attributes of `Row` that must match.

        Returns
        -------
        list of Row
        """
        return [
            row
            for row in self.rows
            if row.statistic == statistic and all(getattr(row, name) == value for name, value in parts.items())
        ]

    def as_dict(self) -> dict[str, Any]:
        """All entries by name, ready for JSON."""
        return {
            "panel": self.key,
            "heads": list(self.heads),
            "sentences": list(self.sentences),
            "refused": list(self.refused),
            "rows": [row.as_dict() for row in self.rows],
        }
