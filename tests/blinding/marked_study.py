"""A tiny frozen study in which every hidden free-text field holds a mark that occurs nowhere else."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import yaml
from sqlmodel import select

from db import Candidate, Database, Freeze, Item, Person, Study, Volume
from services.judging import import_labels, import_runs
from services.people import identity
from services.people.identity import Actor
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.situations import PROTOCOL, Situation, any_answers, on_the_desk, show, signed_in, submit, write_table

STUDY = "marked"


def mark(word: str) -> str:
    """Return a text for a hidden place, which nobody would write, and which survives being lower-cased."""
    return f"zqhidden{word}qz"


def shown(word: str) -> str:
    """Return a mark for what a rater is meant to see: proof that the search would have found a hidden one."""
    return f"zqshown{word}qz"


MARKED_PROTOCOL: dict[str, Any] = {
    **PROTOCOL,
    "name": STUDY,
    "title": f"Study {shown('title')}",
    "instructions": f"Read every item. {shown('instructions')}",
    "notice": f"Made for tests. {shown('notice')}",
    "seed": 918273645,
    "analysis": {"resamples": 431, "seed": 564738291},
    "context": {"vignette": True, "age": True},
    "scoring": {**PROTOCOL["scoring"], "instructions": f"Mark every answer. {shown('scoring')}", "sample": 4},
    "adjudication": {"instructions": f"Read it yourself first. {shown('review')}", "controls": 1},
}

SIDES = "left=Left|right=Right|both=Both|none=Neither"
# item, case, format, grounding, options, prior, accepted, low, high, text-only answer
ITEMS = (
    ("1", "c1", "yes_no", "image_grounded", "", "false", "yes", "", "", "yes"),
    ("2", "c1", "choice", "image_informed", SIDES, "true", "left", "", "", "right"),
    ("3", "c2", "open", "image_grounded", "", "false", f"{mark('accepted3')}|{mark('also3')}", "", "", mark("only3")),
    ("4", "c2", "open", "image_informed", "", "false", "", "31.4159", "62.8318", mark("only4")),
    ("5", "c3", "open", "image_informed", "", "true", mark("accepted5"), "", "", mark("only5")),
)
CASES = ("c1", "c2", "c3")
CANDIDATES = tuple((f"{item}{model}", item, model) for item in ("3", "4", "5") for model in ("a", "b"))
OBSERVED, OTHER = "observed", "other"
# Words that are no marks of ours and have no business in a rater's browser either.
HIDDEN_WORDS = ("image_grounded", "image_informed", "918273645", "564738291", "text_only", "provenance")


@dataclass(frozen=True)
class MarkedStudy:
    """The study with its people, and the names that the database made up for it."""

    situation: Situation
    observed: Actor
    other: Actor
    machine_names: frozenset[str]

    @property
    def database(self) -> Database:
        """The database that holds it."""
        return self.situation.database


def write_marked_folder(folder: Path) -> Path:
    """Write the study folder: three cases, a prior each, five items, six candidates."""
    folder.mkdir(parents=True)
    (folder / "protocol.yaml").write_text(yaml.safe_dump(MARKED_PROTOCOL), encoding="utf-8")
    write_table(
        folder / "cases.csv",
        "case,subject,vignette,age,note",
        [
            (mark(f"case{case}"), mark(f"subject{case}"), shown(f"vignette{case}"), 41, mark(f"note{case}"))
            for case in CASES
        ],
    )
    volumes = []
    for number, case in enumerate(CASES):
        for role, acquired in (("current", "2024-06-01"), ("prior", "2023-11-02")):
            file = f"volumes/{mark(f'file{case}{role}')}.nii.gz"
            write_marked_volume(folder / file, number * 2 + (role == "prior"))
            key = mark(f"volume{case}{role}")
            volumes.append((key, mark(f"case{case}"), role, "T1", acquired, file, shown("label")))
    write_table(folder / "volumes.csv", "volume,case,role,sequence,acquired,file,label", volumes)
    write_table(
        folder / "items.csv",
        "item,case,category,format,grounding,form,prompt,options,sequences,uses_prior",
        [
            (
                mark(f"item{key}"),
                mark(f"case{case}"),
                mark(f"category{key}"),
                kind,
                grounding,
                kind,
                shown(f"prompt{key}"),
                options,
                "T1",
                prior,
            )
            for key, case, kind, grounding, options, prior, *_ in ITEMS
        ],
    )
    write_table(
        folder / "references.csv",
        "item,accepted,low,high,text_only_answer,provenance",
        [
            (mark(f"item{key}"), accepted, low, high, only, mark(f"origin{key}"))
            for key, *_, accepted, low, high, only in ITEMS
        ],
    )
    write_table(
        folder / "candidates.csv",
        "candidate,item,model,answer",
        [
            (mark(f"candidate{key}"), mark(f"item{item}"), mark(f"model{model}"), f"So: {mark(f'answer{key}')}")
            for key, item, model in CANDIDATES
        ],
    )
    return folder


def write_marked_volume(path: Path, seed: int) -> None:
    """Write a scan whose header, header extension and gzip name all say what must not be said."""
    voxels = np.random.default_rng(seed).integers(1, 1_000, size=(12, 14, 10)).astype(np.int16)
    image = nibabel.Nifti1Image(voxels, np.diag([2.0, 2.0, 2.5, 1.0]))
    image.header["descrip"] = mark("descrip")
    image.header["aux_file"] = mark("auxfile")
    image.header["intent_name"] = mark("intent")
    image.header["db_name"] = mark("dbname")
    image.header.extensions.append(nibabel.nifti1.Nifti1Extension("comment", mark("extension").encode()))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file, gzip.GzipFile(mark("gzipname"), "wb", fileobj=file, mtime=0) as packed:
        packed.write(image.to_bytes())


def marked_study(database: Database, folder: Path) -> MarkedStudy:
    """Import and freeze the study; one rater has read and marked everything, another has done nothing yet."""
    identity.ensure_owner(database, mark("adminlogin"), mark("adminname"))
    admin = signed_in(database, mark("adminlogin"))
    importing.import_study(database, admin, write_marked_folder(folder))
    for login, name, role in (
        (OBSERVED, "Olive Observed", "rater"),
        (mark("otherlogin"), mark("othername"), "rater"),
        ("reviewer", "Rhea Reviewer", "reviewer"),
    ):
        members.invite(database, admin, STUDY, login, name, role, specialty=mark(f"specialty{role}"))
    freezing.freeze_study(database, admin, STUDY)
    observed, other = signed_in(database, OBSERVED), signed_in(database, mark("otherlogin"))
    situation = Situation(database, STUDY, admin, (observed, other), signed_in(database, "reviewer"))
    read_with_marks(situation, other)
    mark_with_marks(situation, other)
    import_marked_judge(situation)
    return MarkedStudy(situation, observed, other, machine_names(database))


def read_with_marks(situation: Situation, rater: Actor) -> None:
    """Read everything, with a comment, a flag's note and free text that are marks."""
    number = 0
    while (payload := on_the_desk(situation, rater))["kind"] == "item":
        number += 1
        key = next(key for key, *_ in ITEMS if shown(f"prompt{key}") == payload["prompt"])
        given: dict[str, Any] = {
            **any_answers(payload, mark(f"said{key}")),
            "comment": mark(f"comment{key}"),
            "flag": {"id": "prompt", "note": mark(f"flagnote{key}")} if key != "1" else None,
        }
        show(situation, rater, payload)
        submit(situation, rater, payload, given)


