"""Published studies with made-up verdicts that have the printed counts, answered and closed."""

from __future__ import annotations

import pickle
import re
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from db import Database
from db.engine import DATABASE_FILE, make_engine
from services.progress import data_lock
from services.report import Report, build_report
from services.studies.freeze import freezing
from tests.harness.databases import MIGRATED, copy_of_sqlite_file, migrated_sqlite_file
from tests.harness.ending import made_once
from tests.listed_study import imported_listed, work_through
from tests.own_scans import give_own_scans
from tests.published_studies import STUDIES, opened, write_image
from tests.situations import Situation, answers, write_table, write_volume
from tests.stored_answers import store_all

VOLUMES = "volume,case,role,sequence,acquired,file,label"
REFERENCES = "item,accepted,low,high,text_only_answer,provenance"
# The fields of a verdict, by the text under judgement (a candidate or a reference, else the prompt) and by the number
# of the rater, from 0.
Verdicts = Callable[[str, int], Mapping[str, Any]]


def reported(situation: Situation, verdicts: Verdicts, *, references: bool = False) -> Report:
    """Let everybody give the planted verdicts, of references too where these are rated; close and report the study."""
    times: Counter[str] = Counter()

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        about = payload["candidate"] or payload["prompt"]
        if references and not payload["candidate"]:
            about = payload["reference"][0]
        times[about] += 1
        return answers(**verdicts(about, times[about] - 1))

    if references:
        work_through(situation, answer)
    else:
        store_all(situation, answer)
    data_lock.close_study(situation.database, situation.admin, situation.study_key)
    return build_report(situation.database, situation.admin, situation.study_key)


def made_once_in_the_run(make: Callable[[Database, Path], Report], folder: Path) -> tuple[Database, Report]:
    """Return the study that one of the functions below makes, in a database of the caller's own, and its report.

    Only the first of a run's tests to ask for a study has it answered and computed.
    """

    def fill(place: Path) -> None:
        migrated = made_once("migrated", migrated_sqlite_file) / MIGRATED
        engine = make_engine(copy_of_sqlite_file(migrated, place / "data" / DATABASE_FILE))
        report = make(Database(engine, place / "data"), place / "study")
        engine.dispose()
        (place / "report.pickle").write_bytes(pickle.dumps(report))

    made = made_once(f"planted-{make.__name__}", fill)
    engine = make_engine(copy_of_sqlite_file(made / "data" / DATABASE_FILE, folder / DATABASE_FILE))
    return Database(engine, folder), pickle.loads((made / "report.pickle").read_bytes())


def judged_answers(database: Database, folder: Path, verdicts: Mapping[str, Sequence[str]]) -> Report:
    """Return the report of MARCUS' multiple-choice verdicts.

    Parameters
    ----------
    verdicts
        By model, what the cardiologists say of each of its answers, a letter each: c, i or x for excluded.
    """
    first = next(iter(verdicts.values()))
    n, raters = len(first), len(first[0])
    options = "a=Sinus rhythm|b=Atrial fibrillation|c=Atrial flutter|d=None of the other options"
    tables = {
        "cases.csv": ("case,subject,modality,site", [(f"c{i}", f"s{i // 2}", "ecg", "UCSF") for i in range(n)]),
        "volumes.csv": (
            "volume,case,role,sequence,acquired,file,label",
            [(f"c{i}-i", f"c{i}", "current", "image", "", "image.png", "Image") for i in range(n)],
        ),
        "items.csv": (
            "item,case,category,format,prompt,options,sequences,none_of_the_others",
            [(f"q{i}", f"c{i}", "rhythm", "choice", f"Which rhythm is {i}?", options, "image", "no") for i in range(n)],
        ),
        "references.csv": (REFERENCES, [(f"q{i}", "a", "", "", "", "") for i in range(n)]),
        "candidates.csv": (
            "candidate,item,model,answer",
            [(f"q{i}-{model}", f"q{i}", model, f"{model} {i}") for i in range(n) for model in verdicts],
        ),
    }
    image = write_image(folder.parent / "ecg.png")
    size = n * len(verdicts)
    situation = opened(database, folder, "marcus_mcq_judge", tables, raters=raters, size=size, image=image)
    words = {"c": "correct", "i": "incorrect", "x": "excluded"}

    def verdict(about: str, rater: int) -> dict[str, str]:
        model, number = about.rsplit(" ", 1)
        said = words[verdicts[model][int(number)][rater]]
        return {"verdict": said} | ({"reason": "ambiguous_question"} if said == "excluded" else {})

    return reported(situation, verdict)


