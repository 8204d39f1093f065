"""Made-up tables and scans beside protocols of `studies/` whose phases show a text beside the scans."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from db import Database
from services.studies.freeze import freezing
from tests.listed_study import imported_listed
from tests.own_scans import give_own_scans
from tests.situations import Situation, write_table, write_volume

STUDIES = Path(__file__).resolve().parents[1] / "studies"
# Of intervals that no test of these studies looks at.
FEW_RESAMPLES = 200
Table = tuple[str, Iterable[Sequence[object]]]

_REFERENCES = "item,accepted,low,high,text_only_answer,provenance"
_VOLUMES = "volume,case,role,sequence,acquired,file,label"
_HISTORY = (
    ("Symptoms", "Headache for three weeks, worse in the morning; vomited twice."),
    ("Past illness", "Breast carcinoma, treated in 2019."),
    ("Medication", "Tamoxifen 20 mg"),
    ("Laboratory", "C-reactive protein 4 mg/l, leukocytes 6.2 /nl"),
)
_VIGNETTE = (
    "A woman is admitted after a first generalised seizure. On examination she is awake and oriented, with a mild "
    "weakness of the left arm and a visual field defect to the left."
)
_RATIONALE = (
    "Diagnosis {n}: glioblastoma of the right temporal lobe. The T1-weighted images show a large necrotic mass with a "
    "thick irregular rim that crosses the corpus callosum, surrounded by extensive vasogenic oedema. Its infiltrative "
    "growth, the age of the patient and the short history all favour a high-grade glioma over a metastasis. An "
    "abscess is unlikely, since there is neither fever nor a raised C-reactive protein. A biopsy is recommended."
)


def opened(
    database: Database,
    folder: Path,
    name: str,
    tables: dict[str, Table],
    raters: int = 1,
    size: int | None = None,
    without: str = "",
    groups: Sequence[str] = (),
    replaced: Mapping[str, str] | None = None,
    resamples: int | None = None,
    **files: Path,
) -> Situation:
    """Import a protocol of `studies/` as it is, with made-up tables, and freeze it.

    Parameters
    ----------
    size
        So many are drawn instead of the hundreds of the protocol, which take a test too long.
    without
        A phase that is left out, as the README says that it may be.
    groups
        The group of each rater, in a study that has several; then so many are invited.
    replaced
        Texts of the protocol, and what stands there instead.
    resamples
        So many are drawn for the intervals of the report instead of what the protocol says.
    files
        What lies beside the tables, by the name there without its ending. Of a scan that several cases name, each has
        one of its own.
    """
    folder.mkdir()
    protocol = (STUDIES / name / "protocol.yaml").read_text("utf-8")
    for text, other in (replaced or {}).items():
        assert text in protocol
        protocol = protocol.replace(text, other)
    if size is not None:
        protocol, drawn = re.subn(r"size: \d+", f"size: {size}", protocol)
        assert drawn == 1
    if without:
        protocol, left_out = re.subn(rf"  - key: {without}\n(?:    .*\n)+", "", protocol)
        assert left_out == 1
    if resamples is not None:
        protocol = resampled(protocol, resamples)
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    for key, file in files.items():
        shutil.copy(file, folder / f"{key}{''.join(file.suffixes)}")
    for file_name, (columns, rows) in tables.items():
        write_table(folder / file_name, columns, rows)
    if "volumes.csv" in tables:
        give_own_scans(folder)
    situation = imported_listed(database, folder, raters, groups=groups)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    return situation


def resampled(protocol: str, resamples: int) -> str:
    """Return a protocol whose plan draws so many resamples."""
    others = re.sub(r"\n  resamples: \d+", "", protocol)
    protocol, begun = re.subn(r"\nanalysis:\n", f"\nanalysis:\n  resamples: {resamples}\n", others)
    assert begun == 1
    return protocol


def write_image(path: Path) -> Path:
    """Write a grey image like a recording: a line that goes up and down."""
    across = np.arange(320)
    paper = np.full((160, 320), 235, dtype=np.uint8)
    paper[(80 - 60 * np.exp(-(((across % 64) - 32) ** 2) / 20)).astype(int), across] = 20
    Image.fromarray(paper).save(path)
    return path


def flag_review(database: Database, folder: Path, flagged: int, others: int) -> Situation:
    """Open the review of MARCUS' flags over so many flagged questions and others, for one cardiologist."""
    numbers = range(flagged + others)
    modalities = ("ecg", "echo", "cmr")
    reasons = ("text_only", "image_quality")
    tables: dict[str, Table] = {
        "cases.csv": ("case,subject,modality", [(f"c{n}", f"s{n}", modalities[n % 3]) for n in numbers]),
        "volumes.csv": (_VOLUMES, [(f"c{n}-i", f"c{n}", "current", "image", "", "image.png", "ECG") for n in numbers]),
        "items.csv": (
            "item,case,category,format,prompt,options,sequences,flagged,flag_reason",
            [
                (
                    f"q{n}", f"c{n}", "rhythm", "choice", f"Which rhythm does recording {n} show?",
                    "a=Sinus rhythm|b=Atrial fibrillation|c=Atrial flutter|d=None of the other options", "image",
                    "yes" if n < flagged else "no", reasons[n % 2] if n < flagged else "",
                )
                for n in numbers
            ],
        ),
        "references.csv": (_REFERENCES, [(f"q{n}", "abcd"[n % 4], "", "", "", "") for n in numbers]),
    }  # fmt: skip
    image = write_image(folder.parent / "ecg.png")
    return opened(database, folder, "marcus_flag_review", tables, image=image, resamples=FEW_RESAMPLES)


