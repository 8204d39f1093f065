"""A study whose author has written hidden values of each kind where raters get them, and a file that names one."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nibabel
from sqlalchemy import text
from sqlmodel import col, select

from db import Database, Volume
from services.judging import import_labels, import_runs
from services.record.blinding_audit.auditing import audit_blinding
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.listed_study import work_through, write_listed
from tests.room_study import change_item, reading_rules, rewrite, room_study, rows_of, with_practice
from tests.situations import Situation, any_answers, owner_of, signed_in

PROTOCOL = """
blindread: 2
name: listed
title: A study of reads and scores
seed: 20261123
instructions: Read every item. Compare it with strict-judge-9 and dr-hyde-4. Draw 20261123.
groups: {residents: Residents of ward 7, scorers: Scorers}
attributes: {cases: {site: text}, candidates: {condition: text}}
phases:
  - key: arm_b7
    title: Reads of arm_b7 (Paediatric Neuroradiology)
    rates: items
    from: {sample: {size: all, strata: category}}
    shows: [scans, prior, prompt, options, vignette]
    form: {answer: as_item}
    by: residents
  - key: part_c9
    title: A part of it again
    question: Is there anything else?
    rates: items
    from: {sample: {size: 4}}
    shows: [prompt]
    form: {answer: text}
    by: residents
  - key: score
    title: Scores
    instructions: The reads were made by the Residents of ward 7.
    question: Does it say the same as the reference?
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    by: scorers
"""
# What the raters' free answer and their comment are, which the author had from somewhere.
SAID, REMARKED = "a cyst beside the temporal lobe", "please repeat with contrast agent"
WHY = "not the same as the reference lesion"
SEEN_ELSEWHERE = "The outer capsule is spared there"


def _change_row(folder: Path, table: str, key: str, **cells: str) -> None:
    rows = rows_of(folder / f"{table}s.csv")
    next(row for row in rows if row[table] == key).update(cells)
    rewrite(folder / f"{table}s.csv", rows)


def plant(folder: Path) -> None:
    """Write hidden values into texts that raters get."""
    for case in ("c1", "c2", "c3"):
        _change_row(folder, "case", case, site=f"hospital-1{case[1]}", age="57")
    _change_row(folder, "case", "c1", vignette="Weak since the morning walk. Also seen by rater-2.")
    _change_row(
        folder, "case", "c2",
        vignette=f"Scanned on 2 November 2023, with mass effect, hidden note. {REMARKED}.",
    )  # fmt: skip
    _change_row(folder, "case", "c3", vignette="Known arachnoid cyst.")
    rewrite(folder / "case_history.csv", [{"case": "c1", "name": "Surgery", "value": "of the left knee in spring"}])
    _change_row(folder, "volume", "c2-t1", label="subject-2")
    _change_row(folder, "volume", "c1-t1", label="c1-t1.nii.gz")
    _change_row(folder, "volume", "c3-t1", label=SAID)
    for key in ("i3", "i4"):
        change_item(folder, key, category="mass effect")
    change_item(folder, "i1", prompt="Prompt (hospital-11, image_grounded) of the left knee in spring?")
    change_item(folder, "i2", prompt="Weak since the morning walk. On which side?")
    # Of six items four are drawn, so that at least one of these is.
    for key in ("i3", "i4", "i6"):
        change_item(folder, key, prompt="By construction, of 57-year-old people with p = 0.666667: is there a lesion?")
    change_item(folder, "i5", prompt="Is it a cyst of the arachnoid membrane, or a tumour of the pineal gland?")
    references = rows_of(folder / "references.csv")
    next(row for row in references if row["item"] == "i5")["text_only_answer"] = "a tumour of the pineal gland"
    rewrite(folder / "references.csv", references)
    for key, answer in {
        "k1": "As model-a I say yes.",
        "k3": "On the left (no-image).",
        "k4": f"On the right: {WHY}. {SEEN_ELSEWHERE}.",
        "k5": "A cyst of the arachnoid membrane.",
        "k6": "Incorrect, I cannot tell.",
    }.items():
        condition = "no-image" if key == "k3" else "with-image"
        _change_row(folder, "candidate", key, answer=answer, condition=condition)


ANY = "any"
# Of what is planted: the kind, where it is, and of which item; of pages of no item.
PLANTED: Mapping[str, tuple[str, str]] = {
    "reference": ("context.vignette", "i5"),
    "text_only_answer": ("prompt", "i5"),
    "provenance": ("prompt", "i6"),
    "candidate": ("prompt", "i5"),
    "model": ("candidate", "i1"),
    "condition": ("candidate", "i2"),
    "attribute": ("prompt", "i1"),
    "judge": ("instructions", ""),
    "judge_verdict": ("candidate", "i5"),
    "judge_explanation": ("candidate", "i2"),
    "labeller": ("instructions", ""),
    "label": ("candidate", "i5"),
    "remark_on_label": ("candidate", "i2"),
    "answer_of_others": ("images.panes.volumes.label", "i5"),
    "remark_of_others": ("context.vignette", "i3"),
    "person": ("context.vignette", "i1"),
    "specialty": ("heading", "i1"),
    "group": ("instructions", ""),
    "subject": ("images.panes.volumes.label", "i3"),
    "key": ("images.panes.volumes.label", "i1"),
    "file": ("images.panes.volumes.label", "i1"),
    "note": ("context.vignette", "i3"),
    "category": ("context.vignette", "i3"),
    "grounding": ("prompt", "i1"),
    "vignette": ("question", "i2"),
    "history": ("prompt", "i1"),
    "age": ("prompt", "i6"),
    "date": ("context.vignette", "i3"),
    "stratum": ("context.vignette", "i3"),
    "probability": (ANY, ANY),
    "phase": ("heading", "i1"),
    "secret": ("instructions", ""),
}


@dataclass(frozen=True)
class Audit:
    """An audit's result, as it was written."""

    result: Mapping[str, Any]

    def leaks(self, kind: str) -> set[tuple[str, str]]:
        """Return where values of a kind leak, and of which item; each also of any."""
        leaks = [leak for leak in self.result["leaks"] if leak["kind"] == kind]
        return {(where, item) for leak in leaks for where in (leak["where"], ANY) for item in (leak["item"], ANY)}

    @property
    def kinds(self) -> set[str]:
        """The kinds that leak."""
        return {leak["kind"] for leak in self.result["leaks"]}

    def count_of(self, rule: str, kind: str, where: str) -> int:
        """Return how often a value of a kind was let stand somewhere by a rule."""
        return sum(
            row["count"]
            for row in self.result["legitimate"]
            if (row["rule"], row["kind"], row["where"]) == (rule, kind, where)
        )


