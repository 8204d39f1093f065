"""Commands for a study from its folder to its data lock."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from commands.opening import As, opened_as
from commands.terminal import console, progress_bar, refuse

cli = typer.Typer()


@cli.command("new-study")
def new_study(folder: Path) -> None:
    """Write a filled study of three items, to start from: it imports as it is."""
    # Its volumes are simulated, so NumPy and nibabel come with it.
    from services.errors import Refused
    from services.studies import starter

    try:
        starter.new_study(folder)
    except Refused as refusal:
        refuse(str(refusal))
    except OSError as error:
        refuse(error.strerror or "The folder cannot be written.")
    console.print(
        f"The study is in {folder}: change it, then 'manage.py import {folder}'. docs/tables.md says what stands in "
        "every column.",
        markup=False,
    )


@cli.command("import")
def import_folder(
    folder: Path,
    key: Annotated[str | None, typer.Option(help="Stored in place of the protocol's name.")] = None,
    over_draft: Annotated[
        bool, typer.Option("--over-draft", help="Take the place of a draft with this key to which nobody is invited.")
    ] = False,
    act_as: As = None,
) -> None:
    """Check, prepare and store a study folder: all of it, or nothing."""
    # It reads images, so NumPy, SciPy and nibabel come with it.
    from services.studies import importing

    with opened_as(act_as) as (database, actor), progress_bar() as feed:
        done = importing.import_study(database, actor, folder, key=key, over_draft=over_draft, progress=feed)
        console.print(f"Study '{done.study_key}': {done.cases} cases, {done.volumes} volumes, {done.items} items.")
        for conversion in done.conversions:
            console.print(f"Converted: {conversion}", markup=False)
        for warning in done.warnings:
            console.print(f"Look at this: {warning}", style="yellow", markup=False)


@cli.command("rename-draft")
def rename_draft(
    study: str,
    key: Annotated[str | None, typer.Option(help="The new key, as long as nobody is invited.")] = None,
    title: Annotated[str | None, typer.Option(help="The new title.")] = None,
    act_as: As = None,
) -> None:
    """Give a study that is not frozen another key or title."""
    from services.studies import draft_studies

    with opened_as(act_as) as (database, actor):
        renamed = draft_studies.rename_draft(database, actor, study, key=key, title=title)
        console.print(f"The draft is '{renamed}' now.", markup=False)


@cli.command("delete-draft")
def delete_draft(
    study: str,
    yes: Annotated[bool, typer.Option("--yes", help="Delete it; without this nothing is done.")] = False,
    act_as: As = None,
) -> None:
    """Delete a study that is not frozen and to which nobody is invited, with its volumes."""
    from services.studies import draft_studies

    with opened_as(act_as) as (database, actor):
        draft = draft_studies.draft_of(database, actor, study)
        if draft is not None and not draft.others and not yes:
            refuse(f"'{study}' ({draft.title}) would be deleted for good; add --yes to do it.")
        draft_studies.remove_draft(database, actor, study)
        console.print(f"The draft '{study}' is deleted; its key is free.", markup=False)


@cli.command()
def freeze(study: str, act_as: As = None) -> None:
    """Fix a study's contents and open it for reading."""
    from services.studies import freezing

    with opened_as(act_as) as (database, actor):
        console.print(freezing.standing_of(database, actor, study).sentence)
        frozen = freezing.freeze_study(database, actor, study)
        console.print(f"Frozen. SHA-256 of the manifest: {frozen.sha256}")


@cli.command()
def close(
    study: str,
    reason: Annotated[str, typer.Option(help="Why it is closed although work is open; kept for good.")] = "",
    act_as: As = None,
) -> None:
    """Return what is still to be done in a study, lock its data and open its report; open work needs a reason."""
    # Open work includes practice, which is scored as the report scores, so SciPy comes with it.
    from services.progress import data_lock, outstanding

    with opened_as(act_as) as (database, actor):
        for work in outstanding.open_work_of(database, actor, study):
            console.print(work.sentence, markup=False)
        data_lock.close_study(database, actor, study, reason)
        console.print("Closed: no more verdicts are taken, and the report is open.")
