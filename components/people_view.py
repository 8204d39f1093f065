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
    """Draw everybody, and what an owner may do with one person."""
    _draw_notice()
    # The chosen person comes first: further down a long list, the effect of an action would go unseen.
    chosen_login = st.session_state.get("person")
    st.dataframe(
        _table(sorted(lines, key=lambda person: person.login != chosen_login)), hide_index=True, width="stretch"
    )
    by_login = {person.login: person for person in lines}
    with st.container(border=True, width=560):
        # Nobody is preselected: a click must not lock the first person of the list.
        chosen = st.selectbox(
            "Person",
            list(by_login),
            index=None,
            placeholder="Choose a person",
            format_func=lambda login: f"{by_login[login].name} ({login})",
            key="person",
        )
        _draw_acts(by_login[chosen] if chosen is not None else None)
    st.caption(f"To add another owner, use the command line: `{whereabouts.command('owner LOGIN --name NAME')}`")


def _draw_acts(person: PersonLine | None) -> None:
    """Draw the buttons for the chosen person, with lock or unlock depending on their state."""
    nobody = person is None
    is_locked = person is not None and person.locked_at is not None
    sure = True
    if person is not None and person.is_self and not is_locked:
        sure = st.checkbox("This is your own account: lock it, and sign me out at once.")
    with st.container(horizontal=True):
        if is_locked:
            st.button("Unlock", on_click=_act, args=(accounts.unlock, "may sign in again."))
        else:
            locked = "is locked: nobody can sign in with this login."
            st.button("Lock", disabled=nobody or not sure, on_click=_act, args=(accounts.lock, locked))
        st.button(
            "Sign out everywhere",
            disabled=nobody,
            on_click=_act,
            args=(accounts.sign_out_everywhere, "is signed out everywhere."),
        )


def draw_demo() -> None:
    """Draw the form that removes the demo, if it is installed."""
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
        # As code, otherwise an e-mail address would become a link.
        st.session_state["people-notice"] = ("done", f"`` {login} `` {said}")
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
