"""Commands for people: values that do not fit, and people who are gone, are one sentence each."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from commands.opening import opened
from db import Database, Membership
from tests.harness.command_line import invoke
from tests.listed_study import READ_THEN_SCORE, imported_listed, write_listed


@pytest.fixture
def commanded(sqlite_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A database with a study, which the command line opens."""
    imported_listed(sqlite_database, write_listed(tmp_path / "study", READ_THEN_SCORE), raters=0)
    monkeypatch.setattr("services.installation.environment.database", lambda: sqlite_database)
    monkeypatch.setattr("services.installation.whereabouts.missing_database", lambda: "")
    return sqlite_database


@pytest.mark.parametrize("years", ["2.5", "many", "-1", "100"])
def test_years_that_are_no_whole_number_are_one_sentence(commanded: Database, years: str) -> None:
    done = invoke("invite", "listed", "anna", "--name", "Anna", f"--years={years}")

    assert done.exit_code == 1
    assert f"--years is '{years}', expected a whole number from 0 to 99; correct it, or leave it out." in done.stdout


def test_an_act_of_somebody_who_is_no_longer_there_is_one_sentence(
    commanded: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit), opened() as database, database.writing() as session:
        session.add(Membership(study_id=1, person_id=999, role="admin", pseudonym="Admin 9"))

    said = capsys.readouterr().out
    assert "Nothing was stored, since a person, study or row that this command names is no longer" in said
    assert "FOREIGN KEY" not in said
