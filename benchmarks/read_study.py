"""A study that has been read, of any size, in a temporary database: what a report is measured on."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import yaml
from sqlalchemy import insert
from sqlmodel import Session, col, select

from db import Assignment, Candidate, Database, Item, Membership, Reference, Verdict
from db.engine import DATABASE_FILE, make_engine
from db.migrate import upgrade
from services.people import identity
from services.people.permission import study_of
from services.report.rows.loading import load_rows
from services.report.rows.study_rows import StudyRows
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members

STUDY = "read"
SIDES = ("left", "right", "both", "none")
PLACES = ("frontal lobe", "temporal lobe", "parietal lobe", "occipital lobe", "cerebellum")
ANSWERS = {"yes_no": ("yes", "no"), "choice": SIDES, "open": PLACES}
MOST_CASES = 500
# What is filled in in the phases of a study that lists them, by whether the rater is right: field by field.
Fill = Callable[[str, bool, random.Random], str | int]
FILLED_IN: dict[str, dict[str, Fill]] = {
    "read": {
        "answer": lambda answer, _, __: answer,
        "confidence": lambda _, is_right, dice: min(5, dice.randint(1, 5) + is_right),
    },
    "score": {"verdict": lambda answer, _, __: "correct" if answer == "yes" else "incorrect"},
    "rate": {"quality": lambda answer, _, dice: str(dice.randint(3, 5) if answer == "yes" else dice.randint(1, 3))},
}
AT_ONCE = 5_000


def read_study(folder: Path, *, raters: int, items: int, scored: int = 0, listed: str = "") -> Database:
    """Make a database with a study that raters have read, and `scored` answers of models that each of them has scored.

    Two items of five are yes/no, two have four options and one is open; four share a subject, or more from 2,000 items
    on. A rater is right on 7 to 9 of ten items, and says of one in 50 that it cannot be assessed.

    Parameters
    ----------
    listed
        A protocol that lists its phases, in place of the one that reads everything and scores so many answers; what is
        filled in, in whichever phase, are the fields of `FILLED_IN`.
    """
    folder.mkdir(parents=True)
    database = Database(make_engine(f"sqlite:///{folder / DATABASE_FILE}"), folder)
    upgrade(database.engine)
    identity.ensure_owner(database, "admin", "Ada Admin")
    admin = identity.actor_for_command_line(database)
    importing.import_study(database, admin, _write(folder / "study", items, scored, listed), key=STUDY)
    for number in range(1, raters + 1):
        members.invite(database, admin, STUDY, f"rater-{number}", f"Rater {number}", "rater")
    freezing.freeze_study(database, admin, STUDY)
    with database.writing() as session:
        _read(session, listed=bool(listed))
    return database


def rows_of(database: Database) -> StudyRows:
    """Read what the report of the study is computed from."""
    with database.read_only() as session:
        return load_rows(session, study_of(session, STUDY))


def _read(session: Session, *, listed: bool) -> None:
    dice = random.Random(1)
    right = {
        item.id: (item.format, reference.accepted[0])
        for item, reference in session.exec(select(Item, Reference).join(Reference, col(Reference.item_id) == Item.id))
    }
    skill = {member: dice.uniform(0.7, 0.9) for member in session.exec(select(Membership.id))}
    models = {candidate.id: candidate.model for candidate in session.exec(select(Candidate))}
    assignments = session.exec(select(Assignment).order_by(col(Assignment.id))).all()
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    rows: list[dict[str, Any]] = []
    for number, assignment in enumerate(assignments):
        kind, truth = right[assignment.item_id]
        is_right = dice.random() < skill[assignment.membership_id]
        answer = truth if is_right else dice.choice(ANSWERS[kind])
        if assignment.candidate_id is not None:
            answer = "yes" if is_right != models[assignment.candidate_id].endswith("0") else "no"
        apart = assignment.candidate_id is None and dice.random() < 0.02
        fields: dict[str, Any] = {"answer": answer}
        if listed:
            fields = {key: fill(answer, is_right, dice) for key, fill in FILLED_IN[assignment.phase].items()}
        rows.append(
            {
                "assignment_id": assignment.id, "fields": {} if apart else fields,
                "not_assessable": "quality" if apart else None, "comment": "", "shown_at": moment,
                "submitted_at": moment, "active_ms": dice.randint(5_000, 90_000), "idle_ms": 0, "load_ms": 100,
                "renderer": "webgl2", "viewport": "1440x900", "software_version": "benchmark",
                "freeze_sha256": "0" * 64, "receipt": f"{number:09}", "idempotency_key": f"{number:064}",
                "content_sha256": "0" * 64,
            }
        )  # fmt: skip
    for start in range(0, len(rows), AT_ONCE):
        session.execute(insert(Verdict), rows[start : start + AT_ONCE])


def _write(folder: Path, items: int, scored: int, listed: str) -> Path:
    dice = random.Random(2)
    (folder / "volumes").mkdir(parents=True)
    (folder / "protocol.yaml").write_text(listed or yaml.safe_dump(_protocol(scored)), encoding="utf-8")
    cases = [f"c{number:03}" for number in range(min(MOST_CASES, -(-items // 4)))]
    for number, case in enumerate(cases):
        voxels = np.random.default_rng(number).integers(1, 1_000, size=(6, 7, 5)).astype(np.int16)
        nibabel.save(nibabel.Nifti1Image(voxels, np.eye(4)), folder / "volumes" / f"{case}.nii.gz")
    kinds = ("yes_no", "choice", "yes_no", "choice", "open")
    asked = [(f"i{number:05}", cases[number % len(cases)], kinds[number % len(kinds)]) for number in range(items)]
    _table(folder, "cases", "case,subject,vignette,age,note", ((case, f"s-{case}", "", "", "") for case in cases))
    _table(
        folder, "volumes", "volume,case,role,sequence,acquired,file,label",
        ((f"v-{case}", case, "current", "T1", "", f"volumes/{case}.nii.gz", "T1") for case in cases),
    )  # fmt: skip
    options = "|".join(f"{side}={side.title()}" for side in SIDES)
    _table(
        folder, "items", "item,case,category,format,grounding,form,prompt,options,sequences,uses_prior",
        (
            (
                key, case, f"category {number % 8}", kind, "image_grounded" if number % 3 else "image_informed", kind,
                f"Question {number}?", options if kind == "choice" else "", "T1", "false",
            )
            for number, (key, case, kind) in enumerate(asked)
        ),
    )  # fmt: skip
    _table(
        folder, "references", "item,accepted,low,high,text_only_answer,provenance",
        ((key, dice.choice(ANSWERS[kind]), "", "", dice.choice(ANSWERS[kind]), "made up") for key, _, kind in asked),
    )  # fmt: skip
    if listed and not scored:
        return folder
    answers = [asked[number % items] for number in range(max(2, scored))]
    _table(
        folder, "candidates", "candidate,item,model,answer",
        (
            (f"k{number:05}", key, f"model-{number // items % 4}", dice.choice(ANSWERS[kind]))
            for number, (key, _, kind) in enumerate(answers)
        ),
    )  # fmt: skip
    return folder


def _protocol(scored: int) -> dict[str, object]:
    forms = {kind: _form(kind) for kind in ("yes_no", "choice")} | {"open": _form("text")}
    scoring = {"instructions": "Score.", "prompt": "Same as the reference?", "sample": scored, "form": _form("yes_no")}
    return {
        "name": "read",
        "title": "A study that has been read",
        "instructions": "Read every item.",
        "seed": 1,
        "forms": forms,
        "reading": {"not_assessable": [{"id": "quality", "text": "Image quality"}]},
    } | ({"scoring": scoring} if scored else {})


def _form(kind: str) -> dict[str, object]:
    return {"fields": [{"key": "answer", "type": kind, "label": "Answer"}]}


def _table(folder: Path, name: str, header: str, rows: Iterable[Sequence[object]]) -> None:
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header.split(","))
        table.writerows(rows)
