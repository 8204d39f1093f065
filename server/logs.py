"""Structured logs: one JSON object per line, without answers or identities."""

from __future__ import annotations

import functools
import logging
import sys
import time
import traceback
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import structlog
from starlette.requests import Request
from starlette.responses import Response

_QUIET = ("uvicorn.access", "httpx", "watchdog")
# The messages of these errors describe the program or the machine. Any other message may contain what somebody entered:
# a database error quotes the very row that it refused.
_TELLING = (OSError, ImportError, NameError, AttributeError)
# The longest traceback in characters, and for how many seconds an identical one is not written again.
LONGEST_TRACE = 4_000
SAME_WITHIN = 60.0
LONGEST_ROUTE = 100
MOST_CAUSES = 1_000
_PROGRAM = str(Path(__file__).resolve().parents[1])
_last_written: dict[str, float] = {}
_events = structlog.get_logger()
_plain_record = logging.getLogRecordFactory()


class _Lines(structlog.PrintLogger):
    """Writes lines. A line that cannot be written (full disk, closed stream) is lost, without losing any answer."""

    def msg(self, message: str) -> None:
        """Write one line."""
        # Python raises ValueError if a stream was closed.
        with suppress(OSError, ValueError):
            super().msg(message)

    log = debug = info = warning = error = critical = exception = msg


def configure_logs() -> None:
    """Write our own events as JSON lines and libraries' warnings to standard error, without errors' own messages."""
    shared: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()],
        logger_factory=lambda *_: _Lines(sys.stderr),
        cache_logger_on_first_use=True,
    )
    for name in _QUIET:
        # An access log would record who fetched which volume, and when.
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.setLogRecordFactory(_record)


def logged(endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Wrap a route so that each answer is logged with its route, status and duration.

    Who asked, and for what, is left out. Only the first two parts of the path are logged, as the third may be a token.
    """

    @functools.wraps(endpoint)
    async def answered(request: Request) -> Response:
        began = time.perf_counter()
        response = await endpoint(request)
        route = "/".join(request.url.path.split("/")[:3])
        milliseconds = round(1000 * (time.perf_counter() - began))
        _events.info("answered", route=route, status=response.status_code, ms=milliseconds)
        return response

    return answered


def note_fault(error: BaseException, path: str, status: int) -> None:
    """Log one line about an error that was answered: where, what kind, and its traceback unless recently logged."""
    # The part after /link/ is a token.
    route = "/".join(path.split("/")[: 3 if path.startswith("/reading/") else 2])[:LONGEST_ROUTE]
    kind = f"{type(error).__module__}.{type(error).__qualname__}"
    _events.error("failed", route=route, status=status, kind=kind, trace=_trace_of(error))


def _trace_of(error: BaseException) -> str:
    """Return an error's traceback, bounded in length. Within a minute of being logged it is only mentioned."""
    trace = "\n".join(_places(error))
    if len(trace) > LONGEST_TRACE:
        trace = f"{trace[: LONGEST_TRACE // 4]}\n  ...\n{trace[-3 * LONGEST_TRACE // 4 :]}"
    moment = time.monotonic()
    if moment - _last_written.get(trace, float("-inf")) < SAME_WITHIN:
        return f"{type(error).__module__}.{type(error).__qualname__} (traceback written less than a minute ago)"
    if len(_last_written) >= MOST_CAUSES:
        _last_written.clear()
    _last_written[trace] = moment
    return trace


def _record(*arguments: Any, **named: Any) -> logging.LogRecord:
    """Create a log record in which an error is reduced to its place and kind, whichever library logs it."""
    record = _plain_record(*arguments, **named)
    if record.exc_info and record.exc_info[1] is not None:
        record.exc_text = _trace_of(record.exc_info[1])
        record.exc_info = None
    return record


def _places(error: BaseException) -> list[str]:
    """Return an error's stack and kind, preceded by those of the errors that caused it."""
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    inner = list(error.exceptions) if isinstance(error, BaseExceptionGroup) else []
    # SQLite's own errors name tables and columns but never values.
    telling = isinstance(error, _TELLING) or type(error).__module__ == "sqlite3"
    message = f": {error}" if telling else ""
    return [
        *(line for cause in [earlier, *inner] if cause is not None for line in _places(cause)),
        "Traceback (most recent call last):",
        "".join(traceback.format_list(_telling_frames(error))).rstrip(),
        f"{type(error).__module__}.{type(error).__qualname__}{message}",
    ]


def _telling_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """Return the frames of our own program and the innermost one. Frames within libraries tell little."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [
        frame for frame in frames[:-1] if frame.filename.startswith(_PROGRAM) and "site-packages" not in frame.filename
    ]
    return [*ours[-12:], *frames[-1:]]
