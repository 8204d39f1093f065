"""Freeze a study: fix its contents in a manifest, draw the sample that raters score, and open it for reading."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sqlmodel import Session, col, select

from agreement import FEW_CLUSTERS
from db import (
    Candidate,
    Case,
    Database,
    Freeze,
    FreezeItem,
    Item,
    Membership,
    Overlay,
    Study,
    StudyEvent,
    Volume,
    add_many,
    audit,
)
from db.base import stored_id
from db.standing import STANDS, STILL_MEMBER
from protocol.language.computed import not_computed
from protocol.language.expansion import Expansion
from protocol.language.following import followed_by
from protocol.study import Protocol
from services.errors import Conflict
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import require_role
from services.seals import proofs
from services.studies import (
    assigning,
    dealing_phases,
    drawing_phases,
    drawn_apart,
    draws,
    foreseen,
    frozen_facts,
    groups,
    one_sided_pools,
    one_spelling,
    pairing,
    plan_before_freeze,
    pool_files,
    rater_attributes,
    sound_draws,
    stored_pool,
    volume_store,
    whole_pool,
)
from services.studies.drawn_phase import DrawnPhase
from services.studies.manifest import build_manifest, build_manifest_of_pool, canonical, sha256_of
from services.studies.many_objects import no_search_for_garbage
from services.studies.pool import Pool

T = TypeVar("T")
# The length of the column; the manifest has the full text.
LONGEST_METHOD = 200


@dataclass(frozen=True)
class Frozen:
    """A freeze as admins see it."""

    sha256: str
    manifest: dict[str, Any]
    created_at: str


@dataclass(frozen=True)
class Standing:
    """What a freeze would fix: how much is read, and the number of subjects behind every interval."""

    items: int
    cases: int
    subjects: int
    # Whether each phase draws its own units from them.
    is_drawn_from: bool = False
    # Set if the study's draw decides which scans it needs.
    needs: pool_files.Needs | None = None
    # What admins have to know about its people before the freeze, a sentence each.
    people: tuple[str, ...] = ()
    # What its analysis plan declares but this release does not compute.
    lacking: tuple[str, ...] = ()
    # What the plan requires of raters and units but the design cannot provide.
    unreachable: tuple[str, ...] = ()
    # Which items of a pool tell by themselves that people answered them.
    one_sided: tuple[str, ...] = ()
    # From which studies its samples would not be drawn apart, since they are not frozen here.
    not_apart: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Everything that admins have to know before the freeze, a sentence each."""
        return (*self.people, *self.unreachable, *self.one_sided, *self.not_apart)

    @property
    def sentence(self) -> str:
        """Return these numbers in words."""
        items, cases, subjects = (
            f"{count} {what}" if count == 1 else f"{count} {what}s"
            for count, what in ((self.items, "item"), (self.cases, "case"), (self.subjects, "subject"))
        )
        if self.is_drawn_from:
            said = f"The study has {items} about {cases} of {subjects}; the freeze draws each phase's units from them."
            return " ".join((said, *self.lacking))
        words = f"{items} about {cases} of {subjects}: intervals are clustered by subject, so {subjects} "
        words += "supports them." if self.subjects == 1 else "support them."
        if self.subjects < FEW_CLUSTERS:
            words += " With so few, intervals may be undefined, and those given are likely to be too narrow."
        return words


