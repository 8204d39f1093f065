"""Whether a phase can select an item, and which one or two of its answers a preview shows, as far as is known.

Before the data lock no admin is shown what people answered, or which of these answers was drawn for whom.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from sqlmodel import Session, col, select

from db import Candidate, CandidatePair, Case, Freeze, FreezeItem, Item, queries
from db.base import stored_id
from db.standing import STANDS
from protocol.language.expansion import Expansion
from protocol.language.expansion import Phase as Listed
from protocol.language.pools import columns_of_models
from protocol.language.results import FORM
from protocol.phases import Phase
from services.studies import frozen_facts
from services.studies.drawing.drawing_phases import as_canonical
from services.studies.drawing.stored_pool import attributes_of_item
from services.studies.sampling.units import Unit


def answer_to_show(session: Session, phase: Phase, item: Item) -> Candidate | None:
    """Return an answer to an item that a listed phase can rate, preferably a drawn one; None if there is none."""
    study, listed = _listed(session, phase, item)
    if "candidates" not in listed.rates:
        return None
    answers = _answers_in(session, study, listed, item)
    drawn = _drawn(session, phase, item)
    return next((answer for answer in answers if answer.id in drawn), next(iter(answers), None))


def answers_to_compare(session: Session, phase: Phase, item: Item) -> tuple[str, str] | None:
    """Return two answers to an item that a listed phase can compare, in table order; None if there are none."""
    study, listed = _listed(session, phase, item)
    answers = _answers_in(session, study, listed, item)
    rule = listed.pairs
    if rule is None or rule.of is None:
        by_id = {answer.id: answer for answer in answers}
        named = session.exec(
            select(CandidatePair.first_id, CandidatePair.second_id)
            .where(CandidatePair.study_id == item.study_id, col(CandidatePair.listed))
            .where(col(CandidatePair.first_id).in_(list(by_id)), col(CandidatePair.second_id).in_(list(by_id)))
            .order_by(col(CandidatePair.id))
        ).first()
        return None if named is None else (by_id[named[0]].answer, by_id[named[1]].answer)
    of = rule.of
    said = [(answer, _said_of(answer)) for answer in answers]
    return next(
        (
            (first.answer, second.answer)
            for (first, of_first), (second, of_second) in combinations(said, 2)
            if of_first.get(of, "") != of_second.get(of, "")
            and all(of_first.get(name, "") == of_second.get(name, "") for name in rule.same)
        ),
        None,
    )


def is_selected(session: Session, phase: Phase, item: Item) -> bool:
    """Return whether an item meets the conditions of a listed phase, and of the phases from which it takes its units.

    Conditions on models' or people's answers are ignored.
    """
    study, listed = _listed(session, phase, item)
    case = session.get_one(Case, item.case_id)
    of_item = attributes_of_item(
        case.attributes, item.attributes, item.category, item.format, item.grounding, item.conversation
    )
    unit = Unit(item.key, case.subject, item.key, {**of_item, FORM: item.form}, item.practice)
    of_models = columns_of_models(study)
    while True:
        for said in as_canonical(listed.source, study.attributes).where:
            if "." not in said.name and said.name not in of_models and unit.value(said.name) not in said.values:
                return False
        above = listed.source.phase or listed.answers_of
        if above is None:
            return True
        listed = study.phase(above)


def _listed(session: Session, phase: Phase, item: Item) -> tuple[Expansion, Listed]:
    study = frozen_facts.expansion_of(session, item.study_id)
    if study is None:
        raise ValueError("Answers are previewed in phases that are listed.")
    return study, study.phase(phase.listed_as)


def _answers_in(session: Session, study: Expansion, listed: Listed, item: Item) -> list[Candidate]:
    """Return the models' answers to an item that a phase can rate, in table order."""
    columns = columns_of_models(study)
    where = [said for said in as_canonical(listed.source, study.attributes).where if said.name in columns]
    _, replaced = queries.replaced_units(session, item.study_id)
    answers = session.exec(
        select(Candidate)
        .where(Candidate.item_id == item.id, col(Candidate.model) != "", col(Candidate.answer) != "")
        .order_by(col(Candidate.id))
    )
    return [
        answer
        for answer in answers
        if answer.id not in replaced and all(_said_of(answer).get(said.name, "") in said.values for said in where)
    ]


def _said_of(answer: Candidate) -> Mapping[str, str]:
    return {**answer.attributes, "model": answer.model}


def _drawn(session: Session, phase: Phase, item: Item) -> frozenset[int]:
    rows = session.exec(
        select(FreezeItem.candidate_id)
        .join(Freeze, col(Freeze.id) == FreezeItem.freeze_id)
        .where(FreezeItem.item_id == stored_id(item.id), FreezeItem.phase == phase.listed_as, *STANDS)
        .where(~queries.is_withdrawn(FreezeItem))
    )
    return frozenset(candidate for candidate in rows if candidate is not None)
