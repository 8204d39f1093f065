"""The workers of a run send less about each test that passes: a plugin of pytest.

A worker sends six messages about a test: it begins, three reports, it ends, it is done. For a test of a millisecond
that is most of its time, in the worker and in the process that reads them. That it begins and that it ends is printed
by nothing unless -v asks for it.
"""

from __future__ import annotations

import pytest
from _pytest.runner import runtestprotocol

from tests.harness import second_try

# A report of less is not listed among the slowest either.
QUICK_SECONDS = 0.005


def says_nothing(report: pytest.TestReport) -> bool:
    """Return whether a report is of a quick setup or teardown that passed without output."""
    return report.when != "call" and report.passed and report.duration < QUICK_SECONDS and not report.sections


def pytest_configure(config: pytest.Config) -> None:
    """Send less from this process, if it is a worker and nobody asked for everything (-v, --junitxml)."""
    asked_for_all = config.option.verbose > 0 or config.getoption("xmlpath", None)
    if hasattr(config, "workerinput") and not asked_for_all:
        config.pluginmanager.register(_FewerMessages())


class _FewerMessages:
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Run a test as pytest does; those that may be tried twice are left to the plugin that tries them."""
        if item.get_closest_marker(second_try.MARK.name):
            return None
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if not says_nothing(report):
                item.ihook.pytest_runtest_logreport(report=report)
        return True