def standing_of(database: Database, actor: Actor, study_key: str) -> Standing:
    """Count what will be read, without practice."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        rows = session.exec(
            select(Item.case_id, Case.subject)
            .join(Case, col(Case.id) == Item.case_id)
            .where(Item.study_id == study.id, ~col(Item.practice))
        ).all()
        phases = frozen_facts.phases_of(session, stored_id(study.id))
        expansion = frozen_facts.expansion_of(session, stored_id(study.id))
        dealt = (
            {}
            if expansion is None
            else {phase.key: phase.by.is_dealt and not followed_by(expansion, phase) for phase in expansion.phases}
        )
        people = (
            *groups.remarks_before_freeze(session, stored_id(study.id), phases, dealt),
            *rater_attributes.without_values(session, stored_id(study.id)),
        )
        subjects = len({subject for _, subject in rows})
        needs = pool_files.needs_of(session, stored_id(study.id))
        lacking = () if expansion is None else tuple(not_computed(expansion))
        unreachable = () if expansion is None else _unreachable(session, stored_id(study.id), expansion)
        one_sided = () if expansion is None else _one_sided(session, stored_id(study.id), expansion)
        not_apart = () if expansion is None else tuple(drawing_phases.nowhere_frozen(session, expansion))
        cases = len({case for case, _ in rows})
        of_draw = (people, lacking, unreachable, one_sided, not_apart)
        return Standing(len(rows), cases, subjects, phases.listed, needs, *of_draw)


def _one_sided(session: Session, study_id: int, study: Expansion) -> tuple[str, ...]:
    """Return on which items of its pools only people's answers can be."""
    if not one_sided_pools.holds_both(study):
        return ()
    return frozen_facts.until_changed(
        session,
        study_id,
        ("one-sided",),
        lambda: tuple(one_sided_pools.answered_by_people_alone(study, stored_pool.pool_of(session, study_id))),
    )


def _unreachable(session: Session, study_id: int, study: Expansion) -> tuple[str, ...]:
    """Return what a plan requires that the tables, and the people present or planned, cannot provide."""
    plan = study.analysis
    if plan.primary is None and not plan.also and not plan.criteria:
        return ()
    there = {group: len(numbers) for group, numbers in groups.slots_taken(session, study_id).items()}
    people = {group.key: there.get(group.key, 0) for group in study.groups}

    def said() -> tuple[str, ...]:
        # Reading the tables of a large study is slow, so do it only if there are criteria to check against them.
        pool = stored_pool.pool_of(session, study_id) if plan.criteria else None
        return tuple(plan_before_freeze.before_freeze(study, pool, people))

    # Cached, because the page asks at every click.
    return frozen_facts.until_changed(session, study_id, ("unreachable", tuple(people.items())), said)


@no_search_for_garbage()
def freeze_study(database: Database, actor: Actor, study_key: str) -> Frozen:
    """Fix a study's contents, give every rater their assignments, and open it.

    Raises
    ------
    Conflict
        The study is already frozen, a prepared volume is damaged, or a phase cannot be drawn.
    """
    # Drawn before the write transaction starts, because simulating probabilities would make everybody wait.
    drawn = _drawn_beforehand(database, actor, study_key)
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        study_id = stored_id(study.id)
        require_in_study(session, acts.FREEZE, study)
        for volume in session.exec(select(Volume).where(Volume.study_id == study_id)):
            if not volume_store.is_intact(database, volume.sha256):
                raise Conflict(f"The prepared file of volume '{volume.key}' is missing or damaged; import again.")
        for overlay in session.exec(select(Overlay).where(Overlay.study_id == study_id)):
            if not volume_store.is_intact(database, overlay.sha256):
                raise Conflict(f"The prepared file of overlay '{overlay.key}' is missing or damaged; import again.")
        phases = frozen_facts.phases_of(session, study_id)
        key = draws.key_of(session, study_id, phases.seed)
        if drawn is not None and drawn.slots != groups.slots_of(session, study_id, phases):
            raise Conflict("Somebody joined or left while the phases were drawn; freeze the study again.")
        if drawn is not None:
            pool, pairs = pairing.store_drawn(session, study_id, drawn.parts, drawn.pool)
            if pairs:
                # The seals on the other candidates were computed when they were read.
                new = [row for row in pairs if isinstance(row, Candidate)]
                audit.record(session, "pairs stored", study_id=study_id, rows=proofs.sealed(new))
            drawn = replace(drawn, pool=pool)
        content = _content_of_phases(study_id, key, drawn) if drawn is not None else _content(session, study_id, key)
        parts = drawn.parts if drawn is not None else ()
        subjects = drawing_phases.subjects_of(parts) if drawn is not None else _subjects(session, study_id)
        drawn_apart.require_kept(session, study, subjects, parts)
        manifest = content.manifest(session, study)
        freeze = Freeze(
            study_id=study_id,
            version=1 + len(session.exec(select(Freeze.id).where(Freeze.study_id == study_id)).all()),
            manifest_json=canonical(manifest),
            sha256=sha256_of(manifest),
            seed=phases.seed,
            method=content.method,
            draw_rule=draws.RULE,
        )
        session.add(freeze)
        session.flush()
        add_many(session, content.rows(stored_id(freeze.id)))
        opened = StudyEvent(study_id=study_id, kind="open", person_id=actor.person_id)
        session.add(opened)
        session.flush()
        for purpose in content.purposes:
            draws.note(session, study_id, key, *purpose, **draws.dealt_to(purpose[0], drawn.slots if drawn else {}))
        for rater in session.exec(
            select(Membership).where(Membership.study_id == study_id, Membership.role == "rater", *STILL_MEMBER)
        ).all():
            assigning.assign_rater(session, study_id, rater, frozen_facts.phases_of_member(session, rater))
        seals = drawn.whole.seals if drawn is not None else {}
        fixed = proofs.frozen_rows(session, study_id, but=seals)
        audit.record(
            session,
            "study frozen",
            person_id=actor.person_id,
            study_id=study_id,
            manifest_sha256=freeze.sha256,
            rows=proofs.sealed([opened]) | seals | proofs.sealed_values(fixed, study.salt),
        )
        return Frozen(freeze.sha256, manifest, freeze.created_at.isoformat())


