"""Situations that tests begin from, reached through the use cases themselves."""

from __future__ import annotations

import csv
import filecmp
import gzip
import hashlib
import json
import pickle
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Barrier
from typing import Any

import nibabel
import numpy as np
import yaml
from sqlmodel import select

from db import Database, Person
from db.engine import DATABASE_FILE, make_engine
from services.errors import InputRefused, Refused
from services.people import identity
from services.people.identity import Actor
from services.reading import submission
from services.reading.submission import Receipt
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.harness.databases import MIGRATED, copy_of_sqlite_file, migrated_sqlite_file
from tests.harness.ending import made_once

PROTOCOL: dict[str, Any] = {
    "name": "tiny",
    "title": "A tiny study",
    "instructions": "Read every item.",
    "notice": "Made for tests.",
    "seed": 7,
    "forms": {
        "yes_no": {"fields": [{"key": "answer", "type": "yes_no", "label": "Answer"}]},
        "choice": {
            "fields": [
                {"key": "answer", "type": "choice", "label": "Answer"},
                {
                    "key": "confidence",
                    "type": "ordinal",
                    "label": "Confidence",
                    "options": [{"id": str(level), "text": f"{level}"} for level in (1, 2, 3)],
                },
            ]
        },
        "open": {"fields": [{"key": "answer", "type": "text", "label": "Answer"}]},
    },
    "reading": {
        "not_assessable": [{"id": "quality", "text": "Image quality"}],
        "flags": [{"id": "prompt", "text": "The prompt is unclear"}],
    },
    "scoring": {
        "instructions": "Mark every answer.",
        "prompt": "Does the answer agree with the reference?",
        "sample": 4,
        "form": {
            "fields": [
                {
                    "key": "answer",
                    "type": "choice",
                    "label": "The answer is",
                    "options": [{"id": "correct", "text": "Correct"}, {"id": "incorrect", "text": "Incorrect"}],
                }
            ]
        },
    },
    "adjudication": {"instructions": "Read it yourself first.", "controls": 1},
    "analysis": {"interval": "percentile_bootstrap", "resamples": 400, "seed": 3},
}

CASES = (("c1", "subject-1"), ("c2", "subject-2"), ("c3", "subject-3"))
SIDES = "left=Left|right=Right|both=Both|none=Neither"
ITEMS = (
    # item, case, category, format, grounding, options, sequences, uses_prior, accepted, text-only answer
    ("i1", "c1", "presence", "yes_no", "image_grounded", "", "T1", "false", "yes", "yes"),
    ("i2", "c1", "side", "choice", "image_grounded", SIDES, "T1|T2", "false", "left", "right"),
    ("i3", "c2", "change", "yes_no", "image_informed", "", "T1", "true", "no", "yes"),
    ("i4", "c2", "side", "choice", "image_informed", SIDES, "T1", "false", "both", "both"),
    ("i5", "c3", "name", "open", "image_grounded", "", "T1", "false", "cyst|arachnoid cyst", "tumour"),
    ("i6", "c3", "presence", "yes_no", "image_informed", "", "T1", "false", "no", "no"),
)
CANDIDATES = (
    ("k1", "i1", "model-a", "Yes, there is."),
    ("k2", "i1", "model-b", "No."),
    ("k3", "i2", "model-a", "On the left."),
    ("k4", "i2", "model-b", "On the right."),
    ("k5", "i5", "model-a", "A cyst."),
    ("k6", "i5", "model-b", "I cannot tell."),
)


