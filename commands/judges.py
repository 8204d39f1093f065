"""Commands for the verdicts of LLM judges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from commands.opening import As, opened_as
from commands.terminal import console

cli = typer.Typer(no_args_is_help=True, help="Verdicts of LLM judges.")


@cli.command("import")
def import_judge(
    study: str,
    file: Path,
    name: Annotated[str, typer.Option(help="A name for this run.")],
    judge: Annotated[str, typer.Option(help="The judge: model and version.")] = "",
    act_as: As = None,
) -> None:
    """Import a judge's verdicts from a file: the whole of it or nothing."""
    from services.errors import InputRefused
    from services.judging import import_runs

    with opened_as(act_as) as (database, actor):
        if not file.is_file():
            raise InputRefused(f"{file.name} is missing; name a {import_runs.ENDINGS_IN_WORDS} file.")
        line = import_runs.import_judge_verdicts(
            database, actor, study, name=name, judge=judge, content=file.read_bytes(), file_name=file.name
        )
        console.print(line.in_words, markup=False)
