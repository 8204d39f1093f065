"""What is withheld or rounded because it would disclose what a single human said about a sealed candidate."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.coding import Codes
from agreement.estimate import Estimate
from agreement.judge.factors import Chosen, Factor
from agreement.judge.keys import numbered
from agreement.judge.material import Material, Verdicts
from agreement.judge.rows import Panel
from agreement.judge.scale import State

FEWEST_SEALED = 5
"""Minimum number of labelled candidates behind a figure on sealed verdicts."""
DIGITS = 3
"""Significant digits of a figure on sealed verdicts. Probabilities can be chosen so that all digits of a Brier score
spell out every verdict: one of 1/2, 1/4, 1/8 ... for each candidate."""
_REST = ""
_MOST_UNITED = 12
"""Of two attributes that both have more levels than this, single levels of either are compared with unions of the
other's, not unions with unions."""


def too_few(counts: Mapping[str, int | Sequence[int]], fewest: int, *, hidden: Collection[str] = ()) -> set[str]:
    """Levels whose figures are withheld because they rest on fewer candidates than `fewest`.

    If these levels together still have fewer, their verdicts could be derived by subtracting the others from the total:
    the next smallest level is then withheld too.

    Parameters
    ----------
    counts : mapping of str to int, or to a sequence of int
        Candidates in each level, or several counts: such as its candidates, those that people labelled, and those on
        which people agree. A level without any has nothing to disclose. What is withheld for a count depends on no
        later one, which would tell where people agree.
    fewest : int
    hidden : collection of str
        Levels that have no figure anyway.

    Returns
    -------
    set of str

    Examples
    --------
    >>> sorted(too_few({"a": 30, "b": 2, "c": 9, "d": 0}, 5)), too_few({"a": 30, "c": 9}, 5)
    (['b', 'c'], set())
    >>> sorted(too_few({"a": (30, 30), "b": (6, 1), "c": (9, 9), "d": (20, 0)}, 5))
    ['b', 'c']
    """
    of_levels = {level: [of] if isinstance(of, int) else list(of) for level, of in counts.items()}
    withheld = set(hidden)
    for place in range(max(map(len, of_levels.values()), default=0)):
        of = {level: numbers[place] for level, numbers in of_levels.items() if numbers[place]}
        withheld |= {level for level, count in of.items() if count < fewest}
        for level in sorted(of.keys() - withheld, key=lambda level: (of[level], level)):
            if not 0 < sum(of.get(each, 0) for each in withheld) < fewest:
                break
            withheld.add(level)
    return withheld


@dataclass(frozen=True)
class Parts:
    """The levels of several attributes, and on how many candidates the figures in each of them rest.

    Attributes
    ----------
    levels : dict of str to dict of str to ndarray of bool, shape (groups,)
        By attribute and level, which groups it consists of; a group is alike in all attributes.
    counts : ndarray of int, shape (counts, groups)
        As in `too_few`: of all candidates, of the labelled, and others; what the last is of is part of the labelled.
    """

    levels: dict[str, dict[str, Chosen]]
    counts: Codes

    def withheld(self, fewest: int, *, of_verdicts: bool) -> set[tuple[str, str]]:
        """The attributes and levels whose figures would disclose what was said of fewer candidates than `fewest`.

        By themselves, or by subtraction: from the total, or from levels of an attribute that comes before and divides
        the candidates nearly alike; of two such attributes, no level of the second is said.

        Parameters
        ----------
        fewest : int
        of_verdicts : bool
            Whether figures are computed from verdicts, such as a share of right answers, or verdicts only counted.
        """
        if fewest <= 1:
            return set()
        counts = self.counts if of_verdicts else self.counts[:-1]
        withheld: set[tuple[str, str]] = set()
        said: list[Codes] = []
        nowhere = np.zeros(counts.shape[1], dtype=np.bool_)
        for name, levels in self.levels.items():
            # What has no level is in the total, but in no figure of its own.
            divided = {**levels, _REST: ~np.any([nowhere, *levels.values()], axis=0)}
            numbers = {level: [int(n) for n in counts[:, groups].sum(axis=1)] for level, groups in divided.items()}
            few = too_few(numbers, fewest, hidden=[_REST])
            together = np.any([divided[level] for level in few], axis=0)
            division = np.argmax([together, *(groups for level, groups in divided.items() if level not in few)], axis=0)
            if any(_nearly_alike(division, before, counts, fewest) for before in said):
                few |= set(levels)
            else:
                said.append(division)
            withheld |= {(name, level) for level in few - {_REST}}
        return withheld

    def known(self, withheld: Collection[tuple[str, str]]) -> list[Chosen]:
        """The sets of groups whose numbers are said: all, levels, and what the levels of an attribute leave."""
        everything = np.ones(self.counts.shape[1], dtype=np.bool_)
        known = [everything]
        for name, levels in self.levels.items():
            said = [groups for level, groups in levels.items() if (name, level) not in withheld]
            known += [*said, ~np.any([~everything, *said], axis=0)]
        return known

    def at_most(self, groups: Chosen, known: Sequence[Chosen], fewest: int) -> int:
        """The most labelled candidates that groups can have by what is said, or if they have few, just fewer.

        Their own number is not used: whether it reaches a bound could tell on which of a few candidates nobody decided.

        Parameters
        ----------
        groups : ndarray of bool, shape (groups,)
        known : sequence of ndarray of bool, shape (groups,)
        fewest : int
        """
        everything, labelled, *_ = self.counts
        most = min(int(everything[groups].sum()), *(int(labelled[around].sum()) for around in _around(groups, known)))
        return min(most, fewest - 1) if labelled[groups].sum() < fewest else most

    def at_least(self, groups: Chosen, known: Sequence[Chosen], fewest: int) -> int:
        """The smallest last count of groups that follows from what is said.

        Of every set with a known count that contains them, at most the others can be in that count.

        Parameters
        ----------
        groups, known, fewest
            As in `at_most`.
        """
        last = self.counts[-1]
        return max(
            int(last[around].sum()) - self.at_most(around & ~groups, known, fewest) for around in _around(groups, known)
        )


