"""The record of a study that lists its phases, apart from its verdicts: its freeze, draws, people and events."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from db import Assignment, Display, Freeze, Membership, PhaseClosing, Study, queries
from db.base import stored_id
from db.standing import STANDS
from services.progress.data_lock import EventLine, events_in
from services.studies import frozen_facts
from services.studies.drawing import drawn_apart
from services.studies.versions.stored import Version, rows_of_versions, versions_in


@dataclass(frozen=True)
class Draw:
    """How much was drawn for a phase, and from how much, over all versions of the study.

    Attributes
    ----------
    drawn, available
        Counts of what is drawn together: units, or items with all their candidates.
    units
        How many units these amount to; a unit that a version corrected counts as the one that it replaced.
    """

    drawn: int
    available: int
    units: int


@dataclass(frozen=True)
class StudyRecord:
    """How a study was fixed, and what happened to it as a whole.

    Attributes
    ----------
    seed
        The protocol's seed, from which every draw starts.
    protocol_sha256
        The hash of the protocol that the figures are based on.
    draws
        By phase; a phase that has not been drawn yet is absent.
    invited, taken_out
        How many raters were invited into each group, and how many of them were removed, by the group's key.
    shown
        Ids of the assignments that were shown on a screen.
    partly_sealed
        Keys of the phases in which only units of development subjects may be counted: the number of units of test
        subjects that follow from answers reveals how far people agree on them.
    drawn_apart
        The studies that its samples were drawn apart from, and which of their freezes, a sentence each.
    """

    frozen_at: datetime
    seed: int
    protocol_sha256: str
    versions: Sequence[Version]
    draws: Mapping[str, Draw]
    invited: Mapping[str, int]
    taken_out: Mapping[str, int]
    events: Sequence[EventLine]
    shown: frozenset[int]
    partly_sealed: frozenset[str]
    drawn_apart: Sequence[str]


def load_record(session: Session, study: Study, protocol_sha256: str) -> StudyRecord:
    """Read the record of a frozen study; the number of queries does not depend on its size."""
    study_id = stored_id(study.id)
    freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id, *STANDS)).one()
    raters = session.exec(
        select(Membership.group_key, Membership.removed_at).where(
            Membership.study_id == study_id, Membership.role == "rater"
        )
    ).all()
    shown = session.exec(
        select(Display.assignment_id)
        .join(Assignment, col(Assignment.id) == Display.assignment_id)
        .where(Assignment.study_id == study_id)
    )
    return StudyRecord(
        frozen_at=freeze.created_at,
        seed=freeze.seed,
        protocol_sha256=protocol_sha256,
        versions=versions_in(session, study_id),
        draws=_draws(_manifests(session, study_id, freeze)),
        invited=Counter(group for group, _ in raters),
        taken_out=Counter(group for group, removed_at in raters if removed_at is not None),
        events=events_in(session, study),
        shown=frozenset(shown),
        partly_sealed=_partly_sealed(session, study_id),
        drawn_apart=[each.sentence for each in drawn_apart.drawn_apart(session, study_id)],
    )


def _partly_sealed(session: Session, study_id: int) -> frozenset[str]:
    if not queries.sealed_items(session, study_id):
        return frozenset()
    return frozenset(phase.key for phase in frozen_facts.phases_of(session, study_id).chosen_by_answers)


def _manifests(session: Session, study_id: int, freeze: Freeze) -> list[Mapping[str, Any]]:
    """Return what was recorded about the phases that were drawn: at the freeze, with each version, from answers."""
    closings = session.exec(select(PhaseClosing.manifest_json).where(PhaseClosing.study_id == study_id))
    return [
        json.loads(freeze.manifest_json)["phases"],
        *(json.loads(row.manifest_json)["phases"] for row in rows_of_versions(session, study_id)),
        *(json.loads(manifest) for manifest in closings),
    ]


def _draws(manifests: Sequence[Mapping[str, Any]]) -> dict[str, Draw]:
    """Return the draws of each phase; a version records only how many of its own rows there were to draw from."""
    draws: dict[str, Draw] = {}
    for manifest in manifests:
        for phase, said in manifest.items():
            before = draws.get(phase, Draw(0, 0, 0))
            draws[phase] = Draw(
                before.drawn + sum(row["drawn"] for row in said["strata"]),
                before.available + sum(row["available"] for row in said["strata"]),
                before.units + sum(row["units"] for row in said["strata"]),
            )
    return draws
