"""One study: freeze, people and progress, judges, events."""

import streamlit as st

from components import session
from components.calibration import judges_view, labels_view
from components.study import closing_view, draft_view, freeze_view, members_view, study_view
from services.studies import catalogue

draft_view.leave_if_deleted()
actor = session.current_actor()
with session.refusals():
    line = catalogue.study_line(session.database(), actor, st.query_params.get("study", ""))
    study_view.draw_head(line)
    # Others keep working while the page is open, so switching tabs loads the current state.
    people, freeze, judges, events = st.tabs(
        ["People and progress", "Freeze", "Judges", "Close and events"], key="study-tab", on_change="rerun"
    )
    with people:
        members_view.draw_members(line)
        draft_view.draw_removal(line)
    with freeze:
        freeze_view.draw_freeze(line)
        draft_view.draw_draft(line)
    with judges:
        judges_view.draw_judges(line)
        labels_view.draw_labels(line)
    with events:
        closing_view.draw_closing(line)
