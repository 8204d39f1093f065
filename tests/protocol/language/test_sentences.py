"""A study read back: each sentence says what its author wrote, or what holds because they wrote nothing."""

from __future__ import annotations

from typing import get_args

import pytest

from protocol.fields import KINDS
from protocol.language import sentences_of_fields
from protocol.language.authored_fields import ComputedType
from protocol.language.sentences import Paragraph, explained
from tests.protocol.language.study_text import expanded


def paragraph_of(text: str, heading: str) -> Paragraph:
    return next(paragraph for paragraph in explained(expanded(text)) if heading in paragraph.heading)


STUDY = """
groups: {residents: Residents, scorers: {title: Scorers, people: 3}}
attributes: {items: {template: text, assessable: yes_no}}
phases:
  - key: read
    rates: items
    from:
      where: {assessable: yes}
      sample: {size: 100, strata: category, at_most: {template: 1, subject: 1}, not_in: [earlier-study]}
    shows: [scans, prompt, options]
    form: {answer: as_item, confidence: {type: confidence, steps: 5}}
    by: residents
    not_assessable: {quality: The quality does not allow it}
    undetermined: [answer]
    revise: session
  - key: score
    title: Same fact
    rates: candidates
    from: {phase: read, sample: {size: 30, strata: model, allocation: equal}}
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    by: {groups: scorers, per_unit: 2}
  - key: settle
    rates: candidates
    from: {phase: score, let_in: [differs, flagged], controls: 4}
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    by: {groups: scorers, together: yes}
    then: {shows: opinions, again: yes}
    settles: score
"""


def test_who_rates_what_is_said_first() -> None:
    assert paragraph_of(STUDY, "(read)").sentences[0] == (
        "All residents read items (assessable: yes); 100 of them drawn at random in proportion to the number of items "
        "of each category in the pool, at most one per template and one per subject, none about a subject of "
        "earlier-study."
    )
    assert paragraph_of(STUDY, "Same fact").sentences[0] == (
        "Any two of the scorers score each of the models' answers of “Read”; 30 of them drawn at random, equally many "
        "of each model."
    )
    assert paragraph_of(STUDY, "(settle)").sentences[0] == (
        "The scorers meet and review together models' answers of “Same fact”, those on which the answers differ or "
        "that somebody flagged, with 4 more as unmarked controls."
    )


def test_what_stands_on_the_screen_is_said_and_what_never_does() -> None:
    shown = paragraph_of(STUDY, "(read)").sentences[1]

    assert shown.startswith("On the screen: the scans, the prompt and its options. Never shown: the reference, ")
    assert "the reference" not in paragraph_of(STUDY, "Same fact").sentences[1].partition("Never shown")[2]


def test_what_is_filled_in_is_said_with_its_options() -> None:
    assert "Filled in: Answer (as the item asks; may be undetermined) and Confidence (confidence from 1 to 5)." in (
        paragraph_of(STUDY, "(read)").sentences
    )


def test_when_a_phase_opens_is_said_although_nobody_wrote_it() -> None:
    assert "Opens at once." in paragraph_of(STUDY, "(read)").sentences
    assert "Opens when everybody is done with “Same fact”." in paragraph_of(STUDY, "(settle)").sentences


def test_what_comes_after_the_own_answer_is_said() -> None:
    sentences = paragraph_of(STUDY, "(settle)").sentences

    assert (
        "Once the rater's own answer is locked, what others answered can be seen, once the item is answered; then the "
        "question is asked again, and the second answer counts."
    ) in sentences
    stand_for = "Its answers stand for those of “Same fact” on the same units, except on controls; both are kept."
    assert stand_for in sentences


def test_whether_an_answer_can_be_revised_is_always_said() -> None:
    assert any("revise an answer within the session" in said for said in paragraph_of(STUDY, "(read)").sentences)
    assert any("An answer cannot be revised." in said for said in paragraph_of(STUDY, "Same fact").sentences)


def test_what_hangs_on_subjects_stands_at_the_end() -> None:
    last = explained(
        expanded(
            """
            phases:
              - key: practice
                rates: items
                from: {where: {practice: yes}}
                shows: [scans]
                form: {v: text}
                then: {shows: reference}
                counts: no
                pass_mark: 0.8
              - {key: read, rates: items, shows: [scans], form: {v: text}}
            """
        )
    )[-1]

    assert last.heading == "Checked at the freeze"
    assert "their subjects have to differ" in last.sentences[0]


