"""Answers held against what only a protocol that lists its phases says of a field."""

from __future__ import annotations

from typing import Any

import pytest

from protocol.fields.abstention import UNDETERMINED
from protocol.forms import Dependence, Option, OptionsBy, PhaseField
from services.errors import Incomplete
from services.reading.answers import ShownForm, check_answers
from services.reading.blinding import opinion_lines

SITES = [Option(id=site, text=site.capitalize()) for site in ("frontal", "parietal", "temporal")]
DIAGNOSES = [
    Option(id="tumor", text="Tumour"),
    Option(id="stroke", text="Stroke"),
    Option(id="normal", text="Normal"),
    Option(id="undetermined", text="Undetermined, as the study calls it"),
]
SUBTYPES = [Option(id=key, text=key.capitalize()) for key in ("glioma", "meningioma", "ischemic")]
OFFERED = OptionsBy(field="diagnosis", offered={"tumor": ["glioma", "meningioma"], "stroke": ["ischemic"]})
DIAGNOSIS = PhaseField(key="diagnosis", type="choice", label="Diagnosis", options=DIAGNOSES, undetermined=True)
SUBTYPE = PhaseField(key="subtype", type="choice", label="Subtype", options=SUBTYPES, options_by=OFFERED)


def form(*fields: PhaseField) -> ShownForm:
    return ShownForm(fields=fields, not_assessable=(), flags=(), comment=True)


def check(given: dict[str, Any], *fields: PhaseField) -> dict[str, Any]:
    return check_answers(form(*fields), {"fields": given}).fields


def refused(given: dict[str, Any], *fields: PhaseField) -> tuple[str, str]:
    """Return the sentence with which answers are refused, and the field that it names."""
    with pytest.raises(Incomplete) as refusal:
        check(given, *fields)
    return str(refusal.value), refusal.value.field


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (PhaseField(key="a", type="several", label="Where", options=SITES, at_most=2), [site.id for site in SITES]),
        (PhaseField(key="a", type="ranked", label="Where", options=SITES, at_most=2), [site.id for site in SITES]),
        (PhaseField(key="a", type="ranked", label="Where", at_most=2), ["Cyst", "Abscess", "Tumour"]),
    ],
    ids=["several", "ranked options", "ranked lines"],
)
def test_more_than_a_field_takes_are_refused_and_as_many_are_not(field: PhaseField, value: list[str]) -> None:
    assert refused({"a": value}, field) == ("Where: 3 answers, at most 2 are allowed; remove some.", "a")
    assert check({"a": value[:2]}, field) == {"a": value[:2]}


@pytest.mark.parametrize("required", [True, False])
def test_a_ranking_of_options_without_a_limit_takes_all_of_them_as_the_form_does(required: bool) -> None:
    field = PhaseField(key="a", type="ranked", label="Where", options=SITES, required=required)

    assert refused({"a": ["parietal"]}, field) == ("Where: 2 of 3 are still to be ranked.", "a")
    assert check({"a": ["parietal", "frontal", "temporal"]}, field) == {"a": ["parietal", "frontal", "temporal"]}


def test_a_ranking_without_a_limit_takes_all_options_that_an_answer_above_leaves() -> None:
    field = PhaseField(key="subtype", type="ranked", label="Subtype", options=SUBTYPES, options_by=OFFERED)

    assert check({"diagnosis": "stroke", "subtype": ["ischemic"]}, DIAGNOSIS, field)["subtype"] == ["ischemic"]
    assert refused({"diagnosis": "tumor", "subtype": ["glioma"]}, DIAGNOSIS, field)[1] == "subtype"


def test_a_line_of_a_written_list_holds_no_sign_that_parts_the_lines_of_a_table() -> None:
    field = PhaseField(key="a", type="ranked", label="List")

    assert refused({"a": ["Cyst", "Glioma | abscess"]}, field) == (
        "List: a line holds “|”, which parts lines in tables; write what it parts on lines of their own.",
        "a",
    )


@pytest.mark.parametrize(
    ("field", "blank"),
    [
        (PhaseField(key="a", type="text", label="Why"), " \n\t"),
        (PhaseField(key="a", type="ranked", label="Why"), ["", "  "]),
        (PhaseField(key="a", type="number", label="Why"), " "),
        (DIAGNOSIS.model_copy(update={"key": "a", "label": "Why"}), " "),
    ],
    ids=["text", "ranked lines", "number", "choice"],
)
def test_blanks_alone_answer_nothing(field: PhaseField, blank: object) -> None:
    assert refused({"a": blank}, field) == ("Why: please fill this in.", "a")
    assert check({"a": blank}, field.model_copy(update={"required": False})) == {}


