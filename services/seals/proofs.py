"""Proving rows: the audit event that records a row's creation contains its hash, and the chain secures the event.

Under `rows`, an event's detail has one seal per table: the keys of the rows it covers, and the hash of their entire
content. `services.record.row_checks` compares every row of a study with its seals.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import JSON, DateTime, bindparam, type_coerce
from sqlalchemy import select as select_columns
from sqlmodel import Session, select
from sqlmodel.sql.sqltypes import UTCDateTime

from db import (
    Acknowledgement,
    Adjudication,
    Assignment,
    Base,
    CalibrationLook,
    Candidate,
    CandidatePair,
    Case,
    Display,
    Flag,
    Freeze,
    FreezeItem,
    ImportedLabel,
    Item,
    JudgeRun,
    JudgeVerdict,
    LabelImport,
    Membership,
    OpenedBasis,
    Overlay,
    PhaseClosing,
    PhaseOpening,
    PooledAnswer,
    PracticeResult,
    ProtocolRecord,
    Reference,
    ReviewTask,
    SealedSplit,
    SplitOpening,
    Study,
    StudyEvent,
    StudyVersion,
    TechnicalFailure,
    Thaw,
    Verdict,
    ViewingTrace,
    Volume,
    WithdrawnUnit,
)
from db.as_stored import as_stored
from db.asking import ask
from services.seals import row_texts
from services.seals.row_texts import Row

# 1, in release 0.1.0: the hash of the answers alone. 2: seals on whole rows.
RULE = 2

# The columns that a seal covers. Their order is final; a column that is added later also needs a line in YOUNGER. Left
# out is what may change after a row was written: removals, the demo's marks, and the hash of the unpacked file, which
# is computed later for files of 0.1.0.
COLUMNS: dict[type[Base], tuple[str, ...]] = {
    Study: ("id", "key", "title", "simulated_readers", "salt", "created_at"),
    ProtocolRecord: ("study_id", "canonical_json", "sha256", "source"),
    Case: ("id", "study_id", "key", "subject", "vignette", "age", "history", "note",
           "attributes"),
    Volume: ("id", "study_id", "case_id", "key", "role", "sequence", "label", "acquired", "file_name", "sha256",
             "voxel_sha256", "shape", "spacing", "window", "intensity_range", "placed"),
    Overlay: ("id", "study_id", "case_id", "key", "label", "colour", "style", "opacity", "file_name", "sha256",
              "voxel_sha256", "shape", "spacing"),
    Item: ("id", "study_id", "case_id", "key", "category", "format", "grounding", "form", "prompt", "options",
           "sequences", "uses_prior", "overlays", "start", "conversation", "turn", "practice", "attributes"),
    Reference: ("id", "item_id", "version", "accepted", "low", "high", "text_only_answer", "provenance",
                "explanation", "created_at", "fields"),
    Candidate: ("id", "study_id", "item_id", "key", "model", "answer", "attributes"),
    CandidatePair: ("id", "study_id", "candidate_id", "first_id", "second_id", "listed"),
    Freeze: ("id", "study_id", "version", "manifest_json", "sha256", "seed", "method", "draw_rule", "created_at"),
    Thaw: ("id", "freeze_id", "reason", "person_id", "at"),
    FreezeItem: ("id", "freeze_id", "item_id", "candidate_id", "phase", "stratum", "inclusion_probability",
                 "inclusion_error", "slots", "version"),
    StudyVersion: ("id", "study_id", "freeze_id", "version", "protocol_json", "protocol_source", "manifest_json",
                   "sha256", "added", "reason", "person_id", "at"),
    WithdrawnUnit: ("id", "version_id", "item_id", "candidate_id", "replaced_by"),
    StudyEvent: ("id", "study_id", "kind", "reason", "person_id", "at"),
    PhaseClosing: ("id", "study_id", "phase", "reason", "person_id", "manifest_json", "sha256", "at"),
    PhaseOpening: ("id", "study_id", "phase", "reason", "person_id", "at"),
    PooledAnswer: ("id", "study_id", "candidate_id", "verdict_id"),
    Membership: ("id", "person_id", "study_id", "role", "pseudonym", "specialty", "years", "created_at",
                 "group_key", "slot", "attributes"),
    Acknowledgement: ("id", "membership_id", "phase", "text_sha256", "acknowledged_at", "group_key"),
    Assignment: ("id", "public_id", "study_id", "membership_id", "item_id", "candidate_id", "phase", "kind", "step",
                 "pass_number", "position", "option_order", "created_at", "opinion_order"),
    PracticeResult: ("id", "membership_id", "pass_number", "correct", "judged", "passed", "created_at"),
    Display: ("id", "assignment_id", "login_session_id", "shown_at", "load_ms", "renderer", "viewport",
              "monotonic_ms", "boot_id"),
    Verdict: ("id", "assignment_id", "supersedes_id", "login_session_id", "fields", "not_assessable", "comment",
              "shown_at", "submitted_at", "active_ms", "idle_ms", "load_ms", "renderer", "viewport",
              "software_version", "freeze_sha256", "receipt", "idempotency_key", "content_sha256", "hash_rule"),
    Flag: ("id", "verdict_id", "kind", "note", "created_at"),
    ViewingTrace: ("verdict_id", "trace"),
    TechnicalFailure: ("id", "assignment_id", "reason", "created_at"),
    ReviewTask: ("id", "review_assignment_id", "opinions_assignment_id", "origin", "opinion_order", "created_at"),
    Adjudication: ("id", "task_id", "first_read_id", "opinions_shown", "decision", "not_assessable", "reason",
                   "submitted_at", "receipt", "idempotency_key", "content_sha256", "hash_rule"),
    JudgeRun: ("id", "study_id", "name", "judge", "source_sha256", "parameters", "scale", "hash_rule", "created_at"),
    JudgeVerdict: ("id", "run_id", "candidate_id", "verdict", "error", "explanation", "failure", "confidence",
                   "shown_first"),
    SealedSplit: ("id", "study_id", "share", "strata", "test_subjects", "method", "person_id", "at"),
    SplitOpening: ("id", "study_id", "judge", "prompt", "reason", "person_id", "at"),
    OpenedBasis: ("id", "opening_id", "labels", "basis", "reason", "person_id", "at"),
    CalibrationLook: ("id", "study_id", "field", "judge", "prompt", "part", "material_sha256", "person_id", "at"),
    LabelImport: ("id", "study_id", "name", "field", "scale", "source", "source_sha256", "blinding", "drawn",
                  "parameters", "person_id", "at"),
    ImportedLabel: ("id", "import_id", "candidate_id", "labeller", "label", "missing", "remark"),
}  # fmt: skip

# Columns added after seals were introduced, with their value in rows from before. That value is left out of the hash,
# so that seals survive the migration which added the column; any other value is hashed with the column's name.
YOUNGER: dict[type[Base], dict[str, Any]] = {
    ProtocolRecord: {"source": ""},
    Case: {"attributes": {}},
    Item: {"attributes": {}},
    Reference: {"fields": []},
    Candidate: {"attributes": {}},
    FreezeItem: {"phase": "", "inclusion_error": None, "slots": [], "version": 1},
    Membership: {"group_key": "", "slot": None, "attributes": {}},
    Acknowledgement: {"group_key": ""},
    Assignment: {"opinion_order": []},
    JudgeVerdict: {"failure": "", "confidence": None, "shown_first": ""},
}

# Fixed by the freeze; a draft may still change them.
FROZEN = (Study, ProtocolRecord, Case, Volume, Overlay, Item, Reference, Candidate, CandidatePair, Freeze, FreezeItem)

# For tables without a study column: the column and table through which a row belongs to a study.
_PARENTS: dict[type[Base], tuple[str, type[Base]]] = {
    Acknowledgement: ("membership_id", Membership),
    PracticeResult: ("membership_id", Membership),
    Display: ("assignment_id", Assignment),
    Verdict: ("assignment_id", Assignment),
    TechnicalFailure: ("assignment_id", Assignment),
    ReviewTask: ("review_assignment_id", Assignment),
    Flag: ("verdict_id", Verdict),
    ViewingTrace: ("verdict_id", Verdict),
    Adjudication: ("task_id", ReviewTask),
    FreezeItem: ("freeze_id", Freeze),
    WithdrawnUnit: ("version_id", StudyVersion),
    Thaw: ("freeze_id", Freeze),
    Reference: ("item_id", Item),
    JudgeVerdict: ("run_id", JudgeRun),
    ImportedLabel: ("import_id", LabelImport),
    OpenedBasis: ("opening_id", SplitOpening),
}

# The number of rows that are hashed at once.
HASHED_AT_ONCE = 2_000
# The number of keys in one statement.
ASKED_AT_ONCE = 500

# The rows of some tables by key.
Tables = dict[type[Base], dict[int, Row]]
Seals = dict[str, list[str]]


def sealed(rows: Iterable[Base], secret: str = "") -> Seals:
    """Return the seals on stored rows, by table: the keys that each covers, and the hash of their content.

    Parameters
    ----------
    secret
        The study's secret. It keys the seal on references, because a plain hash of "yes" could be guessed.
    """
    by_table: dict[type[Base], dict[int, Row]] = defaultdict(dict)
    for row in rows:
        values = tuple(getattr(row, column) for column in COLUMNS[type(row)])
        by_table[type(row)][int(values[0])] = values
    return sealed_values(by_table, secret)


def sealed_values(by_table: Tables, secret: str = "") -> Seals:
    """Return the seals on rows that were read as tuples of columns, by key."""
    return {
        table_name(table): [ranges(rows), digest(table, [rows[key] for key in sorted(rows)], secret)]
        for table, rows in by_table.items()
        if rows
    }


def digest(table: type[Base], rows: Sequence[Row], secret: str = "") -> str:
    """Return the hash of a table's rows, in the order of their keys."""
    hashing, texts = Digest(table, secret), _texts_of(table)
    for start in range(0, len(rows), HASHED_AT_ONCE):
        hashing.add(texts.of(rows[start : start + HASHED_AT_ONCE]))
    return hashing.hexdigest()


