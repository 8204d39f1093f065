"""Samples that a study folder cannot give, said before it is imported: its tables may still grow until the freeze."""

from __future__ import annotations

from collections.abc import Iterator

from exchange.folder_rows import StudyFolder
from protocol.language.expansion import Expansion
from protocol.language.following import followed_by
from services.studies import drawing_phases, pool_files, pooled
from services.studies.sampling.planning import plan
from services.studies.sampling.remarks import CannotDraw


def cannot_be_drawn(study: Expansion, contents: StudyFolder) -> Iterator[str]:
    """Yield why phases could not be drawn from these tables: sizes, limits and conditions that nothing meets.

    Left out are phases that draw from another one, or from answers, and which subjects other studies used.
    """
    pool = pool_files.pool_of_folder(contents)
    for phase in study.phases:
        if phase.source.phase is not None or followed_by(study, phase):
            continue
        source = pooled.narrowing_both(study, phase, drawing_phases.as_canonical(phase.source, study.attributes))
        try:
            plan(drawing_phases.units_of(study, phase, pool, {}), source)
        except CannotDraw as refusal:
            yield from (f"The freeze would refuse phase '{phase.key}': {reason}" for reason in refusal.reasons)