ONE_PHASE = "phases: [{{key: a, title: Scores, rates: candidates, shows: [candidate], form: {{v: yes_no}}, {more}}}]"


@pytest.mark.parametrize(
    ("people", "says"),
    [
        ("{title: Scorers}", "All scorers score all models' answers."),
        ("{title: Scorers, people: 2}", "Both scorers score all models' answers."),
        ("{title: Medical physicist, people: 1}", "One person (medical physicist) scores all models' answers."),
        ("{title: MRI staff, people: 3}", "All MRI staff score all models' answers."),
    ],
)
def test_people_are_counted_as_one_speaks(people: str, says: str) -> None:
    text = f"groups: {{g: {people}}}\n" + ONE_PHASE.format(more="by: g")

    assert paragraph_of(text, "(a)").sentences[0] == says


@pytest.mark.parametrize(
    ("rates", "more", "says"),
    [
        ("items", "", "All raters read all items."),
        ("items", ", reference", "All raters review all items."),
        ("candidates", ", candidate", "All raters score all models' answers."),
        ("references", ", reference", "All raters score all references."),
    ],
)
def test_what_people_do_follows_from_what_they_are_given(rates: str, more: str, says: str) -> None:
    text = f"phases: [{{key: a, rates: {rates}, shows: [prompt{more}], form: {{v: yes_no}}}}]"

    assert paragraph_of(text, "(a)").sentences[0] == says


def test_a_draw_in_proportion_says_of_what() -> None:
    drawn = "from: {sample: {size: 30, strata: model, allocation: proportional}}"

    assert paragraph_of("groups: {g: {title: Scorers}}\n" + ONE_PHASE.format(more=f"by: g, {drawn}"), "(a)").sentences[
        0
    ] == (
        "All scorers score models' answers; 30 of them drawn at random in proportion to the number of answers of each "
        "model in the pool."
    )


@pytest.mark.parametrize(
    ("sample", "says"),
    [
        ("size: 5 %", "5 % of them drawn at random."),
        ("size: 20, unit: item", "20 items drawn at random, each with all its answers."),
        ("strata: tier, sizes: {1: 18, 2: all}", "drawn at random by tier: 18 of Tier 1 and all of Tier 2."),
        ("strata: flagged, sizes: {yes: 5 %, no: 9}", "5 % of those with flagged yes and 9 of those with flagged no."),
        ("strata: category, sizes: {Anatomy: 2, Signal: 3}", "by category: 2 of Anatomy and 3 of Signal."),
        (
            "strata: category, sizes: {Anatomy: 2, Signal: 3}, unit: item",
            "; items drawn at random by category: 2 of Anatomy and 3 of Signal, each with all its answers.",
        ),
    ],
)
def test_a_draw_is_said_in_the_words_of_its_strata(sample: str, says: str) -> None:
    attributes = "attributes: {items: {tier: {type: ordinal, options: {1: Tier 1, 2: Tier 2}}, flagged: yes_no}}\n"

    first = paragraph_of(attributes + ONE_PHASE.format(more=f"from: {{sample: {{{sample}}}}}"), "(a)").sentences[0]

    assert first.endswith(says)


def test_who_may_be_in_two_groups_is_said() -> None:
    apart = "groups: {a: Residents, b: Scorers}\n" + ONE_PHASE.format(more="by: a")
    mixed = "groups: {a: Residents, b: {title: Scorers, may_also_be: a}}\n" + ONE_PHASE.format(more="by: a")

    assert explained(expanded(apart))[0].sentences == ("People: residents and scorers. Nobody is in two groups.",)
    assert explained(expanded(mixed))[0].sentences == (
        "People: residents and scorers, who may also be residents. Nobody else is in two groups.",
    )


FIELDS = {
    "modality: {type: choice, options: [MRI, CT]}": "Modality (one of: MRI / CT)",
    "seen: yes_no": "Seen (yes or no)",
    "grade: {type: ordinal, options: [low, high]}": "Grade (one step, lowest first: low / high)",
    "size: {type: number, range: [0, 90], unit: mm}": "Size (a number from 0 to 90 mm)",
    "list: {type: ranked, at_most: 5, required: no}": "List (a ranked list; at most 5; may stay empty)",
    "v: {type: correctness, excluded: Excluded}": (
        "V (Correct / Incorrect / Excluded; Excluded leaves the denominator)"
    ),
    "r: resolution": ("R (Keep / Reword / Remove / Fix the answer; the new text with what is reworded or fixed)"),
    "m: {type: choice, options: {x: Ex, y: Why}}, s: {type: text, when: {m: x}}": (
        "S (in words; asked only where “M” is Ex)"
    ),
    "d: {type: choice, options: {t: Tumour, n: Normal}}, s: {type: choice, options: {g: Glioma, m: Meningioma}, "
    "options_by: {d: {t: [g, m]}}}": "S (one of; by “D”, Tumour: Glioma / Meningioma; else not asked)",
}


