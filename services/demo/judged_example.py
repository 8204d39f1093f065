"""The calibration example: answers of which two simulated readers scored a part and three judges all."""

from __future__ import annotations

import random
import shutil
from typing import Any

from db import Database
from protocol.study_phases import part_key
from services.demo.labels import JUDGED_KEY, SIMULATED
from services.demo.simulating import Answering, sign_in, work_through
from services.judging import import_runs
from services.judging.import_runs import Identity
from services.people import identity
from services.people.identity import Actor
from services.progress import data_lock
from services.reading.payloads import AnyItemPayload
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members
from services.studies.volumes.preparing import Progress
from studies.judged_answers import build as judged_answers

_FIELD, _GROUP = "score.verdict", "scorer"
# How often each reader scores an answer wrongly.
_SLIPS = {"simulated-rater-1": 0.01, "simulated-rater-2": 0.03}


def finish_judged(database: Database, admin: Actor, say: Progress) -> None:
    """Import the example, have it scored and judged, and close it."""
    folder = database.data_dir / "judged-answers"
    try:
        importing.import_study(
            database, admin, judged_answers.build(folder), key=JUDGED_KEY, simulated_readers=True, progress=say
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    scorers = [(login, name) for login, name, role in SIMULATED if role == "rater"]
    for login, name in scorers:
        members.invite(database, admin, JUDGED_KEY, login, name, "rater", group=_GROUP)
    freezing.freeze_study(database, admin, JUDGED_KEY)
    steps = len(scorers) + 1
    for step, (login, name) in enumerate(scorers):
        say(step, steps, f"Simulating the scores of {name}")
        actor = sign_in(database, login)
        work_through(database, actor, login, JUDGED_KEY, part_key(1), _score_like(login))
        # Simulated people do not stay signed in.
        identity.sign_out(database, actor.login_session_id)
    say(len(scorers), steps, "Bringing in what the judges said")
    for judge in judged_answers.JUDGES:
        import_runs.import_judge_verdicts(
            database,
            admin,
            JUDGED_KEY,
            name=judge.name,
            judge=judge.judge,
            content=judged_answers.judged(judge).encode(),
            file_name=f"{judge.name}.csv",
            field=_FIELD,
            identity=Identity(
                model=judge.model,
                prompt=judge.prompt,
                prompt_version=judge.version,
                settings="temperature 0",
                made_on="2026-11-20",
                sample=judge.sample,
            ),
        )
    data_lock.close_study(database, admin, JUDGED_KEY)
    say(steps, steps, "The example of a calibration is ready")


def _score_like(login: str) -> Answering:
    """Return a reader who knows which answers are right, with some slips."""

    def answer(payload: AnyItemPayload, rng: random.Random) -> dict[str, Any]:
        candidate, reference, field = payload["candidate"], payload["reference"], payload["form"]["fields"][0]
        assert candidate is not None and reference is not None
        # A right answer contains the reference's words.
        is_right = any(text in candidate for text in reference)
        says = is_right if rng.random() >= _SLIPS[login] else not is_right
        correct, incorrect = (option["id"] for option in field["options"])
        return {
            "fields": {field["key"]: correct if says else incorrect},
            "not_assessable": None,
            "comment": "",
            "flag": None,
        }

    return answer
