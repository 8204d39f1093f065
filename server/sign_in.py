"""The pages before the application: sign in, use a link, sign out. Plain HTML without scripts."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from server.cookies import drop_token, set_token, token_of
from server.hashing import Busy, in_turn
from server.threads import in_thread
from services.errors import Refused, TooManyTries
from services.installation.environment import database
from services.people.identity import actor_of_token, look_at_link, sign_out, use_link
from services.people.notices import confirm_notices, notices_of
from services.people.passwords import SHORTEST_PASSWORD
from services.people.signing_in import abandon_sign_in, begin_sign_in, finish_sign_in

_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=select_autoescape(["html"])
)
LARGEST_FORM = 10_000
_BUSY = "Many people are signing in right now; nothing was changed, so try again in a few seconds."


async def show_sign_in(request: Request) -> Response:
    """GET /sign-in."""
    return _page("sign_in.html")


async def take_sign_in(request: Request) -> Response:
    """POST /sign-in."""
    form = await _form(request)
    login, password = form.get("login", "")[:200], form.get("password", "")[:400]
    begin = functools.partial(begin_sign_in, address=_address(request), browser=token_of(request))
    try:
        attempt = await in_thread("writes", begin, database(), login)
    except TooManyTries as refusal:
        return _page("sign_in.html", 429, retry_after=600, error=str(refusal), login=login)
    try:
        token = await in_turn(finish_sign_in, database(), attempt, password)
    except Busy:
        await in_thread("writes", abandon_sign_in, database(), attempt)
        return _page("sign_in.html", 503, retry_after=5, error=_BUSY, login=login)
    except Refused as refusal:
        return _page("sign_in.html", 401, error=str(refusal), login=login)
    return await _signed_in(request, token, stay="stay" in form)


async def show_link(request: Request) -> Response:
    """GET /link/{token}: only shows a button, so that a mail scanner which follows links does not consume them."""
    link = await in_thread("gate", look_at_link, database(), request.path_params["token"])
    return _page("link.html", 200 if link else 410, link=link)


async def take_link(request: Request) -> Response:
    """POST /link/{token}: consumes the link."""
    store, token = database(), request.path_params["token"]
    form = await _form(request)
    password, again = form.get("password", ""), form.get("again", "")
    link = await in_thread("gate", look_at_link, store, token)
    if link is not None and link.purpose == "join" and password != again:
        return _page("link.html", 400, link=link, error="The two passwords differ; type the same one twice.")
    try:
        if link is not None and link.purpose == "join":
            session_token = await in_turn(use_link, store, token, password)
        else:
            # Without a password there is nothing to hash, so there is no need to queue.
            session_token = await in_thread("writes", use_link, store, token, None)
    except Busy:
        return _page("link.html", 503, retry_after=5, link=link, error=_BUSY)
    except Refused as refusal:
        return _page("link.html", 400, link=link, error=str(refusal))
    return await _signed_in(request, session_token, stay="stay" in form)


async def show_notice(request: Request) -> Response:
    """GET /notice: tells the person who just signed in that links were made for their account."""
    notices = await in_thread("gate", notices_of, database(), request.state.actor)
    return _page("notice.html", notices=notices) if notices else RedirectResponse("/", status_code=303)


async def take_notice(request: Request) -> Response:
    """POST /notice: the notice was read and understood."""
    await in_thread("writes", confirm_notices, database(), request.state.actor)
    return RedirectResponse("/", status_code=303)


async def take_sign_out(request: Request) -> Response:
    """POST /sign-out."""
    await in_thread("writes", sign_out, database(), request.state.actor.login_session_id)
    response = RedirectResponse("/sign-in", status_code=303)
    drop_token(request, response)
    # Local storage is kept: it holds answers that could not be saved yet, for the reader who comes back.
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


async def _form(request: Request) -> dict[str, str]:
    """Read what our own forms send, up to a limit, because the sender is not known yet."""
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


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


async def _signed_in(request: Request, token: str, *, stay: bool) -> Response:
    earlier = await in_thread("gate", actor_of_token, database(), token_of(request))
    if earlier is not None:
        await in_thread("writes", sign_out, database(), earlier.login_session_id)
    actor = await in_thread("gate", actor_of_token, database(), token)
    pending = await in_thread("gate", notices_of, database(), actor) if actor else []
    response = RedirectResponse("/notice" if pending else "/", status_code=303)
    set_token(request, response, token, stay=stay)
    return response


def _page(template: str, status: int = 200, *, retry_after: int | None = None, **values: Any) -> Response:
    text = _templates.get_template(template).render(shortest=SHORTEST_PASSWORD, **values)
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": _policy()}
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    return HTMLResponse(text, status_code=status, headers=headers)


@functools.cache
def _policy() -> str:
    """Return a policy that allows only what these pages need: our one style block, and forms sent to us."""
    frame = (Path(__file__).parent / "templates" / "frame.html").read_text(encoding="utf-8")
    (style,) = re.findall(r"<style>(.*?)</style>", frame, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )


routes = [
    Route("/sign-in", show_sign_in, methods=["GET"]),
    Route("/sign-in", take_sign_in, methods=["POST"]),
    Route("/link/{token}", show_link, methods=["GET"]),
    Route("/link/{token}", take_link, methods=["POST"]),
    Route("/notice", show_notice, methods=["GET"]),
    Route("/notice", take_notice, methods=["POST"]),
    Route("/sign-out", take_sign_out, methods=["POST"]),
]
