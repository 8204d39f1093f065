"""The pool behind a listed study's draws, as far as they depend on it, and the results of the draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlmodel import Session, col, select

from db import Base, Candidate, Freeze, FreezeItem, Item, queries
from db.base import stored_id
from db.standing import STANDS
from protocol.language.expansion import Expansion, Phase
from protocol.language.following import followed_by
from services.studies import frozen_facts
from services.studies.drawing import drawing_phases, drawn_apart
from services.studies.drawing.pool import Pool
from services.studies.drawing.stored_pool import pool_of
from services.studies.sampling.units import Unit
from services.studies.versions.stored import FIRST_NUMBER, came_in, replaced_in


def drawn_from_tables(study: Expansion) -> list[Phase]:
    """Return the phases whose units do not depend on answers: the tables suffice to repeat their draws."""
    return [phase for phase in study.phases if not followed_by(study, phase)]


def of_listed_study(session: Session, study_id: int) -> dict[str, Any]:
    """Return the parts of `draws.json` that only a study with listed phases has; empty for any other study.

    `pool` is what could be drawn: items, models' candidates, and pairs. Each comes with the study version that added
    it, the version that replaced it, what it replaces, and the attributes by which a phase selects, stratifies or
    limits. `units` is what was drawn for each phase, with the slots to which it was dealt. `left_out` names the
    subjects of other studies.
    """
    study = frozen_facts.expansion_of(session, study_id)
    if study is None:
        return {}
    pool = pool_of(session, study_id, with_replaced=True)
    return {
        "pool": _pool(session, study_id, study, pool),
        "units": list(_units(session, study_id, pool)),
        "left_out": _left_out(session, study_id, study, pool),
    }


def _asked(study: Expansion) -> frozenset[str]:
    """Return the attributes on which any draw of a study depends."""
    names = {"conversation", "model"}
    for phase in drawn_from_tables(study):
        sample = phase.source.sample
        names |= {said.name for said in phase.source.where}
        names |= {*sample.strata, *(limit.attribute for limit in sample.at_most)} if sample is not None else set()
        names |= {phase.pairs.of or "", *phase.pairs.same} if phase.pairs is not None else set()
    return frozenset(names)


def _pool(session: Session, study_id: int, study: Expansion, pool: Pool) -> dict[str, Any]:
    asked = _asked(study)
    since = came_in(session, study_id)
    until = replaced_in(session, study_id)
    keys = queries.replaced_keys(session, study_id)
    replaced_items = {new: old for old, candidate, new in keys if candidate is None}
    replaced_candidates = {new: old for _, old, new in keys if old is not None}
    item_of = {number: key for key, number in pool.item_ids.items()}

    def said(
        unit: Unit, table: type[Base], number: int, gone: int | None, without: Mapping[str, str]
    ) -> dict[str, Any]:
        own = {name: value for name, value in unit.attributes.items() if name in asked and name not in without}
        return {"attributes": own, "since": since.get((table, number), FIRST_NUMBER), "until": gone}

    items = [
        {
            "item": key,
            "subject": pool.items[key].subject,
            "practice": pool.items[key].practice,
            "reference": key not in pool.without_reference,
            "replaces": replaced_items.get(key),
            **said(pool.items[key], Item, number, until.get((number, None)), {}),
        }
        for number, key in sorted(item_of.items())
    ]
    gone = {candidate: version for (_, candidate), version in until.items() if candidate is not None}
    candidates = [
        {
            "candidate": unit.key,
            "item": unit.item,
            "responded": unit.responded,
            "replaces": replaced_candidates.get(unit.key),
            **said(unit, Candidate, number, gone.get(number), _of_item(pool, unit)),
        }
        for number, unit in sorted(
            ((pool.candidate_ids[key], unit) for key, unit in pool.candidates.items()), key=lambda each: each[0]
        )
        if not unit.given_in
    ]
    pairs = [
        {
            "pair": key,
            "item": unit.item,
            "answers": list(unit.pair),
            "listed": key in pool.listed,
            "replaces": replaced_candidates.get(key),
            "since": since.get((Candidate, pool.candidate_ids[key]), FIRST_NUMBER),
            "until": gone.get(pool.candidate_ids[key]),
        }
        for key, unit in pool.pairs.items()
    ]
    return {"items": items, "candidates": candidates, "pairs": pairs}


def _of_item(pool: Pool, unit: Unit) -> Mapping[str, str]:
    """Return the attributes that a candidate inherits from its item, which are listed with the item."""
    of_item = pool.items[unit.item].attributes
    return {name: value for name, value in of_item.items() if unit.attributes.get(name) == value}


def _units(session: Session, study_id: int, pool: Pool) -> Iterator[dict[str, Any]]:
    items = {number: key for key, number in pool.item_ids.items()}
    candidates = {number: key for key, number in pool.candidate_ids.items()}
    rows = session.exec(
        select(FreezeItem)
        .join(Freeze, col(Freeze.id) == FreezeItem.freeze_id)
        .where(Freeze.study_id == study_id, *STANDS)
        .order_by(col(FreezeItem.id))
    )
    for row in rows:
        yield {
            "phase": row.phase,
            "version": row.version,
            "item": items[row.item_id],
            "candidate": None if row.candidate_id is None else candidates[stored_id(row.candidate_id)],
            "slots": list(row.slots),
        }


def _left_out(session: Session, study_id: int, study: Expansion, pool: Pool) -> dict[str, list[str]]:
    """Return, by phase, the subjects of this pool that were left out because another study has them.

    These are the subjects that the other study had when the phase was drawn: it may have been thawed since.
    """
    own = {unit.subject for unit in pool.items.values() if unit.subject}
    apart: dict[str, dict[str, str]] = {}
    for each in drawn_apart.drawn_apart(session, study_id):
        apart.setdefault(each.phase, {}).setdefault(each.study, each.sha256)
    return {
        phase.key: sorted(own & _elsewhere(session, drawn_apart.studies_named(study, phase), apart.get(phase.key, {})))
        for phase in drawn_from_tables(study)
        if (sample := phase.source.sample) is not None and sample.not_in
    }


def _elsewhere(session: Session, names: Iterable[str], apart: Mapping[str, str]) -> frozenset[str]:
    """Return the subjects of other studies; `apart` has the hashes of their freezes, if these are on record."""
    known = (drawn_apart.subjects_of(session, apart[name]) for name in names if name in apart)
    others = [name for name in names if name not in apart]
    return drawing_phases.subjects_elsewhere(session, others, {})[0].union(*known)
