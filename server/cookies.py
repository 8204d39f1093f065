"""The cookie that holds the token of a login session."""

from __future__ import annotations

from starlette.requests import HTTPConnection
from starlette.responses import Response

from services.people.identity import ABSOLUTE_LIMIT


def is_secure(connection: HTTPConnection) -> bool:
    """Return whether the browser came by HTTPS, to us or to a proxy that `server/hosts.py` believes."""
    return connection.url.scheme in {"https", "wss"}


def cookie_name(connection: HTTPConnection) -> str:
    """Return the cookie's name: it carries the port, because cookies themselves do not tell ports apart."""
    host = connection.headers.get("host", "")
    port = host.rpartition(":")[2] if ":" in host else "default"
    prefix = "__Host-" if is_secure(connection) else ""
    return f"{prefix}blindread-{port if port.isalnum() else 'default'}"


def token_of(connection: HTTPConnection) -> str | None:
    """Return the login-session token that the browser sent."""
    return connection.cookies.get(cookie_name(connection))


def set_token(connection: HTTPConnection, response: Response, token: str, *, stay: bool) -> None:
    """Give the browser a token that its scripts cannot read; unless it is to stay, it goes when the browser closes."""
    response.set_cookie(
        cookie_name(connection),
        token,
        max_age=int(ABSOLUTE_LIMIT.total_seconds()) if stay else None,
        path="/",
        secure=is_secure(connection),
        httponly=True,
        samesite="lax",
    )


def drop_token(connection: HTTPConnection, response: Response) -> None:
    """Take the token from the browser."""
    response.delete_cookie(
        cookie_name(connection), path="/", secure=is_secure(connection), httponly=True, samesite="lax"
    )
