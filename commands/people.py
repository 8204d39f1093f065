"""Commands for accounts, and for who is in a study."""

from __future__ import annotations

from typing import Annotated

import typer

from commands.opening import As, opened, opened_as
from commands.terminal import aside, console

cli = typer.Typer()


@cli.command("owner")
def add_owner(login: str, name: Annotated[str, typer.Option(help="Their name.")]) -> None:
    """Make somebody an owner, the first or a further one, and print the path of their single-use link."""
    from services.people import accounts

    with opened() as database:
        console.print(f"/link/{accounts.add_owner(database, login, name)}", markup=False)


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
    from services.studies import members

    with opened_as(act_as) as (database, actor):
        purpose = "sign_in" if sign_in_only else "join"
        token = members.invite(database, actor, study, login, name, role, purpose=purpose)
        if token:
            console.print(f"/link/{token}", markup=False)
        else:
            aside.print(f"'{login}' has signed in before and goes on signing in as they do; no link is needed.")


@cli.command("remove-member")
def remove_member(study: str, login: str, act_as: As = None) -> None:
    """Take somebody who has given no verdict out of a study; inviting them again lets them back in."""
    from services.studies import removing

    with opened_as(act_as) as (database, actor):
        pseudonym = removing.remove_member(database, actor, study, login)
        console.print(f"'{login}' ({pseudonym}) is out of '{study}'.", markup=False)


@cli.command("practise-again")
def allow_another_attempt(study: str, login: str, act_as: As = None) -> None:
    """Give a rater who has used up their attempts at the practice one more."""
    # Practice is scored as the report scores, so SciPy comes with it.
    from services.reading import practice

    with opened_as(act_as) as (database, actor):
        practice.allow_another_attempt(database, actor, study, login)
        console.print(f"'{login}' may practise once more.", markup=False)


@cli.command("lock")
def lock_person(login: str, act_as: As = None) -> None:
    """Let nobody in under a login any more; login sessions and links end."""
    from services.people import accounts

    with opened_as(act_as) as (database, actor):
        accounts.lock(database, actor, login)
        console.print(f"'{login}' is locked.", markup=False)


@cli.command("unlock")
def unlock_person(login: str, act_as: As = None) -> None:
    """Let a person who was locked in again."""
    from services.people import accounts

    with opened_as(act_as) as (database, actor):
        accounts.unlock(database, actor, login)
        console.print(f"'{login}' may sign in again.", markup=False)


@cli.command("sign-out-everywhere")
def sign_out_person(login: str, act_as: As = None) -> None:
    """End every login session of a person."""
    from services.people import accounts

    with opened_as(act_as) as (database, actor):
        ended = accounts.sign_out_everywhere(database, actor, login)
        console.print(f"'{login}' is signed out of {ended} login sessions.", markup=False)
