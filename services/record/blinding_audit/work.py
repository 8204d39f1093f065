"""Everything an audit of the blinding goes through: the hidden values, and the screens to search for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, select

from db import Item, Study, queries
from db.base import stored_id
from protocol.phases import OPINIONS, REVIEW
from protocol.study_phases import StudyPhases
from services.people.permission import state_of
from services.record.blinding_audit.collecting import hidden_values
from services.record.blinding_audit.hidden import Cut, HiddenValues, Subjects
from services.record.blinding_audit.plan import Plan, all_assignments, plan_of
from services.record.blinding_audit.searching import shared_texts, words_in
from services.studies import frozen_facts


@dataclass(frozen=True)
class Work:
    """What an audit works through."""

    study_id: int
    study_key: str
    freeze: str
    is_closed: bool
    # Whether people's answers about test subjects are sealed: then no answer is named.
    is_sealed: bool
    # Items of test subjects: if one is in a phase that follows from answers, this reveals what was answered.
    unnamed: frozenset[str]
    # The keys of such phases.
    following: frozenset[str]
    hidden: HiddenValues
    shared: frozenset[str]
    plan: Plan
    subjects: Subjects


def work_of(session: Session, study: Study, freeze: str, cut: Cut, seed: int, limit: int, drawn: int) -> Work:
    """Return what there is to audit in a study at a cut; the seed determines the draw from many assignments."""
    study_id = stored_id(study.id)
    phases = frozen_facts.phases_of(session, study_id)
    shared = shared_texts(phases, study.title)
    sealed = queries.sealed_items(session, study_id)
    planned, left_out = all_assignments(session, study_id, phases, cut)
    return Work(
        study_id=study_id,
        study_key=study.key,
        freeze=freeze,
        is_closed=state_of(session, study_id) == "closed",
        is_sealed=bool(sealed),
        unnamed=frozenset(key for item_id, key in session.exec(_keys_of_items(study_id)) if item_id in sealed),
        following=_from_answers(phases),
        hidden=hidden_values(session, study, phases, cut, words_in(shared)),
        shared=shared,
        plan=plan_of(planned, left_out, seed, limit, drawn),
        subjects=Subjects(session, study_id),
    )


def _from_answers(phases: StudyPhases) -> frozenset[str]:
    """Return the keys of the phases whose units are selected by earlier answers."""
    listed = {phase.listed_as for phase in phases.following}
    return frozenset(phase.key for phase in phases.phases if phase.listed_as in listed) | {REVIEW.key, OPINIONS.key}


def _keys_of_items(study_id: int) -> Any:
    return select(Item.id, Item.key).where(Item.study_id == study_id)
