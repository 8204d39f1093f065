"""The people of an installation, for its owners."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from components.session import current_actor, database
from services.demo import removal
from services.errors import Refused
from services.installation import whereabouts
from services.people import accounts
from services.people.accounts import PersonLine


def draw_people(lines: list[PersonLine]) -> None:
    """Draw everybody, and what an owner may do with one of them."""
    _draw_notice()
    st.dataframe(_table(lines), hide_index=True, width="stretch")
    names = {person.login: f"{person.name} ({person.login})" for person in lines}
    with st.container(border=True, width=560):
        # Nobody is chosen before somebody chooses: a click must not lock whoever stands first.
        nobody = (
            st.selectbox(
                "Person",
                list(names),
                index=None,
                placeholder="Choose a person",
                format_func=lambda login: names[login],
                key="person",
            )
            is None
        )
        with st.container(horizontal=True):
            locked = "is locked: nobody can sign in with this login."
            st.button("Lock", disabled=nobody, on_click=_act, args=(accounts.lock, locked))
            st.button("Unlock", disabled=nobody, on_click=_act, args=(accounts.unlock, "may sign in again."))
            st.button(
                "Sign out everywhere",
                disabled=nobody,
                on_click=_act,
                args=(accounts.sign_out_everywhere, "is signed out everywhere."),
            )
    st.caption(f"To add another owner, use the command line: `{whereabouts.command('owner LOGIN --name NAME')}`")


def draw_demo() -> None:
    """Draw the way to remove the demo, where it is."""
    if not removal.has_demo(database()):
        return
    st.subheader("Demo")
    st.markdown(
        "The demo accounts sign in with links that are printed at each start. Remove the demo before real work begins."
    )
    sure = st.checkbox("Remove the demo's studies from all lists and lock its accounts permanently.")
    st.button("Remove the demo", disabled=not sure, on_click=_remove_demo)


def _table(lines: list[PersonLine]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            (
                person.name,
                person.login,
                ", ".join(word for word, holds in (("owner", person.is_owner), ("demo", person.is_demo)) if holds)
                or "–",
                ", ".join(person.roles) or "–",
                f"locked {person.locked_at:%Y-%m-%d %H:%M}" if person.locked_at else f"{person.sessions} signed in",
                f"{person.last_seen:%Y-%m-%d %H:%M}" if person.last_seen else "never",
            )
            for person in lines
        ],
        columns=["name", "login", "account", "studies", "state", "last seen (UTC)"],
    )


def _act(act: Callable[..., object], said: str) -> None:
    login = str(st.session_state["person"])
    try:
        act(database(), current_actor(), login)
        st.session_state["people-notice"] = ("done", f"'{login}' {said}")
    except Refused as refusal:
        st.session_state["people-notice"] = ("error", str(refusal))


def _remove_demo() -> None:
    try:
        removal.remove_demo(database(), current_actor())
        st.session_state["people-notice"] = ("done", "The demo has been removed, and its accounts are locked.")
    except Refused as refusal:
        st.session_state["people-notice"] = ("error", str(refusal))


def _draw_notice() -> None:
    kind, said = st.session_state.pop("people-notice", ("", ""))
    if kind:
        (st.error if kind == "error" else st.success)(said)
