"""A drawn sample: its units with stratum and inclusion probability, and what was drawn against what was planned."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass

from protocol.language.expansion import Source
from services.studies.sampling.drawing import draw_once
from services.studies.sampling.inclusion import LEAST_HITS, REPEATS, Inclusion, Progress, inclusions
from services.studies.sampling.planning import plan
from services.studies.sampling.units import Unit


@dataclass(frozen=True)
class DrawnUnit:
    """A drawn unit; candidates that were drawn together have the stratum and probability of their item."""

    unit: Unit
    stratum: str
    inclusion: Inclusion


@dataclass(frozen=True)
class StratumRow:
    """Planned against drawn.

    Attributes
    ----------
    stratum
        Its name.
    available, planned, drawn
        Numbers of what is drawn at once (with `unit: item`, items); planned is None if no number was planned for the
        stratum because the sample is as large as the limits allow.
    units
        How many units were drawn, all candidates of a drawn item counted.
    """

    stratum: str
    available: int
    planned: int | None
    drawn: int
    units: int


@dataclass(frozen=True)
class DrawnSample:
    """The result of a draw.

    Attributes
    ----------
    units
        Sorted by key; the order in which raters see them is drawn elsewhere.
    table
        A row for each stratum.
    notes
        What the study's author should know, a sentence each.
    weighting_refused
        Why no weighted estimate can be computed from this sample; None if it can.
    """

    units: tuple[DrawnUnit, ...]
    table: tuple[StratumRow, ...]
    notes: tuple[str, ...]
    weighting_refused: str | None


def draw(
    units: Iterable[Unit],
    source: Source,
    rng: random.Random,
    subjects_elsewhere: Set[str] = frozenset(),
    *,
    repeats: int = REPEATS,
    progress: Progress | None = None,
) -> DrawnSample:
    """Draw the sample that a source describes, with a generator made for this draw.

    The same generator draws the same sample of the same units, whatever their order and on every machine: 256 of its
    bits are the key of the draw and, with a number added, of each repeat.

    Parameters
    ----------
    units
        Everything that could be drawn: from the whole study, or from the phase that the source names.
    source
        The expanded source; if it has no sample, everything that it selects is drawn.
    rng
        The generator of this draw, not used for anything else.
    subjects_elsewhere
        The subjects of the phases and studies that `not_in` names.
    repeats
        How often the draw is repeated if probabilities have to be simulated.
    progress
        Called with the number of repeats done and their total.

    Raises
    ------
    CannotDraw
        With every reason why the source cannot be drawn.
    """
    planned = plan(units, source, subjects_elsewhere)
    key = f"{rng.getrandbits(256):064x}"
    drawn = sorted(draw_once(planned.pool, f"{key}|draw"))
    probabilities = inclusions(planned.pool, key, repeats, progress)
    rows = [
        DrawnUnit(unit, planned.strata[planned.stratum_of[place]].name, probabilities[place])
        for place in drawn
        for unit in planned.frame[place].members
    ]
    clusters = Counter(planned.stratum_of[place] for place in drawn)
    members = Counter(row.stratum for row in rows)
    table = [
        StratumRow(stratum.name, stratum.available, stratum.planned, clusters[place], members[stratum.name])
        for place, stratum in enumerate(planned.strata)
    ]
    return DrawnSample(
        units=tuple(sorted(rows, key=lambda row: row.unit.key)),
        table=tuple(table),
        notes=planned.notes,
        weighting_refused=_refusal([probabilities[place] for place in drawn], repeats),
    )


def _refusal(drawn: list[Inclusion], repeats: int) -> str | None:
    unknown = [inclusion for inclusion in drawn if inclusion.probability is None]
    if not unknown:
        return None
    said = f"Weighting is refused: the inclusion probability of {len(unknown)} of {len(drawn)} drawn units is not known"
    hits = [inclusion.hits for inclusion in unknown if inclusion.hits is not None]
    if not hits:
        return f"{said} ({unknown[0].because})."
    return (
        f"{said}, since each was drawn, with the units alike, fewer than {LEAST_HITS} times in {repeats:,} repeats of "
        f"the draw (the rarest {min(hits)} times); draw a larger share of the pool, or allow more."
    )
