"""Protocols of `studies/` that this release runs: on made-up tables, from the import to the last exported row."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from db import Database
from services.judging import import_runs
from services.studies.freeze import freezing
from tests.listed_study import closed_tables, imported_listed, work_through
from tests.own_scans import give_own_scans
from tests.published_studies import (
    STUDIES,
    opened,
    text_of,
)
from tests.situations import answers, write_table, write_volume


def test_mri_eval_scores_all_of_tiers_2_and_3_and_some_of_tier_1_of_one_model(
    sqlite_database: Database, tmp_path: Path
) -> None:
    tiers = ["1"] * 40 + ["2"] * 5 + ["3"] * 3
    items = [(f"q{n}", "physics", "open", f"Stem {n}?", tier, "no") for n, tier in enumerate(tiers)]
    models = ("Sonnet 4.6", "Opus 4.6", "GPT-5.4", "Llama 3.3 70B")
    candidates = [
        (f"{item[0]}-{m}-{condition}", item[0], model, f"Answer {m} to {item[0]}, {condition[:2]}.", condition)
        for item in items
        for m, model in enumerate(models)
        for condition in ("stem_only", "primed")
    ]
    situation = opened(
        sqlite_database,
        tmp_path / "study",
        "mri_eval_judge_validation",
        {
            "items.csv": ("item,category,format,prompt,tier,misconception", items),
            "references.csv": (
                "item,accepted,low,high,text_only_answer,provenance",
                [(item[0], f"Reference of {item[0]}", "", "", "", "") for item in items],
            ),
            "candidates.csv": ("candidate,item,model,answer,condition", candidates),
        },
    )

    judged = tmp_path / "judge.csv"
    write_table(judged, "item,candidate,verdict", [(row[1], row[0], "correct") for row in candidates])
    import_runs.import_judge_verdicts(
        sqlite_database,
        situation.admin,
        situation.study_key,
        name="first",
        judge="a judge",
        content=judged.read_bytes(),
        file_name=judged.name,
    )
    seen = work_through(situation)
    tables = closed_tables(situation)

    verdicts = tables["verdicts.csv"]
    tier_of = {row["item"]: row["tier"] for row in tables["items.csv"]}
    assert len(seen) == len(verdicts) == 18 + 5 + 3
    assert Counter(tier_of[row["item"]] for row in verdicts) == {"1": 18, "2": 5, "3": 3}
    assert {row["model"] for row in verdicts} == {"Sonnet 4.6"}
    assert {row["condition"] for row in tables["candidates.csv"]} == {"stem_only", "primed"}
    chances = {row["stratum"]: float(row["inclusion_probability"]) for row in tables["sample.csv"]}
    assert chances == {"1": 18 / 40, "2": 1.0, "3": 1.0}
    assert len(tables["judge.csv"]) == len(candidates)
    # Neither the model nor the condition, nor the tier, nor any key.
    for hidden in ("Sonnet", "stem_only", "primed", "tier", "misconception", "q1-0"):
        assert hidden not in text_of(seen)


def test_marcus_rates_all_answers_to_a_hundred_drawn_questions(sqlite_database: Database, tmp_path: Path) -> None:
    modalities = ("ecg", "echo", "cmr")
    cases = [(f"c{n}", f"s{n}", modalities[n % 3], "Stanford") for n in range(120)]
    items = [(f"q{n}", f"c{n}", "rhythm", "open", f"Question {n}?") for n in range(120)]
    situation = opened(
        sqlite_database,
        tmp_path / "study",
        "marcus_vqa_likert",
        {
            "cases.csv": ("case,subject,modality,site", cases),
            "items.csv": ("item,case,category,format,prompt", items),
            "references.csv": (
                "item,accepted,low,high,text_only_answer,provenance",
                [(item[0], f"Report of {item[0]}", "", "", "", "") for item in items],
            ),
            # Of the second model every tenth answer is missing.
            "candidates.csv": (
                "candidate,item,model,answer",
                [
                    (f"{item[0]}-{model}", item[0], model, "" if model == "b" and n % 10 == 0 else f"Text {n} {m}")
                    for n, item in enumerate(items)
                    for m, model in enumerate(("a", "b"))
                ],
            ),
        },
    )

    seen = work_through(situation)
    tables = closed_tables(situation)

    drawn = Counter(row["item"] for row in tables["sample.csv"])
    missing = sum(int(item[1:]) % 10 == 0 for item in drawn)
    assert len(drawn) == 100
    assert len(seen) == len(tables["verdicts.csv"]) == 200 - missing
    of_modality = Counter({row["item"]: row["stratum"] for row in tables["sample.csv"]}.values())
    assert sorted(of_modality.values()) == [33, 33, 34]
    assert {row["field"] for row in tables["fields.csv"]} == {"likert"}
    assert "Stanford" not in text_of(seen)


def test_neuroqa_scores_open_answers_by_category(sqlite_database: Database, tmp_path: Path) -> None:
    sizes = {"Anatomy": 16, "Demographic": 17, "Location": 17, "Longitudinal": 1, "Reasoning": 17, "Severity": 16,
             "Signal": 16}  # fmt: skip
    items = [
        (f"{category}-{n}", category, "open", f"{category} question {n}?", "test-public")
        for category, size in sizes.items()
        for n in range(size + 1)
    ]
    items.append(("not public", "Anatomy", "open", "Another question?", "train"))
    models = ("GPT-5.2", "MedGemma-4B", "GPT-5-nano", "Other model")
    situation = opened(
        sqlite_database,
        tmp_path / "study",
        "neuroqa_scorer_validation",
        {
            "items.csv": ("item,category,format,prompt,split", items),
            "references.csv": (
                "item,accepted,low,high,text_only_answer,provenance",
                [(item[0], "", "3", "5", "", "") for item in items],
            ),
            "candidates.csv": (
                "candidate,item,model,answer,condition",
                [
                    (f"{item[0]} {model} {condition}", item[0], model, "About four.", condition)
                    for item in items
                    for model in models
                    for condition in ("stack", "none")
                ],
            ),
        },
    )

    seen = work_through(situation)
    tables = closed_tables(situation)

    category_of = {row["item"]: row["category"] for row in tables["items.csv"]}
    verdicts = tables["verdicts.csv"]
    assert len(seen) == len(verdicts) == 3 * sum(sizes.values())
    assert Counter(category_of[row["item"]] for row in verdicts) == {name: 3 * size for name, size in sizes.items()}
    assert {row["model"] for row in verdicts} == set(models[:3])
    assert {tuple(payload["reference"]) for payload in seen} == {("3 to 5",)}


def test_neuroqa_reads_a_part_of_a_pool_with_one_per_template_and_subject(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    numbers = range(24)
    # The last four are about subjects, and by templates, that the pool has already.
    own = [n % 20 for n in numbers]
    categories = ("Anatomy", "Location")
    columns_of_items = (
        "item", "case", "category", "format", "grounding", "prompt", "options", "sequences", "split", "template",
        "human_assessable", "answerable_modalities", "recommended_modality",
    )  # fmt: skip
    write_volume(tmp_path / "t1.nii.gz", seed=1)
    tables = {
        "cases.csv": ("case,subject,dataset", [(f"c{n}", f"s{own[n]}", "ADNI") for n in numbers]),
        "volumes.csv": (
            "volume,case,role,sequence,acquired,file,label",
            [(f"c{n}-t1", f"c{n}", "current", "T1", "", "t1.nii.gz", "T1") for n in numbers],
        ),
        "items.csv": (
            ",".join(columns_of_items),
            [
                (
                    f"q{n}", f"c{n}", categories[own[n] % 2], "choice", "image_grounded", f"Question {n}?",
                    "l=Left|r=Right", "T1", "test-public", f"t{own[n]}", "yes", "T1|T2", "T1",
                )
                for n in numbers
            ],
        ),
        "references.csv": (
            "item,accepted,low,high,text_only_answer,provenance",
            [(f"q{n}", "l", "", "", "r", "") for n in numbers],
        ),
    }  # fmt: skip
    folder.mkdir()
    shutil.copy(tmp_path / "t1.nii.gz", folder)
    # So many repeats as the inclusion probabilities of limits take are soon made for a fifth of the size.
    protocol = (STUDIES / "neuroqa_reads" / "protocol.yaml").read_text("utf-8").replace("size: 100", "size: 20")
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    for file, (columns, rows) in tables.items():
        write_table(folder / file, columns, rows)
    give_own_scans(folder)
    situation = imported_listed(sqlite_database, folder, raters=1)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    seen = work_through(situation)
    exported = closed_tables(situation)

    verdicts = exported["verdicts.csv"]
    items = {row["item"]: row for row in exported["items.csv"]}
    assert len(seen) == len(verdicts) == 20
    assert len({items[row["item"]]["template"] for row in verdicts}) == 20
    assert len({row["subject"] for row in verdicts}) == 20
    assert Counter(items[row["item"]]["category"] for row in verdicts) == {"Anatomy": 10, "Location": 10}
    assert all(payload["images"]["panes"] and payload["reference"] is None for payload in seen)
    frozen = freezing.freeze_of(sqlite_database, situation.admin, situation.study_key)
    assert frozen is not None
    assert [note for note in frozen.manifest["phases"]["read"]["notes"] if "image-review" in note] == [
        "There is no frozen study 'neuroqa-image-review' here: no subject of it was left out."
    ]
    for hidden in ("ADNI", "test-public", "human_assessable"):
        assert hidden not in text_of(seen)


def test_marcus_counts_six_mirages_of_twenty_questions_without_the_finding(
    sqlite_database: Database, tmp_path: Path
) -> None:
    says = {"positive": "There is ST elevation.", "negative": "No ST elevation.", "uncertain": "I cannot tell."}
    # What the answer claims with the image, and without it, and what the report says.
    labels = [("positive", "positive", "negative")] * 6 + [("positive", "uncertain", "negative")] * 7
    labels += [("negative", "negative", "negative")] * 7 + [("positive", "positive", "positive")] * 4
    modalities = ("ecg", "echo", "cmr")
    situation = opened(
        sqlite_database,
        tmp_path / "study",
        "marcus_mirage_labels",
        {
            "cases.csv": ("case,subject,modality", [(f"c{n}", f"s{n}", modalities[n % 3]) for n in range(24)]),
            "items.csv": (
                "item,case,category,format,prompt",
                [(f"q{n}", f"c{n}", "rhythm", "open", f"Is there ST elevation in recording {n}?") for n in range(24)],
            ),
            "references.csv": (
                "item,accepted,low,high,text_only_answer,provenance",
                [(f"q{n}", f"Report {n}. {says[report]}", "", "", "", "") for n, (*_, report) in enumerate(labels)],
            ),
            "candidates.csv": (
                "candidate,item,model,answer,condition",
                [
                    (f"q{n}-{condition}", f"q{n}", "a model", f"Answer to {n}. {says[label]}", condition)
                    for n, (present, absent, _) in enumerate(labels)
                    for condition, label in (("present", present), ("absent", absent))
                ],
            ),
        },
        groups=("answers", "answers", "reports", "reports"),
        size=24,
    )

    def labelled(payload: dict[str, Any]) -> dict[str, Any]:
        text = payload["candidate"] or payload["reference"][0]
        return answers(finding=next(label for label, words in says.items() if words in text))

    seen = work_through(situation, labelled)
    tables = closed_tables(situation)

    # Two label 48 answers each, two others 24 reports.
    assert len(seen) == len(tables["verdicts.csv"]) == 2 * 48 + 2 * 24
    groups = {row["member"]: row["group"] for row in tables["members.csv"]}
    assert Counter((groups[row["member"]], row["phase"]) for row in tables["verdicts.csv"]) == {
        ("answers", "label"): 96, ("reports", "reference_label"): 48,
    }  # fmt: skip
    conditions = {row["candidate"]: row["condition"] for row in tables["candidates.csv"]}
    labelled_as: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in tables["fields.csv"]:
        labelled_as[row["item"], conditions.get(row["candidate"], "report")].add(row["value"])
    negative = [item for (item, what), values in labelled_as.items() if what == "report" and values == {"negative"}]
    mirages = [item for item in negative if labelled_as[item, "present"] == labelled_as[item, "absent"] == {"positive"}]
    assert (len(mirages), len(negative)) == (6, 20)
    # Who labels an answer sees no report, and who labels a report no answer; of neither is the condition known.
    assert all((payload["candidate"] is None) != (payload["reference"] is None) for payload in seen)
    assert {payload["context"]["facts"][0][0] for payload in seen} == {"Question"}
    for hidden in ("present", "absent", "a model", "reference_label", "q1-"):
        assert hidden not in text_of({**payload, "form": None} for payload in seen)
