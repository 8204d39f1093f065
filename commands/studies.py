"""Commands for a study from its folder to its data lock."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from commands.opening import As, opened_as
from commands.terminal import console, print_problem, print_problems, progress_bar, refuse

cli = typer.Typer()

# The exit status of `validate` if the import takes a folder that the freeze would refuse; 2 is a wrong command line.
_CANNOT_BE_FROZEN = 3


@cli.command("new-study")
def new_study(
    folder: Path,
    like: Annotated[
        str, typer.Option(help="The shape of a published study, as in docs/how-to/list-the-phases.md.")
    ] = "",
) -> None:
    """Write a complete example study, ready to import: three items, or the shape of a published study."""
    # Its volumes are simulated, so this loads NumPy and nibabel.
    from services.errors import Refused
    from services.studies.folders import starter

    try:
        starter.new_study(folder, like)
    except Refused as refusal:
        refuse(str(refusal))
    except OSError as error:
        refuse(error.strerror or "The folder cannot be written.")
    console.print(
        f"The study is in {folder}: edit it, then run 'manage.py import {folder}'. Its columns: docs/tables.md.",
        markup=False,
    )


@cli.command("explain")
def explain_protocol(path: Path) -> None:
    """Read the protocol of a study folder, or a protocol file, back in plain sentences, and say what is refused.

    For a folder it ends with what `validate` refuses in its protocol, and exits with the same status; where only the
    tables are wrong or missing, it says so in one sentence. A single file is checked without tables.
    """
    from services.errors import InputRefused
    from services.studies.folders import checking, explaining

    try:
        paragraphs = explaining.explain(path)
    except InputRefused as refusal:
        print_problems(refusal)
        raise typer.Exit(1) from None
    for paragraph in paragraphs:
        console.print(paragraph.heading, style="bold", markup=False)
        for sentence in paragraph.sentences:
            console.print(f"  {sentence}", markup=False)
        console.print()
    refused = checking.refusal_of(path) if path.is_dir() else None
    if refused is None:
        return
    if all(problem.file != "protocol.yaml" for problem in refused.problems):
        console.print(f"'manage.py validate' refuses this folder as it is: {refused}", style="yellow", markup=False)
        return
    print_problem("'manage.py validate' refuses this study:")
    print_problems(refused)
    raise typer.Exit(1)


@cli.command("validate")
def validate_folder(folder: Path) -> None:
    """Check a study folder, its protocol, tables and scans, and list everything that is wrong; nothing is stored.

    The exit status is 0 if the study can be imported and, as far as its tables tell, frozen; 1 if it cannot be
    imported; 3 if it can, and the freeze would, or could, refuse what it draws.
    """
    # It reads images, so this loads NumPy and nibabel.
    from services.errors import InputRefused
    from services.studies.folders import checking

    try:
        contents = checking.validated_folder(folder)
    except InputRefused as refusal:
        print_problems(refusal)
        raise typer.Exit(1) from None
    console.print(f"{folder.name} can be imported: {checking.held_in_words(contents)}.", markup=False)
    _print_remarks(contents.conversions, contents.warnings)
    if contents.freeze_refuses:
        print_problem(
            f"{folder.name} can be imported, but as it is the freeze would, or could, refuse it: complete the tables "
            "or correct the protocol first."
        )
        raise typer.Exit(_CANNOT_BE_FROZEN)


def _print_remarks(conversions: Sequence[object], warnings: Sequence[str]) -> None:
    """Print what was converted when a study folder was read, and what somebody should check."""
    for conversion in conversions:
        console.print(f"Converted: {conversion}", markup=False)
    for warning in warnings:
        console.print(f"Please check: {warning}", style="yellow", markup=False)


@cli.command("import")
def import_folder(
    folder: Path,
    key: Annotated[str | None, typer.Option(help="The study's key, instead of the protocol's name.")] = None,
    over_draft: Annotated[
        bool, typer.Option("--over-draft", help="Replace a draft with this key to which nobody has been invited.")
    ] = False,
    act_as: As = None,
) -> None:
    """Check, prepare and store a study folder: all of it or nothing."""
    # It reads images, so this loads NumPy, SciPy and nibabel.
    from services.errors import counted
    from services.studies.folders import importing

    with opened_as(act_as) as (database, actor), progress_bar() as feed:
        done = importing.import_study(database, actor, folder, key=key, over_draft=over_draft, progress=feed)
        held = (counted(done.cases, "case"), counted(done.volumes, "volume"), done.items_in_words)
        console.print(f"Study '{done.study_key}': {', '.join(held)}.")
        if done.needs is not None:
            console.print(done.needs.sentence, markup=False)
        _print_remarks(done.conversions, done.warnings)


@cli.command("prepare-volumes")
def prepare_volumes(study: str, folder: Path, act_as: As = None) -> None:
    """Draw the items of a study that is not frozen, and prepare exactly the volumes that they show."""
    # It reads images, so this loads NumPy, SciPy and nibabel.
    from services.studies.folders import pool_files

    with opened_as(act_as) as (database, actor), progress_bar() as feed:
        needs = pool_files.prepare_volumes(database, actor, study, folder, feed)
        console.print(needs.sentence, markup=False)


@cli.command("rename-draft")
def rename_draft(
    study: str,
    key: Annotated[str | None, typer.Option(help="The new key; possible until somebody is invited.")] = None,
    title: Annotated[str | None, typer.Option(help="The new title.")] = None,
    act_as: As = None,
) -> None:
    """Change the key or the title of a study that is not frozen."""
    from services.studies.folders import draft_studies

    with opened_as(act_as) as (database, actor):
        renamed = draft_studies.rename_draft(database, actor, study, key=key, title=title)
        console.print(f"The draft is now called '{renamed}'.", markup=False)


@cli.command("delete-draft")
def delete_draft(
    study: str,
    yes: Annotated[bool, typer.Option("--yes", help="Delete it; without this option nothing is deleted.")] = False,
    act_as: As = None,
) -> None:
    """Delete a study that is not frozen and to which nobody has been invited, with its volumes."""
    from services.studies.folders import draft_studies

    with opened_as(act_as) as (database, actor):
        draft = draft_studies.draft_of(database, actor, study)
        if draft is not None and not draft.others and not yes:
            refuse(f"'{study}' ({draft.title}) would be deleted permanently; add --yes to delete it.")
        draft_studies.remove_draft(database, actor, study)
        console.print(f"The draft '{study}' has been deleted; its key can be used again.", markup=False)


@cli.command()
def freeze(study: str, act_as: As = None) -> None:
    """Freeze a study's contents and open it for reading."""
    from services.studies.freeze import before_freeze, freezing

    with opened_as(act_as) as (database, actor):
        standing = before_freeze.standing_of(database, actor, study)
        console.print(standing.sentence)
        if standing.needs is not None:
            console.print(standing.needs.sentence, markup=False)
        _print_remarks((), standing.remarks)
        frozen = freezing.freeze_study(database, actor, study)
        console.print(f"Frozen. SHA-256 of the manifest: {frozen.sha256}")


