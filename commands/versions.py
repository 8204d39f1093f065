"""Commands for versions of a frozen study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from commands.opening import As, opened_as
from commands.terminal import console, progress_bar

cli = typer.Typer()


@cli.command("new-version")
def new_version(
    study: str,
    folder: Path,
    reason: Annotated[str, typer.Option(help="Why there is a new version; stored permanently.")],
    yes: Annotated[bool, typer.Option("--yes", help="Make it; without this option it asks first.")] = False,
    act_as: As = None,
) -> None:
    """Show what a folder changes in a frozen study, and make a new version of it."""
    # It reads images, so this loads NumPy and nibabel.
    from services.studies.versions import making

    with opened_as(act_as) as (database, actor):
        difference = making.difference_of(database, actor, study, folder)
        console.print(f"What version {difference.version} of '{study}' would change:", style="bold", markup=False)
        for sentence in (*difference.changes, *difference.texts, *difference.rated):
            console.print(f"  {sentence}", markup=False)
        if not yes and not typer.confirm(f"Make version {difference.version}?"):
            raise typer.Exit(1)
        with progress_bar() as feed:
            made = making.make_version(database, actor, study, folder, reason, feed)
        console.print(f"Version {made.version} of '{study}' is made; what it adds is in the worklists.", markup=False)
