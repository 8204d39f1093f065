"""The studies of an admin."""

import streamlit as st

from components import session
from components.study import study_list
from services.studies import catalogue

st.title("Studies")
actor = session.current_actor()
study_list.draw_studies(catalogue.studies_of(session.database(), actor))
