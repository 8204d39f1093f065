import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from exchange.study_folder.folder import StudyFolder, read_study_folder
from studies.demo.build import build
from studies.demo.cases import CASES
from tests.judge_tables import rows_of_judge

DEMO = Path(__file__).parents[2] / "studies" / "demo"


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> StudyFolder:
    """The demo as a study folder with coarse scans."""
    return read_study_folder(build(tmp_path_factory.mktemp("demo"), step=8.0))


def test_the_read_has_the_size_and_mix_that_it_promises(study):
    items = study.items

    assert len(items) == 24
    assert Counter(item.format for item in items) == {"yes_no": 12, "choice": 8, "open": 4}
    assert Counter(item.grounding for item in items) == {"image_grounded": 12, "image_informed": 12}
    assert len({item.category for item in items}) == 6
    assert sum(item.uses_prior for item in items) == 2


def test_cases_come_from_several_subjects_but_fewer_than_ten(study):
    assert len(study.cases) >= 6
    assert 5 <= len({case.subject for case in study.cases}) < 10
    assert {item.case for item in study.items} == {case.key for case in study.cases}


def test_at_least_half_of_the_cases_have_two_sequences(study):
    both = [
        case.key
        for case in study.cases
        if {volume.sequence for volume in study.volumes if volume.case == case.key and volume.role == "current"}
        == {"T1", "T2"}
    ]

    assert len(both) >= len(study.cases) / 2


def test_the_number_of_sequences_does_not_tell_whether_there_is_a_lesion():
    with_lesions = {case.current.sequences for case in CASES if case.current.lesions}
    without = {case.current.sequences for case in CASES if not case.current.lesions}

    assert with_lesions == without


def test_every_item_offers_all_sequences_of_its_case(study):
    for item in study.items:
        current = {v.sequence for v in study.volumes if v.case == item.case and v.role == "current"}

        assert set(item.sequences) == current


def test_a_prior_was_acquired_months_before_the_current_scan(study):
    dates = {(volume.case, volume.role): volume.acquired for volume in study.volumes}

    for case in {item.case for item in study.items if item.uses_prior}:
        assert 150 < (dates[case, "current"] - dates[case, "prior"]).days < 500


def test_a_label_tells_the_sequence_and_that_it_is_simulated_and_nothing_else(study):
    assert {(volume.sequence, volume.label) for volume in study.volumes} == {
        ("T1", "T1 (simulated)"),
        ("T2", "T2 (simulated)"),
    }


def test_yes_and_no_are_right_equally_often(study):
    yes_no = {item.key for item in study.items if item.format == "yes_no"}

    right = Counter(reference.accepted for reference in study.references if reference.item in yes_no)

    assert right == {("yes",): 6, ("no",): 6}


def test_an_option_id_means_the_same_wherever_it_stands(study):
    texts: dict[str, set[str]] = {}
    for item in study.items:
        for option, text in item.options:
            texts.setdefault(option, set()).add(text)

    assert {option: meanings for option, meanings in texts.items() if len(meanings) > 1} == {}


def test_four_options_are_offered_where_one_is_to_be_chosen(study):
    assert {len(item.options) for item in study.items if item.format == "choice"} == {4}


def test_the_prompt_of_a_choice_or_open_item_does_not_hold_a_word_of_its_answer(study):
    references = {reference.item: reference for reference in study.references}
    common = {"of", "the", "on", "a", "it", "is", "lesion", "lesions", "one", "only", "t1", "side", "with", "lobe"}
    for item in study.items:
        if item.format == "yes_no":
            continue
        shown = dict(item.options)
        answers = " ".join(shown.get(answer, answer) for answer in references[item.key].accepted)
        words = set(re.findall(r"\w+", answers.lower())) - common

        assert not words & set(re.findall(r"\w+", item.prompt.lower())), item.key


def test_the_text_only_baseline_is_sometimes_right_and_sometimes_wrong(study):
    right = [reference.text_only_answer in reference.accepted for reference in study.references]

    assert all(reference.text_only_answer for reference in study.references)
    assert 8 <= sum(right) <= 16


def test_vignettes_and_ages_are_there_and_the_hidden_note_says_that_all_is_simulated(study):
    assert all(case.vignette and case.age for case in study.cases)
    assert all(case.note.startswith("Simulated.") for case in study.cases)


def test_sixty_candidates_come_in_equal_parts_from_two_simulated_models(study):
    assert Counter(candidate.model for candidate in study.candidates) == {
        "simulated-model-a": 30,
        "simulated-model-b": 30,
    }
    assert {candidate.item for candidate in study.candidates} == {item.key for item in study.items}
    assert study.protocol.scoring is not None and study.protocol.scoring.sample >= 40


def test_the_judge_has_a_row_for_every_candidate_and_no_verdict_on_two(study):
    rows = rows_of_judge((DEMO / "judge_verdicts.csv").read_bytes(), "judge_verdicts.csv")

    assert {(row.item, row.candidate) for row in rows} == {
        (candidate.item, candidate.key) for candidate in study.candidates
    }
    assert len(rows) == 60
    unresolved = [row for row in rows if row.verdict is None]
    assert len(unresolved) == 2 and all(row.error for row in unresolved)


def test_the_protocol_says_that_images_are_simulated(study):
    assert study.protocol.notice is not None and "imulated" in study.protocol.notice
    assert "imulated" in study.protocol.title


def test_the_tables_beside_the_code_have_unix_line_ends():
    for path in DEMO.glob("*.csv"):
        content = path.read_bytes()

        assert b"\r" not in content and content.endswith(b"\n")
        assert list(csv.reader(content.decode("utf-8").splitlines(), strict=True))
