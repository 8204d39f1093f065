"""What a freeze records of a whole pool: a hash of each table and the seals on its rows, from a single reading.

A freeze draws a few hundred units from a pool of hundreds of thousands. The manifest lists what was drawn; for the
rest, a hash is enough to detect a change. Only the key and the hash of each row are kept in memory.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, partial
from itertools import compress, repeat
from json.encoder import encode_basestring_ascii
from typing import Any

from sqlalchemy import bindparam
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db import Base, Candidate, CandidatePair, Case, Item, PoolFile, Reference, Study
from db.base import stored_id
from services.seals import proofs, row_texts

_ASKED: Mapping[type[Base], tuple[str, ...]] = {
    Case: ("id", "key"),
    Item: ("id", "key", "case_id"),
    Candidate: ("key", "item_id", "model"),
    Reference: ("item_id", "version"),
    PoolFile: ("kind", "key", "case_id"),
}
# How many database ids come first in a row.
_NUMBERS: Mapping[type[Base], int] = {Case: 2, Item: 3, Candidate: 3, Reference: 2, PoolFile: 3}
# The columns that describe a scan; whether a draw needs it depends on the draw, and is not part of the pool.
_OF_FILES = ("id", "study_id", "case_id", "kind", "key", "path", "said")


@dataclass(frozen=True)
class WholePool:
    """The pool of a study as it was read.

    Attributes
    ----------
    said
        Its entry in a manifest: for each part, the number of rows and one hash over them.
    seals
        The seals on all rows that were read.
    case_keys, item_keys
        Keys by id.
    """

    said: dict[str, Any]
    seals: proofs.Seals
    case_keys: Mapping[int, str]
    item_keys: Mapping[int, str]


def read(
    session: Session,
    study: Study,
    later: Mapping[type[Base], Set[int]] | None = None,
    also: Callable[[type[Base], Mapping[str, Sequence[Any]]], None] | None = None,
) -> WholePool:
    """Read the pool of a study, one table after another, in batches.

    The hash of a row is the SHA-256 of a JSON list: the key that the row belongs to (for an item its case, for an
    answer or a reference its item) and its columns without database ids, so that a pool that is imported again has the
    same hashes. The hash of a table is the SHA-256 of the hashes of its rows, in the order of their keys; for
    references it is keyed with the study's secret, because a plain hash of "yes" could be guessed.

    Parameters
    ----------
    later
        The ids of rows to leave out because a later version of the study added them.
    also
        Called with the columns of each batch, by table and name, with JSON as text, so that a caller who needs them for
        something else does not have to read hundreds of thousands of rows again.
    """
    left_out = later or {}
    seals: proofs.Seals = {}
    case_keys: dict[int, str] = {}
    item_keys: dict[int, str] = {}
    cases: dict[str, bytes] = {}
    items: dict[str, bytes] = {}
    candidates: dict[str, bytes] = {}
    references: dict[str, bytes] = {}
    versions: dict[str, int] = {}
    files: dict[tuple[str, str], bytes] = {}
    parts = partial(_parts, session, study=study, left_out=left_out, also=also)
    for (numbers, keys), texts in parts(Case, seals=seals):
        case_keys.update(zip(numbers, keys, strict=True))
        cases.update(zip(keys, _hashed(repeat(""), texts), strict=True))
    for (numbers, keys, of_cases), texts in parts(Item, seals=seals):
        item_keys.update(zip(numbers, keys, strict=True))
        items.update(zip(keys, _hashed((case_keys.get(case, "") for case in of_cases), texts), strict=True))
    for (keys, of_items, models), texts in parts(Candidate, seals=seals):
        hashes = _hashed((item_keys.get(item, "") for item in of_items), texts)
        # People's answers and drawn pairs come later; answers are in the manifest of the closing that added them.
        candidates.update((key, row) for key, model, row in zip(keys, models, hashes, strict=True) if model)
    for (of_items, of_version), texts in parts(Reference, seals=seals):
        owners = [item_keys[number] for number in of_items]
        for item, version, row in zip(owners, of_version, _hashed(owners, texts), strict=True):
            # Later versions of a reference are added with their own audit events; the freeze covers the first.
            if version < versions.get(item, version + 1):
                versions[item], references[item] = version, row
    for (kinds, keys, of_cases), texts in parts(PoolFile, seals=None):
        hashes = _hashed((case_keys.get(case, "") for case in of_cases), texts)
        files.update(zip(zip(kinds, keys, strict=True), hashes, strict=True))
    said = {
        "cases": _said(cases),
        "items": _said(items),
        "candidates": _said(candidates),
        "files_named": _said(files),
        "references": _said(references, study.salt),
    }
    if listed_pairs := _listed_pairs(session, stored_id(study.id), left_out.get(CandidatePair, frozenset())):
        said["pairs"] = _said(listed_pairs)
    return WholePool(said, seals, case_keys, item_keys)


def _parts(
    session: Session,
    table: type[Base],
    *,
    study: Study,
    seals: proofs.Seals | None,
    left_out: Mapping[type[Base], Set[int]],
    also: Callable[[type[Base], Mapping[str, Sequence[Any]]], None] | None,
) -> Iterator[tuple[list[Sequence[Any]], Sequence[str]]]:
    """Yield a table in batches: the requested columns, and the text of each row without its leading ids.

    The seal on all rows is recorded after the last batch.
    """
    later = left_out.get(table, frozenset())
    names = proofs.COLUMNS[table] if seals is not None else _OF_FILES
    asked = [names.index(name) for name in _ASKED[table]]
    row_texts_of = row_texts.RowTexts(row_texts.kinds_of(table, names), proofs.YOUNGER.get(table, {}), unread=True)
    digest = proofs.Digest(table, study.salt)
    covered: list[int] = []
    result = session.connection().execute(
        proofs.select_unread(table, names),
        {"study_id": stored_id(study.id)},
        execution_options={"yield_per": proofs.HASHED_AT_ONCE},
    )
    for rows in result.partitions():
        # Columns are processed as a whole, because a step for each of hundreds of thousands of rows would be slow.
        columns: list[Sequence[Any]] = list(zip(*rows, strict=True))
        if also is not None:
            also(table, dict(zip(names, columns, strict=True)))
        numbers, texts = row_texts_of.halves(columns, _NUMBERS[table])
        covered += columns[0]
        digest.add(list(map(",".join, zip(numbers, texts, strict=True))))
        wanted = [columns[place] for place in asked]
        if later:
            stays = [number not in later for number in columns[0]]
            wanted, texts = [list(compress(column, stays)) for column in wanted], list(compress(texts, stays))
        yield wanted, texts
    if seals is not None and covered:
        seals[proofs.table_name(table)] = [proofs.ranges(covered), digest.hexdigest()]


def _listed_pairs(session: Session, study_id: int, later: Set[int]) -> dict[str, bytes]:
    """Return the hashes of the pairs that the tables listed, by key; drawn pairs are stored by the freeze."""
    rows = session.exec(_select_listed_pairs(), params={"study_id": study_id})
    quoted = encode_basestring_ascii
    return {
        key: _hashed([key], [f"{quoted(first_key)},{quoted(second_key)}"])[0]
        for number, key, first_key, second_key in rows
        if number not in later
    }


@cache
def _select_listed_pairs() -> Any:
    pair, first, second = (aliased(Candidate) for _ in range(3))
    return (
        select(CandidatePair.id, pair.key, first.key, second.key)
        .select_from(CandidatePair)
        .join(pair, col(pair.id) == CandidatePair.candidate_id)
        .join(first, col(first.id) == CandidatePair.first_id)
        .join(second, col(second.id) == CandidatePair.second_id)
        .where(CandidatePair.study_id == bindparam("study_id"), col(CandidatePair.listed))
    )


def _hashed(belong_to: Iterable[str], texts: Iterable[str]) -> list[bytes]:
    """Return the hash of each row, from the key that it belongs to and its text."""
    quoted, sha256 = map(encode_basestring_ascii, belong_to), hashlib.sha256
    return [sha256(f"[{key},{text}]".encode()).digest() for key, text in zip(quoted, texts, strict=False)]


def _said(rows: Mapping[Any, bytes], secret: str = "") -> dict[str, Any]:
    everything = b"".join(map(rows.__getitem__, sorted(rows)))
    if secret:
        keyed = hmac.new(bytes.fromhex(secret), everything, hashlib.sha256)
        return {"rows": len(rows), "keyed_sha256": keyed.hexdigest()}
    return {"rows": len(rows), "sha256": hashlib.sha256(everything).hexdigest()}
