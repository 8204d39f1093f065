"""The host names under which the server answers, and the proxies whose headers it trusts.

If another site's host name is made to resolve to this server, the browser treats that site's pages as ours. And a
header that anybody can send proves nothing about a request's origin. So host names and proxies are listed; requests for
other names are refused and headers from other senders dropped, before the gate sees the request. Like the gate, this is
pure ASGI.
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
# Headers with which a proxy describes the sender. They are interpreted here, if a known proxy sent them, and removed.
_SAID_BY_PROXIES = frozenset(
    {
        *(b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"x-forwarded-port", b"x-forwarded-server"),
        *(b"x-forwarded-prefix", b"x-real-ip", b"forwarded"),
    }
)
_LOOPBACK = "127.0.0.1"
_HOST = re.compile(r"(?P<name>\[[^\]]*\]|[^\[\]:@/]*)(?::\d*)?", re.ASCII)


class Hosts:
    """Answer only under known host names, and accept only known proxies' statements about a request's origin."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.names = ALWAYS_ALLOWED | allowed_hosts()
        self.proxies = networks(proxies())
        self.is_secure = public_url().startswith("https://")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Correct the scope and pass it on, or refuse the request."""
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
        """Take the address and scheme from the proxy headers if a known proxy sent them, and remove the headers."""
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
        """Return the last address that none of our proxies added. The sender may have invented those before it."""
        for entry in reversed(said):
            address = _address(entry)
            if address is None:
                return ""
            if not _is_among(str(address), self.proxies):
                return str(address)
        return ""


def networks(listed: Sequence[str]) -> tuple[Network, ...]:
    """Return the networks that a setting lists, as addresses or networks.

    Raises
    ------
    ValueError
        With a sentence that names the entry which is not an address.
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
    """Return the address and port at the other end of the connection.

    Under `streamlit run`, uvicorn trusts every program on this machine and has already replaced the peer with an
    address from X-Forwarded-For and port 0. No real peer has port 0, so in that case the peer was this machine.
    """
    host, port = scope.get("client") or (_LOOPBACK, 0)
    return (_LOOPBACK, 0) if port == 0 else (host, port)


def _bare(written: str) -> str:
    """Return an address, as proxies write it, without port and brackets."""
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