class Digest:
    """The incremental hash of a table's rows, as of the JSON text [table, [row, row, ...]]."""

    def __init__(self, table: type[Base], secret: str) -> None:
        is_keyed = table is Reference
        self._hashing = hmac.new(bytes.fromhex(secret), digestmod=hashlib.sha256) if is_keyed else hashlib.sha256()
        self._before = f'["{table_name(table)}",['

    def add(self, texts: Sequence[str]) -> None:
        """Add the next rows (at least one), given as texts without brackets."""
        self._hashing.update(f"{self._before}[{'],['.join(texts)}]".encode())
        self._before = ","

    def hexdigest(self) -> str:
        """Return the hash of everything added."""
        self._hashing.update(b"]]")
        return self._hashing.hexdigest()


class SealInParts:
    """The seal on rows of one table that are stored in several parts, in the order of their keys."""

    def __init__(self, table: type[Base]) -> None:
        self._table, self._ranges, self._digest = table, list[list[int]](), Digest(table, "")
        self._texts = _texts_of(table)

    def add(self, keys: Sequence[int], values: Sequence[Mapping[str, Any]]) -> None:
        """Add the next rows: their keys in ascending order, and their other columns by name."""
        for key in keys:
            if self._ranges and key <= self._ranges[-1][1]:
                raise ValueError(f"keys of {table_name(self._table)} do not rise, and a seal is on rows in their order")
            if self._ranges and key == self._ranges[-1][1] + 1:
                self._ranges[-1][1] = key
            else:
                self._ranges.append([key, key])
        columns = COLUMNS[self._table][1:]
        rows = [(key, *(row[name] for name in columns)) for key, row in zip(keys, values, strict=True)]
        if rows:
            self._digest.add(self._texts.of(rows))

    @property
    def seals(self) -> Seals:
        """The seal by table; empty if no row was stored."""
        return {table_name(self._table): [_written(self._ranges), self._digest.hexdigest()]} if self._ranges else {}