# Of each category of NeuroQA's scorer validation: how many rows both call correct, the first alone, the second alone,
# and neither; 291 rows in all.
SCORED = {
    "Anatomy": (30, 0, 0, 18),
    "Demographic": (36, 0, 0, 15),
    "Location": (25, 1, 1, 24),
    "Longitudinal": (1, 0, 0, 0),
    "Reasoning": (31, 1, 2, 13),
    "Severity": (26, 2, 3, 14),
    "Signal": (34, 0, 0, 14),
}
_ITEMS = {
    "Anatomy": 16, "Demographic": 17, "Location": 17, "Longitudinal": 1, "Reasoning": 17, "Severity": 16, "Signal": 16,
}  # fmt: skip
_OVERLAPS = ("left frontal lobe {n}", "frontal lobe {n}", "lobe {n}", "nothing {n}")
# The same as the reference but for case, article and points.
_SAME = "The Left frontal lobe{points}"


def scored_answers(database: Database, folder: Path) -> Report:
    """Return the report of NeuroQA's scorer validation, with the agreement of `SCORED`."""
    models = ("GPT-5.2", "MedGemma-4B", "GPT-5-nano")
    items, candidates = [], []
    verdicts: dict[str, tuple[str, str]] = {}
    for category, n_items in _ITEMS.items():
        cells = [("correct", "correct"), ("correct", "incorrect"), ("incorrect", "correct"), ("incorrect", "incorrect")]
        said = [cell for cell, times in zip(cells, SCORED[category], strict=True) for _ in range(times)]
        # Correct answers and others are spread over items and models.
        said = [said[(7 * place) % len(said)] for place in range(len(said))] if len(said) % 7 else said
        # What is left over is no response, of at most two models of an item: it is never drawn.
        silent = {(left % n_items, 2 - left // n_items) for left in range(3 * n_items - len(said))}
        for number in range(n_items):
            key = f"{category.lower()}-{number}"
            items.append((key, category, "open", f"{category} {number}?", "test-public"))
            for place, model in enumerate(models):
                cell = None if (number, place) in silent else said.pop(0)
                text = "" if cell is None else _OVERLAPS[len(candidates) % 3 + (cell[0] == "incorrect")]
                # Half of the correct answers are the same as the reference, and a few of the others.
                if cell is not None and len(candidates) % (2 if cell[0] == "correct" else 7) == 0:
                    text = _SAME
                # As many points as the number says, so that each text is another.
                text = text.format(n=len(candidates), points="." * len(candidates))
                candidates.append((f"{key}-{model}", key, model, text, "stack"))
                if cell is not None:
                    verdicts[text] = cell
    tables = {
        "items.csv": ("item,category,format,prompt,split", items),
        "references.csv": (REFERENCES, [(item[0], "left frontal lobe", "", "", "", "") for item in items]),
        "candidates.csv": ("candidate,item,model,answer,condition", candidates),
    }
    situation = opened(database, folder, "neuroqa_scorer_validation", tables, raters=2)
    return reported(situation, lambda about, rater: {"verdict": verdicts[about][rater]})


# What the two neurologists call the primary cause, and how often: 88 of 100 alike.
CODED = {
    ("reasoning", "reasoning"): 45, ("perception", "perception"): 23, ("hallucination", "hallucination"): 11,
    ("knowledge", "knowledge"): 7, ("grounding", "grounding"): 2, ("reasoning", "perception"): 2,
    ("perception", "reasoning"): 2, ("reasoning", "hallucination"): 1, ("hallucination", "reasoning"): 1,
    ("reasoning", "knowledge"): 1, ("perception", "knowledge"): 1, ("knowledge", "grounding"): 1,
    ("hallucination", "perception"): 1, ("reasoning", "grounding"): 1, ("perception", "hallucination"): 1,
}  # fmt: skip


def coded_errors(database: Database, folder: Path) -> Report:
    """Return the report of Neural-MedBench's error taxonomy, with the pairs of `CODED`."""
    numbers = range(100)
    write_volume(folder.parent / "scan.nii.gz", seed=1)
    tables = {
        "cases.csv": ("case,subject,vignette,age", [(f"c{n}", f"s{n // 2}", "A woman.", 60) for n in numbers]),
        "volumes.csv": (VOLUMES, [(f"c{n}-t1", f"c{n}", "current", "T1", "", "scan.nii.gz", "T1") for n in numbers]),
        "items.csv": (
            "item,case,category,format,prompt,sequences,level",
            [(f"q{n}", f"c{n}", "tumour", "open", f"Diagnosis of {n}?", "T1", 1 + n % 3) for n in numbers],
        ),
        "references.csv": (REFERENCES, [(f"q{n}", "glioma", "", "", "", "") for n in numbers]),
        "candidates.csv": (
            "candidate,item,model,answer,outcome",
            [(f"k{n}", f"q{n}", "GPT-4o" if n % 2 else "MedGemma", f"Answer {n}", "incorrect") for n in numbers],
        ),
    }
    scan = folder.parent / "scan.nii.gz"
    situation = opened(database, folder, "neural_medbench_error_taxonomy", tables, raters=2, scan=scan)
    pairs = [pair for pair, times in CODED.items() for _ in range(times)]
    return reported(situation, lambda about, rater: {"error": pairs[int(about.split()[-1])][rater]})


def rated_answers(database: Database, folder: Path) -> Report:
    """Return the report of MARCUS' ratings from 1 to 5: two models on the same 30 questions, of 20 subjects."""
    numbers = range(30)
    modalities = ("ecg", "echo", "cmr")
    tables = {
        "cases.csv": (
            "case,subject,modality,site", [(f"c{n}", f"s{n % 20}", modalities[n % 3], "UCSF") for n in numbers],
        ),
        "items.csv": (
            "item,case,category,format,prompt", [(f"q{n}", f"c{n}", "rhythm", "open", f"What is {n}?") for n in numbers]
        ),
        "references.csv": (REFERENCES, [(f"q{n}", f"Report {n}", "", "", "", "") for n in numbers]),
        "candidates.csv": (
            "candidate,item,model,answer",
            [(f"q{n}-{model}", f"q{n}", model, f"{model} {n}") for n in numbers for model in ("MARCUS", "GPT-5")],
        ),
    }  # fmt: skip
    situation = opened(database, folder, "marcus_vqa_likert", tables, raters=2, size=30)

    def rating(about: str, rater: int) -> dict[str, str]:
        model, number = about.rsplit(" ", 1)
        n = int(number)
        step = (2 + (n * 7) % 4 if model == "MARCUS" else 1 + (n * 5) % 4) + (rater if n % 5 == 0 else 0)
        # Nobody gives a 3.
        return {"likert": str(4 if step == 3 else min(step, 5))}

    return reported(situation, rating)


def read_subset(database: Database, folder: Path) -> Report:
    """Return the report of NeuroQA's two residents: 73 yes/no, 17 of four options and 10 open items.

    They are right on 36 and 40, 6 and 6, 3 and 2 of them; on 27 items both, on 34 neither, and give the same answer to
    56.
    """
    # Of each group of items: the format, who is right (first, second), how often, and of how many "yes" is right, or
    # on how many two wrong answers are the same.
    groups = (
        ("yes_no", (True, True), 22, 11), ("yes_no", (False, False), 19, 10), ("yes_no", (True, False), 14, 13),
        ("yes_no", (False, True), 18, 8), ("choice", (True, True), 4, 0), ("choice", (False, False), 9, 6),
        ("choice", (True, False), 2, 0), ("choice", (False, True), 2, 0), ("open", (True, True), 1, 0),
        ("open", (False, False), 6, 4), ("open", (True, False), 2, 0), ("open", (False, True), 1, 0),
    )  # fmt: skip
    items, references = [], []
    answers_to: dict[str, tuple[str, str]] = {}
    for form, right, times, special in groups:
        for number in range(times):
            n = len(items)
            prompt = f"Question {n}?"
            answers_to[prompt], accepted = _answered(form, right, n, number < special)
            options = "a=One|b=Two|c=Three|d=Four" if form == "choice" else ""
            items.append(
                (
                    f"q{n}", f"c{n}", ("Location", "Anatomy")[n % 2], form,
                    ("image_grounded", "image_informed")[n % 3 > 1], prompt, options, "T1", "test-public", f"t{n}",
                    "yes", "T1", "T1",
                )
            )  # fmt: skip
            # The baseline that saw the text alone says yes, a, or words.
            baseline = {"yes_no": "yes", "choice": "a", "open": "the frontal lobe"}[form]
            references.append((f"q{n}", accepted, "", "", baseline, ""))
    write_volume(folder.parent / "t1.nii.gz", seed=1)
    n = len(items)
    folder.mkdir()
    shutil.copy(folder.parent / "t1.nii.gz", folder)
    # Of a pool that is read as a whole nothing has to be drawn with limits.
    protocol = (STUDIES / "neuroqa_reads" / "protocol.yaml").read_text("utf-8")
    protocol = re.sub(r"        at_most: .*\n        not_in: .*\n", "", protocol)
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    columns = (
        "item,case,category,format,grounding,prompt,options,sequences,split,template,human_assessable,"
        "answerable_modalities,recommended_modality"
    )
    write_table(folder / "cases.csv", "case,subject,dataset", [(f"c{i}", f"s{i}", "ADNI") for i in range(n)])
    write_table(
        folder / "volumes.csv", VOLUMES,
        [(f"c{i}-t1", f"c{i}", "current", "T1", "", "t1.nii.gz", "T1") for i in range(n)],
    )  # fmt: skip
    write_table(folder / "items.csv", columns, items)
    write_table(folder / "references.csv", REFERENCES, references)
    give_own_scans(folder)
    situation = imported_listed(database, folder)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    return reported(situation, lambda about, rater: {"answer": answers_to[about][rater]})


def _answered(form: str, right: tuple[bool, bool], n: int, special: bool) -> tuple[tuple[str, str], str]:
    """Return what both answered, and what counts as right."""
    if form == "yes_no":
        accepted, other = ("yes", "no") if special else ("no", "yes")
        first, second = (accepted if is_right else other for is_right in right)
        return (first, second), accepted
    options = "abcd" if form == "choice" else ("frontal", "temporal", "parietal", "occipital")
    accepted = options[n % 4]
    wrong = [option for option in options if option != accepted]
    first = accepted if right[0] else wrong[0]
    second = accepted if right[1] else wrong[0] if special else wrong[1]
    return (first, second), accepted


CLASSES = ("tumor", "stroke", "ms", "normal", "other")
# The right subtype of each class that has any.
SUBTYPES = {"tumor": "glioma", "stroke": "ischemic", "other": "cyst"}
STRUCTURED = 30


def structured(n: int, who: int) -> dict[str, Any]:
    """Return what somebody, a rater or a model, fills in in NeuroVLM's report of slice n; abstentions as they are."""
    right = (n * (3 + who)) % 7 > 1 + who % 2
    diagnosis: Any = CLASSES[n % 5] if right else CLASSES[(n + 1 + who) % 5]
    modality = "CT" if n % 6 == who else "MRI"
    said: dict[str, Any] = {"modality": modality, "plane": ("axial", "sagittal", "coronal")[(n + (n % 9 == who)) % 3]}
    if modality == "MRI":
        said["sequence"] = ("T1", "T2", "FLAIR", "T1C+")[(n + (n % 5 == who)) % 4]
    if n % 8 == who:
        diagnosis = {"abstention": "undetermined"}
    said["diagnosis"] = diagnosis
    if isinstance(diagnosis, str) and diagnosis in SUBTYPES:
        wrong = {"tumor": "meningioma", "stroke": "hemorrhagic", "other": "abscess"}
        said["detailed_diagnosis"] = (wrong if n % 4 == who else SUBTYPES)[diagnosis]
    said["confidence"] = round(0.2 + 0.3 * right + 0.05 * (n * 7 % 9), 2)
    return said


# Beside what the paper reports.
AT_ONCE = "{estimate: joint_rate, of: [read.modality, read.plane, read.diagnosis], with: models}"


def structured_reads(database: Database, folder: Path) -> Report:
    """Return the report of NeuroVLM's structured reads: two readers and two models on the same thirty slices.

    Of the second model, the diagnosis of slice 3 is no option, nor is its confidence in slice 4; on slice 9 it wrote
    nothing.
    """
    numbers = range(STRUCTURED)
    write_volume(folder.parent / "scan.nii.gz", seed=1)
    fields = ("modality", "sequence", "plane", "diagnosis", "detailed_diagnosis", "confidence")
    candidates = []
    for place, model in enumerate(("GPT-5 Chat", "MedGemma 1.5 4B"), start=2):
        for n in numbers:
            said = {
                key: "undetermined" if isinstance(value, dict) else value for key, value in structured(n, place).items()
            }
            if place == 3:
                said |= {"diagnosis": "brain cancer"} if n == 3 else {"confidence": "high"} if n == 4 else {}
                said = {} if n == 9 else said
            candidates.append((f"q{n}-{place}", f"q{n}", model, *(said.get(field, "") for field in fields)))
    references = []
    for n in numbers:
        right = {
            "modality": "MRI",
            "sequence": ("T1", "T2", "FLAIR", "T1C+")[n % 4],
            "plane": ("axial", "sagittal", "coronal")[n % 3],
            "diagnosis": CLASSES[n % 5],
            "detailed_diagnosis": SUBTYPES.get(CLASSES[n % 5], ""),
        }
        references += [(f"q{n}", field, accepted, "", "", "") for field, accepted in right.items() if accepted]
    tables = {
        "cases.csv": ("case,subject,dataset", [(f"c{n}", f"s{n}", "Br35H" if n % 3 else "AISD") for n in numbers]),
        "volumes.csv": (VOLUMES, [(f"c{n}-t1", f"c{n}", "current", "T1", "", "scan.nii.gz", "T1") for n in numbers]),
        "items.csv": (
            "item,case,category,format,prompt,sequences,class",
            [(f"q{n}", f"c{n}", "slice", "open", f"Report slice {n}.", "T1", CLASSES[n % 5]) for n in numbers],
        ),
        "references.csv": ("item,field,accepted,low,high,provenance", references),
        "candidates.csv": (f"candidate,item,model,{','.join(fields)}", candidates),
    }
    scan = folder.parent / "scan.nii.gz"
    situation = opened(
        database,
        folder,
        "neurovlm_structured_reads",
        tables,
        raters=2,
        size=STRUCTURED,
        without="practice",
        scan=scan,
        replaced={"  tables: [dataset]\n": f"    - {AT_ONCE}\n  tables: [dataset]\n"},
    )
    return reported(situation, lambda about, rater: structured(int(about.split()[-1].rstrip(".")), rater))


MIRAGES = ("Model A", "Model B")
QUESTIONS = 24


def claims(model: str, condition: str, n: int, rater: int) -> str:
    """Return what a labeller says that a model's answer to question n claims; both labellers differ on question 7."""
    if model == "Model A":
        says = "positive" if n < 12 or (condition == "present" and n % 2) else "negative"
    else:
        says = "positive" if n % 4 == 0 else "uncertain" if n % 4 == 1 else "negative"
    return "negative" if n == 7 and rater == 1 else says


def reports_say(n: int, rater: int) -> str:
    """Return what a labeller says that the report to question n states; they differ on the last question."""
    return "positive" if n in (1, 2, 3) or (n == QUESTIONS - 1 and rater == 1) else "negative"


def mirage_labels(database: Database, folder: Path) -> Report:
    """Return the report of MARCUS' mirage labels: 20 questions that both labellers call negative, two models."""
    numbers = range(QUESTIONS)
    tables = {
        "cases.csv": ("case,subject,modality", [(f"c{n}", f"s{n}", ("ecg", "echo")[n % 2]) for n in numbers]),
        "items.csv": (
            "item,case,category,format,prompt",
            [(f"q{n}", f"c{n}", "x", "open", f"Is it {n}?") for n in numbers],
        ),
        "references.csv": (REFERENCES, [(f"q{n}", f"Report {n}", "", "", "", "") for n in numbers]),
        "candidates.csv": (
            "candidate,item,model,answer,condition",
            [
                (f"q{n}-{model[-1]}-{condition}", f"q{n}", model, f"{model} {condition} {n}", condition)
                for n in numbers
                for model in MIRAGES
                for condition in ("present", "absent")
            ],
        ),
    }
    groups = ("answers", "answers", "reports", "reports")
    situation = opened(database, folder, "marcus_mirage_labels", tables, size=QUESTIONS, groups=groups)

    def label(about: str, rater: int) -> dict[str, str]:
        if not about.startswith("Model"):
            return {"finding": reports_say(int(about.split()[-1]), rater)}
        model, condition, n = about.rsplit(" ", 2)
        return {"finding": claims(model, condition, int(n), rater)}

    return reported(situation, label, references=True)
