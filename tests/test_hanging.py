"""A test that hangs ends its run and says where; many quick ones never do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.server import ROOT

CONFTEST = """
from tests.harness.hanging import HangingTests

def pytest_configure(config):
    config.pluginmanager.register(HangingTests({seconds}))
"""


def run_of(folder: Path, tests: str, seconds: float = 1.0) -> subprocess.CompletedProcess[str]:
    """Run some tests, each of which has about so many seconds."""
    (folder / "conftest.py").write_text(CONFTEST.format(seconds=seconds))
    (folder / "test_some.py").write_text(tests)
    (folder / "pytest.ini").touch()
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--rootdir={folder}", str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.server
def test_a_test_that_hangs_ends_its_process_and_says_where(tmp_path: Path) -> None:
    run = run_of(tmp_path, "import time\n\ndef test_waiting_for_ever(): time.sleep(600)\n")

    assert run.returncode == 1
    assert "Timeout (0:00:01)!" in run.stderr
    assert "in test_waiting_for_ever" in run.stderr


@pytest.mark.server
def test_tests_that_take_longer_only_together_are_let_run(tmp_path: Path) -> None:
    each = "import pytest, time\n\n@pytest.mark.parametrize('n', range(8))\ndef test_waiting(n): time.sleep(0.5)\n"

    # A busy machine may stand still for a second or two within one of them.
    run = run_of(tmp_path, each, seconds=3.0)

    assert "8 passed" in run.stdout


@pytest.mark.server
def test_a_test_that_hangs_after_another_failed_says_where_too(tmp_path: Path) -> None:
    tests = "import time\n\ndef test_failing(): assert False\n\ndef test_waiting_for_ever(): time.sleep(10)\n"

    run = run_of(tmp_path, tests)

    assert run.returncode == 1
    assert "in test_waiting_for_ever" in run.stderr
