"""What the protocol of a version may say otherwise than before: a table of changes, each with its sentence."""

from __future__ import annotations

import pytest

from protocol.language.expansion import Expansion
from services.studies.versions.protocols import changes_of_protocol, reasons_against_protocol, with_interval_of
from tests.protocol.language.study_text import expanded

STUDY = """
instructions: Read every item.
groups:
  readers: {title: Readers, people: 2}
  scorers: Scorers
attributes: {raters: {years: {type: number, range: [0, 60]}}, cases: {source: {type: choice, options: [ADNI, OASIS]}}}
forms:
  report:
    diagnosis: {type: choice, options: {tumor: Tumour, stroke: Stroke}}
    differential: {type: ranked, at_most: 3, synonyms: {stroke: Stroke | Ischaemic stroke}}
phases:
  - {key: read, rates: items, from: {sample: {size: 5}}, shows: [scans, prompt], form: report, by: readers}
  - {key: check, rates: items, shows: [prompt], form: report, by: scorers}
"""
TO_WHOM = "to whom units were dealt; plan as many or more."
OTHER_IDS = "other option ids than those that answers name; put them back"
ANOTHER_ORDER = "its options in another order, which raters saw and a scale is counted by; list them as before"
ANOTHER_QUESTION = "which nobody who answered could choose: with another choice it is another question; leave it out"
NO_TYPO = (
    "Answers are counted by the id, under whichever words they were given, and no program tells a typo from another "
    "meaning: put the text back and say in the instructions, which may change, how it is to be read"
)
ASKED_ANEW = "ask it in a phase that is added, or import the folder as a study of its own, under another key."
FOREVER = "a key always means what it meant: put that back, or add"


@pytest.mark.parametrize(
    ("before", "after", "reasons"),
    [
        ("tumor: Tumour", "tumor: A tumour",
         [f"Form 'report': field 'diagnosis' said 'Tumour' for 'tumor', now 'A tumour'. {NO_TYPO}, {ASKED_ANEW}"]),
        ("tumor: Tumour", "tumor: Tumour, other: Other",
         [f"Form 'report': field 'diagnosis' offers 'other' anew, {ANOTHER_QUESTION}, {ASKED_ANEW}"]),
        ("tumor: Tumour", "tumour: Tumour",
         [f"Form 'report': field 'diagnosis' offers {OTHER_IDS}, {ASKED_ANEW}"]),
        ("tumor: Tumour, stroke: Stroke", "stroke: Stroke, tumor: Tumour",
         [f"Form 'report': field 'diagnosis' offers {ANOTHER_ORDER}, {ASKED_ANEW}"]),
        ("| Ischaemic stroke", "| Apoplexy",
         [f"Form 'report': field 'differential' differs in synonyms; put it back, {ASKED_ANEW}"]),
        ("size: 5", "size: 6", [f"Phase 'read' differs in from; {FOREVER} a phase of another key."]),
        ("ADNI, OASIS", "ADNI, OASIS, Other",
         [f"Attribute 'source' differs in options; {FOREVER} an attribute of another key."]),
        ("options: [ADNI, OASIS]", "options: [ADNI, OASIS], label: Data set",
         [f"Attribute 'source' differs in label; {FOREVER} an attribute of another key."]),
        ("cases: {source:", "items: {source:",
         ["Attribute 'source' is missing under attributes.cases: a version removes nothing; put it back."]),
        ("[0, 60]", "[1, 80]", [f"Attribute 'years' differs in range; {FOREVER} an attribute of another key."]),
        ("people: 2", "people: 1",
         [f"Group 'readers' plans 1, and 2 were planned, {TO_WHOM}"]),
        ("{title: Readers, people: 2}", "Readers",
         [f"Group 'readers' plans nobody in particular, and 2 were planned, {TO_WHOM}"]),
    ],
)  # fmt: skip
def test_what_must_not_change_is_said_once_and_as_an_author_writes_it(
    before: str, after: str, reasons: list[str]
) -> None:
    assert list(reasons_against_protocol(expanded(STUDY), expanded(STUDY.replace(before, after)))) == reasons


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("people: 2", "people: 3", [("group", "readers", ("planned people (2 to 3)",))]),
        ("scorers: Scorers", "scorers: {title: Scorers, people: 1}",
         [("group", "scorers", ("planned people (none to 1)",))]),
        # What a phase has from its study is no change of its own.
        ("Read every item.", "Read each item.", [("text", "instructions", ())]),
    ],
)  # fmt: skip
def test_what_may_change_is_said_once(before: str, after: str, changes: list[tuple[str, str, tuple[str, ...]]]) -> None:
    said = [expanded(STUDY), expanded(STUDY.replace(before, after))]

    assert list(reasons_against_protocol(*said)) == []
    assert [(change.what, change.key, change.parts) for change in changes_of_protocol(*said)] == changes


