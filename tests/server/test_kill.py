"""A server that is killed with -9 under 20 raters has kept every verdict that it gave a receipt for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlmodel import col, select

from db import Assignment, Database, Membership, Verdict
from services.people import identity
from services.people.identity import Actor, actor_of_token
from services.reading import instructions, submission
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.blinding import serving
from tests.harness.server import RunningServer
from tests.situations import any_answers, signed_in, write_study_folder

RATERS = 20
LONGEST = 30.0
# Killed while this many receipts are out: early enough that everybody still has items to read.
RECEIPTS_BEFORE_THE_KILL = 45
STUDY = "tiny"


class NotTaken(Exception):
    """The server answered, and refused."""


@dataclass
class Reader:
    """One rater's browser: reads on, and notes what the server has acknowledged."""

    cookie: dict[str, str]
    actor: Actor
    receipts: dict[str, str] = field(default_factory=dict)
    drafts: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)
    unanswered: dict[str, Any] | None = None
    refused: list[str] = field(default_factory=list)

    def read(self, running: RunningServer, first: dict[str, Any], stop: threading.Event, limit: float) -> None:
        """Read item after item until told to stop or until the server does not answer any more."""
        payload: dict[str, Any] | None = first
        with serving.client(running, self.cookie) as browser:
            while payload and payload["kind"] == "item" and not stop.is_set() and time.monotonic() < limit:
                try:
                    payload = self._read_one(browser, payload)
                except (httpx.TransportError, NotTaken):
                    return

    def _read_one(self, browser: httpx.Client, payload: dict[str, Any]) -> dict[str, Any] | None:
        assignment, given = payload["assignment"], any_answers(payload)
        self._post(browser, "shown", {"assignment": assignment, "key": payload["key"], "load_ms": 1})
        for sequence in (1, 2):
            draft = {**given, "comment": f"typed {sequence}"}
            self._post(browser, "draft", {"assignment": assignment, "sequence": sequence, "answers": draft})
            self.drafts[assignment] = (sequence, draft)
        self.unanswered = {"assignment": assignment, "key": payload["key"], "answers": given}
        answer = self._post(browser, "verdict", self.unanswered)
        self.receipts[assignment] = answer["receipt"]
        self.unanswered = None
        return answer["next"]

    def _post(self, browser: httpx.Client, route: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = browser.post(f"/reading/{route}", json=body)
        if answer.status_code != 200:
            self.refused.append(f"{route}: {answer.status_code} {answer.text[:200]}")
            raise NotTaken(route)
        return answer.json()


@dataclass(frozen=True)
class Aftermath:
    """The readers after the kill, and the server that has been started anew."""

    database: Database
    server: RunningServer
    readers: list[Reader]


@pytest.fixture(scope="module")
def aftermath(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aftermath]:
    """Twenty raters read at once; the server is killed in the middle of it and started again."""
    folder = tmp_path_factory.mktemp("kill")
    with serving.served(migrated_sqlite, folder) as (database, running):
        readers = _twenty_readers(database, running, folder / "study")
        for reader in readers:
            instructions.acknowledge_instructions(database, reader.actor, STUDY, "reading")
        firsts = [submission.current_payload(database, reader.actor, STUDY, "reading") for reader in readers]
        running.start()
        stop = threading.Event()
        limit = time.monotonic() + LONGEST
        with ThreadPoolExecutor(RATERS) as pool:
            work = [
                pool.submit(reader.read, running, first, stop, limit)
                for reader, first in zip(readers, firsts, strict=True)
            ]
            while (
                sum(len(reader.receipts) for reader in readers) < RECEIPTS_BEFORE_THE_KILL and time.monotonic() < limit
            ):
                time.sleep(0.005)
            running.kill9()
            stop.set()
        for job in work:
            job.result()
        running.start()
        yield Aftermath(database, running, readers)


def _twenty_readers(database: Database, running: RunningServer, folder: Path) -> list[Reader]:
    identity.ensure_owner(database, "admin", "Ada Admin")
    admin = signed_in(database, "admin")
    importing.import_study(database, admin, write_study_folder(folder))
    logins = [f"rater-{number}" for number in range(RATERS)]
    for login in logins:
        members.invite(database, admin, STUDY, login, login, "rater")
    freezing.freeze_study(database, admin, STUDY)
    readers = []
    for login in logins:
        cookie = serving.cookie_of(database, running, login)
        actor = actor_of_token(database, next(iter(cookie.values())))
        assert actor is not None
        readers.append(Reader(cookie, actor))
    return readers


def test_the_server_was_killed_while_raters_were_reading(aftermath: Aftermath) -> None:
    receipts = [receipt for reader in aftermath.readers for receipt in reader.receipts.values()]

    assert [reader.refused for reader in aftermath.readers if reader.refused] == []
    assert len(receipts) >= RECEIPTS_BEFORE_THE_KILL
    assert len(receipts) < RATERS * 6


def test_every_receipt_is_in_the_database_and_none_twice(aftermath: Aftermath) -> None:
    given = {assignment: receipt for reader in aftermath.readers for assignment, receipt in reader.receipts.items()}
    with aftermath.database.read_only() as session:
        rows = session.exec(select(Assignment.public_id, Verdict.receipt).join(Verdict)).all()

    stored = dict(rows)
    assert len(stored) == len(rows)
    assert given.items() <= stored.items()
    # What was committed when the power went, but never acknowledged, is at most one verdict of each rater.
    unanswered = {reader.unanswered["assignment"] for reader in aftermath.readers if reader.unanswered}
    assert stored.keys() - given.keys() <= unanswered


def test_every_rater_resumes_at_the_right_item_with_the_draft(aftermath: Aftermath) -> None:
    for reader in aftermath.readers:
        payload = submission.current_payload(aftermath.database, reader.actor, STUDY, "reading")

        expected = _first_open(aftermath.database, reader)
        # Who had read everything is thanked.
        assert (payload["assignment"] if payload["kind"] == "item" else None) == expected
        if expected in reader.drafts:
            sequence, draft = reader.drafts[expected]
            assert payload["draft"]["sequence"] >= sequence
            assert payload["draft"]["sequence"] > sequence or payload["draft"]["answers"] == draft


def _first_open(database: Database, reader: Reader) -> str | None:
    with database.read_only() as session:
        order = session.exec(
            select(Assignment.public_id)
            .join(Membership)
            .where(Membership.person_id == reader.actor.person_id, Assignment.phase == "reading")
            .order_by(col(Assignment.position))
        ).all()
        closed = set(session.exec(select(Assignment.public_id).join(Verdict)))
    return next((public_id for public_id in order if public_id not in closed), None)


def test_what_was_sent_without_an_answer_can_be_sent_again_and_counts_once(aftermath: Aftermath) -> None:
    for reader in aftermath.readers:
        if reader.unanswered is None:
            continue
        assignment = reader.unanswered["assignment"]
        with serving.client(aftermath.server, reader.cookie) as browser:
            answers = [browser.post("/reading/verdict", json=reader.unanswered).json() for _ in range(2)]

        assert answers[0]["receipt"] == answers[1]["receipt"]
        with aftermath.database.read_only() as session:
            stored = session.exec(
                select(Verdict.receipt).join(Assignment).where(Assignment.public_id == assignment)
            ).all()
        assert list(stored) == [answers[0]["receipt"]]


def test_all_read_on_to_the_end_and_nothing_is_missing(aftermath: Aftermath) -> None:
    limit = time.monotonic() + LONGEST
    firsts = [
        submission.current_payload(aftermath.database, reader.actor, STUDY, "reading") for reader in aftermath.readers
    ]

    with ThreadPoolExecutor(RATERS) as pool:
        work = [
            pool.submit(_read_on, reader, aftermath.server, first, limit)
            for reader, first in zip(aftermath.readers, firsts, strict=True)
        ]
    for job in work:
        job.result()

    with aftermath.database.read_only() as session:
        verdicts = session.exec(select(Verdict)).all()
    assert len(verdicts) == RATERS * 6
    assert len({verdict.receipt for verdict in verdicts}) == RATERS * 6


def _read_on(reader: Reader, running: RunningServer, first: dict[str, Any], limit: float) -> None:
    with serving.client(running, reader.cookie) as browser:
        payload: dict[str, Any] | None = first
        while payload and payload["kind"] == "item" and time.monotonic() < limit:
            browser.post("/reading/shown", json={"assignment": payload["assignment"], "key": payload["key"]})
            body = {"assignment": payload["assignment"], "key": payload["key"], "answers": any_answers(payload)}
            payload = browser.post("/reading/verdict", json=body).json()["next"]
