"""Phases that compare two answers to an item: which two, in words, and what such a phase cannot do."""

from __future__ import annotations

from collections.abc import Iterator

from protocol.fields.preference import SIDES
from protocol.language.expansion import Expansion, Phase
from protocol.language.pools import columns_of_models
from protocol.language.results import filled_in
from protocol.language.wording import listed, spoken


def pairs_in_words(phase: Phase) -> str:
    """Return in words which two answers are compared, and that their sides are drawn; empty without pairs."""
    if phase.pairs is None:
        return ""
    if phase.pairs.of is None:
        which = "The pairs are those that pairs.csv names."
    else:
        alike = f" and the same {listed([spoken(name) for name in phase.pairs.same])}" if phase.pairs.same else ""
        which = f"A pair is every two answers to an item with another {spoken(phase.pairs.of)}{alike}."
    return f"{which} Which of the two stands at A is drawn for each person and pair, and stored."


def cannot_be_compared(study: Expansion, phase: Phase) -> Iterator[tuple[str, str]]:
    """Yield what in a phase would tell the answers of a pair apart, or depends on sides: key, and a sentence."""
    forms = {form.key: form.fields for form in study.forms}
    for condition in phase.source.where:
        key, _, name = condition.name.partition(".")
        asked = [field for field in filled_in(study.phase(key), forms) if field.key == name] if name else []
        if any(field.type == "preference" for field in asked) and set(condition.values) & set(SIDES):
            yield "from.where", f"A and B of '{condition.name}' change from person to person; select tie or neither."
    if phase.pairs is None:
        return
    alike = set(phase.pairs.same)
    for thing in [*phase.shows, *(phase.then.shows if phase.then else ())]:
        if thing in columns_of_models(study) - alike:
            yield "shows", f"'{thing}' may differ between the answers of a pair; remove it, or name it as pairs.same."