def mcq_judge(database: Database, folder: Path, items: int, size: int | None = None) -> Situation:
    """Open the judging of multiple-choice answers, of three models and two modalities, for two cardiologists."""
    modalities = ("ecg", "echo")
    options = "a=Sinus rhythm|b=Atrial fibrillation|c=Atrial flutter|d=None of the other options"
    cases = [(f"c{n}", f"s{n}", modalities[n % 2], ("Stanford", "UCSF")[n % 3 == 0]) for n in range(items)]
    tables: dict[str, Table] = {
        "cases.csv": ("case,subject,modality,site", cases),
        "volumes.csv": (
            _VOLUMES,
            [(f"{case[0]}-i", case[0], "current", "image", "", "image.png", "Image") for case in cases],
        ),
        "items.csv": (
            "item,case,category,format,prompt,options,sequences,none_of_the_others",
            [
                (f"q{n}", f"c{n}", "rhythm", "choice", f"Which rhythm is it in {n}?", options, "image", "no")
                for n in range(items)
            ],
        ),
        "references.csv": (_REFERENCES, [(f"q{n}", "a", "", "", "", "") for n in range(items)]),
        "candidates.csv": (
            "candidate,item,model,answer",
            [
                (f"q{n}-{model}", f"q{n}", model, f"The answer is ({'ab'[n % 2]}).")
                for n in range(items)
                for model in ("MARCUS", "GPT-5", "Gemini 2.5 Pro")
            ],
        ),
    }
    image = write_image(folder.parent / "ecg.png")
    return opened(
        database, folder, "marcus_mcq_judge", tables, raters=2, size=size, image=image, resamples=FEW_RESAMPLES
    )


def _consultations(folder: Path, items: int) -> tuple[dict[str, Table], dict[str, Path]]:
    """Return the tables of neurological cases without candidates, and the scan that all of them have."""
    numbers = range(items)
    tables: dict[str, Table] = {
        "cases.csv": ("case,subject,vignette,age", [(f"c{n}", f"s{n}", _VIGNETTE, 40 + n % 40) for n in numbers]),
        "case_history.csv": ("case,name,value", [(f"c{n}", *line) for n in numbers for line in _HISTORY]),
        "volumes.csv": (
            _VOLUMES,
            [
                (f"c{n}-{sequence}", f"c{n}", "current", sequence, "", "scan.nii.gz", sequence)
                for n in numbers
                for sequence in ("T1", "FLAIR")
            ],
        ),
        "references.csv": (
            _REFERENCES,
            [(f"q{n}", f"Metastasis of a breast carcinoma, right occipital ({n})", "", "", "", "") for n in numbers],
        ),
    }
    scan = folder.parent / "scan.nii.gz"
    write_volume(scan, seed=4, shape=(24, 28, 20))
    return tables, {"scan": scan}