def mark_with_marks(situation: Situation, rater: Actor) -> None:
    """Work through the scoring phase with comments that are marks."""
    while (payload := on_the_desk(situation, rater, "scoring"))["kind"] == "item":
        show(situation, rater, payload)
        submit(situation, rater, payload, {**any_answers(payload), "comment": mark("markcomment")})


def import_marked_judge(situation: Situation) -> None:
    """Import an LLM judge, and labels made elsewhere, whose names and explanations are marks."""
    why = mark("explanation")
    rows = "".join(f"{mark(f'item{item}')},{mark(f'candidate{key}')},correct,{why}\n" for key, item, _ in CANDIDATES)
    import_runs.import_judge_verdicts(
        situation.database,
        situation.admin,
        STUDY,
        name=mark("runname"),
        judge=mark("judgename"),
        content=f"item,candidate,verdict,explanation\n{rows}".encode(),
        file_name=f"{mark('judgefile')}.csv",
    )
    labels = "".join(
        f"{mark(f'item{item}')},{mark(f'candidate{key}')},{mark('labeller')},correct,{mark('labelremark')}\n"
        for key, item, _ in CANDIDATES
    )
    import_labels.import_labels(
        situation.database,
        situation.admin,
        STUDY,
        name=mark("labels"),
        content=f"item,candidate,labeller,verdict,explanation\n{labels}".encode(),
        file_name=f"{mark('labelfile')}.csv",
        blinding=mark("howblinded"),
    )


def machine_names(database: Database) -> frozenset[str]:
    """Return what the database derived or drew and nobody outside needs: salt, hashes."""
    with database.read_only() as session:
        names = [session.exec(select(Study.salt)).one(), session.exec(select(Freeze.sha256)).one()]
        for volume in session.exec(select(Volume)):
            names += [volume.sha256, volume.voxel_sha256]
    return frozenset(names)


def own_marks_by_prompt() -> dict[str, set[str]]:
    """Return, by prompt, the marks that the scoring phase shows for an item: its accepted answers."""
    return {
        shown(f"prompt{key}"): {value for value in (*accepted.split("|"), low, high) if value}
        for key, *_, accepted, low, high, _ in ITEMS
    }


def candidates_by_id(database: Database) -> Mapping[int, tuple[str, str]]:
    """Return prompt and answer of every candidate by its id."""
    with database.read_only() as session:
        rows = session.exec(select(Candidate, Item.prompt).join(Item)).all()  # type: ignore[arg-type]
        return {int(candidate.id or 0): (prompt, candidate.answer) for candidate, prompt in rows}


def login_of(database: Database, actor: Actor) -> str:
    """Return an actor's login."""
    with database.read_only() as session:
        return session.get_one(Person, actor.person_id).login
