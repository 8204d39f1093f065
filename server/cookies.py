"""The cookie that holds the token of a login session."""

from __future__ import annotations

from starlette.requests import HTTPConnection
from starlette.responses import Response

from services.people.identity import ABSOLUTE_LIMIT


def is_secure(connection: HTTPConnection) -> bool:
    """Return whether the browser used HTTPS, either with us or with a proxy that `server/hosts.py` trusts."""
    return connection.url.scheme in {"https", "wss"}


def cookie_name(connection: HTTPConnection) -> str:
    """Return the cookie's name. It includes the port, because browsers do not keep cookies apart by port."""
    host = connection.headers.get("host", "")
    port = host.rpartition(":")[2] if ":" in host else "default"
    prefix = "__Host-" if is_secure(connection) else ""
    return f"{prefix}blindread-{port if port.isalnum() else 'default'}"


def token_of(connection: HTTPConnection) -> str | None:
    """Return the login-session token that the browser sent."""
    return connection.cookies.get(cookie_name(connection))


def set_token(connection: HTTPConnection, response: Response, token: str, *, stay: bool) -> None:
    """Give the browser a token that scripts cannot read; unless `stay`, it is dropped when the browser closes."""
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
    """Remove the token from the browser."""
    response.delete_cookie(
        cookie_name(connection), path="/", secure=is_secure(connection), httponly=True, samesite="lax"
    )
