"""Inviting people to a study: one by a form, several by pasted lines; letters to copy, and the links so far."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from components.problems import plain
from components.session import current_actor, database
from services.errors import Refused
from services.installation import environment
from services.studies import groups
from services.studies.catalogue import StudyLine
from services.studies.membership import invitations, rater_attributes
from services.studies.membership.invitations import Entry, Invited, LinkLine
from services.studies.membership.rater_attributes import ToEnter

_FIELDS = ("role", "name", "login", "specialty", "group")
_MOST_YEARS = 99
_ATTRIBUTES_OF_SEVERAL = (
    " What the protocol declares of raters follows in further columns, if a first line names all columns: "
    "login,name,role,specialty,years,group,{names}."
)


def draw_invitations(line: StudyLine) -> None:
    """Draw the form, the field for pasted lines, the latest letters, and the list of links."""
    actor = current_actor()
    st.subheader("Invite")
    # Raters come first if they can join. The preselected role is always one that can be given.
    roles = [] if line.state == "closed" else ["rater"]
    roles += ["reviewer"] if invitations.takes_reviewers(database(), actor, line.key) else []
    roles.append("admin")
    if line.state == "closed":
        who = " and ".join(f"{role}s" for role in roles)
        st.info(f"The study is closed: raters can no longer join it; {who} can.")
    for sentence in groups.beyond_plan(database(), actor, line.key):
        st.warning(plain(sentence))
    form, letters = st.columns(2, gap="medium")
    with form:
        _draw_forms(line.key, roles)
    # The letters are beside the button that makes them: below it they would be out of sight on a low screen.
    with letters:
        _draw_outcome(line.key)
    _draw_links(invitations.links_of(database(), actor, line.key))


def _draw_forms(study_key: str, roles: list[str]) -> None:
    actor = current_actor()
    round_ = _round(study_key)
    choice = groups.groups_to_choose(database(), actor, study_key)
    declared = rater_attributes.to_enter(database(), actor, study_key)
    single, several = st.tabs(["One person", "Several people"])
    with single, st.container(border=True):
        role = st.selectbox("Role", roles, key=_key("role", study_key, round_))
        if role == "rater" and choice:
            titles = {group.key: group.title for group in choice}
            st.selectbox(
                "Group",
                list(titles),
                index=None,
                placeholder="Choose a group",
                format_func=lambda key: titles[key],
                key=_key("group", study_key, round_),
                help="A rater is in one group and learns of no other. To change it before the freeze, remove the rater "
                "and invite them again.",
            )
        st.text_input("Name", key=_key("name", study_key, round_))
        st.text_input(
            "Login", key=_key("login", study_key, round_), help="What they sign in with, such as their e-mail address."
        )
        specialty, years = st.columns([3, 2])
        specialty.text_input("Specialty", key=_key("specialty", study_key, round_))
        years.number_input(
            "Years of experience", 0, _MOST_YEARS, value=None, step=1, key=_key("years", study_key, round_)
        )
        for attribute in declared if role == "rater" else ():
            _draw_attribute(attribute, _key(f"attribute-{attribute.name}", study_key, round_))
        st.button("Create invitation link", on_click=_invite_one, args=(study_key, round_))
    with several, st.container(border=True):
        can_read = "rater" in roles
        st.text_area(
            f"One line per person: login, name, role, specialty, years{', group' if choice else ''}",
            key=_key("lines", study_key, round_),
            placeholder=(
                f"anna@example.org, Anna Maier, {'rater' if can_read else 'admin'}, Neuroradiology, 6"
                f"{f', {choice[0].key}' if can_read and choice else ''}\n"
                f"ben@example.org, Ben Okafor, {'reviewer' if 'reviewer' in roles else 'admin'}"
            ),
            help=f"Only {_required(can_read, [group.key for group in choice])} are required. If anything is wrong, "
            "all errors are listed and nobody is invited."
            + (_ATTRIBUTES_OF_SEVERAL.format(names=",".join(each.name for each in declared)) if declared else ""),
        )
        st.button("Invite all", on_click=_invite_several, args=(study_key, round_))


def _draw_attribute(attribute: ToEnter, key: str) -> None:
    """Draw the input for what the protocol declares of raters."""
    if attribute.options:
        texts = dict(attribute.options)
        st.selectbox(attribute.label, list(texts), index=None, format_func=lambda option: texts[option], key=key)
    else:
        st.text_input(attribute.label, key=key)


def _required(can_read: bool, choice: list[str]) -> str:
    """Return in words which entries of a line are required."""
    if not can_read:
        return "login, name and role"
    return f"login and name, and of a rater the group ({' or '.join(choice)})," if choice else "login and name"


def _draw_outcome(study_key: str) -> None:
    refused = st.session_state.pop(f"invite-refusal-{study_key}", ())
    if refused:
        st.warning("Nobody was invited.")
    for sentence in refused:
        st.error(plain(sentence))
    invited: list[Invited] = st.session_state.get(f"letters-{study_key}", [])
    if not invited:
        if not refused:
            st.caption("The letters of the people whom you invite appear here.")
        return
    said = (
        "Send each person their letter; the icon at its upper right copies it. The newest are first, and all stay "
        "until this page is reloaded; they are not shown again after that."
    )
    if refused:
        # A green "Invited." below a refusal would be misread.
        st.caption(f"Letters of those who were invited before. {said}")
    else:
        st.success(f"Invited. {said}")
    for invitee in invited:
        st.text(f"Letter to {invitee.name} ({invitee.login})")
        st.code(invitee.letter, language=None, wrap_lines=True)


def _draw_links(links: list[LinkLine]) -> None:
    if not links:
        return
    st.markdown("**Links**, newest first. A new link, or setting a password, invalidates the earlier ones.")
    st.dataframe(
        pd.DataFrame(
            [
                (
                    link.name,
                    link.login,
                    link.role,
                    link.state,
                    f"{link.made_at:%Y-%m-%d %H:%M}",
                    f"{link.expires_at:%Y-%m-%d %H:%M}" if link.state == "open" else "–",
                )
                for link in links
            ],
            columns=["name", "login", "role", "link", "created (UTC)", "valid until (UTC)"],
        ),
        hide_index=True,
        width="stretch",
    )


def _key(field: str, study_key: str, round_: int) -> str:
    # A new key in each round empties the form, whatever the browser still sends for the old one.
    return f"invite-{field}-{study_key}-{round_}"


def _round(study_key: str) -> int:
    return int(st.session_state.get(f"invite-round-{study_key}", 0))


def _invite_one(study_key: str, round_: int) -> None:
    # Read from the widgets' state: arguments bound when the button was drawn are older than the last input.
    role, name, login, specialty, group = (
        str(st.session_state.get(_key(field, study_key, round_)) or "") for field in _FIELDS
    )
    years: int | None = st.session_state.get(_key("years", study_key, round_))
    # A group chosen for a rater is ignored once the role is a different one.
    of_rater = group if role == "rater" else ""
    declared = rater_attributes.to_enter(database(), current_actor(), study_key) if role == "rater" else []
    keys = {each.name: _key(f"attribute-{each.name}", study_key, round_) for each in declared}
    attributes = tuple((name, str(st.session_state.get(key) or "")) for name, key in keys.items())
    _invite(
        study_key,
        round_,
        lambda: [Entry(login, name, role, specialty, years, group=of_rater, attributes=attributes)],
    )


def _invite_several(study_key: str, round_: int) -> None:
    pasted = str(st.session_state.get(_key("lines", study_key, round_), ""))
    _invite(study_key, round_, lambda: invitations.read_entries(pasted))


def _invite(study_key: str, round_: int, entries: Callable[[], list[Entry]]) -> None:
    if round_ != _round(study_key):
        # The second of two clicks: the first has already made the link and emptied the form.
        return
    try:
        invited = invitations.invite_people(database(), current_actor(), study_key, entries(), _address())
    except Refused as refusal:
        st.session_state[f"invite-refusal-{study_key}"] = str(refusal).splitlines()
        return
    # Letters that may not have been copied yet stay. Only those whose links were replaced are removed.
    anew = {invitee.login for invitee in invited}
    earlier: list[Invited] = st.session_state.get(f"letters-{study_key}", [])
    st.session_state[f"letters-{study_key}"] = invited + [letter for letter in earlier if letter.login not in anew]
    st.session_state[f"invite-round-{study_key}"] = round_ + 1


def _address() -> str:
    """Return the server's address: as configured, or as this browser uses it."""
    parts = st.context.url.split("/") if st.context.url else ["http:", "", "127.0.0.1:8501"]
    return environment.public_url() or "/".join(parts[:3])
