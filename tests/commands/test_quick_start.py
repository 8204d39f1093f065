"""A command loads what it needs and no more: `--help` none of the services, the lock of an account no statistics."""

from __future__ import annotations

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


@pytest.mark.parametrize("arguments", [("--help",), ("judge", "--help"), ("report", "--help")], ids=" ".join)
def test_help_loads_no_service(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    packages, printed = loaded_by(tmp_path, *arguments)

    assert "Usage: manage.py" in printed
    assert "commands" in packages
    assert packages & (SERVICES | HEAVY) == set()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("owner", "ada", "--name", "Ada"), "/link/"),
        (("lock", "nobody"), "There is no owner yet"),
        (("clean",), "Nothing refers to: 0 files"),
        (("backup", "{folder}"), "audit-head.txt"),
    ],
    ids=["owner", "lock", "clean", "backup"],
)
@pytest.mark.usefixtures("sqlite_url")
def test_a_command_on_accounts_or_files_loads_no_statistics_figures_or_images(
    data_dir: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    packages, printed = loaded_by(data_dir, *(part.format(folder=tmp_path / "copy") for part in arguments))

    assert said in printed
    assert "services" in packages
    assert packages & HEAVY == set()
