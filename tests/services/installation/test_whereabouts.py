"""Commands that are printed for copying work on the data folder of whoever prints them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from services.installation import whereabouts
from services.seals import audit_head


def test_a_command_names_a_data_folder_that_is_not_the_usual_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "my data"
    monkeypatch.setenv("BLINDREAD_DATA_DIR", str(elsewhere))

    assert whereabouts.command("verify tiny") == f"{sys.executable} manage.py --data-dir '{elsewhere}' verify tiny"
    assert audit_head.why_to_keep().endswith(f"--data-dir '{elsewhere}' verify STUDY --audit-head FILE")


def test_a_command_says_nothing_of_the_usual_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(whereabouts.PROGRAM)
    monkeypatch.delenv("BLINDREAD_DATA_DIR", raising=False)

    assert whereabouts.command("verify tiny") == f"{sys.executable} manage.py verify tiny"


def test_a_head_that_is_kept_elsewhere_names_no_folder_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLINDREAD_DATA_DIR", "/somewhere/else")

    assert "/somewhere/else" not in audit_head.head_file("0" * 64)
