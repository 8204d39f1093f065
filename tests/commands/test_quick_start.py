"""A command loads what it needs and no more: `--help` none of the services, the lock of an account no statistics."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.server import ROOT, clean_environment

SERVICES = {"services", "server", "db", "sqlalchemy", "sqlmodel"}
HEAVY = {"numpy", "scipy", "pandas", "plotly", "nibabel", "PIL", "statsmodels", "sklearn", "streamlit"}


def loaded_by(data_dir: Path, *arguments: str) -> tuple[set[str], str]:
    """Run `manage.py`; return the packages that it imported, and what it printed."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "manage.py", *arguments],
        cwd=ROOT,
        env=clean_environment(data_dir, {}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    modules = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {module.partition(".")[0] for module in modules}, done.stdout


@pytest.mark.server
@pytest.mark.parametrize("arguments", [("--help",), ("judge", "--help"), ("report", "--help")], ids=" ".join)
def test_help_loads_no_service(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    packages, printed = loaded_by(tmp_path, *arguments)

    assert "Usage: manage.py" in printed
    assert "commands" in packages
    assert packages & (SERVICES | HEAVY) == set()


# Runs one command after another, and says after each what it printed and what has been imported so far.
COMMANDS_IN_TURN = """
import contextlib, io, json, sys
from manage import cli
for arguments in json.loads(sys.argv[1]):
    sys.argv, printed = ["manage.py", *arguments], io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        cli()
    print(json.dumps([printed.getvalue(), sorted({name.partition(".")[0] for name in sys.modules})]))
"""


@pytest.mark.server
@pytest.mark.usefixtures("sqlite_url")
def test_a_command_on_accounts_or_files_loads_no_statistics_figures_or_images(data_dir: Path, tmp_path: Path) -> None:
    said = {
        ("owner", "ada", "--name", "Ada"): "/link/",
        ("lock", "nobody"): "There is no account with the login 'nobody'",
        ("clean",): "Nothing refers to: 0 files",
        ("backup", str(tmp_path / "copy")): "audit-head.txt",
    }

    done = subprocess.run(
        [sys.executable, "-c", COMMANDS_IN_TURN, json.dumps(list(said))],
        cwd=ROOT,
        env=clean_environment(data_dir, {}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    for (command, words), line in zip(said.items(), done.stdout.splitlines(), strict=True):
        printed, packages = json.loads(line)
        assert words in printed
        assert "services" in packages
        assert set(packages) & HEAVY == set(), command