@cache
def _texts_of(table: type[Base]) -> row_texts.RowTexts:
    """Return what builds the texts of a table's rows; it keeps nothing of them, so threads and studies share it."""
    return row_texts.RowTexts(kinds_of(table), YOUNGER.get(table, {}))


@cache
def kinds_of(table: type[Base]) -> row_texts.Kinds:
    """Return the types of the columns that a seal covers, by name and in order."""
    return row_texts.kinds_of(table, COLUMNS[table])


def table_name(table: type[Base]) -> str:
    """Return a table's name in the database."""
    return str(table.__tablename__)


@cache
def select_rows(table: type[Base]) -> Any:
    """Return the query of a table's rows in the study `study_id`, as tuples of the columns that a seal covers.

    Cached per table, because building the query and recognising it again is what takes SQLAlchemy most of the time for
    a short query.
    """
    columns = [_attribute(table, name) for name in COLUMNS[table]]
    return select(*columns).where(_belongs(table)).order_by(columns[0])


@cache
def select_unread(table: type[Base], names: tuple[str, ...]) -> Any:
    """Return the query of some columns of a table's rows in the study `study_id`, with JSON as stored text.

    Times come as the database has them: on SQLite without their time zone, which is UTC.
    """
    columns = [_attribute(table, name) for name in names]
    unread = [_unread(column) for column in columns]
    return select_columns(*unread).where(_belongs(table)).order_by(columns[0])


