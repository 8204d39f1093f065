"""Pairwise comparisons of contestants, by index: who was preferred, and whether finite strengths fit the outcomes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import optimize
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from agreement.arguments import shown
from agreement.codebook import is_missing
from agreement.coding import as_values

Preferred = Literal["first", "second", "tie"]
Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
TIE = 2
_CODES = {"first": 0, "second": 1, "tie": TIE}
_SURELY = 1e-6


@dataclass(frozen=True)
class Comparisons:
    """Who was compared with whom, as indices of the contestants, and the outcomes.

    Attributes
    ----------
    first, second : array of int, shape (comparisons,)
        Indices of the two contestants.
    outcome : array of int, shape (comparisons,)
        0 if the first was preferred, 1 if the second, 2 for a tie.
    clusters : array of int, shape (comparisons,)
        Units that vary together.
    """

    first: Places
    second: Places
    outcome: Places
    clusters: Places

    def among(self, wanted: npt.NDArray[np.bool_]) -> Comparisons:
        """The comparisons in which both contestants are wanted."""
        selected = wanted[self.first] & wanted[self.second]
        return Comparisons(self.first[selected], self.second[selected], self.outcome[selected], self.clusters[selected])

    @property
    def winners(self) -> tuple[Places, Places]:
        """Who did at least as well as whom; a tie counts in both directions."""
        ahead = np.concatenate((self.first[self.outcome != 1], self.second[self.outcome != 0]))
        behind = np.concatenate((self.second[self.outcome != 1], self.first[self.outcome != 0]))
        return ahead, behind


def coded(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    preferred: Sequence[Preferred],
    clusters: Sequence[Any] | None,
) -> tuple[list[Hashable], Comparisons]:
    """The contestants in order, and the comparisons as indices into them."""
    given = {"first": first, "second": second, "preferred": preferred}
    given |= {} if clusters is None else {"clusters": clusters}
    values = {name: as_values(entries, name) for name, entries in given.items()}
    first, second, preferred = values["first"], values["second"], values["preferred"]
    clusters = values.get("clusters")
    n = len(first)
    if len(lengths := {len(entries) for entries in values.values()}) > 1:
        raise ValueError(
            f"{', '.join(values)}: lengths differ ({sorted(lengths)}); expected one of each per comparison"
        )
    for name, entries in values.items():
        if strange := [entry for entry in entries if not isinstance(entry, Hashable)]:
            raise ValueError(f"{name} holds {shown(strange[0])}; expected texts or numbers")
    for former, other, said in zip(first, second, preferred, strict=True):
        if is_missing(former) or is_missing(other):
            raise ValueError("first or second holds a missing name; expected two contestants in each comparison")
        if former == other:
            raise ValueError(f"first and second: {shown(former)} is compared with itself; expected two contestants")
        if said not in _CODES:
            raise ValueError(f"preferred is {shown(said)}, expected 'first', 'second' or 'tie'")
    names = sorted({*first, *second}, key=lambda name: (str(type(name)), str(name)))
    places = {name: place for place, name in enumerate(names)}
    own = {
        cluster: place for place, cluster in enumerate(dict.fromkeys(clusters if clusters is not None else range(n)))
    }
    return names, Comparisons(
        np.array([places[name] for name in first], dtype=np.intp),
        np.array([places[name] for name in second], dtype=np.intp),
        np.array([_CODES[said] for said in preferred], dtype=np.intp),
        np.array([own[cluster] for cluster in (clusters if clusters is not None else range(n))], dtype=np.intp),
    )


def _parts(ahead: Places, behind: Places, n: int, *, strong: bool) -> tuple[int, Places]:
    graph = csr_array((np.ones(ahead.size), (ahead, behind)), shape=(n, n))
    count, labels = connected_components(graph, directed=True, connection="strong" if strong else "weak")
    return int(count), labels


def why_undefined(data: Comparisons, n: int) -> str | None:
    """Why no strength can be estimated for any of the n contestants; None if they can."""
    if n == 0:
        return "no comparison"
    parts, _ = _parts(data.first, data.second, n, strong=False)
    return "no chain of comparisons links all of them" if parts > 1 else None


def with_finite_strength(data: Comparisons, n: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which contestants have a finite strength, and which of the others were always preferred to the remaining ones."""
    left, always = np.ones(n, dtype=bool), np.zeros(n, dtype=bool)
    while left.sum() > 1:
        ahead, behind = data.among(left).winners
        wins, losses = np.bincount(ahead, minlength=n), np.bincount(behind, minlength=n)
        best = np.flatnonzero(left & (wins > 0) & (losses == 0))
        worst = np.flatnonzero(left & (losses > 0) & (wins == 0))
        if best.size == 0 and worst.size == 0:
            break
        # One at a time, so that somebody remains as the reference for the others.
        taken = best[0] if best.size else worst[0]
        always[taken] = bool(best.size)
        left[taken] = False
    return left, always


def are_linked(core: Comparisons, finite: npt.NDArray[np.bool_]) -> bool:
    """Whether each member was preferred to each other one, if only through others: the MLE then exists (Ford 1957)."""
    members = np.flatnonzero(finite)
    if members.size == 1:
        return True
    _, labels = _parts(*core.winners, finite.size, strong=True)
    return len(set(labels[members].tolist())) == 1


def predictors_of(data: Comparisons, members: Places, *, ties: bool) -> Numbers:
    """The predictors of the log odds of each outcome of each comparison, by free parameter: (comparisons, 2 or 3, p).

    Strengths sum to 0, so the last strength is minus the sum of the others.
    """
    k = members.size
    basis = np.vstack((np.eye(k - 1), -np.ones((1, k - 1))))
    row = np.zeros(int(members.max()) + 1, dtype=np.intp)
    row[members] = np.arange(k)
    of_first, of_second = basis[row[data.first]], basis[row[data.second]]
    if not ties:
        return np.stack((of_first, of_second), axis=1)
    both = np.stack((of_first, of_second, (of_first + of_second) / 2), axis=1)
    nu = np.zeros((*both.shape[:2], 1))
    nu[:, 2, 0] = 1.0
    return np.concatenate((both, nu), axis=2)


def has_no_maximum(core: Comparisons, members: Places) -> bool:
    """Whether the likelihood of Davidson's model is unbounded: along some direction only observed outcomes gain.

    A linear program finds such a direction if one exists (Albert and Anderson 1984).
    """
    made = np.unique(np.column_stack((core.first, core.second, core.outcome)), axis=0)
    different = Comparisons(made[:, 0], made[:, 1], made[:, 2], np.zeros(len(made), dtype=np.intp))
    predictors = predictors_of(different, members, ties=True)
    seen = predictors[np.arange(len(made)), different.outcome]
    ahead = (seen[:, None, :] - predictors).reshape(-1, predictors.shape[2])
    way = optimize.linprog(-ahead.sum(axis=0), A_ub=-ahead, b_ub=np.zeros(len(ahead)), bounds=(-1.0, 1.0))
    return bool(-way.fun > _SURELY)
