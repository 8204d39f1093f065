"""The reading room: one item after the other, for raters and reviewers."""

import streamlit as st

from components import frame, session
from components.instructions import draw_instructions
from components.viewer import reading_room
from services.reading import instructions, submission

study_key = st.query_params.get("study", "")
queue = st.query_params.get("phase", "reading")
actor = session.current_actor()
with session.refusals():
    shown = instructions.of_queue(session.database(), actor, study_key, queue)
    if shown.acknowledged:
        # Requested before the layout changes: a refusal has no room with which the head line could share its line.
        payload = submission.payload_after_reload(session.database(), actor, study_key, queue)
        frame.draw_in_one_line_with_the_room()
        reading_room(payload, key="room", earlier="earlier" in st.query_params)
    else:
        draw_instructions(shown, study_key, queue)
