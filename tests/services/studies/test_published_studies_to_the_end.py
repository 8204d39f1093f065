"""Protocols of `studies/`, answered to the last unit at random: exported rows are what was answered."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

from db import Database
from protocol.fields.abstention import is_undetermined
from services.reading.correctness import as_text
from services.studies.freeze import freezing
from studies.examples import build
from tests.listed_study import closed_tables, drawn_answers, imported_listed, work_through
from tests.published_studies import (
    FEW_RESAMPLES,
    error_taxonomy,
    flag_review,
    grader,
    image_review,
    mcq_judge,
    resampled,
    structured_reads,
    template_review,
    text_of,
)
from tests.situations import Situation, answers


def answered_to_the_end(situation: Situation) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, str]]]]:
    """Let every rater answer everything, close the study, and hold each exported row against what was answered.

    Returns
    -------
    tuple
        The payloads, and the exported tables.
    """
    rng = random.Random(11)
    given: list[dict[str, Any]] = []

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        given.append(drawn_answers(payload, rng))
        return given[-1]

    seen = work_through(situation, answer)
    tables = closed_tables(situation)
    assert len(tables["verdicts.csv"]) == len(seen) == len(given)
    assert {row["status"] for row in tables["verdicts.csv"]} == {"answered"}
    answered = Counter(
        (key, "", "yes") if is_undetermined(value) else (key, as_text(value), "")
        for verdict in given
        for key, value in verdict["fields"].items()
    )
    assert Counter((row["field"], row["value"], row["undetermined"]) for row in tables["fields.csv"]) == answered
    assert all(payload["images"]["panes"] for payload in seen)
    return seen, tables


def test_marcus_reviews_a_share_of_the_flagged_questions_beside_their_images(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = flag_review(sqlite_database, tmp_path / "study", flagged=40, others=205)

    seen, tables = answered_to_the_end(situation)

    flagged = {row["item"]: row["flagged"] for row in tables["items.csv"]}
    assert Counter(flagged[row["item"]] for row in tables["verdicts.csv"]) == {"yes": 2, "no": 200}
    chances = {row["stratum"]: float(row["inclusion_probability"]) for row in tables["sample.csv"]}
    assert chances == {"yes": 2 / 40, "no": 200 / 205}
    assert {tuple(payload["reference"]) for payload in seen} == {
        ("Sinus rhythm",), ("Atrial fibrillation",), ("Atrial flutter",), ("None of the other options",)
    }  # fmt: skip
    # Why a question is left out is asked of those that are.
    reasons = [row for row in tables["fields.csv"] if row["field"] == "reasons"]
    left_out = [row for row in tables["fields.csv"] if (row["field"], row["value"]) == ("exclude", "yes")]
    assert len(reasons) == len(left_out) > 0
    for hidden in ("flagged", "flag_reason", "text_only_answer", "'cmr'"):
        assert hidden not in text_of({**payload, "form": None} for payload in seen)


def test_marcus_judges_answers_to_multiple_choice_questions_beside_their_images(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = mcq_judge(sqlite_database, tmp_path / "study", items=30, size=60)

    seen, tables = answered_to_the_end(situation)

    # Two cardiologists, each all of 60: as many of each model and modality.
    assert len(seen) == 2 * 60
    models = {row["candidate"]: row["model"] for row in tables["candidates.csv"]}
    assert Counter(models[row["candidate"]] for row in tables["verdicts.csv"]) == {
        "MARCUS": 40, "GPT-5": 40, "Gemini 2.5 Pro": 40
    }  # fmt: skip
    excluded = [row for row in tables["fields.csv"] if (row["field"], row["value"]) == ("verdict", "excluded")]
    assert len([row for row in tables["fields.csv"] if row["field"] == "reason"]) == len(excluded) > 0
    assert {payload["question"] for payload in seen} == {"Did the answer settle on the option of the reference?"}
    # An answer may name an option by its letter.
    options = "a) Sinus rhythm · b) Atrial fibrillation · c) Atrial flutter · d) None of the other options"
    assert all(payload["context"]["facts"] == [["Options", options]] for payload in seen)
    for hidden in ("MARCUS", "Gemini", "UCSF", "none_of_the_others", "echo"):
        assert hidden not in text_of(seen)


def test_neural_medbench_codes_a_hundred_wrong_answers_beside_their_scans(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = error_taxonomy(sqlite_database, tmp_path / "study", items=90)

    seen, tables = answered_to_the_end(situation)

    outcomes = {row["candidate"]: row["outcome"] for row in tables["candidates.csv"]}
    assert len(seen) == 2 * 100
    assert {outcomes[row["candidate"]] for row in tables["verdicts.csv"]} == {"incorrect"}
    assert {row["field"] for row in tables["fields.csv"]} == {"error"}
    assert all(payload["context"]["vignette"] and payload["context"]["history"] for payload in seen)
    for hidden in ("MedGemma", "GPT-4o", "'incorrect'", "outcome"):
        assert hidden not in text_of(seen)


def test_neural_medbench_grades_rationales_in_three_criteria_beside_their_scans(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = grader(sqlite_database, tmp_path / "study", items=40, size=60)

    seen, tables = answered_to_the_end(situation)

    assert len(seen) == 3 * 60
    fields = Counter(row["field"] for row in tables["fields.csv"])
    assert fields == {"correctness": 180, "coherence": 180, "grounding": 180}
    assert len({(row["member"], row["candidate"]) for row in tables["verdicts.csv"]}) == 180
    for hidden in ("MedGemma", "GPT-4o", "OpenAI", "Google"):
        assert hidden not in text_of(seen)


def test_neurovlm_reports_are_filled_in_with_abstentions_and_subtypes_of_the_diagnosis(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = structured_reads(sqlite_database, tmp_path / "study", slices=60, size=50)

    seen, tables = answered_to_the_end(situation)

    assert len(seen) == 50
    by_item: dict[str, dict[str, dict[str, str]]] = {}
    for row in tables["fields.csv"]:
        by_item.setdefault(row["item"], {})[row["field"]] = row
    subtypes = {"ischemic", "hemorrhagic"}
    for report in by_item.values():
        diagnosis, detail = report["diagnosis"], report.get("detailed_diagnosis")
        assert (detail is None) == (diagnosis["undetermined"] == "yes" or diagnosis["value"] in ("ms", "normal"))
        if detail is not None and detail["undetermined"] == "":
            assert (detail["value"] in subtypes) == (diagnosis["value"] == "stroke")
        assert ("sequence" in report) == (report["modality"]["value"] == "MRI")
    abstained = Counter(row["field"] for row in tables["fields.csv"] if row["undetermined"] == "yes")
    assert set(abstained) == {"modality", "sequence", "plane", "diagnosis", "detailed_diagnosis"}
    assert all(row["value"] == "" for row in tables["fields.csv"] if row["undetermined"])
    assert "dataset" not in text_of(seen)
    class_of = {row["item"]: row["class"] for row in tables["items.csv"]}
    for item, report in by_item.items():
        diagnosis, modality = report["diagnosis"], report["modality"]
        # An abstention is not right, and its value is empty.
        assert diagnosis["correct"] == ("yes" if diagnosis["value"] == class_of[item] else "no")
        known = int(item[1:]) % 2 == 0
        assert (modality["reference"], report["plane"]["reference"]) == ("program" if known else "none", "none")
        assert modality["correct"] == (("yes" if modality["value"] == "MRI" else "no") if known else "")


def test_neurovlm_reads_open_behind_a_practice_that_is_in_no_table(sqlite_database: Database, tmp_path: Path) -> None:
    situation = structured_reads(sqlite_database, tmp_path / "study", slices=20, size=10, practised=5)
    rng = random.Random(5)

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        drawn = drawn_answers(payload, rng)
        if payload["phase"] == "practice":
            fields = {key: value for key, value in drawn["fields"].items() if key != "detailed_diagnosis"}
            right = payload["prompt"].removeprefix("Practise ").removesuffix(".")
            drawn = answers(**(fields | {"diagnosis": right}))
        return drawn

    seen = work_through(situation, answer)
    tables = closed_tables(situation)

    assert [payload["phase"] for payload in seen] == ["practice"] * 5 + ["reading"] * 10
    assert {row["phase"] for row in tables["verdicts.csv"]} == {"read"}
    assert len(tables["verdicts.csv"]) == len(tables["sample.csv"]) == 10


def with_findings_of_some(payload: dict[str, Any], rng: random.Random, share: float) -> dict[str, Any]:
    """Return drawn answers in which a share of the reviewers find something wrong."""
    given = drawn_answers(payload, rng)
    if "findings" in given["fields"] and rng.random() > share:
        del given["fields"]["findings"]
    return given


def reviewed_and_resolved(situation: Situation, reviewers: int, share: float) -> list[dict[str, Any]]:
    """Let everybody answer, close the study, and hold what was resolved against what somebody found wrong.

    Returns
    -------
    list of dict
        What the curator was shown.
    """
    rng = random.Random(5)
    seen = work_through(situation, lambda payload: with_findings_of_some(payload, rng, share))
    tables = closed_tables(situation)
    fields = tables["fields.csv"]
    reviewed = {row["item"] for row in tables["verdicts.csv"] if row["phase"] == "review"}
    wrong = {row["item"] for row in fields if row["field"] == "findings" and row["value"]}
    resolved = {row["item"]: row["value"] for row in fields if row["field"] == "resolution"}
    assert 0 < len(wrong) < len(reviewed)
    assert set(resolved) == wrong
    # A new text stands for what is reworded or fixed, and for nothing else.
    texts = {row["item"] for row in fields if row["field"] == "resolution_text"}
    assert texts == {item for item, value in resolved.items() if value in ("reword", "fix")}
    sample = [row for row in tables["sample.csv"] if row["phase"] == "resolve"]
    assert {row["item"]: float(row["inclusion_probability"]) for row in sample} == dict.fromkeys(wrong, 1.0)
    resolving = [payload for payload in seen if payload["heading"] == "Resolution of findings"]
    assert len(resolving) == len(wrong)
    for payload in resolving:
        assert [opinion["name"] for opinion in payload["opinions"]] == list("ABC")[:reviewers]
    assert all(payload["opinions"] is None for payload in seen if payload not in resolving)
    for hidden in ("Rater", "experts", "clinicians", "ADNI"):
        assert hidden not in text_of({**payload, "form": None} for payload in seen)
    return resolving


def test_neuroqa_resolves_the_templates_with_which_an_expert_found_something_wrong(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = template_review(sqlite_database, tmp_path / "study", templates=40)

    resolving = reviewed_and_resolved(situation, reviewers=3, share=0.2)

    assert all(payload["images"] is None and payload["reference"] for payload in resolving)


def test_neuroqa_resolves_the_images_on_which_a_clinician_found_something_wrong(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = image_review(sqlite_database, tmp_path / "study")

    resolving = reviewed_and_resolved(situation, reviewers=2, share=0.3)

    assert all(payload["images"]["panes"] and payload["reference"] for payload in resolving)


def test_neural_medbench_scores_people_and_models_in_one_pool_and_exports_who_wrote_what(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = build("neural_medbench_reads", tmp_path / "study")
    protocol = resampled((folder / "protocol.yaml").read_text("utf-8"), FEW_RESAMPLES)
    # With ten people who answer the pool takes a test too long.
    (folder / "protocol.yaml").write_text(protocol.replace("people: 5", "people: 2"), encoding="utf-8")
    groups = ("student", "student", "senior", "senior", "grader", "grader")
    situation = imported_listed(sqlite_database, folder, groups=groups)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    seen, tables = answered_to_the_end(situation)

    candidates = tables["candidates.csv"]
    answered = [row for row in candidates if row["answer"]]
    group_of = {row["member"]: row["group"] for row in tables["members.csv"]}
    # Four people answer 20 items, and two score all of that and what three models answered.
    assert Counter((row["written_by"], bool(row["answer"])) for row in candidates) == {
        ("person", True): 80, ("model", True): 56, ("model", False): 4,
    }  # fmt: skip
    verdicts = tables["verdicts.csv"]
    assert Counter((group_of[row["member"]], row["phase"]) for row in verdicts) == {
        ("student", "consult"): 40, ("senior", "consult"): 40, ("grader", "grade"): 2 * len(answered),
    }  # fmt: skip
    assert Counter(row["candidate"] for row in verdicts if row["phase"] == "grade") == {
        row["candidate"]: 2 for row in answered
    }
    written = {(row["author"], row["item"]) for row in candidates if row["written_by"] == "person"}
    assert written == {(row["member"], row["item"]) for row in verdicts if row["phase"] == "consult"}
    assert {row["given_in"] for row in candidates if row["written_by"] == "person"} == {"consult"}
    assert {row["author"] for row in candidates if row["written_by"] == "model"} == {""}

    texts = {row["candidate"]: row["answer"] for row in candidates}
    graded = [payload for payload in seen if payload["candidate"] is not None]
    assert Counter(payload["candidate"] for payload in graded) == Counter(
        texts[row["candidate"]] for row in verdicts if row["phase"] == "grade"
    )
    assert all(payload["reference"] for payload in graded)
    compared = Counter((row["field"], row["reference"]) for row in tables["fields.csv"] if row["phase"] == "consult")
    assert {field for field, state in compared if state == "people"} == {"rationale", "answer"}
    assert {field for field, state in compared if state == "program"} == {"differential", "lesion_type", "place"}
    assert {row["level"] for row in tables["items.csv"]} == {"1", "2", "3"}
    assert {row["field"] for row in tables["fields.csv"]} >= {"differential", "place", "answer", "match", "author"}


def test_neural_medbench_asks_the_turns_of_a_conversation_in_order_and_names_nobody(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = build("neural_medbench_reads", tmp_path / "study")
    protocol = (folder / "protocol.yaml").read_text("utf-8")
    (folder / "protocol.yaml").write_text(protocol.replace("people: 5", "people: 1"), encoding="utf-8")
    situation = imported_listed(sqlite_database, folder, groups=("student", "senior", "grader", "grader"))
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    seen = work_through(situation, lambda payload: drawn_answers(payload, random.Random(3)))

    turns = ["How would you proceed?", "The laboratory is normal. What do you think of now?", "What is your diagnosis?"]
    asked = [payload for payload in seen if payload["candidate"] is None and payload["prompt"] in turns]
    assert [payload["prompt"] for payload in asked] == turns * 4 * 2
    for payload in asked:
        before = [turn["prompt"] for turn in payload["turns"]]
        assert before == turns[: turns.index(payload["prompt"])]
        assert all(turn["lines"] for turn in payload["turns"])
    sent = text_of({**payload, "form": None} for payload in seen)
    for hidden in ("GPT-4o", "MedGemma", "Qwen", "Rater ", "student", "Medical students", "senior", "consult-", "ADNI"):
        assert hidden not in sent


def test_two_answers_are_compared_by_two_people_and_every_preference_is_exported_with_its_answer(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = build("compared_answers", tmp_path / "study")
    protocol = resampled((folder / "protocol.yaml").read_text("utf-8"), FEW_RESAMPLES)
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    situation = imported_listed(sqlite_database, folder, groups=["neuroradiologist"] * 2)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    rng = random.Random(3)

    seen = work_through(situation, lambda payload: drawn_answers(payload, rng))
    tables = closed_tables(situation)

    assert len(seen) == len(tables["verdicts.csv"]) == 2 * 45
    pairs = {row["pair"]: (row["first"], row["second"]) for row in tables["pairs.csv"]}
    assert len(pairs) == 45
    answered = {row["candidate"]: row["answer"] for row in tables["candidates.csv"]}
    assert all(answered[key] for pair in pairs.values() for key in pair)
    assert Counter(row["stratum"] for row in tables["sample.csv"]) == {
        "Model one / Model three": 15, "Model one / Model two": 15, "Model three / Model two": 15,
    }  # fmt: skip
    preferred = [row for row in tables["fields.csv"] if row["field"] == "better" and row["value"] in "ab"]
    assert preferred and all(row["preferred"] in pairs[row["candidate"]] for row in preferred)
    sections = {row["table"] for row in tables["estimates.csv"] if row["section"] == "phase_compare"}
    assert {"better_win_rate", "better_strength", "better_agreement", "better_sides"} <= sections
    for hidden in ("Model one", "Model two", "Model three", "tumour", "inflammation"):
        assert hidden not in text_of(seen)
