"""The person at this page, re-read from the database on every run and in every callback."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from components.problems import plain
from services.errors import InputRefused, NotSignedIn, Refused, StudyClosed
from services.installation import whereabouts
from services.installation.environment import Database, database
from services.people.identity import Actor, actor_of_session, login_to_act_as

__all__ = ["Database", "command_to_copy", "current_actor", "database", "refusals"]


def current_actor() -> Actor:
    """Return the person who is signed in, or stop the script.

    `st.user` holds what the gate set when the websocket was opened. A socket outlives a sign-out, so the login session
    is looked up again each time.
    """
    login_session = st.user.get("login_session")
    try:
        if not isinstance(login_session, str) or not login_session.isdigit():
            raise NotSignedIn("You are signed out; sign in again to continue.")
        return actor_of_session(database(), int(login_session))
    except NotSignedIn as refusal:
        st.warning(str(refusal))
        st.markdown("[Sign in](/sign-in)")
        st.stop()


@contextmanager
def refusals() -> Iterator[None]:
    """Show a use case's refusal as one sentence, and end the page there."""
    try:
        yield
    except (Refused, InputRefused) as refusal:
        # A closed study is not anybody's error.
        (st.info if isinstance(refusal, StudyClosed) else st.error)(plain(str(refusal)))
        st.stop()


def command_to_copy(arguments: str) -> str:
    """Return a `manage.py` command that acts as the person signed in, adding `--as` if they are not the default."""
    login = login_to_act_as(database(), current_actor())
    return whereabouts.command(f"{arguments} --as {shlex.quote(login)}" if login else arguments)
