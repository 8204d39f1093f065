"""The protocols of published studies: each is explained, keeps the law of blinding, and says what it is about."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import jsonschema
import pytest
import yaml

from exchange.study_folder.study_file import read_study
from protocol.language.expansion import Expansion, Phase, Sample, When
from protocol.language.law import breaches
from protocol.language.telling import Asked
from protocol.language.things import THINGS
from services.studies.folders.explaining import SHARED_LISTS, explain

STUDIES = Path(__file__).resolve().parents[2] / "studies"
PROTOCOLS = sorted(STUDIES.glob("*/protocol.yaml"))
EVERY = pytest.mark.parametrize("file", PROTOCOLS, ids=lambda file: file.parent.name)


@cache
def study(name: str) -> Expansion:
    return read_study(STUDIES / name / "protocol.yaml", "0.0.0", (SHARED_LISTS,))


def only_phase(name: str) -> Phase:
    (phase,) = study(name).phases
    return phase


def sample_of(phase: Phase) -> Sample:
    assert phase.source.sample is not None
    return phase.source.sample


def sizes(phase: Phase) -> dict[str, str]:
    return {part.stratum: part.size for part in sample_of(phase).sizes}


def selected(phase: Phase) -> dict[str, list[str]]:
    return {condition.name: condition.values for condition in phase.source.where}


def types(phase: Phase) -> dict[str, str]:
    return {asked.key: asked.type for asked in phase.fields}


def people(name: str) -> dict[str, int | None]:
    return {group.key: group.people for group in study(name).groups}


FIFTEEN = pytest.mark.parametrize(
    "name",
    [
        "neuroqa_reads",
        "neuroqa_scorer_validation",
        "neuroqa_template_review",
        "neuroqa_image_review",
        "neuroqa_grounding_labels",
        "mri_eval_judge_validation",
        "marcus_mcq_judge",
        "marcus_vqa_likert",
        "marcus_flag_review",
        "marcus_mirage_labels",
        "neurovlm_structured_reads",
        "neural_medbench_curation",
        "neural_medbench_reads",
        "neural_medbench_grader",
        "neural_medbench_error_taxonomy",
    ],
)
READS = pytest.mark.parametrize(
    ("name", "key"),
    [
        ("neuroqa_reads", "read"),
        ("neurovlm_structured_reads", "read"),
        ("neural_medbench_reads", "consult"),
        ("neural_medbench_curation", "curate"),
    ],
)
SCORES = pytest.mark.parametrize(
    ("name", "key"),
    [
        ("neuroqa_scorer_validation", "score"),
        ("neuroqa_grounding_labels", "claim"),
        ("mri_eval_judge_validation", "score"),
        ("marcus_mcq_judge", "judge"),
        ("marcus_vqa_likert", "rate"),
        ("marcus_mirage_labels", "label"),
        ("neural_medbench_reads", "grade"),
        ("neural_medbench_grader", "grade"),
        ("neural_medbench_error_taxonomy", "code"),
    ],
)


@READS
def test_nobody_is_shown_a_reference_or_an_answer_where_they_read(name: str, key: str) -> None:
    telling = {thing for thing, row in THINGS.items() if row.reach != "nothing"}

    assert telling & Asked(study(name)).told_by(key) == set()


@SCORES
def test_nobody_is_shown_model_condition_judge_or_colleagues_where_they_score(name: str, key: str) -> None:
    hidden = {"judge", "opinions", "aid"} | {each.key for each in study(name).attributes}

    assert hidden & set(study(name).phase(key).shows) == set()


def test_neuroqa_reads_are_of_100_assessable_items_one_per_template_and_subject_and_none_of_an_earlier_round() -> None:
    read = only_phase("neuroqa_reads")
    sample = sample_of(read)

    assert people("neuroqa_reads") == {"residents": 2}
    assert selected(read) == {"split": ["test-public"], "human_assessable": ["yes"]}
    assert (sample.size, sample.strata, sample.allocation) == ("100", ["category"], "proportional")
    assert {limit.attribute: limit.most for limit in sample.at_most} == {"template": 1, "subject": 1}
    assert sample.not_in == ["neuroqa-template-review", "neuroqa-image-review"]
    assert set(sample.not_in) <= {study(file.parent.name).name for file in PROTOCOLS}


def test_neuroqa_scorers_get_the_answers_of_three_models_to_100_open_items() -> None:
    score = only_phase("neuroqa_scorer_validation")

    assert sum(int(size) for size in sizes(score).values()) == 100
    assert sample_of(score).keeps_items_together
    assert len(selected(score)["model"]) == 3
    assert score.shows == ["prompt", "reference", "candidate"]


def test_neuroqa_experts_review_24_questions_without_scans_and_a_curator_resolves_their_findings() -> None:
    review, resolve = study("neuroqa_template_review").phases

    assert people("neuroqa_template_review") == {"experts": 3, "curators": 1}
    assert sample_of(review).size == "24"
    assert "scans" not in review.shows
    assert [(entry.reason, entry.field) for entry in resolve.source.let_in] == [("answered", "findings")]
    assert types(resolve)["resolution"] == "resolution"


def test_neuroqa_clinicians_review_57_items_with_their_scans_by_the_same_form() -> None:
    review = study("neuroqa_image_review").phase("review")

    assert people("neuroqa_image_review")["clinicians"] == 2
    assert sum(int(size) for size in sizes(review).values()) == 57
    assert "scans" in review.shows
    assert review.fields == study("neuroqa_template_review").phase("review").fields


def test_neuroqa_claims_are_labelled_for_both_conditions_before_anybody_sees_scans_and_reference() -> None:
    claim, verdict, contradiction = study("neuroqa_grounding_labels").phases

    assert selected(claim) == {}
    assert selected(verdict) == {"condition": ["none"]}
    assert selected(contradiction) == {"condition": ["stack"], "claim.claim": ["yes"]}
    assert ("scans" in verdict.shows, "scans" in contradiction.shows) == (False, True)


def test_mri_eval_draws_18_answers_of_tier_1_and_all_of_tiers_2_and_3_of_one_model() -> None:
    score = only_phase("mri_eval_judge_validation")

    assert people("mri_eval_judge_validation") == {"physicist": 1}
    assert sizes(score) == {"1": "18", "2": "all", "3": "all"}
    assert selected(score)["model"] == ["Sonnet 4.6"]


def test_marcus_answers_are_correct_incorrect_or_excluded_which_needs_a_reason() -> None:
    verdict, reason = only_phase("marcus_mcq_judge").fields

    assert [option.id for option in verdict.options] == ["correct", "incorrect", "excluded"]
    assert verdict.excluded == "excluded"
    assert (reason.required, reason.when) == (True, When(field="verdict", values=["excluded"]))


def test_marcus_quality_has_five_anchored_steps_lowest_first() -> None:
    (likert,) = only_phase("marcus_vqa_likert").fields

    assert [option.id for option in likert.options] == ["1", "2", "3", "4", "5"]
    assert all(option.definition for option in likert.options)
    assert sample_of(only_phase("marcus_vqa_likert")).keeps_items_together


def test_marcus_flags_are_reviewed_for_5_percent_of_the_flagged_and_some_others_that_look_alike() -> None:
    review = only_phase("marcus_flag_review")

    assert sizes(review) == {"yes": "5%", "no": "200"}
    assert people("marcus_flag_review") == {"cardiologist": 1}
    assert not {"flagged", "flag_reason"} & set(review.shows)


def test_marcus_mirages_are_positive_in_every_condition_while_others_find_the_report_negative() -> None:
    label, reference_label = study("marcus_mirage_labels").phases
    primary = study("marcus_mirage_labels").analysis.primary

    assert (label.shows, reference_label.shows) == (["prompt", "candidate"], ["prompt", "reference"])
    assert not set(label.by.groups) & set(reference_label.by.groups)
    assert primary is not None
    assert (primary.estimate, primary.option, primary.over) == ("joint_rate", "positive", ["condition"])
    assert primary.where == {"reference_label.finding": ["negative"]}


def test_neurovlm_reports_have_dependent_fields_and_abstention_in_all_but_the_confidence() -> None:
    practice, read = study("neurovlm_structured_reads").phases
    fields = {asked.key: asked for asked in read.fields}

    assert (practice.counts, read.counts) == (False, True)
    assert fields["sequence"].when == When(field="modality", values=["MRI"])
    assert fields["detailed_diagnosis"].options_by is not None
    assert read.primary == fields["diagnosis"]
    assert [key for key, asked in fields.items() if not asked.undetermined] == ["confidence"]


def test_neural_medbench_curators_judge_the_case_alone_and_write_the_reference_of_what_a_majority_keeps() -> None:
    curate, write = study("neural_medbench_curation").phases

    assert {"plausibility", "complexity", "value"} <= set(types(curate))
    assert ("source_diagnosis" in curate.shows, "source_diagnosis" in write.shows) == (False, True)
    assert curate.result == "majority"
    assert selected(write) == {"curate.retain": ["yes"]}
    assert types(write)["diagnosis"] == "text"


def test_neural_medbench_graders_pool_holds_candidates_and_the_answers_of_two_groups() -> None:
    consult, grade = study("neural_medbench_reads").phases

    assert people("neural_medbench_reads") == {"student": 5, "senior": 5, "grader": 2}
    assert (consult.form, consult.by.groups) == ("as_item", ["student", "senior"])
    assert study("neural_medbench_reads").forms[0].fields[0].at_most == 5
    assert (grade.rates, grade.answers_of, grade.by.groups) == (["candidates", "answers"], "consult", ["grader"])
    assert (grade.opens.after, grade.opens.done_by) == (["consult"], "everyone")
    assert types(grade)["author"] == "guess"


def test_neural_medbench_rationales_are_graded_by_three_criteria_the_same_for_people_and_models() -> None:
    criteria = only_phase("neural_medbench_grader").fields

    assert [asked.shared_list for asked in criteria] == ["correctness", "coherence", "grounding"]
    assert all(option.definition for asked in criteria for option in asked.options)
    assert study("neural_medbench_reads").phase("grade").fields[:3] == criteria


def test_neural_medbench_errors_are_coded_by_two_each_alone_into_five_categories() -> None:
    code = only_phase("neural_medbench_error_taxonomy")

    assert people("neural_medbench_error_taxonomy") == {"neurologists": 2}
    assert (selected(code), sample_of(code).size) == ({"outcome": ["incorrect"]}, "100")
    assert len(code.fields[0].options) == 5
    assert (code.by.together, code.by.per_unit) == (False, None)


@EVERY
def test_a_protocol_is_read_back_with_a_paragraph_for_each_phase(file: Path) -> None:
    headings = [paragraph.heading for paragraph in explain(file.parent)]

    for phase in study(file.parent.name).phases:
        assert any(heading.endswith(f"{phase.title} ({phase.key})") for heading in headings)


@EVERY
def test_no_protocol_tells_anybody_what_they_are_asked_later(file: Path) -> None:
    assert [str(breach) for breach in breaches(study(file.parent.name)) if breach.answer == "refused"] == []


@EVERY
def test_the_readme_names_every_column_that_the_protocol_declares(file: Path) -> None:
    readme = (file.parent / "README.md").read_text(encoding="utf-8")

    missing = [each.key for each in study(file.parent.name).attributes if f"`{each.key}`" not in readme]
    assert missing == []


@FIFTEEN
def test_a_protocol_is_called_as_its_folder_without_the_name_of_a_model(name: str) -> None:
    # Raters read it in addresses, and MARCUS is one of the models whose answers they judge.
    assert study(name).name == name.replace("_", "-").removeprefix("marcus-")


@FIFTEEN
def test_raters_are_instructed_in_every_phase(name: str) -> None:
    assert [phase.key for phase in study(name).phases if not phase.instructions.strip()] == []


@FIFTEEN
def test_an_editor_takes_the_protocol_as_well(name: str) -> None:
    schema = json.loads((STUDIES / "protocol.schema.json").read_text(encoding="utf-8"))
    document = yaml.safe_load((STUDIES / name / "protocol.yaml").read_text(encoding="utf-8"))

    assert [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(document)] == []


@pytest.mark.parametrize("file", sorted((STUDIES / "lists").glob("*.yaml")), ids=lambda file: file.stem)
def test_a_shared_list_is_named_by_a_study(file: Path) -> None:
    assert any(re.search(rf"lists/{file.stem}\b", path.read_text(encoding="utf-8")) for path in PROTOCOLS)


@pytest.mark.parametrize("name", ["neural_medbench_curation", "neural_medbench_error_taxonomy"])
def test_the_meeting_in_the_readme_can_be_added_as_it_is(name: str, tmp_path: Path) -> None:
    protocol = (STUDIES / name / "protocol.yaml").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", (STUDIES / name / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "protocol.yaml").write_text(protocol.replace("analysis:", f"{block}analysis:", 1), encoding="utf-8")

    last = read_study(tmp_path / "protocol.yaml", "0.0.0", (SHARED_LISTS,)).phases[-1]

    assert last.by.together
    assert last.settles in {phase.key for phase in study(name).phases}
