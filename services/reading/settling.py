"""Close phases on whose answers other phases depend, and draw the units of those: once, and all or nothing.

A phase closes when everybody is done, or when an admin closes it with a reason. The draw is stored with its
probabilities and hashed into the audit chain. Later answers do not enter it, and nothing is drawn again.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, select

from db import Database, Freeze, FreezeItem, PhaseClosing, Study, add_many, audit, queries
from db.base import stored_id
from db.queries import StandingAnswer
from db.standing import STANDS
from protocol.language.expansion import Expansion
from protocol.language.expansion import Phase as Listed
from protocol.language.pools import kind_rated
from protocol.phases import Phase
from protocol.study_phases import StudyPhases
from services.errors import Conflict, NotFound, require_reason
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import require_role, state_of
from services.reading import everyone, following, pooling
from services.seals import proofs
from services.studies import draws, frozen_facts, groups
from services.studies.dealing import assigning, dealing_phases
from services.studies.drawing import drawing_phases, drawn_apart, one_spelling, pairing, pooled, stored_pool
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.pool import Pool
from services.studies.freeze import foreseen
from services.studies.freeze.manifest import canonical, sha256_of
from services.studies.sampling.fitting import CONTROLS, draw_what_fits, with_controls
from services.studies.sampling.selection import that_fit
from services.studies.versions.current import newest_version

_log = logging.getLogger(__name__)
# How often a draw is repeated because answers changed in the meantime.
TRIES = 5


@dataclass(frozen=True)
class _Act:
    """Who closes a phase, why, and which one with its second step; in all others that close, everybody is done."""

    person_id: int | None = None
    reason: str = ""
    phases: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Settled:
    """What to store: the phases that are closed, what was drawn from their answers, and what the draw rests on.

    Those of the answers that are going to be rated become candidates of the pool.
    """

    closes: tuple[str, ...]
    answers: tuple[pooling.NewAnswer, ...]
    parts: tuple[DrawnPhase, ...]
    pool: Pool
    key: draws.DrawKey
    slots: groups.Slots
    rests_on: str


def settle_what_is_done(database: Database, study_id: int) -> None:
    """Close the phases with which everybody is done, and draw the units that follow from their answers."""
    _settle(database, study_id, _Act())


def settle_behind(database: Database, study_id: int | None) -> None:
    """Do the same after something else was stored, without ever putting that at risk; None means nothing to do.

    A draw that fails now is retried when a member of the study opens their worklist.
    """
    if study_id is None:
        return
    try:
        settle_what_is_done(database, study_id)
    except Exception:  # noqa: BLE001  what was stored must not appear to have failed
        _log.exception("The units that follow from answers in study %s could not be drawn.", study_id)


def close_phase(database: Database, actor: Actor, study_key: str, phase: str, reason: str) -> dict[str, int]:
    """Close a phase in which somebody still has something open, and draw what follows from its answers, if anything.

    What waits until everybody is done with it no longer waits.

    Returns
    -------
    dict
        The number of units drawn, by the key of the phase that rates them.

    Raises
    ------
    NotFound
        There is no such phase, or none waits until everybody is done with it.
    NotAllowed
        The reason is too short.
    Conflict
        The phase is already closed, nothing is answered from which units follow, or those cannot be dealt to anybody.
    """
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        require_in_study(session, acts.CLOSE_PHASE, study)
        study_id = stored_id(study.id)
        phases = frozen_facts.phases_of(session, study_id)
        awaited = [other.key for other in phases.phases if other.can_be_closed and not other.continues]
        if phase not in awaited:
            names = ", ".join(awaited) or "there is none"
            raise NotFound(f"No phase waits until everybody is done with '{phase[:40]}'; phases wait for: {names}.")
        if phase in queries.phases_closed(session, study_id):
            raise Conflict(f"Phase '{phase}' is already closed.")
        said = require_reason(reason)
        if phases.named(phase).is_followed and not queries.answers_in(session, study_id, phase):
            raise Conflict(f"Phase '{phase}' has no answers yet, so nothing can be drawn from it.")
        both = phases.with_what_continues((phase,))
    return _settle(database, study_id, _Act(actor.person_id, said, both), refusing=True)


def phases_to_close(database: Database, actor: Actor, study_key: str) -> dict[str, str]:
    """Return, for admins, the titles by key of the open phases that others wait for everybody to finish."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        phases = frozen_facts.phases_of(session, stored_id(study.id))
        closed = queries.phases_closed(session, stored_id(study.id)) if phases.listed else frozenset()
        can_be_closed = (phase for phase in phases.phases if phase.can_be_closed and not phase.continues)
        return {phase.key: phase.heading for phase in can_be_closed if phase.key not in closed}


def is_due(session: Session, study_id: int) -> bool:
    """Return whether everybody is done with the answers that other phases depend on, and the draw is yet to be made."""
    phases = frozen_facts.phases_of(session, study_id)
    if not phases.following or state_of(session, study_id) != "open":
        return False
    return bool(_ready(session, study_id, phases, queries.phases_closed(session, study_id)))


