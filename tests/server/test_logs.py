"""An error is logged with where it arose and of what kind it is, and without what somebody had entered."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterator

import pytest

from server.logs import configure_logs
from services.reading import instructions, submission
from tests.blinding.marked_study import OBSERVED, STUDY, mark
from tests.blinding.serving import ServedStudy
from tests.blinding.streamlit_socket import run_page
from tests.blinding.transcript import Chunk, marks_in


@pytest.fixture
def configured() -> Iterator[None]:
    """The server's own way of logging, for the length of a test."""
    factory = logging.getLogRecordFactory()
    configure_logs()
    yield
    logging.setLogRecordFactory(factory)


def logged(error: BaseException) -> str:
    """Return what a library's logger writes about an error."""
    try:
        raise error
    except type(error):
        record = logging.getLogger("tests").makeRecord(
            "tests", logging.ERROR, __file__, 1, "It failed", (), _info(error)
        )
    return logging.Formatter().format(record)


def _info(error: BaseException) -> tuple[type[BaseException], BaseException, object]:
    return type(error), error, error.__traceback__


@pytest.mark.usefixtures("configured")
def test_the_kind_and_the_place_of_an_error_are_logged_and_not_its_words() -> None:
    text = logged(ValueError(mark("answer")))

    assert "builtins.ValueError" in text
    assert "test_logs.py" in text
    assert mark("answer") not in text


@pytest.mark.usefixtures("configured")
def test_what_an_error_came_from_is_logged_before_it_and_tells_what_the_machine_lacks() -> None:
    error = ValueError(mark("answer"))
    error.__cause__ = sqlite3.OperationalError("database or disk is full")

    text = logged(error)

    assert text.index("sqlite3.OperationalError: database or disk is full") < text.index("builtins.ValueError")
    assert mark("answer") not in text


@pytest.mark.usefixtures("configured")
def test_every_error_of_a_group_is_named() -> None:
    text = logged(ExceptionGroup(mark("answer"), [ValueError(mark("one")), KeyError(mark("two"))]))

    assert {"builtins.ValueError", "builtins.KeyError", "builtins.ExceptionGroup"} <= set(text.split())
    assert marks_in([Chunk("log", text.encode())]) == {}


def test_an_answered_request_leaves_its_route_status_and_duration_and_nothing_of_whose_it_was(
    marked: ServedStudy,
) -> None:
    token = "a-token-that-fits-no-scan"

    with marked.client(OBSERVED) as browser:
        browser.get(f"/reading/volume/{token}")

    lines = [line for line in marked.server.log_text().splitlines() if "/reading/volume" in line]
    assert json.loads(lines[-1]).keys() == {"event", "route", "status", "ms", "level", "timestamp"}
    assert json.loads(lines[-1])["status"] == 404
    assert token not in marked.server.log_text()


def test_an_answer_that_the_database_could_not_store_is_in_no_log(marked: ServedStudy) -> None:
    database, rater = marked.study.database, marked.study.observed
    assignment = submission.current_payload(database, rater, STUDY, "reading")["assignment"]
    instructions.acknowledge_instructions(database, rater, STUDY, "reading")
    typed = {"fields": {"answer": mark("typed")}, "comment": mark("remark")}
    with database.engine.connect() as connection:
        connection.exec_driver_sql("ALTER TABLE draft RENAME COLUMN answers TO gone")
        connection.commit()

    with marked.client(OBSERVED) as browser:
        answer = browser.post("/reading/draft", json={"assignment": assignment, "sequence": 1, "answers": typed})
    run_page(marked.server, marked.cookie(OBSERVED), "reading", f"study={STUDY}")

    log = marked.server.log_text()
    assert answer.status_code == 500
    assert "sqlalchemy.exc.OperationalError" in log
    assert "save_draft" in log
    assert "payload_after_reload" in log
    assert marks_in([Chunk("log", log.encode())]) == {}
    assert assignment not in log
