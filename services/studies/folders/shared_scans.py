"""Scans that a study has under two subjects: whoever saw one has seen the other, and blinding cannot know it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from db import Case, Volume
from db.asking import ask

_STUDY: Any = bindparam("study_id")
_COLUMNS: tuple[Any, ...] = (Volume.voxel_sha256, Volume.id, Volume.key, Case.key, Case.subject)
_OF_CASES: Any = select_columns(*_COLUMNS).join(Case, col(Case.id) == Volume.case_id).where(Volume.study_id == _STUDY)
_UNDER_TWO = (
    _OF_CASES.with_only_columns(Volume.voxel_sha256)
    .group_by(col(Volume.voxel_sha256))
    .having(func.count(func.distinct(Case.subject)) > 1)
)
_SHARED = _OF_CASES.where(col(Volume.voxel_sha256).in_(_UNDER_TWO)).order_by(col(Volume.id))
# If a file was copied many times, only the first few copies are reported.
_MOST_SAID = 20


@dataclass(frozen=True)
class _Place:
    """A scan in a case."""

    volume_id: int
    volume: str
    case: str
    subject: str


def reasons_against(session: Session, study_id: int, last_volume: int = 0) -> list[str]:
    """Return a sentence for each two subjects that have prepared scans in common.

    A scan is identified by its voxels, whatever the name and compression of its file. A scan that was resampled,
    cropped or rescaled counts as a different one. Masks are ignored: one mask may belong to many scans.

    Parameters
    ----------
    last_volume
        The highest id of a volume before the version being made. Scans that were already shared then are accepted.
    """
    reasons = list(_reasons(_shared(session, study_id), last_volume))
    more = len(reasons) - _MOST_SAID
    return reasons if more <= 0 else [*reasons[:_MOST_SAID], f"There are {more:,} more such pairs of subjects."]


def _reasons(shared: Sequence[Sequence[_Place]], last_volume: int) -> Iterator[str]:
    said: set[frozenset[str]] = set()
    for places in shared:
        for place in places:
            other = next(each for each in places if each.subject != place.subject)
            # The later of the two is the copy.
            if place.volume_id < other.volume_id:
                continue
            pair = frozenset((place.subject, other.subject))
            if place.volume_id <= last_volume or pair in said:
                continue
            said.add(pair)
            yield (
                f"Case '{place.case}' of subject '{place.subject}' has a scan of case '{other.case}' (volumes "
                f"'{place.volume}' and '{other.volume}'), whose subject is '{other.subject}': who saw one has seen "
                f"both; give '{place.case}' that subject or its own scan, or leave it out."
            )


def _shared(session: Session, study_id: int) -> list[list[_Place]]:
    """Return the places of each scan that several subjects have, in the order of the tables."""
    by_voxels: dict[str, list[_Place]] = defaultdict(list)
    for voxels, *place in ask(session, _SHARED, study_id=study_id):
        by_voxels[voxels].append(_Place(*place))
    return list(by_voxels.values())