@cli.command()
def thaw(
    study: str,
    reason: Annotated[str, typer.Option(help="What is to be corrected; stored permanently.")] = "",
    act_as: As = None,
) -> None:
    """Make a frozen study a draft again, as long as nobody has seen anything of it."""
    from services.studies.freeze import thawing

    with opened_as(act_as) as (database, actor):
        thawing.thaw_study(database, actor, study, reason)
        console.print(f"Thawed: '{study}' is a draft again, and can be imported over and frozen again.", markup=False)


@cli.command()
def close(
    study: str,
    reason: Annotated[str, typer.Option(help="Why the study is closed with work still open; stored permanently.")] = "",
    act_as: As = None,
) -> None:
    """List the open work of a study, lock its data and open its report; open work requires a reason."""
    # Open work includes practice, which is scored like the report, so this loads SciPy.
    from services.progress import data_lock, outstanding

    with opened_as(act_as) as (database, actor):
        for work in outstanding.open_work_of(database, actor, study):
            console.print(work.sentence, markup=False)
        data_lock.close_study(database, actor, study, reason)
        remark = data_lock.remark_on_report(database, actor, study)
        console.print(f"Closed: no more verdicts are accepted, and the report is available. {remark}".rstrip())


@cli.command("close-phase")
def close_phase(
    study: str,
    phase: str,
    reason: Annotated[str, typer.Option(help="Why it does not wait for everybody; stored permanently.")] = "",
    act_as: As = None,
) -> None:
    """Close a phase before everybody is done with it: what waits for that opens, and what follows is drawn."""
    from services.reading import settling

    with opened_as(act_as) as (database, actor):
        drawn = settling.close_phase(database, actor, study, phase, reason)
        console.print(f"Closed: no more verdicts are accepted in '{phase}'.", markup=False)
        for following, units in drawn.items():
            console.print(f"Drawn for '{following}': {units} units.", markup=False)


@cli.command("open-phase")
def open_phase(
    study: str,
    phase: str,
    reason: Annotated[str, typer.Option(help="Why it is opened now; stored permanently.")] = "",
    act_as: As = None,
) -> None:
    """Open a phase that waits for an admin (opens: {by_admin: yes}), for everybody who works in it."""
    from services.reading import opening

    with opened_as(act_as) as (database, actor):
        opening.open_phase(database, actor, study, phase, reason)
        console.print(f"Opened: '{phase}' is on the worklists of its people.", markup=False)
