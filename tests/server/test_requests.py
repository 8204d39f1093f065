"""What a rater may send by hand: nothing of it breaks the server, and nothing comes back that is not theirs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlmodel import func, select

from db import Assignment, Display, Draft, Membership, Study, TechnicalFailure, Verdict, Volume
from services.installation.tokens import Keys
from services.people.identity import actor_of_token
from services.reading import instructions, shown_volumes, submission
from tests.blinding.marked_study import OBSERVED, STUDY, mark
from tests.blinding.serving import ServedStudy, client
from tests.blinding.streamlit_socket import run_page, text_of
from tests.blinding.transcript import Chunk, marks_in

ROUTES = ("/reading/shown", "/reading/draft", "/reading/verdict", "/reading/failure")
NOT_PLAIN = {
    "nothing": b"",
    "no JSON": b"{",
    "no object": b"[1]",
    "a text": b'"x"',
    "not UTF-8": b'{"assignment": "\xff\xfe"}',
    "half a pair": b'{"assignment": "\\ud800", "key": "\\udfff"}',
    "not a number": b'{"assignment": "x", "load_ms": NaN}',
    "infinite": b'{"assignment": "x", "load_ms": -Infinity}',
    "beyond a float": b'{"assignment": "x", "load_ms": 1e400}',
    "a number of many digits": b'{"assignment": "x", "load_ms": ' + b"9" * 100_000 + b"}",
    "deep lists": b'{"answers": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "nested beyond use": b'{"answers": ' + b"[" * 40 + b"]" * 40 + b"}",
    "deep objects": b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
    "too long": b'{"assignment": "' + b"x" * 1_000_000 + b'"}',
    "gzip": b"\x1f\x8b\x08\x00" + b"\x00" * 100,
}
# Well-formed, but of a kind that no field of ours has.
ODD_VALUES = (None, True, -1, 10**30, 1.5, "", "\x00", "é" * 50, "x" * 5_000, [], [[1]], {}, {"id": []}, "' OR 1=1")


@pytest.fixture(scope="module")
def cookies(marked: ServedStudy) -> dict[str, str]:
    """The rater's cookie, one for all tests of this file."""
    return marked.cookie(OBSERVED)


@pytest.fixture(scope="module")
def desk(marked: ServedStudy, cookies: dict[str, str]) -> dict[str, Any]:
    """What is on the rater's desk, for the login session of `rater`."""
    actor = actor_of_token(marked.study.database, next(iter(cookies.values())))
    assert actor is not None
    instructions.acknowledge_instructions(marked.study.database, actor, STUDY, "reading")
    return dict(submission.current_payload(marked.study.database, actor, STUDY, "reading"))


@pytest.fixture(scope="module")
def rater(marked: ServedStudy, cookies: dict[str, str]) -> Iterator[httpx.Client]:
    """A client with the rater's login."""
    with client(marked.server, cookies) as opened:
        yield opened


def counts(marked: ServedStudy) -> list[int]:
    """Return how many rows a malicious rater might have left."""
    with marked.study.database.read_only() as session:
        return [session.exec(select(func.count()).select_from(table)).one() for table in (Verdict, TechnicalFailure)]


