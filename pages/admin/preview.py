"""Any item exactly as a rater sees it."""

import streamlit as st

from components import session
from components.study import preview
from components.viewer import reading_room
from services.reading import previewing

study_key = st.query_params.get("study", "")
actor = session.current_actor()
with session.refusals():
    chosen = preview.choose_item(study_key)
    phase = preview.choose_phase(study_key, chosen)
    if phase.remark and not phase.nothing:
        st.caption(phase.remark)
    if not phase.nothing:
        preview.draw_feedback(previewing.preview_feedback(session.database(), actor, study_key, chosen))
    if phase.nothing:
        st.info(phase.nothing)
    elif previewing.lacks_its_volumes(session.database(), actor, study_key, chosen):
        st.info("The draw does not need the scans of this item, or they are not prepared yet; choose another item.")
    else:
        payload = previewing.preview_item(session.database(), actor, study_key, chosen, phase.key)
        reading_room(payload, key="preview")
