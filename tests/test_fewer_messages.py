"""What the workers of a run leave unsaid is nothing that anybody would read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.fewer_messages import says_nothing
from tests.harness.server import ROOT

TESTS = """
import time
import pytest

@pytest.fixture
def slow():
    time.sleep(0.2)

@pytest.fixture
def broken():
    yield
    raise RuntimeError("the teardown broke")

def test_quick(): pass
def test_with_a_slow_fixture(slow): pass
def test_with_a_broken_teardown(broken): pass
def test_failing(): assert False, "as it should"
@pytest.mark.skip(reason="not today")
def test_skipped(): pass
@pytest.mark.xfail(strict=True)
def test_failing_as_expected(): assert False
"""


@pytest.mark.server
def test_all_that_fails_is_skipped_or_is_slow_is_told_by_the_workers(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.harness.fewer_messages import pytest_configure\n")
    (tmp_path / "test_all_kinds.py").write_text(TESTS)
    (tmp_path / "pytest.ini").touch()
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "1", "--durations=10", "-rs"]

    run = subprocess.run(
        [*command, f"--rootdir={tmp_path}", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert run.returncode == 1
    for printed in ("as it should", "the teardown broke", "not today", "setup    test_all_kinds.py::test_with_a_slow"):
        assert printed in run.stdout
    assert "1 failed, 3 passed, 1 skipped, 1 xfailed, 1 error" in run.stdout


@pytest.mark.parametrize(
    ("when", "outcome", "seconds", "output", "nothing"),
    [
        ("setup", "passed", 0.001, "", True),
        ("teardown", "passed", 0.001, "", True),
        ("call", "passed", 0.001, "", False),
        ("setup", "failed", 0.001, "", False),
        ("setup", "skipped", 0.001, "", False),
        ("setup", "passed", 0.005, "", False),
        ("teardown", "passed", 0.001, "printed", False),
    ],
)
def test_only_a_quick_silent_setup_or_teardown_that_passed_is_left_unsaid(
    when: str, outcome: str, seconds: float, output: str, nothing: bool
) -> None:
    sections = [("Captured stdout", output)] if output else []
    report = pytest.TestReport("t", ("f", 1, "t"), {}, outcome, None, when, sections, seconds)

    assert says_nothing(report) is nothing
