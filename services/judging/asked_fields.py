"""The fields of a study that a judge, or people elsewhere, can fill in, and their scales."""

from __future__ import annotations

from difflib import get_close_matches

from db import Database
from db.base import stored_id
from exchange.refusal import shown
from protocol.language.judged import judged_fields, scale_of_field
from protocol.scales import CORRECTNESS, JudgeScale
from services.errors import Conflict
from services.people.identity import Actor
from services.people.permission import require_role
from services.studies import frozen_facts

# Why a judge's file is refused in a study whose people compare answers.
NOT_OF_PAIRS = "whose verdicts are read on single answers and not on pairs"


def fields_for_judges(database: Database, actor: Actor, study_key: str) -> dict[str, str]:
    """Return the fields that a judge can fill in, with their labels; empty for a study without listed phases."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        expansion = frozen_facts.expansion_of(session, stored_id(study.id))
        return {} if expansion is None else {name: asked.label for name, asked in judged_fields(expansion).items()}


def scale_asked(database: Database, actor: Actor, study_key: str, field: str) -> JudgeScale:
    """Return the scale of a field that a judge, or people elsewhere, can fill in.

    Raises
    ------
    Conflict
        The study has no such field, or a field must be named.
    """
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        expansion = frozen_facts.expansion_of(session, stored_id(study.id))
    known = {} if expansion is None else judged_fields(expansion)
    if not field:
        # One criterion may be filled in by several phases; two criteria are not the same verdict.
        criteria = {name.rpartition(".")[2] for name, asked in known.items() if asked.type == "correctness"}
        if known and len(criteria) != 1:
            raise Conflict(f"Say which field is filled in: {', '.join(known)}.")
        if expansion is not None and not known and any(phase.pairs is not None for phase in expansion.phases):
            # Correct or incorrect, it would be held against nothing that people say here.
            raise Conflict(f"People compare pairs of answers in this study, {NOT_OF_PAIRS}.")
        return CORRECTNESS
    if field not in known:
        near = get_close_matches(field, known, n=1)
        expected = (
            f"expected one of {', '.join(known)}" if known else f"and this study has none for a judge, {NOT_OF_PAIRS}"
        )
        raise Conflict(f"There is no field '{shown(field)}'{f' (nearest: {near[0]})' if near else ''}, {expected}.")
    return scale_of_field(known[field])