def _around(groups: Chosen, known: Sequence[Chosen]) -> list[Chosen]:
    """The known sets that contain groups; all are one of them."""
    places = np.flatnonzero(groups)
    return [of for of in known if of[places].all()]


def _nearly_alike(first: Codes, second: Codes, counts: Codes, fewest: int) -> bool:
    """Whether levels of one attribute are together the same candidates as levels of another but for 1 to a few.

    Parameters
    ----------
    first, second : ndarray of int, shape (groups,)
        Their levels.
    counts : ndarray of int, shape (counts, groups)
    fewest : int
    """
    together, shape = first * (int(second.max()) + 1) + second, (int(first.max()) + 1, int(second.max()) + 1)
    for numbers in counts:
        table = np.bincount(together, weights=numbers, minlength=shape[0] * shape[1]).reshape(shape)
        for of_both in (table, table.T):
            others = of_both.shape[1]
            united = np.eye(others)
            if others <= _MOST_UNITED:
                united = (np.arange(2**others)[:, None] >> np.arange(others) & 1).astype(np.float64)
            inside = of_both @ united.T
            apart = np.minimum(inside, of_both.sum(axis=1)[:, None] - inside).sum(axis=0)
            if ((apart > 0) & (apart < fewest)).any():
                return True
    return False


def parts_of(attributes: Mapping[str, Factor], counted: Sequence[Chosen]) -> Parts:
    """The levels of attributes, with what figures rest on.

    Parameters
    ----------
    attributes : mapping of str to Factor
        Of n candidates each.
    counted : sequence of ndarray of bool, shape (n,)
        What `Parts.counts` counts.

    Returns
    -------
    Parts
    """
    if not attributes:
        return Parts({}, np.array([[among.sum()] for among in counted], dtype=np.intp))
    groups, n = numbered([factor.codes + 1 for factor in attributes.values()])
    levels = {
        name: {level: np.bincount(groups[among], minlength=n) > 0 for level, among in factor.levels()}
        for name, factor in attributes.items()
    }
    return Parts(levels, np.array([np.bincount(groups[among], minlength=n) for among in counted], dtype=np.intp))


def where_judged(material: Material, judge: str) -> Material:
    """The material with human verdicts only where a judge has one; on other candidates they count as excluded.

    Which candidates these are is known from the judge's file: a figure with and one without them would tell, of a few,
    what was said of each.

    Parameters
    ----------
    material : Material
    judge : str

    Returns
    -------
    Material
        As many candidates are labelled as before.
    """
    judged = ~np.isnan(material.judges[judge].codes)

    def of(verdicts: Verdicts) -> Verdicts:
        lost = ~judged & (verdicts.states == State.VERDICT)
        states = np.where(lost, np.int8(State.EXCLUDED), verdicts.states)
        return Verdicts(np.where(judged, verdicts.codes, np.nan), states)

    return replace(
        material,
        humans={name: of(verdicts) for name, verdicts in material.humans.items()},
        adjudicated=None if material.adjudicated is None else of(material.adjudicated),
    )


def in_words(fewest: int, unit: str = "candidate") -> str:
    """The reason why a figure is withheld."""
    return f"withheld: beside all others, a figure on fewer than {fewest} sealed {unit}s tells single verdicts"


def rounded(panel: Panel, fewest: int) -> Panel:
    """A panel with so few digits in each figure that they do not spell out verdicts.

    Limits are rounded into the interval: a limit that clears a criterion's bound still does.

    Parameters
    ----------
    panel : Panel
    fewest : int
        As in `too_few`; at 1 nothing is sealed, and the panel stays as it is.

    Returns
    -------
    Panel
    """
    if fewest <= 1:
        return panel
    return replace(panel, rows=tuple(replace(row, estimate=_rounded(row.estimate)) for row in panel.rows))


def _rounded(estimate: Estimate) -> Estimate:
    value, low, high = _near(estimate.value), _near(estimate.low, math.ceil), _near(estimate.high, math.floor)
    if low >= high:  # too narrow for so few digits
        low, high = _near(estimate.low, math.floor), _near(estimate.high, math.ceil)
    se = None if estimate.se is None else _near(estimate.se)
    p = None if estimate.p is None else _near(estimate.p)
    return replace(estimate, value=value, low=low, high=high, se=se, p=p)


def _near(number: float, towards: Callable[[float], float] = round) -> float:
    """A number with few digits, rounded to the nearest one or in a direction."""
    if not math.isfinite(number) or number == 0.0:
        return number
    places = DIGITS - 1 - math.floor(math.log10(abs(number)))
    # What has few digits already stays, although its binary form may be just above or below.
    near = round(number, places)
    if math.isclose(near, number, rel_tol=1e-12):
        return near
    return round(towards(number * 10.0**places) / 10.0**places, places)
