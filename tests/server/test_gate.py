"""Nothing is answered to anybody whom the database does not know, whatever path, method or header they try."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

from services.people import identity
from tests.blinding.marked_study import OBSERVED, STUDY, mark
from tests.blinding.serving import ServedStudy, client
from tests.blinding.streamlit_socket import (
    ask,
    messages_of_run,
    run_page,
    session_id_of,
    socket,
    text_of,
)
from tests.harness.server import ROOT, clean_environment

SIGN_IN = "/sign-in"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "CONNECT")
# Paths that are one path for a careless reader: each must be answered like what it stands for, or not at all.
TRICKS = (
    "//", "///sign-in", "//_stcore/health", "/_stcore//health", "/%5fstcore/health", "/_STCORE/HEALTH",
    "/_stcore/health/", "/sign-in/", "/SIGN-IN", "/sign-in/x", "/sign-in/../_stcore/health",
    "/sign-in/%2e%2e/_stcore/health", "/sign-in%00", "/sign-in;x/_stcore/health",
    "/health/../static/index.html", "/health/", "/healthy", "/link", "/link/", "/link/a/b", "/link//static/js",
    "/link/%2e%2e/favicon.png", "/link/..%2f..%2fetc%2fpasswd", "/link/a%2fb", "/link/..", "/link/.",
    "/link/%2e%2e%5cstatic", "/link/..\\static", "/./reading", "/reading/volume/..%2f..%2fapp.py",
    "/static/../app.py", "/static/%2e%2e/%2e%2e/app.py", "/assets/viewer/..%2f..%2f__init__.py",
    "/media/../app.py", "/component/../app.py", "/favicon.png", "/index.html", "/manifest.json", "/robots.txt",
    "/.streamlit/config.toml", "/app.py", "/var/blindread.db",
)  # fmt: skip
ROUTES_OF_THE_APP = """
import json
from app import app
from starlette.routing import Mount, WebSocketRoute

