"""Pairs of answers as the candidates of a calibration: who competes, and what each judge and person was shown first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from agreement.judge.compared import Compared, Orders
from db import JudgeRun, JudgeVerdict
from protocol.fields.preference import SIDES
from services.judging.run_identity import in_words, judge_of
from services.judging.verdict_columns import READ_AT_ONCE
from services.report.calibration.material import Read, called_apart
from services.report.rows.candidate_columns import CandidateColumns, Ids, columns_of, factor_of, places_in
from services.report.rows.columns import Column
from services.report.rows.listed_rows import CandidateLine, ItemLine, ListedRows
from services.report.rows.ratings import Ratings
from services.report.sections.fields.preference import contestants


def pairs_in(rows: ListedRows) -> tuple[list[CandidateLine], list[ItemLine]]:
    """Return all pairs of answers, drawn or not, and the item of each; those that a version replaced are left out."""
    items = {item.key: item for item in rows.items}
    lines = [line for line in rows.candidates if line.pair and line.replaced_in is None and line.item in items]
    return lines, [items[line.item] for line in lines]


def pool_of_pairs(rows: ListedRows) -> CandidateColumns:
    """Return all pairs of answers as the candidates of a calibration; the model of a pair names both."""
    return columns_of(*pairs_in(rows))


def with_orders(session: Session, read: Read, rows: ListedRows, ratings: Ratings, runs: Sequence[JudgeRun]) -> Read:
    """Return the material with who competes in each pair, and which answer everybody was shown first."""
    material, candidates = read
    by_id = {line.id: line for line in pairs_in(rows)[0]}
    names = [contestants(ratings.phase, by_id[number]) for number in candidates.ids.tolist()]
    orders: dict[str, dict[str, Orders]] = {}
    for run in runs:
        orders.setdefault(in_words(judge_of(run)), {})[run.name] = _of_run(session, run, candidates.ids)
    places = places_in(candidates.ids, [unit.candidate.id if unit.candidate else 0 for unit in ratings.units]).tolist()
    for column in ratings.columns:
        orders[called_apart(column.party.name, material)] = {"": _of_rater(column, places, candidates.ids.size)}
    compared = Compared(factor_of([first for first, _ in names]), factor_of([second for _, second in names]), orders)
    return replace(material, compared=compared, frame=None), candidates


def _of_run(session: Session, run: JudgeRun, ids: Ids) -> Orders:
    said: Mapping[str, int] = {"first": 1, "second": -1}
    orders = np.zeros(ids.size, dtype=np.int8)
    query = (
        select_columns(col(JudgeVerdict.candidate_id), col(JudgeVerdict.shown_first))
        .where(col(JudgeVerdict.run_id) == run.id, col(JudgeVerdict.shown_first) != "")
        .execution_options(yield_per=READ_AT_ONCE)
    )
    for rows in session.connection().execute(query).partitions():
        places = places_in(ids, [number for number, _ in rows])
        codes = np.array([said[order] for _, order in rows], dtype=np.int8)
        orders[places[places >= 0]] = codes[places >= 0]
    return orders


def _of_rater(column: Column, places: Sequence[int], n: int) -> Orders:
    """Return what a person saw at A, which is read first: known where one of the two answers was preferred."""
    orders = np.zeros(n, dtype=np.int8)
    for place, value, seen in zip(places, column.values, column.seen, strict=True):
        if place >= 0 and seen in SIDES:
            # A preference is swapped in the order of the tables if the second answer stood at A.
            orders[place] = 1 if seen == value else -1
    return orders