def audited(situation: Situation, out: Path, **options: Any) -> Audit:
    """Audit a study, and return what was written."""
    audit_blinding(situation.database, situation.admin, situation.study_key, out, **options)
    return Audit(json.loads(out.read_text("utf-8")))


def planted_study(database: Database, folder: Path) -> Situation:
    """Freeze the study in which everything is planted, have it read, and import a judge."""
    admin = owner_of(database)
    importing.import_study(database, admin, write_listed(folder, PROTOCOL, [plant]), key="listed")
    for number, group in enumerate(("residents", "residents", "scorers"), start=1):
        specialty = "Paediatric Neuroradiology" if number == 2 else ""
        members.invite(
            database, admin, "listed", f"rater-{number}", f"Rater No. {number}", "rater", group=group,
            specialty=specialty,
        )  # fmt: skip
    freezing.freeze_study(database, admin, "listed")
    raters = tuple(signed_in(database, f"rater-{number}") for number in (1, 2, 3))
    situation = Situation(database, "listed", admin, raters, admin)
    work_through(Situation(database, "listed", admin, raters[:1], admin), _remarked)
    verdicts = "".join(
        f"{item},{key},{'incorrect' if key == 'k6' else 'correct'},{WHY if key == 'k4' else ''}\n"
        for key, item in zip(("k1", "k2", "k3", "k4", "k5", "k6"), ("i1", "i1", "i2", "i2", "i5", "i5"), strict=True)
    )
    import_runs.import_judge_verdicts(
        database, admin, "listed", name="first run", judge="strict-judge-9", file_name="judge.csv",
        content=f"item,candidate,verdict,explanation\n{verdicts}".encode(),
    )  # fmt: skip
    import_labels.import_labels(
        database, admin, "listed", name="labels", file_name="labels.csv",
        content=(
            "item,candidate,labeller,verdict,explanation\n"
            f"i5,k6,dr-hyde-4,incorrect,\ni2,k4,dr-hyde-4,correct,{SEEN_ELSEWHERE}\n"
        ).encode(),
    )  # fmt: skip
    return situation


def _remarked(payload: dict[str, Any]) -> dict[str, Any]:
    return {**any_answers(payload, SAID), "comment": REMARKED}


def explained_practice(database: Database, folder: Path) -> Situation:
    """Freeze a study with practice, one of whose prompts gives its explanation."""

    def explain(study: Path) -> None:
        change_item(
            study, "p1", prompt="Practise: the bright rim is an artefact?", explanation="The bright rim is an artefact"
        )

    return room_study(
        database, folder, with_practice, explain, protocol=reading_rules(practice={"pass_mark": 0.5, "feedback": True})
    )


def name_in_a_stored_file(database: Database, name: str) -> None:
    """Let the file of one volume say something in its header, as no prepared file does, with hashes that fit."""
    with database.read_only() as session:
        volume = session.exec(select(Volume).order_by(col(Volume.id))).first()
    assert volume is not None
    path = next(database.volume_dir.rglob(f"{volume.sha256}*"))
    image = nibabel.Nifti1Image.from_bytes(gzip.decompress(path.read_bytes()))
    image.header["descrip"] = name
    packed = gzip.compress(image.to_bytes(), mtime=0)
    sha256 = hashlib.sha256(packed).hexdigest()
    target = path.parent.parent / sha256[:2] / f"{sha256}.nii.gz"
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(packed)
    with database.engine.connect() as connection:
        for trigger in (
            connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).scalars().all()
        ):
            connection.execute(text(f'DROP TRIGGER "{trigger}"'))
        connection.execute(text("UPDATE volume SET sha256 = :new WHERE id = :id").bindparams(new=sha256, id=volume.id))
        connection.commit()
