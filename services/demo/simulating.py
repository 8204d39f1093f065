"""Simulated people at work: they sign in, look and answer through the same calls as a rater's browser."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from db import Database
from services.demo.example_viewing import simulated_trace
from services.people import identity
from services.people.identity import Actor
from services.reading import submission
from services.reading.payloads import AnyItemPayload
from services.reading.verdict_rows import Circumstances

SEED = 20_261_120
Answering = Callable[[AnyItemPayload, random.Random], dict[str, Any] | None]


def sign_in(database: Database, login: str) -> Actor:
    """Sign in by a link made for this login."""
    token = identity.use_link(database, identity.make_link(database, login, "sign_in"), None)
    actor = identity.actor_of_token(database, token)
    if actor is None:
        raise RuntimeError("a login session that was just opened is not known")
    return actor


def work_through(database: Database, actor: Actor, login: str, study_key: str, queue: str, answer: Answering) -> None:
    """Work through a queue like a person: look, answer, submit. None as an answer means it could not be shown."""
    rng = random.Random(f"{SEED}|{login}|{queue}")
    # A separate generator, so that simulating what is viewed does not change the answers.
    eyes = random.Random(f"{SEED}|{login}|{queue}|viewing")
    while True:
        payload = submission.current_payload(database, actor, study_key, queue)
        if payload["kind"] == "done":
            return
        assignment = payload["assignment"]
        answers = answer(payload, rng)
        if answers is None:
            submission.report_failure(database, actor, assignment, "Simulated: the scan could not be shown.")
            continue
        load_ms = rng.randint(300, 900)
        submission.record_display(
            database, actor, assignment, load_ms=load_ms, renderer="simulated", viewport="1440x900"
        )
        active_ms = rng.randint(12_000, 95_000)
        circumstances = Circumstances(
            active_ms=active_ms,
            idle_ms=rng.choice((0, 0, 0, rng.randint(1_000, 60_000))),
            load_ms=load_ms,
            renderer="simulated",
            viewport="1440x900",
            trace=simulated_trace(payload, active_ms, eyes),
        )
        submission.submit(database, actor, assignment, payload["key"], answers, circumstances)
