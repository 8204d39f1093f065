"""Whether a partial sample can still be completed within its strata and limits."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csc_array, csr_array, vstack


class Groups(Protocol):
    """A partition of the units: see `services.studies.sampling.pool.Partition`."""

    @property
    def label(self) -> Sequence[int]: ...
    @property
    def most(self) -> Sequence[int]: ...


class Completion(Protocol):
    """Holds a complete sample that contains the units taken so far, as proof that they can be completed.

    Which sample it holds never affects what is drawn; only whether one exists does.
    """

    # Number of solver calls.
    calls: int

    def maximum(self, units: Iterable[int] | None = None) -> int:
        """Return the largest number that can be drawn, of all units or of some of them."""
        ...

    def restart(self, units: Iterable[int]) -> None:
        """Start over with nothing taken, and hold a complete sample that has much in common with these units."""
        ...

    def admits(self, unit: int) -> bool:
        """Take a unit if the sample can still be completed with it; otherwise exclude it for good."""
        ...


SOURCE, SINK = 0, 1

# The most that an integer program caches, in answers times units: about ten megabytes.
REMEMBERED = 10_000_000


class Flow:
    """Samples as flows: from the source through a chain of nested groups to a unit, and through another to the sink.

    A sample can be completed with a further unit if and only if the current flow can be redirected through it without
    giving up a unit already taken: if the residual network has a path from the unit's end to its beginning [1]_.

    References
    ----------
    .. [1] Ahuja, Magnanti and Orlin (1993). Network Flows. Prentice Hall, chapters 2 and 6.
    """

    def __init__(self, size: int, first: Sequence[Groups], second: Sequence[Groups]) -> None:
        self.calls = 0
        self._size = size
        self._up = [SOURCE, SINK]
        self._capacity = [size, size]
        self._down: list[list[int]] = [[], []]
        self._begin = self._grow(first, SOURCE)
        self._behind_first = len(self._up)
        self._end = self._grow(second, SINK)
        # Where each chain is left: the units, by the node that they lead to.
        self._ahead: list[dict[int, list[int]]] = [{} for _ in self._up]
        for unit in range(size):
            self._ahead[self._begin[unit]].setdefault(self._end[unit], []).append(unit)
        self._clear()

    def _grow(self, chain: Sequence[Groups], root: int) -> list[int]:
        """Add a node for each group of a chain, finest partition first; return where each unit is attached."""
        starts = []
        for groups in chain:
            starts.append(len(self._up))
            self._up += [root] * len(groups.most)
            self._capacity += groups.most
            self._down += [[] for _ in groups.most]
        attached = [root] * self._size
        for unit in range(self._size):
            nodes = [
                start + groups.label[unit]
                for start, groups in zip(starts, chain, strict=True)
                if groups.label[unit] >= 0
            ]
            for inner, outer in pairwise([*nodes, root]):
                self._up[inner] = outer
            if nodes:
                attached[unit] = nodes[0]
        for node in range(starts[0] if starts else len(self._up), len(self._up)):
            self._down[self._up[node]].append(node)
        return attached

    def _clear(self) -> None:
        self._load = [0] * len(self._up)
        self._held = bytearray(self._size)
        # Units taken or excluded: no longer to be redirected.
        self._settled = bytearray(self._size)
        self._holding: dict[int, set[int]] = {}

    def maximum(self, units: Iterable[int] | None = None) -> int:
        """Return the largest number that can be drawn, of all units or of some of them."""
        self._clear()
        if units is not None:
            self._settled = bytearray(b"\x01") * self._size
            for unit in units:
                self._settled[unit] = 0
        for unit in range(self._size):
            if not self._settled[unit]:
                self._hold_if_free(unit)
        self._fill()
        return sum(self._held)

    def restart(self, units: Iterable[int]) -> None:
        """Start over with nothing taken, and hold a complete sample that has much in common with these units."""
        self._clear()
        for unit in units:
            self._hold_if_free(unit)
        self._fill()

    def admits(self, unit: int) -> bool:
        """Take a unit if the sample can still be completed with it; otherwise exclude it for good."""
        if not self._held[unit]:
            path = self._path(self._end[unit], self._begin[unit])
            if path is not None:
                self._redirect(path)
                self._hold(unit)
        self._settled[unit] = 1
        return bool(self._held[unit])

    def _hold(self, unit: int) -> None:
        self._held[unit] = 1
        self._holding.setdefault(self._end[unit], set()).add(unit)

    def _release(self, unit: int) -> None:
        self._held[unit] = 0
        self._holding[self._end[unit]].remove(unit)

    def _hold_if_free(self, unit: int) -> None:
        nodes = []
        for start in (self._begin[unit], self._end[unit]):
            node = start
            while node > SINK:
                nodes.append(node)
                node = self._up[node]
        if all(self._load[node] < self._capacity[node] for node in nodes):
            for node in nodes:
                self._load[node] += 1
            self._hold(unit)

    def _fill(self) -> None:
        while (path := self._path(SOURCE, SINK)) is not None:
            self._redirect(path)

    def _path(self, start: int, goal: int) -> list[tuple[int, int, int]] | None:
        """Return a shortest path of the residual network as steps (node, next node, unit or -1)."""
        reached: dict[int, tuple[int, int]] = {start: (-1, -1)}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            if node == goal:
                steps = []
                while node != start:
                    before, unit = reached[node]
                    steps.append((before, node, unit))
                    node = before
                return steps
            for following, unit in self._residual(node, reached):
                reached[following] = (node, unit)
                queue.append(following)
        return None

    def _residual(self, node: int, reached: dict[int, tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the nodes not reached yet to which flow can continue from a node, each with the unit in between."""
        load, capacity, settled = self._load, self._capacity, self._settled
        up, steps = self._up[node], []
        if node == SOURCE or SINK < node < self._behind_first:
            if node != SOURCE and up not in reached and load[node] > 0:
                steps.append((up, -1))
            steps += [(down, -1) for down in self._down[node] if down not in reached and load[down] < capacity[down]]
            for end, units in self._ahead[node].items():
                if end not in reached:
                    free = next((unit for unit in units if not self._held[unit] and not settled[unit]), -1)
                    if free >= 0:
                        steps.append((end, free))
            return steps
        if node != SINK and up not in reached and load[node] < capacity[node]:
            steps.append((up, -1))
        steps += [(down, -1) for down in self._down[node] if down not in reached and load[down] > 0]
        back = {self._begin[unit]: unit for unit in self._holding.get(node, ()) if not settled[unit]}
        steps += [(begin, unit) for begin, unit in back.items() if begin not in reached]
        return steps

    def _redirect(self, path: Iterable[tuple[int, int, int]]) -> None:
        for node, following, unit in path:
            if unit >= 0:
                if self._held[unit]:
                    self._release(unit)
                else:
                    self._hold(unit)
                continue
            in_first = node == SOURCE or following == SOURCE or SINK < node < self._behind_first
            if self._up[node] == following and node > SINK:
                self._load[node] += -1 if in_first else 1
            else:
                self._load[following] += 1 if in_first else -1


