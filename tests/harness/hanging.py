"""A test that hangs says where, and ends its process, so that the run ends: a plugin of pytest.

pytest has such a timer too, started and stopped for each test. Stopping one waits for its thread to end; in a run of
sixteen thousand tests that adds up to seconds. This one is wound up again only once a part of its time has passed, so
that a test has all of it but for that part.
"""

from __future__ import annotations

import faulthandler
import os
import time

import pytest

# On a slow machine some tests take minutes.
SECONDS = 900.0
PART = 1 / 15


def pytest_configure(config: pytest.Config) -> None:
    """Watch the tests of this process."""
    config.pluginmanager.register(HangingTests())


class HangingTests:
    """The timer of one process, which must run tests itself."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._wind_up_at = 0.0
        # Where it prints, also while a test's output is captured.
        self._stderr = os.dup(2)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Wind the timer up, unless that was done a moment ago."""
        if time.monotonic() >= self._wind_up_at:
            faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._stderr)
            self._wind_up_at = time.monotonic() + PART * self._seconds

    def pytest_exception_interact(self) -> None:
        """Have the timer wound up for the next test: pytest stops every such timer when a test fails."""
        self._wind_up_at = 0.0

    def pytest_enter_pdb(self) -> None:
        """Have the timer wound up for the next test: pytest stops every such timer before somebody looks around."""
        self._wind_up_at = 0.0

    def pytest_unconfigure(self) -> None:
        """Stop the timer."""
        faulthandler.cancel_dump_traceback_later()
        os.close(self._stderr)