@pytest.mark.parametrize("route", (*ROUTES, "/reading/damage"))
@pytest.mark.parametrize("body", NOT_PLAIN.values(), ids=NOT_PLAIN.keys())
def test_a_body_that_is_no_plain_json_object_is_refused(rater: httpx.Client, route: str, body: bytes) -> None:
    answer = rater.post(route, content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 400
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize("route", ROUTES)
def test_odd_values_in_any_field_are_refused_and_store_nothing(
    marked: ServedStudy, rater: httpx.Client, desk: dict[str, Any], route: str
) -> None:
    before = counts(marked)
    whole = {
        "assignment": desk["assignment"], "key": desk["key"], "sequence": 1, "answers": {"fields": {}}, "load_ms": 1,
        "active_ms": 1, "idle_ms": 1, "renderer": "r", "viewport": [1, 1], "trace": {}, "reason": "r",
    }  # fmt: skip

    for name in ("assignment", "key", "answers"):
        for value in ODD_VALUES:
            answer = rater.post(route, json={**whole, "assignment": "nobody's", name: value})
            assert answer.status_code in {400, 404, 409, 422}
            assert len(answer.json()["error"]) < 300
    assert counts(marked) == before
    for value in ODD_VALUES:
        beside = dict.fromkeys(("sequence", "load_ms", "active_ms", "idle_ms", "renderer", "viewport", "trace"), value)
        # A failure has none of these fields, and would be stored.
        if route != "/reading/failure":
            assert rater.post(route, json={**whole, **beside}).status_code < 500
    assert counts(marked) == before


def test_odd_answers_are_refused_naming_the_field(rater: httpx.Client, desk: dict[str, Any]) -> None:
    whole = {"assignment": desk["assignment"], "key": desk["key"]}
    # Of an item that was not shown no answer is looked at.
    shown = {"assignment": desk["assignment"], "load_ms": 1, "renderer": "r", "viewport": [1, 1]}
    assert rater.post("/reading/shown", json=shown).status_code == 200

    for answers in (
        {"fields": {"answer": 10**400}}, {"fields": {"answer": ["yes"]}}, {"fields": {"answer": {"yes": 1}}},
        {"fields": {"answer": "maybe", "more": 1}}, {"fields": {"\x00": 1}}, {"fields": [1]},
        {"fields": {}, "comment": 7},
        {"not_assessable": ["quality"]}, {"not_assessable": "why"}, {"fields": {}, "flag": {"id": ["prompt"]}},
        {"fields": {"answer": "x" * 150_000}},
    ):  # fmt: skip
        answer = rater.post("/reading/verdict", json={**whole, "answers": answers})

        assert answer.status_code in {400, 422}
        assert len(answer.json()["error"]) < 300


def test_a_refused_request_says_nothing_of_the_study(marked: ServedStudy, rater: httpx.Client) -> None:
    body = {"assignment": "x", "key": "x", "answers": {}, "sequence": 1}
    answers = [rater.post(route, json=body) for route in ROUTES]
    answers += [rater.get(f"/reading/volume/{token}") for token in ("x", "%C3%A9", "%00", "%ff", "x" * 5_000)]

    assert {answer.status_code for answer in answers} == {400, 404}
    assert marks_in([Chunk("body", answer.content) for answer in answers]) == {}


def test_an_item_of_somebody_else_is_like_one_that_does_not_exist(marked: ServedStudy, rater: httpx.Client) -> None:
    with marked.study.database.read_only() as session:
        others = session.exec(
            select(Assignment.public_id).join(Membership).where(Membership.person_id == marked.study.other.person_id)
        ).all()
    body = {"key": "x", "answers": {"fields": {}, "not_assessable": "quality"}, "sequence": 1}

    for route in ROUTES:
        theirs = [rater.post(route, json={**body, "assignment": assignment}) for assignment in others[:2]]
        nobodys = rater.post(route, json={**body, "assignment": "A" * len(others[0])})
        assert {(answer.status_code, answer.content) for answer in theirs} == {(404, nobodys.content)}


# ---- scans -----------------------------------------------------------------------------------------------------------


def test_only_the_volumes_on_the_desk_and_the_next_items_answer(marked: ServedStudy, cookies: dict[str, str]) -> None:
    database = marked.study.database
    actor = actor_of_token(database, next(iter(cookies.values())))
    assert actor is not None
    here = submission.current_payload(database, actor, STUDY, "reading")
    within = {volume["url"] for pane in here["images"]["panes"] for volume in pane["volumes"]} | set(here["prefetch"])
    with database.read_only() as session:
        keys = Keys(session.exec(select(Study.salt)).one(), actor.login_session_id)
        of_all = {f"reading/volume/{keys.volume_token(volume or 0)}" for volume in session.exec(select(Volume.id))}

    with client(marked.server, cookies) as rater:
        answers = {url: rater.get(f"/{url}").status_code for url in of_all}

    assert within <= of_all
    assert {url for url, status in answers.items() if status == 200} == within
    assert set(answers.values()) == {200, 404}


def test_another_patients_file_in_the_place_of_a_volume_is_refused_until_the_right_one_is_back(
    marked: ServedStudy, rater: httpx.Client, cookies: dict[str, str]
) -> None:
    url = first_volume(marked, cookies)["url"]
    sent = rater.get(f"/{url}")
    file = file_of(marked, cookies, url)
    right = file.read_bytes()
    other = next(path for path in marked.study.database.volume_dir.rglob("*.nii.gz") if path.read_bytes() != right)

    file.write_bytes(other.read_bytes())
    refused = rater.get(f"/{url}")
    file.write_bytes(right)
    back = rater.get(f"/{url}")

    assert (sent.status_code, refused.status_code, back.status_code) == (200, 409, 200)
    assert refused.json() == {
        "error": "The scan on the server is not the one that was prepared; report it and continue."
    }
    assert sent.content == back.content
    assert marks_in([Chunk("body", refused.content)]) == {}


def test_a_browser_reports_damage_of_volumes_in_its_readers_reach_alone(
    marked: ServedStudy, rater: httpx.Client, cookies: dict[str, str]
) -> None:
    token = first_volume(marked, cookies)["url"].rsplit("/", 1)[1]

    taken = rater.post("/reading/damage", json={"volume": token})
    nobodys = [rater.post("/reading/damage", json={"volume": value}) for value in ODD_VALUES]

    assert (taken.status_code, taken.json()) == (200, {})
    assert {answer.status_code for answer in nobodys} == {404}
    assert rater.post("/reading/damage", json={}).status_code == 400


def first_volume(marked: ServedStudy, cookies: dict[str, str]) -> dict[str, Any]:
    """What the rater's browser gets on the scan on their desk."""
    actor = actor_of_token(marked.study.database, next(iter(cookies.values())))
    assert actor is not None
    here = submission.current_payload(marked.study.database, actor, STUDY, "reading")
    scan: dict[str, Any] = here["images"]["panes"][0]["volumes"][0]
    return scan


def file_of(marked: ServedStudy, cookies: dict[str, str], url: str) -> Path:
    actor = actor_of_token(marked.study.database, next(iter(cookies.values())))
    assert actor is not None
    return shown_volumes.volume_in_reach(marked.study.database, actor, url.rsplit("/", 1)[1])


def test_a_volumes_name_works_in_its_own_login_session_only(marked: ServedStudy, cookies: dict[str, str]) -> None:
    database = marked.study.database
    actor = actor_of_token(database, next(iter(cookies.values())))
    assert actor is not None
    url = submission.current_payload(database, actor, STUDY, "reading")["images"]["panes"][0]["volumes"][0]["url"]

    for login, status in ((OBSERVED, 404), ("reviewer", 404), (mark("adminlogin"), 404)):
        with marked.client(login) as other:
            assert other.get(f"/{url}").status_code == status
    with client(marked.server, cookies) as rater:
        assert rater.get(f"/{url}").status_code == 200


def test_a_volume_leaves_no_copy_on_the_disk_and_no_sign_by_which_it_could_be_recognised(
    rater: httpx.Client, marked: ServedStudy, cookies: dict[str, str]
) -> None:
    actor = actor_of_token(marked.study.database, next(iter(cookies.values())))
    assert actor is not None
    payload = submission.current_payload(marked.study.database, actor, STUDY, "reading")

    answer = rater.get(f"/{payload['images']['panes'][0]['volumes'][0]['url']}")

    assert answer.headers["cache-control"] == "no-store"
    assert not {"etag", "last-modified", "content-disposition", "x-accel-redirect"} & set(answer.headers)
    assert answer.headers["content-type"] == "application/octet-stream"


def test_no_answer_about_an_item_is_kept_by_a_browser(rater: httpx.Client, desk: dict[str, Any]) -> None:
    for route in ROUTES[:3]:
        answer = rater.post(route, json={"assignment": desk["assignment"], "key": "x", "sequence": 1, "answers": {}})

        assert answer.headers["cache-control"] == "no-store"


# ---- whoever is not signed in ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"login=a&password=" + b"x" * 5_000_000, "application/x-www-form-urlencoded"),
        (b"&".join(b"f%d=1" % number for number in range(1_500)), "application/x-www-form-urlencoded"),
        (b"login=\xff\xfe&password=\xff", "application/x-www-form-urlencoded"),
        (b"login=%00%00&password=%00", "application/x-www-form-urlencoded"),
        (b"--b\r\nContent-Disposition: form-data; name=login; filename=x\r\n\r\nx\r\n--b--",
         "multipart/form-data; boundary=b"),
        (b"--b", "multipart/form-data"),
        (b"{}", "application/json"),
    ],
    ids=["long", "many fields", "not UTF-8", "NUL", "a file", "broken multipart", "JSON"],
)  # fmt: skip
def test_a_form_that_is_not_ours_signs_nobody_in(marked: ServedStudy, content: bytes, kind: str) -> None:
    with marked.client() as nobody:
        for path, status in (("/sign-in", 401), ("/link/x", 400)):
            answer = nobody.post(path, content=content, headers={"Content-Type": kind})

            assert answer.status_code == status
            assert "set-cookie" not in answer.headers


