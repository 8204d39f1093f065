"""What a freeze would refuse to draw of a study folder, said before the import: tables may grow until the freeze."""

from __future__ import annotations

from collections.abc import Iterator

from exchange.folder_rows import StudyFolder
from protocol.language.expansion import Expansion, Phase
from protocol.language.following import followed_by
from protocol.language.listed import phases_of_listed
from services.studies import drawing_phases, pool_files, pooled, sound_draws
from services.studies.sampling.planning import plan
from services.studies.sampling.remarks import CannotDraw, listed


def cannot_be_drawn(study: Expansion, contents: StudyFolder) -> Iterator[str]:
    """Yield why phases could not be drawn from these tables.

    That is sizes, limits and conditions that nothing meets, scans or a reference that a phase shows and that items
    lack which can be drawn for it, and practice in which no answer to an item can be right. Left out are phases that
    draw from another one, or from answers. Which subjects other studies drew is in no folder; that this is left open is
    said.
    """
    pool, phases = pool_files.pool_of_folder(contents), phases_of_listed(study)
    for phase in study.phases:
        yield from _apart_from_studies(study, phase)
        if phase.source.phase is not None or followed_by(study, phase):
            continue
        source = pooled.narrowing_both(study, phase, drawing_phases.as_canonical(phase.source, study.attributes))
        try:
            frame = plan(drawing_phases.units_of(study, phase, pool, {}), source).frame
        except CannotDraw as refusal:
            yield from (f"The freeze would refuse phase '{phase.key}': {reason}" for reason in refusal.reasons)
            continue
        whole = source.sample is None
        would = "would" if whole else "would, if one of them is drawn,"
        items = {unit.item for drawable in frame for unit in drawable.members}
        reasons = (
            *sound_draws.lacking(phases, phase.key, items, pool, "drawn" if whole else "possible"),
            *sound_draws.never_right(phases, phase.key, sorted(items), pool),
        )
        for reason in reasons:
            yield f"The freeze {would} refuse phase '{phase.key}': it {reason}"


def _apart_from_studies(study: Expansion, phase: Phase) -> Iterator[str]:
    own = {other.key for other in study.phases}
    sample = phase.source.sample
    if studies := [name for name in (sample.not_in if sample else []) if name not in own]:
        yield (
            f"Phase '{phase.key}' leaves out the subjects of frozen studies ({listed(studies)}), which only the "
            "installation knows: whether there are such studies, and enough units beside theirs, is checked when it is "
            "drawn, and not here."
        )
