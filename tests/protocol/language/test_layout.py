"""The one layout of people's and models' answers: what is typed and what stands in a table become the same text."""

from __future__ import annotations

from typing import Any

import pytest

from protocol.fields.abstention import UNDETERMINED
from protocol.language.expansion import Field
from protocol.language.layout import laid_out, read_cell, squeezed
from protocol.language.pools import few_sources, fields_taken, takes_of
from tests.protocol.language.study_text import expanded

STUDY = """
groups: {people: {title: People, people: 3}, graders: Graders}
forms:
  lesion:
    kind: {type: choice, options: {tum: Tumour, str: Stroke}}
    findings: {type: several, options: {oed: Oedema, nec: Necrosis}}
    list: {type: ranked, at_most: 3}
    size: {type: number, unit: cm}
    grade: {type: number, unit: "%"}
    place: {type: point}
    sure: {type: confidence, steps: 5}
    seen: yes_no
    why: text
  turn: {answer: as_item, why: text}
phases:
  - {key: consult, rates: items, shows: [prompt], form: as_item, by: people}
  - key: grade
    rates: [candidates, answers of consult]
    takes: [why, list, answer, kind, findings, size, grade, place, sure, seen]
    shows: [candidate]
    form: {v: correctness}
    by: graders
"""
OF_ITEM = {"a": "Glioma", "b": "Metastasis"}


def fields_of(form: str = "lesion") -> dict[str, Field]:
    study = expanded(STUDY)
    return {asked.key: asked for asked in fields_taken(study, study.phase("grade"), form)}


@pytest.mark.parametrize(
    ("key", "cell", "answer", "text"),
    [
        ("kind", "tumour", "tum", "Tumour"),
        ("kind", "str", "str", "Stroke"),
        ("kind", " An abscess ", "An abscess", "An abscess"),
        ("findings", "nec|Oedema", ["nec", "oed"], "Oedema, Necrosis"),
        ("findings", "nec|Bleeding|nec|Bleeding", ["nec", "Bleeding", "nec", "Bleeding"], "Necrosis, Bleeding"),
        ("list", "1. Glioma|2) MS\n- Abscess", ["Glioma", "MS", "Abscess"], "1. Glioma\n2. MS\n3. Abscess"),
        (
            "list",
            "3 days of fever|2.5 cm mass",
            ["3 days of fever", "2.5 cm mass"],
            "1. 3 days of fever\n2. 2.5 cm mass",
        ),
        ("size", "2.50", 2.5, "2.5 cm"),
        ("size", "2.5 cm", 2.5, "2.5 cm"),
        ("size", "2.50cm", 2.5, "2.5 cm"),
        ("size", "25 mm", 2.5, "2.5 cm"),
        ("size", "25 ml", "25 ml", "25 ml"),
        ("size", "cm", "cm", "cm"),
        ("grade", "50%", 50.0, "50 %"),
        ("grade", "50 %", 50.0, "50 %"),
        ("size", "about 3", 3.0, "3 cm"),
        ("size", "2,5 cm.", 2.5, "2.5 cm"),
        ("size", "3 or 4", "3 or 4", "3 or 4"),
        ("place", "12.4, -30 8.2", [12.4, -30.0, 8.2], "R 12 P 30 S 8 mm"),
        ("place", "left temporal", "left temporal", "left temporal"),
        ("sure", "4", "4", "4"),
        ("seen", "YES", "yes", "Yes"),
        ("why", "  It \u200bis\u00a0 round.\r\n\r\n It grows. ", "It is round.\nIt grows.", "It is round.\nIt grows."),
        ("why", " ", None, ""),
    ],
)
def test_a_cell_is_laid_out_like_the_answer_of_a_person(key: str, cell: str, answer: Any, text: str) -> None:
    asked = fields_of()[key]

    assert read_cell(asked, cell) == answer
    assert laid_out([asked], {key: read_cell(asked, cell)}) == laid_out([asked], {key: answer}) == text


