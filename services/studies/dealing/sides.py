"""The side on which a person sees each answer of a pair: drawn once and stored with the assignment."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from protocol.fields.preference import IN_ORDER, SWAPPED
from protocol.phases import Phase
from services.studies import draws
from services.studies.dealing.dealt import Dealt

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
    """Note for each pair which answer is on side A and which on side B, with equal chances.

    Sides are drawn with a key of their own, pair by pair in the order of the tables. They therefore affect no other
    draw, and do not depend on the order in which the pairs are rated.
    """
    if phase.kind != "pairs":
        return
    rng = key.rng(PURPOSE, phase.key, who, *further)
    for assignment in sorted(assigned, key=lambda each: each.candidate_id or 0):
        assignment.option_order = list(SWAPPED if rng.random() < 0.5 else IN_ORDER)
    draws.note(session, study_id, key, PURPOSE, phase.key, who, *further)
