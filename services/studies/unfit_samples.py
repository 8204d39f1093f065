"""What a freeze would refuse to draw of a study folder, said before the import: tables may grow until the freeze."""

from __future__ import annotations

from collections.abc import Iterator

from exchange.folder_rows import StudyFolder
from protocol.language.expansion import Expansion
from protocol.language.following import followed_by
from protocol.language.listed import phases_of_listed
from services.studies import drawing_phases, pool_files, pooled, sound_draws
from services.studies.sampling.planning import plan
from services.studies.sampling.remarks import CannotDraw


def cannot_be_drawn(study: Expansion, contents: StudyFolder) -> Iterator[str]:
    """Yield why phases could not be drawn from these tables.

    That is sizes, limits and conditions that nothing meets, and scans or a reference that a phase shows and that items
    lack which can be drawn for it. Left out are phases that draw from another one, or from answers, and which subjects
    other studies used.
    """
    pool, phases = pool_files.pool_of_folder(contents), phases_of_listed(study)
    for phase in study.phases:
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
        for reason in sound_draws.lacking(phases, phase.key, items, pool, "drawn" if whole else "possible"):
            yield f"The freeze {would} refuse phase '{phase.key}': it {reason}"
