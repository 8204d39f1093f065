"""Signing in against people who try: wrong passwords at once, strangers who queue, and what a browser keeps."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from playwright.sync_api import Page, expect

from db import Database
from services.people import identity
from services.studies.membership import members
from tests.blinding.marked_study import OBSERVED, STUDY
from tests.blinding.serving import ServedStudy

PASSWORD = "correct horse battery"
SPELLINGS = ("{}", " {}", "{} ", "\t{}", "\u00a0{}", "\u3000{}", "{}\u200b", "{}\x00", "\ufeff{}", "{}\u2800")


def person_with_password(marked: ServedStudy, login: str) -> str:
    """Add a rater with a password of their own and return their login."""
    database, admin = marked.study.database, marked.study.situation.admin
    link = members.invite(database, admin, STUDY, login, login.title(), "rater")
    identity.use_link(database, link, PASSWORD)
    return login


def tried(browser: httpx.Client, login: str, password: str = "wrong horse battery", **more: str) -> httpx.Response:
    return browser.post("/sign-in", data={"login": login, "password": password, **more})


def forget_tries(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM sign_in_try")


@pytest.fixture(autouse=True)
def _fresh_count(marked: ServedStudy) -> None:
    forget_tries(marked.study.database)


# ---- wrong passwords -------------------------------------------------------------------------------------------------


def test_of_forty_wrong_passwords_at_once_at_most_ten_are_evaluated(marked: ServedStudy) -> None:
    login = person_with_password(marked, "guessed-at-once")

    def status_of(number: int) -> int:
        with marked.client() as stranger:
            return tried(stranger, SPELLINGS[number % len(SPELLINGS)].format(login)).status_code

    with ThreadPoolExecutor(40) as pool:
        answers = Counter(pool.map(status_of, range(40)))

    # Whoever came when the queue was full was not evaluated either (503), and does not count.
    assert set(answers) <= {401, 429, 503}
    assert answers[401] <= 10
    assert answers[429] > 0


def test_blanks_round_the_login_give_no_further_tries(marked: ServedStudy) -> None:
    login = person_with_password(marked, "guessed-in-turn")

    with marked.client() as stranger:
        answers = [tried(stranger, spelling.format(login)) for _ in range(2) for spelling in SPELLINGS]

    assert [answer.status_code for answer in answers] == [401] * 10 + [429] * 10
    assert answers[-1].headers["retry-after"] == "600"
    assert "wait ten minutes" in answers[-1].text


def test_a_restart_gives_no_further_tries(marked: ServedStudy) -> None:
    login = person_with_password(marked, "guessed-over-restarts")
    with marked.client() as stranger:
        for _ in range(10):
            assert tried(stranger, login).status_code == 401

    marked.server.restart()

    with marked.client() as stranger:
        assert tried(stranger, login, PASSWORD).status_code == 429


def test_a_barred_login_still_opens_by_link_and_stays_open_where_it_is(marked: ServedStudy) -> None:
    login = person_with_password(marked, "barred-from-afar")
    with marked.client() as own:
        assert tried(own, login, PASSWORD).status_code == 303
        with marked.client() as stranger:
            while tried(stranger, login).status_code != 429:
                pass
            link = identity.make_link(marked.study.database, login, "sign_in")
            assert stranger.post(f"/link/{link}").status_code == 303

        assert own.get("/", headers={"Accept": "text/html"}).status_code == 200
        # Also after this browser's login session has ended: strangers are counted apart from it.
        identity.sign_out(marked.study.database, _session_of(marked, own))
        assert tried(own, login, PASSWORD).status_code == 303


def _session_of(marked: ServedStudy, browser: httpx.Client) -> int:
    actor = identity.actor_of_token(marked.study.database, browser.cookies[f"blindread-{marked.server.port}"])
    assert actor is not None
    return actor.login_session_id


def test_forged_addresses_give_no_further_tries(marked: ServedStudy) -> None:
    with marked.client() as stranger:
        answers = Counter(
            stranger.post(
                "/sign-in",
                data={"login": f"somebody {number}", "password": "x"},
                headers={name: value.format(number)},
            ).status_code
            for number, (name, value) in enumerate(
                [("X-Forwarded-For", "192.0.2.{}"), ("X-Forwarded-For", "x:{}"), ("X-Real-IP", "192.0.2.{}")] * 23
            )
        )

    assert answers == {401: 60, 429: 9}


# ---- the queue -------------------------------------------------------------------------------------------------------


def test_a_link_does_not_wait_behind_strangers_and_the_queue_is_short(marked: ServedStudy) -> None:
    """Forty strangers want a hash at once: some are sent away in words, and a link passes all of them."""
    link = identity.make_link(marked.study.database, OBSERVED, "sign_in")
    done: list[str] = []

    def stranger(number: int) -> httpx.Response:
        with marked.client() as browser:
            answer = tried(browser, f"stranger {number}")
            done.append("stranger")
            return answer

    def invited() -> int:
        with marked.client() as browser:
            answer = browser.post(f"/link/{link}")
            done.append("link")
            return answer.status_code

    with ThreadPoolExecutor(41) as pool:
        strangers = [pool.submit(stranger, number) for number in range(40)]
        own = pool.submit(invited)
        answers = [attempt.result() for attempt in strangers]
        assert own.result() == 303

    sent_away = [answer for answer in answers if answer.status_code == 503]
    assert {answer.status_code for answer in answers} <= {401, 503}
    assert sent_away
    assert {answer.headers["retry-after"] for answer in sent_away} == {"5"}
    assert all("try again in a few seconds" in answer.text for answer in sent_away)
    # At least the strangers of a full queue were still waiting for their hash.
    assert done.index("link") < len(done) - 10


# ---- what a browser keeps --------------------------------------------------------------------------------------------


def test_the_cookie_goes_with_the_browser_unless_it_is_to_stay(marked: ServedStudy) -> None:
    login = person_with_password(marked, "keeper")
    with marked.client() as browser:
        passing = tried(browser, login, PASSWORD).headers["set-cookie"]
        staying = tried(browser, login, PASSWORD, stay="yes").headers["set-cookie"]

    assert "Max-Age" not in passing
    assert "expires" not in passing.lower()
    assert "Max-Age=259200" in staying


def test_signing_out_takes_the_cookie_and_empties_the_cache(marked: ServedStudy) -> None:
    with marked.client(OBSERVED) as browser:
        answer = browser.post("/sign-out")

    assert answer.headers["clear-site-data"] == '"cache"'
    assert "Max-Age=0" in answer.headers["set-cookie"]


def test_pages_before_the_application_run_no_script_and_take_nothing_from_elsewhere(marked: ServedStudy) -> None:
    link = identity.make_link(marked.study.database, OBSERVED, "join")
    with marked.client() as nobody:
        pages = [nobody.get("/sign-in"), nobody.get(f"/link/{link}"), nobody.get("/link/x"), tried(nobody, "x")]

    for page in pages:
        policy = dict(part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";"))
        (style,) = re.findall(r"<style>(.*?)</style>", page.text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert policy["default-src"] == "'none'"
        assert policy["style-src"] == f"'sha256-{digest}'"
        assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert "script" not in page.headers["content-security-policy"]
        assert not re.search(r"<script|\son\w+=|style=|javascript:", page.text)


@pytest.mark.parametrize("password", ["blindread2026", "chooser-chooser", " " * 14, "1234567890"])
def test_a_password_that_is_tried_first_is_refused_and_the_link_remains(marked: ServedStudy, password: str) -> None:
    database, admin = marked.study.database, marked.study.situation.admin
    link = f"/link/{members.invite(database, admin, STUDY, 'chooser', 'Chooser', 'rater')}"

    with marked.client() as browser:
        refused = browser.post(link, data={"password": password, "again": password})
        taken = browser.post(link, data={"password": "four quiet lamps", "again": "four quiet lamps"})

    assert re.search('<input[^>]* autocomplete="username" value="chooser" readonly>', refused.text)
    assert (refused.status_code, "set-cookie" in refused.headers) == (400, False)
    assert 'role="alert"' in refused.text
    assert taken.status_code == 303


# ---- links for accounts in use ---------------------------------------------------------------------------------------


def test_somebody_is_told_of_a_link_for_their_account_at_the_next_sign_in(marked: ServedStudy) -> None:
    login = person_with_password(marked, "watched")
    link = identity.make_link(marked.study.database, login, "sign_in", by=marked.study.situation.admin)
    with marked.client() as stranger:
        assert stranger.post(f"/link/{link}").headers["location"] == "/notice"
        stranger.post("/notice")

    with marked.client() as own:
        first = tried(own, login, PASSWORD)
        notice = own.get("/notice")
        own.post("/notice")
        second = tried(own, login, PASSWORD)
        nothing = own.get("/notice")

    assert (first.headers["location"], second.headers["location"]) == ("/notice", "/")
    assert "Sign-in links were created for your account" in notice.text
    assert re.search(r"used \d{4}-\d\d-\d\d \d\d:\d\d UTC", notice.text)
    assert nothing.headers["location"] == "/"


@pytest.mark.browser
def test_the_way_out_is_a_form_that_leaves_nothing_behind(marked: ServedStudy, new_page: Callable[..., Page]) -> None:
    page = new_page()
    page.goto(f"{marked.server.url}/link/{identity.make_link(marked.study.database, OBSERVED, 'sign_in')}")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Worklist")).to_be_visible()

    page.get_by_role("button", name="Sign out").click()

    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert not [cookie for cookie in page.context.cookies() if "blindread" in str(cookie.get("name"))]