@dataclass(frozen=True)
class _Content:
    """What a freeze fixes besides the tables: what was drawn, its description, and the rows that store it."""

    manifest: Callable[[Session, Study], dict[str, Any]]
    method: str
    purposes: tuple[tuple[str, ...], ...]
    rows: Callable[[int], list[FreezeItem]]


def _content(session: Session, study_id: int, key: draws.DrawKey) -> _Content:
    """Return what is read (every item) and the sample of candidates that is scored."""
    protocol = frozen_facts.protocol_of(session, study_id)
    sample = _draw_sample(session, study_id, protocol, key.rng("scoring sample"))
    probabilities = {candidate.key: probability for candidate, _, probability in sample}
    return _Content(
        manifest=lambda session, study: build_manifest(session, study, probabilities),
        method=f"all items; {len(sample)} candidates drawn at random within each model" if sample else "all items",
        purposes=(("scoring sample",),),
        rows=lambda freeze_id: _rows_of_sample(session, study_id, freeze_id, sample),
    )


@dataclass(frozen=True)
class _Drawn:
    """What was drawn for a study that lists its phases, the key and the pool it was drawn with, and the whole pool.

    The pool is read outside the write transaction: a large one takes seconds, during which nobody could store anything.
    """

    study_id: int
    pool: Pool
    parts: tuple[DrawnPhase, ...]
    key: draws.DrawKey
    slots: groups.Slots
    whole: whole_pool.WholePool


def _drawn_beforehand(database: Database, actor: Actor, study_key: str) -> _Drawn | None:
    """Draw the phases of a study that lists them; None for any other study."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        require_in_study(session, acts.FREEZE, study)
        expansion = frozen_facts.expansion_of(session, study_id)
        if reasons := list(one_spelling.reasons_against(session, study_id, listed=expansion is not None)):
            raise Conflict("\n".join(reasons))
        if expansion is None:
            return None
        if wrong := list(drawn_apart.misspelt(session, expansion, study.key)):
            raise Conflict("\n".join(f"Phase '{phase}': {says}" for phase, says in wrong))
        gathered = stored_pool.Gathered(session, study_id)
        whole = whole_pool.read(session, study, also=gathered.take)
        pool = gathered.pool()
        key = draws.key_of(session, study_id, expansion.seed)
        phases = frozen_facts.phases_of(session, study_id)
        slots = groups.slots_of(session, study_id, phases)
        drawn = drawing_phases.draw_phases(session, expansion, pool, key)
        parts = dealing_phases.deal_phases(expansion, drawn, slots, key)
        later = foreseen.foreseen(session, expansion, pool, parts, slots, key)
        sound_draws.require_sound(expansion, phases, [*parts, *later], pool, to_come={part.key for part in later})
        pool_files.require_prepared(session, study_id, expansion, pool, parts)
        return _Drawn(study_id, pool, tuple(parts), key, slots, whole)


def _content_of_phases(study_id: int, key: draws.DrawKey, drawn: _Drawn) -> _Content:
    """Return what was drawn for each phase; refuse it if the study has changed since the draw."""
    # Importing over a draft makes a study with a new id; nothing else changes the contents of a draft.
    if drawn.study_id != study_id or drawn.key != key:
        raise Conflict("The study was imported again while its phases were drawn; freeze it again.")
    counts = "; ".join(f"{part.key}: {len(part.sample.units)} drawn" for part in drawn.parts)
    said = {part.key: part.as_manifest() for part in drawn.parts}
    keys = drawing_phases.keys_drawn(drawn.parts)
    return _Content(
        manifest=lambda session, study: build_manifest_of_pool(session, study, said, keys, drawn.whole),
        method=counts if len(counts) <= LONGEST_METHOD else f"{len(drawn.parts)} phases drawn, as the manifest says",
        purposes=tuple((purpose, part.key) for part in drawn.parts for purpose in _purposes(part)),
        rows=lambda freeze_id: [
            row
            for part in drawn.parts
            for row in drawing_phases.rows_of(freeze_id, part, drawn.pool, draws.FIRST_VERSION)
        ],
    )


def _purposes(part: DrawnPhase) -> tuple[str, ...]:
    return ("sample", "design") if part.slots else ("sample",)


def freeze_of(database: Database, actor: Actor, study_key: str) -> Frozen | None:
    """Return a study's freeze, or None when it is not frozen yet."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        freeze = session.exec(select(Freeze).where(Freeze.study_id == study.id, *STANDS)).first()
        if freeze is None:
            return None
        return Frozen(freeze.sha256, json.loads(freeze.manifest_json), freeze.created_at.isoformat())


