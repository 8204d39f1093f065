"""What an admin can do with a study before its freeze, and with members who have given no verdict."""

from __future__ import annotations

import streamlit as st

from components.frame import script_of
from components.notice import notify
from components.session import current_actor, database
from services.errors import InputRefused, Refused
from services.studies.catalogue import StudyLine
from services.studies.folders import draft_studies
from services.studies.membership import removing


def draw_draft(line: StudyLine) -> None:
    """Draw the forms that rename and delete a draft; nothing once the study is frozen."""
    draft = draft_studies.draft_of(database(), current_actor(), line.key)
    if draft is None:
        return
    with st.expander("Rename or delete this draft"):
        if draft.others:
            st.caption(
                f"{', '.join(draft.others)}: already invited, so the key cannot be changed and the draft cannot be "
                "deleted or imported over. Remove them under People and progress first."
            )
        left, right = st.columns(2)
        with left:
            st.text_input("Title", value=draft.title, key="draft-title", max_chars=draft_studies.LONGEST_TITLE)
            st.text_input("Key", value=draft.key, key="draft-key", disabled=bool(draft.others), max_chars=60)
            st.button("Rename", on_click=_rename, args=(line.key,))
        with right:
            st.markdown(
                "Deleting removes its items, references and candidates, and the volumes that no other study uses. "
                "It cannot be undone."
            )
            sure = st.checkbox("Delete everything in this draft.", disabled=bool(draft.others))
            st.button("Delete the draft", disabled=not sure, on_click=_delete, args=(line.key,))


def draw_removal(line: StudyLine) -> None:
    """Draw the form that removes a member; nothing if nobody can be removed."""
    removable = removing.removable_members(database(), current_actor(), line.key)
    if not removable:
        return
    with st.expander("Remove somebody from the study"):
        st.markdown(
            "Members who have not submitted a verdict, except in practice, can be removed: they lose access, and their "
            "assignments no longer count as open work. Invite them again to let them back in."
        )
        by_login = {member.login: member for member in removable}
        with st.container(width=560):
            chosen = st.selectbox(
                "Member",
                list(by_login),
                index=None,
                placeholder="Choose a member",
                format_func=lambda login: f"{by_login[login].pseudonym} · {by_login[login].name} · {login}",
                key="remove-login",
            )
            st.button("Remove", disabled=chosen is None, on_click=_remove, args=(line.key, chosen))


def _rename(study_key: str) -> None:
    try:
        key = draft_studies.rename_draft(
            database(),
            current_actor(),
            study_key,
            key=str(st.session_state["draft-key"]).strip(),
            title=str(st.session_state["draft-title"]),
        )
        st.query_params["study"] = key
        notify("done", "Renamed.")
    except (Refused, InputRefused) as refusal:
        notify("error", str(refusal))


def _delete(study_key: str) -> None:
    try:
        draft_studies.remove_draft(database(), current_actor(), study_key)
        st.session_state["deleted-draft"] = study_key
    except Refused as refusal:
        notify("error", str(refusal))


def leave_if_deleted() -> None:
    """Go to the list of studies if this page's study was just deleted."""
    if "deleted-draft" in st.session_state:
        notify("done", f"The draft '{st.session_state.pop('deleted-draft')}' is deleted.")
        st.switch_page(script_of("studies"))


def _remove(study_key: str, login: str) -> None:
    try:
        pseudonym = removing.remove_member(database(), current_actor(), study_key, login)
        st.session_state.pop("remove-login", None)
        notify("done", f"{pseudonym} was removed from the study.")
    except Refused as refusal:
        notify("error", str(refusal))
