"""Commands for the demo: installing it, signing in as its people, removing it."""

from __future__ import annotations

from typing import Annotated

import typer

from commands.opening import As, opened, opened_as
from commands.terminal import console, progress_bar

cli = typer.Typer()


@cli.command("demo")
def seed_demo() -> None:
    """Install the demo study and its finished example, once."""
    from services.demo import labels, removal

    with opened() as database:
        if labels.is_seeded(database):
            if removal.was_removed(database):
                console.print("The demo is removed, and is not installed again; nothing was changed.")
            elif labels.is_whole(database):
                console.print("The demo is already installed; nothing was changed.")
            else:
                console.print(
                    "The demo is installed only in part, as its installation was interrupted, or a study of another "
                    f"origin has its key; nothing was changed. If {database.data_dir} holds nothing else, delete it "
                    "and install the demo anew."
                )
            return
        # It creates images and simulates reading them, so it loads NumPy, SciPy and nibabel.
        from services.demo import example

        with progress_bar() as feed:
            example.seed_demo(database, feed)


@cli.command()
def links(port: Annotated[int, typer.Option(help="The port that the server listens on.")] = 8501) -> None:
    """Print a new single-use sign-in link for each of the demo's people."""
    from services.demo import labels, removal
    from services.installation import whereabouts

    with opened() as database:
        if removal.has_demo(database):
            console.print(
                "\nSign in with one of these links (each works once; open them in different browser profiles):\n"
            )
            for name, token in labels.sign_in_links(database):
                console.print(f"  {name:<14} http://127.0.0.1:{port}/link/{token}", markup=False)
            console.print(
                f"\nNew links: make links PORT={port} DATA_DIR={database.data_dir}    Sign-in page: http://127.0.0.1:{port}/sign-in"
            )
        else:
            console.print(f"\nThe demo is not installed. Sign-in page: http://127.0.0.1:{port}/sign-in")
        own = whereabouts.command("owner LOGIN --name NAME")
        console.print(f"To create an owner account of your own: {own}\n", markup=False)


@cli.command("remove-demo")
def remove_demo(act_as: As = None) -> None:
    """Remove the demo's studies and lock its accounts; it is not installed again."""
    from services.demo import removal

    with opened_as(act_as) as (database, actor):
        removal.remove_demo(database, actor)
        console.print("The demo has been removed, and its accounts are locked.")
