"""`manage.py` within the process of the tests."""

from __future__ import annotations

from functools import cache

from click import Command
from click.testing import CliRunner, Result
from typer.main import get_command

from manage import cli


def invoke(*arguments: object) -> Result:
    """Run a command line to its end; the result has its exit code and what it printed."""
    return CliRunner().invoke(_commands(), [str(argument) for argument in arguments])


@cache
def _commands() -> Command:
    # Typer puts all commands together anew for each call of one, which takes longer than most of them.
    return get_command(cli)