def write_table(path: Path, columns: str, rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file with the given header line."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns.split(","))
        writer.writerows(rows)


def write_volume(path: Path, seed: int, shape: tuple[int, int, int] = (12, 14, 10)) -> None:
    """Write a small packed NIfTI file with recognisable random content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_packed_volume(seed, shape))


@cache
def _packed_volume(seed: int, shape: tuple[int, int, int]) -> bytes:
    voxels = np.random.default_rng(seed).integers(1, 1_000, size=shape).astype(np.int16)
    return gzip.compress(nibabel.Nifti1Image(voxels, np.diag([2.0, 2.0, 2.5, 1.0])).to_bytes(), 1, mtime=0)


def write_study_folder(folder: Path, protocol: Mapping[str, Any] | None = None) -> Path:
    """Write the tiny study: six items about three cases, one of them with a prior, and six candidates."""
    folder.mkdir(parents=True, exist_ok=True)
    # PyYAML's writer in C, where it has one, is the same and quicker.
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text = yaml.dump({**PROTOCOL, **(protocol or {})}, Dumper=dumper)
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")
    write_table(
        folder / "cases.csv",
        "case,subject,vignette,age,note",
        [(case, subject, f"Vignette of {case}", 50, "hidden note") for case, subject in CASES],
    )
    volumes = []
    for number, (case, _) in enumerate(CASES):
        volumes.append((f"{case}-t1", case, "current", "T1", "2024-06-01", f"volumes/{case}-t1.nii.gz", "T1"))
        volumes.append((f"{case}-t2", case, "current", "T2", "2024-06-01", f"volumes/{case}-t2.nii.gz", "T2"))
        volumes.append((f"{case}-p", case, "prior", "T1", "2023-11-02", f"volumes/{case}-p.nii.gz", "T1"))
        for place, name in enumerate(("t1", "t2", "p")):
            write_volume(folder / "volumes" / f"{case}-{name}.nii.gz", seed=number * 10 + place)
    write_table(folder / "volumes.csv", "volume,case,role,sequence,acquired,file,label", volumes)
    write_table(
        folder / "items.csv",
        "item,case,category,format,grounding,form,prompt,options,sequences,uses_prior",
        [
            (key, case, category, kind, grounding, kind, f"Prompt of {key}?", options, sequences, prior)
            for key, case, category, kind, grounding, options, sequences, prior, _, _ in ITEMS
        ],
    )
    write_table(
        folder / "references.csv",
        "item,accepted,low,high,text_only_answer,provenance",
        [(row[0], row[8], "", "", row[9], "by construction") for row in ITEMS],
    )
    write_table(folder / "candidates.csv", "candidate,item,model,answer", CANDIDATES)
    return folder


@dataclass(frozen=True)
class Situation:
    """A study with its people, signed in."""

    database: Database
    study_key: str
    admin: Actor
    raters: tuple[Actor, ...]
    reviewer: Actor


def signed_in(database: Database, login: str) -> Actor:
    """Sign a person in with a fresh link, as a browser would."""
    token = identity.use_link(database, identity.make_link(database, login, "sign_in"), None)
    actor = identity.actor_of_token(database, token)
    assert actor is not None
    return actor


def owner_of(database: Database) -> Actor:
    """Return the owner, signed in; see `people_of`."""
    return people_of(database, {})["admin"]


def people_of(database: Database, names: Mapping[str, str]) -> dict[str, Actor]:
    """Return the owner, and the people with these names, signed in, by login; they are in no study yet.

    A SQLite database that is still the migrated one becomes a copy of that in which a test of the run first asked for
    the same people: half of all tests with a database begin so, and a copy takes a third of the time of one sign-in.
    """
    if not _is_as_migrated(database):
        return _signed_in(database, names)
    made = made_once(f"people-{_digest(names)}", lambda place: _make_people(place, names))
    database.engine.dispose()  # what a connection has read of the file before would be old
    shutil.copyfile(made / DATABASE_FILE, str(database.engine.url.database))
    people: dict[str, Actor] = pickle.loads((made / "people.pickle").read_bytes())
    return people


def _make_people(place: Path, names: Mapping[str, str]) -> None:
    migrated = made_once("migrated", migrated_sqlite_file) / MIGRATED
    engine = make_engine(copy_of_sqlite_file(migrated, place / DATABASE_FILE))
    people = _signed_in(Database(engine, place), names)
    engine.dispose()
    (place / "people.pickle").write_bytes(pickle.dumps(people))


def _signed_in(database: Database, names: Mapping[str, str]) -> dict[str, Actor]:
    identity.ensure_owner(database, "admin", "Ada Admin")
    with database.writing() as session:
        for login, name in names.items():
            identity.add_person(session, login, name)
    return {login: signed_in(database, login) for login in ("admin", *names)}


def imported_study(
    database: Database,
    folder: Path,
    protocol: Mapping[str, Any] | None = None,
    *,
    changes: Iterable[Callable[[Path], object]] = (),
    key: str = "tiny",
    simulated_readers: bool = False,
) -> Situation:
    """Import the tiny study, after some changes of its folder, with two raters and a reviewer; it is not frozen."""
    return _imported(database, _changed_folder(folder, protocol, changes), key, simulated_readers)


def _changed_folder(
    folder: Path, protocol: Mapping[str, Any] | None, changes: Iterable[Callable[[Path], object]]
) -> Path:
    write_study_folder(folder, protocol)
    for change in changes:
        change(folder)
    return folder


def _imported(database: Database, folder: Path, key: str, simulated_readers: bool) -> Situation:
    roles = {"rater-1": "rater", "rater-2": "rater", "reviewer": "reviewer"}
    people = people_of(database, {login: login.title() for login in roles})
    importing.import_study(database, people["admin"], folder, key=key, simulated_readers=simulated_readers)
    for login, role in roles.items():
        members.invite(database, people["admin"], key, login, login.title(), role)
    return Situation(database, key, people["admin"], (people["rater-1"], people["rater-2"]), people["reviewer"])


def open_study(
    database: Database,
    folder: Path,
    protocol: Mapping[str, Any] | None = None,
    *,
    changes: Iterable[Callable[[Path], object]] = (),
    key: str = "tiny",
    simulated_readers: bool = False,
) -> Situation:
    """Import and freeze the tiny study, in the variants of `imported_study`; see `opened_once`."""

    def make(empty: Database) -> Situation:
        situation = _imported(empty, folder, key, simulated_readers)
        freezing.freeze_study(empty, situation.admin, key)
        return situation

    _changed_folder(folder, protocol, changes)
    return opened_once(database, folder, ("tiny", key, simulated_readers), make)


def opened_once(
    database: Database, folder: Path, variant: Sequence[object], make: Callable[[Database], Situation]
) -> Situation:
    """Return what `make` brings about, from a study folder, in an empty database.

    An empty SQLite database that no server has open becomes a copy of the one in which a test of the run first asked
    for this variant of a folder with the same files: importing and freezing are the subject of few tests.
    """
    if not _is_empty_sqlite(database) or _is_open_elsewhere(database):
        return make(database)
    made = made_once(f"opened-{_digest_of(folder, variant)}", lambda place: _make_template(place, make))
    shutil.copyfile(made / "data" / DATABASE_FILE, str(database.engine.url.database))
    shutil.copytree(made / "data" / "volumes", database.volume_dir, dirs_exist_ok=True)
    key, *actors = pickle.loads((made / "situation.pickle").read_bytes())
    return Situation(database, key, *actors)


def _digest_of(folder: Path, variant: Sequence[object]) -> str:
    digest = hashlib.sha256(_digest(variant).encode())
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)} ".encode() + content)
    return digest.hexdigest()[:16]


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def _is_empty_sqlite(database: Database) -> bool:
    # Most are still the copy they began as, and comparing two files takes a tenth of opening a database.
    if _is_as_migrated(database):
        return True
    if database.engine.dialect.name != "sqlite" or database.engine.url.database is None:
        return False
    with database.read_only() as session:
        return session.exec(select(Person.id)).first() is None


def _is_as_migrated(database: Database) -> bool:
    """Return whether a database is in a SQLite file to which nothing was ever written, and that nobody has open."""
    file = database.engine.url.database
    if database.engine.dialect.name != "sqlite" or file is None or Path(f"{file}-wal").exists():
        return False
    migrated = made_once("migrated", migrated_sqlite_file) / MIGRATED
    return Path(file).exists() and filecmp.cmp(migrated, file, shallow=False)


def _is_open_elsewhere(database: Database) -> bool:
    # The log beside the file goes with the last connection to it: one that stays is that of another process.
    database.engine.dispose()
    return Path(f"{database.engine.url.database}-wal").exists()


def _make_template(place: Path, make: Callable[[Database], Situation]) -> None:
    migrated = made_once("migrated", migrated_sqlite_file) / MIGRATED
    engine = make_engine(copy_of_sqlite_file(migrated, place / "data" / DATABASE_FILE))
    made = make(Database(engine, place / "data"))
    engine.dispose()
    (place / "data" / "volumes").mkdir(exist_ok=True)
    situation = (made.study_key, made.admin, made.raters, made.reviewer)
    (place / "situation.pickle").write_bytes(pickle.dumps(situation))


def on_the_desk(situation: Situation, actor: Actor, queue: str = "reading") -> dict[str, Any]:
    """Return what the actor is shown now."""
    return submission.current_payload(situation.database, actor, situation.study_key, queue)


def show(situation: Situation, actor: Actor, payload: Mapping[str, Any]) -> None:
    """Report that a payload is on the actor's screen."""
    submission.record_display(
        situation.database, actor, payload["assignment"], load_ms=100, renderer="test", viewport="1440x900"
    )


def answers(**fields: Any) -> dict[str, Any]:
    """Return answers with these fields and nothing else."""
    return {"fields": fields, "not_assessable": None, "comment": "", "flag": None}


def any_answers(payload: Mapping[str, Any], answer: object = None) -> dict[str, Any]:
    """Return answers that fit a payload's form: the first option everywhere, or `answer` where it is possible."""
    fields: dict[str, Any] = {}
    for field in payload["form"]["fields"]:
        ids = [option["id"] for option in field["options"]]
        fits = field["key"] == "answer" and answer is not None and (not ids or answer in ids)
        fields[field["key"]] = answer if fits else ids[0] if ids else "some text"
    return answers(**fields)


def submit(
    situation: Situation, actor: Actor, payload: Mapping[str, Any], given: Mapping[str, Any] | None = None
) -> Receipt:
    """Submit answers to a payload that has been shown."""
    return submission.submit(
        situation.database, actor, payload["assignment"], payload["key"], given or any_answers(payload)
    )


def read_all(
    situation: Situation, actor: Actor, queue: str = "reading", by_prompt: Mapping[str, object] | None = None
) -> list[Receipt]:
    """Work through a queue; `by_prompt` gives answers, or whole answer objects, for some prompts."""
    receipts = []
    while (payload := on_the_desk(situation, actor, queue))["kind"] == "item":
        wanted = (by_prompt or {}).get(payload["prompt"])
        given = dict(wanted) if isinstance(wanted, Mapping) else any_answers(payload, wanted)
        show(situation, actor, payload)
        receipts.append(submit(situation, actor, payload, given))
    return receipts


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Do several things at the same moment; return what each returned or was refused with."""
    ready = Barrier(len(acts))

    def outcome_of(act: Callable[[], Any]) -> Any:
        ready.wait(10)
        try:
            return act()
        except (Refused, InputRefused) as refusal:
            return refusal

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(outcome_of, acts))