def _draw_sample(
    session: Session, study_id: int, protocol: Protocol, rng: random.Random
) -> list[tuple[Candidate, str, float]]:
    """Draw the candidates that raters score, each with its stratum and inclusion probability."""
    if protocol.scoring is None:
        return []
    by_model: dict[str, list[Candidate]] = defaultdict(list)
    candidates = session.exec(select(Candidate).where(Candidate.study_id == study_id)).all()
    # Sorted in Python: a database's sort order depends on its locale, and the draw must be repeatable elsewhere.
    for candidate in sorted(candidates, key=lambda row: row.key):
        by_model[candidate.model].append(candidate)
    drawn = draw_by_model(by_model, protocol.scoring.sample, rng)
    return [(candidate, f"model {model}", probability) for candidate, model, probability in drawn]


def draw_by_model(by_model: Mapping[str, Sequence[T]], sample: int, rng: random.Random) -> list[tuple[T, str, float]]:
    """Draw candidates at random within each model, in proportion to how many it has."""
    drawn: list[tuple[T, str, float]] = []
    remaining = sum(len(candidates) for candidates in by_model.values())
    for model in sorted(by_model):
        candidates = by_model[model]
        # The rest of the sample is shared among the rest of the pool, so that the sizes add up exactly.
        size = round((sample - len(drawn)) * len(candidates) / remaining)
        drawn += [(candidate, model, size / len(candidates)) for candidate in rng.sample(candidates, size)]
        remaining -= len(candidates)
    return drawn


def _rows_of_sample(
    session: Session, study_id: int, freeze_id: int, sample: list[tuple[Candidate, str, float]]
) -> list[FreezeItem]:
    # Practice is never sampled, counted or reported.
    items = session.exec(select(Item).where(Item.study_id == study_id, ~col(Item.practice)))
    rows = [
        FreezeItem(freeze_id=freeze_id, item_id=stored_id(item.id), stratum=item.category, inclusion_probability=1.0)
        for item in items
    ]
    return rows + [
        FreezeItem(
            freeze_id=freeze_id,
            item_id=candidate.item_id,
            candidate_id=stored_id(candidate.id),
            stratum=stratum,
            inclusion_probability=probability,
        )
        for candidate, stratum, probability in sample
    ]


def _subjects(session: Session, study_id: int) -> frozenset[str]:
    """Return the subjects of everything that is read in a study that draws no items."""
    items = select(Case.subject).join(Item, col(Item.case_id) == Case.id)
    return frozenset(session.exec(items.where(Item.study_id == study_id, ~col(Item.practice))))


def is_frozen(session: Session, study: Study) -> bool:
    """Return whether the study has a freeze."""
    return session.exec(select(Freeze.id).where(Freeze.study_id == study.id, *STANDS)).first() is not None
