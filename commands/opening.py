"""How a command opens the database, on whose behalf it acts, and how it reports refusals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.terminal import aside, print_problems, refuse

if TYPE_CHECKING:
    from services.installation.environment import Database
    from services.people.identity import Actor

As = Annotated[
    str | None,
    typer.Option(
        "--as",
        help="Act as this login (default: the first owner who is not locked, the demo's only where there is no other).",
    ),
]


def choose_data_dir(
    data_dir: Annotated[
        Path | None, typer.Option("--data-dir", help="The data folder, instead of BLINDREAD_DATA_DIR or ./var.")
    ] = None,
) -> None:
    """Blindread's command line."""
    if data_dir is not None:
        from services.installation import environment

        environment.choose_data_dir(data_dir)


@contextmanager
def opened(*, prepared: bool = True, warned: bool = True, made: bool = True) -> Iterator[Database]:
    """Open the database, print refusals as one sentence, and close it, so that no log file is left beside it.

    Parameters
    ----------
    prepared
        Whether a database with this program's schema must exist.
    warned
        Whether to warn if this database has no people while another one on this machine has some.
    made
        Whether to create the data folder if it is missing.
    """
    from services.errors import InputRefused, Refused, Unavailable
    from services.installation import environment, whereabouts
    from services.record import maintenance

    if prepared and (missing := whereabouts.missing_database()):
        refuse(missing)
    try:
        database = environment.database() if made else environment.unmade_database()
    except OSError as error:
        refuse(f"The data folder cannot be used ({error.strerror}); name another one.")
    aside.print(whereabouts.whereabouts(database), style="dim", markup=False)
    try:
        # No time limit: a command can be interrupted with Ctrl+C, and verifying a long chain takes longer than a
        # request may.
        with environment.unhurried():
            if warned and (warning := whereabouts.warning_of_another(database)):
                aside.print(warning, style="bold yellow", markup=False)
            if prepared:
                maintenance.require_prepared(database)
            yield database
    except InputRefused as refusal:
        print_problems(refusal)
        raise typer.Exit(1) from None
    except (Refused, Unavailable) as refusal:
        refuse(str(refusal))
    except environment.BrokenLink:
        refuse(
            "Nothing was stored, since a person, study or row that this command names is no longer in the database, or "
            "was stored by somebody else at the same time; run it again."
        )
    except environment.UnreadableDatabase as error:
        reason = str(error.orig).strip().splitlines()[0][:200]
        refuse(f"The database cannot be read ({reason}): restore a backup.")
    except OSError as error:
        place = f"'{str(error.filename)[:80]}' " if error.filename else "A file or folder "
        refuse(f"{place}cannot be used ({error.strerror or error}); name another one.")
    finally:
        database.engine.dispose()


@contextmanager
def opened_as(login: str | None) -> Iterator[tuple[Database, Actor]]:
    """Open the database like `opened`, on behalf of a login, or of the first owner if none is named."""
    from services.errors import NoSuchStudy
    from services.people import identity

    with opened() as database:
        actor = identity.actor_for_command_line(database, login)
        try:
            yield database, actor
        except NoSuchStudy as refusal:
            acting = identity.login_of(database, actor)
            raise NoSuchStudy(f"{refusal} You act as '{acting}'; to act as somebody else, add --as LOGIN.") from None
