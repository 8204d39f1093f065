"""Draw what is rated in each listed phase from the study's tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlmodel import Session, col, select

from db import Case, Freeze, FreezeItem, Item, Study
from db.standing import STANDS
from protocol.language.expansion import Attribute, Condition, Expansion, Source
from protocol.language.expansion import Phase as Listed
from protocol.language.following import followed_by
from protocol.language.pools import kind_rated, rates_texts
from protocol.language.results import values_as_stored
from services.errors import Conflict
from services.studies.drawing import drawn_apart, one_spelling, pairing, pooled
from services.studies.drawing.drawn_phase import DrawnKeys, DrawnPhase
from services.studies.drawing.pool import Pool
from services.studies.draws import DrawKey
from services.studies.sampling.inclusion import REPEATS, Inclusion
from services.studies.sampling.remarks import CannotDraw
from services.studies.sampling.sample import DrawnSample, DrawnUnit, draw
from services.studies.sampling.units import Unit


def draw_phases(
    session: Session, study: Expansion, pool: Pool, key: DrawKey, repeats: int = REPEATS
) -> list[DrawnPhase]:
    """Draw the units of every phase, each with its own key, so that adding a phase changes no other draw.

    Phases whose units follow from answers are left out.

    Parameters
    ----------
    repeats
        How often a draw is repeated if probabilities have to be simulated; the units drawn do not depend on it.

    Raises
    ------
    Conflict
        Every reason why a phase cannot be drawn.
    """
    drawn: list[DrawnPhase] = []
    reasons: list[str] = []
    for phase in study.phases:
        earlier = {other.key: other for other in drawn}
        if followed_by(study, phase):
            continue  # It is drawn once there are answers.
        if phase.source.phase is not None and phase.source.phase not in earlier:
            continue  # The other phase could not be drawn; another sentence already says so.
        try:
            drawn.append(draw_phase(session, study, phase, pool, earlier, key, repeats))
        except CannotDraw as refusal:
            reasons += [f"Phase '{phase.key}': {reason}" for reason in refusal.reasons]
    if reasons:
        raise Conflict("\n".join(reasons))
    return drawn


def draw_phase(
    session: Session,
    study: Expansion,
    phase: Listed,
    pool: Pool,
    earlier: Mapping[str, DrawnPhase],
    key: DrawKey,
    repeats: int = REPEATS,
) -> DrawnPhase:
    """Draw the units of one phase with its own key; `earlier` holds the phases above it.

    Raises
    ------
    CannotDraw
        With every reason why the phase cannot be drawn.
    """
    sample = phase.source.sample
    elsewhere, not_here = subjects_elsewhere(session, sample.not_in if sample else [], earlier)
    units = units_of(study, phase, pool, earlier)
    source = pooled.narrowing_both(study, phase, as_canonical(phase.source, study.attributes))
    one_spelling.require_apart(units, source, elsewhere)
    result = draw(units, source, key.rng("sample", phase.key), elsewhere, repeats=repeats)
    silent = pairing.without_response(units)
    apart_from = drawn_apart.freezes_of(session, drawn_apart.studies_named(study, phase))
    return DrawnPhase(phase.key, kind_rated(phase), result, not_here, apart_from, without_response=silent)


def keys_drawn(parts: Iterable[DrawnPhase]) -> DrawnKeys:
    """Return the keys of the items and candidates that were drawn, including the answers of pairs and their items."""
    units = [(part.rates, row.unit) for part in parts for row in part.sample.units]
    candidates = [unit.key for rates, unit in units if rates == "candidates"]
    return DrawnKeys(
        items=frozenset(unit.item for _, unit in units),
        candidates=frozenset(candidates).union(*(unit.pair for _, unit in units)),
    )


def subjects_of(parts: Iterable[DrawnPhase]) -> frozenset[str]:
    """Return the subjects of everything that was drawn."""
    return frozenset(row.unit.subject for part in parts for row in part.sample.units if row.unit.subject)


def drawn_before(
    session: Session, study: Expansion, freeze_id: int, pool: Pool, closed: frozenset[str]
) -> dict[str, DrawnPhase]:
    """Return the phases of a frozen study whose units are drawn, with their units and the slots they were dealt to.

    Parameters
    ----------
    closed
        The closed phases: phases that follow from them count as drawn even if they have no units.
    """
    keys = {item_id: key for key, item_id in pool.item_ids.items()}
    candidates = {candidate_id: key for key, candidate_id in pool.candidate_ids.items()}
    rows: dict[str, list[tuple[Unit, FreezeItem]]] = {}
    for row in session.exec(select(FreezeItem).where(FreezeItem.freeze_id == freeze_id).order_by(col(FreezeItem.id))):
        if row.item_id not in keys or (row.candidate_id is not None and row.candidate_id not in candidates):
            continue  # A version replaced it.
        if row.candidate_id is None:
            unit = pool.items[keys[row.item_id]]
        else:
            key = candidates[row.candidate_id]
            unit = pool.pairs[key] if key in pool.pairs else pool.candidates[key]
        rows.setdefault(row.phase, []).append((unit, row))
    return {
        phase.key: DrawnPhase(
            phase.key,
            kind_rated(phase),
            DrawnSample(tuple(DrawnUnit(unit, row.stratum, _STORED) for unit, row in there), (), (), None),
            slots={unit.key: tuple(row.slots) for unit, row in there if row.slots},
        )
        for phase in study.phases
        if set(followed_by(study, phase)) <= closed
        for there in [rows.get(phase.key, [])]
    }


# Units drawn earlier are only needed for their identity.
_STORED = Inclusion("not known", None, None, None, 1, "stored")


def of_units(phase: Listed, units: Iterable[Unit]) -> DrawnPhase:
    """Return a phase with units that are only needed for their identity."""
    rows = tuple(DrawnUnit(unit, "", _STORED) for unit in units)
    return DrawnPhase(phase.key, kind_rated(phase), DrawnSample(rows, (), (), None))


def units_of(study: Expansion, phase: Listed, pool: Pool, earlier: Mapping[str, DrawnPhase]) -> list[Unit]:
    """Return what a phase draws from: all units of its kind, or those that belong to the items of the phase it names.

    A pool only takes models' answers to items that people also answered: otherwise it would be obvious who wrote them.

    Raises
    ------
    CannotDraw
        The phase selects models' answers for a pool, and there are none.
    """
    units = list(pool.items.values())
    if rates_texts(phase):
        source_as_stored = as_canonical(phase.source, study.attributes)
        units = pooled.units_in_pool(study, phase, source_as_stored, pool.candidates.values())
    if phase.rates == ["pairs"]:
        units = pairing.units_of_pairs(study, phase, as_canonical(phase.source, study.attributes), pool)
    if phase.rates == ["references"]:
        # A reference has the key of its item; an item without a reference has nothing to rate.
        units = [unit for unit in units if unit.key not in pool.without_reference]
    named = phase.source.phase or phase.answers_of
    if named is None:
        return units
    source = [row.unit for row in earlier[named].sample.units]
    keys, items = {unit.key for unit in source}, {unit.item for unit in source}
    of_same_kind = kind_rated(study.phase(named)) == kind_rated(phase)
    if phase.rates == ["pairs"] and kind_rated(study.phase(named)) == "candidates":
        # Only answers that were drawn there are compared.
        return [unit for unit in units if set(unit.pair) <= keys]
    return [unit for unit in units if (unit.key in keys if of_same_kind else unit.item in items)]


def as_canonical(source: Source, attributes: Sequence[Attribute]) -> Source:
    """Return a source whose conditions spell yes and no as stored attributes do."""
    where = [
        Condition(name=said.name, values=values_as_stored(said.name, said.values, attributes)) for said in source.where
    ]
    return source.model_copy(update={"where": where})


def subjects_elsewhere(
    session: Session, names: Sequence[str], earlier: Mapping[str, DrawnPhase]
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the subjects of the named earlier phases and frozen studies of this installation.

    Names that match neither are returned as well.
    """
    subjects: set[str] = set()
    not_here = []
    for name in names:
        if name in earlier:
            subjects |= {row.unit.subject for row in earlier[name].sample.units if row.unit.subject}
            continue
        used = set(
            session.exec(
                select(Case.subject)
                .join(Item, col(Item.case_id) == Case.id)
                .join(FreezeItem, col(FreezeItem.item_id) == Item.id)
                .join(Freeze, col(Freeze.id) == FreezeItem.freeze_id)
                .join(Study, col(Study.id) == Freeze.study_id)
                .where(Study.key == name, col(Study.removed_at).is_(None), *STANDS)
            )
        )
        subjects |= used
        not_here += [] if used else [name]
    return frozenset(subjects), tuple(not_here)


