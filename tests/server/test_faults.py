"""While something is broken people are told so in words, what does not need it goes on, and then all of it does."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlmodel import select

from db import Database, LoginSession, Verdict
from db.base import now
from db.engine import make_engine
from services.people.identity import SEEN_RESOLUTION, actor_of_token
from services.reading import instructions, submission
from tests.blinding import serving
from tests.blinding.streamlit_socket import run_page, text_of
from tests.harness import databases, postgresql
from tests.harness.faulty import full_disk, held_by_another_program
from tests.harness.server import RunningServer
from tests.situations import any_answers, open_study

STUDY = "tiny"
AT_ONCE = 40  # more than there are threads of any kind
PAGE = {"Accept": "text/html"}
WAITING = "The database does not answer at the moment"


@dataclass
class Served:
    """A server with the tiny study, and a rater's cookie."""

    database: Database
    server: RunningServer
    cookie: dict[str, str]

    def client(self) -> httpx.Client:
        return serving.client(self.server, self.cookie)

    def desk(self) -> dict[str, Any]:
        actor = actor_of_token(self.database, next(iter(self.cookie.values())))
        assert actor is not None
        return submission.current_payload(self.database, actor, STUDY, "reading")

    def at_once(
        self, send: Callable[[httpx.Client, int], httpx.Response], count: int = AT_ONCE
    ) -> list[httpx.Response]:
        """Send requests at the same moment, each on a connection of its own."""

        def answer_to(number: int) -> httpx.Response:
            with self.client() as browser:
                return send(browser, number)

        with ThreadPoolExecutor(count) as pool:
            return list(pool.map(answer_to, range(count)))


def make_served(database: Database, running: RunningServer, folder: Path) -> Served:
    situation = open_study(database, folder)
    instructions.acknowledge_instructions(database, situation.raters[0], STUDY, "reading")
    running.start()
    return Served(database, running, serving.cookie_of(database, running, "rater-1"))


@pytest.fixture
def on_sqlite(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Served]:
    with serving.served(migrated_sqlite, tmp_path / "served") as (database, running):
        yield make_served(database, running, tmp_path / "study")


@contextmanager
def own_postgresql() -> Iterator[tuple[postgresql.PostgresServer, str]]:
    programs = postgresql.find_postgresql()
    assert programs is not None
    server = postgresql.PostgresServer(programs)
    try:
        url = server.url(server.create_database())
        databases.migrate(url)
        yield server, url
    finally:
        server.resume()
        server.stop()


def draft(browser: httpx.Client, assignment: str, sequence: int) -> httpx.Response:
    answers = {"fields": {}, "not_assessable": None, "comment": f"typed {sequence}", "flag": None}
    return browser.post("/reading/draft", json={"assignment": assignment, "sequence": sequence, "answers": answers})


def told_to_try_again(answer: httpx.Response) -> bool:
    return answer.status_code == 503 and int(answer.headers["Retry-After"]) > 0 and WAITING in answer.json()["error"]


def test_a_file_that_another_program_holds_is_waited_for_a_while_and_then_all_goes_on(on_sqlite: Served) -> None:
    assignment = on_sqlite.desk()["assignment"]

    with held_by_another_program(on_sqlite.server.data_dir / "blindread.db"):
        during = on_sqlite.at_once(lambda browser, number: draft(browser, assignment, number + 1))
        with on_sqlite.client() as browser:
            health, page = browser.get("/health"), browser.get("/", headers=PAGE)
        drawn = text_of(run_page(on_sqlite.server, on_sqlite.cookie))
    with on_sqlite.client() as browser:
        afterwards = [draft(browser, assignment, 100 + number) for number in range(3)]

    assert all(told_to_try_again(answer) for answer in during)
    assert (health.status_code, page.status_code) == (200, 200)
    assert "A tiny study" in drawn
    assert [answer.status_code for answer in afterwards] == [200, 200, 200]