@pytest.mark.parametrize(("form", "says"), FIELDS.items(), ids=list(FIELDS.values()))
def test_a_field_is_said_as_it_is_filled_in(form: str, says: str) -> None:
    text = f"phases: [{{key: a, rates: candidates, shows: [], form: {{{form}}}}}]"

    (filled_in,) = [said for said in paragraph_of(text, "(a)").sentences if said.startswith("Filled in")]

    assert says in filled_in


def test_forms_that_items_name_are_read_back() -> None:
    text = """
    forms: {list: {differential: {type: ranked, at_most: 5}}, turn: {answer: text}}
    phases: [{key: a, rates: items, shows: [], form: as_item}]
    """

    assert (
        "Filled in: the form that the item names, “list” with Differential (a ranked list; at most 5) or “turn” with "
        "Answer (in words)."
    ) in paragraph_of(text, "(a)").sentences


POOL = """
groups: {people: People, graders: Graders}
attributes: {items: {level: {type: ordinal, options: [1, 2]}}, candidates: {condition: text}}
phases:
  - {key: consult, rates: items, shows: [prompt], form: {answer: text, why: {type: text, label: Rationale}}, by: people}
  - key: grade
    title: Grading
    question: Is it right?
    rates: [candidates, answers of consult]
    takes: [answer, why]
    shows: [reference, candidate]
    form: {right: yes_no, author: guess}
    by: graders
    result: majority
  - key: settle
    rates: candidates
    from: {phase: grade, where: {grade.right: no}}
    shows: [reference, candidate]
    form: {finding: {type: choice, options: {pos: Positive, neg: Negative}}}
    by: graders
analysis:
  primary: {estimate: rate, of: grade.right, by: [group, level]}
  also:
    - {estimate: joint_rate, of: settle.finding, option: pos, over: condition, where: {grade.right: no}}
    - {estimate: agreement, of: [grade.right, settle.finding], with: judges}
  tables: [level]
  interval: percentile_bootstrap
  resamples: 1000
  strata: level
"""


def test_a_pool_of_people_and_models_is_said_with_what_its_answers_show() -> None:
    sentences = paragraph_of(POOL, "(grade)").sentences

    assert sentences[0] == (
        "All graders score all models' answers and people's answers given in “Consult”, in one shuffled pool."
    )
    assert sentences[1] == (
        "The answer shows “Answer” and “Rationale” of what people filled in; every answer is laid out alike."
    )
    assert sentences[2] == "Models' answers are those to the same items."
    assert "Asked: “Is it right?”" in sentences


def test_a_pool_in_which_people_rate_each_other_or_of_one_person_is_said() -> None:
    alone = POOL.replace("people: People", "people: {title: People, people: 1}").replace("by: graders", "by: people")
    sentence = paragraph_of(alone, "(grade)").sentences[2]

    assert "Nobody scores their own answer. The pool of 'grade' has answers of at most one person" in sentence


def test_how_several_answers_become_one_is_said_where_something_goes_by_it() -> None:
    assert (
        "Where several raters' answers have to become one, it is their majority."
        in (paragraph_of(POOL, "(grade)").sentences[-1])
    )


def test_an_answer_that_selects_is_said_with_its_phase_where_that_is_another_one() -> None:
    settle = paragraph_of(POOL, "(settle)").sentences[0]

    assert settle.endswith("of “Grading” for which “Right” was answered no.")


def test_references_are_those_of_the_items_of_another_phase() -> None:
    text = """
phases:
  - {key: claim, title: Claims, rates: candidates, shows: [prompt, candidate], form: {claim: yes_no}}
  - {key: report, rates: references, from: claim, shows: [prompt, reference], form: {says: yes_no}}
"""

    assert "score all references of the items of “Claims”." in paragraph_of(text, "(report)").sentences[0]


def test_columns_are_named_with_their_table_type_and_who_sees_them() -> None:
    assert paragraph_of(POOL, "Columns").sentences == (
        "In items.csv: level (one of, lowest first: 1 / 2).",
        "In candidates.csv: condition (text).",
        "Raters are shown none of them.",
    )


