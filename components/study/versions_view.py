"""A study's versions: since when and why each exists, what differs, and the form that makes a new one."""

from __future__ import annotations

import streamlit as st

from components.notice import notify
from components.problems import draw_problems, plain
from components.session import command_to_copy, current_actor, database
from services.errors import SHORTEST_REASON, InputRefused, Refused
from services.studies.catalogue import StudyLine
from services.studies.folders import uploads
from services.studies.versions import making, stored
from services.studies.versions.making import Difference
from services.studies.versions.stored import Version

_REMEDY = "Correct them, pack the folder again and upload it."
# How many lines of a difference or refusal are drawn. A version's manifest lists all of its differences.
_DRAWN = 30


def draw_versions(line: StudyLine) -> None:
    """Draw the versions after the freeze and, while the study is open, the form for a new one."""
    actor = current_actor()
    versions = stored.versions_of(database(), actor, line.key)
    for version in reversed(versions[1:]):
        _draw_version(version)
    if making.can_have_version(database(), actor, line.key):
        with st.expander("New version"):
            _draw_new(line, len(versions))


def _draw_version(version: Version) -> None:
    st.markdown(f"**Version {version.number}**, since {version.made_at[:16].replace('T', ' ')} UTC. SHA-256:")
    st.code(version.sha256, language=None)
    st.markdown(f"Why: {plain(version.reason)}")
    _draw_lines((*version.differences, *version.texts))


def _draw_lines(sentences: tuple[str, ...]) -> None:
    st.markdown(_lines(sentences, "as the manifest says"))


def _lines(sentences: tuple[str, ...], of_more: str) -> str:
    """Return sentences as a list, up to a maximum; `of_more` says where the others are."""
    more = [f"and {len(sentences) - _DRAWN} more, {of_more}"] if len(sentences) > _DRAWN else []
    return "\n".join(f"- {plain(sentence)}" for sentence in (*sentences[:_DRAWN], *more))


def _draw_new(line: StudyLine, number: int) -> None:
    """Draw the upload of a changed folder, its differences from version `number`, and the next version's button."""
    st.markdown(
        "The whole study folder, with what is added and corrected, becomes the next version: what was read stays as it "
        "is, and raters get what is new beside what they have. A corrected item is new; its earlier verdicts stay with "
        "the version in which they were given."
    )
    st.caption(f"On the command line: `{command_to_copy(f'new-version {line.key} FOLDER --reason ...')}`")
    actor = current_actor()
    if not actor.is_owner:
        st.caption("Only an owner can upload a study folder.")
        return
    # A separate key for each version, so that an upload for one is dropped with it.
    file = st.file_uploader("Study folder as ZIP", type=uploads.ENDINGS, key=f"version-zip-{number}")
    if file is None:
        return
    place = f"version-{file.file_id}"
    if place not in st.session_state:
        with st.spinner("Comparing with what is frozen"):
            try:
                ticket = uploads.receive_upload(database(), actor, file, file.name).ticket
                folder = uploads.study_folder_of(database(), actor, ticket)
                st.session_state[place] = (ticket, making.difference_of(database(), actor, line.key, folder))
            except InputRefused as refusal:
                st.session_state[place] = refusal
            except Refused as refusal:
                st.session_state[place] = str(refusal)
    seen: tuple[str, Difference] | InputRefused | str = st.session_state[place]
    if isinstance(seen, InputRefused):
        draw_problems(seen, _REMEDY)
    elif isinstance(seen, str):
        st.error(_lines(tuple(seen.splitlines()), "correct these first"))
    else:
        _draw_difference(line, *seen)


def _draw_difference(line: StudyLine, ticket: str, difference: Difference) -> None:
    st.markdown(f"**What version {difference.version} would change:**")
    _draw_lines((*difference.changes, *difference.texts, *difference.rated))
    with st.form("new-version", border=False):
        reason = st.text_input("Why there is a new version", help=f"At least {SHORTEST_REASON} characters; stored.")
        if st.form_submit_button(f"Make version {difference.version}", type="primary"):
            _make(line.key, ticket, reason)
            st.rerun()


def _make(study_key: str, ticket: str, reason: str) -> None:
    try:
        folder = uploads.study_folder_of(database(), current_actor(), ticket)
        made = making.make_version(database(), current_actor(), study_key, folder, reason)
        uploads.discard_upload(database(), current_actor(), ticket)
        notify("done", f"Version {made.version} is made; what it adds is in the worklists.")
    except Refused as refusal:
        notify("error", str(refusal))
