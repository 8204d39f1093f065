"""The fields of a study that a judge, or people elsewhere, can fill in, and their scales."""

from __future__ import annotations

from difflib import get_close_matches
from typing import NamedTuple

from sqlmodel import Session

from db import Database
from db.base import stored_id
from exchange.refusal import shown
from protocol.language.expansion import Field
from protocol.language.judged import can_be_excluded, compared_fields, judged_fields, scale_of_field
from protocol.scales import CORRECTNESS, JudgeScale, with_excluded
from services.errors import Conflict
from services.people.identity import Actor
from services.people.permission import require_role
from services.studies import frozen_facts

# Why labels made elsewhere are refused on a field in which people compare answers.
NOT_OF_PAIRS = "and labels made elsewhere are read on single answers, not on pairs"


def fields_for_judges(database: Database, actor: Actor, study_key: str) -> dict[str, str]:
    """Return the fields that a judge can fill in, with their labels; empty for a study without listed phases."""
    on_answers, on_pairs, _ = _known(database, actor, study_key)
    return {name: asked.label for name, asked in {**on_answers, **on_pairs}.items()}


def fields_for_labellers(database: Database, actor: Actor, study_key: str) -> dict[str, str]:
    """Return those of them that people elsewhere can fill in: those about single answers."""
    return {name: asked.label for name, asked in _known(database, actor, study_key)[0].items()}


def why_no_labels(database: Database, actor: Actor, study_key: str) -> str:
    """Return why people elsewhere cannot fill in anything: only pairs are compared; empty if they can."""
    on_answers, on_pairs, _ = _known(database, actor, study_key)
    if on_answers or not on_pairs:
        return ""
    return f"People compare pairs of answers in {', '.join(on_pairs)}, {NOT_OF_PAIRS}."


def named_or_only(database: Database, actor: Actor, study_key: str, field: str) -> str:
    """Return the field that a judge fills in; if none is named the only one, and empty if that is a correctness.

    A run that says whether candidates are correct is stored without its field, as in studies that have none.
    """
    on_answers, on_pairs, _ = _known(database, actor, study_key)
    if field or on_pairs or len(on_answers) != 1:
        return field
    ((only, asked),) = on_answers.items()
    return "" if asked.type == "correctness" else only


def is_on_pairs(database: Database, actor: Actor, study_key: str, field: str) -> bool:
    """Return whether a judge says in a field which of two answers is better."""
    return field in _known(database, actor, study_key)[1]


def fields_on_pairs(session: Session, study_id: int) -> dict[str, Field]:
    """Return the fields in which a judge prefers one of two answers; empty for a study without listed phases."""
    expansion = frozen_facts.expansion_of(session, study_id)
    return {} if expansion is None else compared_fields(expansion)


def scale_asked(database: Database, actor: Actor, study_key: str, field: str, *, of_people: bool = False) -> JudgeScale:
    """Return the scale of a field that a judge, or people elsewhere, can fill in.

    Raises
    ------
    Conflict
        The study has no such field, or a field must be named.

    Notes
    -----
    Where people of the phase can call a unit not assessable, the scale has *excluded* too.
    """
    known, on_pairs, excluding = _known(database, actor, study_key)
    if of_people and (field in on_pairs or (on_pairs and not known)):
        raise Conflict(f"People compare pairs of answers in {field or ', '.join(on_pairs)}, {NOT_OF_PAIRS}.")
    if not of_people:
        known = known | on_pairs
    if not field:
        # One criterion may be filled in by several phases; two criteria are not the same verdict.
        criteria = {name.rpartition(".")[2] for name, asked in known.items() if asked.type == "correctness"}
        if known and len(criteria) != 1:
            raise Conflict(f"Say which field is filled in: {', '.join(known)}.")
        return CORRECTNESS
    if field not in known:
        near = get_close_matches(field, known, n=1)
        expected = f"expected one of {', '.join(known)}" if known else "and this study has none for a judge"
        raise Conflict(f"There is no field '{shown(field)}'{f' (nearest: {near[0]})' if near else ''}, {expected}.")
    scale = scale_of_field(known[field])
    return with_excluded(scale) if field in excluding else scale


class _Fields(NamedTuple):
    """The fields about single answers, those about pairs of answers, and those of the former that may be excluded."""

    on_answers: dict[str, Field]
    on_pairs: dict[str, Field]
    excluding: frozenset[str]


def _known(database: Database, actor: Actor, study_key: str) -> _Fields:
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        expansion = frozen_facts.expansion_of(session, stored_id(study.id))
    if expansion is None:
        return _Fields({}, {}, frozenset())
    on_answers = judged_fields(expansion)
    excluding = frozenset(name for name in on_answers if can_be_excluded(expansion, name))
    return _Fields(on_answers, compared_fields(expansion), excluding)
