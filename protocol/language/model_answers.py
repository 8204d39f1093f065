"""Models' answers in the fields that people fill in: their columns, and how they are stored.

A cell is stored as written, beside the study's declared columns, and interpreted only when it is compared. Anything
that is not one of the options therefore stays as the model wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from protocol.language.expansion import Expansion, Field, Phase
from protocol.language.pools import fields_taken, pools_of_models, takes_of
from protocol.language.results import filled_in

ANSWER = "answer"
# Columns of candidates.csv, including the exported one; a field with such a name has no column of its own.
_TAKEN = frozenset({"candidate", "item", "model", "written_by", "author", "given_in"})
# A prefix that no attribute's key can have.
_STORED = "answer:"
# Types that only people answer: who wrote a text, which they prefer, what becomes of an item, whether it is right.
_OF_PEOPLE = frozenset({"guess", "preference", "resolution", "correctness"})


def answers_items(phase: Phase) -> bool:
    """Return whether a phase asks about items, as a model can be asked too, and enters estimates."""
    return phase.rates == ["items"] and phase.counts and phase.source.practice != "only"


def fields_of_models(study: Expansion) -> list[Field]:
    """Return the fields for which a table of models' answers can have a column, one for each key."""
    forms = {form.key: form.fields for form in study.forms}
    taken = _TAKEN | {attribute.key for attribute in study.attributes if attribute.table == "candidates"}
    if not any(ANSWER in takes_of(study, pool) for pool in pools_of_models(study)):
        # Outside a pool the column `answer` is a text for people to judge, even if a field has that name.
        taken |= {ANSWER}
    fields: dict[str, Field] = {}
    for phase in study.phases:
        for field in filled_in(phase, forms) if answers_items(phase) else ():
            if field.type not in _OF_PEOPLE and field.key not in taken:
                fields.setdefault(field.key, field)
    return list(fields.values())


def stored_as(field: str) -> str:
    """Return the key under which a model's answer in a field is stored with its candidate."""
    return f"{_STORED}{field}"


def is_stored_answer(key: str) -> bool:
    """Return whether a key stores a model's answer in a field, rather than a declared column."""
    return key.startswith(_STORED)


def cell_of(stored: Mapping[str, str], answer: str, field: Field, in_words: Sequence[str]) -> str:
    """Return what a model wrote in a field; empty if it wrote nothing.

    Parameters
    ----------
    stored, answer
        The columns stored with the candidate, and its answer in its own words.
    in_words
        Those of `answered_in_words` for which no candidate has a cell: if the primary field is among these, `answer`
        answers it. A text for people to judge is not an answer to a field unless the plan says so.
    """
    own = stored.get(stored_as(field.key), "")
    return own or (answer if field.primary and field.key in in_words else "")


def answered_in_words(study: Expansion, phase: Phase, form: str) -> list[str]:
    """Return the keys of the fields that the plan compares with models and that `answer` can answer for this form.

    If a pool lays out several fields in `answer`, it answers none of them.
    """
    pools = pools_of_models(study)
    own = [pool for pool in pools if pool.answers_of == phase.key]
    lays_out_several = any(len(fields_taken(study, pool, form)) > 1 for pool in own or pools)
    return [] if lays_out_several else beside_models(study, phase)


def beside_models(study: Expansion, phase: Phase) -> list[str]:
    """Return the keys of the fields of a phase that the analysis plan compares with models."""
    plan = study.analysis
    lines = [*([plan.primary] if plan.primary is not None else []), *plan.also]
    named = [name.partition(".") for line in lines if "models" in line.against for name in line.of]
    return [field for key, _, field in named if key == phase.key]