def error_taxonomy(database: Database, folder: Path, items: int) -> Situation:
    """Open the coding of errors over answers of two models, of which every third is right, for two neurologists."""
    tables, files = _consultations(folder, items)
    tables |= {
        "items.csv": (
            "item,case,category,format,prompt,sequences,level",
            [
                (f"q{n}", f"c{n}", "tumour", "open", f"What is the most likely diagnosis of case {n}?", "T1|FLAIR", 2)
                for n in range(items)
            ],
        ),
        "candidates.csv": (
            "candidate,item,model,answer,outcome",
            [
                (f"q{n}-{m}", f"q{n}", m, _RATIONALE.format(n=n), "correct" if n % 3 == 0 else "incorrect")
                for n in range(items)
                for m in ("GPT-4o", "MedGemma-27B")
            ],
        ),
    }
    return opened(
        database, folder, "neural_medbench_error_taxonomy", tables, raters=2, resamples=FEW_RESAMPLES, **files
    )


def grader(database: Database, folder: Path, items: int, size: int | None = None) -> Situation:
    """Open the grading of rationales, of two models on three levels, for three neurologists."""
    tables, files = _consultations(folder, items)
    tables |= {
        "items.csv": (
            "item,case,category,format,prompt,sequences,level,family",
            [
                (
                    f"q{n}", f"c{n}", "tumour", "open", f"What is the most likely diagnosis of case {n}, and why?",
                    "T1|FLAIR", 1 + n % 3, "differential",
                )
                for n in range(items)
            ],
        ),
        "candidates.csv": (
            "candidate,item,model,answer,provider",
            [
                (f"q{n}-{m}", f"q{n}", m, _RATIONALE.format(n=n), provider)
                for n in range(items)
                for m, provider in (("GPT-4o", "OpenAI"), ("MedGemma-27B", "Google"))
            ],
        ),
    }  # fmt: skip
    return opened(
        database, folder, "neural_medbench_grader", tables, raters=3, size=size, resamples=FEW_RESAMPLES, **files
    )


def structured_reads(database: Database, folder: Path, slices: int, size: int, practised: int = 0) -> Situation:
    """Open the structured reads of single slices for one reader; with so many more to practise with before them.

    Those show multiple sclerosis, the ones with an odd number nothing.
    """
    classes = ("tumor", "stroke", "ms", "normal", "other")
    training = [(f"p{n}", ("ms", "normal")[n % 2]) for n in range(practised)]
    tables: dict[str, Table] = {
        "cases.csv": (
            "case,subject,dataset",
            [
                *((f"c{n}", f"s{n}", "BraTS") for n in range(slices)),
                *((f"c-{key}", key, "BraTS") for key, _ in training),
            ],
        ),
        "volumes.csv": (
            _VOLUMES,
            [
                (f"{case}-i", case, "current", "image", "", "image.png", "Slice")
                for case in (*(f"c{n}" for n in range(slices)), *(f"c-{key}" for key, _ in training))
            ],
        ),
        "items.csv": (
            "item,case,category,format,prompt,sequences,class,practice,explanation",
            [
                *(
                    (
                        f"q{n}",
                        f"c{n}",
                        "slice",
                        "open",
                        f"Report slice {n}.",
                        "image",
                        classes[n % len(classes)],
                        "",
                        "",
                    )
                    for n in range(slices)
                ),
                *(
                    (key, f"c-{key}", "slice", "open", f"Practise {right}.", "image", right, "yes", f"It is {right}.")
                    for key, right in training
                ),
            ],
        ),
    }
    # Every slice has its diagnosis, every second one says that it is MRI; of the plane nothing is known.
    tables["references.csv"] = (
        "item,field,accepted",
        [
            *((key, "diagnosis", right) for key, right in training),
            *((f"q{n}", "diagnosis", classes[n % len(classes)]) for n in range(slices)),
            *((f"q{n}", "modality", "MRI") for n in range(0, slices, 2)),
        ],
    )
    image = write_image(folder.parent / "slice.png")
    without = "" if training else "practice"
    study = "neurovlm_structured_reads"
    # Of the others there is no reference, which the import refuses to take a line about.
    lines = {"of: [read.modality, read.sequence, read.plane, read.detailed_diagnosis]": "of: read.modality"}
    return opened(
        database,
        folder,
        study,
        tables,
        size=size,
        without=without,
        image=image,
        replaced=lines,
        resamples=FEW_RESAMPLES,
    )


