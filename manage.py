"""The command line: what an admin does on a page can be scripted here. `python manage.py --help` lists it."""

from __future__ import annotations

import logging
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from services.demo import example, removal
from services.errors import LISTED, InputRefused, Refused, Unavailable
from services.installation import environment, whereabouts
from services.judging import import_runs
from services.people import accounts, identity
from services.progress import data_lock, outstanding
from services.reading import practice
from services.record import maintenance, redrawing, restoring, verification
from services.record.package import export_study
from services.report.files.export import export_report
from services.seals import audit_head
from services.studies import draft_studies, freezing, importing, leftovers, members, removing, starter, volume_integrity

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
def _opened(*, prepared: bool = True, warned: bool = True, made: bool = True) -> Iterator[environment.Database]:
    """Open the database, show refusals as one sentence, and close it, so that no log file stays beside it."""
    if prepared and (missing := whereabouts.missing_database()):
        console.print(missing, style="bold red", markup=False)
        raise typer.Exit(1)
    try:
        database = environment.database() if made else environment.unmade_database()
    except OSError as error:
        console.print(f"The data folder cannot be used ({error.strerror}); name another one.", style="bold red")
        raise typer.Exit(1) from None
    aside.print(whereabouts.whereabouts(database), style="dim", markup=False)
    try:
        # Whoever waits here can press Ctrl+C; a large chain takes longer to verify than a request may.
        with environment.unhurried():
            if warned and (warning := whereabouts.warning_of_another(database)):
                aside.print(warning, style="bold yellow", markup=False)
            if prepared:
                maintenance.require_prepared(database)
            yield database
    except InputRefused as refusal:
        _print_problems(refusal)
        raise typer.Exit(1) from None
    except (Refused, Unavailable) as refusal:
        console.print(str(refusal), style="bold red", markup=False)
        raise typer.Exit(1) from None
    except environment.UnreadableDatabase as error:
        reason = str(error.orig).strip().splitlines()[0][:200]
        console.print(f"The database cannot be read ({reason}): restore a backup.", style="bold red", markup=False)
        raise typer.Exit(1) from None
    except OSError as error:
        place = f"'{str(error.filename)[:80]}' " if error.filename else "A file or folder "
        console.print(f"{place}cannot be used ({error.strerror or error}); name another one.", style="bold red")
        raise typer.Exit(1) from None
    finally:
        database.engine.dispose()


def _print_problems(refusal: InputRefused) -> None:
    """Print every problem on a line of its own, and of very many how many more there are."""
    for problem in refusal.problems[:LISTED]:
        console.print(str(problem), style="bold red", markup=False)
    more = refusal.count - min(len(refusal.problems), LISTED)
    if refusal.count > 1:
        after = f", of which {more} are not listed" if more else ""
        console.print(f"{refusal.count} problems{after}. Nothing was stored.", style="bold red", markup=False)


