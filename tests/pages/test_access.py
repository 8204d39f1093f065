"""A deep link as the very first request on a freshly started server shows nobody a page that is not theirs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect
from streamlit.util import calc_hash
from websockets.exceptions import InvalidStatus

from components import frame
from tests.blinding import serving
from tests.blinding.marked_study import OBSERVED, STUDY, MarkedStudy, mark, marked_study
from tests.blinding.serving import ServedStudy
from tests.blinding.streamlit_socket import ask, drawn, messages_of_run, run_page, socket, text_of
from tests.blinding.transcript import Chunk, marks_in

PAGES = frame.SCRIPTS
SCRIPTS = sorted(path.relative_to(PAGES).as_posix() for path in PAGES.rglob("*.py"))
OF_RATERS = {"rater/worklist.py", "rater/room.py"}
OTHERS = [script for script in SCRIPTS if script not in OF_RATERS]
ADDRESSES = {row.script: address for address, row in frame.PAGES.items()}


@pytest.fixture(scope="module")
def unserved(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedStudy]:
    """The marked study with a server that every test starts for itself."""
    folder = tmp_path_factory.mktemp("access")
    with serving.served(migrated_sqlite, folder) as (database, running):
        yield ServedStudy(marked_study(database, folder / "study"), running)


@pytest.fixture
def fresh(unserved: ServedStudy) -> ServedStudy:
    """A server that has just been started and has answered nobody's page yet."""
    unserved.server.restart()
    return unserved


def test_every_page_has_a_script_and_an_address() -> None:
    assert set(ADDRESSES) == set(SCRIPTS) - {"entry/navigation.py"}
    # A script directly in pages/ would be run past the gate by a deep link on a fresh server.
    assert list(PAGES.glob("*.py")) == []


@pytest.mark.parametrize("script", OTHERS)
def test_a_deep_link_on_a_fresh_server_leads_a_rater_to_their_own_worklist(fresh: ServedStudy, script: str) -> None:
    address = ADDRESSES.get(script, "navigation")
    with fresh.client() as nobody:
        answer = nobody.get(f"/{address}?study={STUDY}", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["location"], answer.content) == (303, "/sign-in", b"")
    with pytest.raises(InvalidStatus), socket(fresh.server):
        pass

    cookies = fresh.cookie(OBSERVED)
    first = run_page(fresh.server, cookies, address, f"study={STUDY}")

    own = drawn(run_page(fresh.server, cookies))
    assert drawn(first) == own
    assert "Worklist" in text_of(first)
    for name in (script, script.removesuffix(".py"), Path(script).stem, f"pages/{script}"):
        assert drawn(run_page(fresh.server, cookies, name, f"study={STUDY}")) == own
    assert drawn(_run_by_hash(fresh, cookies, script)) == own
    assert "Traceback" not in fresh.server.log_text()


def _run_by_hash(served: ServedStudy, cookies: dict[str, str], script: str) -> list:
    with socket(served.server, cookies) as opened:
        ask(opened, query=f"study={STUDY}", page_script_hash=calc_hash(str(PAGES / script)))
        return messages_of_run(opened)


@pytest.mark.parametrize("script", OTHERS)
def test_the_same_address_does_show_an_admin_the_page(unserved: ServedStudy, script: str) -> None:
    if unserved.server.log_text() == "":
        unserved.server.start()
    cookies = unserved.cookie(mark("adminlogin"))

    seen = run_page(unserved.server, cookies, ADDRESSES.get(script, ""), f"study={STUDY}")

    # Without this the test above would pass for an address that nobody can reach.
    assert mark("adminname") in text_of(seen)
    own = drawn(run_page(unserved.server, cookies))
    assert (drawn(seen) == own) == (script in {"entry/navigation.py", "admin/studies.py"})


@pytest.mark.browser
def test_a_browser_on_a_fresh_server_shows_neither_the_report_nor_a_trace(fresh: ServedStudy, page: Page) -> None:
    page.goto(f"{fresh.server.url}/report?study={STUDY}")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()

    fresh.server.restart()
    ((name, value),) = fresh.cookie(OBSERVED).items()
    page.context.add_cookies([{"name": name, "value": value, "url": fresh.server.url}])
    page.goto(f"{fresh.server.url}/report?study={STUDY}")

    expect(page.get_by_role("heading", name="Worklist")).to_be_visible()
    shown = page.locator("body").inner_text()
    assert "Traceback" not in shown
    assert "Report" not in shown
    assert not {word for word in marks_in([Chunk("page", shown.encode())]) if "hidden" in word}


# ---- errors ----------------------------------------------------------------------------------------------------------


def test_a_page_that_fails_shows_no_trace_and_nothing_of_the_study(unserved: ServedStudy) -> None:
    study: MarkedStudy = unserved.study
    if unserved.server.log_text() == "":
        unserved.server.start()
    cookies = unserved.cookie(OBSERVED)
    with study.database.engine.connect() as connection:
        connection.exec_driver_sql("ALTER TABLE membership RENAME COLUMN pseudonym TO gone")
        connection.commit()
    try:
        seen = text_of(run_page(unserved.server, cookies, "reading", f"study={STUDY}"))
        with unserved.client(OBSERVED) as rater:
            answers: list[httpx.Response] = [
                rater.post("/reading/draft", json={"assignment": "x", "sequence": 1, "answers": {}}),
                rater.get("/reading/volume/x"),
            ]
    finally:
        with study.database.engine.connect() as connection:
            connection.exec_driver_sql("ALTER TABLE membership RENAME COLUMN gone TO pseudonym")
            connection.commit()

    assert "Traceback" not in seen
    assert "pseudonym" not in seen
    assert "sqlalchemy" not in seen.lower()
    assert ".py" not in seen.replace("navigation.py", "")
    assert answers[1].status_code == 500
    assert set(answers[1].json()) == {"error"}
    assert "pseudonym" not in answers[1].text
    log = unserved.server.log_text()
    assert marks_in([Chunk("log", log.encode())]) == {}
    assert not any(token in log for token in cookies.values())
