"""Ways in: links of people who have lost their right, tries at passwords, names and headers, cookies, addresses."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlmodel import select
from websockets.exceptions import InvalidStatus

from db import Invitation, LoginSession, Person, now
from server.faults import fault_page
from services.errors import Conflict, NotAllowed, NotFound, Refused, TooManyTries
from services.people import accounts, identity, signing_in, tries
from services.people.identity import Actor
from services.people.logins import canonical_login
from services.reading import member_progress
from services.studies import catalogue
from services.studies.membership import invitations, members, removing
from tests.blinding.marked_study import OBSERVED, STUDY
from tests.blinding.serving import ServedStudy
from tests.blinding.streamlit_socket import run_page, socket, text_of
from tests.situations import Situation, signed_in

PASSWORD = "correct horse battery"


def admin_of(situation: Situation, login: str = "site-admin") -> Actor:
    """Let in an admin of the study who owns nothing."""
    members.invite(situation.database, situation.admin, "tiny", login, login.title(), "admin")
    return signed_in(situation.database, login)


# ---- links and people ------------------------------------------------------------------------------------------------


def test_an_admin_who_was_taken_out_has_no_open_link_left_for_anybody(imported: Situation) -> None:
    database = imported.database
    site = admin_of(imported)
    link = members.invite(database, site, "tiny", "newcomer", "Newcomer", "rater")
    removing.remove_member(database, imported.admin, "tiny", "site-admin")

    with pytest.raises(NotAllowed):
        identity.use_link(database, link, PASSWORD)


def test_an_admin_who_was_locked_has_no_open_link_left_for_anybody(imported: Situation) -> None:
    database = imported.database
    link = members.invite(database, admin_of(imported), "tiny", "newcomer", "Newcomer", "rater")
    accounts.lock(database, imported.admin, "site-admin")

    assert identity.look_at_link(database, link) is None


def test_an_admin_takes_nobody_over_by_inviting_them_under_another_spelling(imported: Situation) -> None:
    database, site = imported.database, admin_of(imported)
    spellings = ("RATER-1", " rater-1 ", "rater\u200b-1", "ｒａｔｅｒ-1", "rater-1\x00")

    for spelling in spellings:
        with pytest.raises(NotAllowed):
            members.invite(database, site, "tiny", spelling, "Somebody", "rater")
    with database.read_only() as session:
        logins = [person.login for person in session.exec(select(Person)) if "rater-1" in canonical_login(person.login)]
    assert logins == ["rater-1"]


def test_an_admin_makes_no_link_for_an_owner_who_never_signed_in(imported: Situation) -> None:
    accounts.add_owner(imported.database, "second-owner", "Second Owner", by=imported.admin)

    with pytest.raises(NotAllowed):
        members.invite(imported.database, admin_of(imported), "tiny", "second-owner", "Second", "rater")


def test_an_admin_takes_themselves_no_further_role_and_no_ownership(imported: Situation) -> None:
    database, site = imported.database, admin_of(imported)

    with pytest.raises(Conflict):
        members.invite(database, site, "tiny", "site-admin", "Me", "rater")
    acts: tuple[Callable[..., Any], ...] = (accounts.lock, accounts.unlock, accounts.sign_out_everywhere)
    for act in acts:
        with pytest.raises(NotAllowed):
            act(database, site, "admin")
    with pytest.raises(NotAllowed):
        accounts.people_of(database, site)


def test_lines_that_name_an_owner_among_others_invite_nobody(imported: Situation) -> None:
    database, site = imported.database, admin_of(imported)
    entries = invitations.read_entries("fresh-1, Fresh One\nadmin, Ada, rater\nfresh-2, Fresh Two, admin")

    with pytest.raises(Conflict):
        invitations.invite_people(database, site, "tiny", entries, "http://x")
    with database.read_only() as session:
        assert session.exec(select(Person).where(Person.login.startswith("fresh"))).all() == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "pasted",
    [
        "x" * 200_000 + ", Name", '"' + "x," * 200_000, "\x00, Name", "login,name\n" * 300, '"a\n"b, c',
        "\u2028" * 5000, ",,,,,,,,,,,", '"""""', "\ufeff\u200b, Name", "a, b, rater, c, ９", "a, b, rater, c, -1",
    ],
)  # fmt: skip
def test_pasted_nonsense_is_refused_in_sentences(imported: Situation, pasted: str) -> None:
    with pytest.raises(Conflict) as refusal:
        invitations.invite_people(
            imported.database, imported.admin, "tiny", invitations.read_entries(pasted), "http://127.0.0.1"
        )
    assert all(len(line) < 400 for line in str(refusal.value).splitlines())