def template_review(database: Database, folder: Path, templates: int) -> Situation:
    """Open the review of question templates by three experts, with a curator, over so many templates."""
    numbers = range(templates)
    categories = ("Anatomy", "Location", "Signal")
    tables: dict[str, Table] = {
        "cases.csv": ("case,subject,dataset", [(f"c{n}", f"s{n}", "ADNI") for n in numbers]),
        "items.csv": (
            "item,case,category,format,prompt,options,template",
            [
                (
                    f"q{n}",
                    f"c{n}",
                    categories[n % 3],
                    "choice",
                    f"On which side is lesion {n}?",
                    "l=Left|r=Right",
                    f"t{n}",
                )
                for n in numbers
            ],
        ),
        "references.csv": (_REFERENCES, [(f"q{n}", "lr"[n % 2], "", "", "", "") for n in numbers]),
    }
    groups = ("experts", "experts", "experts", "curators")
    return opened(database, folder, "neuroqa_template_review", tables, groups=groups, resamples=FEW_RESAMPLES)


def image_review(database: Database, folder: Path) -> Situation:
    """Open the review of questions with their scans by two clinicians, with a curator, over two pools of each size."""
    sizes = {"Location": 15, "Anatomy": 10, "Presence": 8, "Measurement": 6, "Longitudinal": 6, "Signal": 5,
             "Diagnosis": 5, "Modality": 2}  # fmt: skip
    categories = [category for category, size in sizes.items() for _ in range(2 * size)]
    scan = folder.parent / "scan.nii.gz"
    write_volume(scan, seed=1)
    tables: dict[str, Table] = {
        "cases.csv": ("case,subject,dataset", [(f"c{n}", f"s{n}", "ADNI") for n in range(len(categories))]),
        "volumes.csv": (
            _VOLUMES,
            [(f"c{n}-t1", f"c{n}", "current", "T1", "", "scan.nii.gz", "T1") for n in range(len(categories))],
        ),
        "items.csv": (
            "item,case,category,format,prompt,options,sequences,template,reviewable",
            [
                (
                    f"q{n}",
                    f"c{n}",
                    category,
                    "choice",
                    f"{category} question {n}?",
                    "l=Left|r=Right",
                    "T1",
                    f"t{n}",
                    "yes",
                )
                for n, category in enumerate(categories)
            ],
        ),
        "references.csv": (_REFERENCES, [(f"q{n}", "l", "", "", "", "") for n in range(len(categories))]),
    }
    groups = ("clinicians", "clinicians", "curators")
    return opened(database, folder, "neuroqa_image_review", tables, groups=groups, scan=scan, resamples=FEW_RESAMPLES)


def text_of(payloads: Iterable[dict[str, Any]]) -> str:
    """Return what a browser is sent, without random public ids: some day one of them spells any short word."""
    return re.sub(r"'[\w-]{22}'", "'a public id'", repr(list(payloads)))