def _unread(column: Any) -> Any:
    if isinstance(column.type, JSON):
        return as_stored(column)
    return type_coerce(column, DateTime(timezone=True)) if isinstance(column.type, UTCDateTime) else column


def frozen_rows(session: Session, study_id: int, but: Container[str] = ()) -> Tables:
    """Return every row that a freeze fixes, by table and key.

    Parameters
    ----------
    but
        Names of tables to leave out, such as those already sealed.
    """
    return {table: rows_of(session, table, study_id) for table in FROZEN if table_name(table) not in but}


def rows_of(session: Session, table: type[Base], study_id: int) -> dict[int, Row]:
    """Return a table's rows in a study by key, with the columns that a seal covers, also accessible by name."""
    return {int(row[0]): row for row in ask(session, select_rows(table), study_id=study_id)}


def rows_with_keys(session: Session, table: type[Base], study_id: int, keys: Sequence[str]) -> list[Any]:
    """Return the rows of a table that have these keys in a study, in the order of their ids."""
    rows: list[Any] = []
    for start in range(0, len(keys), ASKED_AT_ONCE):
        given = {"study_id": study_id, "keys": keys[start : start + ASKED_AT_ONCE]}
        rows += session.connection().execute(_select_with_keys(table), given).all()
    return sorted(rows, key=lambda row: int(row[0]))


@cache
def _select_with_keys(table: type[Base]) -> Any:
    return select_rows(table).where(_attribute(table, "key").in_(bindparam("keys", expanding=True)))


def ranges(keys: Iterable[int]) -> str:
    """Return keys in short form: `1-5,9`."""
    parts: list[list[int]] = []
    for key in sorted(keys):
        if parts and key == parts[-1][1] + 1:
            parts[-1][1] = key
        else:
            parts.append([key, key])
    return _written(parts)


def _written(parts: Iterable[Sequence[int]]) -> str:
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


def number_of(text: str) -> int:
    """Return how many keys a short form stands for, without listing them."""
    ends = (part.partition("-") for part in text.split(","))
    return sum(int(last or first) - int(first) + 1 for first, _, last in ends)


def keys_in(text: str) -> Iterator[int]:
    """Yield the keys that a short form stands for."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def _belongs(table: type[Base]) -> Any:
    if table in _PARENTS:
        column, parent = _PARENTS[table]
        parents = select(_attribute(parent, COLUMNS[parent][0])).where(_belongs(parent))
        return _attribute(table, column).in_(parents)
    return _attribute(table, "id" if table is Study else "study_id") == bindparam("study_id")


def _attribute(table: type[Base], name: str) -> Any:
    return getattr(table, name)