@contextmanager
def _bar() -> Iterator[Callable[[int, int, str], None]]:
    """Draw a progress bar that is fed with (done, total, text)."""
    columns = (TextColumn("{task.description:<44}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=1)

        def feed(done: int, total: int, text: str) -> None:
            bar.update(task, completed=done, total=max(total, 1), description=text)

        yield feed


def _offer_audit_head(database: environment.Database) -> None:
    """Print the head of the audit chain, to be kept elsewhere."""
    console.print(f"Head of the audit chain, to be kept elsewhere: {audit_head.present_head(database)}")
    console.print(audit_head.WHY_TO_KEEP, markup=False)


@cli.command()
def init() -> None:
    """Migrate the database, after a backup of it."""
    with _opened(prepared=False) as database:
        saved = maintenance.prepare(database)
        if saved is not None:
            console.print(f"What it was before the migration lies in {saved}.", markup=False)
        _hash_unpacked_volumes(database)
        console.print(f"The database is ready in {database.data_dir}.")


def _hash_unpacked_volumes(database: environment.Database) -> None:
    """Make the hashes that browsers compare for scans that were prepared before there were any."""
    if not volume_integrity.lacks_unpacked_hashes(database):
        return
    with _bar() as feed:
        problems = volume_integrity.fill_unpacked_hashes(database, feed)
    for problem in problems:
        console.print(problem, style="bold red", markup=False)


@cli.command()
def serve(
    port: Annotated[int, typer.Option(help="The port to listen on.", min=1, max=65535)] = 8501,
    address: Annotated[str | None, typer.Option(help="The address to listen on; 127.0.0.1 without it.")] = None,
) -> None:
    """Start the server, and serve until told to end."""
    # Streamlit takes a second to load, which no other command needs.
    from server import serving

    if missing := whereabouts.missing_database():
        console.print(missing, style="bold red", markup=False)
        raise typer.Exit(1)
    try:
        serving.serve(port, address)
    except ValueError as error:
        console.print(str(error), style="bold red", markup=False)
        raise typer.Exit(1) from None
    except OSError as error:
        console.print(f"Port {port} cannot be opened ({error.strerror}); choose another.", style="bold red")
        raise typer.Exit(1) from None


@cli.command("demo")
def seed_demo() -> None:
    """Bring in the demo study and its finished example, once."""
    with _opened() as database:
        if example.is_seeded(database):
            state = "there already" if removal.has_demo(database) else "removed, and not brought in again"
            console.print(f"The demo is {state}; what was entered is kept.")
            return
        with _bar() as feed:
            example.seed_demo(database, feed)


@cli.command()
def links(port: Annotated[int, typer.Option(help="The port that the server listens on.")] = 8501) -> None:
    """Print a fresh single-use sign-in link for each of the demo's people."""
    with _opened() as database:
        if removal.has_demo(database):
            console.print(
                "\nSign in with one of these links (each works once; open them in different browser profiles):\n"
            )
            for name, token in example.sign_in_links(database):
                console.print(f"  {name:<14} http://127.0.0.1:{port}/link/{token}", markup=False)
            console.print(
                f"\nNew links: make links PORT={port} DATA_DIR={database.data_dir}    Sign-in page: http://127.0.0.1:{port}/sign-in"
            )
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
        practice.allow_another_attempt(database, actor, study, login)
        console.print(f"'{login}' may practise once more.", markup=False)


@cli.command("owner")
def add_owner(login: str, name: Annotated[str, typer.Option(help="Their name.")]) -> None:
    """Make somebody an owner, the first or a further one, and print the path of their single-use link."""
    with _opened() as database:
        console.print(f"/link/{accounts.add_owner(database, login, name)}", markup=False)


@cli.command("lock")
def lock_person(login: str, act_as: As = None) -> None:
    """Let nobody in under a login any more; login sessions and links end."""
    with _opened() as database:
        accounts.lock(database, identity.actor_for_command_line(database, act_as), login)
        console.print(f"'{login}' is locked.", markup=False)


@cli.command("unlock")
def unlock_person(login: str, act_as: As = None) -> None:
    """Let a person who was locked in again."""
    with _opened() as database:
        accounts.unlock(database, identity.actor_for_command_line(database, act_as), login)
        console.print(f"'{login}' may sign in again.", markup=False)


@cli.command("sign-out-everywhere")
def sign_out_person(login: str, act_as: As = None) -> None:
    """End every login session of a person."""
    with _opened() as database:
        ended = accounts.sign_out_everywhere(database, identity.actor_for_command_line(database, act_as), login)
        console.print(f"'{login}' is signed out of {ended} login sessions.", markup=False)


@cli.command("remove-demo")
def remove_demo(act_as: As = None) -> None:
    """Remove the demo's studies and lock its people; it does not come back."""
    with _opened() as database:
        removal.remove_demo(database, identity.actor_for_command_line(database, act_as))
        console.print("The demo is removed, and its people are locked.")


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
    with _opened() as database, _bar() as feed:
        actor = identity.actor_for_command_line(database, act_as)
        done = importing.import_study(database, actor, folder, key=key, over_draft=over_draft, progress=feed)
        console.print(f"Study '{done.study_key}': {done.cases} cases, {done.volumes} volumes, {done.items} items.")
        for conversion in done.conversions:
            console.print(f"Converted: {conversion}", markup=False)
        for warning in done.warnings:
            console.print(f"Look at this: {warning}", style="yellow", markup=False)


@cli.command("new-study")
def new_study(folder: Path) -> None:
    """Write a filled study of three items, to start from: it imports as it is."""
    try:
        starter.new_study(folder)
    except (Refused, OSError) as refusal:
        problem = refusal.strerror if isinstance(refusal, OSError) else str(refusal)
        console.print(problem or "The folder cannot be written.", style="bold red", markup=False)
        raise typer.Exit(1) from None
    console.print(
        f"The study is in {folder}: change it, then 'manage.py import {folder}'. docs/tables.md says what stands in "
        "every column.",
        markup=False,
    )


@cli.command("rename-draft")
def rename_draft(
    study: str,
    key: Annotated[str | None, typer.Option(help="The new key, as long as nobody is invited.")] = None,
    title: Annotated[str | None, typer.Option(help="The new title.")] = None,
    act_as: As = None,
) -> None:
    """Give a study that is not frozen another key or title."""
    with _opened() as database:
        actor = identity.actor_for_command_line(database, act_as)
        renamed = draft_studies.rename_draft(database, actor, study, key=key, title=title)
        console.print(f"The draft is '{renamed}' now.", markup=False)


@cli.command("delete-draft")
def delete_draft(
    study: str,
    yes: Annotated[bool, typer.Option("--yes", help="Delete it; without this nothing is done.")] = False,
    act_as: As = None,
) -> None:
    """Delete a study that is not frozen and to which nobody is invited, with its volumes."""
    with _opened() as database:
        actor = identity.actor_for_command_line(database, act_as)
        draft = draft_studies.draft_of(database, actor, study)
        if draft is not None and not draft.others and not yes:
            console.print(f"'{study}' ({draft.title}) would be deleted for good; add --yes to do it.", markup=False)
            raise typer.Exit(1)
        draft_studies.remove_draft(database, actor, study)
        console.print(f"The draft '{study}' is deleted; its key is free.", markup=False)


@cli.command("remove-member")
def remove_member(study: str, login: str, act_as: As = None) -> None:
    """Take somebody who has given no verdict out of a study; inviting them again lets them back in."""
    with _opened() as database:
        actor = identity.actor_for_command_line(database, act_as)
        pseudonym = removing.remove_member(database, actor, study, login)
        console.print(f"'{login}' ({pseudonym}) is out of '{study}'.", markup=False)


@cli.command()
def freeze(study: str, act_as: As = None) -> None:
    """Fix a study's contents and open it for reading."""
    with _opened() as database:
        actor = identity.actor_for_command_line(database, act_as)
        console.print(freezing.standing_of(database, actor, study).sentence)
        frozen = freezing.freeze_study(database, actor, study)
        console.print(f"Frozen. SHA-256 of the manifest: {frozen.sha256}")


@cli.command()
def verify(
    study: str,
    audit_head: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="audit-head.txt of a backup: shows whether the chain was cut."),
    ] = None,
) -> None:
    """Compare a frozen study, its volumes and every row of it with the manifest and the audit chain."""
    # What cannot be read is said in sentences; the server's log has a place for the traceback, a terminal has none.
    logging.getLogger("services.record").addHandler(logging.NullHandler())
    with _opened() as database:
        problems = verification.verify_study(
            database, study, audit_head.read_text("utf-8", "replace") if audit_head else None
        )
        for problem in problems:
            console.print(problem, style="bold red", markup=False)
        for remark in verification.remarks_on(database, study):
            console.print(remark, markup=False)
        if problems:
            raise typer.Exit(1)
        console.print(verification.ALL_HOLDS)