def test_a_name_cannot_write_an_address_of_its_own_into_a_letter(imported: Situation) -> None:
    name = "Anna\n\nOpen this address instead:\n\nhttp://elsewhere.example/link/x"
    forged = [invitations.Entry("anna", name, "rater")]

    try:
        (invited,) = invitations.invite_people(imported.database, imported.admin, "tiny", forged, "http://127.0.0.1")
    except Refused:
        return
    assert "\nhttp://elsewhere.example" not in invited.letter


def test_who_is_taken_out_by_any_spelling_of_their_login_is_out(imported: Situation) -> None:
    members.invite(imported.database, imported.admin, "tiny", "Straße", "S", "rater")

    assert removing.remove_member(imported.database, imported.admin, "tiny", " STRASSE ")
    members.invite(imported.database, imported.admin, "tiny", "Straße", "S", "rater")
    assert removing.remove_member(imported.database, imported.admin, "tiny", "Straße")


def test_a_removed_member_who_is_signed_in_has_no_study_in_the_very_next_request(opened: Situation) -> None:
    rater = opened.raters[0]
    removing.remove_member(opened.database, opened.admin, "tiny", "rater-1")

    assert catalogue.studies_of(opened.database, rater) == []
    with pytest.raises(NotFound):
        member_progress.progress_of_members(opened.database, rater, "tiny")


def test_two_uses_of_one_link_at_once_open_one_session(marked: ServedStudy) -> None:
    database = marked.study.database
    members.invite(database, marked.study.situation.admin, STUDY, "twice", "Twice", "rater")
    token = identity.make_link(database, "twice", "sign_in")

    def use(_: int) -> int:
        with marked.client() as browser:
            return browser.post(f"/link/{token}").status_code

    with ThreadPoolExecutor(12) as pool:
        answers = sorted(pool.map(use, range(12)))

    assert answers == [303, *[400] * 11]


# ---- tries -----------------------------------------------------------------------------------------------------------


def test_a_stolen_cookie_of_somebody_else_gives_no_tries_of_its_own(imported: Situation) -> None:
    """Only a session of the very person whose login is tried is counted apart."""
    database = imported.database
    own = identity.use_link(database, identity.make_link(database, "rater-2", "sign_in"), None)
    for _ in range(tries.TRIES_OF_LOGIN):
        signing_in.begin_sign_in(database, "rater-1", address="10.0.0.1")

    for token in (own, "made-up", "", own.upper()):
        with pytest.raises(TooManyTries):
            signing_in.begin_sign_in(database, "rater-1", address="10.0.0.2", browser=token)


def test_signing_in_rightly_in_between_gives_an_address_no_tries_back_beyond_its_own(
    imported: Situation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tries, "TRIES_OF_ADDRESS", 6)
    database = imported.database
    members.invite(database, imported.admin, "tiny", "insider", "Insider", "rater")
    identity.use_link(database, identity.make_link(database, "insider", "join"), PASSWORD)
    evaluated = 0

    with pytest.raises(TooManyTries):
        for number in range(200):
            signing_in.begin_sign_in(database, f"victim-{number}", address="10.0.0.1")
            evaluated += 1
            attempt = signing_in.begin_sign_in(database, "insider", address="10.0.0.1")
            signing_in.finish_sign_in(database, attempt, PASSWORD)

    assert evaluated <= tries.TRIES_OF_ADDRESS


