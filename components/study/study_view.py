"""The head of a study's page for its admins: title, state, links, and the outcome of the last action."""

from __future__ import annotations

import streamlit as st

from components.frame import script_of
from components.notice import draw_notice
from components.problems import plain
from components.study import verification_view
from components.study.study_list import STATE_BADGE
from services.studies.catalogue import StudyLine


def draw_head(line: StudyLine) -> None:
    """Draw the title, state and links."""
    st.title(plain(line.title))
    label, color, icon = STATE_BADGE[line.state]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.badge(label, color=color, icon=icon)  # type: ignore[arg-type]
        if line.simulated_readers:
            st.badge("Simulated readers", color="orange", icon=":material/smart_toy:")
        st.page_link(
            script_of("preview"),
            label="Preview items",
            icon=":material/visibility:",
            query_params={"study": line.key},
        )
        st.page_link(script_of("report"), label="Report", icon=":material/bar_chart:", query_params={"study": line.key})
        st.page_link(
            script_of("calibration"), label="Calibration", icon=":material/balance:", query_params={"study": line.key}
        )
    # Always one element, even if empty: an element that appears above the tabs would reset them to the first tab.
    with st.container():
        draw_notice(of_long_page=True)
        verification_view.draw_alarm(line)
