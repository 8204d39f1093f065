"""Facts of a frozen study that can no longer change, read once per freeze and process: protocol, items, scans, turns.

Everything else is read in each transaction: who asks and with which role, whether the study is open, what is assigned
and closed, and references. Facts are cached by their database and the hash of the freeze that the asking transaction
has read, so that they never answer for another database or another freeze. A study that is not frozen is read again
each time, except for what `until_changed` caches by the newest event of its audit trail.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

from sqlalchemy import Engine
from sqlmodel import Session, col, select

from db import AuditEvent, Membership, queries
from db.queries import ShownItem, ShownOverlay, ShownVolume
from protocol.first_phases import phases_of_first_language
from protocol.language.expansion import Expansion
from protocol.language.listed import phases_of_listed
from protocol.study import Protocol
from protocol.study_phases import StudyPhases
from services.people.permission import freeze_of

T = TypeVar("T")

# Enough for two studies of a few thousand items each; the least recently used fact is dropped first.
MOST_REMEMBERED = 20_000


@dataclass(frozen=True)
class Case:
    """The scans of a case: what may be shown of them, and the hashes under which their files are stored."""

    volumes: list[ShownVolume]
    overlays: list[ShownOverlay]
    files: dict[tuple[str, int], str]


class _Memory:
    """A bounded cache of facts by key, safe to use from several threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._facts: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, read: Callable[[], T], lasts: Callable[[T], bool] = lambda fact: True) -> T:
        """Return the fact cached under a key; otherwise read it, and cache it if it `lasts`."""
        with self._lock:
            if key in self._facts:
                self._facts.move_to_end(key)
                return cast(T, self._facts[key])
        # Two threads may both read a missing fact; they read the same one.
        fact = read()
        if not lasts(fact):
            return fact
        with self._lock:
            self._facts[key] = fact
            while len(self._facts) > self._most:
                self._facts.popitem(last=False)
        return fact

    def __len__(self) -> int:
        return len(self._facts)


_memory = _Memory(MOST_REMEMBERED)
_numbers: WeakKeyDictionary[Engine, int] = WeakKeyDictionary()
_next_number = itertools.count(1)
_numbering = Lock()


def protocol_of(session: Session, study_id: int) -> Protocol:
    """Return a study's protocol."""
    return _fact(session, study_id, ("protocol",), lambda: _parsed(queries.protocol_json(session, study_id)))


def phases_of(session: Session, study_id: int) -> StudyPhases:
    """Return the phases of a study in order, with what its protocol says about each."""
    return _fact(session, study_id, ("phases",), lambda: _phases(queries.protocol_json(session, study_id)))


def phases_of_member(session: Session, member: Membership) -> StudyPhases:
    """Return the phases of a study that concern a member: for a rater, only those of their group."""
    group, study_id = member.group_key, member.study_id
    return _fact(session, study_id, ("phases", group), lambda: phases_of(session, study_id).of_group(group))


def expansion_of(session: Session, study_id: int) -> Expansion | None:
    """Return the expansion of a study that lists its phases; None for any other study."""
    return _expanded(queries.protocol_json(session, study_id))


def item_of(session: Session, study_id: int, item_id: int) -> ShownItem:
    """Return what may be shown of an item."""
    return _fact(session, study_id, ("item", item_id), lambda: queries.shown_item(session, item_id))


def case_of(session: Session, study_id: int, case_id: int) -> Case:
    """Return the scans of a case; cached once the hashes of all their unpacked files are stored."""
    return _fact(session, study_id, ("case", case_id), lambda: _case(session, case_id), lasts=_is_whole)


def turns_before(session: Session, study_id: int, item: ShownItem) -> list[tuple[int, str]]:
    """Return the id and prompt of the turns before an item in its conversation, in order."""
    return _fact(session, study_id, ("turns", item.item_id), lambda: queries.turns_before(session, item))


def until_changed(session: Session, study_id: int, name: tuple[Hashable, ...], read: Callable[[], T]) -> T:
    """Return what follows from the present tables of a study, cached until its audit trail records a new event.

    Every change to a study's rows records an audit event in the same transaction.

    Parameters
    ----------
    name
        The name of the fact, with everything besides these tables that it depends on.
    """
    newest = session.exec(
        select(AuditEvent.hash).where(AuditEvent.study_id == study_id).order_by(col(AuditEvent.id).desc()).limit(1)
    ).first()
    return _memory.get((_number_of(session.get_bind()), study_id, newest, *name), read)


def _fact(
    session: Session,
    study_id: int,
    name: tuple[Hashable, ...],
    read: Callable[[], T],
    lasts: Callable[[T], bool] = lambda fact: True,
) -> T:
    freeze = freeze_of(session, study_id)
    if freeze is None:
        return read()
    return _memory.get((_number_of(session.get_bind()), study_id, freeze, *name), read, lasts)


def _number_of(engine: Any) -> int:
    """Return the number of a database in this process; unlike a memory address it is never reused."""
    with _numbering:
        if engine not in _numbers:
            _numbers[engine] = next(_next_number)
        return _numbers[engine]


def _case(session: Session, case_id: int) -> Case:
    files = queries.volume_files(session, case_id)
    return Case(queries.shown_volumes(session, case_id), queries.shown_overlays(session, case_id), files)


def _is_whole(case: Case) -> bool:
    """Return whether a case is complete: for files of release 0.1.0, hashes are filled in after the freeze."""
    volumes = all(volume.unpacked_sha256 is not None for volume in case.volumes)
    return volumes and all(overlay.unpacked_sha256 is not None for overlay in case.overlays)


@lru_cache(maxsize=64)
def _expanded(text: str) -> Expansion | None:
    return Expansion.of_canonical_json(text)


@lru_cache(maxsize=64)
def _phases(text: str) -> StudyPhases:
    study = _expanded(text)
    return phases_of_first_language(_parsed(text)) if study is None else phases_of_listed(study)


@lru_cache(maxsize=64)
def _parsed(text: str) -> Protocol:
    """Parse a protocol, once per text even for a study that is not frozen: admins' pages ask for it repeatedly."""
    return Protocol.of_canonical_json(text)
