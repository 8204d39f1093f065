"""Pairs of answers to one item as units: which pairs a phase draws from, and the rows that store the drawn ones."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import Base, Candidate, CandidatePair, add_many
from db.asking import ask
from db.base import stored_id
from protocol.language.expansion import Expansion, Phase, Source
from protocol.language.pools import of_both
from protocol.language.wording import spoken
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.pool import Pool
from services.studies.sampling.remarks import CannotDraw, listed
from services.studies.sampling.units import Unit

# The length of a candidate's key column.
_LONGEST_KEY = 80
# Separates the values of two answers that differ, as in the stratum "model A / model B".
_BETWEEN = " / "


def pair_of(key: str, first: Unit, second: Unit) -> Unit:
    """Return two answers to one item as a unit; if they differ in an attribute, it has both values.

    It can be rated only if both answers exist: a pair with a *no response* is left out, and counted.
    """
    names = dict.fromkeys((*first.attributes, *second.attributes))
    return Unit(
        key=key,
        subject=first.subject,
        item=first.item,
        attributes={name: both_values(first.value(name), second.value(name)) for name in names},
        practice=first.practice,
        responded=first.responded and second.responded,
        pair=(first.key, second.key),
    )


def both_values(former: str, other: str) -> str:
    """Return a pair's value of an attribute: the one that both answers share, or both values, sorted."""
    return _BETWEEN.join(sorted({former, other}))


def units_of_pairs(study: Expansion, phase: Phase, source: Source, pool: Pool) -> list[Unit]:
    """Return the pairs that a phase draws from: the listed pairs, or every two answers that its rule pairs up.

    A pair meets a condition about answers if both answers meet it.

    Parameters
    ----------
    source
        The source of the phase; its conditions spell yes and no as stored attributes do.

    Raises
    ------
    CannotDraw
        There are no pairs.
    """
    rule = phase.pairs
    _, of_models = of_both(study, source)
    able = {
        unit.key: unit
        for unit in pool.candidates.values()
        if not unit.given_in and all(unit.value(said.name) in said.values for said in of_models.where)
    }
    if rule is None or rule.of is None:
        units = [pool.pairs[key] for key in sorted(pool.listed) if set(pool.pairs[key].pair) <= set(able)]
    else:
        units = [
            pair_of(key_of(first.key, second.key, pool.candidates), first, second)
            for answers in _by_item(able.values())
            for first, second in combinations(answers, 2)
            if first.value(rule.of) != second.value(rule.of)
            and all(first.value(name) == second.value(name) for name in rule.same)
        ]
    if not units:
        which = "pairs.csv" if rule is None or rule.of is None else f"another {spoken(rule.of)}"
        asked = "; ".join(f"{said.name} is {listed(said.values, 'or')}" for said in of_models.where)
        narrowed = f", of those with {asked}" if asked else ""
        raise CannotDraw([f"pairs: to no item are there two answers by {which}{narrowed}; add answers, or widen it."])
    return units


def without_response(units: Iterable[Unit]) -> int:
    """Return the number of pairs in which an answer is no response."""
    return sum(bool(unit.pair) and not unit.responded for unit in units)


def _by_item(candidates: Iterable[Unit]) -> list[list[Unit]]:
    by_item: dict[str, list[Unit]] = {}
    for unit in sorted(candidates, key=lambda unit: unit.key):
        by_item.setdefault(unit.item, []).append(unit)
    return list(by_item.values())


def key_of(first: str, second: str, taken: Container[str]) -> str:
    """Return the key of a pair: both answers' keys, unless that is too long or already taken by an answer."""
    key = f"{first} & {second}"
    if len(key) <= _LONGEST_KEY and key not in taken:
        return key
    both = f"{first}\n{second}".encode()
    return f"pair {hashlib.sha256(both).hexdigest()[:40]}"


_PAIRS: Any = (
    select(CandidatePair.candidate_id, CandidatePair.first_id, CandidatePair.second_id, CandidatePair.listed)
    .where(CandidatePair.study_id == bindparam("study_id"))
    .order_by(col(CandidatePair.id))
)


def listed_and_drawn(
    session: Session, study_id: int, candidate_ids: Mapping[str, int], candidates: Mapping[str, Unit]
) -> tuple[dict[str, Unit], frozenset[str]]:
    """Return the stored pairs of a study, by key, and the keys of those that its table listed.

    Parameters
    ----------
    candidate_ids
        The ids of all candidates, by key.
    candidates
        Answers as units, by key.
    """
    rows = ask(session, _PAIRS, study_id=study_id).all()
    keys = {number: key for key, number in candidate_ids.items()} if rows else {}
    pairs, listed_ones = {}, set()
    for row in rows:
        if row.candidate_id not in keys:
            continue  # A version replaced it.
        key = keys[row.candidate_id]
        pairs[key] = pair_of(key, candidates[keys[row.first_id]], candidates[keys[row.second_id]])
        listed_ones |= {key} if row.listed else set()
    return pairs, frozenset(listed_ones)


def store_drawn(session: Session, study_id: int, parts: Sequence[DrawnPhase], pool: Pool) -> tuple[Pool, list[Base]]:
    """Store drawn pairs that are not stored yet; return the pool with their ids, and the new rows."""
    drawn = {row.unit.key: row.unit for part in parts for row in part.sample.units if row.unit.pair}
    new = [unit for key, unit in drawn.items() if key not in pool.pairs]
    if not new:
        return pool, []
    lines = [(unit.key, unit.item, unit.pair) for unit in new]
    ids, rows = store(session, study_id, lines, pool.item_ids, pool.candidate_ids, listed_in_table=False)
    return replace(
        pool,
        candidate_ids={**pool.candidate_ids, **ids},
        pairs={**pool.pairs, **{unit.key: unit for unit in new}},
    ), rows


def store(
    session: Session,
    study_id: int,
    new: Sequence[tuple[str, str, Sequence[str]]],
    item_ids: Mapping[str, int],
    candidate_ids: Mapping[str, int],
    *,
    listed_in_table: bool,
) -> tuple[dict[str, int], list[Base]]:
    """Store pairs, each given as its own key, its item's and its answers'; return ids by key, and the rows."""
    candidates = [
        Candidate(study_id=study_id, item_id=item_ids[item], key=key, model="", answer="", attributes={})
        for key, item, _ in new
    ]
    add_many(session, candidates)
    ids = {candidate.key: stored_id(candidate.id) for candidate in candidates}
    pairs = [
        CandidatePair(
            study_id=study_id,
            candidate_id=ids[key],
            first_id=candidate_ids[first],
            second_id=candidate_ids[second],
            listed=listed_in_table,
        )
        for key, _, (first, second) in new
    ]
    add_many(session, pairs)
    return ids, [*candidates, *pairs]