built = app._build_starlette_app()
print(json.dumps([[type(one).__name__, one.path, sorted(getattr(one, "methods", None) or [])] for one in built.routes]))
"""


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, list[str]]]:
    """Every route of the application as it runs, Streamlit's own included: kind, path, methods."""
    folder = tmp_path_factory.mktemp("routes")
    done = subprocess.run(
        [sys.executable, "-c", ROUTES_OF_THE_APP],
        cwd=ROOT,
        env=clean_environment(folder, {}),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return [(kind, path, methods) for kind, path, methods in json.loads(done.stdout.splitlines()[-1])]


@pytest.fixture(scope="module")
def nobody(marked: ServedStudy) -> Iterator[httpx.Client]:
    """A client without a login."""
    with marked.client() as opened:
        yield opened


@pytest.fixture(scope="module")
def rater(marked: ServedStudy) -> Iterator[httpx.Client]:
    """A client with a rater's login."""
    with marked.client(OBSERVED) as opened:
        yield opened


def raw(marked: ServedStudy, method: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Send a request with its path as it is written: other clients tidy it up first."""
    connection = http.client.HTTPConnection("127.0.0.1", marked.server.port, timeout=20)
    try:
        connection.putrequest(method, path)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def says_nothing(status: int, headers: dict[str, str], body: bytes) -> bool:
    """Whether an answer is a refusal of one short sentence at most, and leads nowhere but to sign-in."""
    if status == 303:
        return headers["location"] == SIGN_IN and not body
    return status in {400, 401, 403, 404, 405, 501} and len(body) < 120 and b"<html" not in body.lower()


# ---- nobody ----------------------------------------------------------------------------------------------------------


def test_every_route_of_the_running_application_is_shut_without_a_login(
    marked: ServedStudy, routes: list[tuple[str, str, list[str]]]
) -> None:
    open_routes = {"/sign-in", "/link/{token}", "/health", "/ready"}
    paths = {re.sub(r"\{.*?\}", "x", path) or "/" for _, path, _ in routes if path not in open_routes}
    assert {"/_stcore/health", "/_stcore/host-config", "/media/x", "/component/x", "/"} <= paths
    assert any(path.startswith("/_stcore/upload_file/") for path in paths)

    answered = {}
    for path in paths:
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"):
            answer = raw(marked, method, path, Origin=marked.server.url, Content_Length="0")
            if not says_nothing(*answer) or answer[0] not in {401, 404}:
                answered[f"{method} {path}"] = answer[0]

    assert answered == {}


def test_a_page_leads_to_sign_in_and_everything_else_says_401(nobody: httpx.Client) -> None:
    html = {"Accept": "text/html"}

    for path in ("/", "/reading", "/studies", "/report?study=x", "/anything", "/static", "/_stcored"):
        answer = nobody.get(path, headers=html)
        assert (answer.status_code, answer.headers["location"], answer.content) == (303, SIGN_IN, b"")
    for path in ("/_stcore/health", "/static/js/index.js", "/component/x", "/reading/volume/x", "/"):
        answer = nobody.get(path, headers=html if path != "/" else {})
        assert answer.status_code == 401


def test_streamlits_files_are_served_to_nobody_and_sign_in_needs_none(
    nobody: httpx.Client, rater: httpx.Client
) -> None:
    index = rater.get("/", headers={"Accept": "text/html"}).text
    files = [part.split('"')[0].lstrip(".") for part in index.split('src="')[1:] + index.split('href="')[1:]]
    own = [file for file in files if "static/" in file or file.endswith(".png")]

    assert own
    assert {nobody.get(file, headers={"Accept": "*/*"}).status_code for file in own} == {401}
    sign_in = nobody.get(SIGN_IN).text
    assert "<script" not in sign_in
    assert "src=" not in sign_in
    assert [part.split('"')[0] for part in sign_in.split('href="')[1:]] == ["data:,"]


@pytest.mark.parametrize("path", TRICKS)
def test_tricks_with_the_path_lead_nowhere(marked: ServedStudy, path: str) -> None:
    for method in ("GET", "POST"):
        answer = raw(marked, method, path, Accept="text/html", Origin=marked.server.url, Content_Length="0")

        is_a_link = answer[0] in {400, 410} and b"This link cannot be used" in answer[2]
        assert is_a_link or says_nothing(*answer)


@pytest.mark.parametrize("method", METHODS)
def test_no_method_opens_a_page_without_a_login(marked: ServedStudy, method: str) -> None:
    for path in ("/", "/_stcore/health", "/static/index.html", "/reading/verdict"):
        answer = raw(marked, method, path, Origin=marked.server.url, Accept="text/html", Content_Length="0")

        assert says_nothing(*answer)


@pytest.mark.parametrize("path", ["/_stcore/stream", "/sign-in", "/link/x", "/health", "/_stcore/stream/", "/"])
def test_no_websocket_opens_without_a_login(marked: ServedStudy, path: str) -> None:
    wrong = {f"blindread-{marked.server.port}": "x" * 43}

    for cookies in (None, wrong):
        with pytest.raises(InvalidStatus) as refusal, socket(marked.server, cookies, path=path):
            pass
        assert refusal.value.response.status_code == 403


def test_a_session_header_of_ones_own_is_ignored(marked: ServedStudy) -> None:
    session = str(marked.study.situation.admin.login_session_id)
    spoofed = {"X-Blindread-Session": session, "x-blindread-SESSION": session, "X_Blindread_Session": session}

    for name, value in spoofed.items():
        status, *_ = raw(marked, "GET", "/_stcore/health", **{name.replace("-", "_"): value})
        assert status == 401
        with pytest.raises(InvalidStatus), socket(marked.server, headers={name: value}):
            pass
    with socket(marked.server, marked.cookie(OBSERVED), headers=spoofed) as opened:
        ask(opened, "studies")
        seen = text_of(messages_of_run(opened))
    assert "Olive Observed" in seen
    assert mark("adminname") not in seen


# ---- another site ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "origin",
    [None, "null", "http://evil.example", "http://127.0.0.1", "http://localhost:{port}", "http://127.0.0.1:{port}.evil.example",
     "http://evil.example@127.0.0.1:{port}", "http://127.0.0.1:{port}@evil.example", "//127.0.0.1:{port}x"],
)  # fmt: skip
def test_requests_that_another_site_makes_a_browser_send_are_refused(marked: ServedStudy, origin: str | None) -> None:
    named = None if origin is None else origin.replace("{port}", str(marked.server.port))
    cookies = marked.cookie(OBSERVED)

    with httpx.Client(base_url=marked.server.url, cookies=cookies) as browser:
        headers = {} if named is None else {"Origin": named}
        for path in ("/reading/verdict", "/sign-out", "/sign-in", "/link/x", "/_stcore/upload_file/x/y"):
            assert browser.post(path, headers=headers, content=b"{}").status_code == 403
        # The login still stands, so the sign-out did nothing.
        assert browser.get("/_stcore/health").status_code == 200
    with pytest.raises(InvalidStatus) as refusal, socket(marked.server, cookies, origin=named):
        pass
    assert refusal.value.response.status_code == 403


def test_answers_allow_no_other_site_to_read_or_frame_them(rater: httpx.Client) -> None:
    for path in ("/", SIGN_IN, "/_stcore/health", "/reading/volume/x", "/_stcore/host-config"):
        answer = rater.get(path, headers={"Accept": "text/html", "Origin": "http://evil.example"})

        assert "access-control-allow-origin" not in answer.headers
        assert re.search("frame-ancestors '(self|none)'", answer.headers["content-security-policy"])
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["referrer-policy"] == "same-origin"


# ---- a rater ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/reading", "/worklist"])
def test_no_browser_keeps_a_page_that_somebody_saw(rater: httpx.Client, path: str) -> None:
    answer = rater.get(path, headers={"Accept": "text/html"})

    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path", ["/_stcore/metrics", "/_stcore/agent", "/_stcore/agent/mcp", "/auth/login", "/oauth2callback", "/media/x"]
)
def test_what_no_page_of_a_rater_needs_is_not_there(rater: httpx.Client, path: str) -> None:
    assert rater.get(path).status_code == 404


def test_only_those_who_may_import_can_upload(marked: ServedStudy) -> None:
    session_id = session_id_of(run_page(marked.server, marked.cookie(OBSERVED)))
    file = {"file": ("study.zip", b"PK", "application/zip")}

    for login, status in ((OBSERVED, 404), ("reviewer", 404), (mark("adminlogin"), 403)):
        with marked.client(login) as sender:
            # An admin is let through to Streamlit, which asks for its own token.
            assert sender.put(f"/_stcore/upload_file/{session_id}/f", files=file).status_code == status
            assert sender.delete(f"/_stcore/upload_file/{session_id}/f").status_code == status


def test_another_tabs_streamlit_session_cannot_be_taken_over(marked: ServedStudy) -> None:
    cookies = marked.cookie(mark("adminlogin"))
    with socket(marked.server, cookies) as admins:
        ask(admins, "study", f"study={STUDY}")
        session_id = session_id_of(messages_of_run(admins))

        with socket(marked.server, marked.cookie(OBSERVED), session_id=session_id) as raters:
            ask(raters, "study", f"study={STUDY}")
            seen = messages_of_run(raters)

    with socket(marked.server, cookies, session_id=session_id) as admins_again:
        ask(admins_again, "study", f"study={STUDY}")
        # Their own browser does go on with it, so the id was a real one.
        assert session_id_of(messages_of_run(admins_again)) == session_id
    assert session_id_of(seen) != session_id
    assert mark("adminname") not in text_of(seen)
    assert mark("othername") not in text_of(seen)


def test_a_page_cannot_be_reached_by_its_hash(marked: ServedStudy) -> None:
    with socket(marked.server, marked.cookie(mark("adminlogin"))) as admins:
        ask(admins, "study", f"study={STUDY}")
        hashes = {
            page.page_script_hash
            for message in messages_of_run(admins)
            if message.HasField("navigation")
            for page in message.navigation.app_pages
        }
    assert len(hashes) > 2

    for page_hash in hashes:
        with socket(marked.server, marked.cookie(OBSERVED)) as raters:
            ask(raters, query=f"study={STUDY}", page_script_hash=page_hash)
            seen = text_of(messages_of_run(raters))
        assert mark("othername") not in seen
        assert "Manage" not in seen


def test_an_open_socket_loses_its_identity_with_the_sign_out(marked: ServedStudy) -> None:
    cookies = marked.cookie(OBSERVED)
    with socket(marked.server, cookies) as opened:
        ask(opened)
        assert "Worklist" in text_of(messages_of_run(opened))

        with client(marked.server, cookies) as browser:
            assert browser.post("/sign-out").status_code == 303
        ask(opened, "reading", f"study={STUDY}")
        seen = text_of(messages_of_run(opened))

    assert "You are signed out" in seen
    assert "Olive Observed" not in seen
    with client(marked.server, cookies) as browser:
        assert browser.get("/_stcore/health").status_code == 401


@pytest.mark.parametrize("frame", [b"", b"\xff" * 50, b"\x00" * 50, b"text", "text", b"\x08" * 5_000_000])
def test_a_broken_frame_ends_at_most_its_own_socket(marked: ServedStudy, frame: bytes | str) -> None:
    with socket(marked.server, marked.cookie(OBSERVED)) as opened:
        _send(opened, frame)

    assert "Worklist" in text_of(run_page(marked.server, marked.cookie(OBSERVED)))


def _send(opened: ClientConnection, frame: bytes | str) -> None:
    try:
        opened.send(frame)
        opened.recv(timeout=0.5)
    except (ConnectionClosed, TimeoutError):
        return


# ---- links and cookies -----------------------------------------------------------------------------------------------


def test_a_link_shows_a_button_when_it_is_fetched_and_signs_in_once_when_it_is_pressed(marked: ServedStudy) -> None:
    database = marked.study.database
    link = f"/link/{identity.make_link(database, OBSERVED, 'sign_in')}"

    with marked.client() as scanner:
        assert {scanner.get(link).status_code for _ in range(3)} == {200}
        first = scanner.post(link)
    with marked.client() as later:
        second = later.post(link)

    assert first.status_code == 303
    assert second.status_code == 400
    assert "set-cookie" not in second.headers


def test_the_cookie_cannot_be_read_by_scripts_or_sent_by_other_sites(marked: ServedStudy) -> None:
    link = f"/link/{identity.make_link(marked.study.database, OBSERVED, 'sign_in')}"

    with marked.client() as browser:
        cookie = browser.post(link).headers["set-cookie"]

    assert cookie.startswith(f"blindread-{marked.server.port}=")
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert "Domain" not in cookie


@pytest.mark.parametrize("token", ["", "x", "\x7f", "é".encode().decode("latin-1"), "a" * 5_000, "%00", "' OR 1=1 --"])
def test_a_made_up_cookie_opens_nothing(marked: ServedStudy, token: str) -> None:
    header = f"blindread-{marked.server.port}={token}".encode("latin-1").decode("latin-1")

    status, *_ = raw(marked, "GET", "/_stcore/health", Cookie=header)

    assert status == 401