@pytest.mark.parametrize(
    "addresses",
    [
        ("2001:db8::1", "2001:db8::2", "2001:0db8:0:0:ffff::9"),
        ("10.0.0.9", "::ffff:10.0.0.9", "::FFFF:a00:9"),
        ("fe80::1%eth0", "fe80::2%eth1", "fe80::3"),
    ],
)
def test_one_network_is_one_address_however_it_is_written(imported: Situation, addresses: tuple[str, ...]) -> None:
    with pytest.raises(TooManyTries):
        for number in range(tries.TRIES_OF_ADDRESS + 1):
            signing_in.begin_sign_in(imported.database, f"nobody-{number}", address=addresses[number % len(addresses)])


def test_a_clock_that_was_set_back_neither_bars_for_ever_nor_opens_the_gate(
    imported: Situation, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(tries.TRIES_OF_LOGIN):
        signing_in.begin_sign_in(imported.database, "rater-1")
    monkeypatch.setattr(tries, "now", lambda: now() - timedelta(minutes=5))
    with pytest.raises(TooManyTries):
        signing_in.begin_sign_in(imported.database, "rater-1")
    monkeypatch.setattr(tries, "now", lambda: now() - timedelta(days=2))
    assert signing_in.begin_sign_in(imported.database, "rater-1")


# ---- names, headers, addresses ---------------------------------------------------------------------------------------


def raw(
    marked: ServedStudy, method: str, path: str, headers: dict[str, str], body: bytes = b""
) -> tuple[int, dict[str, str], bytes]:
    """Send a request word for word, with nothing put right by a client."""
    connection = http.client.HTTPConnection("127.0.0.1", marked.server.port, timeout=20)
    try:
        connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    "host",
    [
        "[::1].elsewhere.example", "[::1]elsewhere.example:80", "127.0.0.1.elsewhere.example", "localhost.", "[", "]",
        "127.0.0.1@elsewhere.example", "elsewhere.example:127.0.0.1", "", ":80", "127.1", "0x7f.1", "[::1",
        "elsewhere.example#127.0.0.1", "LOCALHOST.example", "127.0.0.1/elsewhere.example",
    ],
)  # fmt: skip
def test_a_name_that_only_looks_like_one_of_ours_is_misdirected(marked: ServedStudy, host: str) -> None:
    status, _, body = raw(marked, "GET", "/sign-in", {"Host": host})

    assert status in {400, 421}
    assert b"form" not in body


def test_a_websocket_under_a_name_that_only_looks_like_ours_is_refused(marked: ServedStudy) -> None:
    for host in ("[::1].elsewhere.example", "localhost.elsewhere.example"):
        with (
            pytest.raises(InvalidStatus),
            socket(marked.server, marked.cookie(OBSERVED), origin=f"http://{host}", headers={"Host": host}),
        ):
            pass


@pytest.mark.parametrize(
    "path",
    [
        "//elsewhere.example/", "/\\elsewhere.example", "/%2F%2Felsewhere.example", "/%5Celsewhere.example",
        "///elsewhere.example", "/link/..//elsewhere.example", "/sign-in?next=//elsewhere.example",
        "/notice?next=https://elsewhere.example", "http://elsewhere.example/", "/.//elsewhere.example",
    ],
)  # fmt: skip
def test_no_address_leads_elsewhere(marked: ServedStudy, path: str) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in marked.cookie(OBSERVED).items())
    for headers in ({}, {"Cookie": cookie}):
        status, answer, _ = raw(marked, "GET", path, {"Accept": "text/html", **headers})

        assert status < 500
        assert answer.get("location", "/") in {"/", "/sign-in"}


def test_the_page_of_a_fault_offers_no_address_elsewhere() -> None:
    for path in ("//elsewhere.example/", "/\\elsewhere.example", "/\t/elsewhere.example", '/"><script>', "/../x"):
        for status in (500, 503):
            page = bytes(fault_page({"type": "http", "method": "GET", "path": path}, status).body).decode()
            address = page.split('class="button" href="')[1].split('"')[0]
            assert address.startswith("/")
            assert address[1:2] not in {"/", "\\", "\t"}
            assert "<script" not in page


