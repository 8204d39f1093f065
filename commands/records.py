"""Commands for a study's report and package, and for audit, verification, backup and restore."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.opening import As, opened, opened_as
from commands.terminal import console, print_problem, progress_bar

if TYPE_CHECKING:
    from services.installation.environment import Database
    from services.people.identity import Actor

cli = typer.Typer()

Reason = Annotated[str | None, typer.Option(help="Why an interim look is taken; stored permanently.")]


def _offer_audit_head(database: Database) -> None:
    """Print the head of the audit chain, to be stored elsewhere."""
    from services.seals import audit_head

    console.print(f"Head of the audit chain (store it elsewhere): {audit_head.present_head(database)}")
    console.print(audit_head.why_to_keep(), markup=False)


def _write_out(
    study: str, reason: str | None, act_as: str | None, write: Callable[[Database, Actor], Iterable[Path]]
) -> None:
    """Take an interim look if a reason is given, write files, and print their paths and the chain's head."""
    from services.progress import data_lock

    with opened_as(act_as) as (database, actor):
        if reason is not None:
            data_lock.take_interim_look(database, actor, study, reason)
        for path in write(database, actor):
            console.print(str(path), markup=False)
        _offer_audit_head(database)


@cli.command()
def report(
    study: str,
    out: Annotated[Path, typer.Option(help="A new folder for the HTML, CSV and JSON files.")],
    reason: Reason = None,
    act_as: As = None,
) -> None:
    """Write the agreement report of a closed study; an open study requires a reason."""
    # This loads the statistics and figures (SciPy, Plotly).
    from services.report.files.export import export_report

    _write_out(study, reason, act_as, lambda database, actor: export_report(database, actor, study, out))


@cli.command()
def export(
    study: str,
    out: Annotated[Path, typer.Option(help="A new folder for the package.")],
    reason: Reason = None,
    act_as: As = None,
) -> None:
    """Write the complete study package: report and data, protocol, manifest, events, audit trail."""
    # The package contains the report, so this loads the statistics and figures (SciPy, Plotly).
    from services.record.package import export_study

    _write_out(study, reason, act_as, lambda database, actor: export_study(database, actor, study, out))


@cli.command()
def verify(
    study: str,
    audit_head: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="audit-head.txt of a backup: shows whether the chain was cut off."
        ),
    ] = None,
) -> None:
    """Check a frozen study, its volumes and all its rows against the manifest and the audit chain."""
    from services.record import verification

    # A part that cannot be read is reported in one sentence. The traceback belongs in the server's log, not on a
    # terminal.
    logging.getLogger("services.record").addHandler(logging.NullHandler())
    with opened() as database:
        problems = verification.verify_study(
            database, study, audit_head.read_text("utf-8", "replace") if audit_head else None
        )
        for problem in problems:
            print_problem(problem)
        for remark in verification.remarks_on(database, study):
            console.print(remark, markup=False)
        if problems:
            raise typer.Exit(1)
        console.print(verification.ALL_HOLDS)


@cli.command("blinding-audit")
def audit_the_blinding(
    study: str,
    out: Annotated[
        Path | None, typer.Option(help="The file for the result; blinding_audit_STUDY.json without it.")
    ] = None,
    show_values: Annotated[
        bool,
        typer.Option("--show-values", help="Include the hidden values in the file; only admins may then see it."),
    ] = False,
    act_as: As = None,
) -> None:
    """Search every screen that the raters of a frozen study see for what they must not know."""
    from services.errors import counted
    from services.record.blinding_audit import auditing

    with opened_as(act_as) as (database, actor):
        with progress_bar() as feed:
            file = out or Path(auditing.file_name(study))
            done = auditing.audit_blinding(database, actor, study, file, show_values=show_values, progress=feed)
        if done.continued_after:
            console.print(f"An interrupted audit was continued after {counted(done.continued_after, 'assignment')}.")
        console.print(str(done.out), markup=False)
        if done.repeated:
            console.print(done.repeated_in_words, markup=False)
        if not done.holds:
            print_problem(done.sentence)
            for said in done.first:
                print_problem(said)
            if done.leaks:
                console.print(done.advice, markup=False)
                console.print("The file lists all of them; --show-values names what was found.", markup=False)
            raise typer.Exit(1)
        console.print(done.sentence)


@cli.command("redraw")
def draw_again(package: Path) -> None:
    """Repeat the random draws of a study package from its keys and compare; needs no database."""
    from services.errors import Refused, counted
    from services.record import redrawing

    try:
        repeated = redrawing.redraw(package)
    except Refused as refusal:
        print_problem(str(refusal))
        raise typer.Exit(1) from None
    for problem in repeated.problems:
        print_problem(problem)
    if repeated.problems:
        raise typer.Exit(1)
    if repeated.left:
        drawn, left = counted(repeated.count, "draw"), counted(repeated.left, "other")
        console.print(
            f"{drawn} of units and slots from the tables come out as stored. {left} are not repeated: who got what in "
            "which order, and what was drawn from answers."
        )
        return
    if not repeated.count:
        console.print("No draw of this package can be repeated: those of release 0.1.0 depend on its seed alone.")
        return
    verb = "is" if repeated.count == 1 else "are"
    console.print(
        f"{counted(repeated.count, 'draw')} {verb} reproduced exactly: orders, options, sample, controls and opinions."
    )


@cli.command()
def backup(
    folder: Path,
    incomplete: Annotated[
        bool, typer.Option("--incomplete", help="Back up although some prepared files are missing.")
    ] = False,
) -> None:
    """Write a consistent copy of database and volumes, while the server is running."""
    from services.record import maintenance

    with opened() as database:
        for path in maintenance.back_up_installation(database, folder, incomplete=incomplete):
            console.print(str(path), markup=False)
        if sealed := maintenance.sealed_in_backups(database):
            console.print(sealed, markup=False)
        _offer_audit_head(database)


@cli.command("restore")
def restore_backup(folder: Path) -> None:
    """Restore a backup into an installation without a database, check it, and end all login sessions."""
    from services.errors import counted
    from services.record import restoring

    # A restore needs an empty database, so a warning that recommends another one would be wrong advice.
    with opened(prepared=False, warned=False, made=False) as database:
        done = restoring.restore_installation(database, folder)
        for problem in done.problems:
            print_problem(problem)
        console.print(
            f"Restored {done.studies} {'study' if done.studies == 1 else 'studies'} into {database.data_dir} "
            f"(schema {done.schema}); {counted(done.sessions_ended, 'login session')} and all open links were ended.",
            markup=False,
        )
        if not done.head_compared:
            console.print("The backup has no audit head, so whether the chain's end was cut off cannot be checked.")
        if done.problems:
            raise typer.Exit(1)
        console.print("Volumes, manifests and audit chain are intact. Start the server.")
