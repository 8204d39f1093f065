"""The freeze of a study: the button before it, manifest and verification after it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from components.notice import notify
from components.problems import plain
from components.session import command_to_copy, current_actor, database
from components.study import blinding_view, verification_view, versions_view
from services.errors import Refused
from services.installation import whereabouts
from services.record import daily_verification, verification
from services.studies.catalogue import StudyLine
from services.studies.drawing import drawn_apart
from services.studies.folders import explaining
from services.studies.freeze import before_freeze, freezing, thawing
from services.studies.versions import stored


def draw_freeze(line: StudyLine) -> None:
    """Draw the freeze: the button before it, the manifest after it."""
    actor = current_actor()
    frozen = freezing.freeze_of(database(), actor, line.key)
    if frozen is None:
        st.markdown(
            "A freeze fixes protocol, items, volumes, candidates and references in a manifest with their SHA-256, "
            "draws every rater's own order, and opens the study for reading. **Once somebody has seen something, it "
            "cannot be undone.** Look at the items in the preview first."
        )
        standing = before_freeze.standing_of(database(), actor, line.key)
        st.info(standing.sentence)
        if standing.needs is not None:
            (st.warning if standing.needs.missing else st.info)(plain(standing.needs.sentence))
            if standing.needs.missing:
                st.caption(f"On the command line: `{command_to_copy(f'prepare-volumes {line.key} FOLDER')}`")
        for sentence in standing.remarks:
            st.warning(plain(sentence))
        _draw_explanation(line)
        sure = st.checkbox("I have looked at the preview; the items are as they should be.")
        st.button("Freeze and open", type="primary", disabled=not sure, on_click=_freeze, args=(line.key,))
        return
    st.markdown(f"Frozen {frozen.created_at[:16].replace('T', ' ')} UTC. SHA-256 of the manifest:")
    st.code(frozen.sha256, language=None)
    for sentence in drawn_apart.sentences_of(database(), actor, line.key):
        st.caption(plain(sentence))
    with st.container(horizontal=True):
        st.button("Verify now", on_click=_verify, args=(line.key,))
        st.link_button("Download the manifest", f"/download/{line.key}/manifest.json")
    verification_view.draw_last_verification(line)
    st.caption(f"On the command line: `{whereabouts.command(f'verify {line.key}')}`")
    blinding_view.draw_last_audit(line)
    if thawing.can_be_thawed(database(), actor, line.key):
        _draw_thaw(line)
    _draw_explanation(line)
    versions_view.draw_versions(line)
    with st.expander("What the manifest covers"):
        covered = stored.covered_by(database(), actor, line.key)
        for number, parts in covered:
            if len(covered) > 1:
                lists = "what was frozen" if number == stored.FIRST_NUMBER else "what it adds and corrects"
                st.caption(f"Version {number} lists {lists}.")
            st.dataframe(pd.DataFrame(parts, columns=["part", "content"]), hide_index=True, width="stretch")


def _draw_explanation(line: StudyLine) -> None:
    """Draw the protocol in sentences: who does what, what they see, and what is computed."""
    with st.expander("What happens in this study, phase by phase"):
        for paragraph in explaining.explain_study(database(), current_actor(), line.key):
            st.markdown(f"**{plain(paragraph.heading)}**")
            st.markdown("\n".join(f"- {plain(sentence)}" for sentence in paragraph.sentences))


def _draw_thaw(line: StudyLine) -> None:
    """Draw the way back to a draft, which exists until somebody has seen something."""
    with st.expander("Thaw"), st.form("thaw", border=False):
        st.markdown(
            "Nobody has seen any of this study yet, so it can still become a draft again: assignments are withdrawn, "
            "and the freeze stays on record with your reason. With the same tables and people, the next freeze draws "
            "the same items and orders."
        )
        reason = st.text_input("What is to be corrected", max_chars=thawing.LONGEST_REASON)
        if st.form_submit_button("Thaw the study"):
            _thaw(line.key, reason)
            st.rerun()


def _thaw(study_key: str, reason: str) -> None:
    try:
        thawing.thaw_study(database(), current_actor(), study_key, reason)
        notify("done", "Thawed: the study is a draft again.")
    except Refused as refusal:
        notify("error", str(refusal))


def _freeze(study_key: str) -> None:
    try:
        frozen = freezing.freeze_study(database(), current_actor(), study_key)
        notify("done", f"Frozen and open. The manifest's SHA-256 begins with {frozen.sha256[:12]}.")
    except Refused as refusal:
        notify("error", str(refusal))


def _verify(study_key: str) -> None:
    try:
        problems = daily_verification.verify_now(database(), current_actor(), study_key)
        if problems:
            count = "One problem was" if len(problems) == 1 else f"{len(problems)} problems were"
            notify("error", f"Verified just now: {count} found.")
        else:
            notify("done", " ".join([verification.ALL_HOLDS, *verification.remarks_on(database(), study_key)]))
    except Refused as refusal:
        notify("error", str(refusal))
