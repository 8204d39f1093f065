"""What models answered in the fields that people fill in: in which columns, and as what it is stored.

A cell is stored as it is written, beside the columns that a study declares; what it says is read where it is compared,
so that what is not one of the options stays what the model wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from protocol.language.expansion import Expansion, Field, Phase
from protocol.language.pools import fields_taken, layout_of_candidates, takes_of
from protocol.language.results import filled_in

ANSWER = "answer"
# Columns of every candidate, and of those that are exported; a field of such a name has none of its own.
_TAKEN = frozenset({"candidate", "item", "model", "written_by", "author", "given_in"})
# No attribute of a study has such a key.
_STORED = "answer:"
# What people alone can say: who wrote a text, what they prefer, what becomes of an item, whether an answer is right.
_OF_PEOPLE = frozenset({"guess", "preference", "resolution", "correctness"})


def answers_items(phase: Phase) -> bool:
    """Return whether a phase asks of items what a model can be asked, too, and enters estimates."""
    return phase.rates == ["items"] and phase.counts and phase.source.practice != "only"


def fields_of_models(study: Expansion) -> list[Field]:
    """Return the fields for which a table of models' answers can have a column, each by its key once."""
    forms = {form.key: form.fields for form in study.forms}
    taken = _TAKEN | {attribute.key for attribute in study.attributes if attribute.table == "candidates"}
    pool = layout_of_candidates(study)
    if pool is None or ANSWER not in takes_of(study, pool):
        # Outside a pool that column is a text that people may judge, whatever a field is called.
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
    """Return whether what is stored under a key is a model's answer in a field, and no declared column."""
    return key.startswith(_STORED)


def cell_of(stored: Mapping[str, str], answer: str, field: Field, in_words: Sequence[str]) -> str:
    """Return what a model wrote in a field; empty where it wrote nothing.

    Parameters
    ----------
    stored, answer
        What is stored with the candidate, and its answer in its own words.
    in_words
        Keys of the fields of which `answered_in_words` holds: of these the primary one is answered by `answer` where
        it has no cell of its own. A text that people are to judge is no answer to a field unless the plan says so.
    """
    own = stored.get(stored_as(field.key), "")
    return own or (answer if field.primary and field.key in in_words else "")


def answered_in_words(study: Expansion, phase: Phase, form: str) -> list[str]:
    """Return the keys of the fields that the plan puts beside models and that `answer` can answer, on such items.

    Where a pool lays several fields out in it, it answers none of them.
    """
    pool = layout_of_candidates(study)
    return [] if pool is not None and len(fields_taken(study, pool, form)) > 1 else beside_models(study, phase)


def beside_models(study: Expansion, phase: Phase) -> list[str]:
    """Return the keys of the fields of a phase that the analysis plan puts beside models."""
    plan = study.analysis
    lines = [*([plan.primary] if plan.primary is not None else []), *plan.also]
    named = [name.partition(".") for line in lines if "models" in line.against for name in line.of]
    return [field for key, _, field in named if key == phase.key]