def _ready(session: Session, study_id: int, phases: StudyPhases, closed: frozenset[str]) -> list[Phase]:
    """Return, in order, the phases that can be drawn now and have not been drawn yet."""
    done: dict[str, bool] = dict.fromkeys(closed, True)
    ready = []
    for phase in phases.following:
        for key in phase.follows:
            if key not in done:
                own = phases.named(key)
                done[key] = set(own.follows) <= closed and everyone.with_phases(session, study_id, [key])
        if not set(phase.follows) <= closed and all(done[key] for key in phase.follows):
            ready.append(phase)
    return ready


def _settle(database: Database, study_id: int, act: _Act, *, refusing: bool = False) -> dict[str, int]:
    """Draw first, because probabilities may have to be simulated, then store the draw if nothing has changed since.

    A phase for which no unit is drawn is done at once, and may allow the next one to be drawn.
    """
    drawn: dict[str, int] = {}
    with database.read_only() as session:
        most = len(frozen_facts.phases_of(session, study_id).following) + TRIES
    for _ in range(most):
        with database.read_only() as session:
            try:
                settled = _drawn(session, study_id, act)
            except Conflict:
                # Units that cannot be dealt wait for people; an admin who asked for the draw is given the reason.
                if refusing and not drawn:
                    raise
                break
        if settled is None:
            break
        with database.writing() as session:
            if _store(session, study_id, settled, act):
                drawn |= {part.key: len(part.sample.units) for part in settled.parts}
                act = _Act()
    if act.phases:
        # The admin's request, with its reason, was not carried out by this call.
        raise Conflict(
            f"Phase '{act.phases[0]}' was closed by somebody else, or received answers, during the draw; close it "
            "again if it is still open."
        )
    return drawn


def _drawn(session: Session, study_id: int, act: _Act) -> _Settled | None:
    """Return what is to be closed and drawn now; None if there is nothing."""
    phases = frozen_facts.phases_of(session, study_id)
    if not (phases.following or act.phases) or state_of(session, study_id, afresh=True) != "open":
        return None
    closed = queries.phases_closed(session, study_id)
    asked = set(act.phases)
    if asked & closed:
        return None
    ready = _ready(session, study_id, phases, closed | asked)
    if asked:
        # Draw everything that depends on this phase alone along with it.
        ready += [p for p in phases.following if set(p.follows) <= closed | asked and not set(p.follows) <= closed]
    closes = {key for phase in ready for key in phase.follows} | asked
    closes -= closed
    if not closes:
        return None
    study = frozen_facts.expansion_of(session, study_id)
    if study is None:
        return None
    order = [phase.key for phase in phases.phases]
    answers = {
        key: queries.answers_in(session, study_id, key)
        for key in sorted({key for phase in ready for key in phase.follows}, key=order.index)
    }
    key = draws.key_of(session, study_id, phases.seed)
    slots = groups.slots_with_units(session, study_id, phases)
    wanted = [other for other in study.phases if any(phase.key == other.key for phase in ready)]
    pool = stored_pool.pool_of(session, study_id)
    new = pooling.new_answers(session, study_id, study, wanted, pool, answers)
    pool = pooling.with_new(pool, new)
    freeze_id = stored_id(session.exec(select(Freeze.id).where(Freeze.study_id == study_id, *STANDS)).one())
    before = drawing_phases.drawn_before(session, study, freeze_id, pool, closed)
    parts = _parts(session, study, wanted, pool, before, answers, key, slots)
    return _Settled(
        closes=tuple(sorted(closes, key=order.index)),
        answers=tuple(new),
        parts=tuple(parts),
        pool=pool,
        key=key,
        slots=slots,
        rests_on=_fingerprint(closed, answers),
    )


def _fingerprint(closed: frozenset[str], answers: Mapping[str, Sequence[StandingAnswer]]) -> str:
    """Return a hash of the exact answers that a draw rests on, by their receipts."""
    receipts = {key: [answer.receipt for answer in given] for key, given in answers.items()}
    return sha256_of({"closed": sorted(closed), "receipts": receipts})


