"""Repeat the draws of a study that lists its phases, in each of its versions, from a study package alone."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from protocol.language.expansion import Expansion, Phase
from protocol.language.following import followed_by
from protocol.language.pools import kind_rated
from services.errors import Conflict
from services.studies.dealing import dealing_phases
from services.studies.drawing import drawing_phases, pairing, pooled
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.pool import Pool
from services.studies.draws import DESIGN, DrawKey
from services.studies.sampling.inclusion import Inclusion
from services.studies.sampling.remarks import CannotDraw
from services.studies.sampling.sample import DrawnSample, DrawnUnit, draw
from services.studies.sampling.selection import that_fit
from services.studies.sampling.units import Unit
from services.studies.versions.drawing import takes_what_is_added

# The draw that determines which units a phase rates.
SAMPLE = "sample"
# Which units are drawn does not depend on how often a draw is repeated to estimate its probabilities.
_ONCE = 1
_NOT_ASKED = Inclusion("not known", None, None, None, 1, "stored")
_NOTHING = DrawnSample((), (), (), None)


class NotRepeatedError(Exception):
    """The package does not hold what a draw was made from."""


@dataclass(frozen=True)
class Redrawing:
    """A disclosed study that lists its phases, with its protocol in each version."""

    disclosed: Mapping[str, Any]
    protocols: Mapping[int, Expansion]

    def again(self, drawn: Mapping[str, Any], key: DrawKey) -> list[str]:
        """Repeat one draw and return the units whose result differs.

        Raises
        ------
        NotRepeatedError
            The draw depends on answers, or is an individual order, which this release does not repeat.
        """
        version = int(drawn["freeze_version"])
        study = self.protocols[version]
        purpose = drawn["purpose"]
        phase = next((each for each in study.phases if [each.key] == drawn["who"]), None)
        if (
            phase is None
            or purpose not in (SAMPLE, DESIGN)
            or followed_by(study, phase)
            or "pool" not in self.disclosed
        ):
            raise NotRepeatedError
        if purpose == DESIGN:
            return self._design(study, phase, version, key, drawn)
        return self._sample(study, phase, version, key)

    def _sample(self, study: Expansion, phase: Phase, version: int, key: DrawKey) -> list[str]:
        stored = {unit.key for unit in self._drawn_anew(study, phase, version)}
        source = pooled.narrowing_both(study, phase, drawing_phases.as_canonical(phase.source, study.attributes))
        earlier, pool = self._stored(study, version), self._pool(version)
        elsewhere = self._left_out(phase, earlier)
        try:
            units = drawing_phases.units_of(study, phase, pool, earlier)
            if self._was_there(phase, version):
                units = that_fit(self._added_to(units, phase, version), source, elsewhere)
            sample = draw(units, source, key.rng(SAMPLE, phase.key), elsewhere, repeats=_ONCE) if units else _NOTHING
        except CannotDraw:
            return sorted(stored)
        return sorted(stored ^ {row.unit.key for row in sample.units})

    def _design(
        self, study: Expansion, phase: Phase, version: int, key: DrawKey, drawn: Mapping[str, Any]
    ) -> list[str]:
        if "slots" not in drawn:
            raise NotRepeatedError
        slots = {group: tuple(int(number) for number in numbers) for group, numbers in drawn["slots"].items()}
        rows = self._rows(phase, version)
        units = self._drawn_anew(study, phase, version)
        if not units:
            return []
        part = _part(study, phase, units)
        before = {name: other for name, other in self._stored(study, version).items() if name != phase.key}
        try:
            (again,) = dealing_phases.deal_phases(study, [part], slots, key, before)
        except Conflict:
            return sorted(rows)
        return sorted(unit.key for unit in units if again.slots.get(unit.key) != tuple(rows[unit.key]["slots"]))

    def _left_out(self, phase: Phase, earlier: Mapping[str, DrawnPhase]) -> frozenset[str]:
        sample = phase.source.sample
        named = [name for name in sample.not_in if name in earlier] if sample else []
        of_phases = {row.unit.subject for name in named for row in earlier[name].sample.units if row.unit.subject}
        return frozenset(of_phases) | frozenset(self.disclosed["left_out"].get(phase.key, ()))

    def _was_there(self, phase: Phase, version: int) -> bool:
        return version - 1 in self.protocols and any(row.key == phase.key for row in self.protocols[version - 1].phases)

    def _added_to(self, units: list[Unit], phase: Phase, version: int) -> list[Unit]:
        """Return the units added by a version that replace nothing, if an existing phase accepts added units."""
        if not takes_what_is_added(phase.source.sample):
            return []
        by_rule = phase.pairs is not None and phase.pairs.of is not None
        lines = self._lines("candidates" if by_rule else kind_rated(phase))
        came = {name for name, row in lines.items() if row["since"] == version and not row["replaces"]}
        # With a pairing rule, a pair is new as soon as one of its answers is.
        return [unit for unit in units if not came.isdisjoint(unit.pair if by_rule else (unit.key,))]

    def _drawn_anew(self, study: Expansion, phase: Phase, version: int) -> list[Unit]:
        """Return the units drawn with a version; corrected units are not if the phase existed before."""
        units = self._units_of(study, phase, version).values()
        if not self._was_there(phase, version):
            return list(units)
        lines = self._lines(kind_rated(phase))
        return [unit for unit in units if not lines[unit.key]["replaces"]]

    def _lines(self, kind: str) -> dict[str, Mapping[str, Any]]:
        """Return what is disclosed about the units of a kind, by key."""
        named = {"candidates": ("candidates", "candidate"), "pairs": ("pairs", "pair")}
        table, name = named.get(kind, ("items", "item"))
        return {row[name]: row for row in self.disclosed["pool"][table]}

    def _rows(self, phase: Phase, version: int) -> dict[str, Mapping[str, Any]]:
        """Return what was drawn for a phase with a version, by unit key."""
        return {
            row["candidate"] or row["item"]: row
            for row in self.disclosed["units"]
            if (row["phase"], row["version"]) == (phase.key, version)
        }

    def _units_of(self, study: Expansion, phase: Phase, version: int) -> dict[str, Unit]:
        everything = self._whole
        there = everything.items if kind_rated(phase) in ("items", "references") else everything.candidates
        rows: Collection[str] = self._rows(phase, version)
        if followed_by(study, phase):
            # People's answers are no part of the tables, and no draw that is repeated rests on them.
            rows = [key for key in rows if key in there or key in everything.pairs]
        return {key: there.get(key) or everything.pairs[key] for key in rows}

    def _stored(self, study: Expansion, version: int) -> dict[str, DrawnPhase]:
        """Return what was drawn for each phase up to a version, without what had been replaced by then."""
        pool = self._pool(version)
        keys = {*pool.items, *pool.candidates, *pool.pairs}
        return {
            phase.key: _part(
                study, phase, [unit for unit in units.values() if unit.key in keys],
                {key: tuple(row["slots"]) for number in numbers for key, row in self._rows(phase, number).items()},
            )
            for phase in study.phases
            for numbers in [range(1, version + 1)]
            for units in [{key: unit for n in numbers for key, unit in self._units_of(study, phase, n).items()}]
        }  # fmt: skip

    @cached_property
    def _whole(self) -> Pool:
        return self._pool(None)

    def _pool(self, version: int | None) -> Pool:
        """Return the pool from which a version could draw; without a version, everything that ever was in it."""
        said = self.disclosed["pool"]
        items = {
            row["item"]: Unit(row["item"], row["subject"], row["item"], row["attributes"], row["practice"])
            for row in said["items"]
            if _is_there(row, version)
        }
        candidates = {
            row["candidate"]: Unit(
                row["candidate"], items[row["item"]].subject, row["item"],
                {**items[row["item"]].attributes, **row["attributes"]}, items[row["item"]].practice, row["responded"],
            )
            for row in said["candidates"]
            if _is_there(row, version) and row["item"] in items
        }  # fmt: skip
        return Pool(
            items=items,
            candidates=candidates,
            without_volumes=frozenset(),
            without_reference=frozenset(row["item"] for row in said["items"] if not row["reference"]),
            fields_of_reference={},
            with_overlays=frozenset(),
            turns={},
            practised={},
            item_ids={},
            candidate_ids={},
            pairs={
                row["pair"]: pairing.pair_of(row["pair"], *(candidates[key] for key in row["answers"]))
                for row in said["pairs"]
                if set(row["answers"]) <= candidates.keys()
            },
            listed=frozenset(
                row["pair"]
                for row in said["pairs"]
                if row["listed"] and set(row["answers"]) <= candidates.keys() and _is_there(row, version)
            ),
        )


def protocols_of(package: Path, first: Expansion) -> dict[int, Expansion]:
    """Return the protocol of each version of a study, read from its package."""
    protocols = {1: first}
    while (file := package / f"protocol-{len(protocols) + 1}.json").is_file():
        read = Expansion.of_canonical_json(json.dumps(json.loads(file.read_text("utf-8"))))
        if read is None:
            raise ValueError(file.name)
        protocols[len(protocols) + 1] = read
    return protocols


def _is_there(row: Mapping[str, Any], version: int | None) -> bool:
    return version is None or (row["since"] <= version and (row["until"] is None or row["until"] > version))


def _part(
    study: Expansion, phase: Phase, units: list[Unit], slots: Mapping[str, tuple[str, ...]] | None = None
) -> DrawnPhase:
    rows = tuple(DrawnUnit(unit, "", _NOT_ASKED) for unit in units)
    dealt = {key: names for key, names in (slots or {}).items() if names}
    return DrawnPhase(phase.key, kind_rated(phase), DrawnSample(rows, (), (), None), slots=dealt)
