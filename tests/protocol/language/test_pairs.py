"""Phases that compare two answers: which two, what of them is refused, and how they are read back."""

from __future__ import annotations

import pytest

from protocol.fields import preference
from protocol.language.computed import not_computed
from protocol.language.instead import PEOPLE_IN_PAIRS
from protocol.language.misfits import DoesNotFit
from protocol.language.not_run_yet import not_run_yet
from protocol.language.sentences import sentences_of
from tests.protocol.language.study_text import expanded

COMPARED = """
attributes: {candidates: {condition: {type: choice, options: [plain, aided]}}}
phases:
  - key: compare
    rates: pairs
    shows: [prompt, candidate]
    form: {better: preference}
"""


def with_pairs(said: str, text: str = COMPARED) -> str:
    """Return the study with pairs said otherwise."""
    return text.replace("rates: pairs\n", f"rates: pairs\n    pairs: {said}\n")


@pytest.mark.parametrize(
    ("said", "of", "same"),
    [
        ("model", "model", []),
        ("{of: model}", "model", []),
        ("{of: model, same: condition}", "model", ["condition"]),
        ("{of: condition}", "condition", ["model"]),
        ("{of: condition, same: []}", "condition", []),
        ("table", None, []),
    ],
)
def test_conditions_are_compared_within_a_model_unless_the_study_says_otherwise(
    said: str, of: str | None, same: list[str]
) -> None:
    pairs = expanded(with_pairs(said)).phases[0].pairs

    assert pairs is not None
    assert (pairs.of, pairs.same) == (of, same)


def test_without_a_word_every_two_models_are_compared() -> None:
    assert expanded(COMPARED).phases[0].pairs == expanded(with_pairs("model")).phases[0].pairs
    assert list(not_run_yet(expanded(COMPARED))) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (with_pairs("{of: conditon}"), "conditon"),
        (with_pairs("{of: condition, same: [condition]}"), "cannot be alike in 'condition' and differ in it"),
        (with_pairs("{table: yes, of: model}"), "remove of and same, or the table"),
        (with_pairs("model").replace("rates: pairs", "rates: candidates"), "rates has to be pairs"),
    ],
)
def test_pairs_that_fit_nothing_are_refused_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(DoesNotFit) as refused:
        expanded(text)

    assert says in str(refused.value.misfits.noted)


@pytest.mark.parametrize("rated", ["[pairs, answers of read]", "pairs of answers of read"])
def test_peoples_answers_are_in_no_pair_and_the_refusal_says_what_to_write(rated: str) -> None:
    read = "phases:\n  - {key: read, rates: items, shows: [prompt], form: {a: text}}\n"

    with pytest.raises(DoesNotFit) as refusal:
        expanded(COMPARED.replace("phases:\n", read).replace("rates: pairs", f"rates: {rated}"))

    assert refusal.value.misfits.noted == [(("phases", "1", "rates"), PEOPLE_IN_PAIRS)]


def test_what_may_differ_between_the_two_is_not_shown() -> None:
    shown = COMPARED.replace("[prompt, candidate]", "[prompt, candidate, condition]")

    assert dict(not_run_yet(expanded(shown))) == {
        "phases.compare.shows": "'condition' may differ between the answers of a pair; remove it, or name it as "
        "pairs.same."
    }
    assert list(not_run_yet(expanded(with_pairs("{of: model, same: condition}", shown)))) == []


def test_nothing_is_selected_by_a_side() -> None:
    later = """
  - key: why
    rates: pairs
    from: {phase: compare, where: {compare.better: VALUE}}
    shows: [prompt, candidate]
    form: {reason: text}
"""
    by_side = dict(not_run_yet(expanded(COMPARED + later.replace("VALUE", "[a, tie]"))))
    by_tie = dict(not_run_yet(expanded(COMPARED + later.replace("VALUE", "tie"))))

    assert "change from person to person" in by_side["phases.why.from.where"]
    assert by_tie == {}


def test_it_is_read_back_with_what_makes_a_pair_and_how_its_sides_come_about() -> None:
    study = expanded(with_pairs("{of: model, same: condition}"))

    said = " ".join(sentences_of(study, study.phases[0]))

    assert "All raters score all pairs of models' answers." in said
    assert "A pair is every two answers to an item with another model and the same condition." in said
    assert "Which of the two stands at A is drawn for each person and pair, and stored." in said


@pytest.mark.parametrize(
    ("pairs", "strata", "says"),
    [
        ("{of: model, same: condition}", "model", "equally many of every two models"),
        ("{of: condition, same: model}", "model", "equally many of each model"),
        ("{of: model, same: condition}", "category", "equally many of each category"),
    ],
)
def test_a_stratum_of_pairs_is_read_back_as_what_both_answers_have(pairs: str, strata: str, says: str) -> None:
    source = f"from: {{sample: {{size: 6, strata: {strata}, allocation: equal}}}}"
    study = expanded(with_pairs(pairs).replace("rates: pairs\n", f"rates: pairs\n    {source}\n"))

    assert says in " ".join(sentences_of(study, study.phases[0]))


@pytest.mark.parametrize(
    ("estimate", "is_computed"),
    [("win_rate", True), ("agreement", True), ("rate, option: a", False), ("accuracy", False)],
)
def test_a_plan_can_declare_what_is_computed_of_a_preference(estimate: str, is_computed: bool) -> None:
    plan = f"analysis: {{primary: {{estimate: {estimate}, of: compare.better}}}}\n"

    assert (list(not_computed(expanded(COMPARED + plan))) == []) is is_computed


@pytest.mark.parametrize("value", ["a", "b", "tie", "neither"])
def test_a_preference_is_the_same_whichever_side_its_answer_stood_on(value: str) -> None:
    other_side = {"a": "b", "b": "a"}.get(value, value)

    assert preference.as_in_table(value, preference.IN_ORDER) == value
    assert preference.as_in_table(other_side, preference.SWAPPED) == value


@pytest.mark.parametrize("said", ["{of: condition}", "{of: model, same: condition}", "table"])
def test_pairs_that_come_from_a_phase_of_pairs_are_its_pairs(said: str) -> None:
    study = expanded(f"""
    attributes: {{candidates: {{condition: text}}}}
    groups: {{readers: Readers, reviewers: Reviewers}}
    phases:
      - {{key: compare, rates: pairs, pairs: {said}, shows: [candidate], form: {{v: preference}}, by: readers}}
      - key: settle
        rates: pairs
        from: {{phase: compare, let_in: [differs]}}
        shows: [candidate]
        form: {{v: preference}}
        by: reviewers
    """)

    assert study.phases[1].pairs == study.phases[0].pairs
