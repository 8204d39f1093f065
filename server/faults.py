"""Answering failures: a page or sentence of our own, and one line of bounded length in the log.

This wraps the gate, so that no error reaches the web server, which would send its own message and close the connection
on the next request.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.headers import with_security_headers
from server.logs import note_fault
from services.errors import Unavailable

_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=select_autoescape(["html"])
)
# After how many seconds it makes sense to try again.
AGAIN_AFTER = 5
FAILED = (
    "Something went wrong on the server; what was saved is safe: try again, and tell the study's admin if it persists."
)
# Only scripts request paths below these.
NO_PAGES = ("/_stcore/", "/media/", "/component/", "/static/", "/reading/", "/assets/")


class Faults:
    """Answer every error that the application raises."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and answer it if it fails before anything else has."""
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
            return
        begun = False

        async def send_on(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] in {"http.response.start", "websocket.accept", "websocket.close"}
            await send(message)

        try:
            await self.app(scope, receive, send_on)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001  any failure must still be answered
            status = 503 if isinstance(error, Unavailable) else 500
            note_fault(error, scope["path"], status)
            if not begun:
                await _answer(scope, receive, send, error, status)


async def _answer(scope: Scope, receive: Receive, send: Send, error: Exception, status: int) -> None:
    if scope["type"] == "websocket":
        # Refuse the handshake; Streamlit's page reconnects on its own.
        await receive()
        await send({"type": "websocket.close", "code": 1013})
        return
    response = fault_page(scope, status) if asks_for_page(scope) else _sentence(error, status)
    if status == 503:
        response.headers["Retry-After"] = str(AGAIN_AFTER)
    await response(scope, receive, with_security_headers(send))


def asks_for_page(scope: Scope) -> bool:
    """Return whether a person is waiting for a page, rather than a script for an answer."""
    accepts = Headers(scope=scope).get("accept", "")
    return scope["type"] == "http" and "text/html" in accepts and not scope["path"].startswith(NO_PAGES)


def fault_page(scope: Scope, status: int) -> Response:
    """Return the page that explains what happened, that answers are safe, and how to continue."""
    text = _templates.get_template("fault.html").render(
        waiting=status == 503,
        # With two leading slashes the address would point to another host.
        again="/" + quote(scope["path"].lstrip("/")),
        # A form's submission is not repeated unless the user asks for it.
        reload_after=AGAIN_AFTER if status == 503 and scope["method"] == "GET" else None,
    )
    return HTMLResponse(text, status_code=status, headers={"Cache-Control": "no-store"})


def _sentence(error: Exception, status: int) -> Response:
    sentence = str(error) if isinstance(error, Unavailable) else FAILED
    return JSONResponse({"error": sentence}, status_code=status, headers={"Cache-Control": "no-store"})