def test_an_empty_line_takes_no_place_in_a_list() -> None:
    field = PhaseField(key="a", type="ranked", label="List")

    assert check({"a": ["Cyst", " ", "Abscess"]}, field) == {"a": ["Cyst", "Abscess"]}


@pytest.mark.parametrize(
    "field",
    [
        DIAGNOSIS,
        PhaseField(key="diagnosis", type="several", label="Where", options=SITES, undetermined=True, at_most=1),
        PhaseField(key="diagnosis", type="ordinal", label="Sure", options=SITES, undetermined=True),
        PhaseField(key="diagnosis", type="number", label="Size", minimum=1, undetermined=True),
        PhaseField(key="diagnosis", type="text", label="What", undetermined=True),
        PhaseField(key="diagnosis", type="ranked", label="List", undetermined=True),
        PhaseField(key="diagnosis", type="point", label="Where", undetermined=True),
    ],
    ids=lambda field: field.type,
)
def test_undetermined_answers_a_field_of_any_type_that_offers_it_and_no_other(field: PhaseField) -> None:
    given = {"diagnosis": dict(UNDETERMINED)}

    assert check(given, field) == given
    assert refused(given, field.model_copy(update={"undetermined": False}))[1] == "diagnosis"
    assert refused({"diagnosis": {"abstention": "other"}}, field)[1] == "diagnosis"
    assert opinion_lines(form(field), given, None, "") == [[field.label, "Undetermined"]]


def test_an_integer_that_is_longer_than_any_number_is_refused_at_its_field() -> None:
    size = PhaseField(key="size", type="number", label="Size")

    assert refused({"size": 10**400}, size) == ("Size: expected a number.", "size")


def test_undetermined_is_no_option_of_that_name() -> None:
    option = check_answers(form(DIAGNOSIS), {"fields": {"diagnosis": "undetermined"}})
    abstention = check_answers(form(DIAGNOSIS), {"fields": {"diagnosis": dict(UNDETERMINED)}})

    assert option.fields != abstention.fields
    assert option.content_sha256() != abstention.content_sha256()
    assert opinion_lines(form(DIAGNOSIS), option.fields, None, "") == [
        ["Diagnosis", "Undetermined, as the study calls it"]
    ]


def test_an_option_that_does_not_go_with_the_answer_above_is_refused() -> None:
    assert check({"diagnosis": "stroke", "subtype": "ischemic"}, DIAGNOSIS, SUBTYPE)["subtype"] == "ischemic"
    assert refused({"diagnosis": "stroke", "subtype": "glioma"}, DIAGNOSIS, SUBTYPE) == (
        "Subtype: choose what goes with the answer to “Diagnosis”.",
        "subtype",
    )
    assert refused({"diagnosis": "stroke", "subtype": "abscess"}, DIAGNOSIS, SUBTYPE) == (
        "Subtype: choose one of the options.",
        "subtype",
    )
    assert refused({"diagnosis": "tumor"}, DIAGNOSIS, SUBTYPE)[1] == "subtype"


@pytest.mark.parametrize("above", ["normal", dict(UNDETERMINED)], ids=["no options", "undetermined"])
def test_a_field_is_not_asked_where_the_answer_above_leaves_it_no_options(above: object) -> None:
    given = {"diagnosis": above, "subtype": "glioma"}

    assert check(given, DIAGNOSIS, SUBTYPE) == {"diagnosis": above}


def test_several_answers_above_offer_what_goes_with_any_of_them() -> None:
    above = DIAGNOSIS.model_copy(update={"type": "several"})
    below = SUBTYPE.model_copy(update={"type": "several"})
    given = {"diagnosis": ["tumor", "stroke"], "subtype": ["glioma", "ischemic"]}

    assert check(given, above, below) == given
    assert refused(given | {"diagnosis": ["tumor"]}, above, below)[1] == "subtype"


def test_undetermined_above_does_not_ask_what_depends_on_an_answer() -> None:
    depends = Dependence(field="diagnosis", values=["undetermined", str(UNDETERMINED)])
    below = PhaseField(key="why", type="text", label="Why", depends_on=depends)

    assert check({"diagnosis": dict(UNDETERMINED), "why": "x"}, DIAGNOSIS, below) == {"diagnosis": UNDETERMINED}
    assert check({"diagnosis": "undetermined", "why": "x"}, DIAGNOSIS, below)["why"] == "x"