def _parts(
    session: Session,
    study: Expansion,
    phases: Sequence[Listed],
    pool: Pool,
    before: dict[str, DrawnPhase],
    answers: following.Answers,
    key: draws.DrawKey,
    slots: groups.Slots,
) -> list[DrawnPhase]:
    """Draw and deal the units of some phases, each with its own key."""
    drawn = []
    for phase in phases:
        source = drawing_phases.as_canonical(phase.source, study.attributes)
        source = pooled.narrowing_both(study, phase, source)
        sample = source.sample
        elsewhere, not_here = drawing_phases.subjects_elsewhere(session, sample.not_in if sample else [], before)
        units = drawing_phases.units_of(study, phase, pool, before)
        silent = pairing.without_response(units)
        # A version frozen after the draw was foreseen may spell a subject differently, and that can no longer be fixed.
        elsewhere |= one_spelling.written_otherwise(units, elsewhere).keys()
        units = that_fit(units, foreseen.before_answers(source), elsewhere)
        units = following.selected_by_answers(study, phase, units, answers)
        let_in, others = following.parted_by_answers(study, phase, units, answers)
        result = draw_what_fits(let_in, source, key.rng("sample", phase.key))
        result = with_controls(result, others, source.controls, key.rng("controls", phase.key))
        apart_from = drawn_apart.freezes_of(session, drawn_apart.studies_named(study, phase))
        part = DrawnPhase(phase.key, kind_rated(phase), result, not_here, apart_from, without_response=silent)
        (before[phase.key],) = dealing_phases.deal_phases(study, [part], slots, key, before)
        drawn.append(before[phase.key])
    return drawn


def _store(session: Session, study_id: int, settled: _Settled, act: _Act) -> bool:
    """Store the draw, unless somebody else has stored one or an answer has changed since.

    Returns
    -------
    bool
        Whether it was stored; if not, it is drawn again.
    """
    members = groups.hold_raters(session, study_id)
    phases = frozen_facts.phases_of(session, study_id)
    closed = queries.phases_closed(session, study_id)
    still_open = state_of(session, study_id, afresh=True) == "open"
    if (
        not still_open
        or set(settled.closes) & closed
        or not _rests_on_the_same(session, study_id, phases, settled, act)
    ):
        return False
    study = session.get_one(Study, study_id)
    freeze_id = stored_id(session.exec(select(Freeze.id).where(Freeze.study_id == study_id, *STANDS)).one())
    pool, candidates = pooling.store(session, study_id, settled.answers, settled.pool)
    pool, pairs = pairing.store_drawn(session, study_id, settled.parts, pool)
    # The draw key belongs to the current version; otherwise the draw would have been rejected above.
    version = newest_version(session, study_id)
    rows: list[FreezeItem] = [
        row for part in settled.parts for row in drawing_phases.rows_of(freeze_id, part, pool, version)
    ]
    add_many(session, rows)
    closings = _closings(study_id, settled, act)
    session.add_all(closings)
    session.flush()
    for part in settled.parts:
        for purpose in _purposes(part):
            slots = draws.dealt_to(purpose, settled.slots)
            draws.note(session, study_id, settled.key, purpose, part.key, **slots)
    audit.record(
        session,
        "phases closed",
        person_id=act.person_id,
        study_id=study_id,
        phases=list(settled.closes),
        reason=act.reason,
        drawn={part.key: len(part.sample.units) for part in settled.parts},
        answers_sha256=settled.rests_on,
        **({"pooled": pooling.count_of(settled.answers)} if settled.answers else {}),
        rows=proofs.sealed([*candidates, *pairs, *rows, *closings], study.salt),
    )
    keys = {part.key for part in settled.parts}
    for member in members:
        own = frozen_facts.phases_of_member(session, member)
        if keys & {phase.key for phase in own.phases}:
            assigning.assign_rater(session, study_id, member, own, keys)
    return True


def _purposes(part: DrawnPhase) -> list[str]:
    has_controls = any(row.stratum == CONTROLS for row in part.sample.units)
    return ["sample", *(["controls"] if has_controls else []), *(["design"] if part.slots else [])]


def _rests_on_the_same(session: Session, study_id: int, phases: StudyPhases, settled: _Settled, act: _Act) -> bool:
    """Return whether the answers, slots, draw key and finished members are still those the draw rests on."""
    again = {part.key for part in settled.parts}
    follows = {key for phase in phases.following if phase.key in again for key in phase.follows}
    closed = queries.phases_closed(session, study_id)
    answers = {key: queries.answers_in(session, study_id, key) for key in follows}
    done = [key for key in settled.closes if key not in act.phases]
    return (
        _fingerprint(closed, answers) == settled.rests_on
        and groups.slots_with_units(session, study_id, phases) == settled.slots
        and draws.key_of(session, study_id, phases.seed) == settled.key
        and all(everyone.with_phases(session, study_id, [key]) for key in done)
    )


def _closings(study_id: int, settled: _Settled, act: _Act) -> list[PhaseClosing]:
    """Return one row per phase that is closed; the last row holds the draw."""
    manifest: dict[str, Any] = {part.key: part.as_manifest() for part in settled.parts}
    rows = []
    for key in settled.closes:
        content = manifest if key == settled.closes[-1] else {}
        reason = act.reason if key in act.phases else ""
        rows.append(
            PhaseClosing(
                study_id=study_id,
                phase=key,
                reason=reason,
                person_id=act.person_id if reason else None,
                manifest_json=canonical(content),
                sha256=sha256_of(content),
            )
        )
    return rows
