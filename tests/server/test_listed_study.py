"""A study that lists its phases over HTTP: pages and the reading room's routes, to the end of its queues."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from db import Database
from services.people.identity import Actor, actor_of_token
from services.reading import instructions, submission, worklist
from tests.blinding.serving import client, cookie_of, served
from tests.blinding.streamlit_socket import run_page, text_of
from tests.harness.server import RunningServer
from tests.listed_study import READ_THEN_SCORE, closed_tables, opened_listed
from tests.situations import Situation, any_answers

STUDY = "listed"
# Of the author, and of no rater: the key of a phase, a model, the stratum of a sample.
HIDDEN = ("secret_arm", "model-a", "model-b", "model model-a")


@pytest.fixture(scope="module")
def serving(
    migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Situation, RunningServer]]:
    folder = tmp_path_factory.mktemp("listed")
    with served(migrated_sqlite, folder) as (database, running):
        situation = opened_listed(database, folder / "study", READ_THEN_SCORE, raters=1)
        running.start()
        yield situation, running


def actor_behind(database: Database, cookies: dict[str, str]) -> Actor:
    actor = actor_of_token(database, next(iter(cookies.values())))
    assert actor is not None
    return actor


def test_a_rater_works_through_all_queues_and_is_sent_nothing_that_is_hidden(
    serving: tuple[Situation, RunningServer],
) -> None:
    situation, running = serving
    cookies = cookie_of(situation.database, running, "rater-1")
    rater = actor_behind(situation.database, cookies)
    sent = [text_of(run_page(running, cookies, "worklist"))]
    answered = 0
    with client(running, cookies) as http:
        for desk in worklist.desks_of(situation.database, rater):
            address = f"study={STUDY}&phase={desk.queue.key}"
            sent.append(text_of(run_page(running, cookies, "reading", address)))
            instructions.acknowledge_instructions(situation.database, rater, STUDY, desk.queue.key)
            sent.append(text_of(run_page(running, cookies, "reading", address)))
            payload: dict[str, Any] = dict(submission.current_payload(situation.database, rater, STUDY, desk.queue.key))
            while payload["kind"] == "item":
                shown = {"assignment": payload["assignment"], "key": payload["key"], "load_ms": 1, "renderer": "t"}
                assert http.post("/reading/shown", json=shown).status_code == 200
                taken = http.post("/reading/verdict", json={**shown, "answers": any_answers(payload), "active_ms": 9})
                assert taken.status_code == 200
                sent.append(taken.text)
                payload = taken.json()["next"]
                answered += 1

    assert answered == 6 + 3 + 4
    assert "A second look" in sent[0]
    assert "Before you begin" in sent[1]
    assert "bidi_component" in sent[2]
    for hidden in HIDDEN:
        assert not [page for page in sent if hidden in page]
    assert "Traceback" not in running.log_text()


def test_an_admins_pages_draw_the_study_and_its_report(serving: tuple[Situation, RunningServer]) -> None:
    situation, running = serving
    cookies = cookie_of(situation.database, running, "admin")

    pages = [text_of(run_page(running, cookies, page, f"study={STUDY}")) for page in ("study", "preview")]
    verdicts = closed_tables(situation)["verdicts.csv"]
    pages.append(text_of(run_page(running, cookies, "report", f"study={STUDY}")))

    assert len(verdicts) == 13
    # Titles are escaped, for they are no Markdown.
    assert all("Reads, then scores" in page.replace("\\", "") for page in (pages[0], pages[2]))
    assert "Verdicts by phase" in pages[2]
    assert "Traceback" not in running.log_text()
    with client(running, cookies) as http:
        assert http.get(f"/download/{STUDY}/report-csv.zip").status_code == 200
