"""Everything an audit of the blinding goes through: the hidden values, and the screens to search for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session

from db import Study, queries
from db.base import stored_id
from services.people.permission import state_of
from services.record.blinding_audit.collecting import hidden_values
from services.record.blinding_audit.hidden import Cut, HiddenValues, Subjects
from services.record.blinding_audit.plan import Plan, Planned, all_assignments, plan_of
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
    # Whether people's answers are among the candidates.
    has_pool: bool
    # Items of sealed test subjects, on whose screens own answers are left out.
    sealed_items: frozenset[int]
    hidden: HiddenValues
    shared: frozenset[str]
    plan: Plan
    # Screens on which sealed test subjects are in phases that follow from answers: how many there are, and of which
    # items, says what was answered. They are searched, and neither counted nor named.
    sealed: Plan
    # The keys of such phases, where anything is sealed.
    not_counted: tuple[str, ...]
    subjects: Subjects


def work_of(session: Session, study: Study, freeze: str, cut: Cut, seed: int, limit: int, drawn: int) -> Work:
    """Return what there is to audit in a study at a cut; the seed determines the draw from many assignments."""
    study_id = stored_id(study.id)
    phases = frozen_facts.phases_of(session, study_id)
    shared = shared_texts(phases, study.title)
    sealed = queries.sealed_items(session, study_id)
    chosen = [phase.key for phase in phases.chosen_by_answers] if sealed else []
    planned, of_nobody = all_assignments(session, study_id, phases, cut)
    counted: list[Planned] = []
    uncounted: list[Planned] = []
    for each in planned:
        (uncounted if each.item_id in sealed and each.screen[0] in chosen else counted).append(each)
    return Work(
        study_id=study_id,
        study_key=study.key,
        freeze=freeze,
        is_closed=state_of(session, study_id) == "closed",
        is_sealed=bool(sealed),
        has_pool=bool(queries.authors_in_pools(session, study_id)),
        sealed_items=sealed,
        hidden=hidden_values(session, study, phases, cut, words_in(shared)),
        shared=shared,
        plan=plan_of(counted, _counted_of_nobody(of_nobody, sealed, chosen), seed, limit, drawn),
        sealed=plan_of(uncounted, 0, seed, limit, drawn),
        not_counted=tuple(chosen),
        subjects=Subjects(session, study_id),
    )


def _counted_of_nobody(of_nobody: Sequence[tuple[str, int]], sealed: frozenset[int], chosen: Sequence[str]) -> int:
    """Count the assignments, given by phase and item, that nobody can get; an admin makes some by removing a member."""
    return sum(not (phase in chosen and item in sealed) for phase, item in of_nobody)
