"""Under which names the server answers, and whose word about the sender it believes.

A page of another site whose name is made to point here is a page of ours for the browser; and a header that anybody can
send says nothing about where somebody comes from. So names and proxies are listed, and everything else is refused or
left out, before the gate looks at a request. Like the gate, it is pure ASGI.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config

from services.installation.environment import allowed_hosts, proxies, public_url

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

ALWAYS_ALLOWED = frozenset({"127.0.0.1", "localhost", "[::1]"})
MISDIRECTED = (
    "This server does not accept this host name. If it should, start it with the name, without port, in the "
    "environment variable BLINDREAD_ALLOWED_HOSTS (separate several with commas).\n"
)
# What a proxy may say about the sender. From anybody else it is dropped, and nothing behind us sees it.
_SAID_BY_PROXIES = frozenset(
    {
        *(b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"x-forwarded-port", b"x-forwarded-server"),
        *(b"x-forwarded-prefix", b"x-real-ip", b"forwarded"),
    }
)
_LOOPBACK = "127.0.0.1"
_HOST = re.compile(r"(?P<name>\[[^\]]*\]|[^\[\]:@/]*)(?::\d*)?", re.ASCII)


class Hosts:
    """Answer under known names only, and let only known proxies say where a request comes from."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.names = ALWAYS_ALLOWED | allowed_hosts()
        self.proxies = networks(proxies())
        self.is_secure = public_url().startswith("https://")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Put the scope right and hand it on, or refuse it."""
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
            return
        self._put_sender_right(scope)
        if not self._is_ours(scope):
            await _refuse(scope, receive, send)
            return
        await self.app(scope, receive, _with_strict_transport(send) if self.is_secure else send)

    def _is_ours(self, scope: Scope) -> bool:
        hosts = Headers(scope=scope).getlist("host")
        return len(hosts) == 1 and name_of(hosts[0]) in self.names

    def _put_sender_right(self, scope: Scope) -> None:
        """Take address and scheme from a proxy's headers where a proxy of ours sent them, and drop the headers."""
        headers = Headers(scope=scope)
        said = [part.strip() for line in headers.getlist("x-forwarded-for") for part in line.split(",")]
        scheme = headers.get("x-forwarded-proto", "").strip().lower()
        scope["headers"] = [(name, value) for name, value in scope["headers"] if name.lower() not in _SAID_BY_PROXIES]
        peer, port = _peer(scope)
        is_proxy = _is_among(peer, self.proxies)
        if said and is_proxy:
            scope["client"] = (self._sender(said) or peer, 0)
        elif said:
            scope["client"] = (peer, port)
        if scheme:
            secure = scheme in {"https", "wss"} if is_proxy else bool(config.get_option("server.sslCertFile"))
            plain = "ws" if scope["type"] == "websocket" else "http"
            scope["scheme"] = f"{plain}s" if secure else plain

    def _sender(self, said: Sequence[str]) -> str:
        """Return the last address that no proxy of ours added: those before it are the sender's own words."""
        for entry in reversed(said):
            address = _address(entry)
            if address is None:
                return ""
            if not _is_among(str(address), self.proxies):
                return str(address)
        return ""


def networks(listed: Sequence[str]) -> tuple[Network, ...]:
    """Return the networks that a setting lists as addresses or as networks.

    Raises
    ------
    ValueError
        One sentence that names what is no address.
    """
    parsed = []
    for entry in listed:
        try:
            parsed.append(ipaddress.ip_network(entry, strict=False))
        except ValueError:
            raise ValueError(
                f"BLINDREAD_PROXIES holds '{entry}', which is not an address; list addresses or networks such as "
                "127.0.0.1,10.0.0.0/8."
            ) from None
    return tuple(parsed)


def name_of(host: str) -> str:
    """Return the name in a Host header, without its port."""
    match = _HOST.fullmatch(host)
    return match["name"].lower() if match else ""


def _peer(scope: Scope) -> tuple[str, int]:
    """Return who is at the other end of the connection.

    Under `streamlit run` uvicorn believes every program of this machine and has put an address of X-Forwarded-For in
    the peer's place by then, with port 0; no peer has port 0. Where that has happened the peer was this machine.
    """
    host, port = scope.get("client") or (_LOOPBACK, 0)
    return (_LOOPBACK, 0) if port == 0 else (host, port)


def _bare(written: str) -> str:
    """Return an address without port and brackets, as proxies write it."""
    if written.startswith("["):
        return written[1 : written.find("]")]
    return written.partition(":")[0] if written.count(":") == 1 else written


def _address(written: str) -> Address | None:
    try:
        return ipaddress.ip_address(_bare(written))
    except ValueError:
        return None


def _is_among(peer: str, listed: Sequence[Network]) -> bool:
    address = _address(peer)
    return address is not None and any(address in network for network in listed)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        # Closing before accepting makes the server answer the handshake with 403.
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    await PlainTextResponse(MISDIRECTED, status_code=421)(scope, receive, send)


def _with_strict_transport(send: Send) -> Send:
    async def send_with_header(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message)["Strict-Transport-Security"] = "max-age=31536000"
        await send(message)

    return send_with_header
