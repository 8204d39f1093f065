"""The command line: what an admin does on a page can be scripted here. `python manage.py --help` lists it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from services import (
    closing,
    demo,
    demo_removal,
    environment,
    freezing,
    identity,
    importing,
    judging,
    members,
    people,
    upkeep,
    verifying,
    whereabouts,
)
from services.errors import InputRefused, Refused
from services.packaging import export_study
from services.report.export import export_report

cli = typer.Typer(no_args_is_help=True, add_completion=False, help="Blindread's command line.")
judge_cli = typer.Typer(no_args_is_help=True, help="Verdicts of LLM judges.")
cli.add_typer(judge_cli, name="judge")
console = Console(soft_wrap=True, highlight=False)
# What is printed for people, so that what is printed for scripts stays alone.
aside = Console(stderr=True, soft_wrap=True, highlight=False)

As = Annotated[str | None, typer.Option("--as", help="Act as this login; the first owner without it.")]


@cli.callback()
def choose_data_dir(
    data_dir: Annotated[
        Path | None, typer.Option("--data-dir", help="The data folder, in place of BLINDREAD_DATA_DIR or ./var.")
    ] = None,
) -> None:
    """Blindread's command line."""
    if data_dir is not None:
        environment.choose_data_dir(data_dir)


@contextmanager
def _opened(*, prepared: bool = True) -> Iterator[environment.Database]:
    """Open the database, show refusals as one sentence, and close it, so that no log file stays beside it."""
    database = environment.database()
    aside.print(whereabouts.whereabouts(database), style="dim", markup=False)
    try:
        if warning := whereabouts.warning_of_another(database):
            aside.print(warning, style="bold yellow", markup=False)
        if prepared:
            upkeep.require_prepared(database)
        yield database
    except (Refused, InputRefused, FileExistsError, FileNotFoundError) as refusal:
        console.print(str(refusal), style="bold red", markup=False)
        raise typer.Exit(1) from None
    finally:
        database.engine.dispose()


@contextmanager
def _bar() -> Iterator[Callable[[int, int, str], None]]:
    """Draw a progress bar that is fed with (done, total, text)."""
    columns = (TextColumn("{task.description:<44}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=1)

        def feed(done: int, total: int, text: str) -> None:
            bar.update(task, completed=done, total=max(total, 1), description=text)

        yield feed


@cli.command()
def init() -> None:
    """Migrate the database."""
    with _opened(prepared=False) as database:
        upkeep.prepare(database)
        console.print(f"The database is ready in {database.data_dir}.")


@cli.command("demo")
def seed_demo() -> None:
    """Bring in the demo study and its finished example, once."""
    with _opened() as database:
        if demo.is_seeded(database):
            state = "there already" if demo_removal.has_demo(database) else "removed, and not brought in again"
            console.print(f"The demo is {state}; what was entered is kept.")
            return
        with _bar() as feed:
            demo.seed_demo(database, feed)


@cli.command()
def links(port: Annotated[int, typer.Option(help="The port that the server listens on.")] = 8501) -> None:
    """Print a fresh single-use sign-in link for each of the demo's people."""
    with _opened() as database:
        if demo_removal.has_demo(database):
            console.print(
                "\nSign in with one of these links (each works once; open them in different browser profiles):\n"
            )
            for name, token in demo.sign_in_links(database):
                console.print(f"  {name:<14} http://127.0.0.1:{port}/link/{token}", markup=False)
            console.print(f"\nNew links: make links PORT={port}    Sign-in page: http://127.0.0.1:{port}/sign-in")
        else:
            console.print(f"\nThere is no demo here. Sign-in page: http://127.0.0.1:{port}/sign-in")
        own = f"{sys.executable} manage.py --data-dir {shlex.quote(str(database.data_dir))} owner LOGIN --name NAME"
        console.print(f"An account of your own, as an owner: {own}\n", markup=False)


@cli.command()
def invite(
    study: str,
    login: str,
    name: Annotated[str, typer.Option(help="The name that is shown to them and to admins.")],
    role: Annotated[str, typer.Option(help="rater, reviewer or admin")] = "rater",
    sign_in_only: Annotated[bool, typer.Option(help="A link that signs in once and sets no password.")] = False,
    act_as: As = None,
) -> None:
    """Give somebody a role in a study and print the path of their single-use link."""
    with _opened() as database:
        actor = identity.actor_for_command_line(database, act_as)
        purpose = "sign_in" if sign_in_only else "join"
        token = members.invite(database, actor, study, login, name, role, purpose=purpose)
        if token:
            console.print(f"/link/{token}", markup=False)
        else:
            aside.print(f"'{login}' has signed in before and goes on signing in as they do; no link is needed.")


@cli.command("practise-again")
def allow_another_attempt(study: str, login: str, act_as: As = None) -> None:
    """Give a rater who has used up their attempts at the practice one more."""
    with _opened() as database:
        actor = identity.actor_for_command_line(database, act_as)
        members.allow_another_attempt(database, actor, study, login)
        console.print(f"'{login}' may practise once more.", markup=False)


@cli.command("owner")
def add_owner(login: str, name: Annotated[str, typer.Option(help="Their name.")]) -> None:
    """Make somebody an owner, the first or a further one, and print the path of their single-use link."""
    with _opened() as database:
        console.print(f"/link/{people.add_owner(database, login, name)}", markup=False)


@cli.command("lock")
def lock_person(login: str, act_as: As = None) -> None:
    """Let nobody in under a login any more; login sessions and links end."""
    with _opened() as database:
        people.lock(database, identity.actor_for_command_line(database, act_as), login)
        console.print(f"'{login}' is locked.", markup=False)


@cli.command("unlock")
def unlock_person(login: str, act_as: As = None) -> None:
    """Let a person who was locked in again."""
    with _opened() as database:
        people.unlock(database, identity.actor_for_command_line(database, act_as), login)
        console.print(f"'{login}' may sign in again.", markup=False)


@cli.command("sign-out-everywhere")
def sign_out_person(login: str, act_as: As = None) -> None:
    """End every login session of a person."""
    with _opened() as database:
        ended = people.sign_out_everywhere(database, identity.actor_for_command_line(database, act_as), login)
        console.print(f"'{login}' is signed out of {ended} login sessions.", markup=False)


@cli.command("remove-demo")
def remove_demo(act_as: As = None) -> None:
    """Remove the demo's studies and lock its people; it does not come back."""
    with _opened() as database:
        demo_removal.remove_demo(database, identity.actor_for_command_line(database, act_as))
        console.print("The demo is removed, and its people are locked.")


@cli.command("import")
def import_folder(
    folder: Path,
    key: Annotated[str | None, typer.Option(help="Stored in place of the protocol's name.")] = None,
    act_as: As = None,
) -> None:
    """Check, prepare and store a study folder: all of it, or nothing."""
    with _opened() as database, _bar() as feed:
        actor = identity.actor_for_command_line(database, act_as)
        done = importing.import_study(database, actor, folder, key=key, progress=feed)
        console.print(f"Study '{done.study_key}': {done.cases} cases, {done.volumes} volumes, {done.items} items.")


@cli.command()
def freeze(study: str, act_as: As = None) -> None:
    """Fix a study's contents and open it for reading."""
    with _opened() as database:
        frozen = freezing.freeze_study(database, identity.actor_for_command_line(database, act_as), study)
        console.print(f"Frozen. SHA-256 of the manifest: {frozen.sha256}")


@cli.command()
def verify(
    study: str,
    audit_head: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="audit-head.txt of a backup: shows whether the chain was cut."),
    ] = None,
) -> None:
    """Recompute a frozen study's manifest, its volumes' hashes and the audit chain."""
    with _opened() as database:
        problems = verifying.verify_study(database, study, audit_head.read_text("utf-8") if audit_head else None)
        for problem in problems:
            console.print(problem, style="bold red", markup=False)
        if problems:
            raise typer.Exit(1)
        console.print("All of it holds: protocol, items, volumes, candidates, references and the audit chain.")