def test_the_heading_of_a_column_is_read_back_where_it_is_not_its_name() -> None:
    labelled = POOL.replace("condition: text", "condition: {type: text, label: MRI shown}")

    assert "In candidates.csv: condition (text; headed “MRI shown”)." in paragraph_of(labelled, "Columns").sentences


def test_the_plan_is_read_back_as_it_was_declared() -> None:
    primary, joint, agreement, tables, intervals = paragraph_of(POOL, "computed").sentences

    assert primary == "Primary estimate: share of “Yes” for “Right” in “Grading”, by group and level."
    assert joint == (
        "Share of items with “Positive” for “Finding” in “Settle”, where “Right” of “Grading” is no, "
        "in every condition."
    )
    assert agreement == "Agreement on “Right” in “Grading” and “Finding” in “Settle”, against the judges."
    assert tables == "Tables by level."
    assert intervals == (
        "Intervals of 95 %: percentile bootstrap with 1,000 resamples, resampled within each level; clustered by "
        "subject."
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_of_every_type_is_read_back(kind: str) -> None:
    options = ", options: [One, Two]" if KINDS[kind].needs_options else ""
    text = f"phases: [{{key: read, rates: items, shows: [scans], form: {{v: {{type: {kind}{options}}}}}}}]"

    sentences = paragraph_of(text, "(read)").sentences

    assert KINDS[kind].answered_by
    assert any(f"Filled in: V ({KINDS[kind].answered_by}" in sentence for sentence in sentences)


@pytest.mark.parametrize("kind", get_args(ComputedType))
def test_a_field_from_which_more_is_computed_is_worded(kind: str) -> None:
    assert kind in sentences_of_fields._ANSWERED_BY


@pytest.mark.parametrize(
    ("declared", "compare", "says"),
    [
        ("attributes: {items: {flagged: yes_no}}", "flagged", "comparing the two values of flagged."),
        ("attributes: {items: {arm: {type: choice, options: [a, b]}}}", "arm", "comparing the two values of arm."),
        ("groups: {a: A, b: B}", "group", "comparing the two groups."),
        ("groups: {a: A, b: B, c: C}", "group", "comparing each group with the others."),
        ("", "category", "comparing each category with the others."),
    ],
)
def test_what_is_compared_is_said_by_how_many_there_are(declared: str, compare: str, says: str) -> None:
    study = (
        f"{declared}\nphases: [{{key: a, rates: items, shows: [prompt], form: {{v: ordinal_scale}}}}]\n"
        f"analysis: {{primary: {{estimate: mean, of: a.v, compare: {compare}}}}}"
    ).replace("ordinal_scale", "{type: ordinal, options: [1, 2]}")

    assert paragraph_of(study, "computed").sentences[0].endswith(says)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("corrected, of: a.right", "share that is right, corrected for the judges’ errors, by “Right”"),
        ("corrected, of: a.size", "mean, corrected for the judges’ errors, by “Size”"),
        ("corrected, of: a.harm", "share of “Yes”, corrected for the judges’ errors, by “Harm”"),
        (
            "corrected, of: [a.right, a.size, a.harm]",
            "share that is right, mean or share of “Yes”, corrected for the judges’ errors, by “Right”, “Size” and",
        ),
        ("rate, of: [a.harm, a.right]", "share of “Yes” or “Correct” for “Harm” and “Right”"),
        ("joint_rate, of: a.harm, over: model", "share of items with “Yes” for “Harm” in “A”, by every model."),
    ],
)
def test_a_line_is_said_by_the_type_of_what_it_is_about(line: str, says: str) -> None:
    form = "{right: correctness, size: {type: number, range: [0, 9]}, harm: yes_no}"
    study = f"phases: [{{key: a, rates: candidates, shows: [prompt, candidate], form: {form}}}]"

    said = paragraph_of(f"{study}\nanalysis: {{primary: {{estimate: {line}}}}}", "computed").sentences[0]

    assert said.startswith(f"Primary estimate: {says}")


def test_a_criterion_is_said_with_the_name_of_its_statistic() -> None:
    study = (
        "phases: [{key: a, rates: items, shows: [prompt], form: {v: {type: yes_no, label: Present}}}]\n"
        "analysis: {criteria: [{key: alike, estimate: agreement, of: a.v, statistic: gwet_ac1, above: 0.6}]}"
    )

    assert paragraph_of(study, "computed").sentences[0] == (
        "Criterion “alike”: agreement on “Present” in “A”, between raters by Gwet’s AC1: lower limit above 0.6."
    )
