"""The routes for going back to a verdict, going on, and the own summary; and how scans are cached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from services.people.identity import actor_of_token
from services.reading import instructions, submission
from tests.blinding.serving import client, cookie_of, served
from tests.harness.server import RunningServer
from tests.room_study import PRACTICE, PRACTISED, reading_rules, room_study, with_practice
from tests.situations import Situation, any_answers


@dataclass(frozen=True)
class Reader:
    """A signed-in reader: their client, and what the page gave them first."""

    http: httpx.Client
    situation: Situation
    token: str

    def desk(self) -> dict[str, Any]:
        actor = actor_of_token(self.situation.database, self.token)
        assert actor is not None
        return submission.payload_after_reload(self.situation.database, actor, "tiny", "reading")

    def submit(self, payload: dict[str, Any], answer: object = None) -> httpx.Response:
        shown = {"assignment": payload["assignment"], "key": payload["key"], "load_ms": 1, "renderer": "t"}
        assert self.http.post("/reading/shown", json=shown).status_code == 200
        return self.http.post(
            "/reading/verdict", json={**shown, "answers": any_answers(payload, answer), "active_ms": 1000}
        )


@pytest.fixture(scope="module")
def serving(
    migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Situation, RunningServer]]:
    folder = tmp_path_factory.mktemp("revising")
    with served(migrated_sqlite, folder, {"BLINDREAD_VOLUME_CACHE": "private"}) as (database, running):
        situation = room_study(
            database, folder / "study", with_practice, protocol=reading_rules(practice=PRACTICE, revision="session")
        )
        running.start()
        yield situation, running


@pytest.fixture(scope="module")
def reader(serving: tuple[Situation, RunningServer]) -> Iterator[Reader]:
    """The first rater, with the practice behind them."""
    situation, running = serving
    cookies = cookie_of(situation.database, running, "rater-1")
    with client(running, cookies) as http:
        opened = Reader(http, situation, next(iter(cookies.values())))
        actor = actor_of_token(situation.database, opened.token)
        assert actor is not None
        instructions.acknowledge_instructions(situation.database, actor, "tiny", "reading")
        payload = opened.desk()
        while payload["phase"] == "practice":
            answer = opened.submit(payload, PRACTISED[payload["prompt"]]).json()
            assert set(answer) == {"receipt", "saved_at", "next", "feedback"}
            assert answer["feedback"]["correct"] is True
            payload = answer["next"]
        yield opened


def test_a_verdict_is_reopened_revised_and_left_by_the_routes(reader: Reader) -> None:
    payload = reader.desk()
    first = reader.submit(payload).json()
    assert "feedback" not in first
    assert first["next"]["revisable"] == 1

    listed = reader.http.get("/reading/revisable", params={"assignment": payload["assignment"]}).json()["verdicts"]
    reopened = reader.http.post("/reading/reopen", json={"assignment": listed[0]["assignment"]}).json()["payload"]
    second = reader.submit(reopened).json()
    left = reader.http.post("/reading/reopen", json={"assignment": listed[0]["assignment"]})
    resumed = reader.http.post("/reading/resume", json={"assignment": payload["assignment"]}).json()["payload"]

    assert listed[0]["receipt"] == first["receipt"] == reopened["revision"]["receipt"]
    assert second["receipt"] != first["receipt"]
    assert left.json()["payload"]["revision"]["receipt"] == second["receipt"]
    assert second["next"]["assignment"] == resumed["assignment"] == first["next"]["assignment"]


def test_the_summary_holds_counts_and_times(reader: Reader) -> None:
    payload = reader.desk()
    reader.submit(payload)

    summary = reader.http.get("/reading/session", params={"assignment": payload["assignment"]}).json()

    assert set(summary) == {"unit", "items", "active_ms", "median_ms", "since"}
    assert summary["items"] >= 1
    assert summary["active_ms"] >= 1000


def test_somebody_elses_verdicts_are_neither_listed_nor_reopened(
    serving: tuple[Situation, RunningServer], reader: Reader
) -> None:
    situation, running = serving
    payload = reader.desk()
    reader.submit(payload)
    own = {"assignment": payload["assignment"]}

    with client(running, cookie_of(situation.database, running, "rater-2")) as other:
        refused = other.post("/reading/reopen", json=own)
        unknown = other.post("/reading/reopen", json={"assignment": "nobody's"})
        assert (refused.status_code, refused.content) == (unknown.status_code, unknown.content)
        assert refused.status_code == 404
        for route in ("revisable", "session", "scans"):
            assert other.get(f"/reading/{route}", params=own).content == unknown.content
            assert other.get(f"/reading/{route}").status_code == 400
        assert other.post("/reading/resume", json=own).content == unknown.content


@pytest.mark.parametrize("value", [None, 1, True, [], {}, "\x00", "x" * 5000, "' OR 1=1"])
@pytest.mark.parametrize("route", ["/reading/reopen", "/reading/resume"])
def test_odd_values_break_nothing(reader: Reader, route: str, value: object) -> None:
    answer = reader.http.post(route, json={"assignment": value})

    assert answer.status_code in {200, 400, 404, 409}
    assert answer.status_code == 200 or set(answer.json()) <= {"error", "next"}


def test_the_routes_are_shut_without_a_login_and_to_other_sites(serving: tuple[Situation, RunningServer]) -> None:
    _, running = serving
    with client(running, None) as nobody:
        assert nobody.get("/reading/revisable").status_code == 401
        assert nobody.get("/reading/session").status_code == 401
        assert nobody.get("/reading/scans").status_code == 401
        assert nobody.post("/reading/reopen", json={}).status_code == 401
        elsewhere = {"Origin": "https://elsewhere.example"}
        assert nobody.post("/reading/resume", json={}, headers=elsewhere).status_code == 403


def test_a_server_for_unshared_machines_lets_a_browser_keep_a_volume_for_the_hour(reader: Reader) -> None:
    url = reader.desk()["images"]["panes"][0]["volumes"][0]["url"]

    answer = reader.http.get(f"/{url}")

    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "private, max-age=3600, immutable"
    assert "etag" not in answer.headers