def test_an_attribute_is_added_to_a_table_that_an_expansion_lists_above_one_that_had_some() -> None:
    before = STUDY.replace("cases: {source", "items: {source")
    after = before.replace("OASIS]}}}", "OASIS]}}, cases: {site: text}}")

    said = [expanded(before), expanded(after)]

    assert list(reasons_against_protocol(*said)) == []
    assert [(change.what, change.key) for change in changes_of_protocol(*said)] == [("attribute", "site")]


def test_a_phase_that_is_missing_is_named_beside_a_form_that_is_missing() -> None:
    check = "  - {key: check, rates: items, shows: [prompt], form: report, by: scorers}\n"
    after = STUDY.replace(check, "").replace("  report:\n", "  other:\n").replace("form: report", "form: other")

    reasons = list(reasons_against_protocol(expanded(STUDY), expanded(after)))

    gone = "a version removes nothing; put it back."
    assert f"Form 'report' is missing under forms: {gone}" in reasons
    assert f"Phase 'check' is missing under phases: {gone}" in reasons


def test_a_field_of_a_phase_is_named_where_the_same_is_said_of_a_form_that_the_phase_does_not_use() -> None:
    own_form = "form: {diagnosis: {type: choice, options: {a: A, b: B}}}"
    before = STUDY.replace("[prompt], form: report", f"[prompt], {own_form}")
    after = before.replace("tumor:", "tumour:").replace("{a: A,", "{c: C,")

    reasons = list(reasons_against_protocol(expanded(before), expanded(after)))

    said = f"field 'diagnosis' offers {OTHER_IDS}, {ASKED_ANEW}"
    assert reasons == [f"Form 'report': {said}", f"Phase 'check': {said}"]


def with_interval(plan: str) -> Expansion:
    return expanded(STUDY + f"analysis: {{interval_scale: {plan}}}\n")


@pytest.mark.parametrize("frozen", ["plain", "transformed"])
def test_a_version_keeps_the_interval_scale_that_was_frozen(frozen: str) -> None:
    before = with_interval(frozen)

    after = with_interval_of(before, expanded(STUDY))

    assert after.analysis.interval_scale == frozen
    assert list(reasons_against_protocol(before, after)) == []


@pytest.mark.parametrize("frozen", ["percentile", "score"])
def test_a_version_keeps_the_interval_of_same_sets_and_first_lines_that_was_frozen(frozen: str) -> None:
    before = expanded(STUDY + f"analysis: {{interval_same: {frozen}}}\n")

    after = with_interval_of(before, expanded(STUDY))

    assert after.analysis.interval_same == frozen
    assert list(reasons_against_protocol(before, after)) == []


@pytest.mark.parametrize("frozen", ["plain", "widened"])
def test_a_version_keeps_the_interval_of_numbers_that_was_frozen(frozen: str) -> None:
    before = expanded(STUDY + f"analysis: {{interval_of_numbers: {frozen}}}\n")

    after = with_interval_of(before, expanded(STUDY))

    assert after.analysis.interval_of_numbers == frozen
    assert list(reasons_against_protocol(before, after)) == []


@pytest.mark.parametrize("frozen", ["normal", "t"])
def test_a_version_keeps_the_distribution_of_p_in_clusters_that_was_frozen(frozen: str) -> None:
    before = expanded(STUDY + f"analysis: {{p_in_clusters: {frozen}}}\n")

    after = with_interval_of(before, expanded(STUDY))

    assert after.analysis.p_in_clusters == frozen
    assert list(reasons_against_protocol(before, after)) == []


@pytest.mark.parametrize("frozen", [2, 10])
def test_a_version_keeps_the_fewest_clusters_for_p_that_were_frozen(frozen: int) -> None:
    before = expanded(STUDY + f"analysis: {{p_from: {frozen}}}\n")

    after = with_interval_of(before, expanded(STUDY))

    assert after.analysis.p_from == frozen
    assert list(reasons_against_protocol(before, after)) == []


def test_a_version_that_names_another_interval_scale_is_refused() -> None:
    before, after = with_interval("plain"), with_interval("transformed")

    (reason,) = reasons_against_protocol(before, with_interval_of(before, after))

    assert reason.startswith("Key analysis.interval_scale differs from what was declared")
