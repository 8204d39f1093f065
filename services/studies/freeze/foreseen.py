"""Check at the freeze what phases that follow from answers could draw, since nobody can be asked later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlmodel import Session

from protocol.language.expansion import Expansion, Source
from protocol.language.expansion import Phase as Listed
from protocol.language.following import followed_by
from protocol.language.pools import kind_rated
from services.errors import Conflict
from services.studies.dealing import dealing_phases
from services.studies.drawing import drawing_phases, one_spelling, pooled
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.pool import Pool
from services.studies.draws import DrawKey
from services.studies.groups import Slots
from services.studies.sampling.planning import plan
from services.studies.sampling.remarks import CannotDraw, listed
from services.studies.sampling.sample import draw


def foreseen(
    session: Session, study: Expansion, pool: Pool, drawn: Sequence[DrawnPhase], slots: Slots, key: DrawKey
) -> list[DrawnPhase]:
    """Return everything that each phase that follows from answers could draw, with all slots that may rate it.

    Raises
    ------
    Conflict
        With every reason why such a phase could not be drawn or dealt, whatever the answers.
    """
    parts = {part.key: part for part in drawn}
    reasons: list[str] = []
    for phase in (phase for phase in study.phases if followed_by(study, phase)):
        if any(name is not None and name not in parts for name in (phase.source.phase, phase.answers_of)):
            continue  # Another sentence already says what is wrong with it.
        if phase.answers_of is not None:
            pool = _with_answers(study, phase.answers_of, pool, parts[phase.answers_of], slots)
        try:
            part = _largest(session, study, phase, pool, parts)
        except CannotDraw as refusal:
            reasons += [f"Phase '{phase.key}': {reason}" for reason in refusal.reasons]
            continue
        reasons += _torn_by_a_sample(phase, part)
        try:
            dealing_phases.deal_phases(study, [part], slots, key, parts)
            (parts[phase.key],) = dealing_phases.deal_phases(_by_all(study, phase), [part], slots, key, parts)
        except Conflict as refusal:
            reasons.append(str(refusal))
            parts[phase.key] = part
    if reasons:
        raise Conflict("\n".join(reasons))
    return [part for name, part in parts.items() if followed_by(study, study.phase(name))]


def before_answers(source: Source) -> Source:
    """Return a source without its conditions that depend on answers."""
    where = [condition for condition in source.where if "." not in condition.name]
    return source.model_copy(update={"where": where, "let_in": [], "controls": 0})


def _with_answers(study: Expansion, answered: str, pool: Pool, part: DrawnPhase, slots: Slots) -> Pool:
    """Return the pool with an answer from everybody to everything that they rate in a phase."""
    drawn = [(row.unit, part.slots.get(row.unit.key, ())) for row in part.sample.units]
    to_come = pooled.by_key(pooled.answers_to_come(study.phase(answered), drawn, slots))
    return replace(pool, candidates={**pool.candidates, **to_come})


def _largest(session: Session, study: Expansion, phase: Listed, pool: Pool, parts: dict[str, DrawnPhase]) -> DrawnPhase:
    """Return the phase as drawn if everything is let in and drawn."""
    source = before_answers(drawing_phases.as_canonical(phase.source, study.attributes))
    source = pooled.narrowing_both(study, phase, source)
    sample = source.sample
    elsewhere, not_here = drawing_phases.subjects_elsewhere(session, sample.not_in if sample else [], parts)
    units = drawing_phases.units_of(study, phase, pool, parts)
    one_spelling.require_apart(units, source, elsewhere)
    # Sizes and strata must at least make sense for everything that could be let in.
    plan(units, source, elsewhere)
    everything = draw(units, source.model_copy(update={"sample": None}), DrawKey(1, 0, b"").rng("foreseen"), elsewhere)
    return DrawnPhase(phase.key, kind_rated(phase), everything, not_here)


def _torn_by_a_sample(phase: Listed, part: DrawnPhase) -> Iterator[str]:
    sample = phase.source.sample
    turns = {row.unit.value("conversation") for row in part.sample.units} - {""}
    if phase.rates == ["items"] and turns and sample is not None and (sample.size != "all" or sample.at_most):
        yield (
            f"Phase '{phase.key}' draws a sample of what is let in, which could split {len(turns)} conversation(s) "
            f"({listed(sorted(turns))}); remove sample, or select items that are in none."
        )


def _by_all(study: Expansion, phase: Listed) -> Expansion:
    """Return the study with a phase changed so that everybody in it rates everything they may."""
    everybody = phase.model_copy(update={"by": phase.by.model_copy(update={"per_unit": None})})
    phases = [everybody if other.key == phase.key else other for other in study.phases]
    return study.model_copy(update={"phases": phases})