@cli.command("redraw")
def draw_again(package: Path) -> None:
    """Repeat the draws of a study package from the keys in it, and compare; needs no database."""
    try:
        repeated, problems = redrawing.redraw(package)
    except Refused as refusal:
        repeated, problems = 0, [str(refusal)]
    for problem in problems:
        console.print(problem, style="bold red", markup=False)
    if problems:
        raise typer.Exit(1)
    if not repeated:
        console.print("No draw of this package can be repeated: those of release 0.1.0 follow from its seed alone.")
        return
    console.print(f"{repeated} draws come out as they are stored: orders, options, sample, controls and opinions.")


@cli.command()
def close(
    study: str,
    reason: Annotated[str, typer.Option(help="Why it is closed although work is open; kept for good.")] = "",
    act_as: As = None,
) -> None:
    """Return what is still to be done in a study, lock its data and open its report; open work needs a reason."""
    with _opened() as database:
        actor = identity.actor_for_command_line(database, act_as)
        for work in outstanding.open_work_of(database, actor, study):
            console.print(work.sentence, markup=False)
        data_lock.close_study(database, actor, study, reason)
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
            data_lock.take_interim_look(database, actor, study, reason)
        for path in export_report(database, actor, study, out):
            console.print(str(path), markup=False)
        _offer_audit_head(database)


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
            data_lock.take_interim_look(database, actor, study, reason)
        for path in export_study(database, actor, study, out):
            console.print(str(path), markup=False)
        _offer_audit_head(database)


