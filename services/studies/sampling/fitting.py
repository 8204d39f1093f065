"""A sample of what was let in: as many units as asked for, or as there are, since nobody can be asked again."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from protocol.language.expansion import Sample, Source, StratumSize
from protocol.language.narrowing import NO_VALUE
from services.studies.sampling.inclusion import Inclusion
from services.studies.sampling.planning import WHOLE
from services.studies.sampling.remarks import CannotDraw
from services.studies.sampling.sample import DrawnSample, DrawnUnit, StratumRow, draw
from services.studies.sampling.sizes import size_of
from services.studies.sampling.units import Unit, clusters_of

CONTROLS = "controls"
_NOTHING = DrawnSample((), (StratumRow(WHOLE, 0, None, 0, 0),), ("Nothing was let in.",), None)


def draw_what_fits(units: Sequence[Unit], source: Source, rng: random.Random) -> DrawnSample:
    """Draw a source's sample of units, or as much of it as there is; note whatever falls short of the plan.

    Parameters
    ----------
    units
        What was selected and let in: of the source, only its sample is used.
    """
    sample = source.sample
    alone = source.model_copy(update={"where": [], "let_in": [], "controls": 0})
    if not units:
        return _NOTHING
    if sample is None:
        return draw(units, alone, rng)
    key = rng.getrandbits(256)
    fitted, notes = _fitted(units, sample)
    if fitted is None:
        return DrawnSample((), _NOTHING.table, tuple(notes), None)
    try:
        drawn = draw(units, alone.model_copy(update={"sample": fitted}), random.Random(key))
    except CannotDraw:
        # The limits leave less than planned, so as much is drawn as they allow.
        fitted = fitted.model_copy(update={"size": "all", "sizes": [], "allocation": "proportional"})
        notes.append("Fewer were drawn than planned: at_most allows no more of what was let in.")
        drawn = draw(units, alone.model_copy(update={"sample": fitted}), random.Random(key))
    return DrawnSample(drawn.units, drawn.table, (*notes, *drawn.notes), drawn.weighting_refused)


def _fitted(units: Sequence[Unit], sample: Sample) -> tuple[Sample | None, list[str]]:
    """Return the sample with sizes that the units allow, or None for no sample, and what falls short of the plan."""
    clusters = clusters_of(units, sample.keeps_items_together)
    names = [" / ".join(cluster.value(name) or NO_VALUE for name in sample.strata) for cluster in clusters]
    available = dict(sorted(Counter(names).items()))
    if not sample.sizes:
        return _fitted_size(sample, len(clusters), available)
    written = {part.stratum: part.size for part in sample.sizes}
    wanted = {name: size_of(written.get(name, "0 %"), there) for name, there in available.items()}
    sizes = {name: min(size, available[name]) for name, size in wanted.items()}
    short = [name for name, size in written.items() if size.isdigit() and int(size) > available.get(name, 0)]
    notes = [f"Fewer were let in than planned of stratum '{name}'." for name in short]
    return (_by_stratum(sample, sizes) if any(sizes.values()) else None), notes


def _fitted_size(sample: Sample, total: int, available: dict[str, int]) -> tuple[Sample, list[str]]:
    wanted = size_of(sample.size, total)
    size = min(max(wanted, 1), total)
    notes = [f"{total} were let in, fewer than the {wanted} that were planned."] if wanted > total else []
    if sample.allocation == "equal" and sample.size != "all":
        return _by_stratum(sample, _as_equal_as_possible(size, available)), notes
    return sample.model_copy(update={"size": "all" if size == total else str(size)}), notes


def _as_equal_as_possible(size: int, available: dict[str, int]) -> dict[str, int]:
    """Share a size out in turns over the strata that still have units, larger ones first."""
    sizes = dict.fromkeys(available, 0)
    order = sorted(available, key=lambda name: (-available[name], name))
    while size:
        for name in order:
            if size and sizes[name] < available[name]:
                sizes[name] += 1
                size -= 1
    return sizes


def _by_stratum(sample: Sample, sizes: dict[str, int]) -> Sample:
    written = [StratumSize(stratum=name, size=str(size)) for name, size in sizes.items()]
    return sample.model_copy(update={"size": "by_stratum", "allocation": "by_stratum", "sizes": written})


def with_controls(drawn: DrawnSample, others: Sequence[Unit], controls: int, rng: random.Random) -> DrawnSample:
    """Add randomly drawn controls from the other units to what was let in; none if nothing was let in.

    A turn of a conversation is never a control, because it makes no sense without the turns before it.
    """
    pool = sorted((unit for unit in others if not unit.value("conversation")), key=lambda unit: unit.key)
    if not controls or not drawn.units:
        return drawn
    size = min(controls, len(pool))
    notes = [f"Only {len(pool)} were left as controls, of {controls} planned."] if size < controls else []
    chance = (
        Inclusion("exact", size / len(pool), 0.0, None, len(pool), f"exact: {size:,} of {len(pool):,} drawn at random")
        if pool
        else None
    )
    chosen = [DrawnUnit(unit, CONTROLS, chance) for unit in rng.sample(pool, size)] if chance is not None else []
    return DrawnSample(
        units=tuple(sorted((*drawn.units, *chosen), key=lambda row: row.unit.key)),
        table=(*drawn.table, StratumRow(CONTROLS, len(pool), controls, size, size)),
        notes=(*drawn.notes, *notes),
        weighting_refused=drawn.weighting_refused,
    )
