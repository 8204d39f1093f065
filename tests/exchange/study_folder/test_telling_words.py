"""Words of a protocol that name to raters what is hidden from them: each is warned of at the import."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from exchange.study_folder.telling_words import telling_names, telling_words
from tests.protocol.language.study_text import HEAD, expanded

MODELS = ("MARCUS", "GPT-5.1", "M1")
STUDY = """
    instructions: Read everything.
    groups: {students: {title: Medical students}, seniors: Senior physicians, graders: Graders}
    phases:
      - {key: consult, title: Consultation, rates: items, shows: [prompt], form: {v: text}, by: [students, seniors]}
      - key: grade
        title: Grades
        question: Is it right?
        rates: [candidates, answers of consult]
        shows: [prompt, reference, candidate]
        form: {v: text}
        by: graders
    """


def names_told(old: str = "", new: str = "") -> Iterator[str]:
    return telling_names(expanded(STUDY.replace(old, new)), MODELS)


def test_ordinary_words_and_names_of_a_letter_or_two_are_not_warned_of() -> None:
    assert list(names_told("title: Grades", "title: M1 and its grades")) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("title: Consultation", "title: Answers of marcus", "title of phase 'consult' names 'MARCUS', whose answers"),
        ("Is it right?", "Is gpt_5.1 right?", "question of phase 'grade' names 'GPT-5.1', whose answers"),
        ("title: Grades", "title: Of GPT-5.1 and MARCUS", "title of phase 'grade' names 'GPT-5.1', 'MARCUS', whose"),
        (
            "title: Grades",
            "title: Answers of the senior  physicians",
            "title of phase 'grade' names 'Senior physicians' to people of another group",
        ),
        (
            "title: Consultation",
            "title: Of Medical students",
            "title of phase 'consult' names 'Medical students' to people of another group",
        ),
        ("    instructions: Read", "    consent: Seniors agree.", "consent of the study names 'seniors' to people of"),
        (
            "form: {v: text}\n        by: graders",
            "form: {v: {type: choice, options: {a: {text: So, example: Like GPT-5.1}, b: B}}}\n        by: graders",
            "field 'v' of phase 'grade' names 'GPT-5.1', whose answers",
        ),
        (
            "form: {v: text}, by: [students",
            "form: {v: {type: text, help: What marcus says}}, by: [students",
            "field 'v' of phase 'consult' names 'MARCUS', whose answers",
        ),
        (
            "        by: graders",
            "        flags: {odd: Is by GPT-5.1}\n        by: graders",
            "what can be said instead, or flagged, in phase 'grade' names 'GPT-5.1', whose answers",
        ),
    ],
)
def test_a_model_or_another_group_that_is_named_is_warned_of_with_its_place(old: str, new: str, says: str) -> None:
    (warning,) = names_told(old, new)

    assert warning.startswith(f"protocol.yaml: {says}")


def test_people_read_the_name_of_their_own_group() -> None:
    assert list(names_told("title: Grades", "title: For graders")) == []


def test_the_name_of_a_study_is_in_its_addresses() -> None:
    assert "name: a-study" in HEAD

    (warning,) = telling_names(expanded(STUDY), ["A study by us", "a-study"])

    assert warning.startswith("protocol.yaml: name, which is in addresses unless the import names another key, names")


SELECTING = """
    attributes: {items: {finding: text}}
    phases: [{key: read, rates: items, from: {where: {finding: [tumour, stroke]}}, shows: [prompt], form: {v: text}}]
    """


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("instructions: Every tumour counts.", "title, question or instructions of phase 'read'"),
        ("consent: I read tumours.", "name, title, consent or notice of the study"),
        ("notice: Tumour or not", "name, title, consent or notice of the study"),
    ],
)
def test_a_value_by_which_units_are_selected_is_warned_of_in_what_raters_read(text: str, place: str) -> None:
    (said,) = telling_words(expanded(f"    {text}{SELECTING}"))

    assert said.startswith(f"protocol.yaml: {place} name 'tumour', by which")
