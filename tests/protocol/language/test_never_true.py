"""Selections that no unit can ever meet are named with their key, before anything is drawn; what can be met is not."""

from __future__ import annotations

import pytest

from protocol.language.never_true import never_true
from tests.protocol.language.study_text import expanded

STUDY = """
groups: {{readers: Readers, curators: Curators}}
attributes:
  cases: {{site: text}}
  items: {{tier: number, seen: date, hard: yes_no}}
  candidates: {{condition: text}}
  raters: {{years: number}}
phases:
  - key: read
    rates: items
    from: {{where: {{site: [A, B]}}}}
    shows: [prompt]
    by: {by}
    {read}
    form:
      side: {{type: choice, options: [left, right]}}
      grade: {{type: ordinal, options: [a, b, c]}}
      size: {{type: number, range: [0, 10]}}
      sure: {{type: confidence, steps: 5}}
      note: {{type: text, required: no}}
      why: {{type: choice, options: [x, y], when: {{side: left}}}}
      part: {{type: choice, options: [p, q], options_by: {{side: {{left: [p], right: [q]}}}}}}
  - key: look
    rates: items
    from: {source}
    shows: [prompt]
    form: {{v: text}}
    by: curators
"""


def noted(source: str, read: str = "", by: str = "readers") -> list[tuple[str, str]]:
    return list(never_true(expanded(STUDY.format(source=source, read=read, by=by))))


LET_IN = "phases.look.from.let_in"
WHERE = "phases.look.from.where"


@pytest.mark.parametrize(
    ("source", "key", "says"),
    [
        ("{phase: read, let_in: flagged}", LET_IN, "nothing can be flagged in 'read', which has no flags; add"),
        ("{phase: read, let_in: not_assessable}", LET_IN, "nothing can be called not assessable in 'read'"),
        ("{phase: read, let_in: [{differs: {note: 2}}]}", LET_IN, "answers to 'note' (text) have no steps between"),
        ("{phase: read, let_in: [{differs: {side: 2}}]}", LET_IN, "answers to 'side' (choice) have no steps between"),
        ("{phase: read, let_in: [{differs: {grade: 3}}]}", LET_IN, "answers to 'grade' are at most 2 apart, and never"),
        ("{phase: read, let_in: [{differs: {size: 11}}]}", LET_IN, "answers to 'size' are at most 10 apart"),
        ("{phase: read, let_in: [{differs: {sure: 5}}]}", LET_IN, "answers to 'sure' are at most 4 apart"),
        ("{where: {read.size: big}}", WHERE, "nobody can answer 'big' in 'read.size', which takes numbers; correct"),
        ("{where: {read.size: 11}}", WHERE, "nobody can answer '11' in 'read.size', which takes numbers from 0 to 10"),
        ("{where: {read.sure: yes}}", WHERE, "nobody can answer 'yes' in 'read.sure', which takes the steps 1 to 5"),
        ("{where: {read.why: x, read.side: right}}", WHERE, "'read.why' is asked only where 'side' is left, and"),
        ("{where: {read.part: p, read.side: right}}", WHERE, "'read.part' offers no p where 'side' is right; remove"),
        ("{where: {tier: high}}", WHERE, "no unit can have tier 'high', which is a number; correct the value."),
        ("{where: {tier: [1, 1.0]}}", WHERE, "no unit can have tier '1.0', which is stored as '1'; correct the value."),
        ("{where: {seen: [2024-06-01, 20240601]}}", WHERE, "no unit can have seen '20240601', which is stored as '20"),
        ("{where: {site: [A, 'A ']}}", WHERE, "no unit can have site 'A ', which is stored as 'A'; correct the value."),
        ("{where: {seen: June}}", WHERE, "no unit can have seen 'June', which is a date"),
        ("{where: {format: closed}}", WHERE, "no unit can have format 'closed', which is one of yes_no, choice or"),
        ("{where: {practice: maybe}}", WHERE, "no unit can have practice 'maybe', which is yes or no"),
        ("{where: {years: 3}}", WHERE, "'years' describes raters, and units are selected"),
        ("{where: {model: A}}", WHERE, "'model' describes candidates, and items are rated; remove the condition."),
        (
            "{sample: {size: 5, strata: years}}",
            "phases.look.from.sample.strata",
            "'years' describes raters, and units are sampled; name an attribute of cases, items or candidates.",
        ),
        (
            "{sample: {size: 5, at_most: {years: 1}}}",
            "phases.look.from.sample.at_most",
            "'years' describes raters, and units are sampled; name an attribute of cases, items or candidates.",
        ),
        (
            "{sample: {size: 5, strata: [tier, condition]}}",
            "phases.look.from.sample.strata",
            "'condition' describes candidates, and items are rated; remove it.",
        ),
        (
            "{sample: {size: 5, not_in: [look]}}",
            "phases.look.from.sample.not_in",
            "'look' is drawn after 'look', which therefore cannot avoid it; write not_in there.",
        ),
        ("{phase: read, where: {site: C}}", WHERE, "the units come from 'read', which has only those with site A or B"),
    ],
)
def test_what_no_unit_can_ever_meet_is_named_with_its_key(source: str, key: str, says: str) -> None:
    ((place, said),) = noted(source)

    assert place == key
    assert said.startswith(says)


def test_one_answer_of_each_unit_differs_from_no_other() -> None:
    ((place, said),) = noted("{phase: read, let_in: differs}", by="{groups: readers, per_unit: 1}")

    assert (place, said[:60]) == (LET_IN, "each unit of 'read' has one answer, which differs from no ot")


def test_what_is_no_number_has_no_mean() -> None:
    ((place, said),) = noted("{where: {read.side: left}}", read="result: mean")

    assert place == WHERE
    assert said.startswith("several answers to 'read.side' become their mean, but a choice has none; write another")


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("{phase: read, let_in: [flagged, not_assessable]}", "{flags: [x], not_assessable: [y]}"),
        ("{phase: read, let_in: [differs, {differs: {grade: 2}}, {differs: {size: 10}}, {differs: note}]}", "{}"),
        # An abstention is as far as can be from every answer.
        ("{phase: read, let_in: [{differs: {grade: 3}}]}", "{not_assessable: [y]}"),
        ("{phase: read, let_in: [{differs: {grade: 3}}]}", "{undetermined: yes}"),
        ("{where: {read.size: [3, 3.50], read.sure: 5, read.grade: c, read.note: anything}}", "{}"),
        ("{where: {read.grade: b, read.size: 2}}", "{result: median}"),
        ("{where: {read.why: x, read.side: [left, right]}}", "{}"),
        ("{where: {read.part: [p, q], read.side: right}}", "{}"),
        ("{where: {tier: 3, seen: 2024-06-01, hard: true, format: open, site: A}}", "{}"),
        ("{phase: read, where: {site: [B, C]}}", "{}"),
    ],
)
def test_what_some_unit_may_meet_is_not_complained_of(source: str, read: str) -> None:
    assert noted(source, read=read.strip("{}").replace(", not_assessable", "\n    not_assessable")) == []