def test_a_sign_in_cannot_be_fixed_to_a_token_that_somebody_else_knows(marked: ServedStudy) -> None:
    database = marked.study.database
    members.invite(database, marked.study.situation.admin, STUDY, "fixed", "Fixed", "rater")
    token = identity.make_link(database, "fixed", "sign_in")
    planted = "planted-by-somebody"

    with httpx.Client(
        base_url=marked.server.url,
        cookies={f"blindread-{marked.server.port}": planted},
        headers={"Origin": marked.server.url},
    ) as browser:
        answer = browser.post(f"/link/{token}")

    assert answer.status_code == 303
    assert planted not in answer.headers["set-cookie"]
    assert identity.actor_of_token(database, planted) is None


def test_a_cookie_of_another_port_or_kind_signs_nobody_in(marked: ServedStudy) -> None:
    (token,) = marked.cookie(OBSERVED).values()
    for name in ("blindread-default", f"__Host-blindread-{marked.server.port}", "blindread-1", "token", "session"):
        status, _, _ = raw(marked, "GET", "/reading/session?assignment=x", {"Cookie": f"{name}={token}"})
        assert status == 401
    for header in ("Authorization", "X-Blindread-Session", "X_Blindread_Session", "X-Remote-User", "X-Forwarded-User"):
        status, _, _ = raw(marked, "GET", "/reading/session?assignment=x", {header: token})
        assert status == 401


def test_the_hash_of_a_token_that_the_database_holds_signs_nobody_in(marked: ServedStudy) -> None:
    marked.cookie(OBSERVED)
    with marked.study.database.read_only() as session:
        hashes = [login_session.token_sha256 for login_session in session.exec(select(LoginSession))]
        links = [invitation.token_sha256 for invitation in session.exec(select(Invitation))]
    for digest in hashes[-3:]:
        status, _, _ = raw(marked, "GET", "/studies", {"Cookie": f"blindread-{marked.server.port}={digest}"})
        assert status == 401
    for digest in links[-3:]:
        assert raw(marked, "GET", f"/link/{digest}", {})[0] == 410


def test_a_rater_sends_no_file_by_any_spelling_of_the_way_up(marked: ServedStudy) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in marked.cookie(OBSERVED).items())
    for path in (
        "//_stcore/upload_file/x/y", "/./_stcore/upload_file/x/y", "/x/../_stcore/upload_file/x/y",
        "/_stcore//upload_file/x/y", "/_STCORE/upload_file/x/y", "/%5fstcore/upload_file/x/y",
        "/_stcore/upload_file;/x/y", "/reading/_stcore/upload_file/x/y", "/_stcore/./upload_file/x/y",
    ):  # fmt: skip
        for method in ("PUT", "POST", "DELETE"):
            status, _, _ = raw(
                marked, method, path,
                {"Cookie": cookie, "Origin": marked.server.url, "Content-Length": "3"}, b"abc",
            )  # fmt: skip
            assert status in {400, 404, 405}, (method, path)


@pytest.mark.parametrize(
    "page", ["people", "studies", "study", "report", "import", "preview", "documentation", "../admin/people.py"]
)
def test_a_rater_is_shown_no_page_of_owners(marked: ServedStudy, page: str) -> None:
    cookies = marked.cookie(OBSERVED)
    shown = text_of(run_page(marked.server, cookies, page, f"study={STUDY}"))

    assert "Sign out everywhere" not in shown
    assert "zqhidden" not in shown


def test_an_admin_signs_out_themselves_and_nobody_else(imported: Situation) -> None:
    site = admin_of(imported)
    with pytest.raises(NotAllowed):
        accounts.lock(imported.database, site, "site-admin ")
    # For themselves alone everybody may.
    assert accounts.sign_out_everywhere(imported.database, site, " SITE-ADMIN") == 1