@cli.command()
def close(study: str, act_as: As = None) -> None:
    """Lock the data of a study and open its report."""
    with _opened() as database:
        closing.close_study(database, identity.actor_for_command_line(database, act_as), study)
        console.print("Closed: no more verdicts are taken, and the report is open.")


Reason = Annotated[str | None, typer.Option(help="Why an interim look is taken; it is kept for good.")]


@cli.command()
def report(
    study: str,
    out: Annotated[Path, typer.Option(help="A new folder for HTML, CSV and JSON.")],
    reason: Reason = None,
    act_as: As = None,
) -> None:
    """Write the agreement report of a closed study; of an open one only with a reason."""
    with _opened() as database:
        actor = identity.actor_for_command_line(database, act_as)
        if reason is not None:
            closing.take_interim_look(database, actor, study, reason)
        for path in export_report(database, actor, study, out):
            console.print(str(path), markup=False)


@cli.command()
def export(
    study: str,
    out: Annotated[Path, typer.Option(help="A new folder for the package.")],
    reason: Reason = None,
    act_as: As = None,
) -> None:
    """Write the whole study package: report and data, protocol, manifest, events, audit trail."""
    with _opened() as database:
        actor = identity.actor_for_command_line(database, act_as)
        if reason is not None:
            closing.take_interim_look(database, actor, study, reason)
        for path in export_study(database, actor, study, out):
            console.print(str(path), markup=False)


@cli.command()
def backup(folder: Path) -> None:
    """Write a consistent copy of database and volumes, while the server runs."""
    with _opened() as database:
        for path in upkeep.back_up_installation(database, folder):
            console.print(str(path), markup=False)


@judge_cli.command("import")
def import_judge(
    study: str,
    file: Path,
    name: Annotated[str, typer.Option(help="What tells this run from others.")],
    judge: Annotated[str, typer.Option(help="Which judge it was: model and version.")] = "",
    act_as: As = None,
) -> None:
    """Take in a judge's verdicts from CSV or JSON Lines: all of the file, or nothing."""
    with _opened() as database:
        if not file.is_file():
            raise InputRefused(f"{file.name} is missing; name a .csv or .jsonl file.")
        line = judging.import_judge_verdicts(
            database,
            identity.actor_for_command_line(database, act_as),
            study,
            name=name,
            judge=judge,
            content=file.read_bytes(),
            file_name=file.name,
        )
        console.print(
            f"Run '{line.name}': {line.candidates} verdicts, {line.unresolved} unresolved, "
            f"{line.not_judged} candidates not judged.",
            markup=False,
        )


if __name__ == "__main__":
    cli()
