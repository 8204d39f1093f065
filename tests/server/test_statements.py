"""What one item costs in SQL statements, from the gate to the answer; BEGIN and COMMIT are not counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from components.viewer import bundle_name, bundle_path
from db import Database, database_from_environment
from server import reading_room
from server.gate import Gate
from services.adjudication.review_queue import open_review_queue
from services.people import identity
from services.reading import instructions, submission
from services.studies import catalogue
from tests.room_study import practising, reading_rules, room_study, with_conversation, with_overlays
from tests.situations import Situation, any_answers, on_the_desk, open_study, read_all

MOST_PER_ITEM = 40
SITE = "http://testserver"
Make = Callable[[Database, Path], Situation]


@pytest.fixture
def installed(database_url: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A fresh database, once SQLite and once PostgreSQL, that the routes of this process serve."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("BLINDREAD_DATA_DIR", str(data_dir))
    database_from_environment.cache_clear()
    database = database_from_environment()
    yield database
    database.engine.dispose()
    database_from_environment.cache_clear()


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    """Collect the statements that the database is asked to execute within the block."""
    collected: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if not statement.startswith("BEGIN"):
            collected.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield collected
    finally:
        event.remove(engine, "before_cursor_execute", note)


def client_of(database: Database, login: str) -> TestClient:
    """Sign somebody in and return a client that talks to the reading room's routes through the gate."""
    token = identity.use_link(database, identity.make_link(database, login, "sign_in"), None)
    app = Starlette(routes=reading_room.routes, middleware=[Middleware(Gate)])
    # The cookie's name carries the port, of which this address has none.
    return TestClient(app, cookies={"blindread-default": token}, headers={"Origin": SITE}, base_url=SITE)


def work_through(client: TestClient, payload: dict[str, Any]) -> dict[str, Any]:
    """Do what a browser does with one item: its scans, the display, four drafts, the verdict; return the next item."""
    for url in _volumes_of(payload):
        assert client.get(f"/{url}").status_code == 200
    name = {"assignment": payload["assignment"]}
    _post(client, "shown", {**name, "load_ms": 200, "renderer": "canvas", "viewport": [1440, 900]})
    given = any_answers(payload)
    for number in range(1, 5):
        _post(client, "draft", {**name, "sequence": number, "answers": {**given, "comment": "a word " * number}})
    measured = {"active_ms": 9, "idle_ms": 0, "load_ms": 2, "renderer": "canvas", "viewport": [1440, 900], "trace": {}}
    following: dict[str, Any] = _post(client, "verdict", {**name, "key": payload["key"], "answers": given, **measured})[
        "next"
    ]
    return following


def _volumes_of(payload: dict[str, Any]) -> list[str]:
    """Return two addresses of scans, of the item and what is fetched ahead; one of them twice where there is one."""
    shown = [volume["url"] for pane in (payload["images"] or {"panes": []})["panes"] for volume in pane["volumes"]]
    offered = [*shown, *payload["prefetch"]]
    return [*offered, *offered][:2]