@pytest.mark.postgresql
@pytest.mark.server
def test_a_postgresql_that_hangs_stops_neither_health_nor_the_sign_in_page(tmp_path: Path) -> None:
    with own_postgresql() as (postgres, url):
        (tmp_path / "data").mkdir()
        database = Database(make_engine(url), tmp_path / "data")
        running = RunningServer(tmp_path / "data", tmp_path / "server.log", {"DATABASE_URL": url})
        try:
            served = make_served(database, running, tmp_path / "study")
            assignment = served.desk()["assignment"]
            database.engine.dispose()

            postgres.pause()
            during = served.at_once(lambda browser, number: draft(browser, assignment, number + 1))
            with served.client() as browser:
                health, sign_in = browser.get("/health"), browser.get("/sign-in", headers=PAGE)
                ready, page = browser.get("/ready"), browser.get("/", headers=PAGE)
            postgres.resume()
            running.wait_until_ready()
            with served.client() as browser:
                saved = draft(browser, assignment, 100)
            drawn = text_of(run_page(running, served.cookie))
        finally:
            running.stop()
            database.engine.dispose()

    assert all(told_to_try_again(answer) for answer in during)
    assert (health.status_code, sign_in.status_code, ready.status_code) == (200, 200, 503)
    assert page.status_code == 503
    assert "waiting for its database" in page.text
    assert "Try again" in page.text
    assert saved.status_code == 200
    assert "A tiny study" in drawn


def test_a_full_disk_lets_everybody_look_and_tells_whoever_writes(on_sqlite: Served) -> None:
    payload = on_sqlite.desk()
    long_ago = now() - 2 * SEEN_RESOLUTION
    with on_sqlite.database.writing() as session:
        for login_session in session.exec(select(LoginSession)).all():
            login_session.last_seen_at = long_ago
            # By the monotonic clock it would still be seconds ago.
            login_session.seen_monotonic_ms = None
            session.add(login_session)

    with on_sqlite.client() as browser, full_disk(on_sqlite.server.pid, 4096):
        written = [draft(browser, payload["assignment"], number) for number in range(1, 4)]
        drawn = text_of(run_page(on_sqlite.server, on_sqlite.cookie, "reading", f"study={STUDY}"))
        volume = browser.get("/" + payload["images"]["panes"][0]["volumes"][0]["url"])
    with on_sqlite.client() as browser:
        afterwards = draft(browser, payload["assignment"], 10)

    assert {answer.status_code for answer in written} == {503}
    assert all("cannot store anything" in answer.json()["error"] for answer in written)
    assert payload["prompt"] in drawn
    assert volume.status_code == 200
    assert afterwards.status_code == 200


def test_who_was_seen_is_written_beside_the_request_once_a_minute(on_sqlite: Served) -> None:
    long_ago = now() - 2 * SEEN_RESOLUTION
    with on_sqlite.database.writing() as session:
        for login_session in session.exec(select(LoginSession)).all():
            login_session.last_seen_at = long_ago
            # By the monotonic clock it would still be seconds ago.
            login_session.seen_monotonic_ms = None
            session.add(login_session)

    def moments() -> set[Any]:
        with on_sqlite.database.read_only() as session:
            return {row.last_seen_at for row in session.exec(select(LoginSession)).all()}

    before = moments()
    with on_sqlite.client() as browser:
        for _ in range(200):
            assert browser.get("/reading/session").status_code in {200, 400}
            if moments() != before:
                break
        first = moments()
        for _ in range(20):
            browser.get("/reading/session")

    assert first != before
    assert moments() == first


def test_an_error_is_a_page_of_ours_for_people_and_a_sentence_for_scripts(on_sqlite: Served) -> None:
    _break(on_sqlite.database)

    with on_sqlite.client() as browser:
        page, script = browser.get("/", headers=PAGE), browser.get("/reading/session?assignment=x")

    assert (page.status_code, script.status_code) == (500, 500)
    assert "Something went wrong" in page.text
    assert "All saved answers are safe" in page.text
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert set(script.json()) == {"error"}
    assert "Internal Server Error" not in page.text + script.text


