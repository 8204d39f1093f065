"""The pages before the application: sign in, use a link, sign out. Plain HTML, no script."""

from __future__ import annotations

import functools
import time
from collections import defaultdict, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs

from anyio import CapacityLimiter, to_thread
from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from server.cookies import drop_token, set_token, token_of
from server.threads import in_thread
from services.environment import database
from services.errors import Refused
from services.identity import SHORTEST_PASSWORD, actor_of_token, look_at_link, sign_in, sign_out, use_link

T = TypeVar("T")

_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=select_autoescape(["html"])
)
FAILURES_TAKEN = 10
FAILURES_WITHIN_SECONDS = 600.0
LOGINS_REMEMBERED = 10_000
LARGEST_FORM = 10_000
_failures: dict[str, deque[float]] = defaultdict(deque)


@functools.cache
def _password_threads() -> CapacityLimiter:
    """Argon2 takes a tenth of a second and 64 MB: two at once, so that a burst of sign-ins starves nobody."""
    return CapacityLimiter(2)


async def _in_thread(work: Callable[..., T], *arguments: Any) -> T:
    return await to_thread.run_sync(functools.partial(work, *arguments), limiter=_password_threads())


async def show_sign_in(request: Request) -> Response:
    """GET /sign-in."""
    return _page("sign_in.html")


async def take_sign_in(request: Request) -> Response:
    """POST /sign-in."""
    form = await _form(request)
    login, password = form.get("login", "")[:200], form.get("password", "")[:400]
    if _too_many_failures(login):
        return _page("sign_in.html", 429, error="Too many wrong tries; wait ten minutes and try again.", login=login)
    try:
        token = await _in_thread(sign_in, database(), login, password)
    except Refused as refusal:
        _note_failure(login)
        return _page("sign_in.html", 401, error=str(refusal), login=login)
    _failures.pop(login.lower(), None)
    return await _signed_in(request, token)


async def show_link(request: Request) -> Response:
    """GET /link/{token}: a button only, so that a mail scanner that follows links does not use them up."""
    link = await in_thread("gate", look_at_link, database(), request.path_params["token"])
    return _page("link.html", 200 if link else 410, link=link)


async def take_link(request: Request) -> Response:
    """POST /link/{token}: uses the link up."""
    store, token = database(), request.path_params["token"]
    form = await _form(request)
    password, again = form.get("password", ""), form.get("again", "")
    link = await in_thread("gate", look_at_link, store, token)
    if link is not None and link.purpose == "join" and password != again:
        return _page("link.html", 400, link=link, error="The two passwords differ; type the same one twice.")
    try:
        session_token = await _in_thread(use_link, store, token, password)
    except Refused as refusal:
        return _page("link.html", 400, link=link, error=str(refusal))
    return await _signed_in(request, session_token)


async def take_sign_out(request: Request) -> Response:
    """POST /sign-out."""
    await in_thread("writes", sign_out, database(), request.state.actor.login_session_id)
    response = RedirectResponse("/sign-in", status_code=303)
    drop_token(request, response)
    return response


async def _form(request: Request) -> dict[str, str]:
    """Read what our own forms send, and nothing longer: whoever posts here is not known yet."""
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > LARGEST_FORM:
            return {}
    try:
        fields = parse_qs(content.decode(), keep_blank_values=True, max_num_fields=10)
    except ValueError:
        return {}
    return {name: values[0].replace("\x00", "") for name, values in fields.items()}


async def _signed_in(request: Request, token: str) -> Response:
    earlier = await in_thread("gate", actor_of_token, database(), token_of(request))
    if earlier is not None:
        await in_thread("writes", sign_out, database(), earlier.login_session_id)
    response = RedirectResponse("/", status_code=303)
    set_token(request, response, token)
    return response


def _too_many_failures(login: str) -> bool:
    return len(_recent_failures(login)) >= FAILURES_TAKEN


def _note_failure(login: str) -> None:
    _failures[login.lower()].append(time.monotonic())
    if len(_failures) > LOGINS_REMEMBERED:
        # Somebody is trying made-up logins; what they tried first goes first.
        del _failures[next(iter(_failures))]


def _recent_failures(login: str) -> deque[float]:
    recent = _failures.get(login.lower(), deque())
    while recent and time.monotonic() - recent[0] > FAILURES_WITHIN_SECONDS:
        recent.popleft()
    return recent


def _page(template: str, status: int = 200, **values: Any) -> Response:
    text = _templates.get_template(template).render(shortest=SHORTEST_PASSWORD, **values)
    return HTMLResponse(text, status_code=status, headers={"Cache-Control": "no-store"})


routes = [
    Route("/sign-in", show_sign_in, methods=["GET"]),
    Route("/sign-in", take_sign_in, methods=["POST"]),
    Route("/link/{token}", show_link, methods=["GET"]),
    Route("/link/{token}", take_link, methods=["POST"]),
    Route("/sign-out", take_sign_out, methods=["POST"]),
]