def nowhere_frozen(session: Session, study: Expansion) -> Iterator[str]:
    """Yield a sentence for each phase whose sample is drawn apart from studies that are not frozen here."""
    for phase in study.phases:
        for name in subjects_elsewhere(session, drawn_apart.studies_named(study, phase), {})[1]:
            yield (
                f"Phase '{phase.key}': sample.not_in names '{name}', and no study of this name is frozen here: no "
                "subject is left out for it. Freeze that study first, or correct the name."
            )


def rows_of(freeze_id: int, part: DrawnPhase, pool: Pool, version: int) -> list[FreezeItem]:
    """Return the rows that store what was drawn for a phase in a version of the study."""
    return [_row(freeze_id, part, row, pool, version) for row in part.sample.units]


def _row(freeze_id: int, part: DrawnPhase, row: DrawnUnit, pool: Pool, version: int) -> FreezeItem:
    simulated = row.inclusion.kind == "simulated"
    return FreezeItem(
        freeze_id=freeze_id,
        item_id=pool.item_ids[row.unit.item],
        # The key alone is not enough: an item and a candidate may have the same one.
        candidate_id=pool.candidate_ids[row.unit.key] if part.rates in ("candidates", "pairs") else None,
        phase=part.key,
        stratum=row.stratum[:200],
        inclusion_probability=row.inclusion.probability,
        inclusion_error=row.inclusion.standard_error if simulated else None,
        slots=list(part.slots.get(row.unit.key, ())),
        version=version,
    )
