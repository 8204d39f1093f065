"""Words that mean the same where people write: read from a list, refused where two answers claim one of them."""

from __future__ import annotations

import pytest

from protocol.fields import text
from protocol.language.sentences import explained
from tests.protocol.language.study_text import expanded, misfits_of, one_phase

TWO = "{gbm: {text: Glioblastoma, synonyms: [Glioblastoma multiforme, WHO grade 4]}, ms: Multiple sclerosis}"


def test_the_expansion_holds_id_text_and_synonyms_of_each_answer() -> None:
    (phase,) = expanded(one_phase(f"{{diagnosis: {{type: text, synonyms: {TWO}}}}}")).phases

    assert [(group.answer, group.words) for group in phase.fields[0].synonyms] == [
        ("gbm", ["gbm", "Glioblastoma", "Glioblastoma multiforme", "WHO grade 4"]),
        ("ms", ["ms", "Multiple sclerosis"]),
    ]


def test_a_shared_list_is_written_out_with_its_name() -> None:
    (phase,) = expanded(one_phase("{differential: {type: ranked, synonyms: lists/correctness}}")).phases

    assert (phase.fields[0].synonym_list, phase.fields[0].synonyms[0].words) == ("correctness", ["1", "step 1"])


@pytest.mark.parametrize(
    ("field", "says"),
    [
        (
            "{type: text, synonyms: {gbm: {text: GBM, synonyms: WHO grade 4}, aa: {text: AA, synonyms: who grade 4.}}}",
            "'who grade 4.' means both 'gbm' and 'aa'; leave it with one of them.",
        ),
        (
            "{type: text, synonyms: {gbm: {text: GBM, synonyms: [WHO grade 4, '']}}}",
            "'' among the words of 'gbm' says nothing; write the word, or remove it.",
        ),
        (
            "{type: text, synonyms: lists/missing}",
            "there is no list 'lists/missing' beside the protocol; add the file.",
        ),
        ("{type: number, synonyms: {a: b}}", "a field of type number takes no synonyms (text, ranked, as_item do)"),
        ("{type: ranked, options: [a, b], synonyms: {a: c}}", "and this field has options; remove one of the two."),
        ("{type: choice, options: {a: {text: A, synonyms: c}, b: B}}", "option 'a' is chosen and not written"),
    ],
)
def test_synonyms_that_cannot_be_are_refused(field: str, says: str) -> None:
    (refusal,) = misfits_of(one_phase(f"{{diagnosis: {field}}}")).values()

    assert says in refusal


def test_what_is_read_back_says_that_words_mean_the_same() -> None:
    study = expanded(one_phase(f"{{diagnosis: {{type: text, synonyms: {TWO}}}}}"))

    said = " ".join(sentence for part in explained(study) for sentence in part.sentences)
    assert "two answers have words that mean the same" in said


def test_one_answer_that_has_such_words_is_said_to_be_one() -> None:
    study = expanded(one_phase("{diagnosis: {type: text, synonyms: {gbm: {text: Glioblastoma, synonyms: [GBM]}}}}"))

    said = " ".join(sentence for part in explained(study) for sentence in part.sentences)
    assert "one answer has words that mean the same" in said


GROUPS = [["gbm", "Glioblastoma"], ["ms", "Multiple sclerosis"]]


def test_an_accepted_word_brings_all_that_mean_the_same() -> None:
    assert text.with_synonyms(["glioblastoma.", "cyst"], GROUPS) == ("glioblastoma.", "cyst", "gbm", "Glioblastoma")


def test_an_answer_and_each_line_of_one_is_taken_as_the_answer_that_it_means() -> None:
    assert text.as_meant(["The glioblastoma", "cyst"], GROUPS) == ["gbm", "cyst"]