def _post(client: TestClient, route: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(f"/reading/{route}", json=body)
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


def _first_item(situation: Situation, login: str, queue: str = "reading") -> tuple[TestClient, dict[str, Any]]:
    """Sign somebody in anew, let them acknowledge their instructions, and return what is on their desk."""
    client = client_of(situation.database, login)
    actor = identity.actor_of_token(situation.database, client.cookies["blindread-default"])
    assert actor is not None
    instructions.acknowledge_instructions(situation.database, actor, situation.study_key, queue)
    return client, on_the_desk(situation, actor, queue)


def _plain(database: Database, folder: Path) -> Situation:
    return open_study(database, folder)


def _revisable(database: Database, folder: Path) -> Situation:
    return room_study(database, folder, protocol=reading_rules(revision="study"))


def _talking(database: Database, folder: Path) -> Situation:
    return room_study(database, folder, with_conversation, with_overlays)


def _practising(database: Database, folder: Path) -> Situation:
    return practising(database, folder)


@pytest.mark.parametrize(
    ("make", "most"),
    [
        (_plain, MOST_PER_ITEM),
        (_revisable, MOST_PER_ITEM + 8),
        (_talking, MOST_PER_ITEM + 1),
        (_practising, MOST_PER_ITEM + 18),
    ],
    ids=["plain", "revisable", "conversation", "practice"],
)
def test_an_item_that_is_read_takes_at_most_so_many_statements(
    installed: Database, tmp_path: Path, make: Make, most: int
) -> None:
    situation = make(installed, tmp_path / "study")
    # What is frozen has been read by then: somebody else of the process has had all items before.
    read_all(situation, situation.raters[1])
    client, payload = _first_item(situation, "rater-1")
    second = work_through(client, payload)
    assert len(_volumes_of(second)) == 2

    with statements(installed.engine) as executed:
        third = work_through(client, second)

    print(f"{len(executed)} statements")
    assert third["kind"] == "item"
    assert len(executed) <= most


def test_an_answer_that_is_scored_takes_at_most_so_many_statements(installed: Database, tmp_path: Path) -> None:
    situation = open_study(installed, tmp_path / "study")
    read_all(situation, situation.raters[0])
    client, payload = _first_item(situation, "rater-1", "scoring")
    second = work_through(client, payload)

    with statements(installed.engine) as executed:
        work_through(client, second)

    print(f"{len(executed)} statements")
    assert second["phase"] == "scoring"
    # Each act asks once more whether every own read is closed: this part shows references.
    assert len(executed) <= MOST_PER_ITEM + 4


def test_a_review_and_its_decision_take_at_most_so_many_statements(installed: Database, tmp_path: Path) -> None:
    situation = open_study(installed, tmp_path / "study")
    read_all(situation, situation.raters[0])
    read_all(situation, situation.raters[1], by_prompt={"Prompt of i1?": "no", "Prompt of i2?": "right"})
    open_review_queue(installed, situation.admin, situation.study_key)
    client, payload = _first_item(situation, "reviewer", "review")
    decided = work_through(client, work_through(client, payload))

    with statements(installed.engine) as of_review:
        opinions = work_through(client, decided)
    with statements(installed.engine) as of_decision:
        work_through(client, opinions)

    print(f"{len(of_review)} and {len(of_decision)} statements")
    assert (decided["phase"], opinions["phase"]) == ("review", "opinions")
    assert len(of_review) <= MOST_PER_ITEM + 10
    assert len(of_decision) <= MOST_PER_ITEM + 10


def test_files_of_the_program_ask_the_database_once_and_then_not_again_for_a_while(
    installed: Database, tmp_path: Path
) -> None:
    open_study(installed, tmp_path / "study")
    client = client_of(installed, "rater-1")
    bundle = f"/assets/viewer/{bundle_name()}"

    with statements(installed.engine) as first:
        content = client.get(bundle).content
    with statements(installed.engine) as later:
        plain = client.get(bundle, headers={"Accept-Encoding": "identity"})
        refused = [client.get(path).status_code for path in ("/static/js/none.js", "/component/none/none.js")]

    assert len(first) == 1
    assert later == []
    assert content == plain.content == bundle_path().read_bytes()
    assert refused == [404, 404]


def test_who_was_known_a_moment_ago_is_asked_for_again_by_everything_else(installed: Database, tmp_path: Path) -> None:
    situation = open_study(installed, tmp_path / "study")
    client, payload = _first_item(situation, "rater-1")
    bundle = f"/assets/viewer/{bundle_name()}"
    assert client.get(bundle).status_code == 200

    actor = identity.actor_of_token(installed, client.cookies["blindread-default"])
    assert actor is not None
    identity.sign_out(installed, actor.login_session_id)

    assert client.get(f"/{_volumes_of(payload)[0]}").status_code == 401
    assert client.get("/reading/revisable", params={"assignment": payload["assignment"]}).status_code == 401
    assert client.get(bundle).status_code == 200
    client.cookies.clear()
    assert client.get(bundle).status_code == 401


def test_a_rerun_of_the_rooms_page_takes_at_most_so_many_statements(installed: Database, tmp_path: Path) -> None:
    situation = open_study(installed, tmp_path / "study")
    _first_item(situation, "rater-1")
    login_session_id = situation.raters[0].login_session_id

    def rerun() -> None:
        """Ask what pages/entry/navigation.py and pages/rater/room.py ask, in their order."""
        actor = identity.actor_of_session(installed, login_session_id)
        assert catalogue.roles_of(installed, actor) == {"rater"}
        actor = identity.actor_of_session(installed, login_session_id)
        assert instructions.of_queue(installed, actor, situation.study_key, "reading").acknowledged
        assert submission.payload_after_reload(installed, actor, situation.study_key, "reading")["kind"] == "item"

    rerun()
    with statements(installed.engine) as executed:
        rerun()

    print(f"{len(executed)} statements")
    assert len(executed) <= 9
