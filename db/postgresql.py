"""Connections to PostgreSQL on which no wait is endless.

PostgreSQL's own limits cover locks and slow statements, and TCP's cover a broken connection. If the server hangs while
its connections stay open, only the client's own clock helps.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

from db.waiting import ONE_STEP, left

T = TypeVar("T")

# Slightly shorter than the client's own limit, so that the server usually reports what took so long.
SETTINGS: dict[str, Any] = {
    "options": f"-c lock_timeout={int(800 * ONE_STEP)} -c statement_timeout={int(900 * ONE_STEP)}",
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": int(1000 * ONE_STEP),
}
# Class 08: the connection failed. 53300: too many connections. 57P: the server is shutting down or starting up.
PASSING = ("08", "53300", "57P")
TOO_SLOW = ("57014", "55P03")
# The disk is full, memory is short, a server limit is reached, a file error (I/O), or the server is read-only.
CANNOT_STORE = ("53000", "53100", "53200", "53400", "58030", "25006")


class BoundedConnection(psycopg.Connection[Any]):
    """A connection on which every wait is bounded. A connection that was given up on is closed."""

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        """Wait for the server for as long as time is left."""
        longest = left() if timeout is None else timeout
        if math.isinf(longest):
            return super().wait(gen, interval)
        try:
            return super().wait(gen, interval, longest)
        except psycopg.OperationalError as error:
            if self.pgconn.transaction_status == psycopg.pq.TransactionStatus.ACTIVE:
                # The late answer could still arrive and be taken for the answer to the next statement.
                self.close()
                raise psycopg.errors.ConnectionTimeout("the server did not answer in time") from error
            raise


def connect(*arguments: Any, **named: Any) -> BoundedConnection:
    """Open a connection within the time left for waiting."""
    longest = left()
    # psycopg counts in whole seconds, with a minimum of two.
    named["connect_timeout"] = 0 if math.isinf(longest) else max(2, int(longest))
    if math.isinf(longest):
        named.pop("options", None)
    return BoundedConnection.connect(*arguments, **named)


def is_passing(error: BaseException) -> bool:
    """Return whether a driver error is a timeout or connection failure, which may be gone on the next attempt."""
    if not isinstance(error, psycopg.Error):
        return False
    state = error.sqlstate
    if state is None:
        return isinstance(error, psycopg.OperationalError)
    return state.startswith(PASSING) or state in TOO_SLOW


def cannot_store(error: BaseException) -> bool:
    """Return whether an error says that the server has no room or may not write."""
    state = error.sqlstate if isinstance(error, psycopg.Error) else None
    return state in CANNOT_STORE
