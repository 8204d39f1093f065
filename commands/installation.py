"""Commands for the installation itself: its database, its server, and what imports left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from commands.opening import opened
from commands.terminal import console, print_problem, progress_bar, refuse

if TYPE_CHECKING:
    from services.installation.environment import Database

cli = typer.Typer()


@cli.command()
def init() -> None:
    """Create the database, or back it up and migrate it."""
    from services.record import maintenance

    with opened(prepared=False) as database:
        saved = maintenance.prepare(database)
        if saved is not None:
            console.print(f"A backup from before the migration is in {saved}.", markup=False)
        _hash_unpacked_volumes(database)
        console.print(f"The database is ready in {database.data_dir}.")


def _hash_unpacked_volumes(database: Database) -> None:
    """Compute the hashes that browsers compare, for volumes prepared before these hashes existed."""
    from services.studies.volumes import volume_integrity

    if not volume_integrity.lacks_unpacked_hashes(database):
        return
    with progress_bar() as feed:
        problems = volume_integrity.fill_unpacked_hashes(database, feed)
    for problem in problems:
        print_problem(problem)


@cli.command()
def serve(
    port: Annotated[int, typer.Option(help="The port to listen on.", min=1, max=65535)] = 8501,
    address: Annotated[str | None, typer.Option(help="The address to listen on (default: 127.0.0.1).")] = None,
) -> None:
    """Start the server and run it until it is stopped."""
    # This loads Streamlit, which no other command needs.
    from server import serving
    from services.installation import whereabouts

    if missing := whereabouts.missing_database():
        refuse(missing)
    try:
        serving.serve(port, address)
    except ValueError as error:
        refuse(str(error))
    except OSError as error:
        refuse(f"Port {port} cannot be opened ({error.strerror}); choose another.")


@cli.command()
def clean(yes: Annotated[bool, typer.Option("--yes", help="Delete them.")] = False) -> None:
    """List data that nothing refers to: volumes older than a day, remains of unfinished imports; --yes deletes them."""
    from services.errors import counted
    from services.studies.folders import unfinished_imports
    from services.studies.volumes import leftovers

    with opened() as database:
        files = leftovers.remove_leftovers(database) if yes else leftovers.list_leftovers(database)
        for file in files:
            console.print(f"{file.path}  {file.size / 2**20:.1f} MB, {counted(file.hours, 'hour')} old", markup=False)
        total = f"{counted(len(files), 'file')}, {sum(leftover.size for leftover in files) / 2**20:.1f} MB"
        console.print(
            f"Deleted: {total}." if yes else f"Nothing refers to: {total}. 'manage.py clean --yes' deletes them."
        )
        for kind in unfinished_imports.KINDS:
            if rows := unfinished_imports.count_left(database, kind):
                if yes:
                    unfinished_imports.clear_what_was_left(database, kind, "manage.py clean")
                what = f"{counted(rows, kind.what)} {kind.whose} whose import was not completed"
                console.print(
                    f"Deleted: {what}." if yes else f"Left by an interrupted import: {what}. --yes deletes them."
                )
            if held := unfinished_imports.held_in_words(database, kind):
                console.print(held)
