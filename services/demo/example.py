"""The demo: a study open for reading, a finished copy with simulated readers, and an example of a calibration."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

from sqlmodel import col, select

from db import Case, Database, Item, Reference, Study
from services.adjudication import review_queue
from services.demo import judged_example
from services.demo.labels import FINISHED_KEY, OPEN_KEY, PEOPLE, SIMULATED, label_demo
from services.demo.simulating import Answering, sign_in, work_through
from services.judging import import_runs
from services.people import identity
from services.people.identity import Actor
from services.progress import data_lock
from services.reading.payloads import AnyItemPayload, FormFieldPayload
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members
from services.studies.volumes.preparing import Progress
from studies.demo.build import build

JUDGE_FILE = Path(__file__).resolve().parents[2] / "studies" / "demo" / "judge_verdicts.csv"
# How often the simulated people are right: less than perfect, better than chance, and all different.
_SKILL = {"simulated-rater-1": 0.72, "simulated-rater-2": 0.64, "simulated-reviewer": 0.85}


def seed_demo(database: Database, progress: Progress | None = None, *, step: float = 1.0) -> None:
    """Build the demo study and import it twice: open, and finished with simulated verdicts.

    Parameters
    ----------
    database
        The database to import into, which has nobody from the demo yet.
    progress
        Called before each part of the work with its number, the number of parts, and a sentence.
    step
        Distance between neighbouring voxels in mm. 1 is for readers; use a coarse one if nobody looks at the scans.
    """
    say = progress or (lambda done, total, text: None)
    folder = database.data_dir / "demo-study"
    with database.writing() as session:
        # An owner in addition to any existing ones, because only an owner may import a study.
        identity.add_person(session, PEOPLE[0][0], PEOPLE[0][1], is_owner=True)
    admin = identity.actor_for_command_line(database, "demo-admin")
    try:
        build(folder, progress=say, step=step)
        importing.import_study(database, admin, folder, progress=say)
        importing.import_study(
            database,
            admin,
            folder,
            key=FINISHED_KEY,
            title="Demo study, finished example with simulated readers",
            simulated_readers=True,
            progress=say,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for login, name, role in PEOPLE:
        if role != "admin":
            members.invite(database, admin, OPEN_KEY, login, name, role, specialty="Radiology")
    freezing.freeze_study(database, admin, OPEN_KEY)
    _finish_copy(database, admin, say)
    judged_example.finish_judged(database, admin, say)
    label_demo(database)


def _finish_copy(database: Database, admin: Actor, say: Progress) -> None:
    for login, name, role in SIMULATED:
        members.invite(database, admin, FINISHED_KEY, login, name, role)
    freezing.freeze_study(database, admin, FINISHED_KEY)
    people = {login: sign_in(database, login) for login, _, _ in SIMULATED}
    raters = [login for login in people if login.startswith("simulated-rater")]
    steps = len(raters) * 2 + 1
    for step, login in enumerate(raters):
        say(step, steps, f"Simulating the reads of {login}")
        work_through(database, people[login], login, FINISHED_KEY, "reading", _read_like(database, login))
    review_queue.open_review_queue(database, admin, FINISHED_KEY)
    say(len(raters), steps, "Simulating the reviewer")
    reviewer = "simulated-reviewer"
    work_through(database, people[reviewer], reviewer, FINISHED_KEY, "review", _read_like(database, reviewer))
    for step, login in enumerate(raters):
        say(len(raters) + 1 + step, steps, f"Simulating the scores of {login}")
        work_through(database, people[login], login, FINISHED_KEY, "scoring", _score_like(login))
    import_runs.import_judge_verdicts(
        database,
        admin,
        FINISHED_KEY,
        name="simulated run 1",
        judge="simulated judge",
        content=JUDGE_FILE.read_bytes(),
        file_name=JUDGE_FILE.name,
    )
    data_lock.close_study(database, admin, FINISHED_KEY)
    # Simulated people must not appear to an owner as currently signed in.
    for simulated in people.values():
        identity.sign_out(database, simulated.login_session_id)
    say(steps, steps, "The finished example is ready")


def _read_like(database: Database, login: str) -> Answering:
    """Return a reader who is right as often as their skill says, given the references from the database."""
    references = _references(database)
    skill = _SKILL[login]
    unreadable = login == "simulated-rater-2"

    def answer(payload: AnyItemPayload, rng: random.Random) -> dict[str, Any] | None:
        done = payload["progress"]["done"]
        if unreadable and done == 6:
            return None
        if unreadable and done == 11 and payload["form"]["not_assessable"]:
            reason = payload["form"]["not_assessable"][0]["id"]
            return {"fields": {}, "not_assessable": reason, "comment": "", "flag": None}
        accepted = references[payload["prompt"], payload["context"]["vignette"] or ""]
        right = rng.random() < skill
        fields = {field["key"]: _filled_in(field, accepted, right, rng) for field in payload["form"]["fields"]}
        flags = payload["form"]["flags"]
        flag = {"id": flags[0]["id"], "note": "Simulated flag."} if flags and done == 3 else None
        return {"fields": fields, "not_assessable": None, "comment": "", "flag": flag}

    return answer


def _filled_in(field: FormFieldPayload, accepted: list[str], right: bool, rng: random.Random) -> Any:
    if field["key"] == "reason":
        return "Simulated reason."
    ids = [option["id"] for option in field["options"]]
    if field["key"] != "answer":
        if not ids:
            return "Simulated text." if field["type"] == "text" else 1
        # A reader who is right is slightly more confident.
        return ids[min(len(ids) - 1, rng.randrange(len(ids)) + (1 if right else 0))]
    if not ids:
        return rng.choice(accepted) if right else rng.choice(("not sure", "normal", "artefact"))
    wrong = [option for option in ids if option not in accepted]
    return accepted[0] if right or not wrong else rng.choice(wrong)


def _score_like(login: str) -> Answering:
    """Return a rater who scores an answer as right if it contains the reference, with some slips."""
    slips = 0.06 if login == "simulated-rater-1" else 0.1

    def answer(payload: AnyItemPayload, rng: random.Random) -> dict[str, Any]:
        reference, candidate = payload["reference"], payload["candidate"]
        assert reference is not None and candidate is not None
        matches = any(text.casefold() in candidate.casefold() for text in reference)
        says = matches if rng.random() >= slips else not matches
        field = payload["form"]["fields"][0]
        ids = [option["id"] for option in field["options"]]
        chosen = ids[0] if says else ids[1]
        return {"fields": {field["key"]: chosen}, "not_assessable": None, "comment": "", "flag": None}

    return answer


def _references(database: Database) -> dict[tuple[str, str], list[str]]:
    """Return the accepted answers by what a reader sees: the prompt and the case's vignette."""
    with database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == FINISHED_KEY)).one()
        rows = session.exec(
            select(Item.prompt, Case.vignette, Reference.accepted)
            .join(Reference, col(Reference.item_id) == Item.id)
            .join(Case, col(Case.id) == Item.case_id)
            .where(Item.study_id == study.id)
        ).all()
    return {(prompt, vignette): list(accepted) for prompt, vignette, accepted in rows}
