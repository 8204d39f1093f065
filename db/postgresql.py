"""Connections to PostgreSQL that wait for no answer for ever.

PostgreSQL's own limits help against locks and slow statements, and TCP's against a line that was cut. Against a server
that hangs with its connections open, only the client's own clock does.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

from db.waiting import ONE_STEP, left

T = TypeVar("T")

# A little less than the client waits itself, so that the server usually says what it was that took so long.
SETTINGS: dict[str, Any] = {
    "options": f"-c lock_timeout={int(800 * ONE_STEP)} -c statement_timeout={int(900 * ONE_STEP)}",
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": int(1000 * ONE_STEP),
}
# Class 08: the connection failed. 53300: it has too many of them. 57P: the server is ending or starting.
PASSING = ("08", "53300", "57P")
TOO_SLOW = ("57014", "55P03")
# A full disk, too little memory, a limit of the server's; an error of its files; a server that only reads.
CANNOT_STORE = ("53000", "53100", "53200", "53400", "58030", "25006")


class BoundedConnection(psycopg.Connection[Any]):
    """A connection on which every wait has an end; one that was given up is closed."""

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        """Wait for the server, as long as is left."""
        longest = left() if timeout is None else timeout
        if math.isinf(longest):
            return super().wait(gen, interval)
        try:
            return super().wait(gen, interval, longest)
        except psycopg.OperationalError as error:
            if self.pgconn.transaction_status == psycopg.pq.TransactionStatus.ACTIVE:
                # Its answer may still come, and would be taken for that of the next statement.
                self.close()
                raise psycopg.errors.ConnectionTimeout("the server did not answer in time") from error
            raise


def connect(*arguments: Any, **named: Any) -> BoundedConnection:
    """Open a connection within what is left to wait."""
    longest = left()
    # psycopg counts whole seconds, two at least.
    named["connect_timeout"] = 0 if math.isinf(longest) else max(2, int(longest))
    if math.isinf(longest):
        named.pop("options", None)
    return BoundedConnection.connect(*arguments, **named)


def is_passing(error: BaseException) -> bool:
    """Whether an error of the driver is one of waiting or of the connection, which may be gone at the next try."""
    if not isinstance(error, psycopg.Error):
        return False
    state = error.sqlstate
    if state is None:
        return isinstance(error, psycopg.OperationalError)
    return state.startswith(PASSING) or state in TOO_SLOW


def cannot_store(error: BaseException) -> bool:
    """Whether the server has no room or may not write."""
    state = error.sqlstate if isinstance(error, psycopg.Error) else None
    return state in CANNOT_STORE
