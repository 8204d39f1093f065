"""The list of studies, for admins."""

from __future__ import annotations

import streamlit as st

from components.frame import script_of
from components.problems import plain
from components.session import current_actor, database
from services.errors import counted
from services.progress.overview import overview_of, percent_done
from services.studies.catalogue import StudyLine

STATE_BADGE = {
    "draft": ("Draft", "gray", ":material/edit_note:"),
    "open": ("Open for reading", "green", ":material/play_circle:"),
    "closed": ("Closed", "blue", ":material/lock:"),
}


def draw_studies(lines: list[StudyLine]) -> None:
    """Draw one card per study that the person administers."""
    _, text = st.session_state.pop("notice", ("", ""))
    if text:
        st.success(text)
    administered = [line for line in lines if line.role == "admin"]
    if not administered:
        st.info("You have no studies yet. Import one under Import, where there are examples to start from.")
    for line in administered:
        with st.container(border=True, key=f"study-{line.key}"):
            overview = overview_of(database(), current_actor(), line.key)
            left, progress, middle, right = st.columns([5, 2, 1, 1], vertical_alignment="center")
            with progress:
                if overview.total:
                    st.progress(
                        overview.done / overview.total, text=f"{percent_done(overview.done, overview.total)} % done"
                    )
            with left:
                st.markdown(f"**{plain(line.title)}**")
                label, color, icon = STATE_BADGE[line.state]
                with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                    st.badge(label, color=color, icon=icon)  # type: ignore[arg-type]
                    if line.simulated_readers:
                        st.badge("Simulated readers", color="orange", icon=":material/smart_toy:")
                    practice = f" and {line.practice} for practice" if line.practice else ""
                    size = (counted(line.items, "item") + practice, counted(overview.raters, "rater"))
                    st.caption(" · ".join((*size, *overview.waits, line.key)))
            with middle:
                st.page_link(script_of("study"), label="Manage", query_params={"study": line.key})
            with right:
                st.page_link(script_of("report"), label="Report", query_params={"study": line.key})
