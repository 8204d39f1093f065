"""How far judges may stand in for people in a study."""

import streamlit as st

from components import report_view, session
from components.calibration import calibration_view
from services.studies import catalogue

st.title("Calibration of judges")
actor = session.current_actor()
with session.refusals():
    line = report_view.choose_study(catalogue.studies_of(session.database(), actor))
    calibration_view.draw_calibration(actor, line)
