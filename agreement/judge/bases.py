"""What the judge is held against: each human alone, and the humans together by several rules, side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agreement.coding import Floats
from agreement.consensus import Rule, consensus
from agreement.judge.material import Chosen, Material
from agreement.judge.plan import Plan
from agreement.judge.scale import Scale, State
from agreement.leave_one_out import FEWEST_RATERS

ADJUDICATED = "adjudicated"


@dataclass(frozen=True)
class Basis:
    """Human verdicts that the judge is held against.

    Attributes
    ----------
    name : str
        A human, or a rule with the number of humans, such as ``"majority of 3"``.
    codes : ndarray of float, shape (labelled,)
        Codes of levels; nan where there is none. All nan where the verdicts are joined to a mean score, which is no
        level.
    scores : ndarray of float, shape (labelled,)
        Scores on the scale; all nan where it has none.
    rule : str
        By which rule it joins humans, such as ``"majority"``; empty where it is of one, or adjudicated.
    """

    name: str
    codes: Floats
    scores: Floats
    rule: str = ""

    def is_called(self, name: str) -> bool:
        """Whether a plan that names this basis means it: by its whole name, or its rule alone."""
        return name in (self.name, self.rule)

    @property
    def given(self) -> Chosen:
        """Which labelled candidates have one."""
        return ~np.isnan(self.codes) | ~np.isnan(self.scores)

    @property
    def n(self) -> int:
        """Labelled candidates that have one."""
        return int(self.given.sum())

    @property
    def left_out(self) -> int:
        """Labelled candidates without one."""
        return self.codes.size - self.n

    @property
    def has_levels(self) -> bool:
        """Whether it is a verdict on the scale, which coefficients for levels need."""
        return not bool(np.isnan(self.codes).all())

    def part(self, among: Chosen) -> Basis:
        """That of some of the labelled candidates."""
        return Basis(self.name, self.codes[among], self.scores[among], self.rule)

    def right_or_wrong(self, scale: Scale) -> bool:
        """Whether every score is 1 or 0; a mean of two who differ is neither."""
        return scale.shares and self.has_levels

    @property
    def omitted(self) -> str:
        """What a sentence says of those that are left out; nothing where there are none."""
        return f", {self.left_out} of the labelled without a verdict by {self.name} left out" if self.left_out else ""

    @property
    def in_words(self) -> str:
        """Name and numbers, as beside a figure."""
        return f"{self.name}, {self.n} labelled, {self.left_out} left out"


def bases(material: Material) -> list[Basis]:
    """Everything that the judge is held against, the usual one first.

    One human stands alone. Of several, categories are joined by majority (ties are left out), numbers by their mean,
    and ordered levels by majority and median; beside these unanimity, which leaves the hard candidates out and flatters
    a judge, the mean score, which leaves none out, the adjudicated verdicts where there are some, and each human alone.
    The mean score comes first for ordered levels, and for two humans, of whom a majority is unanimity.

    Parameters
    ----------
    material : Material
        Of which the labelled candidates are used.

    Returns
    -------
    list of Basis
        Of the codes of ``material.labelled``.
    """
    labelled = material.labelled
    scale = material.scale
    alone = [_basis(name, verdicts.codes, scale) for name, verdicts in labelled.humans.items()]
    joined: list[Basis] = []
    if len(alone) > 1:
        table = labelled.human_table()
        joined = [_basis(f"{rule} of {len(alone)}", _joined(table, rule), scale, rule) for rule in _RULES[scale.kind]]
        if scale.scored and scale.kind != "number":
            score = Basis(f"mean of {len(alone)}", np.full(len(table), np.nan), _mean_score(alone), "mean")
            first = 0 if len(alone) < FEWEST_RATERS or not scale.shares else len(joined)
            joined.insert(first, score)
    decided = labelled.adjudicated
    if decided is not None:
        joined.append(_basis(ADJUDICATED, np.where(decided.states == State.VERDICT, decided.codes, np.nan), scale))
    return [*joined, *alone]


def adjudication_caution(material: Material, judge: str) -> str | None:
    """Why adjudicated verdicts must not calibrate a judge: only what differed from it was adjudicated.

    Parameters
    ----------
    material : Material
    judge : str

    Returns
    -------
    str or None
        A sentence where, of the adjudicated candidates, the judge differs from a human on all, and of the others on
        fewer.
    """
    labelled = material.labelled
    if labelled.adjudicated is None:
        return None
    own, table = labelled.judges[judge].codes, labelled.human_table()
    differs = ((table != own[:, None]) & ~np.isnan(table)).any(axis=1) & ~np.isnan(own)
    decided = labelled.adjudicated.states == State.VERDICT
    if decided.all() or not decided.any() or not differs[decided].all() or differs[~decided].all():
        return None
    return (
        f"Adjudicated were {int(decided.sum())} of {labelled.n} labelled candidates, on all of which {judge} differs "
        "from a human: settling only what differs flatters a judge: the adjudicated verdicts do not calibrate it."
    )


def only_what_differed(material: Material, judge: str, basis: Basis) -> str | None:
    """Why a basis says nothing of a judge, which is the adjudicated verdicts on what differed from it alone.

    Parameters
    ----------
    material : Material
    judge : str
    basis : Basis

    Returns
    -------
    str or None
        None for every other basis.
    """
    return adjudication_caution(material, judge) if basis.name == ADJUDICATED else None


def main_basis(material: Material, plan: Plan) -> Basis:
    """The one on which corrections, uniformity and the certificate rest.

    Parameters
    ----------
    material : Material
    plan : Plan
        May name it.

    Returns
    -------
    Basis

    Raises
    ------
    ValueError
        When there is none of that name.
    """
    every = bases(material)
    if plan.basis is None:
        return every[0]
    for basis in every:
        if basis.is_called(plan.basis):
            return basis
    raise ValueError(f"basis is {plan.basis!r}; expected one of {', '.join(basis.name for basis in every)}")


_RULES: dict[str, tuple[Rule, ...]] = {
    "binary": ("majority", "unanimous"),
    "nominal": ("majority", "unanimous"),
    "ordinal": ("majority", "median", "unanimous"),
    "number": ("mean",),
}


def _basis(name: str, codes: Floats, scale: Scale, rule: str = "") -> Basis:
    return Basis(name, codes, scale.scores(codes) if scale.scored else np.full(codes.shape, np.nan), rule)


def _mean_score(alone: list[Basis]) -> Floats:
    """Mean of the scores that were given, however many there are."""
    table = np.column_stack([basis.scores for basis in alone])
    given = (~np.isnan(table)).sum(axis=1)
    return np.where(given > 0, np.nansum(table, axis=1) / np.maximum(given, 1), np.nan)


def _joined(table: Floats, rule: Rule) -> Floats:
    values = consensus(table, rule).values
    return np.array([np.nan if value is None else float(value) for value in values])
