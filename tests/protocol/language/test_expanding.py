"""What an author leaves unsaid is written out."""

from __future__ import annotations

import json

from protocol.language.bins import level_of, levels_of
from protocol.language.computed import COMPUTED, COMPUTED_AGAINST
from protocol.language.expansion import Expansion, Opening
from protocol.language.possible import POSSIBLE
from tests.protocol.language.study_text import expanded, misfits_of, one_phase

READS = """
forms: {read: {answer: as_item, sure: {type: confidence, steps: 5}}}
phases:
  - {key: read, rates: items, shows: [scans, prompt], form: read}
"""
READ_AND_SCORE = """
groups: {residents: Residents, scorers: Scorers}
phases:
  - {key: read, rates: items, shows: [scans, prompt], form: {answer: text}, by: residents}
  - {key: score, rates: candidates, from: read, shows: [reference, candidate], form: {v: correctness}, by: scorers}
"""


def test_everybody_rates_everything_at_once_unless_somebody_says_otherwise() -> None:
    (phase,) = expanded(READS).phases

    assert [group.title for group in expanded(READS).groups] == ["Raters"]
    assert (phase.by.groups, phase.by.per_unit, phase.source.phase, phase.source.sample) == (
        ["raters"],
        None,
        None,
        None,
    )
    assert phase.opens == Opening(kind="at_once", after=[], done_by="self")
    assert (phase.order, phase.revise, phase.counts, phase.comment) == ("random", "never", True, True)


def test_the_first_field_is_the_primary_one_unless_another_says_so() -> None:
    (phase,) = expanded(READS).phases
    other = expanded(one_phase("{one: text, two: {type: number, primary: yes}}"))

    assert phase.primary is not None and phase.primary.key == "answer"
    assert other.phases[0].primary is not None and other.phases[0].primary.key == "two"


def test_a_confidence_is_about_the_primary_field_above_it() -> None:
    sure = expanded(READS).phases[0].fields[1]

    assert (sure.about, sure.minimum, sure.maximum) == ("answer", 1.0, 5.0)


def test_a_phase_waits_for_those_above_in_which_the_same_people_work() -> None:
    same = expanded(READ_AND_SCORE.replace(", by: scorers", ", by: residents")).phase("score")
    others = expanded(READ_AND_SCORE).phase("score")

    assert same.opens == Opening(kind="after", after=["read"], done_by="self")
    assert others.opens.kind == "at_once"


def test_a_phase_behind_that_of_others_waits_for_all_of_them() -> None:
    text = """
    groups: {readers: Readers, scorers: Scorers}
    phases:
      - {key: read, rates: items, shows: [scans], form: {answer: yes_no}, by: readers}
      - {key: score, rates: items, shows: [prompt], form: {answer: yes_no}, by: scorers, opens: {after: read}}
    """

    assert expanded(text).phase("score").opens == Opening(kind="after", after=["read"], done_by="everyone")
    assert "nobody who works here works in 'read'" in str(
        misfits_of(text.replace("after: read", "after: read, done_by: self"))
    )


def test_what_selects_by_answers_alone_waits_for_everyone_who_gives_them() -> None:
    study = expanded(
        """
        groups: {a: A, b: B}
        phases:
          - {key: read, rates: items, shows: [], form: {sure: yes_no}, by: a}
          - {key: look, rates: items, from: {where: {read.sure: yes}}, shows: [], form: {v: text}, by: b}
        """
    )

    opens = study.phase("look").opens

    assert (opens.kind, opens.after, opens.done_by) == ("after", ["read"], "everyone")


def test_what_needs_answers_waits_for_everyone_who_gives_them() -> None:
    study = expanded(
        """
        groups: {students: Students, graders: Graders}
        phases:
          - {key: consult, rates: items, shows: [scans, prompt], form: {answer: text}, by: students}
          - key: grade
            rates: [candidates, answers of consult]
            shows: [reference, candidate]
            form: {verdict: correctness}
            by: graders
        """
    )

    assert study.phase("grade").opens == Opening(kind="after", after=["consult"], done_by="everyone")
    assert study.phase("grade").answers_of == "consult"


def test_options_keep_their_order_and_their_ids_apart_from_their_texts() -> None:
    (phase,) = expanded(one_phase("{d: {type: choice, options: {z: Zebra, a: {text: Ant, example: An ant}}}}")).phases

    assert [(option.id, option.text, option.example) for option in phase.fields[0].options] == [
        ("z", "Zebra", ""),
        ("a", "Ant", "An ant"),
    ]


def test_a_shared_list_is_written_out_with_its_name() -> None:
    (phase,) = expanded(one_phase("{c: {type: ordinal, options: lists/correctness}}", "candidates")).phases

    assert [option.id for option in phase.fields[0].options] == ["1", "2", "3"]
    assert phase.fields[0].shared_list == "correctness"


def test_correctness_brings_its_options_and_excluded_leaves_the_denominator() -> None:
    (phase,) = expanded(one_phase("{v: {type: correctness, excluded: Cannot be scored}}", "candidates")).phases

    (verdict,) = phase.fields
    assert [option.id for option in verdict.options] == ["correct", "incorrect", "excluded"]
    assert (verdict.excluded, verdict.positive) == ("excluded", "correct")


def test_words_that_yaml_would_take_for_numbers_or_yes_mean_what_they_say() -> None:
    study = expanded(
        """
        attributes: {items: {finding: {type: choice, options: [no, 1.10]}}}
        phases: [{key: a, rates: candidates, from: {where: {model: 4.60}}, shows: [candidate], form: {v: yes_no}}]
        """
    )

    assert [option.id for option in study.attributes[0].options] == ["no", "1.10"]
    assert study.phases[0].source.where[0].values == ["4.60"]


