"""Freeze a study: fix its contents in a manifest, draw the sample that raters score, and open it for reading."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sqlalchemy import bindparam, func
from sqlmodel import Session, col, select

from db import (
    Candidate,
    Case,
    Database,
    Freeze,
    FreezeItem,
    Item,
    Membership,
    Study,
    StudyEvent,
    add_many,
    audit,
)
from db.asking import ask
from db.base import stored_id
from db.standing import STANDS, STILL_MEMBER
from protocol.study import Protocol
from services.errors import Conflict
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import require_role
from services.seals import proofs
from services.studies import draws, frozen_facts, groups
from services.studies.dealing import assigning, dealing_phases
from services.studies.drawing import drawing_phases, drawn_apart, one_spelling, pairing, sound_draws, stored_pool
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.pool import Pool
from services.studies.folders import pool_files
from services.studies.freeze import foreseen, whole_pool
from services.studies.freeze.manifest import build_manifest, build_manifest_of_pool, canonical, sha256_of
from services.studies.many_objects import no_search_for_garbage
from services.studies.volumes import volume_integrity, volume_store

T = TypeVar("T")
# The length of the column; the manifest has the full text.
LONGEST_METHOD = 200


@dataclass(frozen=True)
class Frozen:
    """A freeze as admins see it."""

    sha256: str
    manifest: dict[str, Any]
    created_at: str


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
        _require_intact(database, session, study_id)
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
            version=1 + ask(session, _FREEZES, study_id=study_id).one()[0],
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
        for rater in session.exec(_RATERS, params={"study_id": study_id}).all():
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


_STUDY: Any = bindparam("study_id")
_FREEZES: Any = select(func.count(col(Freeze.id))).where(Freeze.study_id == _STUDY)
_RATERS: Any = select(Membership).where(Membership.study_id == _STUDY, Membership.role == "rater", *STILL_MEMBER)


def _require_intact(database: Database, session: Session, study_id: int) -> None:
    """Refuse a freeze if the prepared file of a volume or overlay is missing or damaged."""
    for file in volume_integrity.files_of(session, study_id):
        if not volume_store.is_intact(database, file.sha256):
            raise Conflict(f"The prepared file of {file.kind} '{file.key}' is missing or damaged; import again.")


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
        answered = {part.key for part in later}
        sound_draws.require_sound(expansion, phases, [*parts, *later], pool, to_come=answered)
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
