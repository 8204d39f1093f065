"""The input of the panels: verdicts of humans and judges on candidates, as arrays on one scale."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.coding import Codes, Floats
from agreement.judge.compared import Compared
from agreement.judge.factors import Chosen, Factor
from agreement.judge.keys import numbered
from agreement.judge.scale import IN_WORDS, Scale, State


@dataclass(frozen=True)
class Verdicts:
    """Verdicts of a human or a judge.

    Attributes
    ----------
    codes : ndarray of float, shape (n,)
        Position of the level on the scale, or the number; nan if there is no verdict.
    states : ndarray of int8, shape (n,)
        `State` of each candidate.
    """

    codes: Floats
    states: npt.NDArray[np.int8]

    def part(self, among: Any) -> Verdicts:
        """The verdicts on some of the candidates."""
        return Verdicts(self.codes[among], self.states[among])

    def counts(self) -> dict[str, int]:
        """How many candidates have no verdict, by the state they have instead."""
        times = np.bincount(self.states, minlength=len(State))
        return {words: int(times[state]) for state, words in IN_WORDS.items() if times[state]}


@dataclass(frozen=True)
class Made:
    """How a run was made: runs made alike are repeats of each other, the others are versions of a judge.

    Attributes
    ----------
    judge : str
        The judge whose versions are compared with each other.
    prompt, model : str
        Version of the prompt, and the provider's model string; empty if unknown.
    """

    judge: str
    prompt: str = ""
    model: str = ""


@dataclass(frozen=True)
class Frame:
    """The candidates from which the human-rated ones were drawn: scores can be corrected only for these.

    Attributes
    ----------
    among : ndarray of bool, shape (n,)
    in_words : str
        What they have in common, for example ``"condition is stem only"``.
    """

    among: Chosen
    in_words: str


@dataclass(frozen=True)
class Material:
    """Candidates with verdicts of humans, on some of them, and of judges, on all.

    Attributes
    ----------
    scale : Scale
    humans, judges : dict of str to Verdicts
        By name, n candidates each. If a judge has several runs, this is the first.
    models : Factor or None
        The model that gave the answer.
    factors : dict of str to Factor
        Further attributes by which results are broken down: category, tier ...
    items : ndarray of int, shape (n,), or None
        The prompt that a candidate answers: the same number for the candidates of all models.
    clusters : ndarray of int, shape (n,), or None
        For example the subject.
    probability : ndarray of float, shape (n,), or None
        The probability with which a candidate was drawn for the humans.
    strata : Factor or None
        Sampling stratum.
    adjudicated : Verdicts or None
        The decisions after several opinions.
    decides_differences : bool
        Whether adjudicated verdicts are decisions only where humans differ, and what they agree on everywhere else.
    grades : dict of str to ndarray of float, shape (n,)
        A probability or grade that a judge gives beside its verdict; the higher, the surer that the answer is right.
    runs : dict of str to dict of str to Verdicts
        By judge, then by run, all on the same n candidates.
    conditions : dict of str to Factor
        The attributes that distinguish several answers of a model to one item: primed and unprimed, with and without
        the image.
    made : dict of (str, str) to Made
        By judge and run; runs that are not listed are repeats of their judge's first one.
    sources : dict of (str, str) to str
        By judge and run, what its verdicts were read from, such as the hash of a file and the columns: runs read from
        the same are one run stored twice, and no repeats.
    frame : Frame, optional
        None if the sample for the humans was drawn from all candidates.
    grades_say, ungraded : dict of str to str
        Sentences: for judges with a grade, what it is; for judges whose number is not used as a grade, why not.
    compared : Compared, optional
        If each candidate is a pair of answers, who competes in it and which was shown first.
    """

    scale: Scale
    humans: dict[str, Verdicts]
    judges: dict[str, Verdicts]
    models: Factor | None = None
    factors: dict[str, Factor] = field(default_factory=dict)
    items: Codes | None = None
    clusters: Codes | None = None
    probability: Floats | None = None
    strata: Factor | None = None
    adjudicated: Verdicts | None = None
    grades: dict[str, Floats] = field(default_factory=dict)
    runs: dict[str, dict[str, Verdicts]] = field(default_factory=dict)
    conditions: dict[str, Factor] = field(default_factory=dict)
    made: dict[tuple[str, str], Made] = field(default_factory=dict)
    sources: dict[tuple[str, str], str] = field(default_factory=dict)
    frame: Frame | None = None
    grades_say: dict[str, str] = field(default_factory=dict)
    ungraded: dict[str, str] = field(default_factory=dict)
    compared: Compared | None = None
    decides_differences: bool = False

    @property
    def n(self) -> int:
        """Number of candidates."""
        return next(iter(self.judges.values())).codes.size

    @property
    def unit(self) -> str:
        """What is judged, as sentences and figures call it: a candidate, or a pair of answers."""
        return "candidate" if self.compared is None else "pair"

    @cached_property
    def labelled_places(self) -> Codes:
        """The candidates on which a human or an adjudication said something, as positions."""
        among = np.zeros(self.n, dtype=np.bool_)
        for verdicts in (*self.humans.values(), *([self.adjudicated] if self.adjudicated else [])):
            among |= verdicts.states != State.NO_VERDICT
        return np.flatnonzero(among)

    @cached_property
    def labelled(self) -> Material:
        """The candidates on which a human or an adjudication said something.

        If each is the only one in its cluster, they are independent and `clusters` is None.
        """
        own = self.part(self.labelled_places)
        alone = own.clusters is not None and np.unique(own.clusters).size == self.labelled_places.size
        return replace(own, clusters=None) if alone else own

    @property
    def attributes(self) -> dict[str, Factor]:
        """The model, if there is one, and the other factors."""
        return ({"model": self.models} if self.models is not None else {}) | self.factors

    @cached_property
    def posed(self) -> Codes | None:
        """The item under its conditions: what candidates of different models have in common."""
        return self.posed_but_for()

    def posed_but_for(self, condition: str | None = None) -> Codes | None:
        """The item under all conditions except one: the one whose levels are compared.

        Parameters
        ----------
        condition : str, optional

        Returns
        -------
        ndarray of int, shape (n,), or None
            None if candidates have no items.
        """
        others = [factor for name, factor in self.conditions.items() if name != condition]
        if self.items is None or not others:
            return self.items
        # an unknown level counts as a level of its own
        return numbered([self.items, *(factor.codes + 1 for factor in others)])[0]

    def part(self, among: Chosen | Codes) -> Material:
        """The material restricted to some of the candidates, without the runs.

        Parameters
        ----------
        among : ndarray of bool, shape (n,), or of int

        Returns
        -------
        Material
        """
        return replace(
            self,
            humans={name: verdicts.part(among) for name, verdicts in self.humans.items()},
            judges={name: verdicts.part(among) for name, verdicts in self.judges.items()},
            models=self.models.part(among) if self.models is not None else None,
            factors={name: factor.part(among) for name, factor in self.factors.items()},
            items=self.items[among] if self.items is not None else None,
            clusters=self.clusters[among] if self.clusters is not None else None,
            probability=self.probability[among] if self.probability is not None else None,
            strata=self.strata.part(among) if self.strata is not None else None,
            adjudicated=self.adjudicated.part(among) if self.adjudicated is not None else None,
            grades={name: grades[among] for name, grades in self.grades.items()},
            runs={},
            conditions={name: factor.part(among) for name, factor in self.conditions.items()},
            frame=replace(self.frame, among=self.frame.among[among]) if self.frame is not None else None,
            compared=self.compared.part(among) if self.compared is not None else None,
        )

    def human_table(self) -> Floats:
        """Codes of all humans, shape (n, humans)."""
        return np.column_stack([verdicts.codes for verdicts in self.humans.values()])
