"""What a panel gives: typed rows, one sentence, and what it refuses to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agreement.estimate import Estimate

EVERYTHING = "all"
"""Stratum of a row that is of all candidates."""

COUNTED = "a count has no interval"
"""Why the estimate of a row has no limits that counts something."""


@dataclass(frozen=True)
class Row:
    """A figure of a panel.

    Attributes
    ----------
    statistic : str
        Key of what was computed, such as ``"kappa"``.
    parties : tuple of str
        Whose it is: humans, judges or models by name.
    estimate : Estimate
        With n, interval, unit and method.
    stratum : str
        ``"all"``, or the level of a factor, such as ``"tier 2"``.
    basis : str
        Which human verdicts it rests on, such as ``"majority of 3"``; empty where on none.
    sentence : str
        What it says, where it decides something.
    factor : str
        Of which factor its stratum is a level, such as ``"tier"``; empty where of none.
    judge : str
        Beside which judge it is, where this is none of the parties.
    """

    statistic: str
    parties: tuple[str, ...]
    estimate: Estimate
    stratum: str = EVERYTHING
    basis: str = ""
    sentence: str = ""
    factor: str = ""
    judge: str = ""

    @property
    def is_count(self) -> bool:
        """Whether its value is a number of things."""
        return self.estimate.undefined_because == COUNTED

    def as_dict(self) -> dict[str, Any]:
        """Everything by name, ready for JSON."""
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
        What the panel says, in plain sentences, those of a judge after each other.
    rows : tuple of Row
    refused : tuple of str
        What was not computed, and why.
    heads : tuple of str
        What is said before that, in a line for each judge, where the sentences are many; else none.
    """

    key: str
    sentences: tuple[str, ...]
    rows: tuple[Row, ...] = ()
    refused: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """All that it says, as one text."""
        return " ".join(self.sentences)

    @property
    def in_short(self) -> tuple[str, ...]:
        """The lines that come before everything else."""
        return self.heads or self.sentences

    @property
    def not_said(self) -> tuple[str, ...]:
        """What was not computed, and why, but for what a sentence says already.

        Examples
        --------
        >>> Panel("k", ("It cannot be tested: one human.",), refused=("a: one human.", "a: no labels.")).not_said
        ('a: no labels.',)
        """
        return tuple(why for why in self.refused if why.partition(": ")[2] not in self.sentence)

    def of(self, statistic: str, **parts: Any) -> list[Row]:
        """The rows of one statistic.

        Parameters
        ----------
        statistic : str
        **parts
            Further attributes of `Row` that must be equal.

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
        """Everything by name, ready for JSON."""
        return {
            "panel": self.key,
            "heads": list(self.heads),
            "sentences": list(self.sentences),
            "refused": list(self.refused),
            "rows": [row.as_dict() for row in self.rows],
        }
