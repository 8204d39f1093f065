"""Commands for accounts and for the members of a study."""

from __future__ import annotations

from typing import Annotated

import typer

from commands.opening import As, opened, opened_as
from commands.terminal import aside, console, refuse

cli = typer.Typer()


def _print_link(login: str, token: str, opens_to: str) -> None:
    """Print a link's path for scripts and, on standard error, what it is and what to do with it for people."""
    from services.installation import environment
    from services.people import identity
    from services.people.logins import canonical_login

    address = environment.public_url() or "http://127.0.0.1:8501, or the port that you chose"
    aside.print(
        f"A link for '{canonical_login(login)}' that works once, within {identity.LINK_LIFETIME.days} days: append it "
        f"to the server's address ({address}) and open it in a browser to {opens_to}.",
        markup=False,
    )
    console.print(f"/link/{token}", markup=False)


@cli.command("owner")
def add_owner(login: str, name: Annotated[str, typer.Option(help="The name to display.")]) -> None:
    """Add an owner, the first or another one, and print the path of their single-use link."""
    from services.people import accounts

    with opened() as database:
        _print_link(login, accounts.add_owner(database, login, name), "choose a password")


@cli.command()
def invite(
    study: str,
    login: str,
    name: Annotated[str, typer.Option(help="The name that they and admins see.")],
    role: Annotated[str, typer.Option(help="rater, reviewer or admin")] = "rater",
    group: Annotated[str, typer.Option(help="The rater's group, by key or title, in a study with several.")] = "",
    sign_in_only: Annotated[
        bool, typer.Option(help="Make a link that signs in once, without setting a password.")
    ] = False,
    specialty: Annotated[str, typer.Option(help="Their specialty, as it appears in the data files.")] = "",
    years: Annotated[str, typer.Option(help="Their years of experience, a whole number from 0 to 99.")] = "",
    attribute: Annotated[
        list[str] | None, typer.Option(help="What the protocol declares of raters, as NAME=VALUE; can be repeated.")
    ] = None,
    act_as: As = None,
) -> None:
    """Give somebody a role in a study and print the path of their single-use link."""
    from services.people.logins import canonical_login
    from services.studies import groups
    from services.studies.membership import members

    with opened_as(act_as) as (database, actor):
        purpose = "sign_in" if sign_in_only else "join"
        token = members.invite(
            database, actor, study, login, name, role, specialty=specialty, years=_years(years), group=group,
            attributes=_named_values(attribute or []), purpose=purpose,
        )  # fmt: skip
        if token:
            _print_link(login, token, "sign in" if sign_in_only else "choose a password")
        else:
            aside.print(f"'{canonical_login(login)}' already has an account and signs in as usual; no link is needed.")
        for sentence in groups.beyond_plan(database, actor, study):
            aside.print(sentence, style="yellow", markup=False)


@cli.command("describe-rater")
def describe_rater(
    study: str,
    login: str,
    values: Annotated[list[str], typer.Argument(help="NAME=VALUE for each attribute; NAME= removes its value.")],
    act_as: As = None,
) -> None:
    """Store what the protocol declares of raters about one of them, until the study has its first verdict."""
    from services.people.logins import canonical_login
    from services.studies.membership import rater_attributes

    with opened_as(act_as) as (database, actor):
        stored = rater_attributes.describe(database, actor, study, login, _named_values(values))
        said = ", ".join(f"{name} {value}" for name, value in stored.items()) or "nothing"
        console.print(f"Stored of '{canonical_login(login)}': {said}.", markup=False)


def _years(written: str) -> int | None:
    """Return years of experience; None if nothing is written."""
    if written and not (written.isascii() and written.isdigit() and len(written) < len("100")):
        refuse(f"--years is '{written[:40]}', expected a whole number from 0 to 99; correct it, or leave it out.")
    return int(written) if written else None


def _named_values(written: list[str]) -> dict[str, str]:
    """Return values by name from texts such as trained=yes."""
    wrong = [each for each in written if "=" not in each]
    if wrong:
        refuse(f"'{wrong[0]}' has no '='; write NAME=VALUE, for example trained=yes.")
    return {name.strip(): value for name, _, value in (each.partition("=") for each in written)}


@cli.command("remove-member")
def remove_member(study: str, login: str, act_as: As = None) -> None:
    """Remove a member who has submitted no verdict, except in practice; a new invitation lets them back in."""
    from services.people.logins import canonical_login
    from services.studies.membership import removing

    with opened_as(act_as) as (database, actor):
        pseudonym = removing.remove_member(database, actor, study, login)
        console.print(f"'{canonical_login(login)}' ({pseudonym}) has been removed from '{study}'.", markup=False)


@cli.command("practise-again")
def allow_another_attempt(study: str, login: str, act_as: As = None) -> None:
    """Grant one more practice attempt to a rater who has used them all."""
    # Practice is scored like the report, so this loads SciPy.
    from services.people.logins import canonical_login
    from services.reading import practice

    with opened_as(act_as) as (database, actor):
        practice.allow_another_attempt(database, actor, study, login)
        console.print(f"'{canonical_login(login)}' has one more practice attempt.", markup=False)


@cli.command("lock")
def lock_person(login: str, act_as: As = None) -> None:
    """Lock a login: its sessions end, and its links no longer work."""
    from services.people import accounts
    from services.people.logins import canonical_login

    with opened_as(act_as) as (database, actor):
        accounts.lock(database, actor, login)
        console.print(f"'{canonical_login(login)}' is locked.", markup=False)


@cli.command("unlock")
def unlock_person(login: str, act_as: As = None) -> None:
    """Unlock a locked login."""
    from services.people import accounts
    from services.people.logins import canonical_login

    with opened_as(act_as) as (database, actor):
        accounts.unlock(database, actor, login)
        console.print(f"'{canonical_login(login)}' is unlocked and may sign in again.", markup=False)


@cli.command("sign-out-everywhere")
def sign_out_person(login: str, act_as: As = None) -> None:
    """End every login session of a person."""
    from services.errors import counted
    from services.people import accounts
    from services.people.logins import canonical_login

    with opened_as(act_as) as (database, actor):
        ended = accounts.sign_out_everywhere(database, actor, login)
        console.print(f"'{canonical_login(login)}' is signed out of {counted(ended, 'login session')}.", markup=False)
