"""What no new study may have, and a version of a study that was frozen with it may keep: a table, a sentence each."""

from __future__ import annotations

import pytest

from protocol.language.refused_since import refused_since
from tests.protocol.language.study_text import expanded

STUDY = """
attributes: {items: {size: {type: number, range: [0, 60]}}}
phases:
  - {key: read, rates: items, shows: [prompt], form: {place: point, side: {type: choice, options: [left, right]}}}
  - {key: look, rates: items, from: {phase: read, where: {read.side: left}}, shows: [prompt], form: {seen: yes_no}}
analysis:
  also:
    - {estimate: agreement, of: read.side}
    - {estimate: agreement, of: look.seen, where: {read.side: left}}
"""
SELECTS_NOTHING = "'read.place' is a place, which two people hardly ever give alike, so that it selects nothing"
INSTEAD = "write let_in: {answered: place} for units on which one was set"


@pytest.mark.parametrize(
    ("before", "after", "place", "says"),
    [
        ("[0, 60]", "[60, 0]", "key attributes.items.size.range",
         "the range is 60 to 0, and its first number is the lowest value; exchange the two."),
        ("read, where: {read.side: left}", "read, where: {read.place: 1 2 3}", "key phases.look.from.where",
         f"{SELECTS_NOTHING}; {INSTEAD}, or remove the condition."),
        ("seen, where: {read.side: left}", "seen, where: {read.place: 1 2 3}", "line 2 of analysis.also, key where",
         f"{SELECTS_NOTHING}; remove the condition."),
    ],
)  # fmt: skip
def test_it_is_said_with_its_place_unless_it_was_frozen(before: str, after: str, place: str, says: str) -> None:
    assert before in STUDY
    study = expanded(STUDY.replace(before, after))

    assert list(refused_since(study, expanded(STUDY))) == list(refused_since(study)) == [(place, says)]
    assert not list(refused_since(study, study))


def test_what_can_be_said_of_a_study_today_is_not_refused() -> None:
    assert not list(refused_since(expanded(STUDY)))
