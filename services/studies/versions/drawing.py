"""What a version has people rate: in existing phases, only what it brings; in phases it adds, everything they draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from sqlmodel import Session, col, select

from db import FreezeItem
from protocol.language.expansion import Expansion, Sample
from protocol.language.expansion import Phase as Listed
from protocol.language.following import followed_by
from protocol.language.pools import kind_rated
from protocol.language.wording import listed
from services.errors import Conflict, counted
from services.studies.dealing import dealing_phases
from services.studies.drawing import drawing_phases, one_spelling
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.pool import Pool
from services.studies.draws import DrawKey
from services.studies.folders import pool_files
from services.studies.groups import Slots
from services.studies.sampling.inclusion import Inclusion
from services.studies.sampling.remarks import CannotDraw
from services.studies.sampling.sample import DrawnSample, DrawnUnit, draw
from services.studies.sampling.selection import that_fit
from services.studies.sampling.units import Unit
from services.studies.versions.pairs import with_pairs
from services.studies.versions.tables import NewRows

CORRECTED = "as the unit that it replaces"


@dataclass(frozen=True)
class Before:
    """What was drawn in a study before this version.

    Attributes
    ----------
    parts
        The drawn phases by key, without what this version replaces.
    rows
        How each unit was drawn, by phase and stored key.
    closed
        The keys of the phases that are closed.
    """

    parts: Mapping[str, DrawnPhase]
    rows: Mapping[tuple[str, str], FreezeItem]
    closed: frozenset[str]


@dataclass(frozen=True)
class Anew:
    """What a version draws, everything drawn including that, and what an admin should know about it."""

    parts: tuple[DrawnPhase, ...]
    together: tuple[DrawnPhase, ...]
    remarks: tuple[str, ...]


def pool_with(pool: Pool, rows: NewRows) -> Pool:
    """Return a pool with what a version brings and without what it replaces; new rows have no ids yet."""
    of_folder = pool_files.pool_of_folder(rows.contents)
    items, candidates = set(rows.replaces.values()), set(rows.replaces_candidates.values())
    new_items = {row.key for row in rows.added.items}
    turns = {row.key: (row.conversation, row.turn) for row in rows.added.items if row.conversation and row.turn}
    references = {
        row.item: frozenset(
            [line.field for line in row.fields] + [""] * (bool(row.accepted) or (row.low, row.high) != (None, None))
        )
        for row in rows.added.references
    }
    kept_items = {key: unit for key, unit in pool.items.items() if key not in items}
    kept_candidates = {key: unit for key, unit in pool.candidates.items() if key not in candidates}
    answers = kept_candidates | {row.key: of_folder.candidates[row.key] for row in rows.added.candidates}
    return replace(
        with_pairs(pool, rows.pairs, answers),
        items=kept_items | {key: of_folder.items[key] for key in new_items},
        candidates=answers,
        without_volumes=pool.without_volumes | {row.key for row in rows.added.items if not row.sequences},
        without_reference=pool.without_reference | (new_items - references.keys()),
        fields_of_reference={**pool.fields_of_reference, **references},
        with_overlays=pool.with_overlays | {row.key for row in rows.added.items if row.overlays},
        turns={**pool.turns, **turns},
    )


def drawn_before(session: Session, study: Expansion, freeze_id: int, pool: Pool, closed: frozenset[str]) -> Before:
    """Read what was drawn for the phases of a study that are already drawn.

    Parameters
    ----------
    pool
        The pool before the version.
    """
    parts = drawing_phases.drawn_before(session, study, freeze_id, pool, closed)
    keys = {number: key for key, number in pool.item_ids.items()}
    candidates = {number: key for key, number in pool.candidate_ids.items()}
    rows = {}
    for row in session.exec(select(FreezeItem).where(FreezeItem.freeze_id == freeze_id).order_by(col(FreezeItem.id))):
        key = keys.get(row.item_id) if row.candidate_id is None else candidates.get(row.candidate_id)
        if key is not None:
            rows[row.phase, key] = row
    return Before(parts, rows, closed)


def draw_anew(
    session: Session,
    study: Expansion,
    before: Before,
    rows: NewRows,
    pool: Pool,
    slots: Slots,
    key: DrawKey,
    sealed: Set[str] = frozenset(),
) -> Anew:
    """Draw what is rated anew; earlier draws are not changed.

    Parameters
    ----------
    study
        The study as the version defines it.
    pool
        The pool with what the version brings.
    key
        The key of the version, so that none of its draws repeats an earlier one.
    sealed
        The subjects about whom answers are sealed.

    Raises
    ------
    Conflict
        With every reason why something cannot be drawn or dealt.
    """
    gone = {*rows.replaces.values(), *rows.replaces_candidates.values(), *rows.pairs.replaces.values()}
    together = {name: _without(part, gone) for name, part in before.parts.items()}
    anew: dict[str, DrawnPhase] = {}
    reasons: list[str] = []
    remarks: list[str] = []
    refused: set[str] = set()
    for phase in study.phases:
        if refused.intersection(followed_by(study, phase)):
            # Which sentence there is would say whether its answers let in what is corrected, also if these are sealed.
            continue
        if phase.key not in together and (follows := followed_by(study, phase)):
            # It is drawn once there are answers, also from what this version brings.
            if before.closed.issuperset(follows):
                reasons.append(_never_drawn(phase, follows))
            continue
        if phase.source.phase is not None and phase.source.phase not in together:
            continue  # The other phase could not be drawn; another sentence already says so.
        is_drawn_later = phase.key in before.parts and bool(followed_by(study, phase))
        if is_drawn_later and (hidden := _corrected_of(sealed, phase, rows, pool)):
            reasons.append(_would_tell(phase, hidden))
            refused.add(phase.key)
            continue
        try:
            if phase.key in before.parts:
                corrected = _corrected(phase, before, rows, pool)
                sample, remark = _of_what_is_added(session, study, phase, pool, rows, together, key)
                remarks += [remark] if remark else []
                part = _dealt(study, phase, sample, corrected, before, rows, together, slots, key)
            else:
                part = drawing_phases.draw_phase(session, study, phase, pool, together, key)
                (part,) = dealing_phases.deal_phases(study, [part], slots, key, together)
        except CannotDraw as refusal:
            reasons += [f"Phase '{phase.key}': {reason}" for reason in refusal.reasons]
            continue
        except Conflict as refusal:
            reasons.append(str(refusal))
            continue
        if not part.sample.units:
            continue
        if phase.key in before.closed:
            reasons.append(_closed_before(phase, part, rows, by_answers=is_drawn_later))
            refused.add(phase.key)
            continue
        anew[phase.key] = part
        together[phase.key] = _joined(together.get(phase.key), part)
    if reasons:
        raise Conflict("\n".join(reasons))
    return Anew(tuple(anew.values()), tuple(together.values()), tuple(remarks))


def _never_drawn(phase: Listed, follows: Sequence[str]) -> str:
    named = [f"'{key}'" for key in follows]
    which = f"phase {named[0]}, which is" if len(named) == 1 else f"phases {listed(named)}, which are"
    return (
        f"Phase '{phase.key}' follows from answers of {which} closed: units are drawn from answers when their phase is "
        "closed, so this one would never have any. Let it follow from a phase that is still open, or select its units "
        "without answers."
    )


def _closed_before(phase: Listed, part: DrawnPhase, rows: NewRows, *, by_answers: bool) -> str:
    """Return why a closed phase rates nothing anew, and what to do about what is corrected and about what is added.

    Parameters
    ----------
    by_answers
        Whether the phase follows from answers; which units these let in is not said.
    """
    units = {row.unit.key for row in part.sample.units}
    corrected = [change.key for change in rows.changes if change.stored_as in units]
    named = ", ".join(f"'{key}'" for key in corrected[:5]) + (" and more" if len(corrected) > 5 else "")
    which = "what is corrected" if by_answers else f"{named}, which {'is' if len(corrected) == 1 else 'are'} corrected,"
    ways = [f"leave {which} as before, or add the corrected text under another key"] if corrected else []
    ways += ["let what is added be selected by another phase"]
    return (
        f"Phase '{phase.key}' is closed, since other phases waited for it; nothing can be rated anew in it: "
        f"{', and '.join(ways)}."
    )


def _without(part: DrawnPhase, gone: Set[str]) -> DrawnPhase:
    units = tuple(row for row in part.sample.units if row.unit.key not in gone and row.unit.item not in gone)
    return replace(
        part,
        sample=replace(part.sample, units=units),
        slots={row.unit.key: part.slots[row.unit.key] for row in units if row.unit.key in part.slots},
    )


def _joined(part: DrawnPhase | None, more: DrawnPhase) -> DrawnPhase:
    if part is None:
        return more
    units = (*part.sample.units, *more.sample.units)
    return replace(part, sample=replace(part.sample, units=units), slots={**part.slots, **more.slots})


def _corrected_of(subjects: Set[str], phase: Listed, rows: NewRows, pool: Pool) -> list[str]:
    """Return the stored keys of what is corrected about some subjects, of the kind that a phase rates."""
    kind = kind_rated(phase)
    units = {"candidates": pool.candidates, "pairs": pool.pairs}.get(kind, pool.items)
    return sorted(old for new, old in _replaces(kind, rows).items() if units[new].subject in subjects)


def _would_tell(phase: Listed, hidden: Sequence[str]) -> str:
    named = ", ".join(f"'{key}'" for key in hidden[:5])
    return (
        f"Phase '{phase.key}' follows from answers, which are sealed of test subjects: whether it would rate a "
        f"correction anew would tell what was answered. Leave {named} as before until the study is "
        "unsealed."
    )


def _corrected(phase: Listed, before: Before, rows: NewRows, pool: Pool) -> list[DrawnUnit]:
    """Return the corrected units whose predecessors were drawn for a phase, with their predecessors' probabilities.

    A corrected answer that is now empty is no response, which nobody rates.
    """
    kind = kind_rated(phase)
    units = {"candidates": pool.candidates, "pairs": pool.pairs}.get(kind, pool.items)
    drawn = []
    for new, old in _replaces(kind, rows).items():
        row = before.rows.get((phase.key, old))
        if row is None or not units[new].responded:
            continue
        probability, error = row.inclusion_probability, row.inclusion_error
        kind = "not known" if probability is None else "exact" if error is None else "simulated"
        drawn.append(
            DrawnUnit(units[new], row.stratum, Inclusion(kind, probability, error or 0.0, None, 1, CORRECTED))  # type: ignore[arg-type]
        )
    return sorted(drawn, key=lambda each: each.unit.key)


def _of_what_is_added(
    session: Session,
    study: Expansion,
    phase: Listed,
    pool: Pool,
    rows: NewRows,
    together: Mapping[str, DrawnPhase],
    key: DrawKey,
) -> tuple[DrawnSample, str]:
    """Draw a share, or all, of what is added for an existing phase, and say so if nothing is drawn.

    A sample of a fixed number is already complete, and limits apply to everything that was drawn.
    """
    nothing = DrawnSample((), (), (), None)
    source = drawing_phases.as_canonical(phase.source, study.attributes)
    sample = source.sample
    elsewhere, _ = drawing_phases.subjects_elsewhere(session, sample.not_in if sample else [], together)
    units = _added(drawing_phases.units_of(study, phase, pool, together), phase, rows)
    one_spelling.require_apart(units, source, elsewhere)
    units = that_fit(units, source, elsewhere)
    if not units:
        return nothing, ""
    if not takes_what_is_added(sample):
        return nothing, (
            f"Phase '{phase.key}' draws a sample of a fixed size or with limits, which is already complete: "
            f"{counted(len(units), 'added unit')} {'is' if len(units) == 1 else 'are'} not rated."
        )
    return draw(units, source, key.rng("sample", phase.key), elsewhere), ""


def _added(units: Sequence[Unit], phase: Listed, rows: NewRows) -> list[Unit]:
    """Return the units that the version adds without replacing any; a pair by rule is new if one of its answers is."""
    kind = kind_rated(phase)
    if kind == "pairs" and phase.pairs is not None and phase.pairs.of is not None:
        answers = {row.key for row in rows.added.candidates} - rows.replaces_candidates.keys()
        return [unit for unit in units if not answers.isdisjoint(unit.pair)]
    lines: Sequence[Any] = {"candidates": rows.added.candidates, "pairs": rows.pairs.added}.get(kind, rows.added.items)
    came = {row.key for row in lines} - _replaces(kind, rows).keys()
    return [unit for unit in units if unit.key in came]


def _replaces(kind: str, rows: NewRows) -> Mapping[str, str]:
    """Return, for corrected units of one kind, the stored keys of the units they replace, by their own stored keys."""
    return {"candidates": rows.replaces_candidates, "pairs": rows.pairs.replaces}.get(kind, rows.replaces)


def takes_what_is_added(sample: Sample | None) -> bool:
    """Return whether an existing phase draws from what a version adds: all of it, or a share without limits."""
    if sample is None:
        return True
    is_share = sample.size == "all" or sample.size.endswith("%")
    return is_share and not sample.at_most and not sample.sizes


def _dealt(
    study: Expansion,
    phase: Listed,
    sample: DrawnSample,
    corrected: Sequence[DrawnUnit],
    before: Before,
    rows: NewRows,
    together: Mapping[str, DrawnPhase],
    slots: Slots,
    key: DrawKey,
) -> DrawnPhase:
    """Deal what is added; corrected units go to the slots of the units they replace."""
    part = DrawnPhase(phase.key, kind_rated(phase), sample)
    if sample.units:
        others = {name: other for name, other in together.items() if name != phase.key}
        (part,) = dealing_phases.deal_phases(study, [part], slots, key, others)
    replaces = _replaces(kind_rated(phase), rows)
    as_before = {
        each.unit.key: tuple(before.rows[phase.key, replaces[each.unit.key]].slots)
        for each in corrected
        if before.rows[phase.key, replaces[each.unit.key]].slots
    }
    units = (*corrected, *part.sample.units)
    return replace(part, sample=replace(part.sample, units=units), slots={**part.slots, **as_before})


def in_words(study: Expansion, anew: Anew) -> list[str]:
    """Return how much is rated anew, a sentence for each phase."""
    titles = {phase.key: phase.title for phase in study.phases}
    sentences = []
    for part in anew.parts:
        corrected = sum(row.inclusion.method == CORRECTED for row in part.sample.units)
        added = len(part.sample.units) - corrected
        counts = [f"{added} added"] if added else []
        counts += [f"{corrected} corrected"] if corrected else []
        sentences.append(f"“{titles[part.key]}” rates {listed(counts)}.")
    return [*sentences, *anew.remarks]