def test_a_person_may_number_lines_and_take_a_place_in_a_pane() -> None:
    fields = fields_of()

    assert laid_out([fields["list"]], {"list": ["1. Glioma", "  MS  "]}) == "1. Glioma\n2. MS"
    assert laid_out([fields["place"]], {"place": [-0.2, 4.6, -7.5, "Prior"]}) == "R 0 A 5 I 8 mm"


def test_in_which_order_and_how_often_options_stand_says_nothing_of_who_chose_them() -> None:
    findings = fields_of()["findings"]
    texts = {laid_out([findings], {"findings": chosen}) for chosen in (["oed", "nec"], ["nec", "oed", "nec"])}

    assert texts == {"Oedema, Necrosis"}


def test_an_option_has_one_place_in_a_list_as_no_person_can_give_it_two() -> None:
    ranked = fields_of()["findings"].model_copy(update={"type": "ranked"})

    assert laid_out([ranked], {"findings": read_cell(ranked, "nec|Oedema|Necrosis")}) == "1. Necrosis\n2. Oedema"
    # Lines that are written can be repeated by anybody.
    assert laid_out([fields_of()["list"]], {"list": ["MS", "MS"]}) == "1. MS\n2. MS"


@pytest.mark.parametrize("cell", ["Me\u00e9ni\u200eere", "MEE\u0301NIERE", "\uff2de\u00e9niere"])
def test_an_option_is_known_again_in_any_form_of_its_characters(cell: str) -> None:
    kind = fields_of()["kind"]
    options = [kind.options[0].model_copy(update={"id": "men", "text": "Me\u00e9niere"}), *kind.options[1:]]

    assert read_cell(kind.model_copy(update={"options": options}), cell) == "men"


def test_an_abstention_is_a_word_for_both() -> None:
    asked = fields_of()["kind"].model_copy(update={"undetermined": True})

    assert read_cell(asked, "Undetermined") == UNDETERMINED
    assert laid_out([asked], {"kind": UNDETERMINED}) == "Undetermined"


def test_what_an_item_offers_is_laid_out_in_its_words() -> None:
    asked = fields_of("turn")["answer"]

    assert read_cell(asked, "B", OF_ITEM) == "b"
    assert laid_out([asked], {"answer": "b"}, OF_ITEM) == "Metastasis"
    assert laid_out([asked], {"answer": "b"}) == "b"


def test_several_fields_stand_behind_their_labels_in_the_order_of_takes_and_empty_ones_nowhere() -> None:
    fields = list(fields_of().values())

    text = laid_out(fields, {"kind": "tum", "why": "Round.", "list": ["Glioma"], "findings": []})

    assert text == "Why: Round.\nList:\n1. Glioma\nKind: Tumour"
    assert laid_out(fields, {"why": ""}) == ""


def test_each_form_lays_out_what_it_asks() -> None:
    assert list(fields_of("turn")) == ["why", "answer"]
    assert list(fields_of())[:2] == ["why", "list"]


def test_without_takes_it_is_the_primary_field_of_each_form() -> None:
    takes = "    takes: [why, list, answer, kind, findings, size, grade, place, sure, seen]\n"
    study = expanded(STUDY.replace(takes, ""))
    grade = study.phase("grade")

    assert takes_of(study, grade) == ["kind", "answer"]
    assert [asked.key for asked in fields_taken(study, grade, "turn")] == ["answer"]


def test_blanks_are_trimmed_and_nothing_else() -> None:
    assert squeezed("\tA  b \n\n\n c\u2028d") == "A b\nc\nd"
    assert squeezed("Teh glioma, no doubt?!") == "Teh glioma, no doubt?!"


def test_a_pool_of_few_authors_is_warned_of() -> None:
    study = expanded(STUDY.replace("people: 3", "people: 1"))
    sized = expanded(STUDY)

    (person,) = few_sources(study, study.phase("grade"))
    (model,) = few_sources(sized, sized.phase("grade"), models=1)
    assert person.startswith("The pool of 'grade' has answers of at most one person")
    assert model.startswith("The pool of 'grade' has answers of at most one model")
    assert list(few_sources(sized, sized.phase("grade"), models=2)) == []
    assert list(few_sources(sized, sized.phase("consult"))) == []
