"""What a freeze would fix, and what admins have to know before it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session, col, select

from agreement import FEW_CLUSTERS
from db import Case, Database, Item
from db.base import stored_id
from protocol.language.computed import not_computed
from protocol.language.expansion import Expansion
from protocol.language.following import followed_by
from services.people.identity import Actor
from services.people.permission import require_role
from services.studies import frozen_facts, groups
from services.studies.drawing import drawing_phases, one_sided_pools, stored_pool
from services.studies.folders import pool_files
from services.studies.membership import rater_attributes
from services.studies.plan import plan_before_freeze


@dataclass(frozen=True)
class Standing:
    """What a freeze would fix: how much is read, and the number of subjects behind every interval."""

    items: int
    cases: int
    subjects: int
    # Whether each phase draws its own units from them.
    is_drawn_from: bool = False
    # Set if the study's draw decides which scans it needs.
    needs: pool_files.Needs | None = None
    # What admins have to know about its people before the freeze, a sentence each.
    people: tuple[str, ...] = ()
    # What its analysis plan declares but this release does not compute.
    lacking: tuple[str, ...] = ()
    # What the plan requires of raters and units but the design cannot provide.
    unreachable: tuple[str, ...] = ()
    # Which items of a pool tell by themselves that people answered them.
    one_sided: tuple[str, ...] = ()
    # From which studies its samples would not be drawn apart, since they are not frozen here.
    not_apart: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Everything that admins have to know before the freeze, a sentence each."""
        return (*self.people, *self.unreachable, *self.one_sided, *self.not_apart)

    @property
    def sentence(self) -> str:
        """Return these numbers in words."""
        items, cases, subjects = (
            f"{count} {what}" if count == 1 else f"{count} {what}s"
            for count, what in ((self.items, "item"), (self.cases, "case"), (self.subjects, "subject"))
        )
        if self.is_drawn_from:
            said = f"The study has {items} about {cases} of {subjects}; the freeze draws each phase's units from them."
            return " ".join((said, *self.lacking))
        words = f"{items} about {cases} of {subjects}: intervals are clustered by subject, so {subjects} "
        words += "supports them." if self.subjects == 1 else "support them."
        if self.subjects < FEW_CLUSTERS:
            words += " With so few, intervals may be undefined, and those given are likely to be too narrow."
        return words


def standing_of(database: Database, actor: Actor, study_key: str) -> Standing:
    """Count what will be read, without practice."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        rows = session.exec(
            select(Item.case_id, Case.subject)
            .join(Case, col(Case.id) == Item.case_id)
            .where(Item.study_id == study.id, ~col(Item.practice))
        ).all()
        phases = frozen_facts.phases_of(session, stored_id(study.id))
        expansion = frozen_facts.expansion_of(session, stored_id(study.id))
        dealt = (
            {}
            if expansion is None
            else {phase.key: phase.by.is_dealt and not followed_by(expansion, phase) for phase in expansion.phases}
        )
        people = (
            *groups.remarks_before_freeze(session, stored_id(study.id), phases, dealt),
            *rater_attributes.without_values(session, stored_id(study.id)),
        )
        subjects = len({subject for _, subject in rows})
        needs = pool_files.needs_of(session, stored_id(study.id))
        lacking = () if expansion is None else tuple(not_computed(expansion))
        unreachable = () if expansion is None else _unreachable(session, stored_id(study.id), expansion)
        one_sided = () if expansion is None else _one_sided(session, stored_id(study.id), expansion)
        not_apart = () if expansion is None else tuple(drawing_phases.nowhere_frozen(session, expansion))
        cases = len({case for case, _ in rows})
        of_draw = (people, lacking, unreachable, one_sided, not_apart)
        return Standing(len(rows), cases, subjects, phases.listed, needs, *of_draw)


def _one_sided(session: Session, study_id: int, study: Expansion) -> tuple[str, ...]:
    """Return on which items of its pools only people's answers can be."""
    if not one_sided_pools.holds_both(study):
        return ()
    return frozen_facts.until_changed(
        session,
        study_id,
        ("one-sided",),
        lambda: tuple(one_sided_pools.answered_by_people_alone(study, stored_pool.pool_of(session, study_id))),
    )


def _unreachable(session: Session, study_id: int, study: Expansion) -> tuple[str, ...]:
    """Return what a plan requires that the tables, and the people present or planned, cannot provide."""
    plan = study.analysis
    if plan.primary is None and not plan.also and not plan.criteria:
        return ()
    there = {group: len(numbers) for group, numbers in groups.slots_taken(session, study_id).items()}
    people = {group.key: there.get(group.key, 0) for group in study.groups}

    def said() -> tuple[str, ...]:
        # Reading the tables of a large study is slow, so do it only if there are criteria to check against them.
        pool = stored_pool.pool_of(session, study_id) if plan.criteria else None
        return tuple(plan_before_freeze.before_freeze(study, pool, people))

    # Cached, because the page asks at every click.
    return frozen_facts.until_changed(session, study_id, ("unreachable", tuple(people.items())), said)
