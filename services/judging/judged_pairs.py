"""The pairs of a study as a judge's file names them, and what such a file says beyond its lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from db import Candidate, CandidatePair, Database, Item, queries
from db.base import stored_id
from exchange.foreign.layout import Asked
from exchange.judge_pairs import Order, Pair, Pairs
from exchange.pair_rows import COLUMNS
from exchange.refusal import shown
from services.errors import Conflict, counted
from services.judging.asked_fields import fields_on_pairs
from services.judging.candidate_keys import CandidateKeys
from services.judging.sources import PairsAsked
from services.people.identity import Actor
from services.people.permission import require_role

# The order whose lines are read of a file; None for all lines.
OrderRead = Order | None
ORDERS: Mapping[OrderRead, str] = {
    None: "all lines: each pair was judged once",
    "first": "lines in which the pair's first answer (pairs.csv, or by key) was shown first",
    "second": "lines in which the pair's second answer was shown first",
}


def pairs_of(session: Session, study_id: int) -> tuple[Pairs, CandidateKeys]:
    """Return the pairs of a study, and the ids of the candidates that stand for them by item and key of the pair."""
    first, second = aliased(Candidate), aliased(Candidate)
    asked: Any = (
        col(Candidate.id), col(Candidate.item_id), col(Item.key), col(Candidate.key), col(first.key), col(second.key),
        col(first.model), col(second.model),
    )  # fmt: skip
    query = (
        select_columns(*asked)
        .join(CandidatePair, col(CandidatePair.candidate_id) == Candidate.id)
        .join(Item, col(Item.id) == Candidate.item_id)
        .join(first, col(first.id) == CandidatePair.first_id)
        .join(second, col(second.id) == CandidatePair.second_id)
        .where(col(CandidatePair.study_id) == study_id)
        .order_by(col(Candidate.id))
    )
    rows = session.connection().execute(query).all()
    items, candidates = queries.replaced_units(session, study_id)
    return (
        Pairs(
            Pair(item, key, answers, models, replaced=number in candidates or item_id in items)
            for number, item_id, item, key, *of_two in rows
            for answers, models in [((of_two[0], of_two[1]), (of_two[2], of_two[3]))]
        ),
        CandidateKeys((item, key, stored_id(number)) for number, _, item, key, *_ in rows),
    )


def pairs_asked(
    database: Database, actor: Actor, study_key: str, field: str, asked: Asked, only: OrderRead
) -> PairsAsked | None:
    """Return the pairs that a judge's file is about; None if its field is about single answers.

    Raises
    ------
    Conflict
        An order is given for single answers; or a format, a model or a score for pairs, which are read from our own
        columns or mapped ones only, or a column is mapped to what such lines do not have.
    """
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        if field not in fields_on_pairs(session, study_id):
            if only is not None:
                raise Conflict("An order is given, and the field is not about pairs of answers; leave it out.")
            return None
        pairs = pairs_of(session, study_id)[0]
    if asked.layout or asked.of_model or asked.scorer:
        raise Conflict(
            "Verdicts on pairs are read from lines with item, candidate_a, candidate_b (or model_a, model_b) and "
            "verdict; say which columns of another program's file these are, and leave out its format, model and score."
        )
    strange = next((name for name in asked.columns if name not in COLUMNS), None)
    if strange is not None:
        raise Conflict(
            f"A column is mapped to '{shown(strange, 40)}', and lines on pairs have {', '.join(COLUMNS)}; correct it, "
            "or leave it out."
        )
    return PairsAsked(pairs, only)


def order_of(word: str) -> OrderRead:
    """Return the order that a word names; None for an empty one.

    Raises
    ------
    Conflict
        It names none.
    """
    named = next((order for order in ORDERS if order == word), None)
    if word and named is None:
        raise Conflict(f"The order is '{shown(word, 40)}', expected first or second; correct it or leave it out.")
    return named


def doubled_says(only: OrderRead) -> str:
    """Return the sentence on a pair that is judged twice in the lines that are read."""
    if only is not None:
        return "one run may judge a pair once, but some are judged twice in the order asked for"
    return (
        "one run may judge a pair once, and the two orders of a pair are two runs (ask for one order at a time), but "
        "some are judged twice"
    )


def stored_order(only: OrderRead, left_out: int) -> dict[str, Any]:
    """Return what is stored with a run of one order of a file; empty for all lines."""
    return {} if only is None else {"order": only, "of_other_order": left_out}


def order_in_words(parameters: Mapping[str, Any]) -> str:
    """Return the sentence on lines of the other order, from what is stored with a run; empty if all were read."""
    if "order" not in parameters:
        return ""
    left_out = counted(int(parameters["of_other_order"]), "line")
    return f" Read were {ORDERS[parameters['order']]}; {left_out} of the other order left out."