@cli.command()
def backup(
    folder: Path,
    incomplete: Annotated[
        bool, typer.Option("--incomplete", help="Take it although prepared files are missing, without these.")
    ] = False,
) -> None:
    """Write a consistent copy of database and volumes, while the server runs."""
    with _opened() as database:
        for path in maintenance.back_up_installation(database, folder, incomplete=incomplete):
            console.print(str(path), markup=False)
        _offer_audit_head(database)


@cli.command("restore")
def restore_backup(folder: Path) -> None:
    """Bring a backup into an installation without a database, check it, and end everybody's login session."""
    # It is brought into an empty database only: to name another one would be the wrong advice.
    with _opened(prepared=False, warned=False, made=False) as database:
        done = restoring.restore_installation(database, folder)
        for problem in done.problems:
            console.print(problem, style="bold red", markup=False)
        console.print(
            f"Restored {done.studies} studies into {database.data_dir} (schema {done.schema}); "
            f"{done.sessions_ended} login sessions were ended, and every open link.",
            markup=False,
        )
        if not done.head_compared:
            console.print("The backup holds no audit head, so nobody can say whether the chain's end was cut off.")
        if done.problems:
            raise typer.Exit(1)
        console.print("All of it holds: volumes, manifests and the audit chain. Start the server.")


@cli.command()
def clean(yes: Annotated[bool, typer.Option("--yes", help="Remove them.")] = False) -> None:
    """List prepared volumes that nothing refers to and that are older than a day; remove them with --yes."""
    with _opened() as database:
        files = leftovers.remove_leftovers(database) if yes else leftovers.list_leftovers(database)
        for file in files:
            console.print(f"{file.path}  {file.size / 2**20:.1f} MB, {file.hours} hours old", markup=False)
        total = f"{len(files)} files, {sum(leftover.size for leftover in files) / 2**20:.1f} MB"
        console.print(
            f"Removed: {total}." if yes else f"Nothing refers to: {total}. 'manage.py clean --yes' removes them."
        )


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
            raise InputRefused(f"{file.name} is missing; name a {import_runs.ENDINGS_IN_WORDS} file.")
        line = import_runs.import_judge_verdicts(
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
            f"{line.not_judged} {'candidate' if line.not_judged == 1 else 'candidates'} not judged.",
            markup=False,
        )


if __name__ == "__main__":
    cli()
