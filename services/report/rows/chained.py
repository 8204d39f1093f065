"""Chances of being drawn of units whose phase draws from what another phase drew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from protocol.language.expansion import Expansion, Phase
from protocol.language.following import answered_in
from protocol.language.pools import kind_rated
from services.report.rows.listed_rows import CandidateLine, DrawnLine


def chained(study: Expansion, drawn: Sequence[DrawnLine], candidates: Iterable[CandidateLine] = ()) -> list[DrawnLine]:
    """Return what was drawn with the chance of each unit from the whole pool on, through all phases it came by.

    The chance stored with a unit is that of its own phase, given what this draws from. Multiplied by the chance in the
    phase that it draws from, it is the chance by which two-phase sampling weights, whose weighted totals are unbiased
    (Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, section 9.3). If the later phase takes
    everything it is the inclusion probability itself.

    Parameters
    ----------
    drawn
        With the stored chances; None where one is not known.
    candidates
        Those of the study, of which pairs name the two answers that they compare.

    Returns
    -------
    The same lines in the same order, each with `overall` and `together`. `overall` is None where the chance in an
    earlier phase is not known, and where the design says nothing of how several units of that phase go together: two
    answers of a pair, or an item of which any answer was enough, unless all answers to an item are drawn together or
    are certain to be drawn.
    """
    pairs = {line.key: (line.pair[0].key, line.pair[1].key) for line in candidates if line.pair}
    lines_of: dict[str, list[DrawnLine]] = {}
    for line in drawn:
        lines_of.setdefault(line.phase, []).append(line)
    chances_of: dict[str, _Chances] = {}
    for phase in study.phases:
        lines = lines_of.get(phase.key, [])
        above = [chances_of.get(key, _Chances("", False, False, {}, {})) for key in _drawn_from(study, phase)]
        kind = kind_rated(phase)
        own = {
            (line.item, line.candidate): _product(
                line.probability, [each.of(line, kind, pairs.get(line.candidate or "")) for each in above]
            )
            for line in lines
        }
        sample = phase.source.sample
        by_item = (sample is None or sample.keeps_items_together) and all(each.by_item for each in above)
        # Answers select units one by one.
        together = by_item and not answered_in(phase) and all(each.together for each in above)
        chances_of[phase.key] = _Chances(kind, by_item, together, own, _by_item(own))
    return [
        replace(line, overall=of_phase.own[line.item, line.candidate], together=of_phase.by_item)
        for line in drawn
        for of_phase in [chances_of[line.phase]]
    ]


class _Chances:
    """The chances of the units of one phase.

    Parameters
    ----------
    by_item
        Whether chance alone keeps all units of an item together, whatever answers select.
    together
        Whether all units of an item that the phase could draw are drawn, or none.
    own, of_items
        By item and candidate, and of each item those of all its units.
    """

    def __init__(
        self,
        kind: str,
        by_item: bool,
        together: bool,
        own: Mapping[tuple[str, str | None], float | None],
        of_items: Mapping[str, Sequence[float | None]],
    ) -> None:
        self.kind, self.own, self._of_items = kind, own, of_items
        self.by_item = by_item or kind in _ABOUT_ITEMS
        self.together = together or kind in _ABOUT_ITEMS

    def of(self, line: DrawnLine, kind: str, pair: tuple[str, str] | None) -> float | None:
        """Return the chance that this phase drew what a unit of a later phase, of this kind, had to come from."""
        if self.kind in _ABOUT_ITEMS:
            return self.own.get((line.item, None))
        if self.kind == kind:
            return self.own.get((line.item, line.candidate))
        if self.kind == "candidates" and pair is not None:
            return self._all_of([self.own.get((line.item, key)) for key in pair])
        return self._any_of(self._of_items.get(line.item, ()))

    def _all_of(self, chances: Sequence[float | None]) -> float | None:
        uncertain = [chance for chance in chances if chance != 1.0]
        return self._one_of(uncertain) if uncertain else 1.0

    def _any_of(self, chances: Sequence[float | None]) -> float | None:
        return 1.0 if 1.0 in chances else self._one_of(chances, alone=False)

    def _one_of(self, chances: Sequence[float | None], *, alone: bool = True) -> float | None:
        """Return the one chance of units that are drawn together, or of a unit that is alone; None otherwise."""
        if (alone and len(chances) == 1) or (self.together and len(set(chances)) == 1):
            return chances[0]
        return None


# A unit of these phases has the key of its item.
_ABOUT_ITEMS = frozenset({"items", "references"})


def _drawn_from(study: Expansion, phase: Phase) -> list[str]:
    """Return the phases that a unit must have been drawn for; of phases that draw from one another, the last."""
    named = _named(phase)
    further = {above for key in named for above in _all_above(study, key)}
    return [key for key in named if key not in further]


def _named(phase: Phase) -> list[str]:
    own = [phase.source.phase] if phase.source.phase is not None else []
    return list(dict.fromkeys([*own, *answered_in(phase)]))


def _all_above(study: Expansion, key: str) -> set[str]:
    named = _named(study.phase(key))
    return set(named).union(*(_all_above(study, above) for above in named))


def _product(own: float | None, above: Sequence[float | None]) -> float | None:
    """Return the chance in the phase times that in the one before; with several, all but one have to be certain."""
    uncertain = [chance for chance in above if chance != 1.0]
    if own is None or len(uncertain) > 1 or None in uncertain:
        return None
    return own * uncertain[0] if uncertain and uncertain[0] is not None else own


def _by_item(own: Mapping[tuple[str, str | None], float | None]) -> dict[str, list[float | None]]:
    of_item: dict[str, list[float | None]] = {}
    for (item, _), chance in own.items():
        of_item.setdefault(item, []).append(chance)
    return of_item
