"""People's and judges' verdicts on all candidates in a field, for planned lines that hold judges against people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from agreement.coding import Codes
from agreement.judge.factors import Factor
from agreement.judge.material import Material
from agreement.judge.plan import Plan
from protocol.language.bins import level_of
from protocol.language.expansion import Expansion
from services.report.calibration.material import candidates_of_models, each_run_alone, material_of
from services.report.rows.candidate_columns import columns_of, factor_of
from services.report.rows.columns import Unit
from services.report.rows.listed_rows import ListedRows
from services.report.rows.ratings import Ratings
from services.report.rows.study_rows import Run


@dataclass(frozen=True)
class JudgedPool:
    """All candidates written by models, with people's verdicts on those drawn and judges' verdicts on all.

    Attributes
    ----------
    units
        The candidates, in the order of the material.
    material
        Each run of a judge, by its name.
    bins
        The declared level bounds of numeric attributes.
    """

    units: tuple[Unit, ...]
    material: Material
    bins: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def value_of(self, unit: Unit, name: str) -> str:
        """Return a candidate's value of an attribute; for a number with declared bounds, its level."""
        bins = self.bins.get(name, ())
        return level_of(bins, unit.value_of(name)) if bins else unit.value_of(name)

    def only(self, wanted: Callable[[Unit], bool]) -> JudgedPool:
        """Return the pool restricted to candidates that satisfy `wanted`."""
        return self._at(np.array([place for place, unit in enumerate(self.units) if wanted(unit)], dtype=np.intp))

    def _at(self, places: Codes) -> JudgedPool:
        return JudgedPool(tuple(self.units[place] for place in places.tolist()), self.material.part(places), self.bins)

    def in_frame(self) -> JudgedPool:
        """Return the pool restricted to the candidates from which people's were drawn."""
        frame = self.material.frame
        return self if frame is None else self._at(np.flatnonzero(frame.among))

    def values_of(self, name: str) -> list[str]:
        """Return the values that an attribute has here, sorted by name."""
        return sorted({value for unit in self.units if (value := self.value_of(unit, name))})

    def factor(self, name: str) -> Factor:
        """Return each candidate's level of an attribute."""
        return factor_of([self.value_of(unit, name) for unit in self.units])


class Pools:
    """The pools of a study by field, each gathered only once, and only for fields that the plan asks for."""

    def __init__(self, study: Expansion, rows: ListedRows, runs: Sequence[Run]) -> None:
        self._study, self._rows, self._runs = study, rows, runs
        self._gathered: dict[str, JudgedPool] = {}

    @property
    def plan(self) -> Plan:
        """How intervals are computed: as the analysis plan says, for a sample drawn with known probabilities."""
        plan = self._study.analysis
        return Plan(
            confidence=plan.confidence,
            resamples=plan.resamples,
            seed=plan.seed,
            p_from=plan.p_from,
            of_numbers=plan.interval_of_numbers,
            p_in_clusters=plan.p_in_clusters,
            design="probability",
        )

    def of(self, ratings: Ratings) -> JudgedPool:
        """Return the candidates with people's and judges' verdicts in a field."""
        if ratings.name not in self._gathered:
            names = {judge.party for judge in ratings.judges}
            runs = [run for run in self._runs if run.party in names]
            lines, items = candidates_of_models(self._rows)
            units = tuple(Unit(item, line, None, version=line.version) for line, item in zip(lines, items, strict=True))
            columns = columns_of(lines, items)
            material = material_of(self._study, columns, self._rows, ratings.correct_or_incorrect, None, ())[0]
            bins = {attribute.key: attribute.bins for attribute in self._study.attributes if attribute.bins}
            self._gathered[ratings.name] = JudgedPool(units, each_run_alone(material, runs, columns.ids), bins)
        return self._gathered[ratings.name]
