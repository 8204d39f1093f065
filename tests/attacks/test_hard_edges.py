"""Damaged rows, forged senders, clocks, and two logins at once."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio.from_thread import start_blocking_portal
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed

from db import Database, now
from db.engine import make_engine
from db.waiting import Unavailable, within
from server import hosts
from services.errors import Conflict
from services.people import identity, notices, signing_in
from services.reading import instructions, revising, submission
from services.record import verification
from tests.blinding.attacking import assignments_of
from tests.blinding.marked_study import OBSERVED, STUDY
from tests.blinding.serving import ServedStudy, client
from tests.blinding.streamlit_socket import ask, messages_of_run, run_page, socket, text_of
from tests.harness import databases
from tests.situations import (
    PROTOCOL,
    Situation,
    any_answers,
    on_the_desk,
    open_study,
    show,
    signed_in,
    submit,
)

HIDDEN = b"zqhidden"
PASSWORD = "correct horse battery"


# ---- what a reader can send and see ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cookies(marked: ServedStudy) -> dict[str, str]:
    return marked.cookie(OBSERVED)


@pytest.fixture(scope="module")
def rater(marked: ServedStudy, cookies: dict[str, str]) -> Iterator[httpx.Client]:
    with client(marked.server, cookies) as opened:
        yield opened


ODD: tuple[Any, ...] = (
    None, True, -1, 2**64, 10**30, 1e308, "", "x" * 5000, [[]], {}, {"fields": []}, {"fields": {"answer": []}},
    {"fields": {"answer": {}}}, {"fields": {"answer": 10**30}}, {"fields": {"": 1}}, {"fields": {}, "flag": 5},
    {"fields": {}, "flag": {"id": []}}, {"fields": {}, "not_assessable": {}}, {"fields": {}, "comment": {"a": 1}},
)  # fmt: skip


@pytest.mark.parametrize("act", ["shown", "draft", "verdict", "failure", "damage", "reopen", "resume"])
def test_no_odd_value_in_any_place_of_a_request_is_an_error_or_shows_something_hidden(
    marked: ServedStudy, rater: httpx.Client, act: str
) -> None:
    instructions.acknowledge_instructions(marked.study.database, marked.study.observed, STUDY, "reading")
    desk = submission.current_payload(marked.study.database, marked.study.observed, STUDY, "reading")
    plain = {"assignment": desk["assignment"], "key": "k", "sequence": 1, "answers": {"fields": {}}, "volume": "x"}
    plain |= {"load_ms": 1, "active_ms": 1, "idle_ms": 1, "viewport": [1, 1], "renderer": "x", "trace": {}}
    places = ["assignment"] if act == "failure" else list(plain)
    answers = [rater.post(f"/reading/{act}", json={**plain, place: odd}) for place in places for odd in ODD]

    assert [answer.text for answer in answers if answer.status_code >= 500 or HIDDEN in answer.content] == []


@pytest.mark.parametrize(
    "page", ["reading", "study", "report", "preview", "documentation", "people", "import", "worklist"]
)
@pytest.mark.parametrize(
    "query",
    [
        *(f"study={STUDY}&phase={phase}" for phase in ("scoring", "review", "opinions", "practice", "admin", "")),
        f"study={STUDY}%00&phase=reading", "phase=%00&study=%ff", f"study=none&study={STUDY}&phase=review&open=1",
    ],
)  # fmt: skip
def test_no_edited_address_of_a_page_shows_a_rater_something_hidden(
    marked: ServedStudy, cookies: dict[str, str], page: str, query: str
) -> None:
    assert HIDDEN.decode() not in text_of(run_page(marked.server, cookies, page, query))


@pytest.mark.parametrize("kind", ["debug_shutdown_runtime", "debug_disconnect_websocket", "clear_cache", "stop_script"])
def test_no_message_for_developers_stops_the_server_or_the_page(
    marked: ServedStudy, cookies: dict[str, str], rater: httpx.Client, kind: str
) -> None:
    with socket(marked.server, cookies) as opened:
        ask(opened)
        messages_of_run(opened)
        opened.send(BackMsg(**{kind: True}).SerializeToString())
        ask(opened)
        assert messages_of_run(opened)
    assert rater.get("/health").status_code == 200


def test_frames_of_nonsense_end_at_most_their_own_socket(
    marked: ServedStudy, cookies: dict[str, str], rater: httpx.Client
) -> None:
    chance = random.Random(5)
    # The server may close it at any of them.
    with contextlib.suppress(ConnectionClosed), socket(marked.server, cookies) as opened:
        for _ in range(30):
            opened.send(chance.randbytes(chance.randrange(1, 200)))
    assert rater.get("/health").status_code == 200
    assert run_page(marked.server, cookies)


@pytest.mark.parametrize("path", ["my-study.zip", "neuroqa_reads.zip", "..%2fdemo.zip"])
def test_a_study_to_start_from_is_sent_to_no_rater(rater: httpx.Client, path: str) -> None:
    assert not rater.get(f"/download/new-study/{path}").content.startswith(b"PK")
    for method in ("HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        assert rater.request(method, f"/download/new-study/{path}").status_code >= 400


@pytest.mark.parametrize("path", ["my-study.zip/manifest.json", "%2e/my-study.zip", "MY-STUDY.ZIP"])
def test_another_spelling_of_a_study_to_start_from_is_no_file(rater: httpx.Client, path: str) -> None:
    # Whatever is no address of ours is answered with the application's page.
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        answer = rater.request(method, f"/download/new-study/{path}")
        assert not answer.content.startswith(b"PK")
        assert "content-disposition" not in answer.headers


@pytest.mark.parametrize("study", ["%00", "%0d%0aX:y", "%22", "~", "é", "."])
def test_no_odd_study_in_the_address_of_a_download_writes_a_header(rater: httpx.Client, study: str) -> None:
    answer = rater.get(f"/download/{STUDY}{study}/manifest.json")

    assert answer.status_code in {400, 403, 404}
    assert "content-disposition" not in answer.headers


@pytest.mark.parametrize("origin", ["http://[", "http://[x]y/", "http://[127.0.0.1:80]"])
def test_an_origin_that_is_no_address_is_refused_as_another_site(rater: httpx.Client, origin: str) -> None:
    assert rater.post("/reading/shown", json={}, headers={"Origin": origin}).status_code == 403


# ---- verdicts: two logins, other keys, a database that is held -------------------------------------------------------


def test_the_key_of_one_item_or_login_files_no_answer_under_another(opened: Situation) -> None:
    rater, again = opened.raters[0], signed_in(opened.database, "rater-1")
    first = on_the_desk(opened, rater)
    show(opened, rater, first)
    receipt = submit(opened, rater, first)
    second = on_the_desk(opened, rater)
    show(opened, rater, second)

    for actor, key in ((rater, first["key"]), (again, second["key"]), (rater, ""), (rater, second["key"].upper())):
        with pytest.raises(Conflict):
            submission.submit(opened.database, actor, second["assignment"], key, any_answers(second))
    assert submission.submit(opened.database, again, first["assignment"], first["key"], any_answers(first)) == receipt


def test_twelve_submits_at_once_from_two_logins_leave_one_verdict_and_one_receipt(opened: Situation) -> None:
    logins = (opened.raters[0], signed_in(opened.database, "rater-1"))
    desks = [on_the_desk(opened, actor) for actor in logins]
    for actor, desk in zip(logins, desks, strict=True):
        show(opened, actor, desk)

    def hand_in(number: int) -> str:
        desk = desks[number % 2]
        try:
            given = {**any_answers(desk), "comment": str(number)}
            return submit(opened, logins[number % 2], desk, given).receipt
        except Conflict:
            return ""

    with ThreadPoolExecutor(12) as pool:
        receipts = [receipt for receipt in pool.map(hand_in, range(12)) if receipt]
    assert len(receipts) == 1
    assert verification.verify_study(opened.database, "tiny") == []


def test_nothing_ahead_is_drafted_shown_given_up_or_submitted_by_a_second_login(opened: Situation) -> None:
    again = signed_in(opened.database, "rater-1")
    ahead = assignments_of(opened, again, "reading")[2]

    for act in (
        lambda: submission.save_draft(opened.database, again, ahead, 1, {"fields": {}}),
        lambda: show(opened, again, {"assignment": ahead}),
        lambda: submission.report_failure(opened.database, again, ahead, "x"),
    ):
        with pytest.raises(Conflict):
            act()


def test_a_patience_that_ran_out_on_a_connection_does_not_stay_on_it(opened: Situation) -> None:
    engine, rater = opened.database.engine, opened.raters[0]
    held = sqlite3.connect(str(engine.url.database), isolation_level=None)
    held.execute("BEGIN EXCLUSIVE")
    for seconds in (0.3, 0.0):
        with pytest.raises(Unavailable), within(seconds):
            show(opened, rater, on_the_desk(opened, rater))
    held.execute("ROLLBACK")
    held.close()

    for _ in range(2):
        with engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 5000
            connection.invalidate()


def test_a_clock_that_is_set_back_refuses_no_revision(
    migrated_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, tmp_path / "data" / "blindread.db"))
    rules = {"reading": {**PROTOCOL["reading"], "revision": "session"}}
    situation = open_study(Database(engine, tmp_path / "data"), tmp_path / "study", rules)
    rater = situation.raters[0]
    desk = on_the_desk(situation, rater)
    show(situation, rater, desk)
    submit(situation, rater, desk)
    reopened = revising.reopen(situation.database, rater, desk["assignment"])
    monkeypatch.setattr("services.people.clock.now", lambda: now() - timedelta(hours=3))
    show(situation, rater, reopened)

    assert submit(situation, rater, reopened).receipt
    engine.dispose()


# ---- signing in ------------------------------------------------------------------------------------------------------


def test_whoever_set_a_password_by_a_link_puts_no_notice_of_a_further_link_away(opened: Situation) -> None:
    database = opened.database
    joined = identity.make_link(database, "rater-1", "join", by=opened.admin)
    identity.use_link(database, joined, PASSWORD)
    identity.use_link(database, identity.make_link(database, "rater-1", "sign_in", by=opened.admin), None)
    by_password = identity.actor_of_token(database, signing_in.sign_in(database, "rater-1", PASSWORD))
    assert by_password is not None
    count = len(notices.notices_of(database, by_password))
    notices.confirm_notices(database, by_password)

    assert len(notices.notices_of(database, by_password)) == count


def come_through(said: str, peer: tuple[str, int]) -> tuple[str, str]:
    """Return address and scheme of a request behind `Hosts`, where this machine alone is a proxy."""
    received: dict[str, Any] = {}

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        received.update(scope)

    async def nothing(*_: Any) -> dict[str, Any]:
        return {}

    guard = hosts.Hosts(app)
    guard.proxies = hosts.networks(("127.0.0.1",))
    headers = [(b"host", b"localhost"), (b"x-forwarded-for", said.encode()), (b"x-forwarded-proto", b"https")]
    scope = {"type": "http", "scheme": "http", "client": peer, "headers": headers}
    # Not asyncio.run: an event loop of Playwright's may stand in this thread.
    with start_blocking_portal() as portal:
        portal.call(guard, scope, nothing, nothing)
    return received["client"][0], received["scheme"]


@pytest.mark.parametrize("said", ["1.2.3.4", "127.0.0.1, 1.2.3.4", "1.2.3.4:0, 127.0.0.1:1"])
def test_a_stranger_who_names_other_addresses_keeps_their_own(said: str) -> None:
    assert come_through(said, ("10.0.0.5", 54321)) == ("10.0.0.5", "http")


@pytest.mark.parametrize("said", ["10.0.0.5:54321, 1.2.3.4", "1.2.3.4, 10.0.0.5:54321"])
def test_a_stranger_who_names_their_own_port_is_no_proxy(said: str) -> None:
    assert come_through(said, ("10.0.0.5", 54321)) == ("10.0.0.5", "http")


@pytest.mark.parametrize("name", ["127.0.0.1:1@evil.example", "localhost:evil.example", "[::1]:x@evil.example"])
def test_a_name_with_something_else_than_a_port_behind_it_is_not_ours(name: str) -> None:
    assert hosts.name_of(name) not in hosts.ALWAYS_ALLOWED
