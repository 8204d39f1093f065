"""The roles of a file's columns, and what was declared about its scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agreement.judge.scale import WORDS_OF_STATES, Kind, State


@dataclass(frozen=True)
class Columns:
    """Which column holds what.

    Attributes
    ----------
    humans, judges : tuple of str
        Columns of verdicts, with one row per candidate. In a file with a column `rater`, names in that column, with one
        row per verdict.
    model, cluster, probability, stratum, run, adjudicated : str or None
    item : tuple of str
        Columns that identify the prompt; with the model they identify a candidate. Empty if each row is a candidate.
    by : tuple of str
        Additional attributes.
    rater, verdict : str or None
        Either both or neither.
    score : str or None
        Probability or grade of the first judge.
    conditions : tuple of str
        Attributes that distinguish several answers of a model to one prompt; they are part of a candidate's name.
    prompt_version, judge_version : str or None
        For each run, the version of the judge's prompt and that of the judge.
    """

    humans: tuple[str, ...]
    judges: tuple[str, ...]
    model: str | None = None
    item: tuple[str, ...] = ()
    cluster: str | None = None
    probability: str | None = None
    stratum: str | None = None
    run: str | None = None
    adjudicated: str | None = None
    by: tuple[str, ...] = ()
    rater: str | None = None
    verdict: str | None = None
    score: str | None = None
    conditions: tuple[str, ...] = ()
    prompt_version: str | None = None
    judge_version: str | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that identify a candidate."""
        return (*self.item, *((self.model,) if self.model else ()), *self.conditions) if self.item else ()

    def needed(self) -> set[str]:
        """All columns that are read."""
        verdicts = (self.rater, self.verdict, *self.humans, *self.judges)
        named = (
            *verdicts,
            *self.item,
            *self.by,
            *self.conditions,
            self.model,
            self.cluster,
            self.probability,
            self.stratum,
            self.run,
            self.score,
            self.prompt_version,
            self.judge_version,
        )
        return {column for column in (*named, self.adjudicated) if column}


@dataclass(frozen=True)
class ScaleAsked:
    """What was declared about the scale."""

    kind: Kind | None = None
    levels: tuple[str, ...] = ()
    positive: tuple[str, ...] = ()
    states: Mapping[str, State] = field(default_factory=lambda: WORDS_OF_STATES)
