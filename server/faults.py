"""What is answered when something fails: a page or a sentence of ours, and one bounded line in the log.

It is outside the gate, so that no error reaches the web server, which would answer in its own words and close the
connection under the next request.
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
# Seconds after which the same is worth another try.
AGAIN_AFTER = 5
FAILED = (
    "Something went wrong on the server; what was saved is safe: try again, and tell the study's admin if it persists."
)
# Below these nobody but scripts asks.
NO_PAGES = ("/_stcore/", "/media/", "/component/", "/static/", "/reading/", "/assets/")


class Faults:
    """Answer every error that comes out of the application."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, and answer it where nothing else does."""
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
        except Exception as error:  # noqa: BLE001  whatever it is, somebody waits for an answer
            status = 503 if isinstance(error, Unavailable) else 500
            note_fault(error, scope["path"], status)
            if not begun:
                await _answer(scope, receive, send, error, status)


async def _answer(scope: Scope, receive: Receive, send: Send, error: Exception, status: int) -> None:
    if scope["type"] == "websocket":
        # The handshake is refused; Streamlit's page tries again by itself.
        await receive()
        await send({"type": "websocket.close", "code": 1013})
        return
    response = fault_page(scope, status) if asks_for_page(scope) else _sentence(error, status)
    if status == 503:
        response.headers["Retry-After"] = str(AGAIN_AFTER)
    await response(scope, receive, with_security_headers(send))


def asks_for_page(scope: Scope) -> bool:
    """Whether a person waits for a page, and not a script for an answer."""
    accepts = Headers(scope=scope).get("accept", "")
    return scope["type"] == "http" and "text/html" in accepts and not scope["path"].startswith(NO_PAGES)


def fault_page(scope: Scope, status: int) -> Response:
    """Return the page that says what happened, that answers are kept, and how to go on."""
    text = _templates.get_template("fault.html").render(
        waiting=status == 503,
        # Two slashes at its beginning would be an address elsewhere.
        again="/" + quote(scope["path"].lstrip("/")),
        # What was sent by a form is not sent twice unasked.
        reload_after=AGAIN_AFTER if status == 503 and scope["method"] == "GET" else None,
    )
    return HTMLResponse(text, status_code=status, headers={"Cache-Control": "no-store"})


def _sentence(error: Exception, status: int) -> Response:
    sentence = str(error) if isinstance(error, Unavailable) else FAILED
    return JSONResponse({"error": sentence}, status_code=status, headers={"Cache-Control": "no-store"})
