"""Structured logs: one JSON object a line, without answers and without identities."""

from __future__ import annotations

import logging

import structlog

_QUIET = ("uvicorn.access", "httpx", "watchdog")


def configure_logs() -> None:
    """Write our own events and the libraries' warnings as JSON lines to standard error."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.PrintLoggerFactory(),
        cache_logger_on_first_use=True,
    )
    for name in _QUIET:
        # An access log would note which person fetched which volume when.
        logging.getLogger(name).setLevel(logging.WARNING)
