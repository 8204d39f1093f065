"""The table of what is reported of each field type holds every type of the language, and all that a plan can ask."""

from __future__ import annotations

from typing import get_args

import pytest

from protocol.fields import KINDS
from protocol.language.authored_fields import ComputedType
from protocol.language.authored_plan import AuthoredEstimate, Estimated, Partner
from protocol.language.computed import COMPARED, COMPUTED, COMPUTED_AGAINST, is_computed
from services.report.sections.fields import REPORTS, text
from services.report.sections.fields.shares import RATE
from services.report.sections.fields.topics import Topic
from tests.protocol.language.study_text import expanded

TWO_GROUPS = """
groups: {a: A, b: B}
phases: [{key: read, rates: items, shows: [prompt], form: {v: yes_no}}]
"""


def test_every_field_type_has_a_report() -> None:
    assert set(REPORTS) == {*KINDS, *get_args(ComputedType)}


@pytest.mark.parametrize("field_type", sorted(REPORTS))
def test_what_a_plan_is_promised_of_a_type_is_what_its_report_computes(field_type: str) -> None:
    report = REPORTS[field_type]

    assert COMPUTED[field_type] == frozenset(report.planned) <= frozenset(get_args(Estimated))
    assert COMPUTED_AGAINST.get(field_type, frozenset()) == frozenset(report.against)
    assert (field_type in COMPARED) == (report.numbers is not None)


@pytest.mark.parametrize("field_type", sorted(REPORTS))
def test_groups_are_compared_only_in_what_the_report_of_the_type_computes(field_type: str) -> None:
    study, report = expanded(TWO_GROUPS), REPORTS[field_type]
    field = study.phases[0].fields[0].model_copy(update={"type": field_type})

    for estimate in get_args(Estimated):
        for partners in ([], *([partner] for partner in get_args(Partner))):
            says = {"estimate": estimate, "of": "read.v", "compare": "group", "with": partners, "option": "yes"}
            line = AuthoredEstimate.model_validate(says)
            if estimate != "difference" and is_computed(study, field, study.phases[0], line):
                assert estimate in report.planned
                assert all((estimate, partner) in report.against for partner in partners)


@pytest.mark.parametrize(
    ("field_type", "is_promised"), [("yes_no", True), ("ordinal", True), ("number", True), ("correctness", False)]
)
def test_a_difference_of_groups_is_promised_of_numbers_and_of_what_a_reference_makes_right(
    field_type: str, is_promised: bool
) -> None:
    study = expanded(TWO_GROUPS)
    field = study.phases[0].fields[0].model_copy(update={"type": field_type})
    line = AuthoredEstimate.model_validate({"estimate": "difference", "of": "read.v", "compare": "group"})

    assert is_computed(study, field, study.phases[0], line) is is_promised


@pytest.mark.parametrize("field_type", sorted(REPORTS))
def test_tables_of_a_type_have_names_of_their_own_and_hold_what_a_plan_can_name(field_type: str) -> None:
    report = REPORTS[field_type]
    keys = [topic.key for topic in report.topics]

    assert len(set(keys)) == len(keys)
    # A rate is a share of the distribution, with the bounds of what was left out.
    assert set(report.planned.values()) - {RATE} <= set(report.topics)


@pytest.mark.parametrize("topic", [text.AGREEMENT, text.F1_OF_REFERENCE], ids=lambda topic: topic.key)
def test_a_table_of_token_f1_says_that_its_words_are_not_those_by_which_two_answers_are_the_same(topic: Topic) -> None:
    assert "35 cm is 3.5 cm" in topic.explanation
