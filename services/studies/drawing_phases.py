"""What is rated in each phase of a study that lists its phases: drawn from its tables, and held against the law."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from db import Candidate, Case, Freeze, FreezeItem, Item, Reference, Study
from db.base import stored_id
from protocol.language.expansion import Attribute, Condition, Expansion, Source
from protocol.language.expansion import Phase as Listed
from protocol.study_phases import StudyPhases
from services.errors import Conflict
from services.studies.draws import DrawKey
from services.studies.sampling.remarks import CannotDraw, listed
from services.studies.sampling.sample import DrawnSample, DrawnUnit, draw
from services.studies.sampling.units import Unit


@dataclass(frozen=True)
class Pool:
    """Everything of a study that could be drawn, as it is stored."""

    items: Mapping[str, Unit]
    candidates: Mapping[str, Unit]
    # Keys of items by what a phase needs of them.
    without_volumes: frozenset[str]
    without_reference: frozenset[str]
    with_overlays: frozenset[str]
    # Conversation and turn by the key of an item that is a turn.
    turns: Mapping[str, tuple[str, int]]
    item_ids: Mapping[str, int]
    candidate_ids: Mapping[str, int]


@dataclass(frozen=True)
class DrawnPhase:
    """A phase with the units that were drawn for it."""

    key: str
    sample: DrawnSample
    # Names in `not_in` of which there is no frozen study here.
    not_here: tuple[str, ...] = ()

    def as_manifest(self) -> dict[str, Any]:
        """Return what a manifest says of it: planned against drawn, and each unit with its probability."""
        return {
            "strata": [
                {
                    "stratum": row.stratum,
                    "available": row.available,
                    "planned": row.planned,
                    "drawn": row.drawn,
                    "units": row.units,
                }
                for row in self.sample.table
            ],
            "units": {
                row.unit.key: {
                    "stratum": row.stratum,
                    "probability": row.inclusion.probability,
                    "error": row.inclusion.standard_error,
                    "method": row.inclusion.method,
                }
                for row in self.sample.units
            },
            "notes": [
                *self.sample.notes,
                *(f"There is no frozen study '{name}' here: no subject of it was left out." for name in self.not_here),
            ],
            "weighting_refused": self.sample.weighting_refused,
        }


def pool_of(session: Session, study_id: int) -> Pool:
    """Read everything that could be drawn."""
    rows = session.exec(
        select(Item, Case).join(Case, col(Case.id) == Item.case_id).where(Item.study_id == study_id)
    ).all()
    items = {stored_id(item.id): _item_unit(item, case) for item, case in rows}
    with_reference = set(
        session.exec(
            select(Reference.item_id).join(Item, col(Item.id) == Reference.item_id).where(Item.study_id == study_id)
        )
    )
    candidates = session.exec(select(Candidate).where(Candidate.study_id == study_id)).all()
    return Pool(
        items={unit.key: unit for unit in items.values()},
        candidates={row.key: _candidate_unit(row, items[row.item_id]) for row in candidates},
        without_volumes=frozenset(item.key for item, _ in rows if not item.sequences),
        without_reference=frozenset(item.key for item, _ in rows if item.id not in with_reference),
        with_overlays=frozenset(item.key for item, _ in rows if item.overlays),
        turns={item.key: (item.conversation, item.turn) for item, _ in rows if item.conversation and item.turn},
        item_ids={item.key: stored_id(item.id) for item, _ in rows},
        candidate_ids={row.key: stored_id(row.id) for row in candidates},
    )


def _item_unit(item: Item, case: Case) -> Unit:
    own = {"category": item.category, "format": item.format, "grounding": item.grounding}
    own |= {"conversation": item.conversation} if item.conversation else {}
    return Unit(
        key=item.key,
        subject=case.subject,
        item=item.key,
        attributes={**case.attributes, **item.attributes, **own},
        practice=item.practice,
    )


def _candidate_unit(candidate: Candidate, item: Unit) -> Unit:
    return Unit(
        key=candidate.key,
        subject=item.subject,
        item=item.item,
        attributes={**item.attributes, **candidate.attributes, "model": candidate.model},
        practice=item.practice,
        responded=bool(candidate.answer.strip()),
    )


def draw_phases(session: Session, study: Expansion, pool: Pool, key: DrawKey) -> list[DrawnPhase]:
    """Draw the units of every phase, each by a key of its own, so that a further phase moves no other draw.

    Raises
    ------
    Conflict
        Every reason why a phase cannot be drawn.
    """
    drawn: list[DrawnPhase] = []
    reasons: list[str] = []
    for phase in study.phases:
        earlier = {other.key: other for other in drawn}
        if phase.source.phase is not None and phase.source.phase not in earlier:
            continue  # That one could not be drawn, which is said.
        sample = phase.source.sample
        elsewhere, not_here = _subjects_elsewhere(session, sample.not_in if sample else [], earlier)
        try:
            result = draw(
                _units_of(phase, pool, earlier),
                _as_canonical(phase.source, study.attributes),
                key.rng("sample", phase.key),
                elsewhere,
            )
        except CannotDraw as refusal:
            reasons += [f"Phase '{phase.key}': {reason}" for reason in refusal.reasons]
            continue
        drawn.append(DrawnPhase(phase.key, result, not_here))
    if reasons:
        raise Conflict("\n".join(reasons))
    return drawn


def _units_of(phase: Listed, pool: Pool, earlier: Mapping[str, DrawnPhase]) -> list[Unit]:
    """Return what a phase draws from: all of its kind, or what belongs to the items of the phase that it names."""
    units = pool.items if phase.rates == ["items"] else pool.candidates
    if phase.source.phase is None:
        return list(units.values())
    source = [row.unit for row in earlier[phase.source.phase].sample.units]
    keys, items = {unit.key for unit in source}, {unit.item for unit in source}
    of_same_kind = keys <= set(units)
    return [unit for unit in units.values() if (unit.key in keys if of_same_kind else unit.item in items)]


def _as_canonical(source: Source, attributes: Sequence[Attribute]) -> Source:
    """Return a source whose conditions name yes and no as attributes are stored."""
    flags = {attribute.key for attribute in attributes if attribute.type == "yes_no"} | {"practice"}
    words = {"true": "yes", "false": "no"}
    where = [
        Condition(name=said.name, values=[words.get(value, value) for value in said.values])
        if said.name in flags
        else said
        for said in source.where
    ]
    return source.model_copy(update={"where": where})


def _subjects_elsewhere(
    session: Session, names: Sequence[str], earlier: Mapping[str, DrawnPhase]
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the subjects of the phases above and of the frozen studies of this installation that are named.

    Beside them those names are returned of which there is neither.
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
                .where(Study.key == name, col(Study.removed_at).is_(None))
            )
        )
        subjects |= used
        not_here += [] if used else [name]
    return frozenset(subjects), tuple(not_here)


def require_sound(study: Expansion, phases: StudyPhases, drawn: Sequence[DrawnPhase], pool: Pool) -> None:
    """Refuse what was drawn where it lacks what its phase shows, or would tell somebody what they have still to rate.

    Raises
    ------
    Conflict
        With a sentence for each reason.
    """
    reasons = [
        *_lacking(phases, drawn, pool),
        *_torn(study, drawn, pool),
        *_told_too_early(phases, drawn),
        *_overlays(study, drawn, pool),
    ]
    if reasons:
        raise Conflict("\n".join(reasons))


def _lacking(phases: StudyPhases, drawn: Sequence[DrawnPhase], pool: Pool) -> Iterator[str]:
    for part in drawn:
        shows = phases.rules_of(phases.named(part.key)).shows
        items = {row.unit.item for row in part.sample.units}
        for thing, lacking, file in (
            ("scans", pool.without_volumes, "name sequences in items.csv"),
            ("reference", pool.without_reference, "add lines to references.csv"),
        ):
            without = sorted(items & lacking)
            if thing in shows and without:
                what = "item" if len(without) == 1 else "items"
                yield (
                    f"Phase '{part.key}' shows the {thing}, which {len(without)} drawn {what} ({listed(without)}) "
                    f"{'lacks' if len(without) == 1 else 'lack'}; {file}, or select other items."
                )


def _torn(study: Expansion, drawn: Sequence[DrawnPhase], pool: Pool) -> Iterator[str]:
    """A turn continues what was asked and answered before it, so that it makes no sense, and tells, on its own."""
    for part in drawn:
        if study.phase(part.key).rates != ["items"]:
            continue
        keys = {row.unit.key for row in part.sample.units}
        last: dict[str, int] = {}
        for key in keys & set(pool.turns):
            conversation, turn = pool.turns[key]
            last[conversation] = max(turn, last.get(conversation, 0))
        torn = sorted(
            {
                conversation
                for key, (conversation, turn) in pool.turns.items()
                if turn < last.get(conversation, 0) and key not in keys
            }
        )
        if torn:
            yield (
                f"Phase '{part.key}' has a later turn without an earlier one of {len(torn)} conversation(s) "
                f"({listed(torn)}); select conversations as a whole, as by an attribute that all their turns share."
            )


def _told_too_early(phases: StudyPhases, drawn: Sequence[DrawnPhase]) -> Iterator[str]:
    units = {part.key: [row.unit for row in part.sample.units] for part in drawn}
    for telling in phases.counted:
        done_before = _all_before(phases, telling.key)
        for reach, blind in phases.blind_to(telling):
            for phase in blind:
                if phase.key in done_before:
                    continue
                of_telling, of_blind = ({_of(unit, reach) for unit in units[key]} for key in (telling.key, phase.key))
                shared = (of_telling & of_blind) - {None}
                if shared:
                    thing = "the reference" if reach == "subject" else "an answer"
                    yield (
                        f"Phase '{telling.key}' shows {thing} of {len(shared)} {reach}(s) that the same people can "
                        f"still have to rate in phase '{phase.key}', which does not show it; let '{telling.key}' open "
                        f"after '{phase.key}', or draw one of the two apart (sample.not_in)."
                    )


def _of(unit: Unit, reach: str) -> tuple[str, str] | None:
    """Return what a unit is about: its subject, or its item, which is the conversation where it is a turn."""
    if reach == "subject":
        return ("subject", unit.subject) if unit.subject else None
    conversation = unit.attributes.get("conversation")
    return ("conversation", conversation) if conversation else ("item", unit.item)


def _all_before(phases: StudyPhases, key: str) -> set[str]:
    """Return the keys of the phases that a member is done with when this one opens."""
    before: set[str] = set()
    waits = [key]
    while waits:
        for earlier in phases.named(waits.pop()).after:
            if earlier not in before:
                before.add(earlier)
                waits.append(earlier)
    return before


def _overlays(study: Expansion, drawn: Sequence[DrawnPhase], pool: Pool) -> Iterator[str]:
    """An item with a mask tells of the others of its subject where to look; in one phase they have no order."""
    for part in drawn:
        if "overlays" not in study.phase(part.key).shows:
            continue
        subjects: dict[bool, set[str | None]] = {True: set(), False: set()}
        for row in part.sample.units:
            subjects[row.unit.item in pool.with_overlays].add(row.unit.subject)
        both = sorted(str(subject) for subject in subjects[True] & subjects[False])
        if both:
            yield (
                f"Phase '{part.key}' shows overlays, and of subject {listed(both)} it has items with one and without; "
                "draw at most one item of a subject, or rate those with overlays in a phase of their own."
            )


def rows_of(freeze_id: int, part: DrawnPhase, pool: Pool) -> list[FreezeItem]:
    """Return the rows that store what was drawn for a phase."""
    return [_row(freeze_id, part.key, row, pool) for row in part.sample.units]


def _row(freeze_id: int, phase: str, row: DrawnUnit, pool: Pool) -> FreezeItem:
    simulated = row.inclusion.kind == "simulated"
    return FreezeItem(
        freeze_id=freeze_id,
        item_id=pool.item_ids[row.unit.item],
        candidate_id=pool.candidate_ids[row.unit.key] if row.unit.key in pool.candidates else None,
        phase=phase,
        stratum=row.stratum[:200],
        inclusion_probability=row.inclusion.probability,
        inclusion_error=row.inclusion.standard_error if simulated else None,
    )
