"""On which side a person sees each of two answers that are compared: drawn once, stored with the assignment."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from protocol.fields.preference import IN_ORDER, SWAPPED
from protocol.phases import Phase
from services.studies import draws
from services.studies.dealt import Dealt

PURPOSE = "sides"


def draw(
    session: Session,
    study_id: int,
    assigned: Sequence[Dealt],
    phase: Phase,
    who: str,
    key: draws.DrawKey,
    *further: int,
) -> None:
    """Note with each pair which of its answers is at A and which at B: either way with a chance of one half.

    It is drawn by a key of its own, pair by pair in the order of the tables: no other draw moves with it, nor it with
    the order in which the pairs are rated.
    """
    if phase.kind != "pairs":
        return
    rng = key.rng(PURPOSE, phase.key, who, *further)
    for assignment in sorted(assigned, key=lambda each: each.candidate_id or 0):
        assignment.option_order = list(SWAPPED if rng.random() < 0.5 else IN_ORDER)
    draws.note(session, study_id, key, PURPOSE, phase.key, who, *further)