def test_an_error_leaves_the_connection_open_and_a_bounded_log(on_sqlite: Served) -> None:
    _break(on_sqlite.database)
    name, value = next(iter(on_sqlite.cookie.items()))
    before = len(on_sqlite.server.log_text())

    statuses = []
    with closing(http.client.HTTPConnection("127.0.0.1", on_sqlite.server.port, timeout=30)) as connection:
        connection.connect()
        first = connection.sock
        for _ in range(100):
            connection.request("GET", "/reading/session", headers={"Cookie": f"{name}={value}"})
            answer = connection.getresponse()
            answer.read()
            statuses.append(answer.status)
        # A connection that was closed would have been opened anew.
        assert connection.sock is first
    log = on_sqlite.server.log_text()[before:]

    lines = [json.loads(line) for line in log.splitlines() if '"failed"' in line]
    assert set(statuses) == {500}
    assert len(lines) == 100
    assert sum("Traceback (most recent call last)" in line["trace"] for line in lines) == 1
    assert max(map(len, log.splitlines())) < 6_000
    assert len(log) < 100 * 400 + 6_000


def test_a_page_that_fails_says_so_and_offers_another_try(on_sqlite: Served) -> None:
    with on_sqlite.database.engine.connect() as connection:
        connection.exec_driver_sql("ALTER TABLE study RENAME COLUMN title TO gone")
        connection.commit()

    drawn = text_of(run_page(on_sqlite.server, on_sqlite.cookie))

    assert "This page could not be displayed" in drawn
    assert "Try again" in drawn
    assert "OperationalError" not in drawn
    # The kind and the place of the error are in the log, and not the statement or the values that it quotes.
    log = on_sqlite.server.log_text()
    assert "sqlalchemy.exc.OperationalError" in log
    assert "SELECT" not in log


def test_a_verdict_that_is_committed_is_answered_with_its_receipt_although_the_next_item_cannot_be_sent(
    on_sqlite: Served,
) -> None:
    payload = on_sqlite.desk()
    _store_nan(on_sqlite.database)
    given = any_answers(payload)

    with on_sqlite.client() as browser:
        shown = browser.post("/reading/shown", json={"assignment": payload["assignment"], "key": payload["key"]})
        verdict = {"assignment": payload["assignment"], "key": payload["key"], "answers": given}
        first, again = browser.post("/reading/verdict", json=verdict), browser.post("/reading/verdict", json=verdict)

    with on_sqlite.database.read_only() as session:
        stored = session.exec(select(Verdict.receipt)).all()
    assert shown.status_code == 200
    assert (first.status_code, again.status_code) == (200, 200)
    assert [first.json()["receipt"], again.json()["receipt"]] == [stored[0], stored[0]]
    assert first.json()["next"] is None
    assert len(stored) == 1


def _break(database: Database) -> None:
    """Change the schema under the running server, so that nobody can be looked up."""
    with database.engine.connect() as connection:
        connection.exec_driver_sql("ALTER TABLE login_session RENAME COLUMN ended_at TO gone")
        connection.commit()


def _store_nan(database: Database) -> None:
    """Give every field of the stored protocol a minimum that is no number, as an older release took it."""
    with database.engine.connect() as connection:
        record = connection.exec_driver_sql("SELECT canonical_json FROM protocol").scalar_one()
        protocol = json.loads(record)
        forms = protocol["forms"]
        for form in forms.values() if isinstance(forms, dict) else forms:
            for field in form["fields"]:
                field["minimum"] = float("nan")
        connection.exec_driver_sql("UPDATE protocol SET canonical_json = ?", (json.dumps(protocol),))
        connection.commit()
