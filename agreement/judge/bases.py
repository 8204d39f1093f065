"""The bases of a judge's calibration: each human alone, and the humans combined by several rules, side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy  # scipy.stats takes 0.3 s to import: it is loaded where first used

from agreement.coding import Floats
from agreement.consensus import Rule, consensus
from agreement.judge.factors import Chosen
from agreement.judge.material import Material, Verdicts
from agreement.judge.plan import Plan
from agreement.judge.scale import Scale, State
from agreement.leave_one_out import FEWEST_RATERS

ADJUDICATED = "adjudicated"
_MEAN: Rule = "mean"
_BY_CHANCE = 0.001


@dataclass(frozen=True)
class Basis:
    """The human verdicts that a judge is compared with.

    Attributes
    ----------
    name : str
        A human, or a rule with the number of humans, such as ``"majority of 3"``.
    codes : ndarray of float, shape (labelled,)
        Codes of levels; nan without a verdict. All nan if the verdicts are averaged to a mean score, which is
        not a level.
    scores : ndarray of float, shape (labelled,)
        Scores on the scale; all nan if the scale has none.
    rule : str
        The rule that combines the humans, such as ``"majority"``; empty for a single human or adjudicated verdicts.
    single : ndarray of bool, shape (labelled,), or None
        For a mean, which of them a single human gave a verdict on, which counts as their mean; None for all others.
    """

    name: str
    codes: Floats
    scores: Floats
    rule: str = ""
    single: Chosen | None = None

    def is_called(self, name: str) -> bool:
        """Whether a plan that names this basis means it, by its full name or by its rule alone."""
        return name in (self.name, self.rule)

    @property
    def given(self) -> Chosen:
        """Which labelled candidates have a verdict."""
        return ~np.isnan(self.codes) | ~np.isnan(self.scores)

    @property
    def n(self) -> int:
        """Number of labelled candidates with a verdict."""
        return int(self.given.sum())

    @property
    def left_out(self) -> int:
        """Number of labelled candidates without a verdict."""
        return self.codes.size - self.n

    @property
    def has_levels(self) -> bool:
        """Whether the verdicts are levels of the scale, as coefficients for levels require."""
        return not bool(np.isnan(self.codes).all())

    def part(self, among: Chosen) -> Basis:
        """The same basis restricted to some of the labelled candidates."""
        single = None if self.single is None else self.single[among]
        return Basis(self.name, self.codes[among], self.scores[among], self.rule, single)

    def right_or_wrong(self, scale: Scale) -> bool:
        """Whether every score is 1 or 0; the mean of two humans who differ is neither."""
        return scale.shares and self.has_levels

    @property
    def omitted(self) -> str:
        """The clause on candidates left out, to append to a sentence; empty if there are none."""
        return f", {self.left_out} of the labelled without a verdict by {self.name} left out" if self.left_out else ""

    @property
    def in_words(self) -> str:
        """Name and numbers, as printed beside a figure."""
        return f"{self.name}, {self.n} labelled, {self.left_out} left out{self.by_one}"

    @property
    def by_one(self) -> str:
        """The clause on what a single one of several humans rated and is in their mean; empty if there is nothing."""
        return f", {self.of_one} rated by one human alone" if self.of_one else ""

    @property
    def of_one(self) -> int:
        """The number of labelled candidates whose mean is the verdict of a single human."""
        return 0 if self.single is None else int(self.single.sum())


def bases(material: Material) -> list[Basis]:
    """Everything that the judge is compared with, the default basis first.

    A single human is the only basis. Several humans are combined by majority for categories (ties are left out), by the
    mean for numbers, and by majority and median for ordered levels. Beside these come unanimity, which leaves out the
    hard candidates and so flatters a judge; the mean score, which leaves out none; the adjudicated verdicts, if any;
    and each human alone. A mean is that of all who rated a candidate, even of a single human; the other rules need two.
    The mean score comes first for ordered levels, and for two humans, whose majority is unanimity.

    Parameters
    ----------
    material : Material
        Only its labelled candidates are used.

    Returns
    -------
    list of Basis
        With codes for ``material.labelled``.
    """
    labelled = material.labelled
    scale = material.scale
    alone = [_basis(name, verdicts.codes, scale) for name, verdicts in labelled.humans.items()]
    joined: list[Basis] = []
    if len(alone) > 1:
        table = labelled.human_table()
        single = (~np.isnan(table)).sum(axis=1) == 1
        joined = [_basis(f"{rule} of {len(alone)}", _joined(table, rule), scale, rule) for rule in _RULES[scale.kind]]
        joined = [replace(each, single=single) if each.rule == _MEAN else each for each in joined]
        if scale.scored and scale.kind != "number":
            score = Basis(f"mean of {len(alone)}", np.full(len(table), np.nan), _mean_score(alone), _MEAN, single)
            first = 0 if len(alone) < FEWEST_RATERS or not scale.shares else len(joined)
            joined.insert(first, score)
    decided = labelled.adjudicated
    if decided is not None:
        joined.append(_basis(ADJUDICATED, np.where(decided.states == State.VERDICT, decided.codes, np.nan), scale))
    return [*joined, *alone]


def labelled_and_judged(material: Material, judge: str) -> tuple[Chosen, Chosen, Chosen, Chosen]:
    """What numbers are said of: all candidates, the labelled, those with a judge's verdict, and the labelled of these.

    One choice of what is withheld holds for all of them, as two could be held against each other.

    Returns
    -------
    tuple of ndarray of bool, shape (n,)
    """
    judged = ~np.isnan(material.judges[judge].codes)
    labelled = np.zeros_like(judged)
    labelled[material.labelled_places] = True
    return np.ones_like(judged), labelled, judged, judged & labelled


def counted(material: Material, judge: str, basis: Basis) -> tuple[Chosen, ...]:
    """What figures on a judge rest on: as `labelled_and_judged`, then the judged with a verdict by the basis.

    Returns
    -------
    tuple of ndarray of bool, shape (n,)
    """
    *before, both = labelled_and_judged(material, judge)
    given = np.zeros_like(both)
    given[material.labelled_places] = basis.given
    return *before, both, both & given


def excluded_by(material: Material, basis: Basis) -> Chosen:
    """The candidates that a basis excludes: some of its humans did, and none of them gave a verdict."""
    of: list[Verdicts] = list(material.humans.values())
    if basis.name in material.humans:
        of = [material.humans[basis.name]]
    elif basis.name == ADJUDICATED and material.adjudicated is not None:
        of = [material.adjudicated]
    states = np.column_stack([verdicts.states for verdicts in of])
    return np.asarray((states == State.EXCLUDED).any(axis=1) & (states != State.VERDICT).all(axis=1))


@dataclass(frozen=True)
class Adjudicated:
    """How often candidates were adjudicated, by whether the judge differs from a human on them.

    Attributes
    ----------
    differing, others : int
        The labelled candidates on which it differs from a human, and those on which it does not.
    of_differing, of_others : int
        How many of each were adjudicated.
    """

    differing: int
    others: int
    of_differing: int
    of_others: int

    @property
    def how_far(self) -> str:
        """Whether "only" what differs was adjudicated, or "above all" this; empty for neither.

        More often by chance alone, as could be in one of 1,000 samples, counts as neither.
        """
        of_all = self.of_differing + self.of_others
        if of_all in (0, self.differing + self.others) or not self.others:
            return ""
        if not self.of_others:
            return "only"
        hypergeom = scipy.stats.hypergeom
        by_chance = hypergeom.sf(self.of_differing - 1, self.differing + self.others, self.differing, of_all)
        return "above all" if by_chance < _BY_CHANCE else ""


def how_adjudicated(material: Material, judge: str) -> Adjudicated:
    """How often candidates were adjudicated on which a judge differs from a human, and on which it does not.

    Parameters
    ----------
    material : Material
    judge : str

    Returns
    -------
    Adjudicated
    """
    labelled = material.labelled
    if labelled.adjudicated is None:
        return Adjudicated(0, 0, 0, 0)
    own, table = labelled.judges[judge].codes, labelled.human_table()
    differs = ((table != own[:, None]) & ~np.isnan(table)).any(axis=1) & ~np.isnan(own)
    decided = labelled.adjudicated.states == State.VERDICT
    return Adjudicated(
        int(differs.sum()), int((~differs).sum()), int((differs & decided).sum()), int((~differs & decided).sum())
    )


def adjudication_caution(material: Material, judge: str) -> str | None:
    """Why adjudicated verdicts must not calibrate a judge: what differed from it was adjudicated more often.

    Parameters
    ----------
    material : Material
    judge : str

    Returns
    -------
    str or None
        A sentence if the judge differs from a human on every adjudicated candidate, but not on every other candidate;
        or on so many of them that these were not drawn like the others.
    """
    counts = how_adjudicated(material, judge)
    if counts.how_far == "only":
        return (
            f"Only {counts.of_differing} of {material.labelled.n} labelled {material.unit}s were adjudicated, and "
            f"{judge} differs from a human on all of them: such verdicts flatter a judge and cannot calibrate it."
        )
    if counts.how_far:
        return (
            f"Adjudicated were {counts.of_differing} of the {counts.differing} {material.unit}s on which {judge} "
            f"differs from a human, and {counts.of_others} of the {counts.others} others: without weights, such "
            "verdicts overstate how often it errs."
        )
    return None


def only_what_differed(material: Material, judge: str, basis: Basis, *, is_weighted: bool = False) -> str | None:
    """Why a basis of verdicts adjudicated more often where they differed from the judge cannot be used to assess it.

    Parameters
    ----------
    material : Material
    judge : str
    basis : Basis
    is_weighted : bool
        Whether candidates are weighted by their chance of being adjudicated. That does not help if those on which the
        judge agrees had none.

    Returns
    -------
    str or None
        None for any other basis.
    """
    if basis.name != ADJUDICATED or (is_weighted and how_adjudicated(material, judge).how_far != "only"):
        return None
    return adjudication_caution(material, judge)


def main_basis(material: Material, plan: Plan) -> Basis:
    """The basis of the corrections, the uniformity panel and the certificate.

    Parameters
    ----------
    material : Material
    plan : Plan
        May name the basis.

    Returns
    -------
    Basis

    Raises
    ------
    ValueError
        When no basis has that name.
    """
    every = bases(material)
    if plan.basis is None:
        return every[0]
    for basis in every:
        if basis.is_called(plan.basis):
            return basis
    raise ValueError(f"basis is {plan.basis!r}; expected one of {', '.join(basis.name for basis in every)}")


def undecided_caution(material: Material, basis: Basis, plan: Plan) -> list[str]:
    """Why decisions in only a part of what humans differ on flatter a judge.

    Parameters
    ----------
    material : Material
    basis : Basis
    plan : Plan
        Of sealed candidates, of which few figures are shown, nothing is counted.

    Returns
    -------
    list of str
        A sentence if the basis is what humans agree on, with decisions where they differ, and some of these are
        missing. Empty otherwise.
    """
    labelled = material.labelled
    if basis.name != ADJUDICATED or not labelled.decides_differences:
        return []
    table = labelled.human_table()
    given = ~np.isnan(table)
    differ = given.any(axis=1) & (
        np.where(given, table, -np.inf).max(axis=1) != np.where(given, table, np.inf).min(axis=1)
    )
    missing = int((differ & ~basis.given).sum())
    if not missing:
        return []
    of = f"{missing:,} of the {int(differ.sum()):,}" if plan.fewest_shown == 1 else "Some"
    which = f"{of} {material.unit}s on which humans differ"
    return [f"{which} were not decided and are left out: the others are easier, which flatters a judge."]


_RULES: dict[str, tuple[Rule, ...]] = {
    "binary": ("majority", "unanimous"),
    "nominal": ("majority", "unanimous"),
    "ordinal": ("majority", "median", "unanimous"),
    "number": ("mean",),
}


def _basis(name: str, codes: Floats, scale: Scale, rule: str = "") -> Basis:
    return Basis(name, codes, scale.scores(codes) if scale.scored else np.full(codes.shape, np.nan), rule)


def _mean_score(alone: list[Basis]) -> Floats:
    """Mean of the scores given, whatever their number."""
    table = np.column_stack([basis.scores for basis in alone])
    given = (~np.isnan(table)).sum(axis=1)
    return np.where(given > 0, np.nansum(table, axis=1) / np.maximum(given, 1), np.nan)


def _joined(table: Floats, rule: Rule) -> Floats:
    values = consensus(table, rule, fewest=1 if rule == _MEAN else 2).values
    return np.array([np.nan if value is None else float(value) for value in values])
