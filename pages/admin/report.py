"""The agreement report of a study."""

import streamlit as st

from components import report_view, session
from services.studies import catalogue

st.title("Agreement report")
actor = session.current_actor()
with session.refusals():
    line = report_view.choose_study(catalogue.studies_of(session.database(), actor))
    report = report_view.open_report(actor, line)
    report_view.draw_report(actor, report)
