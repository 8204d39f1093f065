"""The table of what is reported of each field type holds every type of the language, and all that a plan can ask."""

from __future__ import annotations

from typing import get_args

import pytest

from protocol.fields import KINDS
from protocol.language.authored_fields import ComputedType
from protocol.language.authored_plan import Estimated
from protocol.language.computed import COMPARED, COMPUTED, COMPUTED_AGAINST
from services.report.sections.fields import REPORTS


def test_every_field_type_has_a_report() -> None:
    assert set(REPORTS) == {*KINDS, *get_args(ComputedType)}


@pytest.mark.parametrize("field_type", sorted(REPORTS))
def test_what_a_plan_is_promised_of_a_type_is_what_its_report_computes(field_type: str) -> None:
    report = REPORTS[field_type]

    assert COMPUTED[field_type] == frozenset(report.planned) <= frozenset(get_args(Estimated))
    assert COMPUTED_AGAINST.get(field_type, frozenset()) == frozenset(report.against)
    assert (field_type in COMPARED) == (report.numbers is not None)


@pytest.mark.parametrize("field_type", sorted(REPORTS))
def test_tables_of_a_type_have_names_of_their_own_and_hold_what_a_plan_can_name(field_type: str) -> None:
    report = REPORTS[field_type]
    keys = [topic.key for topic in report.topics]

    assert len(set(keys)) == len(keys)
    assert set(report.planned.values()) <= set(report.topics)
