"""The server answers under listed names only, and believes listed proxies only."""

from __future__ import annotations

import http.client
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from websockets.exceptions import InvalidStatus

from server.hosts import Hosts, networks
from tests.blinding.marked_study import OBSERVED
from tests.blinding.serving import ServedStudy, served
from tests.blinding.streamlit_socket import socket
from tests.harness.server import RunningServer

SETTINGS = {
    "BLINDREAD_ALLOWED_HOSTS": "reads.example.org, Reads.Example.NET",
    "BLINDREAD_PUBLIC_URL": "https://reads.example.org",
    "BLINDREAD_PROXIES": "127.0.0.1",
}


def answered(port: int, *hosts: str, method: str = "GET", path: str = "/sign-in", **headers: str) -> Any:
    """Ask under these names, all of them in one request, and return the answer with its body read."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.putrequest(method, path, skip_host=True)
        for host in hosts:
            connection.putheader("Host", host)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        answer.text = answer.read().decode()  # type: ignore[attr-defined]
        return answer
    finally:
        connection.close()


@pytest.fixture(scope="module")
def behind_a_proxy(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that is told its names, its public address and its proxy."""
    with served(migrated_sqlite, tmp_path_factory.mktemp("proxied"), SETTINGS) as (_, running):
        running.start()
        yield running


# ---- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:{port}", "LOCALHOST", "[::1]:{port}", "[::1]"])
def test_this_machines_own_names_are_answered(marked: ServedStudy, host: str) -> None:
    assert answered(marked.server.port, host.format(port=marked.server.port)).status == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:80", "127.0.0.2", "[::2]",
     "127.0.0.1@evil.example", "", "localhost.", "[::1", "reads.example.org"],
)  # fmt: skip
def test_another_name_is_misdirected_and_the_variable_is_named(marked: ServedStudy, host: str) -> None:
    for path in ("/sign-in", "/", "/health", "/reading/volume/x", "/_stcore/health", "/static/index.html"):
        answer = answered(marked.server.port, host, path=path)

        assert answer.status == 421
        assert "BLINDREAD_ALLOWED_HOSTS" in answer.text
        assert "evil" not in answer.text


def test_two_names_at_once_are_not_answered(marked: ServedStudy) -> None:
    assert answered(marked.server.port, "127.0.0.1", "evil.example").status in {400, 421}


def test_a_websocket_under_another_name_is_refused(marked: ServedStudy) -> None:
    with (
        pytest.raises(InvalidStatus) as refusal,
        socket(
            marked.server,
            marked.cookie(OBSERVED),
            origin="http://evil.example",
            headers={"Host": "evil.example"},
        ),
    ):
        pass
    assert refusal.value.response.status_code in {400, 403}


def test_listed_names_are_answered(behind_a_proxy: RunningServer) -> None:
    for host in ("reads.example.org", "READS.example.net:443", "127.0.0.1"):
        assert answered(behind_a_proxy.port, host).status == 200
    assert answered(behind_a_proxy.port, "other.example.org").status == 421


# ---- proxies ---------------------------------------------------------------------------------------------------------


def test_strict_transport_is_asked_for_where_the_public_address_is_https(
    behind_a_proxy: RunningServer, marked: ServedStudy
) -> None:
    assert answered(behind_a_proxy.port, "reads.example.org").getheader("strict-transport-security") == (
        "max-age=31536000"
    )
    assert answered(marked.server.port, "127.0.0.1").getheader("strict-transport-security") is None


def test_only_a_listed_proxy_makes_a_cookie_secure(marked: ServedStudy, behind_a_proxy: RunningServer) -> None:
    said = {"X_Forwarded_Proto": "https", "X_Forwarded_For": "203.0.113.9"}

    cookies = {}
    for running in (marked.server, behind_a_proxy):
        host = f"127.0.0.1:{running.port}"
        sent = {"Origin": f"https://{host}", "Cookie": f"__Host-blindread-{running.port}=x", "Content_Length": "0"}
        cookies[running] = answered(running.port, host, method="POST", path="/sign-in", **said, **sent).status

    assert set(cookies.values()) == {401}


def scope_after(
    settings: Mapping[str, str],
    monkeypatch: pytest.MonkeyPatch,
    client: tuple[str, int],
    scheme: str = "http",
    **headers: str,
) -> dict[str, Any]:
    """Return the scope that reaches the application."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    seen: list[dict[str, Any]] = []

    async def application(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope)

    listed = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "client": client, "scheme": scheme, "path": "/",
        "headers": [(b"host", b"127.0.0.1"), *listed],
    }  # fmt: skip
    # Not asyncio.run: an event loop of Playwright's may stand in this thread.
    with start_blocking_portal() as portal:
        portal.call(Hosts(application), scope, None, None)  # type: ignore[arg-type]
    return seen[0]


@pytest.mark.parametrize(
    ("proxies", "client", "said", "address"),
    [
        # Nobody is listed: what is said does not count, also where uvicorn has believed it already.
        ("", ("192.0.2.7", 40_000), "203.0.113.9", "192.0.2.7"),
        ("", ("203.0.113.9", 0), "203.0.113.9", "127.0.0.1"),
        ("", ("x:1", 0), "x:1", "127.0.0.1"),
        # The proxy is listed: the last address that is not a proxy's is the sender's.
        ("127.0.0.1", ("203.0.113.9", 0), "203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", ("203.0.113.9", 0), "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        ("10.0.0.0/8", ("10.1.2.3", 40_000), "198.51.100.1, 203.0.113.9, 10.9.9.9", "203.0.113.9"),
        ("10.0.0.0/8", ("10.1.2.3", 40_000), "203.0.113.9, made up", "10.1.2.3"),
        ("10.0.0.0/8", ("10.1.2.3", 40_000), "[2001:db8::1]:443", "2001:db8::1"),
        ("10.0.0.0/8", ("192.0.2.7", 40_000), "203.0.113.9", "192.0.2.7"),
    ],
)
def test_the_address_is_the_peers_or_what_a_listed_proxy_says(
    monkeypatch: pytest.MonkeyPatch, proxies: str, client: tuple[str, int], said: str, address: str
) -> None:
    scope = scope_after({"BLINDREAD_PROXIES": proxies}, monkeypatch, client, x_forwarded_for=said)

    assert scope["client"][0] == address
    assert not any(name.startswith(b"x-forwarded") for name, _ in scope["headers"])


@pytest.mark.parametrize(("proxies", "scheme"), [("", "http"), ("10.0.0.1", "https")])
def test_the_scheme_is_a_listed_proxys_word_too(monkeypatch: pytest.MonkeyPatch, proxies: str, scheme: str) -> None:
    # uvicorn has written https there by then.
    scope = scope_after(
        {"BLINDREAD_PROXIES": proxies}, monkeypatch, ("10.0.0.1", 4_711), "https", x_forwarded_proto="https"
    )

    assert scope["scheme"] == scheme


def test_a_proxy_that_is_no_address_is_named() -> None:
    with pytest.raises(ValueError, match="BLINDREAD_PROXIES holds 'nginx', which is not an address"):
        networks(("127.0.0.1", "nginx"))
