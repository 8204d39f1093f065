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
  - {key: code, rates: candidates, shows: [prompt, candidate], form: {side: {type: choice, options: [left, right]}}}
  - {key: answer, rates: items, shows: [prompt, options], form: {answer: as_item}}
analysis:
  also:
    - {estimate: agreement, of: read.side}
    - {estimate: agreement, of: look.seen, where: {read.side: left}}
    - {estimate: agreement, of: code.side, with: judges}
    - {estimate: agreement, of: answer.answer}
"""
SELECTS_NOTHING = "'read.place' is a place, which two people hardly ever give alike, so that it selects nothing"
OF_SCORES = "is of correct and incorrect, of one option against all others, or of steps and numbers"
NO_POSITIVE = f"{OF_SCORES}, and 'code.side' has no positive option; write `positive` in the field, or remove the line."
OF_ITEMS = (
    f"{OF_SCORES}, and 'answer.answer' has the options of each item; name a field that says correct or incorrect, or "
    "remove the line."
)
CANNOT_BE_SEEN = "which cannot be seen; remove it."
INSTEAD = "write let_in: {answered: place} for units on which one was set"


@pytest.mark.parametrize(
    ("before", "after", "place", "says"),
    [
        ("[0, 60]", "[60, 0]", "key attributes.items.size.range",
         "the range is 60 to 0, and its first number is the lowest value; exchange the two."),
        ("[left, right]}}}\n  - {key: look", '{left: "L\\u202Eeft", right: Right}}}}\n  - {key: look',
         "key phases.read.form.side.options",
         f"contains the character U+202E (right-to-left override), {CANNOT_BE_SEEN}"),
        ("key: look,", 'key: look, title: "Lo\\u200Book",', "key phases.look.title",
         f"contains the character U+200B (zero width space), {CANNOT_BE_SEEN}"),
        ("read, where: {read.side: left}", "read, where: {read.place: 1 2 3}", "key phases.look.from.where",
         f"{SELECTS_NOTHING}; {INSTEAD}, or remove the condition."),
        ("seen, where: {read.side: left}", "seen, where: {read.place: 1 2 3}", "line 2 of analysis.also, key where",
         f"{SELECTS_NOTHING}; remove the condition."),
        ("agreement, of: code.side, with: judges", "direction, of: code.side, with: judges",
         "line 3 of analysis.also, key estimate", f"direction {NO_POSITIVE}"),
        ("agreement, of: code.side, with: judges", "uniformity, of: code.side, over: model",
         "line 3 of analysis.also, key estimate", f"uniformity {NO_POSITIVE}"),
        ("agreement, of: code.side, with: judges", "corrected, of: code.side, by: model",
         "line 3 of analysis.also, key estimate", f"corrected {NO_POSITIVE}"),
        ("agreement, of: answer.answer", "direction, of: answer.answer, with: judges",
         "line 4 of analysis.also, key estimate", f"direction {OF_ITEMS}"),
    ],
)  # fmt: skip
def test_it_is_said_with_its_place_unless_it_was_frozen(before: str, after: str, place: str, says: str) -> None:
    assert before in STUDY
    study = expanded(STUDY.replace(before, after))

    assert list(refused_since(study, expanded(STUDY))) == list(refused_since(study)) == [(place, says)]
    assert not list(refused_since(study, study))


def test_one_option_against_all_others_has_a_direction() -> None:
    study = STUDY.replace("agreement, of: code.side", "direction, of: code.side")

    positive = study.replace(
        "{side: {type: choice, options: [left, right]}}}\n  - {key: answer",
        "{side: {type: choice, options: [left, right], positive: left}}}\n  - {key: answer",
    )

    assert positive != study
    assert not list(refused_since(expanded(positive)))


def test_what_can_be_said_of_a_study_today_is_not_refused() -> None:
    assert not list(refused_since(expanded(STUDY)))


def test_joiners_of_letters_stay_in_labels() -> None:
    joined = STUDY.replace("key: look,", 'key: look, title: "\u0645\u06cc\u200c\u062e",')

    assert not list(refused_since(expanded(joined)))
