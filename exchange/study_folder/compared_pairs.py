"""Pairs of answers to one item: the lines of pairs.csv, and whether each phase has any pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from exchange.csv_table import Line, Read, Reader, read_table
from exchange.refusal import listed as listed_some
from exchange.refusal import shown
from exchange.study_folder.folder_rows import CandidateRow, PairRow
from exchange.tables import PAIRS
from protocol.language.expansion import Expansion, Pairs
from protocol.language.wording import listed, spoken


def read_pairs(reader: Reader, folder: Path, candidates: Read[CandidateRow]) -> Read[PairRow]:
    """Read the table of pairs, if there is one.

    Note an answer compared with itself, answers to different items, and pairs listed twice.
    """
    by_key = {row.key: row for row in reversed(candidates.rows)}
    lines: dict[frozenset[str], int] = {}
    return read_table(reader, folder, PAIRS, lambda line: _pair(line, candidates, by_key, lines))


def _pair(
    line: Line, candidates: Read[CandidateRow], by_key: Mapping[str, CandidateRow], lines: dict[frozenset[str], int]
) -> PairRow:
    first = line.known("first", candidates, "candidates.csv")
    second = line.known("second", candidates, "candidates.csv")
    row = PairRow(line.text("pair"), by_key[first].item if first in by_key else "", first, second)
    if not line.sound("first", "second"):
        return row
    if first == second:
        line.problem(f"'{shown(first)}' is compared with itself; name two answers to one item.", "second")
    elif first in by_key and second in by_key and by_key[first].item != by_key[second].item:
        items = f"'{by_key[first].item}' and '{by_key[second].item}'"
        line.problem(f"'{shown(first)}' and '{shown(second)}' are answers to two items ({items}); name two to one.")
    both = frozenset((first, second))
    if both in lines and first != second:
        line.problem(f"'{shown(first)}' and '{shown(second)}' are a pair in line {lines[both]} already; remove one.")
    lines.setdefault(both, line.number)
    if row.key in by_key:
        line.problem(f"pair '{shown(row.key)}' has the key of an answer in candidates.csv; call it otherwise.", "pair")
    return row


def lacking_pairs(
    study: Expansion, candidates: Read[CandidateRow], pairs: Read[PairRow]
) -> Iterator[tuple[str, str, str]]:
    """Yield the phases that have no two answers to compare, after the table and column in which to correct that."""
    comparing = [phase for phase in study.phases if phase.pairs is not None]
    by_table = [phase.key for phase in comparing if phase.pairs is not None and phase.pairs.of is None]
    if by_table and pairs.keys is not None and not pairs.rows:
        says = f"is missing: phase '{by_table[0]}' compares the pairs of a table; add it, or name pairs.of."
        yield "pairs.csv", "", says
    if pairs.rows and not by_table:
        says = "is there, and no phase compares its pairs; write pairs: table in one, or remove the file."
        yield "pairs.csv", "", says
    if candidates.keys is None or not candidates.rows:
        return
    by_item: dict[str, list[CandidateRow]] = {}
    for row in candidates.rows:
        by_item.setdefault(row.item, []).append(row)
    for phase in comparing:
        if phase.pairs is not None and phase.pairs.of is not None and not _any_pair(phase.pairs, by_item):
            alike = f" of the same {listed([spoken(name) for name in phase.pairs.same])}" if phase.pairs.same else ""
            no_two = (
                f"compares two answers to an item{alike} with another {spoken(phase.pairs.of)}, and no item has two"
            )
            says = f"phase '{phase.key}' {no_two}; add answers, or say otherwise what a pair is."
            yield "candidates.csv", f"column {phase.pairs.of}", says


def doubtful_pairs(study: Expansion, candidates: Sequence[CandidateRow]) -> Iterator[str]:
    """Yield warnings about items with a single answer, and answers that nothing tells apart, where pairs are rated."""
    comparing = [phase.key for phase in study.phases if phase.pairs is not None and phase.pairs.of is not None]
    if not comparing:
        return
    by_item: dict[str, list[CandidateRow]] = {}
    for row in candidates:
        if row.answer:
            by_item.setdefault(row.item, []).append(row)
    alone = [f"'{shown(item)}' (line {rows[0].line})" for item, rows in by_item.items() if len(rows) == 1]
    if alone:
        item, has, it = ("item", "has", "it") if len(alone) == 1 else ("items", "have", "them")
        yield (
            f"candidates.csv: {item} {listed_some(alone)} {has} a single answer, so that phase '{comparing[0]}' has no "
            f"pair of {it}; add the other answer, or remove this one."
        )
    declared = [attribute.key for attribute in study.attributes if attribute.table == "candidates"]
    alike: dict[tuple[str, ...], list[CandidateRow]] = {}
    for row in candidates:
        alike.setdefault((row.item, row.model, *(_value(row, key) for key in declared)), []).append(row)
    twice = [rows for rows in alike.values() if len(rows) > 1]
    if twice:
        lines = listed_some([f"{listed([str(row.line) for row in rows])} ('{shown(rows[0].item)}')" for rows in twice])
        yield (
            f"candidates.csv: lines {lines} are answers of one model to one item, and no column tells them apart; "
            f"phase '{comparing[0]}' takes each for a pair of its own. Declare what differs (a run, a condition), or "
            "remove a line."
        )


def _any_pair(rule: Pairs, by_item: Mapping[str, Sequence[CandidateRow]]) -> bool:
    """Return whether any two answers are a pair."""
    return any(
        _value(former, str(rule.of)) != _value(other, str(rule.of))
        and all(_value(former, name) == _value(other, name) for name in rule.same)
        for answers in by_item.values()
        for former, other in combinations(answers, 2)
    )


def _value(row: CandidateRow, name: str) -> str:
    return row.model if name == "model" else dict(row.attributes).get(name, "")
