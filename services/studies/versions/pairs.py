"""Pairs of answers in a version: a pair with a corrected answer is new, just as the answer is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlmodel import Session, col, select

from db import CandidatePair
from exchange.study_folder.folder_rows import CandidateRow, PairRow
from services.studies.drawing import pairing
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.pool import Pool
from services.studies.drawing.stored_pool import pool_of
from services.studies.folders import table_rows
from services.studies.sampling.units import Unit


@dataclass(frozen=True)
class StoredPair:
    """An existing pair: its stored key and those of its answers, and whether a table listed it."""

    key: str
    first: str
    second: str
    listed: bool


@dataclass(frozen=True)
class NewPairs:
    """The pairs of a version, with the keys under which everything is stored.

    Attributes
    ----------
    rows
        All lines of the table.
    added
        The lines that are new, or corrected because one of their answers is.
    redrawn
        Replacements for pairs that were drawn by a rule.
    replaces
        The stored key of the pair that a listed or drawn pair replaces, by its own stored key.
    """

    rows: tuple[PairRow, ...] = ()
    added: tuple[PairRow, ...] = ()
    redrawn: tuple[PairRow, ...] = ()
    replaces: Mapping[str, str] = field(default_factory=dict)


def pairs_there(session: Session, study_id: int, keys: Mapping[int, str]) -> dict[str, StoredPair]:
    """Return the stored pairs of a study, including those that versions replaced, by stored key.

    Parameters
    ----------
    keys
        The keys of all candidates, by id.
    """
    rows = session.exec(select(CandidatePair).where(CandidatePair.study_id == study_id).order_by(col(CandidatePair.id)))
    return {
        keys[row.candidate_id]: StoredPair(keys[row.candidate_id], keys[row.first_id], keys[row.second_id], row.listed)
        for row in rows
    }


def corrected_pairs(
    there: Mapping[str, StoredPair], rows: Sequence[PairRow], answers: Mapping[str, object]
) -> list[str]:
    """Return the pairs of a table that are corrected because one of their answers is; all by their folder keys."""
    return [row.key for row in rows if row.key in there and not answers.keys().isdisjoint((row.first, row.second))]


def new_pairs(
    there: Mapping[str, StoredPair],
    rows: Sequence[PairRow],
    answers: Mapping[str, CandidateRow],
    replaced: Mapping[str, str],
    corrected: Mapping[str, str],
) -> NewPairs:
    """Return what becomes of the existing pairs, and which pairs a table adds.

    Parameters
    ----------
    there
        The existing pairs, by folder key.
    rows
        The lines of the table, with folder keys.
    answers
        The lines of candidates.csv as they are stored in this version, by folder key.
    replaced
        The stored key of a corrected answer in this version, by its earlier stored key.
    corrected
        The stored key of a corrected listed pair in this version, by its folder key.
    """
    names = {key: pair.key for key, pair in there.items()} | dict(corrected)
    stored = tuple(
        PairRow(names.get(row.key, row.key), answers[row.first].item, answers[row.first].key, answers[row.second].key)
        for row in rows
    )
    item_of = {row.key: row.item for row in answers.values()}
    redrawn = {}
    for pair in there.values():
        if pair.listed or replaced.keys().isdisjoint((pair.first, pair.second)):
            continue
        first, second = sorted(replaced.get(key, key) for key in (pair.first, pair.second))
        if first not in item_of or second not in item_of:
            continue  # Another sentence already says that an answer is missing.
        redrawn[pair.key] = PairRow(pairing.key_of(first, second, item_of), item_of[first], first, second)
    known = {pair.key for pair in there.values()}
    return NewPairs(
        rows=stored,
        added=tuple(row for row in stored if row.key not in known),
        redrawn=tuple(redrawn.values()),
        replaces={row.key: old for old, row in redrawn.items()}
        | {name: there[key].key for key, name in corrected.items()},
    )


def reasons_against(
    there: Mapping[str, StoredPair], rows: Sequence[PairRow], stored_as: Mapping[str, str]
) -> Iterator[str]:
    """Yield the pairs of a table that are missing, or name other answers than before.

    Parameters
    ----------
    stored_as
        The stored key of each existing answer, by its folder key.
    """
    listed = {key: pair for key, pair in there.items() if pair.listed}
    lines = {row.key: row for row in rows}
    for key, pair in listed.items():
        row = lines.get(key)
        if row is None:
            yield f"Pair '{key}' is missing in pairs.csv: a version takes nothing out; put it back."
        elif (stored_as.get(row.first), stored_as.get(row.second)) != (pair.first, pair.second):
            yield f"Pair '{key}' names other answers than before; put them back, or give the new pair another key."


def with_pairs(pool: Pool, rows: NewPairs, candidates: Mapping[str, Unit]) -> Pool:
    """Return a pool with the pairs of a version and without those that it replaces.

    Parameters
    ----------
    candidates
        All answers that the version can draw, as units.
    """
    gone = set(rows.replaces.values())
    new = {
        row.key: pairing.pair_of(row.key, candidates[row.first], candidates[row.second])
        for row in (*rows.added, *rows.redrawn)
    }
    return replace(
        pool,
        pairs={key: unit for key, unit in pool.pairs.items() if key not in gone} | new,
        listed=(pool.listed - gone) | {row.key for row in rows.added},
    )


def store(session: Session, study_id: int, rows: NewPairs, parts: Sequence[DrawnPhase]) -> Pool:
    """Store the pairs that a version brings and draws; return the pool with the ids of everything in it."""
    if rows.added:
        lines = [(row.key, row.item, (row.first, row.second)) for row in rows.added]
        pairing.store(session, study_id, lines, *table_rows.numbers_of(session, study_id), listed_in_table=True)
    pool, _ = pairing.store_drawn(session, study_id, parts, pool_of(session, study_id))
    return pool
