"""The gate: except for the sign-in pages, only people whom the database knows get an answer.

It is pure ASGI, because Starlette's `BaseHTTPMiddleware` does not handle websockets.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from server import presence, static_files
from server.cookies import token_of
from server.faults import asks_for_page
from server.headers import with_security_headers
from server.threads import in_thread
from services.installation.environment import database
from services.people.identity import Actor, actor_of_token
from services.people.permission import administers

# `.streamlit/config.toml` maps this header into `st.user`; only the gate may set it.
SESSION_HEADER = b"x-blindread-session"
OPEN_PATHS = frozenset({"/sign-in", "/health", "/ready"})
# The token only: a longer path would reach Streamlit's own files.
_OPEN_LINK = re.compile(r"/link/[^/\\]+")
OPEN_METHODS = frozenset({"GET", "HEAD", "POST"})
# Streamlit endpoints that none of our pages needs are closed to everybody. Files under `/media/` are open to anybody
# who knows their name; ours come from `server.downloads`.
SHUT_PATHS = ("/_stcore/metrics", "/_stcore/agent", "/auth/", "/oauth2callback", "/media/")
# Used only by admins' pages.
ADMIN_PATHS = ("/_stcore/upload_file",)
UNSAFE_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Gate:
    """Deny by default: check the origin, look up the login session, and pass its id on in a header of our own."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._known = static_files.Known()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
            return
        _strip_session_header(scope)
        connection = HTTPConnection(scope)
        refusal = await self._refusal(scope, connection)
        if refusal is not None:
            await _refuse(scope, receive, send, refusal)
            return
        await self.app(scope, receive, with_security_headers(send))

    async def _refusal(self, scope: Scope, connection: HTTPConnection) -> Response | None:
        """Return the answer if the request may not pass. If None, the scope now carries the person's identity."""
        path = scope["path"]
        if path.startswith(SHUT_PATHS):
            return _nothing_here()
        checks_origin = scope["type"] == "websocket" or scope.get("method") in UNSAFE_METHODS
        if checks_origin and not _same_origin(connection.headers):
            return JSONResponse({"error": "This request comes from another site."}, status_code=403)
        if _is_open(scope):
            # Checked before anybody is looked up, because these paths must answer even if the database does not.
            return None
        token = token_of(connection)
        if static_files.asks_for_one(scope) and token in self._known:
            return None
        actor = await in_thread("gate", actor_of_token, database(), token) if token else None
        if actor is not None:
            self._remember(path, token)
            if path.startswith(ADMIN_PATHS) and not await in_thread("gate", administers, database(), actor):
                return _nothing_here()
            presence.note(actor)
            _hand_on(scope, actor)
            return None
        if scope.get("method") == "GET" and asks_for_page(scope):
            return RedirectResponse("/sign-in", status_code=303)
        return JSONResponse({"error": "You are signed out; sign in again to continue."}, status_code=401)

    def _remember(self, path: str, token: str | None) -> None:
        if path == "/sign-out":
            self._known.forget(token)
        else:
            self._known.note(token)


def _nothing_here() -> Response:
    return JSONResponse({"error": "Not found."}, status_code=404)


def _is_open(scope: Scope) -> bool:
    """Return whether a path answers people who are not signed in. No websocket does."""
    if scope["type"] != "http" or scope["method"] not in OPEN_METHODS:
        return False
    return scope["path"] in OPEN_PATHS or _OPEN_LINK.fullmatch(scope["path"]) is not None


def _strip_session_header(scope: Scope) -> None:
    scope["headers"] = [(name, value) for name, value in scope["headers"] if name.lower() != SESSION_HEADER]


def _hand_on(scope: Scope, actor: Actor) -> None:
    scope["headers"] = [*scope["headers"], (SESSION_HEADER, str(actor.login_session_id).encode())]
    scope.setdefault("state", {})["actor"] = actor


def _same_origin(headers: Headers) -> bool:
    """Compare `Origin` with `Host`. This protects the websocket, which Streamlit's XSRF tokens do not."""
    try:
        origin = urlsplit(headers.get("origin", ""))
    except ValueError:
        return False
    return origin.scheme in {"http", "https"} and origin.netloc == headers.get("host")


async def _refuse(scope: Scope, receive: Receive, send: Send, refusal: Response) -> None:
    if scope["type"] == "websocket":
        # Closing before accepting makes the server answer the handshake with 403.
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    await refusal(scope, receive, with_security_headers(send))