class IntegerProgram:
    """Samples as solutions of an integer program, for limits that cross one another in more ways than a flow allows.

    Deciding this is hard in general (three crossing limits include three-dimensional matching), so each answer takes a
    call of HiGHS [1]_ through scipy. If there is little choice, the repeats of a draw ask the same question again; the
    solver's earlier answer is then reused, and counts as a call.

    References
    ----------
    .. [1] Huangfu and Hall (2018). Parallelizing the dual revised simplex method. Math. Prog. Comp. 10, 119-142.
    """

    def __init__(self, size: int, partitions: Sequence[Groups], complete: int) -> None:
        self.calls = 0
        self._size = size
        self._complete = complete
        rows: list[int] = []
        columns: list[int] = []
        most: list[int] = []
        for groups in partitions:
            for unit, label in enumerate(groups.label):
                if label >= 0:
                    rows.append(len(most) + label)
                    columns.append(unit)
            most += groups.most
        limited = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(most), size))
        # The last row counts the chosen units.
        self._matrix = vstack([csc_array(limited), csc_array(np.ones((1, size)))], format="csc")
        self._most = np.array([*most, np.inf], dtype=float)
        self._least = np.full(len(most) + 1, -np.inf)
        self._answers: dict[bytes, npt.NDArray[np.bool_] | None] = {}
        self._clear()

    def maximum(self, units: Iterable[int] | None = None) -> int:
        """Return the largest number that can be drawn, of all units or of some of them."""
        self._clear()
        if units is not None:
            self._high[:] = 0
            self._high[list(units)] = 1
        sample = self._solved(np.ones(self._size), at_least=0)
        return 0 if sample is None else int(sample.sum())

    def restart(self, units: Iterable[int]) -> None:
        """Start over with nothing taken, and hold a complete sample that has much in common with these units."""
        self._clear()
        near = np.zeros(self._size)
        near[list(units)] = 1
        sample = self._solved(near, at_least=self._complete)
        if sample is None:
            raise ValueError(f"no sample of {self._complete} units exists, expected a pool that can be drawn")
        self._sample = sample

    def admits(self, unit: int) -> bool:
        """Take a unit if the sample can still be completed with it; otherwise exclude it for good."""
        self._low[unit] = 1
        if not self._sample[unit]:
            sample = self._solved(self._sample.astype(float), at_least=self._complete)
            if sample is None:
                self._low[unit] = self._high[unit] = 0
                return False
            self._sample = sample
        return True

    def _clear(self) -> None:
        self._low = np.zeros(self._size)
        self._high = np.ones(self._size)
        self._sample = np.zeros(self._size, dtype=bool)

    def _solved(self, worth: npt.NDArray[np.float64], at_least: int) -> npt.NDArray[np.bool_] | None:
        """Return a sample of maximal worth with at least `at_least` units, or None if there is none.

        Each unit is worth 0 or 1.
        """
        self.calls += 1
        asked = np.packbits(np.stack([worth, self._low, self._high]).astype(bool)).tobytes() + b"%d" % at_least
        if asked not in self._answers:
            if len(self._answers) * self._size > REMEMBERED:
                self._answers.clear()
            self._answers[asked] = self._solve(worth, at_least)
        return self._answers[asked]

    def _solve(self, worth: npt.NDArray[np.float64], at_least: int) -> npt.NDArray[np.bool_] | None:
        self._least[-1] = at_least
        result = milp(
            -worth,
            integrality=np.ones(self._size),
            bounds=Bounds(self._low, self._high),
            constraints=LinearConstraint(self._matrix, self._least, self._most),
            options={"mip_rel_gap": 0.0},
        )
        if result.status == 2:
            return None
        if result.status != 0:
            raise RuntimeError(f"The integer program was not solved: {result.message}")
        chosen: npt.NDArray[np.bool_] = np.round(result.x).astype(bool)
        return chosen