def test_an_expansion_is_stored_and_read_back_as_it_is() -> None:
    study = expanded(READ_AND_SCORE)

    assert Expansion.model_validate_json(study.canonical_json()) == study


def test_an_expansion_holds_the_label_of_an_attribute_only_where_there_is_one() -> None:
    plain, labelled = "{items: {ai_opinion: text}}", "{items: {ai_opinion: {type: text, label: AI opinion}}}"

    stored = [
        json.loads(expanded(f"attributes: {written}\n{one_phase('{v: text}')}").canonical_json())["attributes"][0]
        for written in (plain, labelled)
    ]

    # What a freeze stored before there were labels keeps its hash.
    assert stored[0].keys() == {
        "table", "key", "type", "options", "minimum", "maximum", "tells_reference", "bins",
    }  # fmt: skip
    assert stored[1] == stored[0] | {"label": "AI opinion"}


def test_undetermined_everywhere_leaves_out_how_sure_somebody_is() -> None:
    (phase,) = expanded(one_phase("{d: text, c: {type: confidence, steps: 5}}", more=", undetermined: true")).phases

    assert [asked.undetermined for asked in phase.fields] == [True, False]


def test_a_guess_who_wrote_an_answer_brings_its_options() -> None:
    study = expanded(
        """
        groups: {people: People, graders: Graders}
        phases:
          - {key: consult, rates: items, shows: [prompt], form: {answer: text}, by: people}
          - {key: grade, rates: [candidates, answers of consult], shows: [candidate], form: {w: guess}, by: graders}
        """
    )

    assert [option.id for option in study.phase("grade").fields[0].options] == ["person", "model", "unsure"]


def test_a_number_is_of_the_level_whose_lower_bound_it_reaches() -> None:
    bins = [2.5, 10.0]

    assert levels_of(bins) == ["below 2.5", "2.5 to below 10", "10 or more"]
    assert [level_of(bins, value) for value in ("2", "2.5", "9.9", "10", "many")] == [
        "below 2.5", "2.5 to below 10", "2.5 to below 10", "10 or more", "",
    ]  # fmt: skip


def test_what_this_release_computes_of_a_type_is_possible_of_it() -> None:
    computed = {(estimate, key) for key, estimates in COMPUTED.items() for estimate in estimates}
    computed |= {(estimate, key) for key, against in COMPUTED_AGAINST.items() for estimate, _ in against}

    assert {(name, key) for name, key in computed if name in POSSIBLE and key not in POSSIBLE[name]} == set()


def test_a_frozen_study_whose_settling_phase_does_not_count_can_still_be_read() -> None:
    study = expanded(
        """
        phases:
          - {key: read, rates: items, shows: [scans], form: {v: yes_no}}
          - {key: settle, rates: items, from: read, shows: [scans], form: {v: yes_no}, settles: read}
        """
    )
    stored = json.loads(study.canonical_json())
    stored["phases"][1]["counts"] = False

    read = Expansion.of_canonical_json(json.dumps(stored))

    assert read is not None and read.phase("settle").settles == "read" and not read.phase("settle").counts


def test_a_plan_stored_before_the_fewest_clusters_for_p_had_a_key_keeps_p_and_text() -> None:
    stored = json.loads(expanded(READS).canonical_json())
    assert stored["analysis"].pop("p_from") == 10
    text = json.dumps(stored, separators=(",", ":"), ensure_ascii=False)

    read = Expansion.of_canonical_json(text)

    assert read is not None
    assert read.analysis.p_from == 2
    assert read.canonical_json() == text


def test_a_plan_stored_before_the_same_sets_and_first_lines_had_a_key_keeps_interval_and_text() -> None:
    stored = json.loads(expanded(READS).canonical_json())
    assert stored["analysis"].pop("interval_same") == "score"
    text = json.dumps(stored, separators=(",", ":"), ensure_ascii=False)

    read = Expansion.of_canonical_json(text)

    assert read is not None
    assert read.analysis.interval_same == "percentile"
    assert read.canonical_json() == text


def test_a_plan_stored_before_the_interval_of_numbers_had_a_key_keeps_interval_and_text() -> None:
    stored = json.loads(expanded(READS).canonical_json())
    assert stored["analysis"].pop("interval_of_numbers") == "widened"
    text = json.dumps(stored, separators=(",", ":"), ensure_ascii=False)

    read = Expansion.of_canonical_json(text)

    assert read is not None
    assert read.analysis.interval_of_numbers == "plain"
    assert read.canonical_json() == text


def test_a_plan_stored_before_p_in_clusters_had_a_key_keeps_p_and_text() -> None:
    stored = json.loads(expanded(READS).canonical_json())
    assert stored["analysis"].pop("p_in_clusters") == "t"
    text = json.dumps(stored, separators=(",", ":"), ensure_ascii=False)

    read = Expansion.of_canonical_json(text)

    assert read is not None
    assert read.analysis.p_in_clusters == "normal"
    assert read.canonical_json() == text


def test_a_plan_stored_before_the_scale_of_intervals_had_a_key_keeps_interval_and_text() -> None:
    stored = json.loads(expanded(READS).canonical_json())
    assert stored["analysis"].pop("interval_scale") == "transformed"
    text = json.dumps(stored, separators=(",", ":"), ensure_ascii=False)

    read = Expansion.of_canonical_json(text)

    assert read is not None
    assert read.analysis.interval_scale == "plain"
    assert read.canonical_json() == text