def test_a_wrong_password_and_an_unknown_login_are_answered_alike(marked: ServedStudy) -> None:
    with marked.client() as nobody:
        known, unknown = (
            nobody.post("/sign-in", data={"login": login, "password": "wrong"}) for login in (OBSERVED, "nobod")
        )

    assert (known.status_code, unknown.status_code) == (401, 401)
    assert known.text.replace(OBSERVED, "") == unknown.text.replace("nobod", "")


def test_what_was_typed_comes_back_as_text_and_not_as_code(marked: ServedStudy) -> None:
    with marked.client() as nobody:
        answer = nobody.post("/sign-in", data={"login": '"><script>alert(1)</script>', "password": "x"})

    assert "<script>" not in answer.text


# ---- afterwards ------------------------------------------------------------------------------------------------------


def test_the_page_still_works_after_all_that_and_the_log_holds_nothing_of_it(
    marked: ServedStudy, cookies: dict[str, str]
) -> None:
    instructions.acknowledge_instructions(marked.study.database, marked.study.observed, STUDY, "reading")

    seen = text_of(run_page(marked.server, cookies, "reading", f"study={STUDY}"))

    assert "bidi_component" in seen
    log = marked.server.log_text()
    assert "Traceback" not in log
    assert marks_in([Chunk("log", log.encode())]) == {}
    assert not any(token in log for token in cookies.values())


def test_drafts_and_displays_are_all_that_was_stored(marked: ServedStudy) -> None:
    with marked.study.database.read_only() as session:
        mine = set(
            session.exec(
                select(Assignment.id).join(Membership).where(Membership.person_id == marked.study.observed.person_id)
            )
        )
        verdicts = session.exec(select(Verdict.assignment_id)).all()
        drafts = session.exec(select(Draft)).all()
        displays = session.exec(select(Display)).all()

    assert mine.isdisjoint(verdicts)
    assert {draft.assignment_id for draft in drafts} <= mine
    assert all(len(display.renderer) <= 40 and 0 <= display.load_ms <= 86_400_000 for display in displays)
    assert json.dumps([draft.answers for draft in drafts], allow_nan=False)
